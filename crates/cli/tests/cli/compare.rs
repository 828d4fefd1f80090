//! `wordline compare`: verdicts, exit codes, studies and their faults.

use serde_json::Value;
use wordline_core::ResultSet;

use crate::cli::support::{FORMATS, Folder, Ran, command, everything, exported, rows, wordline};

/// Two candidates, one of which passes.
const FLAGS: [&str; 9] = [
    "compare",
    "--rate=500KB/s",
    "--record=4KiB",
    "--keep=1h",
    "--duty=10%",
    "--max-ram=16KiB",
    "--min-life=10y",
    "--target",
    "mt29f1g01,em064lx",
];
const STUDY: &str = "[work]\nkind = \"log\"\nrate = \"500 KB/s\"\nrecord = \"4 KiB\"\n";

fn with(flags: &[&str]) -> Ran {
    everything(&[&FLAGS[..], flags].concat())
}

/// Runs a study of this text.
fn of_study(text: impl AsRef<[u8]>, flags: &[&str]) -> Ran {
    let folder = Folder::new().with("my.toml", text);
    let file = folder.file("my.toml");
    wordline(&[&["compare", &file], flags].concat())
}

#[test]
fn the_ranking_comes_first_with_what_decides() {
    let ran = with(&[]).done();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines[0].ends_with("is kept. Verdict: 1 of 2 pass for certain"),
        "{}",
        lines[0]
    );
    let ranked = |rank: &str| {
        let line = lines
            .iter()
            .find(|line| line.trim_start().starts_with(rank));
        *line.unwrap_or_else(|| panic!("no rank {rank}: {}", ran.stdout))
    };
    let first = ranked("1  ");
    for word in [
        "mt29f1g01@stm32h755-qspi",
        "pass  pass",
        "capacity (max)",
        "at most 16",
    ] {
        assert!(first.contains(word), "{word}: {first}");
    }
    let second = ranked("2  ");
    for word in ["em064lx@stm32h755-qspi", "FAIL  FAIL", "capacity", "215"] {
        assert!(second.contains(word), "{word}: {second}");
    }
}

#[test]
fn the_whole_catalogue_is_ranked_where_no_target_is_named() {
    let ran = wordline(&[
        "compare",
        "--rate=20KB/s",
        "--keep=1MiB",
        "--timing=typ",
        "--format=json",
    ]);
    let document = ran.done().json();
    let verdicts = document["verdicts"].as_array().expect("verdicts");
    assert!(verdicts.len() >= 20);
    assert_eq!(
        document["experiment"]["targets"].as_array().map(Vec::len),
        Some(verdicts.len())
    );
}

