//! What people see first: the answer in 24 lines of 100 columns, and the rest one flag away.

use serde_json::Value;

use crate::cli::support::{SMALL, everything, wordline};

const COMPARE: &[&str] = &[
    "compare",
    "--rate=500KB/s",
    "--record=4KiB",
    "--keep=1h",
    "--duty=10%",
    "--max-ram=16KiB",
    "--min-life=10y",
    "--target=mt29f1g01,em064lx,w25n01gv,mt25ql128",
];

/// Commands of every kind, small.
const COMMANDS: &[&[&str]] = &[
    COMPARE,
    &SMALL,
    &[
        "buffer",
        "--target=mt29f1g01",
        "--rate=4MB/s",
        "--total=4MiB",
    ],
    &[
        "dram",
        "idle",
        "--target=rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s",
    ],
    &[
        "fs",
        "bench",
        "--target=em064lx",
        "--fs=littlefs,fat",
        "--workload=append",
        "--crash=20",
        "--capacity=1MiB",
        "--fill=0",
    ],
    &[
        "kv",
        "bench",
        "--target=as3004316@stm32h743-fmc16",
        "--table=lpht,own",
        "--size=8B",
    ],
    &["wear", "--target=nand08gw3b2c", "--blocks=4"],
    &["reproduce", "sd-card-writes"],
];

/// Commands that answer from the catalogue or the host, which have no reasons of their own.
const LISTS: &[&[&str]] = &[
    &["part", "find"],
    &["part", "find", "--kind=nor", "--max-erase=100ms"],
    &["part", "show", "em064lx"],
    &["part", "show", "w25q64jv"],
    &["part", "show", "stm32h755-qspi"],
    &["part", "show", "mrdimm-8800-2rx4-128g@xeon6-1s"],
    &["doctor"],
];

