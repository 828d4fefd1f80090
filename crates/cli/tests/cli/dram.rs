//! `wordline dram`: what must be shown, side files, and input that cannot be used.

use serde_json::Value;
use wordline_core::ResultSet;

use crate::cli::support::{FORMATS, Folder, Ran, command, everything, exported, rows, wordline};

const BOTH: &str = "rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s";

/// One channel and a few cores, for moments: what every test takes.
const SMALL: [&str; 6] = ["--target", BOTH, "--set", "channels=1", "--set", "cores=12"];

/// Lengths of points that take moments.
const SHORT: [&str; 4] = ["--warm-up", "2us", "--measure", "5us"];

fn small(test: &str, more: &[&str]) -> Vec<&'static str> {
    let leak = |word: &str| -> &'static str { Box::leak(word.to_owned().into_boxed_str()) };
    let words = ["dram", test].into_iter().chain(SMALL).chain(SHORT);
    words.chain(more.iter().copied()).map(leak).collect()
}

#[test]
fn bandwidth_names_a_throughput_for_each_mix_and_the_gain_with_its_band() {
    let document = wordline(&small("bandwidth", &["--draws", "8", "--format", "json"]))
        .done()
        .json();
    let mut throughputs = rows(&document, "throughput_mean");
    throughputs.retain(|row| row["estimate"].is_null());
    assert_eq!(throughputs.len(), 10);
    for mix in ["1:0", "3:1", "2:1", "1:1", "triad"] {
        let of = throughputs.iter().filter(|row| row["mix"] == mix);
        assert_eq!(of.count(), 2, "{mix}");
    }
    let first = &throughputs[0];
    assert_eq!(first["part"], "rdimm-6400-2rx4-128g");
    assert_eq!(first["board"], "xeon6-1s");
    assert_eq!(
        (&first["workload"], &first["timing"]),
        (&Value::from("dram"), &Value::from("max"))
    );
    let ratios = rows(&document, "throughput_ratio");
    let of = |estimate: Value| {
        let row = ratios
            .iter()
            .find(|row| row["mix"] == "1:0" && row["estimate"] == estimate);
        row.expect("a row")["value"].as_f64().expect("a number")
    };
    let (low, median, high) = (
        of("drawn_p5".into()),
        of("drawn_median".into()),
        of("drawn_p95".into()),
    );
    assert!(low <= median && median <= high, "{low} {median} {high}");
    assert!(of(Value::Null) > 1.0);
}

/// Whichever target stands first, the module that wins has its gain with a band.
#[test]
fn the_winner_has_its_band_wherever_it_stands() {
    for targets in [
        BOTH.to_owned(),
        BOTH.split(',').rev().collect::<Vec<_>>().join(","),
    ] {
        let usual = [
            "dram",
            "bandwidth",
            "--target",
            &targets,
            "--set",
            "channels=2",
            "--set",
        ];
        let more = ["cores=24", "--draws", "8", "--mix", "1:0"];
        let ran = wordline(&[&usual[..], &more[..], &SHORT[..]].concat()).done();
        let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with("Take mrdimm"), "{words}");
        assert!(
            words.contains("(5-95 %: +") && words.contains("the gain is +"),
            "{words}"
        );
    }
}

/// A sweep that ends early leaves the curve of an earlier one as it is.
#[test]
fn a_part_of_a_sweep_replaces_no_curve() {
    let folder = Folder::new().with("bwlat_100.txt", "whole");
    let file = folder.file("bwlat_100.txt");
    let target = "rdimm-6400-2rx4-64g@xeon6-1s";
    let more = ["--mess", &file, "--budget", "1ms", "--samples", "1000000"];
    let ran = wordline(&[&["dram", "loaded", "--target", target][..], &more[..]].concat());
    assert_eq!(ran.code, Some(130), "{}", ran.stdout);
    assert_eq!(folder.read("bwlat_100.txt"), "whole");
}

/// A time that is up before anything is finished answers nothing, and says so.
#[test]
fn a_budget_that_is_too_short_is_no_success() {
    let ran = wordline(&small("idle", &["--budget", "1ms", "--samples", "1000000"]));
    assert_eq!(ran.code, Some(130), "{}", ran.stdout);
}

