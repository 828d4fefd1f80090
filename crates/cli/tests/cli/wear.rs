//! `wordline wear` from end to end.

use serde_json::Value;

use crate::cli::support::{Folder, exported, rows, wordline};

const CHIP: &str = "nand08gw3b2c";

/// The eight chips of table 1.
const CHIPS: &str = "nand128w3a2bn,hy27us08121a,mt29f2g08aad,mt29f4g08aac,nand08gw3b2c,mt29f8g08maawc,i29f16g08canc1,\
                     mt29f32g08qaa";

fn document(arguments: &[&str]) -> Value {
    let all = [&["wear"], arguments, &["--format", "json", "--quiet"]].concat();
    wordline(&all).done().json()
}

fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap_or_default()
}

/// The value of the one row of a metric that a test accepts.
fn only(document: &Value, metric: &str, accept: impl Fn(&Value) -> bool) -> f64 {
    let found = rows(document, metric).into_iter().filter(|row| accept(row));
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), 1, "{metric}: {found:?}");
    found[0]["value"].as_f64().expect("a number")
}

/// Whether a row is of a whole run: no part of it.
fn whole(row: &Value) -> bool {
    let parts = ["block", "statistic", "cause", "after_cycles", "estimate"];
    parts.iter().all(|part| row[part].is_null())
}

#[test]
fn a_hundred_blocks_have_a_row_each_and_age_as_published() {
    let document = document(&["--target", CHIP, "--blocks", "100"]);
    let blocks = rows(&document, "endurance");
    let blocks: Vec<_> = blocks.iter().filter(|row| row["block"].is_u64()).collect();
    assert_eq!(blocks.len(), 100);
    let mut cycles: Vec<f64> = blocks
        .iter()
        .map(|row| row["value"].as_f64().expect("it failed"))
        .collect();
    cycles.sort_by(f64::total_cmp);
    // Often nearly two orders of magnitude above 100 000, and spread.
    assert!((1e6..1e7).contains(&cycles[50]), "{cycles:?}");
    assert!(cycles[89] / cycles[10] > 1.5, "{cycles:?}");
    let statistic = |name| only(&document, "endurance", |row| text(row, "statistic") == name);
    assert_eq!(statistic("least"), cycles[0]);
    assert_eq!(statistic("most"), cycles[99]);
    let of = |operation: &'static str| {
        move |row: &Value| whole(row) && text(row, "operation") == operation
    };
    assert!(only(&document, "latency_over_life", of("erase")) >= 3.0);
    assert!(only(&document, "latency_over_life", of("program")) < 0.8);
    let after = |operation: &'static str, cycles: u64| {
        only(&document, "latency_mean", move |row| {
            text(row, "operation") == operation && row["after_cycles"] == cycles
        })
    };
    // Slowest when fresh, much faster within a few hundred cycles, and on to the end; erases the other way round.
    assert!(after("program", 499) < 0.85 * after("program", 0));
    assert!(after("program", 999_999) < after("program", 499));
    assert!(after("erase", 999_999) > 2.0 * after("erase", 0));
    // The mean of the first 10 000 is near what the sheet calls typical, and reads do not age.
    for (operation, typical) in [("program", 200e-6), ("erase", 1.5e-3)] {
        let mean = only(&document, "latency_mean", of(operation));
        assert!((mean / typical - 1.0).abs() < 0.15, "{operation}: {mean}");
    }
    let reads = ["latency_min", "latency_max"].map(|metric| only(&document, metric, of("read")));
    assert_eq!(reads, [25e-6, 25e-6]);
    let failed: f64 = rows(&document, "blocks_failed")
        .iter()
        .filter_map(|row| row["value"].as_f64())
        .sum();
    assert_eq!(failed, 100.0);
}

#[test]
fn the_eight_chips_die_as_their_nominal_endurance_lets_expect() {
    let document = document(&["--target", CHIPS, "--blocks", "20"]);
    for (part, rated) in [
        ("nand128w3a2bn", 1e5),
        ("hy27us08121a", 1e5),
        ("mt29f2g08aad", 1e5),
        ("mt29f4g08aac", 1e5),
        ("nand08gw3b2c", 1e5),
        ("mt29f8g08maawc", 1e4),
        ("i29f16g08canc1", 1e5),
        ("mt29f32g08qaa", 1e4),
    ] {
        let of = |row: &Value| text(row, "part") == part;
        let median = only(&document, "endurance", |row| {
            of(row) && text(row, "statistic") == "median"
        });
        assert!(
            (10.0..300.0).contains(&(median / rated)),
            "{part}: {median}"
        );
        let specified = only(&document, "endurance", |row| {
            of(row) && text(row, "estimate") == "specification"
        });
        assert_eq!(specified, rated, "{part}");
        let rise = only(&document, "latency_over_life", |row| {
            of(row) && text(row, "operation") == "erase"
        });
        assert!(rise >= 3.0, "{part}: {rise}");
    }
}

