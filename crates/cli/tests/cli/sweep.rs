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
        part.stdout.starts_with("Not every point is finished: "),
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

/// Eight writers share a store and are killed at any moment; `WORDLINE_KILLS` says how often, in all.
#[test]
fn killed_writers_leave_no_torn_and_no_wrong_document() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let kills = std::env::var("WORDLINE_KILLS").ok();
    let kills: usize = kills.and_then(|text| text.parse().ok()).unwrap_or(48);
    let folder = Folder::new().with("s.toml", SWEEP);
    let whole = within(&folder, &["sweep", "s.toml", "--quiet", "--format", "json"]).done();
    let store = folder.path().join("kept");
    let mut state = 1_u64;
    let mut drawn = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    let (mut found, mut torn) = (0, 0);
    for round in 0..kills.div_ceil(8) {
        let writers: Vec<_> = (0..8)
            .map(|_| {
                Command::new(env!("CARGO_BIN_EXE_wordline"))
                    .args([
                        "sweep",
                        "s.toml",
                        "--quiet",
                        "--store",
                        "kept",
                        "--threads",
                        "1",
                    ])
                    .current_dir(folder.path())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("the command starts")
            })
            .collect();
        for mut writer in writers {
            std::thread::sleep(Duration::from_micros(drawn() % 120_000));
            // One that is done already cannot be killed.
            let _ = writer.kill();
            writer.wait().expect("it ended");
        }
        if round % 4 == 3 {
            torn += parts(&store);
            // Everything that is there is whole, and belongs where it lies; what is missing is simulated.
            let again = [
                "sweep", "s.toml", "--quiet", "--format", "json", "--store", "kept",
            ];
            let again = within(&folder, &again).done();
            assert!(again.stdout == whole.stdout, "round {round}");
            found += entries(&store);
            std::fs::remove_dir_all(&store).expect("writable");
        }
    }
    assert!(found > 0, "no round was looked at");
    println!("{found} entries, {torn} begun and never finished");
}

/// Entries that were begun and not finished.
fn parts(folder: &std::path::Path) -> usize {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
    all.map(|entry| match entry.path() {
        path if path.is_dir() => parts(&path),
        path => usize::from(path.extension().is_some_and(|end| end == "part")),
    })
    .sum()
}
