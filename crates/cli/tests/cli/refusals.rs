//! Arguments and files that `raw` cannot run with: the message names what was found, where, and
//! what is allowed; nothing is printed, and the exit code is 2.

use std::fs;

use crate::cli::support::{BOARD, Folder, PART, TARGET, line_of, sheet_text, wordline};

/// Runs `raw` with further arguments on a small workload, which must be refused.
#[track_caller]
fn refused(arguments: &[&str], words: &[&str]) {
    wordline(&[&["raw"], arguments].concat()).refused(words);
}

/// A user's folder with one faulty sheet is refused by file, line, and these words.
#[track_caller]
fn sheet_refused(original: &str, change: (&str, &str), fault: &str, words: &[&str]) {
    let sheets = Folder::new().with_sheet(original, "mine", &[change]);
    let place = format!("mine.toml:{}:", line_of(&sheets.read("mine.toml"), fault));
    let catalog = sheets.argument();
    refused(
        &["--catalog", &catalog, "--target", "mine"],
        &[&[place.as_str(), fault], words].concat(),
    );
}

#[test]
fn no_command_and_no_target_are_answered_with_what_there_is() {
    wordline(&[]).refused(&["Usage", "raw", "part", "report", "doctor"]);
    wordline(&["repotr"]).refused(&["unrecognized subcommand 'repotr'", "'report'"]);
    refused(&[], &["--target <TARGET>"]);
    refused(&["--targte", TARGET], &["--targte", "--target"]);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    wordline(&["report", "result.json", "--budget=3s"]).refused(&["--budget"]);
    for (command, flag) in [
        (&["report", "result.json"][..], "--prices=prices.csv"),
        (&["diff", "a.json", "b.json"], "--catalog=parts"),
        (&["kv", "dump", "mram.bin"], "--exchange=USD=0.92"),
        (&["doctor"], "--quantity=3"),
        (&["part", "check"], "--prices=prices.csv"),
        (&["completions", "bash"], "--format=json"),
        (&["ask"], "--format=json"),
    ] {
        let name = flag.split('=').next().unwrap_or_default();
        let words = [
            name,
            "does nothing for wordline",
            command[0],
            "leave it out",
        ];
        wordline(&[command, &[flag]].concat()).refused(&words);
    }
}

#[test]
fn a_misspelt_key_is_named_with_the_keys_that_exist() {
    let words = [
        "unknown field `wakeup`, expected one of `capacity`",
        "`wake_up`",
    ];
    sheet_refused(PART, ("wake_up", "wakeup"), "wakeup", &words);
    let words = ["unknown field `dma_set_up`", "`dma_setup`"];
    sheet_refused(BOARD, ("dma_setup", "dma_set_up"), "dma_set_up", &words);
}

#[test]
fn a_frequency_where_a_time_is_due_is_named_with_the_units_of_time() {
    let words = [
        "\"3 MHz\" is not a time: unknown unit \"MHz\"",
        "in one of ps, ns, us",
    ];
    sheet_refused(PART, ("350 us", "3 MHz"), "\"3 MHz\"", &words);
}

#[test]
fn a_figure_without_a_source_is_refused() {
    let change = (", source = \"v3.2, table 20\"", "");
    let words = ["the source is missing", "assumed = true with a reason"];
    sheet_refused(PART, change, "{ typ = \"8 MiB\" }", &words);
}

#[test]
fn a_capacity_of_nothing_is_refused() {
    let words = ["mram.capacity: the figure must be above zero"];
    sheet_refused(PART, ("\"8 MiB\"", "\"0 B\""), "{ typ = \"0 B\"", &words);
}

#[test]
fn unknown_parts_and_boards_are_answered_with_the_nearest() {
    refused(
        &["--target", "em064l"],
        &["unknown part \"em064l\"; did you mean em064lx?"],
    );
    let words = ["unknown board \"stm32h755-qpsi\"; did you mean stm32h755-qspi?"];
    refused(&["--target", "em064lx@stm32h755-qpsi"], &words);
    let all = "wordline part list names all";
    refused(
        &["--target", "em064lx@nowhere"],
        &["unknown board \"nowhere\"", all],
    );
    refused(&["--target", ""], &["unknown part \"\"", all]);
    refused(&["--target", "@"], &["unknown part \"\"", all]);
    refused(
        &["--target", "file:/dev/null"],
        &["a file of this host", "allowed: PART@BOARD"],
    );
    refused(
        &["--target", &format!("{TARGET},{TARGET}")],
        &[TARGET, "named twice"],
    );
}

