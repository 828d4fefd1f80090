//! The adapters for other simulators in `examples`, compiled and run as their examples use them. That for gem5 needs its
//! sources, and is not compiled here.

use std::path::PathBuf;
use std::process::Command;

use crate::c_api::cc::{eprintln_skipped, here, library, run, scratch};

/// Compiles an example; none without a compiler, or without what `more` asks for.
fn compiled_example(folder: &str, more: &[&str], is_needed: bool) -> Option<PathBuf> {
    let folder = here("examples").join(folder);
    let name = folder.file_name().expect("a name").to_string_lossy();
    let tag = more
        .concat()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let out = scratch(&format!("{name}-{tag}"));
    let ran = Command::new("c++")
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-g", "-I"])
        .arg(here("include"))
        .arg("-o")
        .arg(&out)
        .arg(folder.join("example.cpp"))
        .arg(library())
        .args(more)
        .args(["-lpthread", "-ldl", "-lm"])
        .output();
    let Ok(ran) = ran else {
        eprintln_skipped("there is no C++ compiler named c++");
        return None;
    };
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() || !is_needed, "{told}");
    ran.status.success().then_some(out)
}

const SANITIZED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

#[test]
fn a_clocked_simulator_may_skip_cycles() {
    if let Some(program) = compiled_example("zsim", &["-O1"], true) {
        let told = run(&program);
        assert!(told.starts_with("mean latency "), "{told}");
        if let Some(program) = compiled_example("zsim", &SANITIZED, false) {
            run(&program);
        }
    }
}

/// Whether the compiler finds SystemC. `make test` says that it has to.
fn has_systemc() -> bool {
    let header = scratch("systemc.cpp");
    std::fs::write(&header, "#include <systemc>\n").expect("written");
    let ran = Command::new("c++")
        .args(["-std=c++17", "-fsyntax-only"])
        .arg(header)
        .output();
    let found = ran.is_ok_and(|ran| ran.status.success());
    if !found {
        let why = "no SystemC is installed; scripts/need-systemc names the command";
        let required = std::env::var_os("WORDLINE_REQUIRE_SYSTEMC").is_some();
        assert!(!required, "{why}");
        eprintln_skipped(why);
    }
    found
}

#[test]
fn systemc_is_answered_when_the_library_says() {
    if !has_systemc() {
        return;
    }
    if let Some(program) = compiled_example("systemc", &["-O1", "-lsystemc"], true) {
        let told = run(&program);
        assert!(
            told.contains("200 reads in flight together: mean latency "),
            "{told}"
        );
        let sanitized = [&SANITIZED[..], &["-lsystemc"]].concat();
        if let Some(program) = compiled_example("systemc", &sanitized, false) {
            run(&program);
        }
    }
}
