//! Messages about wrong input are short: at most three lines of 100 columns before their hint.

use crate::cli::support::{Folder, wordline};

/// Columns of a message's line.
const COLUMNS: usize = 100;
/// Lines of a message.
const LINES: usize = 3;

/// The lines of a message itself. Its hint begins with the first line that tells what to do or shows where: `hint:`,
/// `help:`, `tip:`, `Usage:`, `For more information`, a list of possible values, or the frame around a line of a file.
/// `error:` and the frame's mark are no part of a line. A line that is longer counts as the lines that it wraps to.
fn message(stderr: &str) -> Vec<&str> {
    let hint = |line: &str| {
        let line = line.trim_start();
        let words = [
            "hint:",
            "help:",
            "tip:",
            "Usage:",
            "For more information",
            "[possible values",
            "╭",
            ",",
        ];
        words.iter().any(|word| line.starts_with(word))
    };
    let lines = stderr.lines().take_while(|line| !hint(line));
    let text = lines.map(|line| {
        line.trim_start_matches(['×', '│', ' '])
            .trim_start_matches("error: ")
    });
    text.filter(|line| !line.is_empty()).collect()
}

#[track_caller]
fn is_short(arguments: &[&str]) {
    let ran = wordline(arguments);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(2), ""),
        "{arguments:?}: {ran:?}"
    );
    let lines = message(&ran.stderr);
    assert!(!lines.is_empty(), "{arguments:?}: {}", ran.stderr);
    // As a terminal of that width wraps them.
    let wrapped = |line: &&str| line.chars().count().div_ceil(COLUMNS);
    let count: usize = lines.iter().map(wrapped).sum();
    assert!(
        count <= LINES,
        "{arguments:?}: {count} lines\n{}",
        ran.stderr
    );
}

/// What each command needs to run at all.
const COMMANDS: [&[&str]; 14] = [
    &["raw", "--target", "em064lx"],
    &["buffer", "--target", "em064lx"],
    &["compare", "--rate", "100KB/s"],
    &["wear", "--target", "nand08gw3b2c"],
    &["wear", "health", "--score"],
    &["fs", "bench", "--target", "em064lx"],
    &["kv", "bench", "--target", "em064lx"],
    &["kv", "crash", "--target", "em064lx"],
    &["dram", "idle", "--target", "rdimm-6400-2rx4-128g@xeon6-1s"],
    &[
        "dram",
        "bandwidth",
        "--target",
        "rdimm-6400-2rx4-128g@xeon6-1s",
    ],
    &[
        "dram",
        "loaded",
        "--target",
        "rdimm-6400-2rx4-128g@xeon6-1s",
    ],
    &[
        "dram",
        "trace",
        "none.csv",
        "--target",
        "rdimm-6400-2rx4-128g@xeon6-1s",
    ],
    &["part", "fit", "none.log", "--template", "sd"],
    &["reproduce", "mram-vs-flash-benchmark"],
];

#[test]
fn a_flag_that_does_not_exist_is_answered_in_short() {
    for command in COMMANDS {
        is_short(&[command, &["--nonsense"]].concat());
        is_short(&[command, &["--format", "yaml"]].concat());
        is_short(&[command, &["--export", "nowhere/x.json"]].concat());
        is_short(&[command, &["--export", "x.pdf"]].concat());
    }
    for command in ["", "rwa", "part shwo", "fs", "kv", "dram", "completions"] {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ran = wordline(&words);
        assert_eq!(ran.code, Some(2), "{command}");
    }
}

