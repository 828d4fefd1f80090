//! `wordline sweep`, its shards, and stores.

use serde_json::Value;

use crate::cli::support::{Folder, Ran, command, wordline};

const SWEEP: &str = "
[experiment]
targets = [\"em064lx\"]
workload = { kind = \"raw\", operations = [\"write\"], total_bytes = \"64 KiB\", wrap_bytes = \"64 KiB\" }

[[axis]]
field = \"workload.access_bytes\"
range = { from = \"512 B\", to = \"8 KiB\", factor = 2 }

[[axis]]
field = \"seed\"
count = 2
";

fn within(folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::of(command(arguments).current_dir(folder.path()))
}

fn entries(folder: &std::path::Path) -> usize {
    let inner = |path: std::path::PathBuf| match path.is_dir() {
        true => entries(&path),
        false => 1,
    };
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
    all.map(|entry| inner(entry.path())).sum()
}

#[test]
fn shards_that_are_merged_are_the_whole_byte_for_byte_and_a_second_run_simulates_nothing() {
    let folder = Folder::new().with("s.toml", SWEEP);
    let whole = within(
        &folder,
        &["sweep", "s.toml", "--quiet", "--export", "whole.json"],
    );
    assert_eq!(whole.code, Some(0), "{whole:?}");
    for shard in 1..=4 {
        let (share, file) = (format!("{shard}/4"), format!("{shard}.json"));
        let ran = within(
            &folder,
            &[
                "sweep", "s.toml", "--quiet", "--shard", &share, "--store", "kept", "--export",
                &file,
            ],
        );
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.stdout.contains(&format!("share {share}")),
            "{}",
            ran.stdout
        );
    }
    let merge = [
        "sweep",
        "--merge",
        "3.json,1.json,4.json,2.json",
        "--quiet",
        "--export",
        "all.json",
    ];
    within(&folder, &merge).done();
    assert_eq!(folder.read("all.json"), folder.read("whole.json"));
    // The mark, and an entry a point.
    let kept = folder.path().join("kept");
    assert_eq!(entries(&kept), 1 + 10);
    // What is read from the store is what is there: a document that was changed is noticed, so the times of files tell.
    let times = || {
        let mut times = Vec::new();
        for part in std::fs::read_dir(&kept).expect("a store").flatten() {
            for entry in std::fs::read_dir(part.path())
                .into_iter()
                .flatten()
                .flatten()
            {
                times.push((
                    entry.path(),
                    entry
                        .metadata()
                        .and_then(|of| of.modified())
                        .expect("a time"),
                ));
            }
        }
        times.sort();
        times
    };
    let before = times();
    let again = within(
        &folder,
        &[
            "sweep",
            "s.toml",
            "--quiet",
            "--store",
            "kept",
            "--export",
            "again.json",
        ],
    );
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(
        times(),
        before,
        "nothing was simulated, so nothing was written"
    );
    assert_eq!(folder.read("again.json"), folder.read("whole.json"));
    let part = within(&folder, &["sweep", "--merge", "1.json,2.json", "--quiet"]);
    assert_eq!(part.code, Some(1), "{part:?}");
    assert!(
        part.stdout.starts_with("Not every point is finished."),
        "{}",
        part.stdout
    );
}

#[test]
fn a_point_by_itself_has_the_bytes_of_the_command() {
    let folder = Folder::new().with("s.toml", SWEEP);
    let ran = within(&folder, &["sweep", "s.toml", "--quiet", "--format", "json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let value: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let point = &value["points"][5];
    assert_eq!(
        (&point["at"]["workload.access_bytes"], &point["at"]["seed"]),
        (&2048.into(), &1.into())
    );
    let flags = [
        "--operation",
        "write",
        "--size",
        "2KiB",
        "--total",
        "64KiB",
        "--wrap",
        "64KiB",
        "--seed",
        "1",
    ];
    let own = ["raw", "--target", "em064lx", "--format", "json", "--quiet"];
    let alone = wordline(&[&own[..], &flags].concat());
    let alone: Value = serde_json::from_str(&alone.stdout).expect("JSON");
    assert_eq!(point["result"], alone);
}

#[test]
fn a_point_that_cannot_be_run_is_one_with_its_reason_and_the_others_go_on() {
    let text = SWEEP.replace(
        "\"seed\"\ncount = 2",
        "\"targets\"\nvalues = [\"em064lx\", \"em064lz\"]",
    );
    let folder = Folder::new().with("s.toml", text);
    let ran = within(
        &folder,
        &["sweep", "s.toml", "--quiet", "--export", "s.csv"],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.starts_with("5 of 10 points are done, 5 failed"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("em064lx"), "{}", ran.stdout);
    let csv = folder.read("s.csv");
    let failed: Vec<&str> = csv
        .lines()
        .filter(|line| line.contains(",failed,"))
        .collect();
    assert_eq!(failed.len(), 5, "{csv}");
    assert!(
        failed.iter().all(|line| line.contains("em064lz")),
        "{failed:?}"
    );
}

#[test]
fn faults_of_a_sweep_are_named() {
    let cases: [(&str, &str, &[&str], &str); 9] = [
        (
            "workload.access_bytes",
            "workload.acces_bytes",
            &[],
            "access_bytes",
        ),
        (
            "workload.access_bytes",
            "access_bytes",
            &[],
            "did you mean `workload.access_bytes`?",
        ),
        ("count = 2", "count = 1000000000", &[], "up to 100000"),
        (
            "[[axis]]\nfield = \"seed\"",
            "[[axis]]\nfield = \"workload.access_bytes\"",
            &[],
            "two axes vary",
        ),
        ("count = 2", "colour = 2", &[], "colour"),
        ("count = 2", "values = []", &[], "no values"),
        ("", "", &["--shard", "5/4"], "K from 1 to N"),
        ("", "", &["--store", "s.toml"], "the store s.toml"),
        ("factor = 2", "factor = [", &[], "s.toml"),
    ];
    for (from, to, flags, words) in cases {
        let folder = Folder::new().with(
            "s.toml",
            SWEEP.replacen(from, to, usize::from(!from.is_empty())),
        );
        let ran = within(&folder, &[&["sweep", "s.toml", "--quiet"], flags].concat());
        ran.refused(&[words]);
    }
}

#[test]
fn run_takes_from_a_store_what_it_put_there() {
    let folder = Folder::new();
    let own = [
        "raw",
        "--target",
        "em064lx",
        "--size",
        "2KiB",
        "--total",
        "64KiB",
        "--print-experiment",
    ];
    let experiment = wordline(&own).stdout;
    let folder = folder.with("raw.json", experiment);
    let run = || {
        within(
            &folder,
            &[
                "run", "raw.json", "--store", "kept", "--format", "json", "--quiet",
            ],
        )
    };
    let first = run();
    assert_eq!(first.code, Some(0), "{first:?}");
    assert_eq!(entries(&folder.path().join("kept")), 2);
    assert_eq!(run().stdout, first.stdout);
    let plain = within(&folder, &["run", "raw.json", "--format", "json", "--quiet"]);
    assert_eq!(plain.stdout, first.stdout);
}