#[test]
fn lists_fit_a_screen_and_have_the_rest_one_flag_away() {
    for command in LISTS {
        let text = screen(command);
        let lines: Vec<&str> = text.lines().collect();
        assert!((5..=24).contains(&lines.len()), "{command:?}\n{text}");
        assert!(
            lines.iter().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        assert!(
            lines.last().is_some_and(|last| last.contains("--all")),
            "{text}"
        );
        let whole = screen(&[command, &["--all"][..]].concat());
        assert!(whole.len() > text.len(), "{command:?}\n{whole}");
    }
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_everything() {
    let short = wordline(&["-h"]).done().stdout;
    assert!(short.lines().count() <= 24, "{short}");
    assert!(
        short.lines().all(|line| line.chars().count() <= 100),
        "{short}"
    );
    let long = wordline(&["--help"]).done().stdout;
    for flag in [
        "--catalog",
        "--prices",
        "--format",
        "Examples:",
        "Exit codes:",
    ] {
        assert!(long.contains(flag) && !short.contains(flag), "{flag}");
    }
}

/// Commands whose flags alone take more than a screen: most are the fields of their experiment, and short help has all of
/// these.
const LONG: [&str; 29] = [
    "compare",
    "buffer",
    "raw",
    "wear",
    "fs bench",
    "fs bound",
    "fs mount",
    "io replay",
    "kv bench",
    "kv crash",
    "sql bench",
    "sql tune",
    "app project",
    "app record",
    "app kernel",
    "app capacity",
    "dram bandwidth",
    "dram loaded",
    "dram surface",
    "dram trace",
    "host latency",
    "host bandwidth",
    "host loaded",
    "host all",
    "host storage",
    "part find",
    "part import",
    "part new",
    "part fit",
];

/// Commands by the headings of their short help, and those below them.
fn commands_below(path: &[&str], found: &mut Vec<String>) {
    let help = wordline(&[path, &["-h"]].concat()).done().stdout;
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    // What is about a command goes on in lines that begin further right.
    let names = list.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names.filter(|name| !name.is_empty()) {
        let below = [path, &[name]].concat();
        found.push(below.join(" "));
        commands_below(&below, found);
    }
}

#[test]
fn short_help_of_every_command_fits_a_screen() {
    let mut commands = Vec::new();
    commands_below(&[], &mut commands);
    assert!(commands.len() > 40, "{commands:?}");
    let mut long = Vec::new();
    for command in &commands {
        let words: Vec<&str> = command.split(' ').collect();
        let short = wordline(&[&words[..], &["-h"]].concat()).done().stdout;
        assert!(
            short.lines().all(|line| line.chars().count() <= 100),
            "{short}"
        );
        if short.lines().count() > 24 {
            long.push(command.as_str());
        }
    }
    let built = LONG
        .into_iter()
        .filter(|name| commands.iter().any(|one| one == name));
    assert_eq!(long, built.collect::<Vec<_>>());
}

#[test]
fn short_help_of_a_command_has_an_example_and_says_where_the_rest_is() {
    for command in ["sweep", "explore"] {
        let short = wordline(&[command, "-h"]).done().stdout;
        let long = wordline(&[command, "--help"]).done().stdout;
        for words in ["--store", "--shard", "Examples:", "--help"] {
            assert!(short.contains(words), "{words}: {short}");
        }
        for words in [
            "--threads",
            "--budget",
            "--input",
            "[[axis]]",
            "Exit codes:",
        ] {
            assert!(
                long.contains(words) && !short.contains(words),
                "{words}: {short}"
            );
        }
    }
}

/// A command whose flags this test gets wrong must not pass as one that says little.
fn screen(command: &[&str]) -> String {
    let ran = wordline(&[command, &["--quiet"]].concat());
    assert!(matches!(ran.code, Some(0 | 1)), "{command:?}: {ran:?}");
    ran.stdout
}

#[test]
fn the_answer_of_every_command_fits_a_screen() {
    for command in COMMANDS {
        let text = screen(command);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.len() <= 24,
            "{command:?}: {} lines\n{text}",
            lines.len()
        );
        assert!(lines.len() >= 5, "{command:?}: an answer and more\n{text}");
        for line in &lines {
            assert!(line.chars().count() <= 100, "{command:?}: {line}");
        }
        assert!(lines[0].contains(' '), "the sentence comes first: {text}");
        let last = lines.last().expect("a line");
        assert!(
            last.contains("--explain") && last.contains("--all"),
            "{text}"
        );
    }
}

#[test]
fn what_to_take_stands_in_the_first_lines_and_in_json() {
    let text = screen(COMPARE);
    let first: Vec<&str> = text.lines().take(3).collect();
    assert!(
        first.concat().contains("Take w25n01gv@stm32h755-qspi")
            || first.concat().contains("Take mt29f1g01@stm32h755-qspi"),
        "{text}"
    );
    let document: Value = wordline(&[COMPARE, &["--format=json"]].concat())
        .done()
        .json();
    let answer = &document["answer"];
    let take = answer["take"].as_str().expect("a target");
    assert!(first.concat().contains(take), "{take}: {text}");
    let ranking = answer["ranking"].as_array().expect("a ranking");
    assert_eq!(ranking.len(), 4);
    assert_eq!(ranking[0]["name"], take);
    assert_eq!(ranking[0]["standing"], "pass");
    assert_eq!(ranking[3]["standing"], "fail");
    let points = answer["points"].as_array().expect("points");
    let of = |subject: &str| {
        let mut all = points.iter();
        all.find(|point| point["subject"] == subject)
            .unwrap_or_else(|| panic!("{subject}: {answer}"))
    };
    // What the answer says is what the rows say.
    let rows = document["rows"].as_array().expect("rows");
    for (subject, metric) in [("provision", "ram_provision"), ("life", "lifetime")] {
        let point = of(subject);
        assert_eq!(point["metric"], metric);
        let mut own = rows.iter().filter(|row| {
            row["target"] == take && row["metric"] == metric && row["timing"] == "max"
        });
        assert!(own.any(|row| row["value"] == point["value"]), "{point}");
    }
    for subject in ["power_cut", "cost", "runner_up", "weakest"] {
        assert!(of(subject)["text"].is_string());
    }
}

#[test]
fn explain_adds_reasons_and_all_loses_nothing() {
    let explained = wordline(&[COMPARE, &["--quiet", "--explain"]].concat());
    let card = screen(COMPARE);
    // The last line of the card says what the flag does.
    let (same, _) = card.trim_end().rsplit_once('\n').expect("lines");
    assert!(explained.stdout.starts_with(same), "{}", explained.stdout);
    let all = everything(&[COMPARE, &["--quiet"]].concat()).stdout;
    let document: Value = wordline(&[COMPARE, &["--format=json"]].concat())
        .done()
        .json();
    for target in document["verdicts"].as_array().expect("verdicts") {
        let target = target["target"].as_str().expect("a name");
        assert!(all.contains(target), "{target}: {all}");
    }
    for word in ["Key figures", "decided by", "warning ["] {
        assert!(all.contains(word), "{word}: {all}");
    }
    assert!(
        explained.stdout.contains("warning ["),
        "{}",
        explained.stdout
    );
    wordline(&[COMPARE, &["--all", "--explain"]].concat()).refused(&["--all", "--explain"]);
}

/// A saved document is answered again from its rows; what it says of itself is not believed.
#[test]
fn a_forged_answer_is_not_repeated() {
    let folder = crate::cli::support::Folder::new();
    let mut document: Value = wordline(&[&SMALL[..], &["--format=json"]].concat())
        .done()
        .json();
    document["answer"]["sentence"] = "Take snake oil.".into();
    let folder = folder.with("forged.json", document.to_string());
    let file = folder.file("forged.json");
    let text = wordline(&["report", &file]).done().stdout;
    assert!(!text.contains("snake oil"), "{text}");
    assert!(text.contains("em064lx"), "{text}");
}
