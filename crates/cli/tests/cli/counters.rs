//! `wordline app import` and `app events`: profiles from counters.

use crate::cli::support::{Folder, wordline};
use crate::house::root;

const MEMORY: &str = "rdimm-6400-2rx4-64g@xeon6-1s";

/// A file of the corpus that fuzzing begins with.
fn corpus(name: &str) -> String {
    let path = root().join("fuzz/corpus/counters").join(name);
    path.to_str().expect("text").to_owned()
}

#[test]
fn counters_become_a_profile_and_words_on_one_screen() {
    let folder = Folder::new();
    let profile = folder.file("solver.json");
    let counters = corpus("perf-interval.csv");
    let arguments = [
        "app", "import", &counters, "--on", MEMORY, "--cores", "128", "--name", "solver",
        "--output", &profile,
    ];
    let ran = wordline(&arguments).done();
    for words in [
        "solver on 128 cores, from perf stat -x, events of granite-rapids.",
        "71 % of the bus of rdimm-6400-2rx4-64g@xeon6-1s",
        "waited for memory 55 % (55 % to 63 %)",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines.len() <= 24, "{}", ran.stdout);
    assert!(
        lines.iter().all(|line| line.chars().count() <= 100),
        "{}",
        ran.stdout
    );
    let text = folder.read("solver.json");
    let kept = wordline_apps::Profile::from_json(&text).expect("a profile");
    assert_eq!((kept.cores, kept.baseline.as_str()), (128, MEMORY));
    assert!(!kept.made_by.contains('/'), "{}", kept.made_by);
    let json = wordline(&[
        "app", "import", &counters, "--on", MEMORY, "--cores", "128", "--format", "json",
    ]);
    let json = json.done().json();
    assert_eq!(json["core"], "granite-rapids");
    assert_eq!(
        json["profile"]["phases"][0]["stall_share"]["basis"],
        "measured"
    );
}

#[test]
fn impossible_and_foreign_counters_are_refused_with_file_and_line() {
    let import =
        |name: &str, more: &[&str]| wordline(&[&["app", "import", &corpus(name)], more].concat());
    let on = ["--on", MEMORY];
    import("perf-fast.csv", &on).refused(&["perf-fast.csv", "1137.5 GB/s", "614.4 GB/s"]);
    import("perf-other-core.csv", &["--cpu", "granite-rapids"])
        .refused(&["line 15", "umc_cas_cmd.rd"]);
    import("perf-whole.csv", &["--cpu", "granite-rapid"]).refused(&["--cpu", "granite-rapids"]);
    import("perf-whole.csv", &["--on", "em064lx"]).refused(&["--on", "MODULE@SYSTEM"]);
    import("perf-whole.csv", &["--cores", "0"]).refused(&["--cores"]);
    import("foreign.csv", &[]).refused(&["line 1", "of no tool"]);
    wordline(&["app", "import", "-", "-"]).refused(&["standard input holds one file"]);
    wordline(&["app", "import", &corpus("none.csv")]).refused(&["cannot be read"]);
}

#[test]
fn every_core_has_a_command_that_counts_what_it_needs() {
    let catalog = wordline_catalog::Catalog::load(&[]).expect("sound");
    let mut cores = 0;
    for counters in catalog.counters() {
        cores += 1;
        let id = &counters.header.id;
        let ran = wordline(&["app", "events", "--cpu", id, "--", "./a program"]).done();
        assert!(
            ran.stdout
                .starts_with("LC_ALL=C perf stat -x, -a -I 100 -o counters"),
            "{id}: {}",
            ran.stdout
        );
        assert!(
            ran.stdout.contains("-- './a program'"),
            "{id}: {}",
            ran.stdout
        );
        let json = wordline(&[
            "app",
            "events",
            "--cpu",
            id,
            "--program-only",
            "--format",
            "json",
        ])
        .done()
        .json();
        let runs = json["runs"].as_array().expect("a list");
        for run in runs {
            assert!(
                !run["command"].as_str().expect("text").contains(" -a "),
                "{id}: {run}"
            );
            let events = run["events"].as_array().expect("a list");
            assert!(
                events
                    .iter()
                    .all(|event| !event["source"].as_str().expect("text").is_empty())
            );
        }
    }
    assert_eq!(cores, 9);
    wordline(&["app", "events", "--cpu", "zen9"]).refused(&["--cpu", "zen"]);
    wordline(&["app", "events", "--cpu", "zen4", "--interval", "0s"]).refused(&["1ms..=1h"]);
}
