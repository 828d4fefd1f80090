//! What libraries for firmware have in common: a header with a program in it, and an example for a board.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::cc::{compiled_file, eprintln_skipped, here, scratch};

/// The example of the library on a host, where each start is a process, and `kept` is what a reset leaves.
pub(crate) fn example_on_host(kept: &str) -> Option<PathBuf> {
    let kept = format!("-DKEPT={kept}");
    let flags = ["-std=c99", "-I../../firmware/mps2", "-Ifirmware", &kept];
    compiled_file(&here("../../firmware/on_host.c"), &flags, true)
}

/// Headers and example need nothing of a standard library.
pub(crate) fn check_freestanding() {
    let ran = Command::new("cc")
        .args(["-std=c99", "-ffreestanding", "-fsyntax-only"])
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .arg(here("include"))
        .arg("-I../../firmware/mps2")
        .arg(here("firmware/power_cuts.c"))
        .output();
    match ran {
        Ok(ran) => {
            let told = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{told}");
        }
        Err(_) => eprintln_skipped("there is no C compiler named cc"),
    }
}

/// The program in the first comment of a header, up to a line that begins with a word.
pub(crate) fn program_of_header(header: &str, end: &str) -> Option<PathBuf> {
    let path = here("include").join(header);
    let text = fs::read_to_string(path).expect("readable");
    let lines = text
        .lines()
        .skip_while(|line| !line.contains("#include <stdio.h>"));
    let end = format!(" * {end}");
    let program = lines.take_while(|line| !line.starts_with(&end));
    let program: Vec<_> = program.map(|line| line.trim_start_matches(" *")).collect();
    let source = scratch(&header.replace(".h", ".c"));
    fs::write(&source, program.join("\n")).expect("written");
    compiled_file(&source, &["-std=c99"], true)
}
