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

/// Shares make the rough runs, in any order; a run for the front takes them from the store afterwards.
#[test]
fn shares_fill_a_store_from_which_the_front_is_that_of_one_run() {
    let rough = "
[experiment]
targets = []
workload = { kind = \"raw\", operations = [\"write\"], total_bytes = \"64 KiB\", wrap_bytes = \"64 KiB\" }
[coarse]
\"workload.total_bytes\" = \"8 KiB\"
[[axis]]
field = \"targets\"
values = [\"em064lx\", \"mt25ql128\"]
[[axis]]
field = \"workload.access_bytes\"
values = [256, 512, 1024]
[[objective]]
metric = \"throughput_mean\"
";
    for space in [SPACE, rough] {
        let folder = Folder::new().with("s.toml", space);
        let run = |more: &[&str]| {
            let own = ["explore", "s.toml", "--quiet", "--format", "json"];
            within(&folder, &[&own[..], more].concat()).done().stdout
        };
        let plain = run(&[]);
        let mut points = 0;
        for shard in ["2/2", "1/2"] {
            let share = run(&["--store", "kept", "--shard", shard]);
            let share: Value = serde_json::from_str(&share).expect("JSON");
            assert_eq!(share["shard"], shard);
            assert_eq!(share["front"].as_array().map(Vec::len), Some(0));
            points += share["points"].as_u64().expect("a count");
        }
        assert_eq!(points, 6);
        assert_eq!(run(&["--store", "kept"]), plain);
    }
    let folder = Folder::new().with("s.toml", SPACE);
    within(&folder, &["explore", "s.toml", "--shard", "1/2"]).refused(&["--store"]);
}

/// Two at once on one store: each answers as one alone does.
#[test]
fn several_explorations_may_share_a_store() {
    let folder = Folder::new().with("s.toml", SPACE);
    let own = ["explore", "s.toml", "--quiet", "--format", "json"];
    let plain = within(&folder, &own).done().stdout;
    let stored = [&own[..], &["--store", "kept"]].concat();
    std::thread::scope(|scope| {
        let both = [0, 1].map(|_| scope.spawn(|| within(&folder, &stored).done().stdout));
        for one in both {
            assert_eq!(one.join().expect("no panic"), plain);
        }
    });
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
