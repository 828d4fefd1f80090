//! What the tests share: logs, experiments, and rows by what identifies them.

use std::io::{self, BufRead, Cursor};

use wordline_catalog::Catalog;
use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::{
    AccessSource, Axis, BufferWorkload, Experiment, LogSource, Metric, Operation, Pattern,
    ResultSet, StreamSource, Timing, Workload,
};
use wordline_lab::{Control, LabError, run};

pub(crate) const NAND: &str = "mt29f1g01@stm32h755-qspi";
pub(crate) const MRAM: &str = "em064lx@stm32h755-qspi";
pub(crate) const RECORD: u64 = 4096;
pub(crate) const RANDWRITE: &str =
    include_str!("../../../trace/tests/data/fio-3.33-randwrite4k_lat.1.log");
pub(crate) const FSYNC: &str = include_str!("../../../trace/tests/data/fio-3.33-fsync4k_lat.1.log");
pub(crate) const MIXED: &str = include_str!("../../../trace/tests/data/fio-3.33-mixed_lat.1.log");
pub(crate) const RANDWRITE_JSON: &str =
    include_str!("../../../trace/tests/data/fio-3.33-randwrite4k.json");
pub(crate) const MIXED_JSON: &str = include_str!("../../../trace/tests/data/fio-3.33-mixed.json");
pub(crate) const FSYNC_JSON: &str = include_str!("../../../trace/tests/data/fio-3.33-fsync4k.json");

pub(crate) fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

pub(crate) fn experiment(
    targets: &[&str],
    timings: &[Timing],
    question: BufferWorkload,
) -> Experiment {
    Experiment {
        targets: targets.iter().map(|&name| name.to_owned()).collect(),
        workload: Workload::Buffer(question),
        timings: timings.to_vec(),
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

/// A document that keeps its own rules and survives JSON.
#[track_caller]
pub(crate) fn sound(document: ResultSet) -> ResultSet {
    assert_eq!(document.check(), Ok(()));
    assert_eq!(
        ResultSet::from_json(&document.to_json()).as_ref(),
        Ok(&document)
    );
    document
}

pub(crate) fn with_file(experiment: &Experiment, text: &[u8]) -> Result<ResultSet, LabError> {
    let open =
        |_: &str| -> io::Result<Box<dyn BufRead>> { Ok(Box::new(Cursor::new(text.to_vec()))) };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    run(&catalog(), experiment, &control).map(sound)
}

#[track_caller]
pub(crate) fn simulated(experiment: &Experiment) -> ResultSet {
    let document = run(&catalog(), experiment, &Control::default());
    sound(document.unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn stream(record_bytes: u64, wrap_bytes: u64, total_bytes: u64) -> StreamSource {
    StreamSource {
        operation: Operation::Write,
        pattern: Pattern::Sequential,
        record_bytes,
        total_bytes,
        wrap_bytes,
    }
}

pub(crate) fn log_source() -> LogSource {
    LogSource {
        file: "a.log".to_owned(),
        ..LogSource::default()
    }
}

pub(crate) fn of_log(change: impl FnOnce(&mut LogSource, &mut BufferWorkload)) -> Experiment {
    let mut source = log_source();
    let mut question = BufferWorkload::of(AccessSource::Log(log_source()));
    change(&mut source, &mut question);
    question.source = AccessSource::Log(source);
    experiment(&[], &[Timing::Typ], question)
}

#[track_caller]
pub(crate) fn log(
    text: &str,
    change: impl FnOnce(&mut LogSource, &mut BufferWorkload),
) -> ResultSet {
    let document = with_file(&of_log(change), text.as_bytes());
    document.unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
pub(crate) fn refused(
    text: &str,
    change: impl FnOnce(&mut LogSource, &mut BufferWorkload),
    words: &[&str],
) {
    let refusal = with_file(&of_log(change), text.as_bytes());
    let message = refusal.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "{word:?} is missing: {message}");
    }
}

pub(crate) fn number(axis: &AxisValue) -> f64 {
    match axis {
        AxisValue::Count(count) => *count as f64,
        AxisValue::Number(number) => *number,
        AxisValue::Text(text) => panic!("{text} is no number"),
    }
}

pub(crate) fn axis(row: &Row, name: Axis) -> Option<f64> {
    row.axes.get(&name).map(number)
}

pub(crate) fn text(row: &Row, name: Axis) -> Option<&str> {
    match row.axes.get(&name) {
        Some(AxisValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// Rows of a metric with an estimate, or of the plain result.
pub(crate) fn rows<'a>(
    document: &'a ResultSet,
    metric: Metric,
    estimate: Option<&'a str>,
) -> impl Iterator<Item = &'a Row> {
    let rows = document.of(metric);
    rows.filter(move |row| text(row, Axis::Estimate) == estimate)
}

/// The value at a rate for an arrival.
pub(crate) fn at(
    document: &ResultSet,
    timing: Timing,
    metric: Metric,
    estimate: Option<&str>,
    (rate, arrival): (f64, &str),
) -> Result<f64, NoValue> {
    let mut found = rows(document, metric, estimate).filter(|row| {
        row.timing == timing
            && axis(row, Axis::RateBytesPerS) == Some(rate)
            && text(row, Axis::Arrival) == Some(arrival)
    });
    let row = found.next().unwrap_or_else(|| {
        panic!("there is no {metric} at {rate} B/s of {arrival}, {estimate:?}, {timing}")
    });
    row.value
        .ok_or_else(|| row.no_value.expect("a reason stands for a value"))
}

pub(crate) fn codes(document: &ResultSet) -> Vec<&str> {
    let codes = document.warnings.iter();
    codes.map(|warning| warning.code.as_str()).collect()
}