#[test]
fn wrong_numbers_units_and_names_are_answered_in_short() {
    for (command, flags) in [
        (
            0,
            "--size 3,--size 2us,--size 0B,--size 99999999999TiB,--operation fly,--pattern zigzag,--during sleep",
        ),
        (
            0,
            "--timing worst,--age 2,--age old,--seed -1,--seed 99999999999999999999,--ftl hash,--streams 0,--sync hope",
        ),
        (
            0,
            "--total 0B,--wrap 0B,--fill 200%,--gap 3,--pause 1us,--ftl-spare 3%,--warm-up 1",
        ),
        (
            1,
            "--rate 0B/s,--rate fast,--ram 4,--record 0B,--durations slow,--horizon never,--operation erase,--window 0",
        ),
        (
            2,
            "--work sleep,--keep long,--duty 200%,--max-ram 4,--min-life 4,--life-by luck,--price x,--reads 3",
        ),
        (
            2,
            "--temperature hot,--temperature 500,--max-parts 0,--max-cost 3,--max-holdup 1kg,--record 0B",
        ),
        (
            3,
            "--blocks 0,--blocks many,--samples 0,--usage none,--order up,--temperature 999,--dwell 3,--max-cycles 0",
        ),
        (4, "--families 0,--families x,--seed x,--trace x"),
        (
            5,
            "--fs ntfs,--workload dance,--capacity 1B,--file 0B,--access 0B,--record 0B,--files 0,--files x,--small 9",
        ),
        (
            5,
            "--fill 2,--rate x,--crash 99999999999,--crash x,--require fat32,--set x,--set littlefs.x=1",
        ),
        (
            6,
            "--table x,--directory x,--workload x,--size x,--size 1/,--capacity x,--capacity 1B,--load 200%,--build x,--operations x",
        ),
        (7, "--table x,--directory x,--size x,--images x,--require x"),
        (
            8,
            "--samples 0,--samples x,--set x,--set x=1,--threads 0,--warm-up 3,--measure 0s",
        ),
        (9, "--mix 4:1,--pattern x,--band x"),
        (
            10,
            "--delay x,--mix x,--pattern x,--samples 0,--probes 0,--within 3,--mess x.json",
        ),
        (11, "--as x,--clock 3,--commands x.html"),
        (
            12,
            "--base nope,--usage x,--record 3,--pattern x,--fill x,--durations x,--simulations x,--output x.txt",
        ),
    ] {
        for flag in flags.split(',') {
            let words: Vec<&str> = flag.split(' ').collect();
            is_short(&[COMMANDS[command], &words].concat());
        }
    }
}

#[test]
fn unknown_targets_and_missing_files_are_answered_in_short() {
    let folder = Folder::new();
    let missing = folder.file("missing");
    for (command, target) in [
        ("raw", "nope"),
        ("raw", "em064lx@nope"),
        ("raw", "em064lx,em064lx"),
        ("raw", "rdimm-6400-2rx4-128g@xeon6-1s"),
        ("buffer", "nope"),
        ("compare", "nope"),
        ("wear", "nope"),
        ("wear", "mtd:/nowhere"),
        ("wear", "mtd:"),
        ("kv bench", "file:"),
        ("fs bench", "nope"),
        ("kv bench", "mt25ql128"),
        ("kv bench", "file:/nowhere/x"),
        ("kv crash", "nope"),
        ("dram idle", "em064lx"),
        ("dram idle", "nope@xeon6-1s"),
    ] {
        let command: Vec<&str> = command.split(' ').collect();
        let rate = if command == ["compare"] {
            &["--rate", "1KB/s"][..]
        } else {
            &[]
        };
        is_short(&[&command, &["--target", target][..], rate].concat());
    }
    for command in [
        vec!["buffer", "--log", &missing],
        vec!["buffer", "--trace", &missing, "--target", "em064lx"],
        vec!["compare", &missing],
        vec!["compare", "trace-replay", "--trace", &missing],
        vec!["wear", "health", "--trace", &missing],
        vec!["part", "fit", &missing, "--template", "sd"],
        vec!["part", "fit", &missing, "--template", "hdd"],
        vec!["part", "show", "nope"],
        vec!["part", "import", &missing],
        vec!["kv", "dump", &missing],
        vec!["report", &missing],
        vec!["reproduce", "nope"],
        vec!["reproduce", "mrdimm"],
        vec!["man", &missing],
    ] {
        is_short(&command);
    }
}

#[test]
fn flags_that_contradict_each_other_are_answered_in_short() {
    for command in [
        "raw --target em064lx --during erase --gap 1us",
        "raw --target em064lx --pause 1us",
        "buffer --log x --target em064lx",
        "buffer --log x --pattern random",
        "buffer --target em064lx --log-unit ns",
        "buffer --target em064lx --job x",
        "compare --rate 1KB/s --require em064lx --print-study",
        "compare",
        "wear health",
        "wear health --score --trace x",
        "wear health --trace x --families 3",
        "fs bench --target em064lx --fs littlefs --require fat",
        "fs bench --target em064lx --crash 0 --require littlefs",
        "fs bench --target em064lx --set littlefs.cache=64 --set littlefs.cache=32",
        "kv crash --target em064lx --table own --require lpht",
        "part show em064lx --sheet --format json",
        "part fit x --template sd --force",
    ] {
        is_short(&command.split(' ').collect::<Vec<_>>());
    }
}
