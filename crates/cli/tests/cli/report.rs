//! `wordline report`: saved results come back as they were, and faulty ones are refused.

use crate::cli::support::{
    FORMATS, Folder, OCTAL_BOARD, PART, Ran, SMALL, command, everything, line_of, wordline,
};

fn document() -> String {
    wordline(&[&SMALL[..], &["--format", "json", "--quiet"]].concat())
        .done()
        .stdout
}

/// The same without its answer, which is made anew wherever a document is read.
fn unanswered() -> String {
    let json = document();
    let (before, rest) = json.split_once("  \"answer\": {\n").expect("an answer");
    let (_, after) = rest.split_once("\n  },\n").expect("its end");
    format!("{before}{after}")
}

#[test]
fn a_saved_document_renders_as_the_run_did() {
    let octal = format!("{PART}@{OCTAL_BOARD}");
    let runs = [
        SMALL.to_vec(),
        [
            &SMALL[..],
            &["--timing", "sampled", "--seed", "9", "--age", "0.3"],
        ]
        .concat(),
        vec![
            "raw",
            "--target",
            &octal,
            "--size",
            "1B,100B,3000B",
            "--total",
            "9000B",
            "--timing",
            "max",
        ],
    ];
    for run in runs {
        let folder = Folder::new();
        let (saved, page) = (folder.file("saved.json"), folder.file("page.html"));
        let save = ["--export", &saved, "--export", &page, "--quiet"];
        wordline(&[&run[..], &save].concat()).done();
        for format in FORMATS {
            let first = wordline(&[&run[..], &["--format", format]].concat()).done();
            let again = wordline(&["report", &saved, "--format", format]).done();
            assert_eq!(again.stdout, first.stdout, "{run:?} {format}");
            assert_eq!(again.stderr, first.stderr, "{run:?} {format}");
        }
        let again = folder.file("again.html");
        wordline(&["report", &saved, "--export", &again, "--quiet"]).done();
        assert!(
            folder.read("again.html") == folder.read("page.html"),
            "the pages differ"
        );
    }
}

#[test]
fn a_document_comes_from_standard_input() {
    let json = document();
    let ran = Ran::of(command(&["report", "-", "--format", "json"]).write_stdin(json.clone()));
    assert_eq!(ran.done().stdout, json);
    let ran = Ran::of(command(&["report", "-"]).write_stdin(""));
    ran.refused(&["-:", "not a result document", "EOF"]);
}

/// A document with one change is refused with these words.
#[track_caller]
fn refused(from: &str, to: &str, words: &[&str]) {
    let json = unanswered();
    assert!(json.contains(from), "{from}");
    let folder = Folder::new().with("result.json", json.replacen(from, to, 1));
    let file = folder.file("result.json");
    wordline(&["report", &file]).refused(&[&["result.json"], words].concat());
}

#[test]
fn documents_that_break_a_rule_are_refused_with_place_and_allowed_values() {
    let json = unanswered();
    let line = |needle: &str| format!("result.json:{}:", line_of(&json, needle));
    refused(
        "\"schema_version\": 2",
        "\"schema_version\": 3",
        &["schema_version is 3; this version reads 1 to 2"],
    );
    refused(
        "\"seed\": 0",
        "\"sed\": 0",
        &["unknown field `sed`", "`seed`", &line("\"seed\": 0")],
    );
    refused(
        "\"timing\": \"typ\"",
        "\"timing\": \"best\"",
        &["unknown variant `best`", "`typ`", &line("\"timing\"")],
    );
    refused(
        "\"metric\": \"latency_max\"",
        "\"metric\": \"latency_most\"",
        &["latency_most", "`latency_max`"],
    );
    refused(
        "\"unit\": \"B/s\"",
        "\"unit\": \"MB/s\"",
        &["row 0: throughput_mean is in B/s, not in \"MB/s\""],
    );
    refused(
        "\"unit\": \"B/s\"",
        "\"no_value\": \"failed\", \"unit\": \"B/s\"",
        &["row 0: exactly one of value and no_value"],
    );
    refused(
        "\"access_bytes\": 4096",
        "\"access_bytes\": 2048",
        &["another row has the same"],
    );
    refused(
        "\"value\": ",
        "\"value\": 1e999, \"was\": ",
        &["number out of range"],
    );
    refused(
        "{",
        "{ \u{fc}",
        &["result.json:1:", "not a result document"],
    );
}

