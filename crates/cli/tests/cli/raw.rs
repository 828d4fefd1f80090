//! `wordline raw`: the published figures, the shape of its rows, and determinism.

use std::collections::BTreeSet;

use serde_json::Value;
use wordline_core::{METRICS, ResultSet};

use crate::cli::support::{
    BOARD, FORMATS, Folder, PART, Ran, SMALL, TARGET, command, everything, rows, wordline,
};

#[test]
fn six_sizes_written_take_what_the_benchmark_published() {
    let ran = wordline(&[
        "raw",
        "--target",
        TARGET,
        "--operation",
        "write",
        "--format",
        "json",
    ]);
    let document = ran.done().json();
    let rows = rows(&document, "latency_max");
    let published = [
        (2048, 52e-6),
        (4096, 86e-6),
        (8192, 154e-6),
        (16_384, 291e-6),
        (32_768, 564e-6),
        (65_536, 1109e-6),
    ];
    assert_eq!(rows.len(), published.len());
    for (row, (bytes, seconds)) in rows.into_iter().zip(published) {
        assert_eq!(row["access_bytes"], bytes);
        let found = row["value"].as_f64().expect("a number");
        assert!(
            (found / seconds - 1.0).abs() < 0.005,
            "{bytes} B: {found} s"
        );
    }
}

#[test]
fn every_row_has_the_columns_of_the_schema_and_no_two_are_about_one_thing() {
    const ALWAYS: [&str; 11] = [
        "target",
        "part",
        "board",
        "workload",
        "operation",
        "timing",
        "age",
        "metric",
        "value",
        "unit",
        "basis",
    ];
    const SOMETIMES: [&str; 5] = [
        "access_bytes",
        "pattern",
        "cause",
        "distribution",
        "no_value",
    ];
    const NOT_IDENTIFYING: [&str; 5] = ["value", "no_value", "unit", "basis", "distribution"];
    let document = wordline(&[&SMALL[..], &["--format", "json"]].concat())
        .done()
        .json();
    assert_eq!(document["schema_version"], 2);
    assert_eq!(document["complete"], true);
    assert_eq!(document["experiment"]["targets"][0], TARGET);
    let all = document["rows"].as_array().expect("rows");
    assert!(!all.is_empty());
    let mut seen = BTreeSet::new();
    for row in all {
        let columns = row.as_object().expect("a row is an object");
        for column in ALWAYS {
            assert!(columns.contains_key(column), "{column} is missing: {row}");
        }
        let known = |column: &String| {
            ALWAYS.contains(&column.as_str()) || SOMETIMES.contains(&column.as_str())
        };
        assert!(columns.keys().all(known), "{row}");
        assert_eq!(row["target"], TARGET);
        assert_eq!(row["part"], PART);
        assert_eq!(row["board"], BOARD);
        assert_eq!(row["workload"], "raw");
        assert_eq!(row["timing"], "typ");
        assert_eq!(row["basis"], "simulated");
        assert!(row["access_bytes"].is_u64());
        assert!(
            row["value"].is_number() != row["no_value"].is_string(),
            "{row}"
        );
        let metric = METRICS.iter().find(|info| row["metric"] == info.name);
        assert_eq!(row["unit"], metric.expect("a registered metric").unit);
        if let Some(name) = row.get("distribution") {
            let name = name.as_str().expect("a name");
            assert!(document["histograms"][name].is_array(), "{row}");
        }
        let mut identity = columns.clone();
        identity.retain(|column, _| !NOT_IDENTIFYING.contains(&column.as_str()));
        assert!(
            seen.insert(Value::Object(identity).to_string()),
            "twice: {row}"
        );
    }
}

#[test]
fn two_runs_are_byte_identical_in_every_format() {
    for timing in ["typ", "max", "sampled"] {
        for format in FORMATS {
            let run = || {
                let how = ["--timing", timing, "--seed", "3", "--format", format];
                wordline(&[&SMALL[..], &how].concat()).done().stdout
            };
            assert_eq!(run(), run(), "{timing} {format}");
        }
    }
}

#[test]
fn another_seed_changes_sampled_rows_alone() {
    let run = |timing, seed| {
        let how = ["--timing", timing, "--seed", seed, "--format", "json"];
        let mut document = wordline(&[&SMALL[..], &how].concat()).done().json();
        let said = document["experiment"]["seed"].take();
        assert_eq!(said.to_string(), seed);
        document
    };
    for timing in ["typ", "max"] {
        assert_eq!(run(timing, "1"), run(timing, "2"), "{timing}");
    }
    assert_ne!(run("sampled", "1")["rows"], run("sampled", "2")["rows"]);
}