#[test]
fn idle_tells_what_latency_consists_of() {
    let ran = everything(&small("idle", &["--samples", "500"])).done();
    let first = ran.stdout.lines().next().expect("an answer");
    for words in [
        "rdimm-6400-2rx4-128g@xeon6-1s: a read takes",
        "without load. It consists of on-chip path",
        "CAS latency",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    assert!(
        ran.stdout.contains("What latency without load consists of"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_loaded_sweep_saves_its_curves_in_the_form_of_mess() {
    let folder = Folder::new();
    let file = folder.file("curves.csv");
    let more = [
        "--delay",
        "0,100,1000",
        "--samples",
        "200",
        "--probes",
        "2",
        "--mess",
        &file,
    ];
    let ran = everything(&small("loaded", &more)).done();
    assert!(ran.stdout.contains("Knees of the curves"), "{}", ran.stdout);
    for target in BOTH.split(',') {
        let text = folder.read(&format!("curves-{target}.csv"));
        assert!(
            text.starts_with("read_pct_rounded,pause,bandwidth_mean,"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}

#[test]
fn a_curve_that_was_saved_for_the_simulator_stands_beside_the_next_sweep() {
    let folder = Folder::new();
    let file = folder.file("bwlat_100.txt");
    let one = |more: &[&str]| {
        let target = "rdimm-6400-2rx4-64g@xeon6-1s";
        let usual = [
            "dram",
            "loaded",
            "--target",
            target,
            "--set",
            "channels=1",
            "--set",
            "cores=12",
            "--delay",
            "0,100,1000",
            "--samples",
            "200",
            "--probes",
            "2",
        ];
        wordline(&[&usual[..], more].concat())
    };
    one(&["--mess", &file]).done();
    let text = folder.read("bwlat_100.txt");
    assert_eq!(text.lines().count(), 3, "{text}");
    let beside = one(&["--against", &file, "--all"]).done();
    // The same memory is as fast as itself.
    for words in [
        "measured",
        "+0.0 % to +0.0 % at 3 of 3 loads",
        "its curve of 100 % reads",
    ] {
        assert!(beside.stdout.contains(words), "{words}: {}", beside.stdout);
    }
    one(&["--against", &file, "--mix", "1:1"]).refused(&["bwlat_100.txt", "100 %", "50 % of 1:1"]);
    one(&["--against-rising"]).refused(&["against-rising", "--against"]);
    let bent = Folder::new().with("bent.txt", "5 100\n4 80\n6 102\n");
    let bent = bent.file("bent.txt");
    one(&["--against", &bent]).refused(&["bent.txt", "line 2", "not a function"]);
}

#[test]
fn a_program_reaches_the_memory_through_its_caches() {
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/walk.lackey.txt.zst"
    );
    let of = |more: &[&str]| {
        let target = "rdimm-6400-2rx4-64g@xeon6-1s";
        wordline(&[&["dram", "trace", trace, "--target", target], more].concat())
    };
    let ran = of(&["--all"]).done();
    for words in [
        "180232",
        "49152",
        "32000",
        "16384",
        "pass l1 of 48 KiB with 12 ways",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    of(&["--l2", "100KB"]).refused(&["walk.lackey.txt.zst", "level 2", "--l2"]);
    of(&["--ipc", "0"]).refused(&["ipc", "allowed"]);
    of(&["--as", "ramulator"]).refused(&["line 1", "ramulator"]);
}

#[test]
fn exports_are_the_same_on_any_number_of_threads() {
    let more = ["--delay", "0,500", "--samples", "200", "--probes", "2"];
    for format in FORMATS {
        let on = |threads: &str| {
            let more = [&more[..], &["--threads", threads, "--format", format]].concat();
            wordline(&small("loaded", &more)).done().stdout
        };
        assert_eq!(on("1"), on("3"), "{format}");
    }
    let folder = Folder::new();
    exported(&small("loaded", &more), &folder, "mrdimm-8800");
}

#[test]
fn thorough_runs_in_full_what_the_default_shortens() {
    let command = |more: &[&'static str]| {
        let words = [
            "dram",
            "bandwidth",
            "--mix=1:0",
            "--band=none",
            "--format=json",
        ];
        let words = words.into_iter().chain(SMALL);
        words.chain(more.iter().copied()).collect::<Vec<_>>()
    };
    let workload = |more: &[&'static str]| {
        let document = wordline(&command(more)).done().json();
        document["experiment"]["workload"].clone()
    };
    let (quick, thorough) = (workload(&[]), workload(&["--thorough"]));
    assert_eq!(quick["test"]["draws"], 64);
    assert_eq!(quick["measure_ps"], 40_000_000);
    assert_eq!(thorough["test"]["draws"], 256);
    assert_eq!(thorough["measure_ps"], 100_000_000);
    for length in ["--draws=32", "--measure=5us"] {
        wordline(&command(&["--thorough", length])).refused(&["--thorough", &length[..7]]);
    }
    wordline(&command(&["--draws=7"])).refused(&["draws", "7", "8"]);
}

/// The command that a document prints makes the document again.
#[test]
fn the_printed_command_makes_the_same_document() {
    for arguments in [
        small(
            "idle",
            &["--samples", "100", "--seed", "5", "--format", "json"],
        ),
        small(
            "bandwidth",
            &[
                "--mix",
                "2:1",
                "--pattern",
                "random",
                "--band",
                "none",
                "--format",
                "json",
            ],
        ),
        small(
            "loaded",
            &[
                "--delay",
                "0,9",
                "--samples",
                "50",
                "--probes",
                "1",
                "--within",
                "204ns",
                "--format",
                "json",
            ],
        ),
    ] {
        let first = wordline(&arguments).done().stdout;
        let line = ResultSet::from_json(&first)
            .expect("our own document")
            .command_line();
        let words: Vec<&str> = line
            .split(' ')
            .skip(1)
            .chain(["--format", "json"])
            .collect();
        assert_eq!(wordline(&words).done().stdout, first, "{line}");
    }
}

#[test]
fn a_trace_writes_its_commands_and_is_checked() {
    let text = "time_ns,address,operation\n0,0x0,R\n10,0x40,W\n900,0x80,R\n";
    let folder = Folder::new().with("my.csv", text);
    let (trace, commands) = (folder.file("my.csv"), folder.file("out.txt"));
    let slices = folder.file("out.json");
    let target = ["--target", "mrdimm-8800-2rx4-128g@xeon6-1s"];
    let run = |file: &str| {
        everything(
            &[
                &["dram", "trace", &trace, "--check", "--commands", file],
                &target[..],
            ]
            .concat(),
        )
        .done()
    };
    let ran = run(&commands);
    assert!(ran.stdout.contains("2 reads"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("keep every rule of an independent table"),
        "{}",
        ran.stdout
    );
    assert!(folder.read("out.txt").contains(",RD,"));
    run(&slices);
    let slices: Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    assert!(slices["traceEvents"].is_array());
}

#[test]
fn what_cannot_be_run_is_refused_with_what_is_allowed() {
    let refused = |test: &str, more: &[&str], words: &[&str]| {
        wordline(&[&["dram", test], more].concat()).refused(words);
    };
    let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
    let loaded =
        |more: &[&str], words: &[&str]| refused("loaded", &[&target, more].concat(), words);
    refused("idle", &[], &["--target <TARGET>"]);
    refused(
        "idle",
        &["--target", "rdimm-9000@xeon6-1s"],
        &["unknown module \"rdimm-9000\"", "wordline part list"],
    );
    refused(
        "idle",
        &["--target", "rdimm-6400-2rx4-128g"],
        &["names no system", "xeon6-1s"],
    );
    refused(
        "idle",
        &[&target[..], &["--samples", "0"]].concat(),
        &["samples", "allowed: 1 to"],
    );
    refused(
        "bandwidth",
        &[&target[..], &["--mix", "4:1"]].concat(),
        &["4:1", "possible values: 1:0, 3:1, 2:1, 1:1, triad"],
    );
    refused(
        "bandwidth",
        &[&target[..], &["--band", "some"]].concat(),
        &["possible values: reads, all, none"],
    );
    wordline(&["raw", target[0], target[1]]).refused(&["is a memory module", "wordline dram"]);
    wordline(&["buffer", target[0], target[1]]).refused(&["is a memory module", "wordline dram"]);
    refused(
        "idle",
        &["--target", "em064lx@stm32h755-qspi"],
        &["lacks the requests of cores", "wordline raw"],
    );
    loaded(
        &["--set", "speed_bin=nonsense"],
        &["speed_bin", "allowed: A, B"],
    );
    loaded(
        &["--samples", "18446744073709551615"],
        &["samples 18446744073709551615", "allowed: 1 to"],
    );
    loaded(
        &["--delay", "100,0"],
        &["delay 0 comes after 100", "ascending"],
    );
    loaded(&["--delay", "-1"], &["no whole number"]);
    loaded(&["--set", "refresh"], &["expected NAME=VALUE"]);
    loaded(
        &["--set", "refresh=off", "--set", "refresh=off"],
        &["it is set twice"],
    );
    loaded(
        &["--set", "refersh=off"],
        &["unknown setting \"refersh\"", "did you mean refresh?"],
    );
    loaded(&["--threads", "0"], &["0 is not in 1..=4096"]);
    loaded(
        &["--mess", "no/such/folder/a.csv"],
        &["--mess", "there is no folder no/such/folder"],
    );
    let folder = Folder::new().with("my.trc", "0x0 READ 0\n0x40 READ 9\n");
    let trace = folder.file("my.trc");
    let of = |more: &[&str], words: &[&str]| {
        refused("trace", &[&[&trace[..]], &target[..], more].concat(), words)
    };
    of(&[], &["my.trc", "clock"]);
    of(
        &["--clock", "0Hz"],
        &["clock of 0 Hz", "allowed: 1 Hz or more"],
    );
    of(
        &["--clock", "1GHz", "--as", "vcd"],
        &["unknown format", "dramsim3"],
    );
    of(
        &["--clock", "1GHz", "--commands", "a.html"],
        &["--commands a.html", "allowed: txt, json"],
    );
    refused(
        "trace",
        &[&["nowhere.trc"], &target[..]].concat(),
        &["nowhere.trc", "cannot be read"],
    );
}

#[test]
fn nothing_is_written_over_what_is_read_or_written_besides() {
    let text = "time_ns,address,operation\n0,0x0,R\n";
    let folder = Folder::new().with("my.txt", text);
    let (trace, out) = (folder.file("my.txt"), folder.file("out.txt"));
    let of = |command: &[&str], words: &[&str]| {
        let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
        wordline(&[&["dram"], command, &target[..]].concat()).refused(words);
    };
    of(
        &["trace", &trace, "--commands", &trace],
        &["--commands", "this is what the command reads"],
    );
    assert_eq!(folder.read("my.txt"), text);
    of(
        &["trace", &trace, "--commands", &out, "--export", &out],
        &["--commands", "--export writes the same file"],
    );
    let curve = folder.file("curve.csv");
    of(
        &["loaded", "--mess", &curve, "--export", &curve],
        &["--mess", "--export writes the same file"],
    );
}

#[test]
fn a_replay_that_fails_leaves_the_commands_of_the_last_one() {
    let bad = "time_ns,address,operation\n0,0x0,R\n10,0x41,W\n";
    let folder = Folder::new().with("bad.csv", bad).with("keep.txt", "kept");
    let (trace, commands) = (folder.file("bad.csv"), folder.file("keep.txt"));
    let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
    let command = ["dram", "trace", &trace, "--commands", &commands];
    wordline(&[&command, &target[..]].concat()).refused(&["bad.csv", "line 3"]);
    assert_eq!(folder.read("keep.txt"), "kept");
}

/// Its gap is counted; where each command is wanted it would have to be simulated, and is refused.
#[test]
fn a_trace_of_hours_is_counted_rather_than_simulated() {
    let hour = "time_ns,address,operation\n0,0x0,R\n3600000000000,0x40,R\n";
    let folder = Folder::new().with("hour.csv", hour);
    let trace = folder.file("hour.csv");
    let target = ["--target", "rdimm-6400-2rx4-128g@xeon6-1s"];
    let command = ["dram", "trace", &trace];
    let ran = wordline(&[&command, &target[..], &["--explain"]].concat()).done();
    assert!(
        ran.stdout.contains("gaps were not simulated"),
        "{}",
        ran.stdout
    );
    let checked = [&command, &target[..], &["--check"]].concat();
    wordline(&checked).refused(&["line 3", "at most 1 s"]);
}

/// A standard input that is a file is read from where it stands, as often as it is wanted.
#[test]
fn a_file_as_standard_input_is_read_for_all_targets() {
    let text = "time_ns,address,operation\n0,0x0,R\n10,0x40,W\n";
    let folder = Folder::new().with("my.csv", text);
    let arguments = ["dram", "trace", "-", "--target", BOTH, "--format", "csv"];
    let file = std::fs::File::open(folder.file("my.csv")).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(arguments)
        .stdin(file)
        .output()
        .expect("the command starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let piped = Ran::of(command(&arguments).write_stdin(text)).done().stdout;
    assert_eq!(String::from_utf8_lossy(&output.stdout), piped);
}

/// A pipe has its bytes once, and every target wants them.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_read_once_for_all_targets() {
    let text = "time_ns,address,operation\n0,0x0,R\n10,0x40,W\n";
    let folder = Folder::new().with("my.csv", text);
    let trace = folder.file("my.csv");
    let from = |file: &str, stdin: &str| {
        let arguments = ["dram", "trace", file, "--target", BOTH, "--format", "csv"];
        Ran::of(command(&arguments).write_stdin(stdin.to_owned())).done()
    };
    let rows = from(&trace, "").stdout;
    assert!(rows.contains("mrdimm-8800"), "{rows}");
    assert_eq!(from("/dev/stdin", text).stdout, rows);
    assert_eq!(from("-", text).stdout, rows);
    let fifo = folder.file("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()));
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::write(fifo, text)
    });
    assert_eq!(from(&fifo, "").stdout, rows);
    writer.join().expect("no panic").expect("a reader");
}
