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
use wordline_kv_capi::{Info, OpeningReport, Options, Status, WlKv};

#[test]
fn a_program_in_c_keeps_settings_through_power_cuts_and_damage() {
    check_program("settings.c", &[]);
}

/// What `make kv-firmware` runs on a Cortex-M4; here each start is a process.
#[test]
fn the_firmware_example_survives_a_reset_before_every_word() {
    let Some(program) = example_on_host("mram") else {
        return;
    };
    let told = run(&program);
    for case in ["put", "remove"] {
        for directory in ["in RAM", "in the memory"] {
            let opens = format!("{case}, directory {directory}: ");
            assert!(told.contains(&opens), "{told}");
        }
    }
}

/// Header and example need nothing of a standard library.
#[test]
fn header_and_example_are_freestanding_c99() {
    check_freestanding();
}

#[test]
fn the_program_of_the_header_runs() {
    if let Some(program) = program_of_header("wordline_kv.h", "Memory.") {
        assert_eq!(run(&program), "9600\n");
    }
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout.c", &["-std=c99"], true) else {
        return;
    };
    let values = [
        ("WL_KV_OK", Status::Ok),
        ("WL_KV_NOT_FOUND", Status::NotFound),
        ("WL_KV_BAD_ARGUMENT", Status::BadArgument),
        ("WL_KV_MEMORY", Status::Memory),
        ("WL_KV_FOREIGN", Status::Foreign),
        ("WL_KV_VERSION", Status::Version),
        ("WL_KV_TRUNCATED", Status::Truncated),
        ("WL_KV_BAD_HEADER", Status::BadHeader),
        ("WL_KV_CORRUPT", Status::Corrupt),
        ("WL_KV_ATOM", Status::Atom),
        ("WL_KV_SLOT_SIZE", Status::SlotSize),
        ("WL_KV_TOO_SMALL", Status::TooSmall),
        ("WL_KV_DIRECTORY", Status::Directory),
        ("WL_KV_NO_DIRECTORY", Status::NoDirectory),
        ("WL_KV_SCRATCH", Status::Scratch),
        ("WL_KV_KEY", Status::Key),
        ("WL_KV_VALUE", Status::Value),
        ("WL_KV_NO_ROOM", Status::NoRoom),
        ("WL_KV_BUFFER", Status::Buffer),
        ("WL_KV_OTHER", Status::Other),
    ];
    let value = |(name, value): (&str, Status)| (name.to_owned(), value as i64);
    let mut found: Vec<_> = values.into_iter().map(value).collect();
    members!(found, "wl_kv_memory", MemoryFunctions: user bytes atom read write persist);
    members!(found, "wl_kv_options", Options: slot_bytes resident seed);
    members!(found, "wl_kv_info", Info: slot_bytes slots resident directory_words scratch_bytes);
    members!(found, "wl_kv_recovery", OpeningReport: torn superseded mended damaged);
    members!(found, "wl_kv", WlKv: words);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    assert_eq!(layout_of(&program), found);
}

#[test]
fn the_functions_are_those_of_the_header() {
    let types = [
        ("Status", "wl_kv_status"),
        ("WlKv", "wl_kv"),
        ("MemoryFunctions", "wl_kv_memory"),
        ("Options", "wl_kv_options"),
        ("Info", "wl_kv_info"),
        ("OpeningReport", "wl_kv_recovery"),
        ("usize", "size_t"),
    ];
    let header = in_header("include/wordline_kv.h", "wl_kv_");
    assert_eq!(header.len(), 13);
    assert_eq!(header, in_library(&["src/functions.rs"], &types));
}

#[test]
fn the_header_is_cpp_as_well() {
    check_cpp("include/wordline_kv.h");
}

#[test]
fn the_binary_interface_is_the_one_that_is_kept() {
    check_abi("include/wordline_kv.h", "wl_kv_", STATIC);
}
