//! Accesses of a file or a device: their durations, and the RAM that they take, as `wordline buffer` shows it.

use wordline_core::{Axis, Metric, RowOperation};

use super::trust::{grade_words, refusal};
use super::{of_test, time, trust};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::{DURATIONS, buffer};

pub(super) const TEST: &str = "storage";

/// Where latencies of a run at a rate count from.
const INTENDED: &str = "intended";

/// The same document with the lines of `wordline buffer`.
pub(super) fn buffered<'a>(pivot: &Pivot<'a>) -> Option<Pivot<'a>> {
    let is_storage = !of_test(pivot, TEST).is_empty();
    is_storage.then(|| Pivot::of(pivot.document, buffer::VIEW.keys))
}

pub(super) fn tables(pivot: &Pivot<'_>, width: Option<u16>) -> Vec<Grid> {
    let lines = of_test(pivot, TEST);
    let table = Tabulation::new("Accesses of storage")
        .key(Column::left("accesses"), |line: &&PivotLine<'_>| what(line));
    let table = DURATIONS.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |line| line.told(metric))
    });
    let table = table
        .figure("accesses a second", |line| line.told(Metric::OpsRate))
        .figure("begin late by", |line| line.told(Metric::StartLateness))
        .figure("processor an access", |line| {
            line.told(Metric::ProcessorPerOp)
        });
    let mut grids: Vec<Grid> = table.lines(&lines).into_iter().collect();
    grids.extend(
        buffered(pivot)
            .into_iter()
            .flat_map(|pivot| buffer::tables(&pivot, width)),
    );
    grids
}

/// The RAM that each input rate needs.
pub(super) fn needed(pivot: &Pivot<'_>) -> Option<Grid> {
    buffer::ram_needed(&buffered(pivot)?)
}

/// "write, 4 KiB, random".
fn what(line: &PivotLine<'_>) -> String {
    let mut words = vec![text::words(line.head().operation.name())];
    for axis in [Axis::AccessBytes, Axis::Pattern] {
        words.extend(Some(line.field(axis)).filter(|word| !word.is_empty()));
    }
    words.join(", ")
}

/// "Half of the accesses of file@host take up to 45 us, 99 % up to 120 us; they move 80 MB/s."
pub(super) fn sentence(pivot: &Pivot<'_>) -> Option<String> {
    let lines = of_test(pivot, TEST);
    let first = lines.first()?;
    let timed = |line: &&&PivotLine<'_>| line.number(Metric::LatencyP50).is_some();
    let is_open = |line: &&&PivotLine<'_>| line.head().text(Axis::LatencyFrom) == Some(INTENDED);
    // At a rate, an access counts from when it should have begun.
    let open = lines.iter().filter(is_open).find(timed);
    let Some(line) = open.or_else(|| lines.iter().find(timed)) else {
        let reason = refusal(pivot, TEST).map_or_else(String::new, |reason| format!(" {reason}"));
        return Some(format!(
            "The accesses of {} were refused.{reason}",
            first.head().target
        ));
    };
    let half = time(line.number(Metric::LatencyP50)?);
    let slow = line
        .number(Metric::LatencyP99)
        .map_or_else(String::new, |slow| format!(", 99 % up to {}", time(slow)));
    let rate = match open {
        Some(_) => open_rate(&lines),
        None => line.number(Metric::ThroughputMean),
    };
    let from = match open {
        Some(_) => " from their intended start",
        None => "",
    };
    let rate = rate.map_or_else(String::new, |rate| {
        format!("; they move {}", text::rate(rate))
    });
    let grade =
        grade_words(trust::grade(line)).map_or_else(String::new, |words| format!(" ({words})"));
    Some(format!(
        "Half of the accesses of {} take up to {half}{slow}{from}{rate}{grade}.",
        line.head().target
    ))
}

/// Bytes a second of all accesses over the time of the run: a run at a rate also waits between them.
fn open_rate(lines: &[&PivotLine<'_>]) -> Option<f64> {
    let of_line = |line: &&PivotLine<'_>| {
        Some(line.number(Metric::OpsRate)? * line.coordinate(Axis::AccessBytes)?)
    };
    let all = |line: &&&PivotLine<'_>| line.head().operation == RowOperation::All;
    lines.iter().filter(all).find_map(of_line)
}

pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    sentence(pivot).into_iter().collect()
}