/// Another working folder, another place of the user's sheets, another environment.
#[test]
fn a_document_says_nothing_of_the_machine_that_made_it() {
    let documents = ["Pacific/Chatham", "Antarctica/Troll"].map(|zone| {
        let sheets = Folder::new().with_sheet(PART, "mine", &[]);
        let mut call = command(&[
            "raw", "--target", "mine", "--size", "2KiB", "--total", "8KiB",
        ]);
        call.args(["--catalog", &sheets.argument(), "--export", "page.html"]);
        call.args(["--export", "rows.csv", "--export", "all.json", "--quiet"]);
        call.current_dir(sheets.path());
        call.envs([
            ("TZ", zone),
            ("HOSTNAME", zone),
            ("USER", zone),
            ("LANG", zone),
        ]);
        let ran = Ran::of(&mut call).done();
        let mut texts = vec![ran.stdout];
        texts.extend(["page.html", "rows.csv", "all.json"].map(|name| sheets.read(name)));
        for text in &texts {
            assert!(!text.contains(&sheets.argument()) && !text.contains(zone));
        }
        let document: Value = serde_json::from_str(&texts[3]).expect("JSON");
        assert_eq!(document.get("environment"), None);
        texts
    });
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn reads_and_writes_of_all_targets_are_run_in_the_order_given() {
    let targets = format!("{TARGET},em064lx@stm32h7s78-xspi");
    let ran = wordline(&[
        "raw",
        "--target",
        &targets,
        "--operation",
        "write,read",
        "--size",
        "4KiB,512B",
        "--total",
        "16KiB",
        "--format",
        "json",
    ]);
    let document = ran.done().json();
    let order: Vec<_> = rows(&document, "latency_max")
        .iter()
        .map(|row| {
            let octal = row["board"] != BOARD;
            (
                octal,
                row["operation"].to_string(),
                row["access_bytes"].as_u64(),
            )
        })
        .collect();
    let mut expected = Vec::new();
    for octal in [false, true] {
        for operation in ["\"write\"", "\"read\""] {
            for bytes in [4096, 512] {
                expected.push((octal, operation.to_owned(), Some(bytes)));
            }
        }
    }
    assert_eq!(order, expected);
}

#[test]
fn off_a_terminal_stderr_has_no_progress_and_quiet_silences_notes() {
    assert_eq!(wordline(&SMALL).done().stderr, "");
    let noisy = [&SMALL[..], &["--timing", "max", "--format", "json"]].concat();
    let ran = wordline(&noisy).done();
    assert!(ran.stderr.contains("warning: "), "{ran:?}");
    assert_eq!(
        wordline(&[&noisy[..], &["--quiet"]].concat()).done().stderr,
        ""
    );
}

/// A driver that takes 900 s for each access needs more time for 64 MiB than can be simulated.
#[test]
fn a_run_that_fails_exits_with_1_and_says_so_in_its_rows() {
    let slow = [
        (
            "core_clock = { typ = \"240 MHz\"",
            "core_clock = { typ = \"1 kHz\"",
        ),
        ("4260 cycles", "900000 cycles"),
    ];
    let sheets = Folder::new().with_sheet(BOARD, "slow", &slow);
    let ran = wordline(&[
        "raw",
        "--catalog",
        &sheets.argument(),
        "--target",
        "em064lx@slow",
        "--size",
        "2KiB",
        "--total",
        "64MiB",
        "--format",
        "json",
    ]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&[
        "em064lx@slow, sequential write of 2 KiB",
        "213 days",
        "(run-failed)",
    ]);
    let document = ran.json();
    assert_eq!(document["complete"], true);
    for row in rows(&document, "latency_max") {
        assert_eq!(row["value"], Value::Null);
        assert_eq!(row["no_value"], "failed");
    }
}

/// Reads of a NOR flash on an idle chip, and during an erase: waiting and suspending.
const DURING: [&str; 11] = [
    "raw",
    "--target",
    "mt25ql128",
    "--operation",
    "read",
    "--during",
    "erase",
    "--size",
    "64B",
    "--total",
    "64KiB",
];

#[test]
fn reads_during_an_erase_wait_or_suspend_it() {
    let json = everything(&[&DURING[..], &["--format", "json"]].concat()).done();
    let document = json.json();
    let latencies: Vec<_> = rows(&document, "latency_max")
        .into_iter()
        .map(|row| {
            let axis = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
            let value = row["value"].as_f64().expect("a number");
            (axis("during"), axis("on_conflict"), value)
        })
        .collect();
    let erase = || Some("erase".to_owned());
    let [idle, wait, suspend] = latencies.as_slice() else {
        panic!("three runs: {latencies:?}");
    };
    assert_eq!((&idle.0, &idle.1), (&None, &None));
    assert_eq!((&wait.0, wait.1.as_deref()), (&erase(), Some("wait")));
    assert_eq!(
        (&suspend.0, suspend.1.as_deref()),
        (&erase(), Some("suspend"))
    );
    assert!(idle.2 < 20e-6 && (0.14..0.151).contains(&wait.2));
    assert!((40e-6..300e-6).contains(&suspend.2));
    assert_eq!(rows(&document, "throughput_mean").len(), 1);
    let table = everything(&DURING).done().stdout;
    for word in [
        "during",
        "on conflict",
        "latency p50",
        "work takes",
        "delayed by",
    ] {
        assert!(table.contains(word), "{word}: {table}");
    }
}

#[test]
fn the_command_in_a_document_repeats_reads_during_other_work() {
    let how = ["--pause", "1.5ms", "--seed", "5", "--format", "json"];
    let ran = wordline(&[&DURING[..], &how].concat()).done();
    let document = ResultSet::from_json(&ran.stdout).expect("our own document");
    let command = document.command_line();
    assert!(
        command.contains(" --during erase --pause 1.5ms "),
        "{command}"
    );
    let words: Vec<_> = command.split(' ').skip(1).collect();
    let again = wordline(&[&words[..], &["--format", "json"]].concat()).done();
    assert_eq!(again.stdout, ran.stdout);
    let other = [&DURING[..], &["--seed", "6", "--format", "json"]].concat();
    assert_ne!(wordline(&other).done().json()["rows"], ran.json()["rows"]);
}

#[test]
fn a_memory_without_other_work_says_so() {
    let ran = wordline(
        &[
            &SMALL[..],
            &["--during", "erase,program", "--format", "json"],
        ]
        .concat(),
    );
    let ran = ran.done();
    ran.says(&[
        "(no-background)",
        "this memory has no erase that a read could come during",
    ]);
    let document = ran.json();
    let during = rows(&document, "latency_max").into_iter();
    let during: Vec<_> = during.filter(|row| row.get("during").is_some()).collect();
    assert_eq!(during.len(), 2 * 2 * 2);
    assert!(during.iter().all(|row| row["no_value"] == "not_applicable"));
    wordline(&["raw", "--target", PART, "--during", "read"])
        .refused(&["possible values: erase, program"]);
    wordline(&["raw", "--target", PART, "--pause", "1us"]).refused(&["--during"]);
}

/// Figures beyond physics leave values that are no numbers; the rows say so.
#[test]
fn absurd_figures_give_rows_without_a_value() {
    let fast = "18000000000 GHz";
    let part = [
        ("133 MHz", fast),
        ("66 MHz", fast),
        ("50 ns", "0 ps"),
        ("60 ns", "0 ps"),
        ("typ = \"50 mA\", max = \"64 mA\"", "typ = \"1.7e308 A\""),
        ("typ = \"300 uA\", max = \"1.33 mA\"", "typ = \"1.7e308 A\""),
    ];
    let board = [
        ("240 MHz", fast),
        ("133 MHz", fast),
        ("4260 cycles", "0 cycles"),
        ("480 cycles", "0 cycles"),
    ];
    for format in FORMATS {
        let sheets = Folder::new().with_sheet(PART, "absurd", &part).with_sheet(
            BOARD,
            "absurd-board",
            &board,
        );
        let ran = wordline(&[
            "raw",
            "--catalog",
            &sheets.argument(),
            "--target",
            "absurd@absurd-board,absurd",
            "--size",
            "2KiB",
            "--total",
            "8KiB",
            "--format",
            format,
        ]);
        // A sheet may also be refused as absurd.
        assert!(matches!(ran.code, Some(0..=2)), "{ran:?}");
        assert!(
            !ran.stdout.contains("NaN") && !ran.stdout.contains("inf "),
            "{ran:?}"
        );
    }
}
