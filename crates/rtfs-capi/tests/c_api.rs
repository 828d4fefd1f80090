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
use std::fs;

use abi::{STATIC, check_abi};
use cc::{check_cpp, check_program, compiled, compiled_file, here, layout_of, run, scratch};
use firmware::{check_freestanding, example_on_host, program_of_header};
use prototypes::{in_header, in_library};
use wordline_rtfs_capi::{
    RtfsBound, RtfsConfig, RtfsCounts, RtfsEntry, RtfsFlash, RtfsPart, RtfsProblem, RtfsSpace,
    RtfsStatus, WlRtfs, WlRtfsDir, WlRtfsFile, WlRtfsNor,
};

#[test]
fn a_program_in_c_finds_what_the_header_promises() {
    check_program("files.c", &[]);
}

#[test]
fn files_on_nor_wait_for_parts_of_erases() {
    check_program("nor.c", &[]);
}

#[test]
fn a_program_for_littlefs_runs_on_these_files() {
    check_program("littlefs_style.c", &[]);
}

/// Over declarations of ours of the names that it uses, and not on Zephyr.
#[test]
fn the_glue_for_zephyr_runs_over_stand_ins() {
    check_program("zephyr_glue.c", &["-Itests/c/zephyr"]);
}

/// What `make rtfs-firmware` runs on a Cortex-M4; here each start is a process.
#[test]
fn the_firmware_example_survives_a_reset_within_every_operation() {
    let Some(program) = example_on_host("nand") else {
        return;
    };
    let told = run(&program);
    for case in ["appends", "overwrites", "replacements"] {
        assert!(told.contains(&format!(" {case}: ")), "{told}");
    }
}

/// Headers and example need nothing of a standard library.
#[test]
fn headers_and_example_are_freestanding_c99() {
    check_freestanding();
}

#[test]
fn the_program_of_the_header_runs() {
    if let Some(program) = program_of_header("wordline_rtfs.h", "Flash.") {
        assert_eq!(run(&program), "22.5 C\n");
    }
}