#[test]
fn a_part_without_a_default_board_needs_one_named() {
    let change = ("default_board = \"stm32h755-qspi\"\n", "");
    let sheets = Folder::new().with_sheet(PART, "mine", &[change]);
    let arguments = ["--catalog", &sheets.argument(), "--target", "mine"];
    refused(&arguments, &["mine@BOARD", "wordline part list"]);
}

#[test]
fn a_chip_whose_rail_the_board_lacks_is_refused_with_both_voltages() {
    let supply = (
        "min = \"1.65 V\", typ = \"1.8 V\", max = \"2 V\"",
        "min = \"2.7 V\", max = \"3.6 V\"",
    );
    let sheets = Folder::new().with_sheet(PART, "mine", &[supply]);
    refused(
        &[
            "--catalog",
            &sheets.argument(),
            "--target",
            "mine@stm32h7s78-xspi",
        ],
        &[
            "mine@stm32h7s78-xspi: no rail fits",
            "needs 2.7 V to 3.6 V",
            "has 1.8 V (1V8)",
        ],
    );
}

#[test]
fn a_chip_whose_bus_mode_the_board_lacks_is_refused_with_both_lists() {
    let modes = ("\"1S-1S-1S\", \"1S-1S-4S\", \"1S-4S-4S\"", "\"2S-2S-2S\"");
    let sheets = Folder::new().with_sheet(BOARD, "dual", &[modes]);
    refused(
        &["--catalog", &sheets.argument(), "--target", "em064lx@dual"],
        &[
            "em064lx@dual: no bus mode fits",
            "the chip knows 1S-1S-1S, 1S-1S-4S, 1S-4S-4S, 8D-8D-8D",
            "the board drives 2S-2S-2S",
        ],
    );
}

#[test]
fn sizes_of_nothing_and_beyond_the_part_are_refused_with_the_range() {
    let size = |size| {
        refused(
            &["--target", TARGET, "--size", size],
            &["size", "1 B to 8 MiB"],
        )
    };
    size("0B");
    size("2KiB,0B");
    size("8388609B");
    size("16MiB");
    let words = ["wrap 9 MiB is outside em064lx; allowed: 1 B to 8 MiB"];
    refused(&["--target", TARGET, "--wrap", "9MiB"], &words);
    refused(
        &["--target", TARGET, "--wrap", "0B"],
        &["wrap 0 B", "1 B to 8 MiB"],
    );
    refused(
        &["--target", TARGET, "--total", "0B"],
        &["total 0 B moves nothing"],
    );
    let words = ["size 64 KiB does not fit; allowed: 1 B to 4 KiB"];
    refused(
        &["--target", TARGET, "--size", "64KiB", "--total", "4KiB"],
        &words,
    );
    refused(
        &["--target", TARGET, "--size", "2KiB,2048B"],
        &["size 2 KiB is named twice"],
    );
}

#[test]
fn flags_with_values_that_do_not_exist_are_answered_with_those_that_do() {
    let flag = |flag, value, words: &[&str]| {
        let found = [&[value], words].concat();
        refused(&["--target", TARGET, flag, value], &found);
    };
    flag("--size", "0", &["a number needs a unit", "KiB"]);
    flag("--size", "2 us", &["unknown unit \"us\"", "KiB"]);
    flag("--size", "0.3B", &["no whole number of B"]);
    flag("--size", "99999999999TiB", &["too large"]);
    flag("--size", "", &["is not a size: it is empty"]);
    flag("--operation", "erase", &["possible values: read, write"]);
    flag("--timing", "worst", &["typ", "max", "sampled"]);
    flag("--seed", "-1", &["--seed"]);
    flag("--seed", "18446744073709551616", &["--seed"]);
    flag("--age", "2", &["allowed: 0 to 1"]);
    flag("--age", "-0.5", &["allowed: 0 to 1"]);
    flag("--age", "NaN", &["allowed: 0 to 1"]);
    flag("--age", "old", &["--age"]);
    flag("--format", "yaml", &["table", "json", "csv", "markdown"]);
}

