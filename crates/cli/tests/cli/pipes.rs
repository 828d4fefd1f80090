//! A stdout that is not read, and one that takes nothing.

use std::io;
use std::process::{Command, Output};

use crate::cli::support::{Folder, SMALL, wordline};

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
fn a_closed_pipe_is_a_failure_in_one_line() {
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
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("stdout was closed by its reader"),
            "{arguments:?}: {stderr}"
        );
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}

/// Exports are still written when stdout is not read.
#[test]
fn a_closed_pipe_leaves_the_exports() {
    let folder = Folder::new();
    let saved = folder.file("saved.csv");
    let output = with_closed_stdout(&[&SMALL[..], &["--export", &saved]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(folder.has("saved.csv"));
}

/// A reader that takes some of a long text and goes.
#[test]
fn a_reader_that_leaves_early_is_a_failure() {
    use std::io::Read as _;
    let (mut reader, writer) = io::pipe().expect("a pipe");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wordline"));
    let command = command.args(["part", "list", "--format", "json"]);
    let running = command.stdout(writer).stderr(std::process::Stdio::piped());
    let running = running.spawn().expect("the command starts");
    reader.read_exact(&mut [0; 10]).expect("it writes");
    drop(reader);
    // The pipe's own writer end goes with the command.
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
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

/// A shell closes stdout by `>&-`. The runtime of Rust then opens /dev/null in its place, which takes everything.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_stdout_is_a_failure_with_a_message() {
    let command = env!("CARGO_BIN_EXE_wordline");
    for arguments in [
        &SMALL[..],
        &["part", "list"],
        &["part", "show", "em064lx"],
        &["doctor"],
        &["completions", "bash"],
        &["--version"],
        &["--help"],
        &["raw", "-h"],
        &["diff", "--help"],
    ] {
        let with = |redirection: &str| {
            Command::new("sh")
                .arg("-c")
                .arg(format!("exec \"$0\" \"$@\" {redirection}"))
                .arg(command)
                .args(arguments)
                .output()
                .expect("a shell is there")
        };
        let output = with(">&-");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("stdout is closed"),
            "{arguments:?}: {stderr}"
        );
        // Who sends it away by name wants that, also where it is open for both.
        for redirection in [">/dev/null", "1<>/dev/null"] {
            let output = with(redirection);
            assert_ne!(output.status.code(), Some(2), "{arguments:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn commands_that_a_full_device_does_not_take_are_named() {
    let folder = Folder::new().with("my.csv", "time_ns,address,operation\n0,0x0,R\n");
    let (trace, full) = (folder.file("my.csv"), folder.file("full.txt"));
    std::os::unix::fs::symlink("/dev/full", &full).expect("a link");
    let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
    let command = ["dram", "trace", &trace, "--commands", &full];
    wordline(&[&command, &target[..]].concat()).refused(&["full.txt: No space left"]);
}

/// What a long run could not be saved in is refused before it. Whoever may write everywhere is refused by a folder that
/// no process can write to.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_refused_before_the_run() {
    let folder = Folder::new().with("my.csv", "time_ns,address,operation\n0,0x0,W,nonsense\n");
    let trace = folder.file("my.csv");
    let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
    for (flag, file, command) in [
        ("--export", "/proc/a.json", &["dram", "trace", &trace][..]),
        ("--commands", "/proc/a.txt", &["dram", "trace", &trace]),
        (
            "--mess",
            "/proc/a.csv",
            &["dram", "loaded", "--samples", "0"],
        ),
    ] {
        let words = [flag, file, "it cannot be written"];
        wordline(&[command, &target, &[flag, file]].concat()).refused(&words);
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
