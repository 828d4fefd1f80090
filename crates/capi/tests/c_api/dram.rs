//! `wordline_dram.h`.

use std::collections::BTreeMap;

use wordline_capi::wordline_dram_h::{
    ABI, DramCompletion, DramInfo, DramOptions, DramStatus, PushedRequest, Stats,
};

use crate::c_api::abi::{SONAME, check_abi};
use crate::c_api::cc::{check_cpp, check_program, compiled, layout_of};
use crate::c_api::prototypes::{in_header, in_library};

#[test]
fn a_program_in_c_streams_requests_and_hears_of_each() {
    check_program("embed.c", &[]);
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout.c", &["-std=c99"], true) else {
        return;
    };
    let mut found = vec![
        ("WL_DRAM_ABI".to_owned(), ABI as i64),
        ("WL_DRAM_CAUSES".to_owned(), wordline_dram::CAUSES as i64),
        ("WL_DRAM_OK".to_owned(), DramStatus::Ok as i64),
        (
            "WL_DRAM_BAD_ARGUMENT".to_owned(),
            DramStatus::BadArgument as i64,
        ),
        (
            "WL_DRAM_BAD_HANDLE".to_owned(),
            DramStatus::BadHandle as i64,
        ),
        (
            "WL_DRAM_BAD_TARGET".to_owned(),
            DramStatus::BadTarget as i64,
        ),
        (
            "WL_DRAM_BAD_ADDRESS".to_owned(),
            DramStatus::BadAddress as i64,
        ),
        ("WL_DRAM_FULL".to_owned(), DramStatus::Full as i64),
        ("WL_DRAM_BAD_TIME".to_owned(), DramStatus::BadTime as i64),
        ("WL_DRAM_BUSY".to_owned(), DramStatus::Busy as i64),
        ("WL_DRAM_INTERNAL".to_owned(), DramStatus::Internal as i64),
    ];
    members!(found, "wl_dram_options", DramOptions: size abi target settings catalog complete user backlog);
    members!(found, "wl_dram_request", PushedRequest: address id is_write);
    members!(found, "wl_dram_completion", DramCompletion: id time_ps is_write);
    members!(found, "wl_dram_info", DramInfo: size bytes line_bytes channels sub_channels pseudo_channels read_queue
        write_queue clock_ps peak_bytes_per_second);
    members!(found, "wl_dram_stats", Stats: size time_ps reads writes forwarded merged row_hits row_misses
        row_conflicts activates refreshes read_latency_seconds energy_joules read_wait_seconds);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    let told = layout_of(&program);
    assert_eq!(told, found);
}

#[test]
fn the_functions_are_those_of_the_header() {
    let types = [
        ("DramStatus", "wl_dram_status"),
        ("WlDram", "wl_dram"),
        ("DramOptions", "wl_dram_options"),
        ("DramInfo", "wl_dram_info"),
        ("PushedRequest", "wl_dram_request"),
        ("DramCompletion", "wl_dram_completion"),
        ("Stats", "wl_dram_stats"),
    ];
    let header = in_header("include/wordline_dram.h", "wl_dram_");
    assert_eq!(header.len(), 16);
    assert_eq!(header, in_library(&["src/dram/functions.rs"], &types));
}

#[test]
fn the_binary_interface_is_the_one_that_is_kept() {
    check_abi("include/wordline_dram.h", "wl_dram_", SONAME);
}

#[test]
fn the_header_is_cpp_as_well() {
    check_cpp("include/wordline_dram.h");
}
