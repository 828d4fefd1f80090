//! Figures from a sweep: mean access times by size.
//!
//! The mean time of an access in order is linear in the times of the array: so many page reads, page programs and
//! erases lie in it, and the rest is bus and driver. How many, the model itself shows: the base is run with each figure
//! moved. What the log takes longer or shorter is explained by weighted least squares by these figures and, where sizes
//! separate them, by a constant for each access and one for each byte, which are the host's and the bus's beyond those
//! of the board.

use wordline_catalog::PartOnBoard;
use wordline_core::{Experiment, Metric, Operation, RawWorkload, ResultSet, Timing, Workload};
use wordline_trace::sweep::SweepPoint;

use super::law::LawInterval;
use super::part::{Duration, FlashPart};
use super::statistics::{inverse, student};
use super::timing::with;
use crate::control::Control;
use crate::error::LabError;
use crate::fit::sheet::SheetChange;
use crate::wear::block_shape;

/// Bytes that each size moves at least.
const TOTAL_MIN: u64 = 1 << 20;

/// Accesses of each size at least.
const ACCESSES_MIN: u64 = 4;

/// Share of the time of an access below which nothing differs: rounding and the board's polling.
const FLOOR: f64 = 1e-5;

/// Growth of a variance by what explains the same, from which two cannot be distinguished.
const ALIKE: f64 = 1e6;

/// How a typical column is moved, to see what depends on it.
const MOVED: f64 = 1.5;

/// What a sweep determines.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Of {
    /// A figure of the sheet, by its place among the durations of the part.
    Figure(usize),
    /// Time for each access beyond that of the board.
    Access(Operation),
    /// The same for each byte.
    Byte(Operation),
}

/// A sweep on a base.
pub(super) struct FigureSweep<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) durations: Vec<&'a Duration<'a>>,
    pub(super) experiment: &'a Experiment,
    pub(super) control: &'a Control<'a>,
}

/// The figures that access times depend on.
pub(super) fn durations<'a>(part: &'a FlashPart<'a>) -> Vec<&'a Duration<'a>> {
    let own = [&part.program, &part.erase];
    part.read.iter().chain(own).collect()
}

impl FigureSweep<'_> {
    /// What the points determine, each with its interval.
    pub(super) fn fit(
        &self,
        points: &[&SweepPoint],
    ) -> Result<Option<Vec<(Of, LawInterval)>>, LabError> {
        let base: Vec<f64> = self
            .durations
            .iter()
            .map(|one| one.figure.nominal().ps() as f64 * 1e-12)
            .collect();
        let Some(at_base) = self.times(&[], points)? else {
            return Ok(None);
        };
        let mut slopes = Vec::new();
        for (duration, seconds) in self.durations.iter().zip(&base) {
            let Some(moved) = self.times(&[typical(duration, MOVED * seconds)], points)? else {
                return Ok(None);
            };
            let by = (MOVED - 1.0) * seconds;
            let slope = moved
                .iter()
                .zip(&at_base)
                .map(|(there, here)| (there - here) / by);
            slopes.push(slope.collect::<Vec<f64>>());
        }
        let mut found = Vec::new();
        for operation in [Operation::Read, Operation::Write] {
            let places: Vec<usize> = (0..points.len())
                .filter(|place| points[*place].operation == operation)
                .collect();
            let figures: Vec<usize> = (0..base.len())
                .filter(|figure| places.iter().any(|place| slopes[*figure][*place] > 1e-9))
                .collect();
            let rows: Vec<SweepRow> = places
                .iter()
                .map(|&place| SweepRow {
                    slopes: figures
                        .iter()
                        .map(|figure| slopes[*figure][place])
                        .collect(),
                    bytes: points[place].bytes as f64,
                    more: points[place].seconds - at_base[place],
                    seconds: points[place].seconds,
                })
                .collect();
            for (of, by) in solve(&rows, &figures, operation) {
                let from = match of {
                    Of::Figure(figure) => base[figure],
                    _ => 0.0,
                };
                found.push((
                    of,
                    LawInterval {
                        value: from + by.value,
                        least: from + by.least,
                        most: from + by.most,
                    },
                ));
            }
        }
        Ok(Some(found))
    }

    /// Mean access times of the base with some figures changed, in seconds.
    pub(super) fn times(
        &self,
        changes: &[SheetChange],
        points: &[&SweepPoint],
    ) -> Result<Option<Vec<f64>>, LabError> {
        let mut times = vec![f64::NAN; points.len()];
        for operation in [Operation::Read, Operation::Write] {
            let of = |one: &&&SweepPoint| one.operation == operation;
            for point in points.iter().filter(of) {
                let (block, _) = block_shape(self.target)?;
                let least = ACCESSES_MIN.saturating_mul(point.bytes.max(block));
                let total = least.max(TOTAL_MIN);
                let total = total.div_ceil(point.bytes) * point.bytes;
                let workload = RawWorkload {
                    operations: vec![operation],
                    access_bytes: vec![point.bytes],
                    total_bytes: total,
                    wrap_bytes: total,
                    ..RawWorkload::default()
                };
                let experiment = Experiment {
                    targets: vec![self.target.name.clone()],
                    workload: Workload::Raw(workload.clone()),
                    timings: vec![Timing::Typ],
                    age: 0.0,
                    seed: self.experiment.seed,
                    ftl: None,
                };
                let mut document = ResultSet::new(experiment.clone());
                with(self.target, changes, |target| {
                    let targets = [PartOnBoard {
                        name: target.name.clone(),
                        ..*target
                    }];
                    crate::raw::run(
                        &targets,
                        &workload,
                        &experiment,
                        self.control,
                        &mut document,
                    )
                })?;
                if self.control.stopped() {
                    return Ok(None);
                }
                let mean = document.of(Metric::LatencyMean).find_map(|row| row.value);
                let place = points.iter().position(|one| std::ptr::eq(*one, *point));
                if let (Some(place), Some(mean)) = (place, mean) {
                    times[place] = mean;
                }
            }
        }
        Ok(Some(times))
    }
}

