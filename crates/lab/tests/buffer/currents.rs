//! Logs as users have them: of the page cache, without units, and beside a measured current.

use std::io::Cursor;

use wordline_core::quantity::{Quantity, Voltage};
use wordline_core::{
    AccessSource, BufferWorkload, ColumnUnit, LogSource, Metric, Operation, ResultSet, StreamSource,
};
use wordline_lab::{Control, LabError, run};

use crate::buffer::support::*;

/// Writes of 4 KiB of 1 ms each, without pauses, from 0 on.
fn writes(count: u64) -> String {
    let lines = (0..count).map(|at| format!("{at},write,4096,1000\n"));
    format!(
        "start_ms,op,bytes,duration_us\n{}",
        lines.collect::<String>()
    )
}

/// A current of 10 mA with 100 mA within the second half of each millisecond, each 50 us from `from_us` on.
fn current(from_us: u64, until_us: u64) -> String {
    let mut text = "Timestamp(ms),Current(uA),D0-D7\n".to_owned();
    for us in (from_us..=until_us).step_by(50) {
        let ua = if us % 1000 < 500 { 10_000 } else { 100_000 };
        text += &format!("{},{ua},00000000\n", us as f64 / 1e3);
    }
    text
}

fn measured(
    log: &str,
    current: &str,
    change: impl FnOnce(&mut LogSource, &mut BufferWorkload),
) -> Result<ResultSet, LabError> {
    let mut question = BufferWorkload::of(AccessSource::Log(LogSource::default()));
    question.current = Some("ppk.csv".to_owned());
    question.voltage = Some(Voltage::from_si(2.0));
    let mut source = log_source();
    change(&mut source, &mut question);
    question.source = AccessSource::Log(source);
    let open = |name: &str| -> std::io::Result<Box<dyn std::io::BufRead>> {
        let text = if name == "ppk.csv" { current } else { log };
        Ok(Box::new(Cursor::new(text.to_owned().into_bytes())))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let experiment = experiment(&[], &[wordline_core::Timing::Typ], question);
    run(&catalog(), &experiment, &control)
}

fn value(document: &ResultSet, metric: Metric) -> Option<f64> {
    document.of(metric).next().and_then(|row| row.value)
}

#[test]
fn a_current_beside_a_log_gives_the_energy_of_an_access() {
    let document = measured(&writes(100), &current(0, 100_000), |_, _| {}).expect("sound");
    // 55 mA on average at 2 V, 1 ms long.
    let per_op = value(&document, Metric::EnergyPerOp).expect("told");
    assert!((per_op / 110e-6 - 1.0).abs() < 1e-9, "{per_op}");
    let per_byte = value(&document, Metric::EnergyPerByte).expect("told");
    assert!((per_byte * 4096.0 / per_op - 1.0).abs() < 1e-12);
    let row = document.of(Metric::EnergyPerOp).next().expect("a row");
    assert_eq!(row.basis, wordline_core::Basis::Measured);
    let advice = |code: &str| {
        let mut all = document
            .warnings
            .iter()
            .filter(|warning| warning.code == code);
        all.find(|warning| warning.advice.starts_with("ppk.csv"))
            .map(|warning| warning.advice.clone())
    };
    assert!(advice("caution").is_some_and(|text| text.contains("100 of 100 accesses (100.0 %)")));
    assert!(advice("default").is_some_and(|text| text.contains("--current-offset")));
}

#[test]
fn clocks_are_aligned_by_the_start_of_the_first_access() {
    // The analyser ran for 250.5 ms before the first write.
    let shifted = measured(&writes(100), &current(0, 400_000), |_, question| {
        question.current_offset_ps = Some(250_500_000_000);
    });
    let per_op = value(&shifted.expect("sound"), Metric::EnergyPerOp).expect("told");
    assert!((per_op / 110e-6 - 1.0).abs() < 1e-9, "{per_op}");
    // Half of the writes lie behind the end of the current.
    let half = measured(&writes(100), &current(0, 50_000), |_, _| {}).expect("sound");
    let told = |document: &ResultSet, words: &str| {
        document
            .warnings
            .iter()
            .any(|warning| warning.advice.contains(words))
    };
    assert!(told(&half, "50 of 100 accesses (50.0 %)"));
    // A gap of 10 ms costs the writes in it.
    let gap: String = current(0, 100_000)
        .lines()
        .filter(|line| {
            !line.starts_with("3") || line.find('.').is_some_and(|at| at != 2) && line.len() < 11
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let gap = measured(&writes(100), &gap, |_, _| {}).expect("sound");
    assert!(told(&gap, "gaps of up to"), "{:?}", gap.warnings);
    let lost = current(0, 100_000).replace("\n7.5,100000,", "\n7.5,NaN,");
    let lost = measured(&writes(100), &lost, |_, _| {}).expect("sound");
    assert!(told(&lost, "99 of 100 accesses"));
    assert!(told(&lost, "1 samples without a value"));
}

#[test]
fn currents_that_cannot_be_joined_are_refused_with_the_way_out() {
    let refused =
        |log: &str, ppk: &str, change: fn(&mut LogSource, &mut BufferWorkload), words: &str| {
            let error = measured(log, ppk, change).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
    let (log, ppk) = (writes(20), current(0, 20_000));
    refused(
        &log,
        &current(900_000, 950_000),
        |_, _| {},
        "covers none of 20 accesses",
    );
    refused(
        &log,
        &ppk,
        |_, question| question.voltage = None,
        "add --voltage",
    );
    refused(
        &log,
        &ppk,
        |_, question| question.voltage = Some(Voltage::from_si(0.0)),
        "above 0 V",
    );
    refused(&log, &log, |_, _| {}, "is not a log of currents");
    refused(&ppk, &ppk, |_, _| {}, "holds no accesses");
    refused(&log, "Current(uA)\n1\n", |_, _| {}, "Timestamp");
    refused(
        &log,
        "Timestamp(ms),Current(uA)\n1,1\n",
        |_, _| {},
        "two samples",
    );
    refused(
        &log,
        "Timestamp(ms),Current(uA)\n1,1\n1,2\n",
        |_, _| {},
        "two samples",
    );
    refused(
        &log,
        "time,current,voltage\n1,1,3\n2,1,3\n",
        |_, _| {},
        "leave --voltage out",
    );
    // The sign of the column, and the supply, are what they are only while accesses run.
    refused(
        &log,
        &ppk.replace(",10", ",-10"),
        |_, _| {},
        "swap the sign of its column",
    );
    let in_file = |volts: fn(u64) -> &'static str| {
        let samples = (0..=400).map(|at| format!("{},0.05,{}\n", at as f64 * 5e-5, volts(at)));
        "#time,current,voltage\n".to_owned() + &samples.collect::<String>()
    };
    for (volts, words) in [
        ("0", "line 2: the supply is at 0 V"),
        ("-3.3", "line 2: the supply is at -3.3 V"),
    ] {
        let text = in_file(|_| "V").replace('V', volts);
        let without = |_: &mut LogSource, question: &mut BufferWorkload| question.voltage = None;
        refused(&log, &text, without, words);
    }
    let timeless = "op,bytes,duration_us\nwrite,4096,1000\n";
    refused(
        timeless,
        &ppk,
        |_, _| {},
        "does not record when accesses happened",
    );
    let mut stream = BufferWorkload::of(AccessSource::Stream(StreamSource::default()));
    stream.current = Some("ppk.csv".to_owned());
    let stream = experiment(&["em064lx"], &[wordline_core::Timing::Typ], stream);
    let error = run(&catalog(), &stream, &Control::default()).expect_err("no log");
    assert!(
        error.to_string().contains("only with --log FILE"),
        "{error}"
    );
}

#[test]
fn a_voltage_that_begins_with_a_lost_sample_is_a_column_all_the_same() {
    let samples = (0..=400).map(|at| {
        let volts = if at == 0 { "NaN" } else { "3.3" };
        format!("{},0.05,{volts}\n", f64::from(at) * 5e-5)
    });
    let text = "#time,current,voltage\n".to_owned() + &samples.collect::<String>();
    let log = writes(20);
    let of_file = measured(&log, &text, |_, question| question.voltage = None).expect("sound");
    let per_op = value(&of_file, Metric::EnergyPerOp).expect("told");
    assert!(
        (per_op / (0.05 * 3.3 * 1e-3) - 1.0).abs() < 1e-6,
        "{per_op}"
    );
    let twice = measured(&log, &text, |_, _| {}).expect_err("stated twice");
    assert!(twice.to_string().contains("leave --voltage out"), "{twice}");
}

#[test]
fn a_supply_may_be_off_where_no_access_runs() {
    let samples = (0..=800).map(|at| {
        let volts = if at <= 200 { "0" } else { "3.3" };
        format!("{},0.05,{volts}\n", f64::from(at) * 5e-5)
    });
    let text = "#time,current,voltage\n".to_owned() + &samples.collect::<String>();
    let document = measured(&writes(20), &text, |_, question| {
        question.voltage = None;
        question.current_offset_ps = Some(20_000_000_000);
    });
    assert!(value(&document.expect("sound"), Metric::EnergyPerOp).is_some());
}

#[test]
fn reads_of_a_paced_log_are_no_pauses() {
    let lines = (0..400).map(|at| {
        let op = if at % 2 == 0 { "read" } else { "write" };
        format!("{at},{op},4096,1000\n")
    });
    let text = format!(
        "start_ms,op,bytes,duration_us\n{}",
        lines.collect::<String>()
    );
    let document = log(&text, |source, _| {
        source.operation = Some(Operation::Write);
        source.durations = wordline_core::Durations::Paced;
    });
    let mut all = document.warnings.iter();
    let found = all.find(|one| one.code == "paced").expect("it is said");
    let found = &found.advice;
    assert!(
        found.contains("200 accesses of the other kind 50 %") && found.contains("start-to-start"),
        "{found}"
    );
}

#[test]
fn durations_of_the_page_cache_are_told() {
    let lines = |ns: u64| -> String {
        (0..2000)
            .map(|at| format!("{}, {ns}, 1, 4096, 0, 0\n", at * ns / 1_000_000))
            .collect()
    };
    let fast = log(&lines(2_000), |_, _| {});
    assert!(codes(&fast).contains(&"page-cache"));
    let disk = log(&lines(20_000), |_, _| {});
    assert!(!codes(&disk).contains(&"page-cache"));
    // A memory without an operating system may be as fast as its bus.
    let csv = |ns: u64| {
        let lines: String = (0..2000).map(|_| format!("w,4096,{ns}\n")).collect();
        log(&format!("op,bytes,duration_ns\n{lines}"), |_, _| {})
    };
    assert!(!codes(&csv(2_000)).contains(&"page-cache"));
    assert!(codes(&csv(100)).contains(&"page-cache"));
}

#[test]
fn a_unit_is_proposed_or_said() {
    let lines: String = (0..200)
        .map(|at| format!("w,4k,{}\n", 200 + at % 7))
        .collect();
    let text = format!("op,bs,lat\n{lines}");
    let proposed = log(&text, |_, _| {});
    assert!(
        proposed
            .warnings
            .iter()
            .any(|warning| warning.code == "default"
                && warning.advice.contains("taken as us")
                && warning.advice.contains("--unit lat=us"))
    );
    let said = log(&text, |source, _| {
        source
            .units
            .insert("lat".to_owned(), ColumnUnit("ms".to_owned()));
    });
    assert!(
        said.warnings
            .iter()
            .all(|warning| warning.code != "default")
    );
    let mean = |document: &ResultSet| value(document, Metric::LatencyMean).expect("told");
    assert!((mean(&said) / mean(&proposed) - 1000.0).abs() < 1e-6);
    let column = log("0.0002\n0.00021\n0.00019\n", |source, _| {
        source.operation = Some(Operation::Write);
        source.record_bytes = Some(4096);
    });
    assert!((mean(&column) - 0.0002).abs() < 1e-9);
}
