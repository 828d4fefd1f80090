//! What the commands of `wordline app` and `wordline host` refuse, and that an interrupt ends them.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::cli::support::{Folder, everything, wordline};

/// A profile that can be projected.
const PROFILE: &str = r#"{"schema": 1, "name": "svm", "baseline": "rdimm-6400-2rx4-128g@xeon6-1s", "cores": 128, "phases": [{
    "name": "all", "seconds": {"value": 60, "basis": "measured"},
    "lines_read": {"value": 328e9, "basis": "measured"},
    "lines_written": {"value": 82e9, "basis": "measured"},
    "stall_share": {"value": 0.55, "basis": "assumed"}}]}"#;

/// Runs a kernel that takes minutes, and ends it after a time. `None` where it was killed before it listened.
fn interrupted(kernel: &str, output: &str, after: Duration) -> Option<(i32, String)> {
    let mut running = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args([
            "app", "kernel", kernel, "--size", "256MiB", "--output", output,
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    thread::sleep(after);
    let id = running.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("a signal is sent").success());
    let ended = running.wait().expect("it ends");
    let mut said = String::new();
    let mut stderr = running.stderr.take().expect("it is piped");
    stderr.read_to_string(&mut said).expect("it is text");
    ended.code().map(|code| (code, said))
}

/// A signal while inputs are made, or while accesses are followed, ends the command with 130 and leaves no profile.
#[test]
fn an_interrupt_ends_a_kernel() {
    let folder = Folder::new();
    let file = folder.file("kernel.json");
    for kernel in ["csr-cg", "pr", "int8-decode"] {
        let mut after = Duration::from_millis(500);
        let (code, said) = loop {
            match interrupted(kernel, &file, after) {
                Some(ended) => break ended,
                None => after *= 2,
            }
        };
        assert_eq!(code, 130, "{kernel}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(!std::path::Path::new(&file).exists(), "{kernel}");
    }
}

#[test]
fn inputs_are_not_written_over_and_files_that_are_there_are_left_alone() {
    let counters = "4000000000,,instructions,1000000000,100.00,,\n";
    let folder = Folder::new()
        .with("counters.csv", counters)
        .with("there.json", "{}");
    let (input, there) = (folder.file("counters.csv"), folder.file("there.json"));
    wordline(&["app", "import", &input, "--output", &input, "--force"])
        .refused(&["--output", "this is what the command reads"]);
    for command in [
        vec!["app", "import", &input],
        vec!["app", "kernel", "svm"],
        vec!["app", "record"],
        vec!["app", "probe", "--on", "udimm-5600-2rx8-32g@desktop-2ch"],
    ] {
        let mut all = command.clone();
        all.extend(["--output", &there]);
        if ["record", "probe"].contains(&command[1]) {
            all.extend(["--", "true"]);
        }
        wordline(&all).refused(&["this file exists", "--force"]);
    }
    let new = folder.file("new.json");
    wordline(&[
        "app", "record", "--output", &new, "--counts", &new, "--", "true",
    ])
    .refused(&["--counts", "--output writes the same file"]);
    assert_eq!(std::fs::read_to_string(&there).expect("it is there"), "{}");
}

#[test]
fn a_pipe_is_no_profile_to_add_to() {
    let folder = Folder::new().with("a.trace", "LD 0x40\nLD 0x80\n");
    let (pipe, trace, out) = (
        folder.file("pipe"),
        folder.file("a.trace"),
        folder.file("out.json"),
    );
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("a pipe is made").success());
    wordline(&[
        "app",
        "capacity",
        &trace,
        "--capacity",
        "1MiB",
        "--storage",
        "1GB/s",
        "--add-to",
        &pipe,
        "--output",
        &out,
    ])
    .refused(&["--add-to", "no ordinary file"]);
}

#[test]
fn values_that_cannot_be_are_answered_with_the_range() {
    let huge = "18446744073709551615";
    wordline(&["app", "kernel", "svm", "--sample", huge]).refused(&["--sample", "1 to 100000"]);
    wordline(&["host", "latency", "--node", huge]).refused(&["--node", "0 to 4294967295"]);
    let record = ["app", "record", "--output", "/nowhere.json"];
    wordline(&[&record[..], &["--latency", "0ns", "--", "true"]].concat())
        .refused(&["--latency", "above 0s"]);
    wordline(&[&record[..], &["--", "/tmp"]].concat()).refused(&["/tmp", "this is a folder"]);
    let probe = ["app", "probe", "--output", "new.json", "--read", "0B/s"];
    wordline(&[&probe[..], &["--", "true"]].concat()).refused(&["--on"]);
    let on = ["--on", "udimm-5600-2rx8-32g@desktop-2ch", "--", "true"];
    wordline(&[&probe[..], &on[..]].concat()).refused(&["--read 0B/s", "above 0B/s"]);
}

#[test]
fn too_many_probing_cores_are_answered_with_how_many_there_may_be() {
    let folder = Folder::new();
    let out = folder.file("out.json");
    let several = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let words: &[&str] = match several {
        true => &["may have 1 to"],
        false => &["needs 2 processors"],
    };
    for asked in ["4294967295", "0"] {
        wordline(&["host", "loaded", "--probes", asked]).refused(words);
    }
    let probe = [
        "app",
        "probe",
        "--on",
        "udimm-5600-2rx8-32g@desktop-2ch",
        "--output",
        &out,
    ];
    wordline(&[&probe[..], &["--load-cpus", "4294967295", "--", "true"]].concat()).refused(words);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn instructions_of_other_processors_are_refused_by_every_test() {
    for test in ["latency", "bandwidth", "loaded"] {
        wordline(&["host", test, "--kernel", "neon"]).refused(&["neon"]);
    }
}

#[test]
fn a_program_that_sleeps_is_not_probed() {
    if thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        return;
    }
    let folder = Folder::new();
    let out = folder.file("sleep.json");
    let on = "udimm-5600-2rx8-32g@desktop-2ch";
    let ran = wordline(&[
        "app", "probe", "--on", on, "--output", &out, "--", "sleep", "1.2",
    ]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    ran.says(&["the program runs for only", "keeps a core busy"]);
    assert!(!std::path::Path::new(&out).exists());
}

#[test]
fn files_of_one_name_are_both_named() {
    let folder = Folder::new().with("one.json", PROFILE);
    let other = Folder::new().with("one.json", "{}");
    let (one, other) = (folder.file("one.json"), other.file("one.json"));
    let to = "mrdimm-8800-2rx4-128g@xeon6-1s";
    wordline(&["app", "project", &one, "--surface", &other, "--to", to]).refused(&[
        &one,
        &other,
        "files of one name",
    ]);
}

/// Figures by hand: what they leave open is a range, and stated ones make it narrower.
#[test]
fn locality_and_imbalance_are_figures_as_well() {
    let figures = [
        "app",
        "project",
        "--cores",
        "128",
        "--read",
        "350GB/s",
        "--stall",
        "55%",
        "--on",
        "rdimm-6400-2rx4-128g@xeon6-1s",
        "--to",
        "mrdimm-8800-2rx4-128g@xeon6-1s",
        "--format",
        "json",
    ];
    let stated = ["--locality", "90%", "--imbalance", "1.1"];
    let document = wordline(&[&figures[..], &stated].concat()).done().json();
    let phase = &document["experiment"]["workload"]["profile"]["phases"][0];
    assert_eq!(
        phase["locality"]["value"], 0.9,
        "{}",
        document["experiment"]
    );
    assert_eq!(
        phase["imbalance"]["value"], 1.1,
        "{}",
        document["experiment"]
    );
    wordline(&[&figures[..], &["--imbalance", "0.5"]].concat()).refused(&["imbalance", "1 to 16"]);
    let folder = Folder::new().with("one.json", PROFILE);
    let one = folder.file("one.json");
    let to = "mrdimm-8800-2rx4-128g@xeon6-1s";
    wordline(&["app", "project", &one, "--locality", "90%", "--to", to]).refused(&["locality"]);
}

/// The first half of what a tool printed says that it is cut.
#[test]
fn outputs_that_are_cut_say_so() {
    for name in ["mlc.txt", "loaded-latency.txt", "multichase.txt"] {
        let whole = crate::house::text(&format!("examples/{name}"));
        let folder = Folder::new().with(name, &whole[..whole.len() / 2]);
        let half = folder.file(name);
        let ran = everything(&["host", "import", &half, "--label", "a"]);
        match ran.code {
            Some(0) => assert!(ran.stdout.contains("may be cut off"), "{name}: {ran:?}"),
            _ => ran.refused(&["cut off"]),
        }
    }
}

#[test]
fn documents_with_impossible_values_are_not_read() {
    let folder = Folder::new();
    let file = folder.file("mlc.json");
    let input = format!("{}/examples/mlc.txt", crate::house::root().display());
    wordline(&["host", "import", &input, "--export", &file]).done();
    let text = std::fs::read_to_string(&file).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for (metric, value) in [("latency_mean", "-1.0"), ("throughput_mean", "1e308")] {
        let mut wrong = document.clone();
        let rows = wrong["rows"].as_array_mut().expect("rows");
        let row = rows.iter_mut().find(|row| row["metric"] == metric);
        row.expect("there is such a row")["value"] = serde_json::from_str(value).expect("a number");
        std::fs::write(&file, wrong.to_string()).expect("it can be written");
        wordline(&["report", &file]).refused(&[metric, "cannot be"]);
    }
}
