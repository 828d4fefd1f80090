//! `wordline buffer`: the figures that must be shown, exports, and input that cannot be used.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use wordline_core::ResultSet;

use crate::cli::support::{FORMATS, Folder, Ran, command, everything, exported, rows, wordline};

/// A run that takes a moment.
const SMALL: [&str; 10] = [
    "buffer",
    "--target",
    "mt29f1g01",
    "--record",
    "4KiB",
    "--total",
    "1MiB",
    "--wrap",
    "256KiB",
    "--rate=4096KB/s",
];
const TRACE: &str =
    "fio version 2 iolog\na add\na open\na write 0 4096\na write 4096 4096\na close\n";

/// An excerpt of a real log.
fn excerpt(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/tests/data");
    fs::read_to_string(data.join(name)).expect("the excerpt is checked in")
}

fn randwrite() -> String {
    excerpt("fio-3.33-randwrite4k_lat.1.log")
}

/// Analyses a log with further flags.
fn of_log(content: impl AsRef<[u8]>, flags: &[&str]) -> Ran {
    let folder = Folder::new().with("my.log", content);
    let file = folder.file("my.log");
    everything(&[&["buffer", "--log", &file], flags].concat())
}

#[test]
fn a_nand_at_a_rate_is_answered_in_its_first_lines() {
    let ran = everything(&SMALL).done();
    let first = ran.stdout.lines().next().expect("an answer");
    for words in [
        "Provision 16 KiB of RAM for mt29f1g01@stm32h755-qspi at 4.10 MB/s at typical timing: proven",
        "At the data sheet's maximum no RAM is enough: the buffer grows by",
        "Records of 4 KiB arrive whole: one is gathered, 8 KiB wait, and one is written",
        "Rerun with accesses that wait for their data: 16 KiB",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    for words in [
        "The highest rate that any RAM can carry",
        "The slowest of 256 accesses takes",
        "RAM by input rate at typical timing",
        "Highest safe rate by RAM",
        "Longest sequences",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_log_is_answered_for_rates_and_sizes_of_ram() {
    let ran = of_log(randwrite(), &["--rate", "20MB/s", "--ram", "64KiB"]).done();
    let first = ran.stdout.lines().next().expect("an answer");
    assert!(
        first.starts_with("Provision 12 KiB of RAM for log:my.log "),
        "{first}"
    );
    for words in [
        "at 20.0 MB/s: the log needed it, and is too short to support more than itself.",
        "Records of 4 KiB arrive whole: one is gathered, ",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    let sizes = "With 64 KiB of RAM log:my.log carries up to ";
    assert!(ran.stdout.contains(sizes), "{}", ran.stdout);
    let csv = of_log(randwrite(), &["--rate", "20MB/s", "--format", "csv"]).done();
    assert!(
        csv.stdout
            .lines()
            .any(|line| line.contains("log:my.log") && line.contains("ram_peak"))
    );
}

/// A long log of writes that spread: one number for the horizon that is asked for, and in JSON the same.
#[test]
fn a_long_log_is_answered_for_a_horizon() {
    let mut text = "op,bytes,duration_us\n".to_owned();
    for index in 0..4000_u64 {
        // Of 2 ms, and of 1 ms more for each time that the number divides by 3.
        let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let above = (mixed % 1_000_000 + 1) as f64 / 1e6;
        text += &format!("write,4096,{:.3}\n", 1000.0 - 400.0 * above.ln());
    }
    let asked = ["--rate=2MB/s", "--horizon=10min"];
    let ran = of_log(&text, &asked).done();
    let first = ran.stdout.lines().next().expect("an answer");
    let words = "it holds for 10.0 min of such writes with 95 % confidence. The log alone needed ";
    assert!(
        first.starts_with("Provision ") && first.contains(words),
        "{first}"
    );
    let document = of_log(&text, &[&asked[..], &["--format", "json"]].concat())
        .done()
        .json();
    let of = |metric| rows(&document, metric);
    assert_eq!(of("provision_confidence")[0]["value"], 0.95);
    let horizon = of("provision_horizon")[0]["value"]
        .as_f64()
        .expect("a time");
    assert!((horizon / 600.0 - 1.0).abs() < 1e-9, "{horizon}");
    let numbers = of("ram_provision");
    let [number, seen] = numbers.as_slice() else {
        panic!("two numbers: {numbers:?}");
    };
    assert_eq!(
        (&number["basis"], &seen["basis"]),
        (&"assumed".into(), &"measured".into())
    );
    assert!(number["estimate"].is_null() && seen["estimate"] == "seen");
    assert!(number["value"].as_f64() >= seen["value"].as_f64());
}

#[test]
fn a_log_and_a_trace_come_from_standard_input() {
    let mut call = command(&[
        "buffer", "--log", "-", "--rate", "1MB/s", "--format", "json",
    ]);
    let document = Ran::of(call.write_stdin(randwrite())).done().json();
    assert_eq!(rows(&document, "access_count")[0]["target"], "log:-");
    // It is read once for each timing class, and once more at its own times.
    let mut call = command(&["buffer", "--trace", "-", "--target", "em064lx,cy15b104q"]);
    call.args(["--format", "json"]);
    let document = Ran::of(call.write_stdin(TRACE)).done().json();
    let counts = rows(&document, "access_count");
    assert_eq!(counts.len(), 4);
    assert!(counts.iter().all(|row| row["value"] == 2.0));
    // A standard input that is a file stays where it is while it is read.
    let folder = Folder::new().with("io.log", TRACE);
    let file = std::fs::File::open(folder.file("io.log")).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(["buffer", "--trace", "-", "--target", "em064lx,cy15b104q"])
        .args(["--format", "json"])
        .stdin(file)
        .output()
        .expect("the command starts");
    let again: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    assert_eq!(again, document);
}

#[test]
fn exports_hold_no_path_and_quiet_says_nothing() {
    let folder = Folder::new().with("my.log", randwrite());
    let log = folder.file("my.log");
    let arguments = ["buffer", "--log", &log, "--rate", "20MB/s"];
    let files = exported(&arguments, &folder, "my.log");
    let document = ResultSet::from_json(&folder.read("a.json")).expect("our own document");
    assert!(document.complete);
    let again = wordline(&["report", &files[0], "--format", "csv"]).done();
    assert_eq!(again.stdout, folder.read("a.csv"));
}

#[test]
fn every_format_is_the_same_each_time() {
    for format in FORMATS {
        let run = || {
            wordline(&[&SMALL[..], &["--format", format]].concat())
                .done()
                .stdout
        };
        assert_eq!(run(), run(), "{format}");
    }
}

/// The command that a document prints makes the document again, in the folder of its log.
#[test]
fn the_printed_command_makes_the_same_document() {
    let again = |arguments: &[&str], folder: &Folder| {
        let run = |words: &[&str]| {
            let mut call = command(words);
            Ran::of(call.args(["--format", "json"]).current_dir(folder.path())).done()
        };
        let first = run(arguments).stdout;
        let document = ResultSet::from_json(&first).expect("our own document");
        let line = document.command_line();
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        assert_eq!(run(&words).stdout, first, "{line}");
    };
    let folder = Folder::new()
        .with("my.log", randwrite())
        .with("my.trace", TRACE);
    again(
        &[
            &SMALL[..],
            &[
                "--ram=8KiB",
                "--power-up",
                "--startup=1.5ms",
                "--backlog=1000B",
                "--horizon=1d",
            ],
            &[
                "--seed=3",
                "--age=0.5",
                "--timing=sampled,typ",
                "--operation=read",
            ],
            &["--pattern=random"],
        ]
        .concat(),
        &folder,
    );
    again(
        &[
            "buffer",
            "--log",
            "my.log",
            "--rate",
            "12345678.9B/s,1MB/s",
            "--ram",
            "5000B",
            "--durations",
            "start-to-start",
            "--operation",
            "write",
            "--log-unit",
            "ns",
            "--log-format",
            "fio-log",
            "--record",
            "4KiB",
        ],
        &folder,
    );
    again(
        &[
            "buffer", "--trace", "my.trace", "--target", "em064lx", "--rate", "1MB/s",
        ],
        &folder,
    );
}

#[test]
fn a_ram_that_holds_no_record_is_warned_of() {
    let ran = of_log(randwrite(), &["--ram", "1KiB", "--format", "json"]).done();
    ran.says(&[
        "(record-exceeds-ram)",
        "1 KiB of RAM hold no record of 4 KiB",
    ]);
}

#[test]
fn logs_that_cannot_be_used_are_refused_by_name_and_line() {
    let refused = |content: &[u8], flags: &[&str], words: &[&str]| {
        of_log(content, flags).refused(&[&["my.log"], words].concat());
    };
    refused(b"", &[], &["has no access in it"]);
    refused(b"\n \n\n", &[], &["has no access in it"]);
    refused(
        b"\0\xff\x1b[2J binary \x07\n\xfe",
        &[],
        &["line 1", "is of no known format", "fio-log"],
    );
    refused(
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03abc",
        &[],
        &["cannot be read", "gzip data"],
    );
    let mixed = excerpt("fio-3.33-mixed_lat.1.log");
    refused(
        mixed.as_bytes(),
        &[],
        &[
            "line 7: a write in a log that begins with a read",
            "--operation",
        ],
    );
    let fsync = excerpt("fio-3.33-fsync4k_lat.1.log");
    refused(
        fsync.as_bytes(),
        &[],
        &["of its time", "--durations start-to-start"],
    );
    let lines = randwrite().replacen("105086", "1e5", 1);
    refused(lines.as_bytes(), &[], &["line 2", "1e5"]);
    refused(
        randwrite().as_bytes(),
        &["--record", "512B"],
        &["line 1", "moved 4 KiB"],
    );
    refused(
        randwrite().as_bytes(),
        &["--operation", "read"],
        &["there is no read"],
    );
    of_log(randwrite(), &["--log-format", "fio"]).refused(&["unknown format \"fio\"", "fio-log"]);
    let histogram = b"0, 1, 0, 0, 1, 2, 3, 4\n";
    refused(
        histogram,
        &["--log-format", "fio-hist"],
        &["line 1", "5 bins", "1856"],
    );
    refused(TRACE.as_bytes(), &[], &["--trace FILE --target"]);
}

#[test]
fn oddities_of_a_log_are_warned_of_with_their_line() {
    let text = randwrite();
    let cut = &text[..text.len() - 10];
    of_log(cut, &["--format", "json"])
        .done()
        .says(&["line 150", "cut off", "(truncated-log)"]);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[49] = lines[49].replacen(lines[49].split(',').next().expect("a time"), "1", 1);
    let backwards = lines.join("\n") + "\n";
    let ran = of_log(backwards, &["--format", "json"]).done();
    ran.says(&["line 50", "(backwards-time)"]);
    // The real log covers its time by a little more than it shows, since its times are whole milliseconds.
    let ran = of_log(&text, &["--format", "json"]).done();
    ran.says(&["150 accesses are few", "(few-samples)", "(closed-loop)"]);
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = Folder::new();
    let here = folder.argument();
    wordline(&["buffer", "--log", &here]).refused(&["this is a folder"]);
    let missing = folder.file("missing.log");
    wordline(&["buffer", "--log", &missing]).refused(&["missing.log: cannot be read"]);
    if cfg!(unix) {
        wordline(&["buffer", "--log", "/dev/null"]).refused(&["has no access in it"]);
    }
    wordline(&["buffer", "--trace", &missing, "--target", "em064lx"])
        .refused(&["missing.log: cannot be read"]);
}

#[test]
fn rates_and_sizes_that_cannot_be_are_refused() {
    let refused = |flags: &[&str], words: &[&str]| {
        wordline(&[&["buffer", "--target", "em064lx"], flags].concat()).refused(words);
    };
    refused(
        &["--rate=0B/s"],
        &["rate 0 B/s is out of range", "allowed: 0.001 B/s"],
    );
    refused(&["--rate=0"], &["\"0\" is not a data rate", "KB/s"]);
    refused(
        &["--rate=-5KB/s"],
        &["\"-5KB/s\" is not a data rate", "below zero"],
    );
    refused(&["--rate=5parsecs"], &["unknown unit \"parsecs\"", "KB/s"]);
    refused(&["--rate=1e30B/s"], &["is out of range"]);
    refused(&["--rate=1MB/s,1000KB/s"], &["1000000 B/s is named twice"]);
    refused(&["--ram=4KiB,4096B"], &["named twice"]);
    refused(&["--record=0B"], &["record 0 B does not fit"]);
    refused(
        &["--record=1000000000000000000B"],
        &["record", "does not fit", "8 MiB"],
    );
    refused(&["--wrap=1TiB"], &["wrap 1 TiB is outside em064lx"]);
    refused(&["--target=em064lx@stm32h755-qspi"], &["named twice"]);
    refused(&["--horizon=0s"], &["horizon 0"]);
    refused(&["--startup=300d"], &["\"300d\" is not a time"]);
    refused(&["--age=2"], &["age 2"]);
    refused(&["--durations=latency"], &["--durations is about a log"]);
    refused(&["--log", "my.log"], &["cannot be used with"]);
    wordline(&["buffer"]).refused(&["--target <TARGET>"]);
    wordline(&["buffer", "--log", "a", "--power-up"]).refused(&["cannot be used with"]);
    wordline(&["buffer", "--trace", "a"]).refused(&["--target"]);
}

/// Time that the theory cannot count is a message and no panic.
#[test]
fn absurd_times_end_in_order() {
    for flags in [
        ["--startup=213d", "--power-up", "--rate=1B/s"],
        [
            "--startup=18446744073709551615ps",
            "--power-up",
            "--rate=1MB/s",
        ],
        [
            "--backlog=18446744073709551615B",
            "--power-up",
            "--rate=1MB/s",
        ],
        [
            "--backlog=4611686018427387903B",
            "--power-up",
            "--rate=9e9GB/s",
        ],
        ["--startup=1ps", "--power-up", "--rate=0.001B/s"],
    ] {
        let mut arguments = vec![
            "buffer",
            "--target",
            "mt29f1g01",
            "--total=64KiB",
            "--wrap=64KiB",
        ];
        arguments.extend(flags);
        let ran = wordline(&arguments);
        assert!(matches!(ran.code, Some(0..=2)), "{ran:?}");
    }
}

/// A name that moves the cursor and one that is markup.
#[cfg(unix)]
#[test]
fn names_of_logs_stay_text_everywhere() {
    for name in [
        "\u{1b}[2J\u{7}.log",
        "<img src=x onerror=alert(1)>.log",
        "it's $(id) `x`.log",
    ] {
        let folder = Folder::new().with(name, randwrite());
        let (log, page) = (folder.file(name), folder.file("a.html"));
        for format in FORMATS {
            let mut arguments = vec!["buffer", "--log", &log, "--rate=1MB/s", "--format", format];
            if format == "json" {
                arguments.extend(["--export", &page]);
            }
            wordline(&arguments).done();
        }
        let page = folder.read("a.html");
        assert!(!page.contains("<img src=x"), "{name} became markup");
        assert!(!page.contains('\u{1b}'));
        wordline(&["buffer", "--log", &folder.file("missing\u{1b}[2J")])
            .refused(&["cannot be read"]);
    }
}

#[test]
fn a_trace_that_a_flash_refuses_is_a_failure_by_name() {
    let trace =
        "fio version 2 iolog\na add\na open\na write 4096 4096\na write 4096 4096\na close\n";
    let folder = Folder::new().with("my.trace", trace);
    let file = folder.file("my.trace");
    let ran = everything(&["buffer", "--trace", &file, "--target", "mt29f1g01,em064lx"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("translation layer"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("em064lx@stm32h755-qspi"),
        "{}",
        ran.stdout
    );
}

/// Each of its many runs takes a moment, so that some are done and others are not.
#[test]
fn an_interrupted_run_prints_its_finished_rows() {
    for wait_ms in [500, 1000, 2000, 4000, 8000, 16_000] {
        let child = Command::new(env!("CARGO_BIN_EXE_wordline"))
            .args([
                "buffer",
                "--target",
                "em064lx,as3004316,mr4a16b,m95m04,cy15b104q",
            ])
            .args([
                "--record=1B",
                "--wrap=1KiB",
                "--total=256KiB",
                "--timing=typ,max,sampled",
            ])
            .args(["--rate=1KB/s,2KB/s,3KB/s,4KB/s,5KB/s", "--format=json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let child = child.expect("the command starts");
        thread::sleep(Duration::from_millis(wait_ms));
        let pid = child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status();
        let output = child.wait_with_output().expect("the command ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        // A run without an exit code was killed before it listened.
        if output.status.code().is_none() {
            continue;
        }
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
        assert_eq!(document["complete"], false);
        let finished = rows(&document, "access_count");
        assert!(finished.len() < 15);
        if finished.is_empty() {
            continue;
        }
        assert_eq!(finished[0]["target"], "em064lx@stm32h755-qspi");
        return;
    }
    panic!("no run finished its first target");
}

/// A bound at the maximum is proven from maxima; a board that states no maximum of its driver's work leaves it
/// assumed.
#[test]
fn a_bound_without_a_maximum_is_assumed() {
    let sheets = Folder::new().with_sheet(
        "stm32h755-qspi",
        "lacking",
        &[(
            "dma_setup = { typ = \"4260 cycles\", max = \"4260 cycles\",",
            "dma_setup = { typ = \"4260 cycles\",",
        )],
    );
    let catalog = sheets.argument();
    let bases = |board: &str| -> Vec<(String, String)> {
        let target = format!("mt29f1g01@{board}");
        let call = [
            "buffer",
            "--target",
            &target,
            "--rate=500KB/s",
            "--timing=typ,max",
            "--catalog",
            &catalog,
            "--format=json",
        ];
        let document = wordline(&call).done().json();
        let bound = rows(&document, "ram_peak").into_iter();
        let bound = bound.filter(|row| row["estimate"] == "bound" || row["estimate"] == "formula");
        let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
        let mut bases: Vec<_> = bound
            .map(|row| {
                let proven = row["estimate"] == "bound";
                assert_eq!(proven, row["basis"] == "proven", "{row}");
                (text(row, "timing"), text(row, "basis"))
            })
            .collect();
        bases.dedup();
        bases
    };
    let pair = |timing: &str, basis: &str| (timing.to_owned(), basis.to_owned());
    assert_eq!(
        bases("stm32h755-qspi"),
        [pair("typ", "proven"), pair("max", "proven")]
    );
    assert_eq!(
        bases("lacking"),
        [pair("typ", "proven"), pair("max", "assumed")]
    );
}

#[test]
fn settings_of_simulated_targets_are_refused_beside_a_log() {
    let text = "operation,bytes,lat\n".to_owned() + &"write,4096,250000\n".repeat(10);
    for flag in ["--fill=10%", "--ftl=page", "--timing=max", "--age=0.5"] {
        let name = flag.split('=').next().unwrap_or(flag);
        of_log(&text, &[flag]).refused(&["cannot be used with", name]);
    }
    let in_ns = of_log(&text, &["--log-unit=ns"]).done();
    let all = in_ns.stdout + &in_ns.stderr;
    assert!(
        all.contains("250 us") && !all.contains("states no unit"),
        "{all}"
    );
}

/// An export would have destroyed the measurement.
#[test]
fn what_is_read_is_not_written_over() {
    let text = "operation,bytes,duration_s\nwrite,4096,9008\n";
    let folder = Folder::new().with("slow.csv", text);
    let log = folder.file("slow.csv");
    wordline(&["buffer", "--log", &log, "--export", &log])
        .refused(&["this is what the command reads"]);
    assert_eq!(folder.read("slow.csv"), text);
    // Accesses of hours are no fault of theirs.
    wordline(&["buffer", "--log", &log]).done();
    let backwards =
        "bytes,operation,duration_us,end_s\n4096,write,10,3\n4096,write,10,2\n4096,write,10,1\n";
    let folder = folder.with("back.csv", backwards);
    let log = folder.file("back.csv");
    wordline(&["buffer", "--log", &log, "--durations=start-to-start"]).refused(&["backwards"]);
    wordline(&["buffer", "--target=em064lx", "--job=x"]).refused(&["--job", "none is named"]);
}