#[test]
fn verdicts_that_contradict_themselves_are_refused() {
    let compare = [
        "compare",
        "--rate=5KB/s",
        "--keep=1MiB",
        "--target=em064lx",
        "--max-latency=1s",
        "--format=json",
        "--quiet",
    ];
    let json = wordline(&compare).done().stdout;
    let refused = |from: &str, to: &str, words: &[&str]| {
        assert!(json.contains(from), "{from}: {json}");
        let folder = Folder::new().with("result.json", json.replacen(from, to, 1));
        wordline(&["report", &folder.file("result.json")]).refused(words);
    };
    refused(
        "\"pass\": true",
        "\"pass\": false",
        &["verdict 0: it fails with"],
    );
    refused(
        "\"flips_at\": null",
        "\"flips_at\": 3.0",
        &["verdict 0: it is certain, and a figure decides it"],
    );
    refused(
        "\"timing\": \"max\",\n      \"pass\"",
        "\"timing\": \"typ\",\n      \"pass\"",
        &["verdict 1: another verdict is on em064lx@stm32h755-qspi at typ"],
    );
}

#[test]
fn a_document_is_not_written_over_by_its_own_report() {
    let folder = Folder::new().with("result.json", document());
    let file = folder.file("result.json");
    wordline(&["report", &file, "--export", &file]).refused(&["this is what the command reads"]);
}

