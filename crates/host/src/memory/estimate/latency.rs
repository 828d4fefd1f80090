//! Latency from batches of dependent loads.

use super::TimerCost;
use super::defences::Defences;
use super::grade::{Grade, GradeReason};
use super::input::{CheckedTimings, DriverPause, EstimateError, checked};
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
    /// Loads after an interruption until caches had all but 2 % of their effect again; 0 where they never lacked it.
    pub horizon_loads: f64,
    /// What cold caches still added to the batches that are left, as a share of the median; taken off.
    pub corrected_share: f64,
    /// Stretches between interruptions that have batches left; 1 without any.
    pub episodes: usize,
    /// The batches that are left, in the order given.
    pub kept: Vec<KeptBatch>,
    /// How far the median can be trusted.
    pub grade: Grade,
    /// Why no further; empty for grade A.
    pub reasons: Vec<GradeReason>,
}

impl LatencyEstimate {
    /// Judges by another share of time that the hypervisor kept back.
    pub(in crate::memory) fn see_steal(&mut self, share: f64) {
        let stolen = GradeReason::Stolen { share };
        self.reasons.retain(|reason| reason.name() != stolen.name());
        self.reasons
            .extend(Some(stolen).filter(|reason| reason.grade() > Grade::A));
        self.grade = Grade::of(&self.reasons);
    }
}

/// A batch that is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptBatch {
    /// Its place among all batches, from 0; of several runs, as if one followed the other.
    pub place: usize,
    /// Picoseconds a load, without the timer's cost and what cold caches added. Below 0 only where the clock is coarser than a
    /// batch.
    pub ps: f64,
}

/// What one thread timed.
#[derive(Clone, Copy, Debug)]
pub struct TimedRun<'a> {
    /// Its batches, in order of time.
    pub batches: &'a [TimedBatch],
    /// What its driver did between them, in order of time.
    pub pauses: &'a [DriverPause],
    /// Loads in which two thirds of what an interruption displaced come back: lines of a page table, where that is known.
    pub refill_loads: Option<f64>,
    /// What others did meanwhile.
    pub ledger: &'a LedgerReading,
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

/// Estimates the latency of a load from what several threads timed side by side. Each is screened by itself, and what is left
/// counts as one. `ledger` is that of all threads together.
///
/// # Errors
/// As [`latency()`]; without a run as well.
pub fn latency_of(
    runs: &[TimedRun<'_>],
    timer: &TimerCost,
    ledger: &LedgerReading,
) -> Result<LatencyEstimate, EstimateError> {
    latency_of_with(runs, timer, ledger, &Defences::ALL)
}

pub(super) fn latency_with(
    batches: &[TimedBatch],
    timer: &TimerCost,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<LatencyEstimate, EstimateError> {
    let run = TimedRun {
        batches,
        pauses: &[],
        refill_loads: None,
        ledger,
    };
    latency_of_with(&[run], timer, ledger, defences)
}

pub(super) fn latency_of_with(
    runs: &[TimedRun<'_>],
    timer: &TimerCost,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<LatencyEstimate, EstimateError> {
    if runs.is_empty() {
        return Err(EstimateError::NoThreads);
    }
    let check = |run: &TimedRun<'_>| {
        let given = run.batches.iter();
        let given = given.map(|batch| (batch.at_ps, batch.duration_ps, u64::from(batch.loads)));
        Ok(CheckedTimings {
            timed: checked(given, timer, defences)?,
            own: run.pauses.to_vec(),
            refill_units: run.refill_loads,
        })
    };
    let checked = runs.iter().map(check).collect::<Result<Vec<_>, _>>()?;
    let ledgers: Vec<LedgerReading> = runs.iter().map(|run| run.ledger.clone()).collect();
    let shape = shape(&checked, timer, &ledgers, ledger, defences)?;
    let firsts = checked.iter().scan(0, |first, run| {
        let own = *first;
        *first += run.timed.len();
        Some(own)
    });
    let each = firsts.zip(&shape.screenings);
    let kept = each.flat_map(|(first, screening)| {
        let kept = screening.kept.iter();
        kept.map(move |kept| KeptBatch {
            place: first + kept.place,
            ps: kept.value,
        })
    });
    // Below zero only where the clock is coarser than a batch.
    let at = |share: f64| shape.quantiles.at(share).max(0.0);
    let of_all = |count: usize| count as f64 / shape.timed as f64;
    let horizons = shape.screenings.iter().map(|one| one.warmth.horizon);
    Ok(LatencyEstimate {
        samples: shape.units as u64,
        batches: shape.kept,
        p5_ps: at(0.05),
        p25_ps: at(0.25),
        median_ps: shape.median,
        p75_ps: at(0.75),
        p99_ps: at(0.99),
        low_ps: shape.low,
        high_ps: shape.high,
        mean_ps: shape.mean,
        hit_share: of_all(shape.hit),
        cold_share: of_all(shape.cold),
        horizon_loads: horizons.fold(0.0, f64::max),
        corrected_share: shape.corrected,
        episodes: shape.episodes,
        kept: kept.collect(),
        grade: Grade::of(&shape.reasons),
        reasons: shape.reasons,
    })
}
