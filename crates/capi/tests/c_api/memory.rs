//! `wordline_memory.h`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wordline_capi::wordline_memory_h::{
    ABI, Cut, Ecc, Fault, Health, Ideal, Info, MemoryStatus, Operation, Options, Stats, Work,
};

use crate::c_api::abi::{SONAME, check_abi};
use crate::c_api::cc::{
    SANITIZERS, check_cpp, compiled, compiled_file, here, layout_of, run, scratch,
};
use crate::c_api::prototypes::{in_header, in_library};

const HEADER: &str = "include/wordline_memory.h";

/// A folder for the files of a test, made anew.
fn empty_folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder of the build's own");
    folder
}

#[test]
fn a_driver_in_c_finds_what_the_header_promises() {
    let folder = empty_folder("storage");
    let check = |program: &Path| {
        let ran = Command::new(program).arg(&folder).output().expect("runs");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{}: {told}", program.display());
        check_trace(&folder.join("trace.csv"));
    };
    if let Some(program) = compiled("storage.c", &["-std=c99", "-O1"], true) {
        check(&program);
        if let Some(program) = compiled("storage.c", &SANITIZERS, false) {
            check(&program);
        }
    }
}

/// Programs that take a folder: plainly, and with sanitizers where the compiler has them.
fn check_in_folder(name: &str) {
    let folder = empty_folder(name);
    let check = |program: &Path| {
        let ran = Command::new(program).arg(&folder).output().expect("runs");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{}: {told}", program.display());
    };
    if let Some(program) = compiled(name, &["-std=c99", "-O1"], true) {
        check(&program);
        if let Some(program) = compiled(name, &SANITIZERS, false) {
            check(&program);
        }
    }
}

#[test]
fn faults_in_c_are_those_of_the_header() {
    check_in_folder("faults.c");
}

#[test]
fn messages_in_c_say_what_helps() {
    check_in_folder("messages.c");
}

#[test]
fn attacks_in_c_get_codes_of_the_header() {
    check_in_folder("attacks.c");
}

#[test]
fn commands_in_c_do_what_the_header_promises() {
    check_in_folder("commands.c");
}

#[test]
fn what_is_refused_in_c_leaves_no_trace() {
    check_in_folder("refusals.c");
}

