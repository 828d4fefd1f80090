//! `part fit`: from a log to a sheet that other commands take, and what is refused.

use crate::support::{FORMATS, Folder, wordline};

const BOARD: &str = "stm32h743-sdmmc";

/// A card of 32 MiB, so that a fit takes a moment.
fn cards() -> Folder {
    let base = crate::support::sheet_text("sandisk-extreme-32g");
    let small = [
        ("part", "part = \"small-card\""),
        (
            "capacity",
            "capacity = { typ = \"32 MiB\", assumed = true, reason = \"a test\" }",
        ),
        (
            "page_bytes",
            "page_bytes = { typ = \"4 KiB\", assumed = true, reason = \"a test\" }",
        ),
        (
            "planes",
            "planes = { value = 1, assumed = true, reason = \"a test\" }",
        ),
        (
            "dies",
            "dies = { value = 2, assumed = true, reason = \"a test\" }",
        ),
        (
            "pages_per_block",
            "pages_per_block = { value = 32, assumed = true, reason = \"a test\" }",
        ),
        (
            "blocks",
            "blocks = { value = 256, assumed = true, reason = \"a test\" }",
        ),
        (
            "spare_blocks",
            "spare_blocks = { value = 32, assumed = true, reason = \"a test\" }",
        ),
    ];
    let line = |line: &str| {
        let key = line.split(" = ").next().unwrap_or_default();
        let changed = small.iter().find(|(name, _)| *name == key);
        changed.map_or(line, |(_, other)| other).to_owned() + "\n"
    };
    let sheet: String = base.lines().map(line).collect();
    Folder::new().with("small-card.toml", sheet)
}

/// Writes of 4 KiB in order, of about 0.4 ms, each 64th of 4 ms.
fn log(accesses: usize) -> String {
    let mut text = "operation,duration_us,offset_bytes,size_bytes\n".to_owned();
    for index in 0..accesses {
        let duration = if index % 64 == 9 { 4000 } else { 400 } + index % 13;
        text += &format!("write,{duration},{},4096\n", index % 4096 * 4096);
    }
    text
}

fn arguments<'a>(log: &'a str, folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = [
        "part",
        "fit",
        log,
        "--template",
        "sd",
        "--catalog",
        folder,
        "--simulations",
        "40",
    ];
    [&base, more].concat()
}

#[test]
fn a_log_becomes_a_sheet_that_other_commands_take() {
    let cards = cards();
    let logs = Folder::new().with("Card_lat.1.csv", log(2400));
    let (log, folder, file) = (
        logs.file("Card_lat.1.csv"),
        cards.argument(),
        cards.file("mine.toml"),
    );
    let base = ["--base", "small-card", "--output", &file];
    let ran = wordline(&arguments(&log, &folder, &base)).done();
    for words in [
        "card-lat.1-fit@stm32h743-sdmmc beside Card_lat.1.csv",
        "card-lat.1-fit@stm32h743-sdmmc, fitted to the first half of Card_lat.1.csv",
        "held-out ratio",
        "card.command_time",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing: {}",
            ran.stdout
        );
    }
    ran.says(&["wrote"]);
    let sheet = cards.read("mine.toml");
    assert!(
        sheet.contains("part = \"card-lat.1-fit\"") && sheet.contains("basis = \"calibrated\""),
        "{sheet}"
    );
    assert!(!sheet.contains(&folder), "{sheet}");
    wordline(&["part", "check", &file]).done();
    let target = format!("card-lat.1-fit@{BOARD}");
    let raw = [
        "raw",
        "--catalog",
        &folder,
        "--target",
        &target,
        "--size",
        "4KiB",
        "--total",
        "64KiB",
    ];
    wordline(&raw).done();
    // What exists is left alone.
    let again = ["--base", "small-card", "--id", "other", "--output", &file];
    wordline(&arguments(&log, &folder, &again)).refused(&["this file exists", "--force"]);
    assert_eq!(cards.read("mine.toml"), sheet);
    let id = ["--base", "small-card", "--output", &file, "--force"];
    wordline(&arguments(&log, &folder, &id)).refused(&["is that of a part already"]);
}

#[test]
fn every_format_tells_a_fit_and_a_saved_one_is_told_again() {
    let cards = cards();
    let logs = Folder::new().with("card.csv", log(2100));
    let (log, folder) = (logs.file("card.csv"), cards.argument());
    let saved = logs.file("fit.json");
    for format in FORMATS {
        let more = [
            "--base",
            "small-card",
            "--format",
            format,
            "--quiet",
            "--export",
            &saved,
        ];
        let ran = wordline(&arguments(&log, &folder, &more)).done();
        assert!(ran.stdout.contains("card-fit"), "{format}: {}", ran.stdout);
    }
    let told = wordline(&["report", &saved]).done();
    assert!(told.stdout.contains("held-out ratio"), "{}", told.stdout);
    let document = wordline(&["report", &saved, "--format", "json"])
        .done()
        .json();
    assert_eq!(document["experiment"]["workload"]["kind"], "fit");
}

#[test]
fn what_cannot_be_fitted_is_refused_with_what_is_missing() {
    let logs = Folder::new()
        .with("short.csv", log(60))
        .with("empty.csv", "");
    let short = logs.file("short.csv");
    let fit = |log: &str, more: &[&str]| {
        let base = ["part", "fit", log, "--template", "sd"];
        wordline(&[&base, more].concat())
    };
    fit(&short, &[]).refused(&["short.csv: it has 60 writes, and at least 2000 are needed"]);
    fit(&logs.file("empty.csv"), &[]).refused(&["empty.csv"]);
    fit(&logs.file("none.csv"), &[]).refused(&["none.csv"]);
    fit(&short, &["--base", "em064lx"]).refused(&["fits parts of the model [card]"]);
    fit(&short, &["--id", "Not an id"]).refused(&["is no id"]);
    fit(&short, &["--output", &logs.file("mine.txt")]).refused(&["files that end in .toml"]);
    fit(&short, &["--simulations", "0"]).refused(&["simulations are none"]);
    wordline(&["part", "fit", &short, "--template", "hdd"])
        .refused(&["template \"hdd\" is unknown; allowed: sd"]);
}
