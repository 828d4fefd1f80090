//! Bandwidth from windows of one thread.

use super::TimerCost;
use super::defences::Defences;
use super::grade::{Grade, GradeReason};
use super::input::{CheckedTimings, EstimateError, Timed, checked};
use super::interruption::Screening;
use super::shape::shape;
use crate::memory::ledger::LedgerReading;

/// Picoseconds in a second.
pub(super) const PS_PER_S: f64 = 1e12;

/// A window of a pass, of 1 MiB or so, or a whole pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimedWindow {
    /// Its start, in picoseconds since the start of the run.
    pub at_ps: u64,
    /// Its duration in picoseconds, with the timer's cost.
    pub duration_ps: u64,
    /// Bytes moved in it.
    pub bytes: u64,
}

/// Bandwidth of a thread, in bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct BandwidthEstimate {
    /// 10 % of the windows are slower.
    pub p10: f64,
    /// The middle.
    pub p50: f64,
    /// 10 % of the windows are faster. It stands while others take the core, because an interruption can only slow a
    /// window down.
    pub p90: f64,
    /// Lower end of the 95 % interval of the middle.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// Best whole pass, as STREAM counts it; `None` without passes.
    pub best_pass: Option<f64>,
    /// Bytes of the windows that are left, divided by their time.
    pub mean: f64,
    /// Windows that are left.
    pub windows: usize,
    /// Share of all windows with an interruption inside; removed.
    pub hit_share: f64,
    /// How far the middle can be trusted.
    pub grade: Grade,
    /// Why no further; empty for grade A.
    pub reasons: Vec<GradeReason>,
}

/// Estimates the bandwidth of one thread from its windows and whole passes, each in order of time.
///
/// # Errors
/// As [`latency()`](super::latency()), of windows; passes may be none.
pub fn bandwidth(
    windows: &[TimedWindow],
    passes: &[TimedWindow],
    timer: &TimerCost,
    ledger: &LedgerReading,
) -> Result<BandwidthEstimate, EstimateError> {
    Ok(screened(windows, passes, timer, ledger, &Defences::ALL)?.estimate)
}

/// An estimate, with what it rests on.
pub(super) struct ScreenedBandwidth {
    pub estimate: BandwidthEstimate,
    pub timed: Vec<Timed>,
    pub screening: Screening,
}

pub(super) fn screened(
    windows: &[TimedWindow],
    passes: &[TimedWindow],
    timer: &TimerCost,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<ScreenedBandwidth, EstimateError> {
    let given = windows.iter();
    let given = given.map(|window| (window.at_ps, window.duration_ps, window.bytes));
    let run = CheckedTimings::of(checked(given, timer, defences)?);
    let mut shape = shape(
        std::slice::from_ref(&run),
        timer,
        std::slice::from_ref(ledger),
        ledger,
        defences,
    )?;
    let timed = run.timed;
    // A rate is the inverse of time a byte: its quantiles are the others, inverted. No window is faster than the clock's
    // step allows.
    let fastest = timer.quantum_ps.max(1.0) * timed.len() as f64 / shape.units;
    let rate = |ps_per_byte: f64| PS_PER_S / ps_per_byte.max(fastest.min(shape.median));
    let estimate = BandwidthEstimate {
        p10: rate(shape.quantiles.at(0.90)),
        p50: rate(shape.median),
        p90: rate(shape.quantiles.at(0.10)),
        low: rate(shape.high),
        high: rate(shape.low),
        best_pass: best_pass(passes, timer),
        mean: rate(shape.mean),
        windows: shape.kept,
        hit_share: shape.hit as f64 / timed.len() as f64,
        grade: Grade::of(&shape.reasons),
        reasons: shape.reasons,
    };
    let screening = shape.screenings.remove(0);
    Ok(ScreenedBandwidth {
        estimate,
        timed,
        screening,
    })
}

/// The fastest pass, in bytes a second. Passes no longer than the timer's cost say nothing.
pub(super) fn best_pass(passes: &[TimedWindow], timer: &TimerCost) -> Option<f64> {
    let rates = passes.iter().filter_map(|pass| {
        let net_ps = pass.duration_ps as f64 - timer.cost_ps;
        (net_ps >= timer.quantum_ps.max(1.0)).then(|| pass.bytes as f64 / net_ps * PS_PER_S)
    });
    rates.reduce(f64::max)
}
