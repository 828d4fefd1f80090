//! Replays of traces, and the commands that they make.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};

use wordline_catalog::Catalog;
use wordline_core::{Axis, DramTest, DramTraceTest, Metric, ResultSet};
use wordline_lab::{CommandForm, Commands, Control, LabError};

use super::support::{MRDIMM, RDIMM, dram, idle, is_plain, of, ran, sums, wholes, with};

/// Takes what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn checked_trace() -> DramTraceTest {
    DramTraceTest {
        file: "my.csv".into(),
        format: None,
        clock_hz: None,
        align: false,
        fold: false,
        check: true,
        ..DramTraceTest::default()
    }
}

fn replay(text: &'static str, check: bool) -> (Result<ResultSet, LabError>, String) {
    let experiment = of(DramTest::Trace(DramTraceTest {
        check,
        ..checked_trace()
    }));
    let kept = Kept::default();
    let create = |_: &str| Ok(Box::new(kept.clone()) as Box<dyn Write>);
    let commands = Commands {
        form: CommandForm::Text,
        create: &create,
    };
    let open = |_: &str| Ok(Box::new(text.as_bytes()) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        commands: Some(&commands),
        ..Control::default()
    };
    let result = with(&experiment, &control);
    let text = String::from_utf8(kept.0.lock().expect("one thread").clone()).expect("text");
    (result, text)
}

#[test]
fn a_trace_is_replayed_its_commands_written_and_checked() {
    let trace = "time_ns,address,operation\n0,0x0,R\n0,0x10000000,R\n100,0x0,W\n500,0x20000000,R\n";
    let (result, commands) = replay(trace, true);
    let document = result.expect("it runs");
    assert_eq!(document.check(), Ok(()));
    for target in [RDIMM, MRDIMM] {
        let value = |metric| {
            let mut rows = document
                .of(metric)
                .filter(|row| row.target == target && is_plain(row));
            rows.next().and_then(|row| row.value)
        };
        assert_eq!(value(Metric::AccessCount), Some(3.0), "{target}");
        assert_eq!(value(Metric::BytesMoved), Some(256.0));
        assert_eq!(value(Metric::CommandViolations), Some(0.0));
        assert!(value(Metric::LatencyMax) > Some(30e-9));
    }
    assert!(!document.failed());
    let column = commands
        .lines()
        .filter(|line| line.contains(",RD,"))
        .count();
    assert_eq!(column, 6, "{commands}");
}

/// By hand, on the RDIMM: the sum of a register's delay, tRCD 52, CL 52 and 8 clocks of data, 112 clocks of 312.5 ps.
#[test]
fn what_a_read_of_a_trace_consists_of_adds_up() {
    let (result, _) = replay(
        "time_ns,address,operation\n0,0x0,R\n0,0x10000000,R\n100,0x0,W\n101,0x0,R\n500,0x20000000,R\n",
        false,
    );
    let document = result.expect("it runs");
    let wholes = wholes(&document, Metric::LatencyMean);
    let parts = sums(&document, Metric::LatencyMeanPart);
    assert_eq!(parts.len(), 2);
    for (of, sum) in parts {
        assert!((sum - wholes[&of]).abs() < 1e-15, "{of}: {sum}");
    }
    let (result, _) = replay("time_ns,address,operation\n0,0x0,R\n", false);
    let document = result.expect("it runs");
    let part = |cause: &str| {
        let mut rows = document.of(Metric::LatencyMeanPart);
        let row = rows.find(|row| row.target == RDIMM && row.text(Axis::Cause) == Some(cause));
        row.and_then(|row| row.value)
            .map(|seconds| (seconds * 1e12).round())
    };
    assert_eq!(part("activate"), Some(16_250.0));
    assert_eq!(part("cas"), Some(16_250.0));
    assert_eq!(part("burst"), Some(2_500.0));
    assert_eq!(part("bank"), Some(0.0));
    assert_eq!(part("on_chip"), None);
}

/// Reads that the write queue answers take nothing in the module: of nine reads of a line that was just written, eight
/// wait for a clock edge alone. By hand, on the RDIMM: the ninth's CL of 16.25 ns is 1.806 ns of each.
#[test]
fn reads_that_the_write_queue_answers_have_no_part_in_the_module() {
    let mut trace = "time_ns,address,operation\n0,0x0,W\n".to_owned();
    for read in 1..9 {
        writeln!(trace, "{read},0x0,R").expect("a string");
    }
    trace += "9,0x10000000,R\n";
    let (result, commands) = replay(trace.leak(), false);
    let columns = commands.lines().filter(|line| line.contains(",RD,"));
    assert_eq!(columns.count(), 2, "one on each module: {commands}");
    let document = result.expect("it runs");
    let wholes = wholes(&document, Metric::LatencyMean);
    for (of, sum) in sums(&document, Metric::LatencyMeanPart) {
        assert!((sum - wholes[&of]).abs() < 1e-15, "{of}: {sum}");
    }
    for row in document.of(Metric::LatencyMeanPart) {
        let part = row.value.expect("a number");
        // Times are whole picoseconds.
        assert!(part > -1e-12, "{}: {part}", row.identity());
        if row.target == RDIMM && row.text(Axis::Cause) == Some("cas") {
            assert!((part - 16.25e-9 / 9.0).abs() < 1e-15, "{part}");
        }
    }
}