/// The program in the comment at the header's top.
#[test]
fn the_example_of_the_header_runs() {
    let text = fs::read_to_string(here(HEADER)).expect("readable");
    let comment = text.split_once("*/").expect("a comment").0;
    let lines = comment
        .lines()
        .map(|line| line.strip_prefix(" *").unwrap_or(line));
    let code = lines
        .skip_while(|line| !line.contains("#include"))
        .take_while(|line| !line.starts_with(" Units."));
    let code: String = code.flat_map(|line| [line, "\n"]).collect();
    let source = empty_folder("header-example").join("example.c");
    fs::write(&source, code).expect("written");
    if let Some(program) = compiled_file(&source, &["-std=c99"], true) {
        let told = run(&program);
        assert!(
            told.starts_with("wordline after ") && told.ends_with(" uJ\n"),
            "{told}"
        );
    }
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout_memory.c", &["-std=c99"], true) else {
        return;
    };
    let statuses = [
        ("WL_MEMORY_OK", MemoryStatus::Ok),
        ("WL_MEMORY_BAD_ARGUMENT", MemoryStatus::BadArgument),
        ("WL_MEMORY_BAD_HANDLE", MemoryStatus::BadHandle),
        ("WL_MEMORY_BAD_TARGET", MemoryStatus::BadTarget),
        ("WL_MEMORY_OUT_OF_RANGE", MemoryStatus::OutOfRange),
        ("WL_MEMORY_MISUSE", MemoryStatus::Misuse),
        ("WL_MEMORY_UNCORRECTABLE", MemoryStatus::Uncorrectable),
        ("WL_MEMORY_PROGRAM_FAILED", MemoryStatus::ProgramFailed),
        ("WL_MEMORY_ERASE_FAILED", MemoryStatus::EraseFailed),
        ("WL_MEMORY_BAD_BLOCK", MemoryStatus::BadBlock),
        ("WL_MEMORY_POWER_LOST", MemoryStatus::PowerLost),
        ("WL_MEMORY_UNSUPPORTED", MemoryStatus::Unsupported),
        ("WL_MEMORY_BAD_IMAGE", MemoryStatus::BadImage),
        ("WL_MEMORY_FILE", MemoryStatus::File),
        ("WL_MEMORY_DEVICE", MemoryStatus::Device),
        ("WL_MEMORY_INTERNAL", MemoryStatus::Internal),
        ("WL_MEMORY_BUSY", MemoryStatus::Busy),
    ];
    let named = |(name, status): (&str, MemoryStatus)| (name.to_owned(), i64::from(status as i32));
    let mut found: Vec<_> = statuses.into_iter().map(named).collect();
    found.push(("WL_MEMORY_ABI".to_owned(), i64::from(ABI)));
    members!(found, "wl_memory_options", Options: size abi target catalog timing seed age factory_bad strict erase_bytes one_thread ageing celsius dwell_s host_ecc);
    members!(found, "wl_memory_info", Info: size kind bytes write_bytes atom_bytes page_bytes spare_bytes pages_per_block blocks block_bytes programs_per_page once_bytes in_order wear_unit_bytes endurance read_bytes erase_sizes background suspend moves banks forgets free_ranges);
    members!(found, "wl_memory_ecc", Ecc: size corrected refresh lost);
    members!(found, "wl_memory_stats", Stats: size reads programs erases writes syncs failures bytes_read bytes_written busy_ps longest_ps corrected_bits power_cuts);
    members!(found, "wl_memory_cut", Cut: size operations time_ps tear seed erase_leaves);
    members!(found, "wl_memory_fault", Fault: size kind at bytes after times one_in seed);
    members!(found, "wl_memory_ideal", Ideal: size abi kind read_bytes write_bytes erase_bytes blocks page_bytes spare_bytes programs_per_page in_order marks moves banks atom_bytes endurance read_ps read_byte_ps program_ps program_byte_ps erase_ps strict);
    members!(found, "wl_memory_work", Work: size phase at bytes ends_ps);
    members!(found, "wl_memory_health", Health: size verdict reason cycles operation failed_blocks beyond latency_ratio used_low used used_high left_low left left_high injected_failures cut_failures);
    members!(found, "wl_memory_operation", Operation: size kind at bytes start_ps duration_ps failed);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    assert_eq!(layout_of(&program), found);
}

#[test]
fn the_functions_are_those_of_the_header() {
    let types = [
        ("MemoryStatus", "wl_memory_status"),
        ("WlMemory", "wl_memory"),
        ("Options", "wl_memory_options"),
        ("Info", "wl_memory_info"),
        ("Stats", "wl_memory_stats"),
        ("Ecc", "wl_memory_ecc"),
        ("Cut", "wl_memory_cut"),
        ("Fault", "wl_memory_fault"),
        ("Ideal", "wl_memory_ideal"),
        ("Work", "wl_memory_work"),
        ("Health", "wl_memory_health"),
        ("Option<Listener>", "wl_memory_listener"),
    ];
    let sources = [
        "src/memory/functions.rs",
        "src/memory/operations.rs",
        "src/memory/commands.rs",
        "src/memory/injection.rs",
        "src/memory/ageing.rs",
        "src/memory/health.rs",
    ];
    let header = in_header(HEADER, "wl_memory_");
    assert_eq!(header.len(), 58);
    assert_eq!(header, in_library(&sources, &types));
}

#[test]
fn the_binary_interface_is_the_one_that_is_kept() {
    check_abi(HEADER, "wl_memory_", SONAME);
}

#[test]
fn the_header_is_cpp_as_well() {
    check_cpp(HEADER);
}

/// What a traced driver did is what `wordline buffer --log` reads.
fn check_trace(path: &Path) {
    let log = fs::File::open(path).expect("the program wrote it");
    let log = std::io::BufReader::new(log);
    let opened = wordline_trace::open(log, &wordline_trace::LogOptions::default());
    let Ok(wordline_trace::Log::Accesses(mut accesses)) = opened else {
        panic!("these are accesses in their order");
    };
    let read: Vec<_> = accesses
        .by_ref()
        .map(|access| access.expect("sound"))
        .collect();
    assert_eq!(
        read.len(),
        2,
        "a program and a read; the erase is counted, and left out"
    );
    assert!(
        read.iter()
            .all(|access| access.duration.ps() > 0 && access.bytes == 16)
    );
}
