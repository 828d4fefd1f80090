//! Ctrl-C: the finished rows, `"complete": false`, exit code 130.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Folder, TARGET, rows, wordline};

/// The first size is done in a moment; the second would keep a debug build busy for an hour.
const LONG: [&str; 12] = [
    "raw",
    "--target",
    TARGET,
    "--operation",
    "write",
    "--size",
    "64KiB,1B",
    "--total",
    "4GiB",
    "--wrap",
    "64KiB",
    "--format",
];

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "the command has ended already"
    );
}

/// Interrupts ever later runs until one had time to finish its first size; its stdout.
fn interrupted(arguments: &[&str], name: &str) -> String {
    for wait_ms in [500, 1000, 2000, 4000, 8000, 16_000, 32_000] {
        let child = start(arguments);
        thread::sleep(Duration::from_millis(wait_ms));
        signal(&child, name);
        let output = child.wait_with_output().expect("the command ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        // A run without an exit code was killed before it listened.
        if output.status.code().is_none() {
            continue;
        }
        assert_eq!(output.status.code(), Some(130), "SIG{name}");
        let stdout = String::from_utf8(output.stdout).expect("output is text");
        let document: Value = serde_json::from_str(&stdout).expect("valid JSON");
        assert_eq!(document["complete"], false);
        if !rows(&document, "latency_max").is_empty() {
            return stdout;
        }
    }
    panic!("no run finished its first size");
}

#[test]
fn an_interrupted_run_prints_its_finished_rows() {
    for name in ["INT", "TERM"] {
        let folder = Folder::new();
        let saved = folder.file("saved.json");
        let arguments = [&LONG[..], &["json", "--export", &saved]].concat();
        let stdout = interrupted(&arguments, name);
        let document: Value = serde_json::from_str(&stdout).expect("valid JSON");
        assert_eq!(
            document["experiment"]["workload"]["access_bytes"][1], 1,
            "the document says what was asked for"
        );
        let finished = rows(&document, "latency_max");
        assert_eq!(finished.len(), 1);
        assert_eq!(finished[0]["access_bytes"], 65_536);
        assert_eq!(folder.read("saved.json"), stdout);
        let again = wordline(&["report", &saved]).done();
        assert!(again.stdout.contains("Incomplete"), "{again:?}");
    }
}
