//! `part fit`: from a log to a sheet that other commands take, and what is refused.

use crate::cli::support::{FORMATS, Folder, everything, wordline};

const BOARD: &str = "stm32h743-sdmmc";

/// A card of 32 MiB, so that a fit takes a moment.
fn cards() -> Folder {
    let base = crate::cli::support::sheet_text("sandisk-extreme-32g");
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
    let ran = everything(&arguments(&log, &folder, &base)).done();
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
    everything(&raw).done();
    // What exists is left alone.
    let again = ["--base", "small-card", "--id", "other", "--output", &file];
    everything(&arguments(&log, &folder, &again)).refused(&["this file exists", "--force"]);
    assert_eq!(cards.read("mine.toml"), sheet);
    let id = ["--base", "small-card", "--output", &file, "--force"];
    everything(&arguments(&log, &folder, &id)).refused(&["is that of a part already"]);
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
    let told = everything(&["report", &saved]).done();
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
    fit(&short, &["--id", "Not an id"]).refused(&["is not an id"]);
    fit(&short, &["--output", &logs.file("mine.txt")]).refused(&["files that end in .toml"]);
    fit(&short, &["--simulations", "0"]).refused(&["simulations are none"]);
    wordline(&["part", "fit", &short, "--template", "hdd"])
        .refused(&["template \"hdd\" is unknown; allowed: sd, nand, nor"]);
}

/// Twelve blocks that are cycled until their first page fails: programs fall from 16 pulses of 10 us, four of them while
/// the block is fresh, erases rise from 4 loops of 300 us.
fn cycled() -> String {
    let mut text = "block,cycle,operation,latency_us,status\n".to_owned();
    for block in 0..12 {
        let life = 100_000 + 9_000 * (block * 7 % 12);
        let at = |step: u64, of: u64| {
            let part = (step as f64 + 0.5) / of as f64;
            (life as f64 * part.powi(3)) as u64
        };
        let mut lines = vec![(1, "program", 160), (1, "erase", 1200)];
        for (step, cycle) in [11, 31, 62, 130].into_iter().enumerate() {
            lines.push((cycle, "program", 150 - 10 * step as u64));
        }
        for step in 0..4 {
            lines.push((at(step, 4), "program", 110 - 10 * step));
        }
        for step in 0..8 {
            lines.push((at(step, 8), "erase", 1500 + 300 * step));
        }
        lines.sort_unstable();
        for (cycle, operation, us) in lines {
            text += &format!("{block},{cycle},{operation},{us},ok\n");
        }
        text += &format!("{block},{life},program,0,failed\n");
    }
    text
}

#[test]
fn a_cycling_log_becomes_a_sheet_that_wears() {
    let folder = Folder::new().with("cycled.csv", cycled());
    let (log, sheet, parts) = (
        folder.file("cycled.csv"),
        folder.file("mine.toml"),
        folder.argument(),
    );
    let fit = [
        "part",
        "fit",
        &log,
        "--template",
        "nand",
        "--id",
        "mine",
        "--output",
        &sheet,
    ];
    let ran = everything(&fit).done();
    for words in [
        "mine@stm32h743-fmc8, fitted to half of the blocks of cycled.csv",
        "half of blocks fail by",
        "held-out ratio",
        "95 % interval",
        "nand.aging.erase_loops_last  value 12",
        "leaves open, and the base's stay: chip_spread",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing: {}",
            ran.stdout
        );
    }
    wordline(&["part", "check", &sheet]).done();
    let wear = [
        "wear",
        "--catalog",
        &parts,
        "--target",
        "mine",
        "--blocks",
        "2",
    ];
    everything(&wear).done();
}

#[test]
fn a_sweep_gives_the_times_of_the_array_back() {
    let raw = [
        "raw",
        "--target",
        "nand08gw3b2c",
        "--size",
        "512B,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB",
        "--total",
        "4MiB",
        "--format",
        "csv",
        "--quiet",
    ];
    let folder = Folder::new().with("sweep.csv", everything(&raw).done().stdout);
    let (log, sheet) = (folder.file("sweep.csv"), folder.file("mine.toml"));
    let fit = [
        "part",
        "fit",
        &log,
        "--template",
        "nand",
        "--base",
        "mt29f4g08aac",
        "--id",
        "mine",
        "--output",
        &sheet,
    ];
    let ran = everything(&fit).done();
    for words in ["read of 2 KiB", "nand.page_program", "held-out ratio"] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing: {}",
            ran.stdout
        );
    }
    wordline(&["part", "check", &sheet]).done();
}

