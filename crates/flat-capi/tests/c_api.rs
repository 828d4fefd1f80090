//! Header and library are in step, and programs in C that use them find what the header promises. A machine without a C
//! compiler named cc checks the prototypes alone, and says so.

#[macro_use]
#[path = "../../capi/tests/c_api/cc.rs"]
mod cc;
#[path = "../../capi/tests/c_api/abi.rs"]
mod abi;
#[path = "../../capi/tests/c_api/firmware.rs"]
mod firmware;
#[path = "../../capi/tests/c_api/prototypes.rs"]
mod prototypes;

use std::collections::BTreeMap;

use abi::{STATIC, check_abi};
use cc::{check_cpp, check_program, compiled, layout_of, run};
use firmware::{check_freestanding, example_on_host, program_of_header};
use prototypes::{in_header, in_library};
use wordline_c_abi::MemoryFunctions;
use wordline_flat_capi::{
    FlatStatus, WlFlat, WlFlatDir, WlFlatEntry, WlFlatFile, WlFlatProblem, WlFlatRoom, WlFlatShape,
    WlFlatUse,
};

#[test]
fn a_program_in_c_finds_what_the_header_promises() {
    check_program("files.c", &[]);
}

/// What `make flat-firmware` runs on a Cortex-M4; here each start is a process.
#[test]
fn the_firmware_example_survives_a_reset_before_every_word() {
    let Some(program) = example_on_host("mram") else {
        return;
    };
    let told = run(&program);
    for case in ["appends", "overwrites", "replacements", "shortenings"] {
        assert!(told.contains(&format!(" {case}: ")), "{told}");
    }
}

/// Header and example need nothing of a standard library.
#[test]
fn header_and_example_are_freestanding_c99() {
    check_freestanding();
}

#[test]
fn the_program_of_the_header_runs() {
    if let Some(program) = program_of_header("wordline_flat.h", "Memory.") {
        assert_eq!(run(&program), "22.5 C\n");
    }
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout.c", &["-std=c99"], true) else {
        return;
    };
    let values = [
        ("OK", FlatStatus::Ok),
        ("END", FlatStatus::End),
        ("BAD_ARGUMENT", FlatStatus::BadArgument),
        ("NOT_MOUNTED", FlatStatus::NotMounted),
        ("BAD_HANDLE", FlatStatus::BadHandle),
        ("MEMORY", FlatStatus::Memory),
        ("FOREIGN", FlatStatus::Foreign),
        ("VERSION", FlatStatus::Version),
        ("TRUNCATED", FlatStatus::Truncated),
        ("BAD_HEADER", FlatStatus::BadHeader),
        ("CORRUPT", FlatStatus::Corrupt),
        ("ATOM", FlatStatus::Atom),
        ("SHAPE", FlatStatus::Shape),
        ("CAPACITY", FlatStatus::Capacity),
        ("RAM", FlatStatus::Ram),
        ("NOT_FOUND", FlatStatus::NotFound),
        ("EXISTS", FlatStatus::Exists),
        ("NOT_A_DIRECTORY", FlatStatus::NotADirectory),
        ("IS_A_DIRECTORY", FlatStatus::IsADirectory),
        ("NOT_EMPTY", FlatStatus::NotEmpty),
        ("BAD_NAME", FlatStatus::BadName),
        ("INTO_ITSELF", FlatStatus::IntoItself),
        ("NO_SPACE", FlatStatus::NoSpace),
        ("NO_RECORDS", FlatStatus::NoRecords),
        ("FRAGMENTED", FlatStatus::Fragmented),
        ("TOO_LONG", FlatStatus::TooLong),
        ("BUSY", FlatStatus::Busy),
        ("TOO_MANY_OPEN", FlatStatus::TooManyOpen),
        ("PAST_END", FlatStatus::PastEnd),
        ("OTHER", FlatStatus::Other),
    ];
    let value = |(name, value): (&str, FlatStatus)| (format!("WL_FLAT_{name}"), value as i64);
    let mut found: Vec<_> = values.into_iter().map(value).collect();
    members!(found, "wl_flat_memory", MemoryFunctions: user bytes atom read write persist);
    members!(found, "wl_flat_shape", WlFlatShape: bytes unit_bytes records extents);
    members!(found, "wl_flat_use", WlFlatUse: open_files reserve_bytes);
    members!(found, "wl_flat_room", WlFlatRoom: total free free_records);
    members!(found, "wl_flat_entry", WlFlatEntry: bytes is_directory name);
    members!(found, "wl_flat_problem", WlFlatProblem: status code found least most);
    members!(found, "wl_flat", WlFlat: words);
    members!(found, "wl_flat_file", WlFlatFile: words);
    members!(found, "wl_flat_dir", WlFlatDir: words);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    assert_eq!(layout_of(&program), found);
}

#[test]
fn the_functions_are_those_of_the_header() {
    let types = [
        ("FlatStatus", "wl_flat_status"),
        ("MemoryFunctions", "wl_flat_memory"),
        ("WlFlat", "wl_flat"),
        ("WlFlatFile", "wl_flat_file"),
        ("WlFlatDir", "wl_flat_dir"),
        ("WlFlatShape", "wl_flat_shape"),
        ("WlFlatUse", "wl_flat_use"),
        ("WlFlatRoom", "wl_flat_room"),
        ("WlFlatEntry", "wl_flat_entry"),
        ("WlFlatProblem", "wl_flat_problem"),
        ("usize", "size_t"),
    ];
    let sources = [
        "src/problem.rs",
        "src/volume.rs",
        "src/file.rs",
        "src/names.rs",
    ];
    let header = in_header("include/wordline_flat.h", "wl_flat_");
    assert_eq!(header.len(), 22);
    assert_eq!(header, in_library(&sources, &types));
}

#[test]
fn the_header_is_cpp_as_well() {
    check_cpp("include/wordline_flat.h");
}

#[test]
fn the_binary_interface_is_the_one_that_is_kept() {
    check_abi("include/wordline_flat.h", "wl_flat_", STATIC);
}
