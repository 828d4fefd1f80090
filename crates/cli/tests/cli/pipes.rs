//! A stdout that nobody reads, and one that takes nothing.

use std::io;
use std::process::{Command, Output};

use crate::support::{Folder, SMALL, wordline};

/// Runs the command with a stdout whose reader has gone.
fn with_closed_stdout(arguments: &[&str]) -> Output {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .stdout(writer)
        .output()
        .expect("the command starts")
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::new();
    let saved = folder.file("saved.json");
    wordline(&[&SMALL[..], &["--export", &saved, "--quiet"]].concat()).done();
    let runs: [&[&str]; 8] = [
        &SMALL,
        &["part", "list"],
        &["part", "show", "em064lx"],
        &["part", "check"],
        &["report", &saved, "--format", "json"],
        &["doctor"],
        &["--help"],
        &["--version"],
    ];
    for arguments in runs {
        let output = with_closed_stdout(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        for word in ["panicked", "pipe", "cannot"] {
            assert!(!stderr.contains(word), "{arguments:?}: {stderr}");
        }
    }
}

/// Exports are still written when nobody reads stdout.
#[test]
fn a_closed_pipe_leaves_the_exports() {
    let folder = Folder::new();
    let saved = folder.file("saved.csv");
    let output = with_closed_stdout(&[&SMALL[..], &["--export", &saved]].concat());
    assert_eq!(output.status.code(), Some(0));
    assert!(folder.has("saved.csv"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_a_failure_with_a_message() {
    for arguments in [&SMALL[..], &["part", "list"], &["doctor"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
            .args(arguments)
            .stdout(full.expect("the device is there"))
            .output()
            .expect("the command starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains("stdout cannot be written"), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

/// A run may have taken hours: what can be saved is saved.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_leaves_the_exports() {
    let folder = Folder::new();
    let saved = folder.file("saved.csv");
    let full = std::fs::File::options().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args([&SMALL[..], &["--export", &saved]].concat())
        .stdout(full.expect("the device is there"))
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(folder.has("saved.csv"));
}
