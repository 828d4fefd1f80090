//! The fitted part beside the log: how long blocks live and how long their operations take, in the half of the blocks
//! that was fitted and in the half that was held out.

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, ResultSet, RowOperation, Timing};
use wordline_trace::cycling::{BlockLife, CyclingOperation};

use super::estimate::first_mean;
use super::pulses::Series;
use super::statistics::mean;
use crate::subject::{Axes, Subject};
use crate::wear::{CourseStep, WearCourse};

/// The halves as the axis `half` spells them: the one that was fitted, and the one that was held out.
pub(super) const HALVES: [&str; 2] = ["first", "second"];

/// What is compared, with the operation and the axis `statistic` of its rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    metric: Metric,
    operation: RowOperation,
    statistic: &'static str,
    value: Option<f64>,
}

/// What some blocks of a log did.
pub(super) fn of_log(lives: &[&BlockLife]) -> Vec<Compared> {
    let ended = |life: &&BlockLife| life.failed.map(|(cycle, _)| cycle);
    let mut all = endurance(lives.iter().map(ended).collect());
    for operation in [CyclingOperation::Program, CyclingOperation::Erase] {
        let series: Vec<(Series, &BlockLife)> = lives
            .iter()
            .map(|life| {
                let points = life.of(operation);
                let series = points.map(|point| (point.cycle, point.duration.ps() as f64 * 1e-12));
                (series.collect(), *life)
            })
            .collect();
        let first = |(one, _): &(Series, _)| one.first().map(|(_, seconds)| *seconds);
        let middle = |(one, life): &(Series, &BlockLife)| first_mean(one, life.cycles);
        let last = |(one, life): &(Series, &BlockLife)| {
            life.failed?;
            one.last().map(|(_, seconds)| *seconds)
        };
        all.extend(latency(
            operation.into(),
            [
                series.iter().filter_map(first).collect(),
                series.iter().filter_map(middle).collect(),
                series.iter().filter_map(last).collect(),
            ],
        ));
    }
    all
}

/// What blocks of the simulated part did.
pub(super) fn of_part(courses: &[WearCourse]) -> Vec<Compared> {
    let mut all = endurance(courses.iter().map(WearCourse::endurance).collect());
    for step in [CourseStep::Program, CourseStep::Erase] {
        let first = |course: &WearCourse| course.at_s(0, step);
        let middle = |course: &WearCourse| course.first_mean_s(step);
        let last = |course: &WearCourse| {
            course.endurance()?;
            course.stretches.last()?.mean_s(step)
        };
        all.extend(latency(
            step.operation(),
            [
                courses.iter().filter_map(first).collect(),
                courses.iter().filter_map(middle).collect(),
                courses.iter().filter_map(last).collect(),
            ],
        ));
    }
    all
}

/// Quantiles of the cycles until blocks fail; those that did not stand longer than those that did.
fn endurance(mut cycles: Vec<Option<u64>>) -> Vec<Compared> {
    cycles.sort_by_key(|one| one.unwrap_or(u64::MAX));
    let quantile = |(statistic, share): (&'static str, f64)| {
        let place = (share * cycles.len().saturating_sub(1) as f64).round() as usize;
        let value = cycles.get(place).copied().flatten();
        Compared {
            metric: Metric::Endurance,
            operation: RowOperation::Cycle,
            statistic,
            value: value.map(|cycles| cycles as f64),
        }
    };
    [("p10", 0.1), ("median", 0.5), ("p90", 0.9)]
        .map(quantile)
        .into()
}

/// Means over the blocks: of the first operation, of the first cycles, and of the last operation.
fn latency(operation: RowOperation, values: [Vec<f64>; 3]) -> Vec<Compared> {
    let names = ["first", "first_10000", "last"];
    let named = names.into_iter().zip(&values);
    named
        .map(|(statistic, values)| Compared {
            metric: Metric::LatencyMean,
            operation,
            statistic,
            value: (!values.is_empty()).then(|| mean(values).0),
        })
        .collect()
}

/// Mean absolute logarithm of the ratios of two; 0 where nothing can be compared.
pub(super) fn distance(one: &[Compared], other: &[Compared]) -> f64 {
    let pairs = one.iter().zip(other);
    let apart: Vec<f64> = pairs
        .filter_map(|(one, other)| Some(libm::log(one.value? / other.value?).abs()))
        .collect();
    mean(&apart).0
}

/// Who the rows are of.
pub(super) struct NamedEstimate<'a> {
    /// The file of the log.
    pub(super) file: &'a str,
    /// Ids of the fitted part and of its board.
    pub(super) part: &'a str,
    pub(super) board: &'a str,
    pub(super) workload: &'static str,
}

/// Adds the rows of both halves of a log, and of the part beside each.
pub(super) fn add(
    named: &NamedEstimate<'_>,
    log: [&[Compared]; 2],
    part: &[Compared],
    document: &mut ResultSet,
) {
    // What was fitted is no prediction; what comes behind it is.
    let bases = [Basis::Calibrated, Basis::Simulated];
    for (index, half) in HALVES.into_iter().enumerate() {
        let subject = |is_log: bool| {
            let (target, part, board) = if is_log {
                (format!("log:{}", named.file), named.file, "")
            } else {
                (
                    format!("{}@{}", named.part, named.board),
                    named.part,
                    named.board,
                )
            };
            let subject = Subject {
                target,
                part: part.to_owned(),
                board: board.to_owned(),
                workload: named.workload,
                operation: RowOperation::Cycle,
                axes: Axes::new(),
                timing: Timing::Typ,
                age: 0.0,
                basis: if is_log {
                    Basis::Measured
                } else {
                    bases[index]
                },
            };
            subject.at(Axis::Half, half)
        };
        for (is_log, compared) in [(true, log[index]), (false, part)] {
            for one in compared {
                let mut subject = subject(is_log).at(Axis::Statistic, one.statistic);
                subject.operation = one.operation;
                let missing = match one.metric {
                    Metric::Endurance => NoValue::BeyondRange,
                    _ => NoValue::NotApplicable,
                };
                let row = subject.row(one.metric, one.value.ok_or(missing));
                document.rows.push(row);
            }
        }
    }
}
