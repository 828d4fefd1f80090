//! `wordline app kernel` and `wordline app capacity`.

use serde_json::Value;
use wordline_apps::Profile;

use crate::cli::support::{Folder, wordline};

/// A kernel on a system whose surface comes along, so that a debug build takes a moment.
const SMALL: [&str; 7] = ["app", "kernel", "svm", "--size", "8MiB", "--cores", "4"];

#[test]
fn a_kernel_writes_a_profile_and_says_what_it_asks() {
    let folder = Folder::new();
    let file = folder.file("svm.json");
    let ran = wordline(&[&SMALL[..], &["--output", &file]].concat()).done();
    let first = ran.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("4 cores with svm (8,"), "{first}");
    assert!(first.contains("lines under way (simulated)."), "{first}");
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    let text = std::fs::read_to_string(&file).expect("it was written");
    let profile = Profile::from_json(&text).expect("it is one");
    assert_eq!((profile.cores, profile.phases.len()), (4, 1));
    // The same command makes the same profile.
    let again = [&SMALL[..], &["--output", &file]].concat();
    wordline(&again).refused(&["this file exists", "--force"]);
    wordline(&[&again[..], &["--force"]].concat()).done();
    assert_eq!(std::fs::read_to_string(&file).expect("written again"), text);
    let csv = folder.file("svm.csv");
    wordline(&[&SMALL[..], &["--export", &csv]].concat()).done();
    let rows = std::fs::read_to_string(&csv).expect("it was exported");
    assert!(rows.starts_with("phase,instructions,"), "{rows}");
    let json = wordline(&[&SMALL[..], &["--format", "json"]].concat())
        .done()
        .stdout;
    let rows: Value = serde_json::from_str(&json).expect("JSON");
    assert!(
        rows[0]["reads/1000"]
            .as_str()
            .and_then(|lines| lines.parse::<f64>().ok())
            .is_some_and(|lines| lines > 1.0),
        "{rows}"
    );
}

#[test]
fn kernels_are_listed_and_unknown_ones_answered() {
    let ran = wordline(&["app", "kernel", "--list"]).done();
    assert!(ran.stdout.contains("csr-cg") && ran.stdout.contains("triangle counting"));
    let ran = wordline(&["app", "kernel", "gups"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("there are csr-cg, stencil-cg"),
        "{}",
        ran.stderr
    );
    let ran = wordline(&["app", "kernel", "pr", "--size", "1KiB"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("allowed: 65536 to"), "{}", ran.stderr);
}

/// Two rounds over a thousand pages, which stand for 4 TB; every fourth is written.
fn two_rounds() -> String {
    let line = |page: u64| {
        let name = if page.is_multiple_of(4) { "ST" } else { "LD" };
        format!("{name} {:#x}\n", page * 4096)
    };
    (0..2000).map(|at| line(at % 1000)).collect()
}

#[test]
fn a_trace_says_what_less_memory_spills_and_becomes_a_phase() {
    let profile = r#"{"schema": 1, "name": "svm", "baseline": "rdimm-6400-2rx4-128g@xeon6-1s", "cores": 128, "phases": [{
        "name": "all", "seconds": {"value": 60, "basis": "measured"},
        "lines_read": {"value": 328e9, "basis": "measured"},
        "lines_written": {"value": 82e9, "basis": "measured"},
        "stall_share": {"value": 0.55, "basis": "assumed"}}]}"#;
    let folder = Folder::new()
        .with("a.trace", two_rounds())
        .with("in.json", profile);
    let (trace, from, to) = (
        folder.file("a.trace"),
        folder.file("in.json"),
        folder.file("out.json"),
    );
    let base = [
        "app",
        "capacity",
        &trace,
        "--rate",
        "100%",
        "--footprint",
        "4TB",
        "--storage",
        "5GB/s",
    ];
    let ran =
        wordline(&[&base[..], &["--capacity", "2TB,6TB", "--format", "json"]].concat()).done();
    let rows: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let number = |row: usize| rows[row]["spilt B"].as_str().map(str::parse);
    let spilt = |row: usize| -> f64 { number(row).expect("text").expect("a number") };
    assert!((spilt(0) / 5.5e12 - 1.0).abs() < 0.01, "{rows}");
    assert_eq!(spilt(1), 0.0, "{rows}");
    let adding = ["--capacity", "2TB", "--add-to", &from, "--output", &to];
    let ran = wordline(&[&base[..], &adding].concat()).done();
    assert!(
        ran.stdout
            .starts_with("The trace has 2000 accesses to 4.10 MB of pages, which stand for a program of 4.00 TB. With 2.00 TB of memory 5.50 TB move to and from storage"),
        "{}",
        ran.stdout
    );
    // People read units, programs plain numbers.
    assert!(!ran.stdout.contains("00000"), "{}", ran.stdout);
    let text = std::fs::read_to_string(&to).expect("it was written");
    let whole = Profile::from_json(&text).expect("it is one");
    let phase = &whole.phases[1];
    assert_eq!(phase.name, "spill");
    assert!(
        (phase.seconds.value / 1100.0 - 1.0).abs() < 0.01,
        "{phase:?}"
    );
    let exported = [
        folder.file("s.csv"),
        folder.file("s.md"),
        folder.file("s.html"),
    ];
    let [csv, markdown, html] = &exported;
    let files = ["--export", csv, "--export", markdown, "--export", html];
    wordline(&[&base[..], &["--capacity", "2TB,6TB"], &files].concat()).done();
    let read = |file: &str| std::fs::read_to_string(file).expect("it was exported");
    assert!(read(csv).starts_with("capacity B,"), "{}", read(csv));
    assert_eq!(read(csv).lines().count(), 3, "{}", read(csv));
    assert!(read(markdown).contains("| 2.00 TB |"), "{}", read(markdown));
    assert!(read(html).contains("<html"), "{html}");
    let over = ["--capacity", "2TB", "--export", &folder.file("a.trace")];
    wordline(&[&base[..], &over].concat()).refused(&["the extension says no format"]);
    // Neither the trace nor the profile that is read is written over.
    for input in [&trace, &from] {
        let into = [
            "--capacity",
            "2TB",
            "--add-to",
            &from,
            "--output",
            input,
            "--force",
        ];
        wordline(&[&base[..], &into].concat()).refused(&["what the command reads"]);
    }
    let several = ["--capacity", "2TB,6TB", "--add-to", &from, "--output", &to];
    let ran = wordline(&[&base[..], &several].concat());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("one capacity"), "{}", ran.stderr);
}

#[test]
fn faults_of_a_trace_are_named() {
    let folder = Folder::new().with("a.trace", "LD 0x40\nLD zebra\n");
    let trace = folder.file("a.trace");
    let ran = wordline(&[
        "app",
        "capacity",
        &trace,
        "--capacity",
        "1MiB",
        "--storage",
        "1GB/s",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("a.trace, line 2"), "{}", ran.stderr);
}