#[test]
fn logs_of_flash_that_cannot_be_fitted_are_refused_with_their_place() {
    let head = "block,cycle,operation,latency_us\n";
    let folder = Folder::new()
        .with("two.csv", format!("{head}1,1,erase,5\n2,1,erase,5\n"))
        .with(
            "back.csv",
            format!("{head}1,9,erase,5\n1,3,erase,5\n1,4,erase,6\n"),
        )
        .with(
            "reads.csv",
            format!("{head}1,1,read,5\n2,1,read,5\n3,1,read,5\n4,1,read,5\n"),
        )
        .with("empty.csv", "")
        .with(
            "one.csv",
            "operation,access_bytes,latency_us\nread,512,40\n",
        );
    let fit = |log: &str, more: &[&str]| {
        let log = folder.file(log);
        wordline(&[&["part", "fit", &log], more].concat())
    };
    let nand = ["--template", "nand"];
    fit("two.csv", &nand).refused(&["it has 2 blocks, and at least 4 are needed"]);
    fit("back.csv", &nand).refused(&["line 3"]);
    fit("reads.csv", &nand).refused(&["neither programs nor erases"]);
    fit("empty.csv", &nand).refused(&["empty.csv"]);
    fit("one.csv", &nand).refused(&["more sizes are needed"]);
    fit("two.csv", &["--template", "nor", "--base", "nand08gw3b2c"])
        .refused(&["fits parts of the model [nor]"]);
    fit("two.csv", &["--template", "nand", "--base", "mt29f1g01"]).refused(&["has no table aging"]);
}

/// A table of erase and program times as the data sheet of a microcontroller prints it.
const TIMES: &str = "cycles,erase_typ_ms,erase_max_ms,program_typ [us]\n1,20.1,50.2,40.0\n1k,24.3,60.9,40.9\n\
                     10k,39.5,99.0,44.3\n100k,98.2,246,57.9\n";

#[test]
fn a_table_of_a_data_sheet_gives_an_exponent_predictions_and_a_sheet_that_slows_down() {
    let folder = Folder::new().with("times.csv", TIMES);
    let (table, sheet, parts) = (
        folder.file("times.csv"),
        folder.file("mine.toml"),
        folder.argument(),
    );
    let fit = [
        "part",
        "fit",
        &table,
        "--template",
        "nor",
        "--id",
        "mine",
        "--output",
        &sheet,
        "--predict",
        "50000,1000000",
    ];
    let ran = everything(&fit).done();
    for words in [
        "What cycles add to the erase time grows as their power 0.6",
        "After 1000000 cycles the typical erase takes",
        "which is extrapolated",
        "nor.aging.erase_exponent",
        "nor.aging.erase_doubling",
        "interpolated",
        "warning [extrapolated]: times.csv: its last count is 100000 cycles",
        "leaves open, and the base's stay: endurance,",
    ] {
        assert!(
            ran.stdout.contains(words) || ran.stderr.contains(words),
            "{words} is missing: {}",
            ran.stdout
        );
    }
    wordline(&["part", "check", &sheet]).done();
    let wear = [
        "wear",
        "--catalog",
        &parts,
        "--target",
        "mine",
        "--blocks",
        "2",
        "--max-cycles",
        "20000",
    ];
    everything(&wear).done();
    let rows = [&fit[..7], &["--format", "csv", "--quiet"]].concat();
    let rows = everything(&rows).done().stdout;
    for row in [
        "fit,erase,100000,,printed,typ,0.0,latency_mean,0.0982,,s,datasheet,",
        "fit,erase,1000000,extrapolation,p97.5,max,0.0,latency_max,",
        "fit,program,,,p5,typ,0.0,growth_exponent,",
    ] {
        assert!(rows.contains(row), "{row} is missing: {rows}");
    }
    let of = |words: &[&str]| {
        rows.lines()
            .filter(|row| words.iter().all(|word| row.contains(word)))
            .count()
    };
    assert_eq!(
        of(&["latency_mean", "extrapolation", "simulated"]),
        of(&["latency_mean", "extrapolation"])
    );
    assert_eq!(of(&["mine", "after_cycles"]), 0);
    assert!(
        of(&["latency_mean", ",,median", "calibrated"]) == 8,
        "{rows}"
    );
}

