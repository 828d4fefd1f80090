//! The estimator on planted runs.

mod coverage;
mod laws;
mod mutants;
mod rates;
mod refills;

use super::defences::Defences;
use super::input::EstimateError;
use super::latency::{LatencyEstimate, TimedRun, latency_of_with, latency_with};
use super::planted::PlantedRun;

/// Estimates a planted run.
fn estimate(
    run: &PlantedRun,
    seed: u64,
    defences: &Defences,
) -> Result<LatencyEstimate, EstimateError> {
    let lines = run.preemption.map(|rivals| rivals.refill.lines);
    expecting(run, seed, lines, defences)
}

/// The same where so many lines are expected to be missing after an interruption.
fn expecting(
    run: &PlantedRun,
    seed: u64,
    lines: Option<f64>,
    defences: &Defences,
) -> Result<LatencyEstimate, EstimateError> {
    let (batches, ledger) = run.draw(seed);
    let timed = TimedRun {
        batches: &batches,
        pauses: &[],
        refill_loads: lines.filter(|lines| *lines > 0.0),
        ledger: &ledger,
    };
    latency_of_with(&[timed], &run.timer, &ledger, defences)
}

/// Share of seeds of which the interval holds the true median; refusals and errors do not hold it.
fn coverage(run: &PlantedRun, seeds: u64, defences: &Defences) -> f64 {
    let truth_ps = run.latency.median_ns() * 1e3;
    let holds = |seed: &u64| {
        estimate(run, *seed, defences)
            .is_ok_and(|found| (found.low_ps..=found.high_ps).contains(&truth_ps))
    };
    (0..seeds).filter(holds).count() as f64 / seeds as f64
}