#[test]
fn truncated_and_binary_documents_are_refused() {
    let json = document();
    for cut in [1, 100, json.len() / 2, json.len() - 3] {
        let folder = Folder::new().with("cut.json", &json[..cut]);
        let line = json[..cut].matches('\n').count() + 1;
        let words = [
            &*format!("cut.json:{line}:"),
            "not a result document",
            "EOF",
        ];
        wordline(&["report", &folder.file("cut.json")]).refused(&words);
    }
    let folder = Folder::new().with("binary.json", b"{\"rows\"\xff\x00");
    let words = ["binary.json is not a text file: byte 7 is not UTF-8"];
    wordline(&["report", &folder.file("binary.json")]).refused(&words);
    let deep = Folder::new().with("deep.json", "[".repeat(100_000));
    wordline(&["report", &deep.file("deep.json")]).refused(&["deep.json:1:"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    for path in [folder.file("missing.json"), folder.argument()] {
        wordline(&["report", &path]).refused(&[&path, "cannot be read"]);
    }
    wordline(&["report"]).refused(&["<RESULT>"]);
}

/// Names in a document are no commands to the terminal that shows them; that holds of every run
/// in these tests, and here of text that tries.
#[test]
fn text_of_a_document_cannot_move_the_terminal() {
    let json = document().replace(
        "\"operation\": \"write\"",
        "\"operation\": \"\\u001b[2J\\u202e\\r\"",
    );
    let json = json.replace("\"advice\": \"", "\"advice\": \"\\u001b]0;x\\u0007");
    let folder = Folder::new().with("hostile.json", json);
    for format in ["table", "markdown"] {
        let ran = wordline(&["report", &folder.file("hostile.json"), "--format", format]);
        assert!(
            ran.code == Some(2) || !ran.stdout.contains(['\u{1b}', '\u{202e}', '\r']),
            "{ran:?}"
        );
    }
}

/// Version 2 renamed five metrics and an axis.
#[test]
fn a_document_of_version_1_renders_with_the_names_of_today() {
    const RENAMED: [(&str, &str); 7] = [
        ("\"schema_version\": 1", "\"schema_version\": 2"),
        ("band_told", "interval_availability"),
        ("band_coverage", "interval_coverage"),
        ("cycles_seen", "cycles_logged"),
        ("latency_to_fresh", "latency_vs_fresh"),
        ("lifetime_one_place", "lifetime_hot_spot"),
        ("\"of\"", "\"population\""),
    ];
    let saved = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/version-1.json");
    let mut expected = std::fs::read_to_string(saved).expect("the data of the tests");
    for (old, new) in RENAMED {
        assert!(expected.contains(old), "{old}");
        expected = expected.replace(old, new);
    }
    let json = everything(&["report", saved, "--format", "json"])
        .done()
        .stdout;
    let value = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    let mut told = value(&json);
    // The answer is computed anew.
    let answer = told.as_object_mut().and_then(|all| all.remove("answer"));
    assert!(answer.is_some(), "{json}");
    assert_eq!(told, value(&expected));
    let folder = Folder::new();
    let again = folder.file("again.json");
    std::fs::write(&again, &json).expect("room");
    for format in FORMATS {
        let old = everything(&["report", saved, "--format", format]).done();
        let new = everything(&["report", &again, "--format", format]).done();
        assert_eq!(old.stdout, new.stdout, "{format}");
    }
}

/// Two documents of raw memories, in files of a folder.
fn two() -> (Folder, String, String) {
    let folder = Folder::new();
    let (one, other) = (folder.file("one.json"), folder.file("other.json"));
    wordline(&[&SMALL[..], &["--export", &one, "--quiet"]].concat()).done();
    wordline(
        &[
            &SMALL[..],
            &["--timing", "max", "--export", &other, "--quiet"],
        ]
        .concat(),
    )
    .done();
    (folder, one, other)
}

#[test]
fn several_documents_become_one_table_and_one_plot() {
    let (folder, one, other) = two();
    let page = folder.file("both.html");
    let ran = wordline(&["report", &one, &other, "--export", &page, "--quiet"]).done();
    for said in ["one.json ", "other.json ", "simulated", "over 4 curves"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    let page = folder.read("both.html");
    assert!(page.contains("wordline report: 2 documents"));
    let all = wordline(&["report", &one, &other, "--all"]).done().stdout;
    let screens = all
        .split("\none.json\n")
        .nth(1)
        .expect("the first screen of one.json");
    assert!(screens.contains("\nother.json\n"), "{all}");
    let csv = wordline(&["report", &one, &other, "--format", "csv"])
        .done()
        .stdout;
    assert!(csv.starts_with("document,target,part,"), "{csv}");
    let json = wordline(&["report", &one, &other, "--format", "json"])
        .done()
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["documents"][0]["document"], "one.json");
    assert_eq!(json["rows"][0]["document"], "one.json");
}

#[test]
fn several_documents_that_cannot_be_shown_together_are_refused() {
    let (folder, one, other) = two();
    wordline(&["report", &one, &one]).refused(&["one.json is named twice", "name each once"]);
    wordline(&["report", "-", "-"]).refused(&["standard input holds one result"]);
    wordline(&["report", &one, &other, "--baseline", &one])
        .refused(&["--baseline is compared with one result"]);
    wordline(&["report", &one, &other, "--export", &one])
        .refused(&["one.json: this is what the command reads"]);
    let old =
        folder
            .read("one.json")
            .replacen("\"schema_version\": 2", "\"schema_version\": 99", 1);
    let folder = folder.with("old.json", old).with("wear.json", "{}");
    wordline(&["report", &one, &folder.file("old.json")]).refused(&[
        "old.json",
        "schema_version is 99; this version reads 1 to 2",
    ]);
    wordline(&["report", &one, &folder.file("wear.json")]).refused(&["wear.json"]);
    wordline(&["report", &one, &folder.file("none.json")]).refused(&["none.json"]);
}

#[test]
fn documents_of_one_name_are_told_apart_by_their_folders() {
    let (folder, one, other) = two();
    let inner = folder.file("inner");
    std::fs::create_dir(&inner).expect("a folder");
    let twin = format!("{inner}/one.json");
    std::fs::rename(&other, &twin).expect("a new name");
    let csv = wordline(&["report", &one, &twin, "--format", "csv"])
        .done()
        .stdout;
    assert!(
        csv.contains(&format!("{twin},")) && csv.contains(&format!("{one},")),
        "{}",
        &csv[..200]
    );
}