#[test]
fn the_exit_code_says_whether_something_passes() {
    with(&[]).done();
    let none = with(&["--max-latency=1us"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stdout.contains("Verdict: 0 of 2 pass"), "{none:?}");
    with(&["--require", "mt29f1g01"]).done();
    with(&["--require", "mt29f1g01@stm32h755-qspi"]).done();
    let missed = with(&["--require", "em064lx", "--require", "mt29f1g01"]);
    assert_eq!(missed.code, Some(1), "{missed:?}");
    // It passes at typical timing alone.
    let hard = with(&["--max-latency=5ms", "--require", "mt29f1g01"]);
    assert_eq!(hard.code, Some(1), "{hard:?}");
    with(&["--max-latency=5ms"]).done();
}

#[test]
fn settings_that_change_nothing_or_go_badly_together_are_remarked() {
    let says = |flags: &[&str], words: &str| {
        let ran = everything(&[&["compare", "--rate=5KB/s", "--keep=1MiB"], flags].concat());
        let text = ran.stdout + &ran.stderr;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains(words)
    };
    let unused = "no candidate is behind a translation layer";
    assert!(says(&["--target=mt29f1g01", "--fill=50%"], unused));
    assert!(!says(
        &["--target=mt29f1g01", "--fill=50%", "--ftl=page"],
        unused
    ));
    let above = "a cache may hold 1 MiB between flushes";
    let risk = "--max-bytes-at-risk=8KiB";
    assert!(says(&["--target=em064lx", "--max-loss=1MiB", risk], above));
    assert!(!says(&["--target=em064lx", "--max-loss=8KiB", risk], above));
}

#[test]
fn a_printed_study_names_its_logs_where_they_lie() {
    let folder = Folder::new().with("own.csv", own_log());
    let log = folder.file("own.csv");
    let flags = ["--rate=500KB/s", "--target=em064lx", "--keep=1MiB"];
    let printed = |more: &[&str]| {
        let ran = wordline(&[&["compare"], more, &["--print-study"]].concat()).done();
        let elsewhere = Folder::new().with("s.toml", &ran.stdout);
        let ran = wordline(&["compare", &elsewhere.file("s.toml")]);
        assert!(ran.stdout.contains("log:own.csv"), "{ran:?}");
    };
    printed(&[&flags[..], &["--log", &log]].concat());
    // That of a study lies beside the study.
    let study = format!("logs = [\"own.csv\"]\ntargets = [\"em064lx\"]\n{STUDY}");
    let folder = folder.with("s.toml", study);
    printed(&[&folder.file("s.toml"), "--keep=1MiB"]);
}

#[test]
fn what_is_required_is_a_candidate() {
    let ran = with(&["--require", "w25n01gv", "--format=json"]).done();
    let document = ran.json();
    let targets = document["experiment"]["targets"]
        .as_array()
        .expect("targets");
    assert_eq!(targets.len(), 3);
    assert_eq!(targets[2], "w25n01gv@stm32h755-qspi");
    with(&["--require", "nowhere"]).refused(&["unknown part \"nowhere\""]);
    let board = "em064lx@stm32h743-fmc8";
    let unfit = with(&["--require", board, "--format=json"]);
    assert_eq!(unfit.code, Some(1), "{unfit:?}");
    let document = unfit.json();
    let verdicts = document["verdicts"].as_array().expect("verdicts").iter();
    let fit: Vec<&Value> = verdicts.filter(|one| one["target"] == board).collect();
    assert_eq!(fit.len(), 2);
    assert!(
        fit.iter()
            .all(|one| one["limit"] == "fit" && one["pass"] == false)
    );
}

#[test]
fn a_printed_study_makes_the_document_of_the_flags() {
    let flags = [
        "--utilization=50%",
        "--work=mixed",
        "--reads=30%",
        "--max-energy-per-day=5000J",
        "--max-bytes-at-risk=16KiB",
        "--max-holdup=100mF",
        "--max-cost=500EUR",
        "--max-parts=40",
        "--ram-price=0.01EUR",
        "--shifter-price=0.5EUR",
        "--price=mt29f1g01=2.10EUR",
        "--age=0.25",
        "--seed=7",
        "--timing=sampled,typ",
        "--title=a \"study\" of\\ours",
        "--max-latency=1s",
    ];
    let study = with(&[&flags[..], &["--print-study"]].concat()).done();
    assert!(study.stdout.starts_with("# A study"), "{study:?}");
    let of_flags = with(&[&flags[..], &["--format=json"]].concat());
    let folder = Folder::new().with("s.toml", &study.stdout);
    let of_file = wordline(&["compare", &folder.file("s.toml"), "--format=json"]);
    assert_eq!(of_file.stdout, of_flags.stdout);
    assert_eq!(of_file.code, of_flags.code);
    let mut piped = command(&["compare", "-", "--format=json"]);
    assert_eq!(
        Ran::of(piped.write_stdin(study.stdout)).stdout,
        of_flags.stdout
    );
}

#[test]
fn the_printed_command_makes_the_same_document() {
    let flags = [
        "--price=mt29f1g01=2.10EUR",
        "--title=it's $(id)",
        "--max-cost=500EUR",
    ];
    let first = with(&[&flags[..], &["--format=json", "--seed=5"]].concat()).done();
    let document = ResultSet::from_json(&first.stdout).expect("our own document");
    let line = document.command_line();
    let program = env!("CARGO_BIN_EXE_wordline");
    if cfg!(unix) {
        let line = line.replacen("wordline", &format!("'{program}'"), 1) + " --format json";
        let shell = std::process::Command::new("sh")
            .args(["-c", &line])
            .output();
        let shell = shell.expect("a shell");
        assert_eq!(
            String::from_utf8_lossy(&shell.stdout),
            first.stdout,
            "{line}"
        );
    }
}

#[test]
fn exports_hold_no_path_and_quiet_says_nothing() {
    let trace = "fio version 2 iolog\na add\na open\na write 0 4096\na write 4096 4096\na close\n";
    let folder = Folder::new().with("my.trace", trace);
    let named = folder.file("my.trace");
    let mut arguments = vec!["compare", "trace-replay", "--trace", &named];
    arguments.extend(["--target", "em064lx,mt29f1g01"]);
    let files = exported(&arguments, &folder, "em064lx");
    let page = folder.read("a.html");
    assert!(page.to_ascii_lowercase().starts_with("<!doctype html>"));
    let again = everything(&["report", &files[0], "--format", "markdown"]).done();
    assert_eq!(again.stdout, folder.read("a.md"));
    let study = format!("{STUDY}trace = \"my.trace\"\n").replace("\"log\"", "\"replay\"");
    let folder = folder.with("s.toml", study);
    let beside = folder.file("s.toml");
    let ran = everything(&["compare", &beside, "--target", "em064lx", "--keep=1MiB"]).done();
    assert!(
        ran.stdout.contains("Verdict: 1 of 1"),
        "a trace lies beside its study: {ran:?}"
    );
    let mut piped = command(&[
        "compare",
        "trace-replay",
        "--trace",
        "-",
        "--target=em064lx",
    ]);
    piped.args(["--keep=1MiB"]);
    Ran::of(piped.write_stdin(trace)).done();
}

#[test]
fn every_format_is_the_same_each_time() {
    for format in FORMATS {
        let run = || with(&["--format", format]).done().stdout;
        assert_eq!(run(), run(), "{format}");
    }
}

#[test]
fn studies_that_come_along_run_by_name() {
    for name in ["boot-image", "sensor-node-battery", "trace-replay"] {
        let target = "--target=em064lx,mt29f1g01";
        let ran = wordline(&["compare", name, target, "--format=json"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        assert_eq!(ran.json()["verdicts"].as_array().map(Vec::len), Some(4));
    }
    let missing = [
        "compare",
        "trace-replay",
        "--trace=no.log",
        "--target=em064lx",
    ];
    wordline(&missing).refused(&["no.log: cannot be read"]);
}

#[test]
fn faults_of_a_study_are_shown_in_their_line() {
    let refused = |text: String, words: &[&str]| of_study(text, &[]).refused(words);
    refused(
        STUDY.replace("record =", "recrd ="),
        &["my.toml:4", "unknown field `recrd`", "`record`"],
    );
    refused(
        format!("{STUDY}[limts]\nram = \"1 KiB\"\n"),
        &["my.toml:5", "`limts`", "`limits`"],
    );
    refused(
        STUDY.replace("500 KB/s", "0 B/s"),
        &["my.toml:3", "work.rate 0 B/s is out of range"],
    );
    refused(
        STUDY.replace("500 KB/s", "-5 KB/s"),
        &["my.toml:3", "below zero"],
    );
    refused(
        STUDY.replace("500 KB/s", "5 parsecs"),
        &["my.toml:3", "unknown unit"],
    );
    refused(
        STUDY.replace("4 KiB", "1000000000000000000 B"),
        &["my.toml:4", "allowed: 1 B to 16 MiB"],
    );
    refused(
        format!("{STUDY}[limits]\nlife = \"1 y\"\nram = \"2 KiB\"\n"),
        &["my.toml:7", "limits.ram of 2 KiB is below two records of 4"],
    );
    refused(
        format!("{STUDY}[limits]\nbytes_at_risk = \"2 KiB\"\n"),
        &[
            "my.toml:6",
            "limits.bytes_at_risk of 2 KiB is below two records",
        ],
    );
    // What is at risk is more than what waits, and may be allowed more than the RAM for what waits.
    let both = "keep = \"1 MiB\"\n[limits]\nram = \"8 KiB\"\nbytes_at_risk = \"64 KiB\"\n";
    of_study(format!("{STUDY}{both}"), &["--target=em064lx"]).done();
    refused(
        format!("{STUDY}[limits]\nparts = 0\n"),
        &["my.toml:6", "limits.parts 0 is out of range"],
    );
    refused(format!("age = 2.0\n{STUDY}"), &["my.toml:1", "age"]);
    refused(format!("timing = []\n{STUDY}"), &["my.toml:1", "timing"]);
    refused(
        format!("{STUDY}rate = \"1 B/s\"\n"),
        &["my.toml:5", "duplicate key"],
    );
    refused("[work".to_owned(), &["my.toml:1"]);
    refused(
        format!("timing = [\"max\", \"max\"]\n{STUDY}"),
        &["my.toml:1", "one twice"],
    );
    refused(String::new(), &["missing field `work`"]);
    of_study(b"\xff\xfe\0", &[]).refused(&["my.toml", "is not a text file"]);
    of_study("#".repeat(2_000_000), &[]).refused(&["larger than 1 MiB"]);
    let folder = Folder::new();
    wordline(&["compare", &folder.argument()]).refused(&["cannot be read"]);
    wordline(&["compare", "no-such-study"]).refused(&["there is no such file", "data-logger"]);
}

#[test]
fn flags_that_cannot_be_are_refused() {
    wordline(&["compare"]).refused(&["--rate 500KB/s", "data-logger"]);
    let refused = |flags: &[&str], words: &[&str]| {
        wordline(&[&["compare", "--rate=5KB/s"], flags].concat()).refused(words);
    };
    wordline(&["compare", "--rate=0B/s"]).refused(&["work.rate 0 B/s is out of range"]);
    wordline(&["compare", "--rate=-5KB/s"]).refused(&["below zero"]);
    wordline(&["compare", "--rate=1e30B/s"]).refused(&["work.keep of 1 h"]);
    refused(&["--target=em064lx,em064lx"], &["named twice"]);
    refused(&["--target=nowhere"], &["unknown part \"nowhere\""]);
    refused(&["--record=0B"], &["work.record 0 B is out of range"]);
    refused(
        &["--record=4KiB", "--max-ram=2KiB"],
        &["limits.ram of 2 KiB is below two records of 4"],
    );
    refused(&["--duty=0%"], &["work.duty"]);
    refused(&["--duty=200%"], &["work.duty"]);
    refused(&["--reads=10%"], &["work.reads goes with"]);
    refused(&["--max-parts=0"], &["limits.parts 0 is out of range"]);
    refused(
        &["--price=mt29f1g10=1EUR"],
        &["mt29f1g10", "not a part of the catalogue"],
    );
    refused(&["--price=mt29f1g01"], &["expected PART=PRICE"]);
    refused(&["--price=mt29f1g01=-1EUR"], &["below zero"]);
    refused(
        &["--price=mt29f1g01=1EUR,mt29f1g01=2EUR"],
        &["--price mt29f1g01: it is set twice"],
    );
    // What begins with a minus is a value, whatever its unit is.
    refused(
        &["--max-ram", "-1KiB"],
        &["\"-1KiB\" is not a size", "below zero"],
    );
    refused(&["--min-life", "-1y"], &["below zero"]);
    refused(&["--max-cost", "-1EUR"], &["below zero"]);
    refused(
        &["--keep=0"],
        &[
            "\"0\" is not a size",
            "needs a unit",
            "or a period, such as",
        ],
    );
    for (keep, unit) in [
        ("--keep=16EiB", "EiB"),
        ("--keep=5 lightyears", "lightyears"),
    ] {
        let words = format!("is neither a size nor a period: unknown unit \"{unit}\"");
        refused(&[keep], &[&words]);
    }
    refused(&["--keep=99999999TiB"], &["is not a size", "is too large"]);
    refused(&["--keep=-1h"], &["it is below zero"]);
    refused(
        &["--work=read", "--max-loss=1MiB"],
        &["limits.loss goes with work that writes"],
    );
    refused(
        &["--work=read", "--trace=x"],
        &["goes with the kind replay"],
    );
    refused(&["--work=replay"], &["work.trace is missing"]);
    refused(&["--age=2"], &["age 2"]);
    refused(&["--age=nan"], &["age NaN"]);
    refused(&["--timing=typ,typ"], &["typ is named twice"]);
    refused(
        &["--print-study", "--require=em064lx"],
        &["cannot be used with"],
    );
}

/// A title that moves the cursor or is markup stays text.
#[test]
fn titles_stay_text_everywhere() {
    let folder = Folder::new();
    let page = folder.file("a.html");
    for title in ["--title=\u{1b}[2J", "--title=<img src=x onerror=alert(1)>"] {
        for format in ["table", "markdown", "csv", "json"] {
            with(&[title, "--format", format, "--export", &page]).done();
        }
        let text = folder.read("a.html");
        assert!(!text.contains("<img src=x") && !text.contains('\u{1b}'));
    }
}

/// What once broke a comparison.
#[test]
fn a_pair_may_be_named_beside_its_chip_and_limits_may_be_tiny() {
    let call = [
        "compare",
        "--rate=500KB/s",
        "--target=mt29f1g01,2*mt29f1g01",
        "--in-turn",
    ];
    assert!(everything(&call).done().stdout.contains("of 2 pass"));
    let call = [
        "compare",
        "--rate=50KB/s",
        "--record=128KiB",
        "--keep=256KiB",
        "--work=overwrite",
        "--in-turn",
        "--target=mt29f1g01",
    ];
    let ran = everything(&call).done();
    assert!(ran.stdout.contains("1 of 2 pass"), "{ran:?}");
    // Records that come once in days: the pair is run in before the first of them.
    let slow = [
        "compare",
        "--rate=0.01B/s",
        "--keep=4KiB",
        "--target=2*mt29f1g01",
    ];
    assert!(everything(&slow).done().stdout.contains("1 of 1 pass"));
    let tiny = wordline(&[
        "compare",
        "--rate=500KB/s",
        "--target=em064lx",
        "--max-energy-per-day=1e-320J",
    ]);
    assert_eq!(tiny.code, Some(1), "{tiny:?}");
}

/// Writes of 4 KiB of 1 ms each, and every hundredth of 3 ms.
fn own_log() -> String {
    let mut text = "start_us,op,bytes,duration_us\n".to_owned();
    let mut at = 0;
    for index in 1..=2000 {
        let duration = if index % 100 == 0 { 3000 } else { 1000 };
        text += &format!("{at},write,4096,{duration}\n");
        at += duration;
    }
    text
}

#[test]
fn a_measured_log_is_ranked_beside_simulated_parts() {
    let folder = Folder::new().with("own.csv", own_log());
    let log = folder.file("own.csv");
    let asked = [
        "compare",
        "--rate=500KB/s",
        "--record=4KiB",
        "--keep=1MiB",
        "--max-ram=64KiB",
        "--target=em064lx,mt29f1g01",
        "--log",
        &log,
    ];
    let ran = everything(&asked).done();
    assert!(ran.stdout.contains("simulated"), "{}", ran.stdout);
    // One verdict, for a log has no columns of a data sheet; and the marked figures of a log.
    for cells in [
        "log:own.csv measured depends –",
        "log:own.csv measured 8 KiB",
    ] {
        let mut lines = ran.stdout.lines();
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = lines.any(|line| words(line).contains(cells));
        assert!(found, "{cells}: {}", ran.stdout);
    }
    let required = |name: &str, limit: &str| {
        everything(&[&asked[..], &["--require", name, limit]].concat()).code
    };
    assert_eq!(required("own.csv", "--max-latency=1s"), Some(0));
    assert_eq!(required("log:own.csv", "--max-latency=2ms"), Some(1));

    // What the log does not show decides, and what it does not tell is no failure.
    let says = |flags: &[&str], words: &[&str]| {
        let ran = everything(&[&asked[..], flags].concat()).done();
        for words in words {
            assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
        }
    };
    says(
        &[],
        &["The verdict on log:own.csv is not certain: flush not recorded."],
    );
    says(
        &["--log-flushed", "--min-life=1y"],
        &[
            "A log does not tell the lifetime of log:own.csv, so that this limit is not judged.",
            "Against lifetime of log:own.csv: a log does not tell it.",
        ],
    );

    // A short log says so.
    let short: String = own_log()
        .lines()
        .take(90)
        .map(|line| format!("{line}\n"))
        .collect();
    let folder = folder.with("short.csv", short);
    let ran = everything(&[&asked[..7], &[&folder.file("short.csv")]].concat()).done();
    for words in [
        "The verdict on log:short.csv is not certain: too few accesses.",
        "The log needed 8 KiB of RAM, and is too short to support more than itself",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }

    // The same from a study, beside which it lies, and in every format without its folder.
    let study = format!("logs = [\"own.csv\"]\ntargets = [\"em064lx\"]\n{STUDY}");
    let folder = folder.with("s.toml", study);
    let beside = folder.file("s.toml");
    let ran = everything(&["compare", &beside, "--keep=1MiB"]).done();
    assert!(ran.stdout.contains("log:own.csv"), "{ran:?}");
    exported(&asked, &folder, "log:own.csv");
    let page = folder.read("a.html");
    assert!(page.contains("log:own.csv (measured)"));
    let mut piped = command(&[&asked[..7], &["-"]].concat());
    let ran = Ran::of(piped.write_stdin(own_log())).done();
    assert!(ran.stdout.contains("log:-"), "{ran:?}");
}

/// A log with its current ranks by energy; the first current belongs to the first log.
#[test]
fn a_log_with_its_current_is_ranked_by_energy() {
    let mut current = "Timestamp(ms),Current(uA),D0-D7\n".to_owned();
    for step in 0..=41_000 {
        current += &format!("{},5000,0\n", f64::from(step) / 20.0);
    }
    let folder = Folder::new()
        .with("own.csv", own_log())
        .with("ppk.csv", current);
    let (log, current) = (folder.file("own.csv"), folder.file("ppk.csv"));
    let asked = [
        "compare",
        "--rate=500KB/s",
        "--record=4KiB",
        "--keep=256KiB",
        "--prefer=energy",
        "--target=em064lx",
        "--log",
        &log,
        "--current",
        &current,
    ];
    let ran = everything(&[&asked[..], &["--voltage=3.3V"]].concat()).done();
    for words in ["energy a day", "without the standby between them"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let json = [&asked[..], &["--voltage=3.3V", "--format=json"]].concat();
    let document = everything(&json).done().json();
    // 5 mA at 3.3 V for 1.02 ms on average.
    let per_op = rows(&document, "energy_per_op")[0]["value"]
        .as_f64()
        .expect("joules");
    assert!(
        (per_op / (5e-3 * 3.3 * 1.02e-3) - 1.0).abs() < 1e-3,
        "{per_op}"
    );
    everything(&asked).refused(&["is stated nowhere in ppk.csv", "add --voltage"]);
    everything(&[&asked[..], &["--current", &current, "--voltage=3.3V"]].concat())
        .refused(&["currents names 2, and there are 1 logs"]);
}

#[test]
fn logs_that_cannot_be_candidates_are_refused() {
    let folder = Folder::new().with("own.csv", own_log());
    let other = Folder::new().with("own.csv", own_log());
    let (one, two) = (folder.file("own.csv"), other.file("own.csv"));
    let refused = |flags: &[&str], words: &[&str]| with(flags).refused(words);
    refused(
        &["--log", &one, "--log", &two],
        &["two files own.csv", "rename one"],
    );
    refused(&["--log", "no.csv"], &["no.csv: cannot be read"]);
    refused(&["--log", &one, "--work=mixed"], &["not with mixed"]);
    refused(
        &["--log", &one, "--work=read"],
        &["no read among", "--work log"],
    );
    refused(&["--durations=paced"], &["only with --log FILE"]);
    refused(&["--log-flushed"], &["only with --log FILE"]);
    refused(
        &["--log", &one, "--log-format=nonsense"],
        &["log format", "csv"],
    );
    let larger = ["--rate=1MB/s", "--record=6KiB", "--log", &one];
    wordline(&[&["compare", "--target=em064lx"], &larger[..]].concat())
        .refused(&["own.csv: line 2", "no whole number of records"]);
    let study = folder.with("s.toml", format!("logs = [\"gone.csv\"]\n{STUDY}"));
    wordline(&["compare", &study.file("s.toml"), "--target=em064lx"])
        .refused(&["gone.csv: cannot be read"]);
}