/// The blocks of a language in a page, joined.
fn blocks(page: &str, language: &str) -> String {
    let opening = format!("```{language}\n");
    let parts = page.split(opening.as_str()).skip(1);
    let block = |part: &str| part.split_once("```").expect("blocks end").0.to_owned();
    parts.map(block).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_guide_from_littlefs_prints_what_it_says() {
    let page = here("../../docs/guides/from-littlefs.md");
    let page = fs::read_to_string(page).expect("readable");
    let source = scratch("from_littlefs.c");
    fs::write(&source, blocks(&page, "c")).expect("written");
    if let Some(program) = compiled_file(&source, &["-std=c99"], true) {
        assert_eq!(run(&program), blocks(&page, "text"));
    }
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout.c", &["-std=c99"], true) else {
        return;
    };
    let values = [
        ("OK", RtfsStatus::Ok),
        ("END", RtfsStatus::End),
        ("BAD_ARGUMENT", RtfsStatus::BadArgument),
        ("NOT_MOUNTED", RtfsStatus::NotMounted),
        ("BAD_HANDLE", RtfsStatus::BadHandle),
        ("FLASH", RtfsStatus::Flash),
        ("NEEDS_MOUNT", RtfsStatus::NeedsMount),
        ("FOREIGN", RtfsStatus::Foreign),
        ("NO_FILES", RtfsStatus::NoFiles),
        ("VERSION", RtfsStatus::Version),
        ("DIFFERS", RtfsStatus::Differs),
        ("UNSUITABLE", RtfsStatus::Unsuitable),
        ("MEMORY", RtfsStatus::Memory),
        ("LOST", RtfsStatus::Lost),
        ("WORN_OUT", RtfsStatus::WornOut),
        ("NOT_FOUND", RtfsStatus::NotFound),
        ("EXISTS", RtfsStatus::Exists),
        ("NOT_A_DIRECTORY", RtfsStatus::NotADirectory),
        ("IS_A_DIRECTORY", RtfsStatus::IsADirectory),
        ("NOT_EMPTY", RtfsStatus::NotEmpty),
        ("BAD_NAME", RtfsStatus::BadName),
        ("INTO_ITSELF", RtfsStatus::IntoItself),
        ("NO_SPACE", RtfsStatus::NoSpace),
        ("TOO_LONG", RtfsStatus::TooLong),
        ("STALE", RtfsStatus::Stale),
        ("DIRECTORY_FULL", RtfsStatus::DirectoryFull),
        ("DAMAGED", RtfsStatus::Damaged),
        ("OTHER", RtfsStatus::Other),
        ("TOO_MANY", RtfsStatus::TooMany),
        ("UNWRITTEN", RtfsStatus::Unwritten),
    ];
    let value = |(name, value): (&str, RtfsStatus)| (format!("WL_RTFS_{name}"), value as i64);
    let mut found: Vec<_> = values.into_iter().map(value).collect();
    found.push((
        "WL_RTFS_RECORD_BYTES".to_owned(),
        wordline_rtfs::RECORD_BYTES as i64,
    ));
    members!(found, "wl_rtfs_flash", RtfsFlash: user page_bytes spare_bytes pages_per_block blocks columns read program erase
        is_bad mark_bad erase_mode begin_erase advance_erase move_page);
    members!(found, "wl_rtfs_config", RtfsConfig: logical_pages bad_blocks log_entries);
    members!(found, "wl_rtfs_bound", RtfsBound: blocks data_pages header_pages map_pages victim_pages stores retired user_pages
        steps_per_page erase_parts ram_bytes);
    members!(found, "wl_rtfs_counts", RtfsCounts: spare_reads reads programs moves erases erase_millionths
        suspends);
    members!(found, "wl_rtfs_space", RtfsSpace: pages free_pages more page_bytes longest_file longest_name good_blocks
        most_erases least_erases);
    members!(found, "wl_rtfs_entry", RtfsEntry: bytes is_directory name);
    members!(found, "wl_rtfs_problem", RtfsProblem: status code what what_bytes found least most);
    members!(found, "wl_rtfs_part", RtfsPart: file at data bytes);
    members!(found, "wl_rtfs_nor", WlRtfsNor: words);
    members!(found, "wl_rtfs", WlRtfs: words);
    members!(found, "wl_rtfs_file", WlRtfsFile: words);
    members!(found, "wl_rtfs_dir", WlRtfsDir: words);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    assert_eq!(layout_of(&program), found);
}

#[test]
fn the_functions_are_those_of_the_header() {
    let types = [
        ("RtfsStatus", "wl_rtfs_status"),
        ("WlRtfs", "wl_rtfs"),
        ("WlRtfsFile", "wl_rtfs_file"),
        ("WlRtfsDir", "wl_rtfs_dir"),
        ("RtfsFlash", "wl_rtfs_flash"),
        ("RtfsConfig", "wl_rtfs_config"),
        ("RtfsBound", "wl_rtfs_bound"),
        ("RtfsCounts", "wl_rtfs_counts"),
        ("RtfsSpace", "wl_rtfs_space"),
        ("RtfsEntry", "wl_rtfs_entry"),
        ("RtfsProblem", "wl_rtfs_problem"),
        ("RtfsPart", "wl_rtfs_part"),
        ("WlRtfsNor", "wl_rtfs_nor"),
        ("usize", "size_t"),
    ];
    let sources = [
        "src/problem.rs",
        "src/volume.rs",
        "src/file.rs",
        "src/names.rs",
        "src/nor.rs",
    ];
    let header = in_header("include/wordline_rtfs.h", "wl_rtfs_");
    assert_eq!(header.len(), 31);
    assert_eq!(header, in_library(&sources, &types));
}

#[test]
fn the_headers_are_cpp_as_well() {
    check_cpp("include/wordline_rtfs.h");
    check_cpp("include/wordline_rtfs_lfs.h");
}

#[test]
fn the_binary_interface_is_the_one_that_is_kept() {
    check_abi("include/wordline_rtfs.h", "wl_rtfs_", STATIC);
}