/// One write and nothing after it: the end is that of its data. By hand, on the RDIMM: tRCD 52, CWL 50 and 8 clocks of
/// data, 110 clocks of 312.5 ps, from its arrival or from when the controller drains its queue.
/// Long gaps are counted by refresh rounds unless each command is wanted. What comes of it is the same to the last bit:
/// latencies behind a gap, commands, energy, and the time of the buses.
#[test]
fn a_gap_that_is_left_out_counts_as_one_that_is_simulated() {
    let text = "time_ns,address,operation\n0,0x0,R\n900,0x40000,W\n3000001,0x1000,R\n3000001,0x40000,R\n\
                7000123,0x2000,W\n7000555,0x0,R\n";
    for settings in [
        &[][..],
        &[("power_down", "100 ns"), ("page_policy", "timeout 100 ns")],
        &[
            ("refresh", "all-bank"),
            ("refresh_postponed", "4"),
            ("refresh_pulled_in", "0"),
        ],
        &[("refresh", "off")],
    ] {
        let run = |check: bool| {
            let mut experiment = of(DramTest::Trace(DramTraceTest {
                check,
                ..checked_trace()
            }));
            if let wordline_core::Workload::Dram(dram) = &mut experiment.workload {
                let set = settings.iter();
                let set = set.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
                let all = (*dram.settings).clone().into_iter().chain(set);
                dram.settings = all.collect::<std::collections::BTreeMap<_, _>>().into();
            }
            let open = |_: &str| Ok(Box::new(text.as_bytes()) as Box<dyn BufRead>);
            let control = Control {
                open: Some(&open),
                ..Control::default()
            };
            with(&experiment, &control).expect("it runs")
        };
        let (left_out, simulated) = (run(false), run(true));
        let says = |document: &ResultSet| {
            let mut all = document.warnings.iter();
            all.any(|warning| warning.advice.contains("gaps were not simulated"))
        };
        assert!(says(&left_out) && !says(&simulated), "{settings:?}");
        let rows = |document: &ResultSet| {
            let all = document.rows.iter();
            let all = all.filter(|row| row.metric != Metric::CommandViolations);
            all.cloned().collect::<Vec<_>>()
        };
        assert_eq!(rows(&left_out), rows(&simulated), "{settings:?}");
    }
}

#[test]
fn a_trace_ends_with_its_data() {
    let (result, commands) = replay("time_ns,address,operation\n0,0x0,W\n", true);
    let document = result.expect("it runs");
    let mut rows = document.of(Metric::ThroughputMean);
    let rate = rows.find(|row| row.target == RDIMM && is_plain(row));
    let end_s = 64.0 / rate.and_then(|row| row.value).expect("a number");
    let mut fields = commands
        .lines()
        .find(|line| line.contains(",WR,"))
        .expect("a write")
        .split(',');
    let clock: f64 = fields
        .next()
        .and_then(|clock| clock.parse().ok())
        .expect("a clock");
    assert!(
        (end_s - (clock + 58.0) * 312.5e-12).abs() < 1e-12,
        "{end_s} {clock}"
    );
}

#[test]
fn a_trace_without_times_comes_as_fast_as_the_misses_let_it() {
    let (result, _) = replay("0x0 R\n0x40 R\n0x80 W\n", false);
    let document = result.expect("it runs");
    assert!(
        document
            .warnings
            .iter()
            .any(|warning| warning.advice.contains("records no times"))
    );
    assert_eq!(document.of(Metric::CommandViolations).count(), 0);
}