/// A typical column, with a maximum that is no less.
pub(super) fn typical(duration: &Duration<'_>, seconds: f64) -> SheetChange {
    use wordline_core::quantity::{Quantity as _, Time};
    let typ = Time::from_si(seconds);
    let max = duration.figure.max().map(|max| max.later(typ));
    let max = max.map_or(String::new(), |max| format!(", max = \"{max}\""));
    SheetChange {
        path: duration.path.clone(),
        columns: format!("typ = \"{typ}\"{max}"),
    }
}

/// A size of a sweep.
struct SweepRow {
    /// How much longer its access takes for each second of each figure.
    slopes: Vec<f64>,
    bytes: f64,
    /// How much longer than on the base it takes, and how long, in seconds.
    more: f64,
    seconds: f64,
}

/// Explains how much longer accesses take: by the figures, and besides by as much as the sizes separate. Where they do
/// not even separate the figures, the last, of which each access holds the least, stays as it is.
fn solve(rows: &[SweepRow], figures: &[usize], operation: Operation) -> Vec<(Of, LawInterval)> {
    let figure = |one: &usize| Of::Figure(*one);
    let besides = [(true, true), (true, false), (false, true), (false, false)];
    let many = (1..=figures.len()).rev();
    for (many, (access, byte)) in many.flat_map(|many| besides.map(|one| (many, one))) {
        let mut of: Vec<Of> = figures[..many].iter().map(figure).collect();
        of.extend(access.then_some(Of::Access(operation)));
        of.extend(byte.then_some(Of::Byte(operation)));
        let Some(freedom) = rows
            .len()
            .checked_sub(of.len())
            .filter(|freedom| *freedom > 0)
        else {
            continue;
        };
        // Noise is in proportion to durations.
        let row = |row: &SweepRow| -> Vec<f64> {
            let besides = [access.then_some(1.0), byte.then_some(row.bytes)];
            let slopes = row.slopes[..many].iter();
            let all = slopes.copied().chain(besides.into_iter().flatten());
            all.map(|one| one / row.seconds).collect()
        };
        let design: Vec<Vec<f64>> = rows.iter().map(row).collect();
        let wanted: Vec<f64> = rows.iter().map(|row| row.more / row.seconds).collect();
        if let Some(found) = least_squares(&design, &wanted, freedom as f64) {
            return of.into_iter().zip(found).collect();
        }
    }
    Vec::new()
}

/// Weighted least squares with the intervals of its unknowns; `None` where the sizes do not separate them.
fn least_squares(design: &[Vec<f64>], wanted: &[f64], freedom: f64) -> Option<Vec<LawInterval>> {
    let count = design.first()?.len();
    let product = |a: usize, b: usize| design.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let scales: Vec<f64> = (0..count).map(|one| product(one, one).sqrt()).collect();
    if scales.contains(&0.0) {
        return None;
    }
    let scaled = |a: usize, b: usize| product(a, b) / (scales[a] * scales[b]);
    let normal: Vec<Vec<f64>> = (0..count)
        .map(|a| (0..count).map(|b| scaled(a, b)).collect())
        .collect();
    let inverse = inverse(&normal)?;
    if (0..count).any(|one| inverse[one][one] > ALIKE) {
        return None;
    }
    let right: Vec<f64> = (0..count)
        .map(|one| {
            let pairs = design.iter().zip(wanted);
            pairs.map(|(row, wanted)| row[one] * wanted).sum::<f64>() / scales[one]
        })
        .collect();
    let values: Vec<f64> = (0..count)
        .map(|one| {
            inverse[one]
                .iter()
                .zip(&right)
                .map(|(a, b)| a * b)
                .sum::<f64>()
                / scales[one]
        })
        .collect();
    let left = |(row, wanted): (&Vec<f64>, &f64)| {
        let explained: f64 = row.iter().zip(&values).map(|(a, b)| a * b).sum();
        (wanted - explained).powi(2)
    };
    let squares: f64 = design.iter().zip(wanted).map(left).sum();
    let noise = (squares / freedom).sqrt().max(FLOOR);
    let interval = |one: usize| {
        let reach = student(freedom) * noise * inverse[one][one].sqrt() / scales[one];
        LawInterval {
            value: values[one],
            least: values[one] - reach,
            most: values[one] + reach,
        }
    };
    Some((0..count).map(interval).collect())
}
