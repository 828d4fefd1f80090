//! The middle of what is left, its spread and what that says of contention for memory.

use super::TimerCost;
use super::defences::Defences;
use super::grade::GradeReason;
use super::input::{EstimateError, LEAST_KEPT, Timed, plausible, too_few};
use super::interruption::{Screening, lost_share_of, screen};
use super::interval::{burst_factor, drift, half_ranks, rank_bounds};
use super::quantile::{Ordered, ranked};
use crate::memory::ledger::LedgerReading;

/// Median above p5, and quartiles apart, from which a run counts as contended by its shape alone.
///
/// Batches of 16 or more loads average what single loads scatter: 25 ns of 90 become 5, and p5 lies 9 % below the median.
const CONTENDED: f64 = 0.25;
/// The same where the ledger shows others at work.
const CONTENDED_BESIDE_OTHERS: f64 = 0.15;
/// Variance of blocks, against that of independent batches, from which load comes and goes.
const BURSTS: f64 = 4.0;
/// Share of the range from p5 to p95 that a fortieth of the batches spans between two modes.
const BETWEEN_MODES: f64 = 0.4;
/// Share of processor time or pressure from which others count as at work.
const OTHERS_AT_WORK: f64 = 0.05;
/// The same for time that the hypervisor takes, or that tasks wait for memory.
const OTHERS_TAKE: f64 = 0.01;

/// Figures of what was timed, in picoseconds a load or byte.
pub(super) struct TimingShape {
    pub quantiles: Ordered,
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub mean: f64,
    /// Sum of the loads or bytes that are left.
    pub units: f64,
    pub screening: Screening,
    pub timed: usize,
    pub reasons: Vec<GradeReason>,
}

/// Screens what was timed and finds its middle, interval and reasons for doubt.
pub(super) fn shape(
    timed: &[Timed],
    timer: &TimerCost,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<TimingShape, EstimateError> {
    plausible(timer, ledger)?;
    let screening = screen(timed, ledger, defences);
    if screening.kept.len() < LEAST_KEPT {
        return Err(too_few(timed.len(), screening.kept.len()));
    }
    let kept: Vec<Timed> = screening.kept.iter().map(|place| timed[*place]).collect();
    let values: Vec<f64> = kept.iter().map(Timed::per_unit).collect();
    let steps: Vec<f64> = kept
        .iter()
        .map(|batch| timer.quantum_ps / batch.units)
        .collect();
    let quantiles = Ordered::new(values.iter().copied().zip(steps.iter().copied()).collect());
    let units: f64 = kept.iter().map(|batch| batch.units).sum();
    let net: f64 = kept.iter().map(|batch| batch.net_ps).sum();
    let mean = net / units;
    let middle = if defences.median {
        quantiles.at(0.5)
    } else {
        mean
    };
    if middle <= 0.0 {
        return Err(EstimateError::BelowTimer {
            duration_ps: middle * units / kept.len() as f64,
            cost_ps: timer.cost_ps,
        });
    }

    let half = half_ranks(&values, quantiles.at(0.5), defences.blocks);
    let (low, high) = rank_bounds(values.len(), half);
    let bound = |rank: usize, sign: f64| {
        let sign = if defences.widen_by_quantum { sign } else { 0.0 };
        // Each value is wrong by less than its step, so the ranked bounds bound the ranked true values.
        let each = values.iter().zip(&steps);
        let mut bounds: Vec<f64> = each.map(|(value, step)| value + sign * step).collect();
        ranked(&mut bounds, rank)
    };
    let (mut low, mut high) = (bound(low, -1.0), bound(high, 1.0));
    if !defences.median {
        let shift = mean - quantiles.at(0.5);
        (low, high) = (low + shift, high + shift);
    }

    let mut shape = TimingShape {
        median: middle,
        low: low.clamp(0.0, middle),
        high: high.max(middle),
        mean: mean.max(0.0),
        units,
        screening,
        timed: timed.len(),
        reasons: Vec::new(),
        quantiles,
    };
    let step = timer.quantum_ps * kept.len() as f64 / units / middle;
    let cost = timer.cost_ps * kept.len() as f64 / (units * middle);
    shape.reasons = GradeReason::of_run(&shape, step, cost, ledger, defences);
    if defences.check_drift
        && let Some(change) = drift(&values)
    {
        shape.reasons.extend(GradeReason::drift(change, step));
    }
    if defences.name_contention {
        shape
            .reasons
            .extend(contention(&shape, &values, step, ledger));
    }
    Ok(shape)
}

/// Contention for memory.
///
/// A rival for the *core* hits single batches, which are removed. A rival for the *memory* delays loads in every batch: the
/// middle rises above p5, which keeps the quiet value because rivals pause, or speed comes and goes. Two modes that
/// alternate from batch to batch are the memory's own (refresh, page walks), and what a coarse clock scatters is no rise.
fn contention(
    shape: &TimingShape,
    values: &[f64],
    step: f64,
    ledger: &LedgerReading,
) -> Option<GradeReason> {
    let at = |share: f64| shape.quantiles.at(share);
    let quiet = at(0.05);
    if quiet <= 0.0 {
        return None;
    }
    let rise = at(0.5) / quiet - 1.0;
    let spread = (at(0.75) - at(0.25)) / quiet;
    let bursts = burst_factor(values, at(0.5)) > BURSTS;
    let least = if others_at_work(ledger) {
        CONTENDED_BESIDE_OTHERS
    } else {
        CONTENDED
    } + 2.0 * step;
    let own_modes = two_modes(&shape.quantiles) && !bursts;
    let contended = (rise > least && !own_modes) || (spread > least && bursts);
    contended.then_some(GradeReason::MemoryContention {
        rise,
        spread,
        others_at_work: others_at_work(ledger),
    })
}

fn others_at_work(ledger: &LedgerReading) -> bool {
    let pressure = |pressure: Option<f64>, least: f64| pressure.is_some_and(|some| some > least);
    ledger.other_cpu_share > OTHERS_AT_WORK
        || lost_share_of(ledger).is_some_and(|lost| lost > OTHERS_AT_WORK)
        || ledger.steal_share > OTHERS_TAKE
        || pressure(ledger.cpu_pressure, OTHERS_AT_WORK)
        || pressure(ledger.memory_pressure, OTHERS_TAKE)
}

/// Whether the values lie in two heaps with next to nothing between them.
fn two_modes(quantiles: &Ordered) -> bool {
    let grid: Vec<f64> = (2..=38)
        .map(|step| quantiles.at(f64::from(step) / 40.0))
        .collect();
    let range = grid[grid.len() - 1] - grid[0];
    let widest = grid
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max);
    widest > BETWEEN_MODES * range
}