#[test]
fn a_trace_that_cannot_be_used_is_refused_by_line() {
    for (trace, words) in [
        ("", "my.csv, the trace has no request in it"),
        ("time_ns,address,operation\n0,0x1,R\n", "line 2"),
        (
            "time_ns,address,operation\n0,0xffffffffffffffc0,R\n",
            "line 2",
        ),
        ("time_ns,address,operation\n9,0x0,R\n5,0x0,R\n", "line 3"),
    ] {
        let message = replay(trace, false).0.expect_err("refused").to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_check_that_cannot_be_made_is_refused() {
    let mut experiment = of(DramTest::Trace(checked_trace()));
    experiment.targets = vec!["ddr4-3200-2rx8-16g@bench-1ch".into()];
    let open = |_: &str| Ok(Box::new("0x0 R\n".as_bytes()) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let refused = with(&experiment, &control)
        .expect_err("refused")
        .to_string();
    assert!(
        refused.contains("check cannot be done for ddr4-3200"),
        "{refused}"
    );
}

/// A die of the user's own is held to rules that were not made for it, and the document says so.
#[test]
fn a_check_of_an_own_die_says_what_it_is_held_to() {
    let embedded = Catalog::load(&[]).expect("the embedded sheets are sound");
    let target = embedded.module_in_system(RDIMM).expect("both exist");
    let (die, module) = (&target.die.header, &target.module.header);
    let folder = tempfile::tempdir().expect("a folder");
    let own = |name: &str, text: String| {
        let file = folder.path().join(format!("{name}.toml"));
        std::fs::write(file, text).expect("it is written");
    };
    own(
        "own-die",
        die.text.replace(&format!("\"{}\"", die.id), "\"own-die\""),
    );
    let text = module
        .text
        .replace(&format!("\"{}\"", die.id), "\"own-die\"");
    own(
        "own-module",
        text.replace(&format!("\"{}\"", module.id), "\"own-module\""),
    );
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("sound sheets");
    let open = |_: &str| Ok(Box::new("0x0 R\n".as_bytes()) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let mut experiment = of(DramTest::Trace(checked_trace()));
    for (target, own) in [(RDIMM, false), ("own-module@xeon6-1s", true)] {
        experiment.targets = vec![target.to_owned()];
        let document = wordline_lab::run(&catalog, &experiment, &control).expect("it runs");
        let mut told = document.warnings.iter();
        let said = told.any(|told| told.advice.contains("own-die is a sheet of your own"));
        assert_eq!(said, own, "{target}");
    }
}

/// A few microseconds of requests to many rows, with pauses, in a form without cycles.
fn requests() -> String {
    let mut text = "time_ns,address,operation\n".to_owned();
    let (mut time, mut state) = (0, 1_u64);
    for number in 0..3000_u64 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let random = state >> 33;
        time += if number % 300 == 0 { 3000 } else { random % 8 };
        let address = random % (1 << 28) * 64;
        let kind = if random.is_multiple_of(3) { 'W' } else { 'R' };
        writeln!(text, "{time},{address:#x},{kind}").expect("a string");
    }
    text
}

/// Whatever is chosen, what the engine does is legal by the independent table.
#[test]
fn every_alternative_of_every_choice_keeps_the_rules() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let text = requests();
    let open = |_: &str| Ok(Box::new(io::Cursor::new(text.clone())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let mut checked = 0;
    for name in [RDIMM, MRDIMM, "rdimm-6400-3ds-2rx4-256g@xeon6-1s"] {
        let target = catalog.module_in_system(name).expect("both exist");
        for choice in target.choices() {
            for setting in &choice.alternatives {
                let mut experiment = of(DramTest::Trace(checked_trace()));
                experiment.targets = vec![name.to_owned()];
                let settings = &mut dram(&mut experiment).settings;
                settings.insert(choice.name.to_owned(), setting.clone());
                // What does not fit is refused, not checked.
                let Ok(document) = with(&experiment, &control) else {
                    continue;
                };
                let told: Vec<_> = document.warnings.iter().map(|told| &told.advice).collect();
                assert!(
                    !document.failed(),
                    "{name}, {} = {setting}: {told:?}",
                    choice.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}

/// Replays the trace of a program; with what its options say.
fn program(text: Vec<u8>, test: DramTraceTest) -> Result<ResultSet, LabError> {
    let experiment = of(DramTest::Trace(DramTraceTest {
        file: "program.txt".into(),
        ..test
    }));
    let open = move |_: &str| Ok(Box::new(io::Cursor::new(text.clone())) as Box<dyn BufRead>);
    with(
        &experiment,
        &Control {
            open: Some(&open),
            ..Control::default()
        },
    )
}

#[test]
fn a_program_runs_at_its_pace_and_its_caches_are_counted() {
    let text = "100000 64\n100000 64\n100000 1048576 64\n";
    let document = program(
        text.into(),
        DramTraceTest {
            clock_hz: Some(1_000_000_000),
            instructions_per_cycle: Some(2.0),
            ..DramTraceTest::default()
        },
    );
    let document = document.expect("it runs");
    assert_eq!(document.check(), Ok(()));
    let plain = |metric| {
        let mut rows = document.of(metric);
        let row = rows.find(|row| row.target == RDIMM && is_plain(row));
        row.and_then(|row| row.value).expect("a row")
    };
    assert_eq!(plain(Metric::InstructionCount), 300_003.0);
    assert_eq!(plain(Metric::AccessCount), 2.0, "the second load hits");
    // 300,003 instructions at two in a nanosecond, and a read of less than 200 ns.
    let duration_s = 128.0 / plain(Metric::ThroughputMean);
    assert!((150.0e-6..150.2e-6).contains(&duration_s), "{duration_s}");
    let at = |level: &str, metric| {
        let mut rows = document.of(metric);
        let row = rows
            .find(|row| row.target == RDIMM && row.axes.get(&Axis::Cache) == Some(&level.into()));
        row.and_then(|row| row.value)
    };
    assert_eq!(at("l3", Metric::CacheAccesses), Some(3.0));
    assert_eq!(at("l3", Metric::CacheMisses), Some(2.0));
    let mpki = at("l3", Metric::CacheMpki).expect("a row");
    assert!((mpki - 2000.0 / 300_003.0).abs() < 1e-12);
    assert_eq!(
        at("l1", Metric::CacheMisses),
        None,
        "it filtered the trace before"
    );
    let told = document.warnings.iter().map(|warning| &warning.advice);
    let told = told.filter(|advice| advice.contains("l3 of 4 MiB with 16 ways"));
    assert_eq!(told.count(), 1, "both targets have the same");
}

#[test]
fn one_core_has_as_many_lines_under_way_as_its_misses() {
    // Loads of lines far apart, and no instruction between them.
    let lines = (0..2000u64).map(|line| format!("0 {}\n", line * 8192));
    let text: String = lines.collect();
    let document = program(text.into(), DramTraceTest::default()).expect("it runs");
    let plain = |metric| {
        let mut rows = document.of(metric);
        let row = rows.find(|row| row.target == RDIMM && is_plain(row));
        row.and_then(|row| row.value).expect("a row")
    };
    // The way on chip is that of a core whose read is alone.
    let alone = ran(&idle());
    let mut parts = alone.of(Metric::LatencyMeanPart);
    let on_chip = parts
        .find(|row| row.target == RDIMM && row.axes.get(&Axis::Cause) == Some(&"on_chip".into()));
    let on_chip_s = on_chip.and_then(|row| row.value).expect("a part");
    assert!(on_chip_s > 10e-9);
    let held_s = plain(Metric::LatencyMean) + on_chip_s;
    let under_way = plain(Metric::ThroughputMean) / 64.0 * held_s;
    let told = document.warnings.iter().find_map(|warning| {
        let (_, behind) = warning.advice.split_once("--clock), and ")?;
        behind.strip_suffix(" lines under way")?.parse().ok()
    });
    let misses: f64 = told.expect("the pace is told");
    assert!(
        (0.8 * misses..=1.01 * misses).contains(&under_way),
        "{under_way}"
    );
}

#[test]
fn compressed_traces_are_what_they_hold() {
    use std::io::Write as _;
    let text = "100 64\n100 1048576 64\n";
    let plain = program(text.into(), DramTraceTest::default()).expect("it runs");
    let encoder = flate2::Compression::default();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), encoder);
    encoder.write_all(text.as_bytes()).expect("into memory");
    let packed = encoder.finish().expect("into memory");
    let cut = packed[..packed.len() - 9].to_vec();
    let same = program(packed, DramTraceTest::default()).expect("it runs");
    assert_eq!(plain, same);
    let error = program(cut, DramTraceTest::default()).expect_err("cut");
    let words = error.to_string();
    assert!(
        words.contains("program.txt") && words.contains("end in the middle"),
        "{words}"
    );
}

#[test]
fn what_no_core_and_no_cache_can_be_is_refused() {
    let refused = |test: DramTraceTest, words: &[&str]| {
        let error = program(b"3 64\n".to_vec(), test)
            .expect_err("refused")
            .to_string();
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    };
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 65.0] {
        let instructions_per_cycle = Some(rate);
        refused(
            DramTraceTest {
                instructions_per_cycle,
                ..DramTraceTest::default()
            },
            &["ipc", "to 64"],
        );
    }
    let l3_bytes = Some(1000);
    refused(
        DramTraceTest {
            l3_bytes,
            ..DramTraceTest::default()
        },
        &["program.txt", "level 3", "--l3"],
    );
    let requests = b"0x40 R\n".to_vec();
    let error = program(
        requests,
        DramTraceTest {
            l3_bytes,
            ..DramTraceTest::default()
        },
    );
    let error = error.expect_err("refused").to_string();
    assert!(
        error.contains("ramulator") && error.contains("--l1"),
        "{error}"
    );
}