#[test]
fn truncated_and_binary_sheets_are_refused_with_their_line() {
    let whole = sheet_text(PART);
    let cut = whole.find("wake_up = { min = \"350").expect("there") + 18;
    let line = format!("cut.toml:{}:", line_of(whole, "wake_up = "));
    let sheets = Folder::new().with("cut.toml", &whole[..cut]);
    refused(
        &["--catalog", &sheets.argument(), "--target", PART],
        &[&line],
    );
    let sheets = Folder::new().with("binary.toml", b"\x7fELF\x02\xff\x00");
    let words = ["binary.toml:1: not a text file: byte 5 is no UTF-8"];
    refused(&["--catalog", &sheets.argument(), "--target", PART], &words);
    let sheets = Folder::new().with("empty.toml", "");
    let words = ["empty.toml:1:", "part = \"ID\", board = \"ID\""];
    refused(&["--catalog", &sheets.argument(), "--target", PART], &words);
    let nested = format!("part = \"x\"\nmram{} = 1\n", ".a".repeat(100_000));
    let sheets = Folder::new().with("nested.toml", nested);
    refused(
        &["--catalog", &sheets.argument(), "--target", PART],
        &["nested.toml:"],
    );
}

/// Faults beside letters of several bytes are shown, not cut in half.
#[test]
fn faults_in_text_beyond_ascii_are_shown() {
    let sheets = Folder::new().with("mark.toml", "\u{feff}# größe µs\n");
    refused(
        &["--catalog", &sheets.argument(), "--target", PART],
        &["mark.toml:1:"],
    );
    let change = ("350 us", "350 µsé");
    sheet_refused(PART, change, "\"350 µsé\"", &["unknown unit \"µsé\""]);
}

#[test]
fn catalogue_folders_that_cannot_be_read_are_named() {
    let empty = Folder::new();
    let missing = empty.file("missing");
    refused(
        &["--catalog", &missing, "--target", PART],
        &[&missing, "cannot be read"],
    );
    let words = [&*empty.argument(), "no file here ends in .toml"];
    refused(&["--catalog", &empty.argument(), "--target", PART], &words);
    let file = Folder::new().with("file.toml", "");
    let path = file.file("file.toml");
    refused(
        &["--catalog", &path, "--target", PART],
        &[&path, "cannot be read"],
    );
}

#[test]
fn an_id_that_exists_already_is_refused_with_both_files() {
    let sheets = Folder::new().with("copy.toml", sheet_text(PART));
    refused(
        &["--catalog", &sheets.argument(), "--target", PART],
        &[
            "copy.toml:2:",
            "\"em064lx\" exists already, in",
            "mram/em064lx.toml",
        ],
    );
}

#[test]
fn every_faulty_sheet_of_a_folder_is_shown() {
    let sheets = Folder::new()
        .with_sheet(PART, "one", &[("wake_up", "wakeup")])
        .with_sheet(BOARD, "two", &[("command =", "comand =")]);
    let words = ["one.toml:", "`wakeup`", "two.toml:", "`comand`"];
    refused(&["--catalog", &sheets.argument(), "--target", PART], &words);
}

#[test]
fn an_operation_named_twice_is_refused() {
    let arguments = ["--target", TARGET, "--operation", "read,read"];
    refused(&arguments, &["operation read is named twice"]);
}

/// A refusal comes before anything is run or written.
#[test]
fn a_refused_run_leaves_no_export_behind() {
    let folder = Folder::new();
    let file = folder.file("rows.json");
    refused(
        &["--target", TARGET, "--size", "0B", "--export", &file],
        &["size 0 B"],
    );
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

/// Counts and sizes end where a run would: by the part, by the memory, or by what a machine can do in days.
#[test]
fn runs_without_an_end_are_refused_with_the_bound() {
    let huge = "16000000TB";
    for (arguments, words) in [
        (
            &["raw", "--target", "w25q128jv", "--total", huge][..],
            "100000 times all of w25q128jv; allowed: up to",
        ),
        (
            &["raw", "--target", "w25q128jv", "--warm-up", huge],
            "100000 times all of w25q128jv",
        ),
        (
            &["buffer", "--target", "w25q128jv", "--total", huge],
            "100000 times all of w25q128jv",
        ),
        (
            &[
                "host",
                "storage",
                "/no/such/folder/file",
                "--size",
                "1MiB",
                "--total",
                huge,
            ],
            "a million times the range",
        ),
        (
            &["host", "latency", "--samples", "1000000000000000000"],
            "allowed: 1 to 1000000000",
        ),
    ] {
        let ran = wordline(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        let flat = ran.stderr.split_whitespace().filter(|word| *word != "│");
        let flat = flat.collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{arguments:?}: {flat}");
    }
}
