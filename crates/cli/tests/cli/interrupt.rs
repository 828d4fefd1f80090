//! Ctrl-C: the finished rows, `"complete": false`, exit code 130.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::cli::support::{Folder, TARGET, rows, wordline};

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

/// Without a store the finished points of a sweep are in what is printed and exported.
#[test]
fn an_interrupted_sweep_keeps_its_finished_points() {
    let sweep = "
[experiment]
targets = [\"em064lx\"]
workload = { kind = \"raw\", operations = [\"write\"], total_bytes = \"4 GiB\", wrap_bytes = \"64 KiB\" }
[[axis]]
field = \"workload.access_bytes\"
values = [\"64 KiB\", 1]
";
    let folder = Folder::new().with("s.toml", sweep);
    let (file, saved) = (folder.file("s.toml"), folder.file("saved.json"));
    let arguments = [
        "sweep", &file, "--quiet", "--format", "json", "--export", &saved,
    ];
    for wait_ms in [1000, 2000, 4000, 8000, 16_000, 32_000] {
        let child = start(&arguments);
        thread::sleep(Duration::from_millis(wait_ms));
        signal(&child, "INT");
        let output = child.wait_with_output().expect("the command ends");
        if output.status.code().is_none() {
            continue;
        }
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
        assert_eq!(document["complete"], false);
        assert_eq!(folder.read("saved.json").as_bytes(), output.stdout);
        let points = document["points"].as_array().expect("a list");
        if let [point] = points.as_slice() {
            assert_eq!(point["at"]["workload.access_bytes"], 65_536);
            assert_eq!(point["result"]["complete"], true);
            return;
        }
        assert!(points.is_empty(), "the second point takes hours");
    }
    panic!("no run finished its first point");
}

/// `timeout` signals a command and then its group: twice within a moment.
#[test]
fn two_signals_at_once_are_one_interrupt() {
    let arguments = [&LONG[..], &["json"]].concat();
    for wait_ms in [1000, 2000, 4000, 8000, 16_000, 32_000] {
        let child = start(&arguments);
        thread::sleep(Duration::from_millis(wait_ms));
        signal(&child, "TERM");
        // It may have ended in order by now.
        let id = child.id().to_string();
        let _ = Command::new("kill")
            .args(["-TERM", &id])
            .stderr(Stdio::null())
            .status();
        let output = child.wait_with_output().expect("the command ends");
        if output.status.code().is_none() {
            continue;
        }
        assert_eq!(output.status.code(), Some(130));
        let document: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
        assert_eq!(document["complete"], false);
        if !rows(&document, "latency_max").is_empty() {
            return;
        }
    }
    panic!("no run finished its first size");
}

/// The time that is allowed ends a run in order, with code 0 and what was finished.
#[test]
fn a_budget_ends_a_run_with_what_is_finished() {
    for budget in ["1s", "4s", "16s", "64s"] {
        let ran = wordline(&[&LONG[..], &["json", "--budget", budget]].concat()).done();
        let document = ran.json();
        assert_eq!(document["complete"], false);
        if !rows(&document, "latency_max").is_empty() {
            let folder = Folder::new().with("part.json", &ran.stdout);
            let again = wordline(&["report", &folder.file("part.json")]).done();
            let first = again.stdout.lines().next().expect("a line");
            assert!(first.starts_with("Incomplete"), "{first}");
            return;
        }
    }
    panic!("no run finished its first size");
}

/// What is measured is a file of the user's, which is let go in order as well.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_measurement_leaves_its_file_empty() {
    let folder = Folder::new();
    let path = folder.file("table.bin");
    let target = format!("file:{path}");
    let arguments = [
        "kv",
        "bench",
        "--target",
        &target,
        "--size",
        "2B",
        "--operations",
        "1000000",
        "--capacity",
        "4MiB",
        "--format",
        "json",
    ];
    let child = start(&arguments);
    // It is at work once the file has its length.
    for _ in 0..600 {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() == 4 << 20) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    assert_eq!(document["complete"], false);
    assert_eq!(std::fs::metadata(&path).expect("it was made").len(), 0);
}

const MODULE: &str = "rdimm-6400-2rx4-128g@xeon6-1s";

/// Starts a command whose standard input has these bytes and then says nothing more, nor ends.
fn start_with_silent_stdin(arguments: &[&str], first: &[u8]) -> (Child, ChildStdin) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut silent = child.stdin.take().expect("a pipe");
    silent.write_all(first).expect("a reader");
    (child, silent)
}

/// Interrupts a command that waits for standard input, once; its stdout. One that does not end is no test that hangs:
/// it is killed, and the test fails.
fn interrupted_while_it_waits(arguments: &[&str], first: &[u8]) -> String {
    for wait_ms in [500, 2000, 8000, 32_000] {
        let (mut child, silent) = start_with_silent_stdin(arguments, first);
        thread::sleep(Duration::from_millis(wait_ms));
        signal(&child, "INT");
        let mut ended = None;
        for _ in 0..600 {
            ended = child.try_wait().expect("a child of ours");
            if ended.is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let Some(status) = ended else {
            child.kill().expect("a child of ours");
            panic!("{arguments:?} goes on after an interrupt");
        };
        drop(silent);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let pipes = (child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (pipes.0.expect("a pipe"), pipes.1.expect("a pipe"));
        out.read_to_string(&mut stdout).expect("text");
        err.read_to_string(&mut stderr).expect("text");
        assert!(!stderr.contains("panicked"), "{stderr}");
        // One without an exit code was killed before it listened.
        if status.code().is_some() {
            assert_eq!(status.code(), Some(130), "{arguments:?}: {stderr}");
            return stdout;
        }
    }
    panic!("{arguments:?} never listened");
}

#[test]
fn the_first_interrupt_ends_a_wait_for_a_silent_pipe() {
    let (csv, fio) = ("time_ns,address,operation\n0,0x0,R\n", "0, 100, 0, 4096\n");
    for (arguments, first) in [
        (&["dram", "trace", "-", "--target", MODULE][..], ""),
        (&["dram", "trace", "-", "--target", MODULE], csv),
        (&["dram", "trace", "/dev/stdin", "--target", MODULE], csv),
        (
            &[
                "dram",
                "trace",
                "-",
                "--target",
                MODULE,
                "--target",
                "mrdimm-8800-2rx4-128g@xeon6-1s",
            ],
            csv,
        ),
        (&["buffer", "--log", "-"], ""),
        (&["buffer", "--log", "-"], fio),
        (&["buffer", "--trace", "-", "--target", TARGET], ""),
    ] {
        let arguments = [arguments, &["--format", "json"]].concat();
        let stdout = interrupted_while_it_waits(&arguments, first.as_bytes());
        let document: Value = serde_json::from_str(&stdout).expect("valid JSON");
        assert_eq!(document["complete"], false, "{arguments:?}");
    }
}

/// A named pipe without a reader.
#[cfg(target_os = "linux")]
#[test]
fn the_first_interrupt_ends_a_wait_for_a_reader() {
    let folder = Folder::new().with("my.csv", "time_ns,address,operation\n0,0x0,R\n");
    let trace = folder.file("my.csv");
    for (flag, name) in [("--commands", "pipe.txt"), ("--export", "pipe.json")] {
        let pipe = folder.file(name);
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let arguments = ["dram", "trace", &trace, "--target", MODULE, flag, &pipe];
        interrupted_while_it_waits(&arguments, b"");
    }
}

/// Perfetto must be able to open what was written.
#[test]
fn the_commands_of_an_interrupted_replay_are_whole_json() {
    let mut trace = String::from("time_ns,address,operation\n");
    for line in 0..5000 {
        trace += &format!("{},{:#x},R\n", line * 100, line * 64);
    }
    let folder = Folder::new().with("out.json", "old");
    let commands = folder.file("out.json");
    let arguments = [
        "dram",
        "trace",
        "-",
        "--target",
        MODULE,
        "--commands",
        &commands,
    ];
    interrupted_while_it_waits(&arguments, trace.as_bytes());
    let slices: Value = serde_json::from_str(&folder.read("out.json")).expect("valid JSON");
    let events = slices["traceEvents"].as_array().expect("a list");
    assert!(events.len() > 100, "{} events", events.len());
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 1, "a neighbour was left behind");
}