#[test]
fn usage_temperature_and_order_do_what_was_published() {
    let document = document(&[
        "--target",
        CHIP,
        "--blocks",
        "20",
        "--usage",
        "first-page,whole-block,erase-only",
        "--temperature",
        "5,25,80",
    ]);
    let median = |usage: &str, celsius: f64| {
        only(&document, "endurance", |row| {
            text(row, "usage") == usage
                && row["temperature_celsius"] == celsius
                && text(row, "statistic") == "median"
        })
    };
    let one = median("first-page", 25.0);
    assert!((1.0..=2.0).contains(&(one / median("whole-block", 25.0))));
    assert!((0.9..1.3).contains(&(median("erase-only", 25.0) / one)));
    assert!((1.9..2.1).contains(&(one / median("first-page", 5.0))));
    assert_eq!(median("first-page", 80.0), one);
    let lives = |order: &str| {
        let arguments = ["--target", CHIP, "--blocks", "6", "--order", order];
        let document = self::document(&arguments);
        let rows = rows(&document, "endurance");
        let blocks = rows.iter().filter(|row| row["block"].is_u64());
        blocks.map(|row| row["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(lives("sequential"), lives("random"));
}

#[test]
fn chips_differ_and_the_first_is_that_of_the_seed() {
    let one = document(&["--target", CHIP, "--blocks", "3"]);
    let three = document(&["--target", CHIP, "--blocks", "3", "--samples", "3"]);
    let of = |document: &Value, sample: u64| {
        let rows = rows(document, "endurance");
        let rows = rows
            .iter()
            .filter(|row| row["sample"] == sample && row["block"].is_u64());
        rows.map(|row| row["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(&one, 0), of(&three, 0));
    assert_eq!(of(&three, 1).len(), 3);
    assert_ne!(of(&three, 0), of(&three, 1));
    assert_ne!(of(&three, 1), of(&three, 2));
}

#[test]
fn what_does_not_fail_is_given_up_and_a_run_repeats() {
    let arguments = ["--target", CHIP, "--blocks", "4", "--max-cycles", "20000"];
    let document = self::document(&arguments);
    let blocks = rows(&document, "endurance");
    let alive = blocks
        .iter()
        .filter(|row| row["no_value"] == "beyond_range");
    // Four blocks and five statistics.
    assert_eq!(alive.count(), 9);
    assert_eq!(self::document(&arguments), document);
    let command = document["experiment"]["workload"]["most_cycles"].as_u64();
    assert_eq!(command, Some(20_000));
}

#[test]
fn figures_say_that_they_are_calibrated_or_assumed() {
    let document = document(&["--target", CHIP, "--blocks", "1"]);
    let figures = document["figures"].as_array().expect("figures");
    let ageing: Vec<_> = figures
        .iter()
        .filter(|figure| text(figure, "figure").starts_with("nand.aging."))
        .collect();
    assert_eq!(ageing.len(), 22);
    for figure in ageing {
        let basis = text(figure, "basis");
        assert!(["calibrated", "assumed"].contains(&basis), "{figure}");
    }
    let advice = document["warnings"].as_array().expect("warnings");
    let told = advice
        .iter()
        .any(|one| text(one, "advice").contains("no lifetime"));
    assert!(told, "{advice:?}");
}

#[test]
fn sectors_of_nor_flash_slow_down_and_programs_keep_their_time() {
    let document = document(&["--target", "mt25ql128", "--blocks", "4"]);
    let of = |operation: &'static str| {
        move |row: &Value| whole(row) && text(row, "operation") == operation
    };
    assert!(only(&document, "latency_over_life", of("erase")) >= 3.0);
    let program = only(&document, "latency_over_life", of("program"));
    assert!((program - 1.0).abs() < 1e-9, "{program}");
    let erase = only(&document, "latency_mean", of("erase"));
    assert!((erase / 0.15 - 1.0).abs() < 0.2, "{erase}");
    let specified = only(&document, "latency_max", |row| {
        text(row, "operation") == "erase" && text(row, "estimate") == "specification"
    });
    assert_eq!(specified, 1.0);
    let read = only(&document, "latency_mean", of("read"));
    assert!(read > 0.0);
    let failed: f64 = rows(&document, "blocks_failed")
        .iter()
        .filter_map(|row| row["value"].as_f64())
        .sum();
    assert_eq!(failed, 4.0);
}

#[test]
fn tables_and_pages_tell_it_to_people() {
    let folder = Folder::new();
    let small = ["wear", "--target", CHIP, "--blocks", "3"];
    exported(&small, &folder, CHIP);
    assert!(folder.read("a.html").contains("id=\"panel-curves\""));
    let text = folder.read("a.txt");
    for words in [
        "Cycles until a block fails",
        "mean of first 10,000",
        "erase failed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_log_tells_of_every_block_until_it_failed() {
    let folder = Folder::new();
    let log = folder.file("life.csv");
    let arguments = ["--target", CHIP, "--blocks", "4", "--log", &log];
    let document = document(&arguments);
    let text = folder.read("life.csv");
    assert!(text.starts_with("chip,block,cycle,operation,latency_us,status\n"));
    let mut told: Vec<f64> = text
        .lines()
        .filter_map(|line| line.strip_suffix(",failed"))
        .map(|line| {
            line.split(',')
                .nth(2)
                .expect("a cycle")
                .parse()
                .expect("a number")
        })
        .collect();
    let blocks = rows(&document, "endurance");
    let blocks = blocks.iter().filter(|row| row["block"].is_u64());
    let found: Vec<f64> = blocks.filter_map(|row| row["value"].as_f64()).collect();
    assert_eq!(told, found);
    told.dedup();
    assert_eq!(told.len(), 4, "each block fails at a cycle of its own");
    let all = [
        &["wear"],
        &arguments[..],
        &["--usage", "first-page,whole-block"],
    ]
    .concat();
    wordline(&all).refused(&["log", "one usage"]);
    wordline(&["wear", "--target", CHIP, "--log", "/nowhere/life.csv"]).refused(&["/nowhere"]);
}

#[test]
fn raw_flash_of_the_machine_is_named_twice() {
    let device = |arguments: &[&str], words: &[&str]| {
        wordline(&[&["wear", "--target"], arguments].concat()).refused(words);
    };
    device(&["mtd:/dev/mtd9"], &["--destroy /dev/mtd9"]);
    device(
        &["mtd:/dev/mtd9", "--destroy", "/dev/mtd8"],
        &["/dev/mtd8, another device"],
    );
    device(
        &["mtd:/dev/null", "--destroy", "/dev/null"],
        &["character device"],
    );
    device(&[CHIP, "--destroy", "/dev/mtd9"], &["nothing real is worn"]);
    wordline(&["raw", "--target", "mtd:/dev/mtd9"]).refused(&["wordline wear takes this one"]);
}

#[test]
fn what_cannot_be_worn_is_refused_by_name() {
    let refused = |arguments: &[&str], words: &[&str]| {
        wordline(&[&["wear", "--target"], arguments].concat()).refused(words);
    };
    refused(&["em064lx"], &["em064lx", "lacks flash blocks to erase"]);
    refused(
        &["swissbit-g4000-4g"],
        &["swissbit-g4000-4g", "lacks flash blocks to erase"],
    );
    refused(&["mt29f1g01"], &["mt29f1g01", "aging", "erase_loops_last"]);
    refused(&["s28hs512t"], &["s28hs512t", "aging", "erase_loops_last"]);
    refused(&["mt25ql128", "--blocks", "257"], &["256 good blocks"]);
    for (flag, value, words) in [
        ("--blocks", "0", "allowed: 1"),
        ("--blocks", "9000", "8032 good blocks"),
        ("--samples", "0", "allowed: 1"),
        ("--max-cycles", "0", "allowed: 1"),
        ("--temperature", "-41", "-40 to 125"),
        ("--temperature", "nan", "-40 to 125"),
        ("--temperature", "25,25", "named twice"),
        ("--dwell", "1s,1000ms", "named twice"),
        ("--usage", "none", "first-page"),
        ("--order", "backwards", "sequential"),
        ("--age", "2", "0 to 1"),
    ] {
        refused(&[CHIP, flag, value], &[words]);
    }
    let change = ("erase_loops = { value = 4,", "erase_loops = { value = 40,");
    let folder = Folder::new().with_sheet(CHIP, "broken", &[change]);
    let arguments = ["--catalog", &folder.argument(), "part", "list"];
    wordline(&arguments).refused(&["erase_loops_last", "40"]);
}
