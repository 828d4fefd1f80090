//! `wordline reproduce`: published values beside ours, calibration and prediction apart.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli::support::{FORMATS, Folder, command, everything, wordline};

const KEY: &str = "mram-vs-flash-benchmark";
const BUFFERING: &str = "realtime-buffering";
const DATABASES: &str = "mram-edge-databases";

fn run(arguments: &[&str]) -> crate::cli::support::Ran {
    everything(&[&["reproduce", "--quiet"], arguments].concat())
}

/// All but the one on memory modules, which takes minutes.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn every_document_reproduces_and_says_so() {
    for key in [
        KEY,
        DATABASES,
        "flashbench-open-units",
        "sd-card-writes",
        "nand-characterisation",
    ] {
        says_so(key, &run(&[key]).done().stdout);
    }
}

fn says_so(key: &str, text: &str) {
    for words in [key, "Errata of the document", "Score: predictions: "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("Needs attention"), "{text}");
    assert!(!text.contains("band over undisclosed choices"), "{text}");
}

/// What is asked of memory modules, in words.
#[test]
fn rows_and_curves_of_memory_modules_are_listed() {
    let text = run(&["mrdimm-report", "--list"]).done().stdout;
    for words in [
        "bandwidth 3:1 throughput_mean on mrdimm-8800-2rx4-64g@xeon6-1s over on rdimm-6400-2rx4-64g@xeon6-1s",
        "idle latency_mean",
        "bandwidth from which on its latency is below that of rdimm-6400-2rx4-128g@xeon6-1s,",
        "where that is 1.5 times its idle one,",
        "share of its latencies within 204 ns, where that of rdimm-6400-2rx4-128g@xeon6-1s is 0.53,",
        "calibrated",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn calibrations_and_predictions_stand_in_tables_of_their_own() {
    let text = run(&[KEY]).done().stdout;
    assert!(!text.contains("mram-edge-databases") && !text.contains("All documents"));
    let place = |needle: &str| {
        text.find(needle)
            .unwrap_or_else(|| panic!("{needle}: {text}"))
    };
    let predictions = place("\nPredictions\n");
    let calibrations = place("\nCalibrations\n");
    let copies = place("\nData-sheet figures, copied by both\n");
    assert!(predictions < calibrations && calibrations < copies);
    // The one calibrated value stands in its table and nowhere else.
    let calibrated = place("figure 3, caption: 52 us");
    assert!(calibrations < calibrated && calibrated < copies);
    // The numbers to read first stand before every table, and what could hardly miss behind the predictions.
    let consistency = place("\nConsistency: identities, arithmetic and wide bands\n");
    assert!(calibrations < consistency && consistency < copies);
    assert!(consistency < place("text: symmetrical read/write speeds"));
    place("one bus and one driver constant serve reads and writes by construction");
    assert!(place("\nSharp predictions: ") < predictions);
    assert_eq!(text.matches("figure 3, caption: 52 us").count(), 1);
    let predicted = place("text: measured 6 MB/s maximum write throughput");
    assert!(predictions < predicted && predicted < calibrations);
    // What is the rate of the bus and a calibrated constant is arithmetic.
    let arithmetic = place("figure 3, caption: 1109 us");
    assert!(consistency < arithmetic && arithmetic < copies);
    let words = [
        "± 0.50 %",
        "1.110 ms",
        "+0.10 %",
        "hit",
        "listed miss",
        "155 mA",
    ];
    for word in words {
        place(word);
    }
    let score = text.lines().last().expect("a score");
    assert!(score.starts_with("Score: predictions: "), "{score}");
    assert!(score.contains("calibrations: 1 of 1 hit"), "{score}");
}

/// What the theory says of stated accesses proves arithmetic alone, and is no prediction.
#[test]
fn arithmetic_stands_apart_and_buffers_say_how_they_count() {
    let asked = [
        "equation",
        "Introduction",
        "figure 1:",
        "figure 2:",
        "raw NAND for modest",
        "raw sequential",
        "TSFS",
    ];
    let only = asked.iter().flat_map(|text| ["--only", text]);
    let arguments: Vec<_> = [BUFFERING].into_iter().chain(only).collect();
    let text = run(&arguments).done().stdout;
    says_so(BUFFERING, &text);
    assert!(!text.contains("Swissbit"), "nobody asked for cards");
    run(&[KEY, "--only", "nonsense"]).refused(&["nonsense", "--list"]);
    let place = |needle: &str| {
        text.find(needle)
            .unwrap_or_else(|| panic!("{needle}: {text}"))
    };
    // Every claim there is a limit on one side.
    assert!(!text.contains("\nPredictions\n"), "{text}");
    let claims = place("\nConsistency: identities, arithmetic and wide bands\n");
    let theory = place("\nThe theory of buffers on stated accesses, without a model of a memory\n");
    let equation = place("equation 1, b_k = d_k w - S: 10 ms");
    assert!(claims < theory && theory < equation);
    // Nothing waits for a file system any more.
    assert!(!text.contains("\nNot yet\n"), "{text}");
    for words in [
        "write 4 KiB buffered ram_peak byte by byte at 500.0 KB/s at max timing",
        "write 4 KiB buffered rate_max of whole records with 4 KiB of RAM at max timing",
        "\"an access of 10 ms\": ram_peak_in_flight byte by byte at 500.0 KB/s",
        "over \"distribution 1, maxima apart\" ",
    ] {
        place(words);
    }
    let rtfs = place(
        "figure 7: TSFS takes 500 KB/s with no buffering at all, random writes of 4 KiB; rtfs at typical",
    );
    assert!(claims < rtfs && rtfs < theory);
    let score = text.lines().last().expect("a score");
    assert!(
        score.contains("theory on stated accesses: 12 of 15 hit"),
        "{score}"
    );

    let worked = run(&[KEY, "--format", "json"]).done().json();
    let rows = worked["documents"][0]["rows"].as_array().expect("rows");
    let mut rows = rows.iter();
    let row = rows.find(|row| row["of"]["metric"] == "ram_peak" && row["published"] == 8192.0);
    let row = row.expect("the worked example");
    assert_eq!(
        (&row["value"], &row["verdict"]),
        (&8192.0.into(), &"hit".into())
    );
    let of = &row["of"];
    assert_eq!(
        (&of["experiment"]["workload"]["kind"], &of["arrival"]),
        (&"buffer".into(), &"record".into())
    );
    assert_eq!(of["rate_bytes_per_s"], 4_096_000.0);
}

#[test]
fn json_is_one_object_in_si_units() {
    let document = run(&[KEY, "--format", "json"]).done().json();
    assert_eq!(document["complete"], true);
    assert_eq!(document["pass"], true);
    let documents = document["documents"].as_array().expect("documents");
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["document"], KEY);
    assert_eq!(documents[0]["score"], document["score"]);
    let rows = documents[0]["rows"].as_array().expect("rows");
    let row = |citation: &str| {
        let mut found = rows.iter().filter(|row| row["citation"] == citation);
        found.next().expect(citation)
    };
    let hit = row("figure 3, caption: 86 us");
    assert_eq!(hit["published"], 86e-6);
    assert_eq!(
        (&hit["unit"], &hit["use"]),
        (&"s".into(), &"predicted".into())
    );
    assert_eq!(
        (&hit["tolerance"], &hit["verdict"]),
        (&0.005.into(), &"hit".into())
    );
    let experiment = &hit["of"]["experiment"];
    assert_eq!(experiment["targets"][0], "em064lx@stm32h755-qspi");
    assert_eq!(experiment["workload"]["access_bytes"][0], 4096);
    let ours = hit["value"].as_f64().expect("a number");
    assert!((ours / 86e-6 - 1.0 - hit["difference"].as_f64().expect("a number")).abs() < 1e-12);

    // A score counts statements, each once and by its worst value, and nothing that did not run.
    let statements = |by: &str, of: &str| {
        let mut statements: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for row in rows.iter().filter(|row| row[by] == of) {
            let citation = row["citation"].as_str().expect("a citation");
            let words = citation.split(';').next().expect("a statement");
            statements.entry(words).or_default().push(row);
        }
        statements
    };
    let worst = |of: &[&Value]| {
        let order = ["failed", "new_miss", "listed_miss", "hit", "pending"];
        let mut order = order.into_iter();
        order.find(|verdict| of.iter().any(|row| row["verdict"] == *verdict))
    };
    for (by, of) in [
        ("kind", "predicted"),
        ("kind", "assumed"),
        ("kind", "calibrated"),
        ("kind", "consistency"),
        ("use", "datasheet"),
        ("use", "copied"),
        ("use", "theory"),
    ] {
        let score = &documents[0]["score"][of];
        let statements = statements(by, of);
        for verdict in ["hit", "listed_miss", "new_miss", "pending", "failed"] {
            let counted = statements.values();
            let count = counted.filter(|of| worst(of) == Some(verdict)).count();
            assert_eq!(score[verdict], count, "{of} {verdict}");
        }
        let ran = |of: &&Vec<&Value>| of.iter().any(|row| !row["value"].is_null());
        assert_eq!(
            score["run"],
            statements.values().filter(ran).count(),
            "{of}"
        );
    }
    // The three numbers of the head, from the rows. The six sizes of 280 KB/s are one statement.
    let headline = &documents[0]["headline"];
    assert_eq!(headline, &document["headline"]);
    let predictions = statements("kind", "predicted");
    assert_eq!(predictions.len(), 4);
    let error = |of: &Vec<&Value>| {
        let errors = of
            .iter()
            .map(|row| row["relative_error"].as_f64().expect("a number"));
        errors.fold(0.0, f64::max)
    };
    let mut errors: Vec<f64> = predictions.values().map(error).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let score = &documents[0]["score"];
    assert_eq!(headline["predictions_made"], errors.len());
    assert_eq!(headline["predictions_made"], score["predicted"]["run"]);
    assert_eq!(headline["predictions_hit"], score["predicted"]["hit"]);
    assert_eq!(headline["consistency_made"], score["consistency"]["run"]);
    assert_eq!(headline["consistency_held"], score["consistency"]["hit"]);
    let middle = f64::midpoint(errors[(errors.len() - 1) / 2], errors[errors.len() / 2]);
    assert_eq!(headline["relative_error_median"], middle);
    for row in rows {
        let consistency = row["kind"] == "consistency";
        assert_eq!(row["because"].is_string(), consistency, "{row}");
    }
    for row in rows.iter().filter(|row| row["verdict"] == "pending") {
        assert!(row["value"].is_null() && row["reason"].is_string(), "{row}");
    }
}

#[test]
fn two_runs_are_the_same_in_every_format_and_exports_say_what_stdout_says() {
    // Values of every kind of measure, in seconds.
    let asked = [DATABASES, "--only", "figure 1"];
    let names = ["a.txt", "a.json", "a.csv", "a.md"];
    let [_, json, csv, _] = std::array::from_fn(|format| {
        let (format, name) = (FORMATS[format], names[format]);
        let folder = Folder::new();
        let file = folder.file(name);
        let output = ["--format", format, "--export", &file];
        let ran = run(&[&asked[..], &output].concat()).done();
        assert_eq!(ran.stderr, "");
        assert_eq!(ran.stdout, folder.read(name), "{format}");
        ran
    });
    let again = run(&[&asked[..], &["--format", "json"]].concat());
    assert_eq!(json.stdout, again.stdout);
    let lines = csv.stdout.lines().count() - 1;
    assert_eq!(
        Some(lines),
        json.json()["documents"][0]["rows"].as_array().map(Vec::len)
    );
}

/// What takes minutes shows each document as it ends: text on stdout, and of data, which stay one object, a line on
/// stderr. The totals stand last on stdout and first in a file.
#[test]
fn each_document_is_shown_as_it_ends() {
    let only = ["--only", "figure 1: MRAM", "--only", "(figure 1)"];
    let ran = wordline(&[&["reproduce", "--format", "json"], &only[..]].concat()).done();
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, key) in lines.iter().zip([KEY, DATABASES]) {
        let start = format!("{key}: Sharp predictions: ");
        assert!(line.starts_with(&start), "{line}");
    }
    let document = ran.json();
    assert_eq!(document["headline"]["predictions_made"], 1);
    assert_eq!(document["documents"].as_array().map(Vec::len), Some(2));

    let folder = Folder::new();
    let file = folder.file("evidence.txt");
    let ran = everything(&[&["reproduce", "--export", &file], &only[..]].concat()).done();
    let notes: Vec<_> = ran.stderr.lines().collect();
    assert!(
        matches!(&*notes, [wrote] if wrote.starts_with("wrote ")),
        "{notes:?}"
    );
    let (text, saved) = (ran.stdout, folder.read("evidence.txt"));
    let places = [
        KEY,
        DATABASES,
        "\nSharp predictions: 1 of 1 hit; ",
        "\nAll documents: ",
    ]
    .map(|words| {
        text.rfind(words)
            .unwrap_or_else(|| panic!("{words}: {text}"))
    });
    assert!(text.starts_with(KEY) && places.is_sorted(), "{text}");
    assert!(
        saved.starts_with("Sharp predictions: 1 of 1 hit; "),
        "{saved}"
    );
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(&text), sorted(&saved));
    assert_eq!(run(&only).done().stderr, "");
}