#[test]
fn tables_that_tell_no_growth_are_refused_with_their_line_and_the_way_out() {
    let folder = Folder::new()
        .with("falls.csv", "cycles,erase_typ_ms\n1,20\n10,19\n100,21\n")
        .with("below.csv", "cycles,erase_typ_ms,erase_max_ms\n1,20,10\n")
        .with("twice.csv", "cycles,erase_typ_ms\n1,20\n1,20\n")
        .with("two.csv", "cycles,erase_typ_ms\n1,20\n10,20\n")
        .with("bare.csv", "cycles,erase_typ\n1,20\n10,21\n100,22\n")
        .with("flat.csv", "cycles,erase_typ_ms\n1,20\n10,20\n100,20\n")
        .with(
            "step.csv",
            "cycles,erase_typ_ms\n0,150\n10000,150\n50000,150\n100000,15000\n",
        )
        .with(
            "bent.csv",
            "cycles,erase_typ_ms\n0,150\n10000,170\n50000,270\n100000,330\n",
        )
        .with(
            "slow.csv",
            "cycles,erase_typ_s\n0,1\n100,2.48\n500,20.5\n1000,60\n",
        );
    let fit = |table: &str, more: &[&str]| {
        let table = folder.file(table);
        everything(&[&["part", "fit", &table, "--template", "nor"], more].concat())
    };
    fit("falls.csv", &[]).refused(&["falls.csv, line 3", "correct it, or leave the column out"]);
    fit("below.csv", &[]).refused(&["below.csv, line 2", "erase_max lies below erase_typ"]);
    fit("twice.csv", &[]).refused(&["twice.csv, line 3", "leave one out"]);
    fit("two.csv", &[]).refused(&["two.csv, line 3", "give 3 at least"]);
    fit("bare.csv", &[]).refused(&["bare.csv, line 1", "--log-unit"]);
    fit("bare.csv", &["--log-unit", "min"]).refused(&["allowed: ns, us, ms, s"]);
    fit("bare.csv", &["--log-unit", "ms"]).done();
    fit("flat.csv", &["--log-unit", "us"]).refused(&["all of these state theirs; leave it out"]);
    // What no power law holds is fitted to none, and a sheet that would not load names its figure, not a line of its own.
    fit("step.csv", &[]).refused(&[
        "step.csv: its erase times follow no power law: erase_typ is 15.0 s at 100000 cycles",
        "keep the lines that follow a law",
    ]);
    fit("slow.csv", &[]).refused(&[
        "base mt25ql128: the fit would give nor.erase.2.duration the columns",
        "no access takes longer than 65536 s",
        "begin with another part (--base)",
    ]);
    let bent = fit("bent.csv", &[]).done();
    let all = bent.stdout + &bent.stderr;
    assert!(
        all.contains("% off the nearest power law (erase_typ at"),
        "{all}"
    );
    fit("flat.csv", &["--predict", "2000000000000"])
        .refused(&["is too late; allowed: 0 to 1000000000000"]);
    let flat = fit("flat.csv", &[]).done();
    let all = flat.stdout + &flat.stderr;
    assert!(
        all.contains("grow too little for the digits that are printed"),
        "{all}"
    );
    let log = folder.file("log.csv");
    std::fs::write(&log, cycled()).expect("a folder of the test");
    everything(&["part", "fit", &log, "--template", "nand", "--predict", "5"])
        .refused(&["goes with a table of erase and program times by cycles alone"]);
}

#[test]
fn settings_of_other_logs_are_refused_beside_a_log_of_flash() {
    let folder = Folder::new()
        .with("times.csv", TIMES)
        .with("cycled.csv", cycled())
        .with("card.csv", log(60));
    let fit = |log: &str, template: &str, more: &[&str]| {
        let log = folder.file(log);
        wordline(&[&["part", "fit", &log, "--template", template], more].concat())
    };
    for (flag, value, setting) in [
        ("--log-format", "csv", "log_format"),
        ("--job", "card", "job"),
        ("--record", "4KiB", "record"),
        ("--durations", "paced", "durations"),
        ("--unit", "erase_typ=us", "unit"),
        ("--pattern", "random", "pattern"),
        ("--range", "1MiB", "range"),
        ("--fill", "50%", "fill"),
        ("--warm-up", "1MiB", "warm_up"),
        ("--simulations", "5", "simulations"),
    ] {
        let words = format!("{setting} goes with a log of a card alone");
        fit("times.csv", "nor", &[flag, value]).refused(&[&words, "a table of times by cycles"]);
        fit("cycled.csv", "nand", &[flag, value]).refused(&[&words, "a cycling log"]);
    }
    fit("cycled.csv", "nand", &["--log-unit", "us"])
        .refused(&["log_unit goes with a log of a card"]);
    for (log, template) in [("times.csv", "nor"), ("card.csv", "sd")] {
        fit(log, template, &["--usage", "whole-block"])
            .refused(&["usage goes with a cycling log of flash alone"]);
    }
}
