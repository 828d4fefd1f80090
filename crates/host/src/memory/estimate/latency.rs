//! Latency from batches of dependent loads.

use super::TimerCost;
use super::defences::Defences;
use super::grade::{Grade, GradeReason};
use super::input::{EstimateError, checked};
use super::shape::shape;
use crate::memory::ledger::LedgerReading;

/// A batch of dependent loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimedBatch {
    /// Its start, in picoseconds since the start of the run.
    pub at_ps: u64,
    /// Its duration in picoseconds, with the timer's cost.
    pub duration_ps: u64,
    /// Loads in it.
    pub loads: u32,
}

/// Latency of a load, in picoseconds: quantiles are those of the batches' means.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyEstimate {
    /// Loads in the batches that are left.
    pub samples: u64,
    /// Batches that are left.
    pub batches: usize,
    /// 5 % of the batches are faster.
    pub p5_ps: f64,
    /// The lower quartile.
    pub p25_ps: f64,
    /// The middle: the figure to quote.
    pub median_ps: f64,
    /// The upper quartile.
    pub p75_ps: f64,
    /// 1 % of the batches are slower.
    pub p99_ps: f64,
    /// Lower end of the 95 % interval of the median; distribution-free, and valid under drift and bursts.
    pub low_ps: f64,
    /// Upper end of that interval.
    pub high_ps: f64,
    /// The mean of the loads that are left.
    pub mean_ps: f64,
    /// Share of all batches with an interruption inside; removed.
    pub hit_share: f64,
    /// Share of all batches that refilled caches after an interruption; removed.
    pub cold_share: f64,
    /// How far the median can be trusted.
    pub grade: Grade,
    /// Why no further; empty for grade A.
    pub reasons: Vec<GradeReason>,
}

/// Estimates the latency of a load from batches of one thread, in order of time.
///
/// # Errors
/// Fewer than [`LEAST_KEPT`](super::LEAST_KEPT) batches given or left, a batch without loads, out of order or past 64
/// bits, a timer or ledger that cannot be, batches no longer than the timer's cost.
pub fn latency(
    batches: &[TimedBatch],
    timer: &TimerCost,
    ledger: &LedgerReading,
) -> Result<LatencyEstimate, EstimateError> {
    latency_with(batches, timer, ledger, &Defences::ALL)
}

pub(super) fn latency_with(
    batches: &[TimedBatch],
    timer: &TimerCost,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<LatencyEstimate, EstimateError> {
    let given = batches.iter();
    let given = given.map(|batch| (batch.at_ps, batch.duration_ps, u64::from(batch.loads)));
    let timed = checked(given, timer, defences)?;
    let shape = shape(&timed, timer, ledger, defences)?;
    // Below zero only where the clock is coarser than a batch.
    let at = |share: f64| shape.quantiles.at(share).max(0.0);
    let of_all = |count: usize| count as f64 / timed.len() as f64;
    Ok(LatencyEstimate {
        samples: shape.units as u64,
        batches: shape.screening.kept.len(),
        p5_ps: at(0.05),
        p25_ps: at(0.25),
        median_ps: shape.median,
        p75_ps: at(0.75),
        p99_ps: at(0.99),
        low_ps: shape.low,
        high_ps: shape.high,
        mean_ps: shape.mean,
        hit_share: of_all(shape.screening.hit),
        cold_share: of_all(shape.screening.cold),
        grade: Grade::of(&shape.reasons),
        reasons: shape.reasons,
    })
}