#[test]
fn a_list_runs_nothing_and_states_the_tolerances() {
    let text = run(&["--list"]).done().stdout;
    assert!(
        text.contains(KEY) && text.contains("mram-edge-databases"),
        "{text}"
    );
    let values = run(&[KEY, "--list"]).done().stdout;
    for word in [
        "figure 3, caption: 52 us",
        "± 0.50 %",
        "calibrated",
        "needs",
    ] {
        assert!(values.contains(word), "{word}: {values}");
    }
    assert!(!values.contains("86.13"), "{values}");
}

#[test]
fn bad_input_is_refused_with_what_is_allowed() {
    run(&["mram"]).refused(&["unknown document \"mram\"", KEY, "mram-edge-databases"]);
    run(&["--list", "\u{1b}[2J"]).refused(&["unknown document", "reproduce --list"]);
    run(&[KEY, "--export", "x.pdf"]).refused(&["x.pdf", "allowed: json"]);
    wordline(&["reproduce", "--catalog", "no-such-folder"]).refused(&["no-such-folder"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away_is_a_failure() {
    use std::process::Stdio;
    let mut child = std::process::Command::new(command(&[]).get_program())
        .args(["reproduce", "--quiet", KEY])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let status = child.wait().expect("the command ends");
    assert_eq!(status.code(), Some(2));
}
