//! `wordline explore`.

use serde_json::Value;

use crate::cli::support::{Folder, Ran, command};

const SPACE: &str = "
[experiment]
targets = []
workload = { kind = \"compare\", work = { kind = \"log\", rate = \"50 KB/s\", record = \"4 KiB\", keep = \"1 min\" } }

[[axis]]
field = \"targets\"
values = [\"em064lx\", \"mt25ql128\", \"w25n01gv\"]

[[axis]]
field = \"workload.work.rate\"
values = [\"20 KB/s\", \"200 MB/s\"]

[[objective]]
metric = \"ram_provision\"

[[objective]]
metric = \"energy_per_day\"
";

fn within(folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).current_dir(folder.path()))
}

#[test]
fn the_front_is_answered_and_saved_in_every_format() {
    let folder = Folder::new().with("s.toml", SPACE);
    let files = ["a.json", "a.csv", "a.md", "a.html", "a.txt"];
    let exports: Vec<&str> = files.iter().flat_map(|file| ["--export", *file]).collect();
    let ran = within(
        &folder,
        &[&["explore", "s.toml", "--quiet"], &exports[..]].concat(),
    )
    .done();
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    assert!(ran.stdout.contains(" of 6 "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("3 a proven bound: capacity"),
        "{}",
        ran.stdout
    );
    let json: Value = serde_json::from_str(&folder.read("a.json")).expect("JSON");
    let front = json["front"].as_array().expect("a list").len();
    assert!(front > 0);
    assert_eq!(folder.read("a.csv").lines().count(), 1 + front);
    for file in files {
        assert!(!folder.read(file).contains(&folder.argument()), "{file}");
    }
    let again = within(
        &folder,
        &[
            "explore",
            "s.toml",
            "--quiet",
            "--format",
            "json",
            "--threads",
            "1",
        ],
    );
    assert_eq!(
        again.stdout,
        folder.read("a.json"),
        "no result depends on threads"
    );
}

#[test]
fn a_store_changes_nothing_and_keeps_what_was_run_in_full() {
    let folder = Folder::new().with("s.toml", SPACE);
    let run = |store: &[&str]| {
        let own = ["explore", "s.toml", "--quiet", "--format", "json"];
        within(&folder, &[&own[..], store].concat()).done().stdout
    };
    let plain = run(&[]);
    assert_eq!(run(&["--store", "kept"]), plain);
    assert_eq!(run(&["--store", "kept"]), plain);
    assert!(folder.has("kept/wordline-store.json"));
}

#[test]
fn faults_of_a_study_are_named() {
    let cases = [
        ("\"ram_provision\"", "\"ram_provisoin\"", "ram_provisoin"),
        ("\"ram_provision\"", "\"energy_per_day\"", "stands twice"),
        (
            "[[objective]]\nmetric = \"ram_provision\"\n\n[[objective]]\nmetric = \"energy_per_day\"\n",
            "",
            "0 objectives",
        ),
        ("workload.work.rate", "workload.work.rtae", "rate"),
        (
            "[[axis]]\nfield = \"targets\"",
            "[[axes]]\nfield = \"targets\"",
            "axes",
        ),
        (
            "[experiment]",
            "coarse = { \"workload.work.keeep\" = 1 }\n[experiment]",
            "keep",
        ),
    ];
    for (from, to, words) in cases {
        assert!(SPACE.contains(from), "{from}");
        let folder = Folder::new().with("s.toml", SPACE.replacen(from, to, 1));
        within(&folder, &["explore", "s.toml", "--quiet"]).refused(&[words]);
    }
    let none = SPACE.replace("\"20 KB/s\", \"200 MB/s\"", "\"200 MB/s\", \"300 MB/s\"");
    let ran = within(
        &Folder::new().with("s.toml", none),
        &["explore", "s.toml", "--quiet"],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.starts_with("No candidate of 6 passes."),
        "{}",
        ran.stdout
    );
}
