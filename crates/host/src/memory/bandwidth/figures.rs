//! Figures of one thread or of several, in one form.

use crate::memory::estimate::{
    EstimateError, Grade, GradeReason, TimedWindow, TimerCost, aggregate,
};
use crate::memory::ledger::LedgerReading;

/// Bandwidth in bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct BandwidthFigures {
    /// 10 % of the time is slower.
    pub p10: f64,
    /// The middle.
    pub p50: f64,
    /// 10 % of the time is faster.
    pub p90: f64,
    /// Lower end of the 95 % interval of the middle.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// Best whole pass, as STREAM counts it; `None` without passes.
    pub best_pass: Option<f64>,
    /// Share of all windows with an interruption inside; removed. Of several threads the mean.
    pub hit_share: f64,
    /// Share of the run in which all threads ran.
    pub overlap_share: f64,
    /// How far the middle can be trusted.
    pub grade: Grade,
    /// Why no further; empty for grade A.
    pub reasons: Vec<GradeReason>,
}

impl BandwidthFigures {
    /// Estimates from the windows of each thread, and whole passes of all.
    pub(super) fn of(
        windows: &[Vec<TimedWindow>],
        passes: &[TimedWindow],
        timer: &TimerCost,
        ledger: &LedgerReading,
    ) -> Result<Self, EstimateError> {
        let found = aggregate(windows, passes, timer, ledger)?;
        // One thread is never apart from others. Its quantiles are those of the time, as of several: a quarter of the time
        // at half the rate is a seventh of the windows.
        if let [alone] = found.threads.as_slice() {
            return Ok(Self {
                p10: found.p10,
                p50: found.p50,
                p90: found.p90,
                low: found.low,
                high: found.high,
                best_pass: found.best_pass,
                hit_share: alone.hit_share,
                overlap_share: 1.0,
                grade: alone.grade,
                reasons: alone.reasons.clone(),
            });
        }
        let hit: f64 = found.threads.iter().map(|thread| thread.hit_share).sum();
        Ok(Self {
            p10: found.p10,
            p50: found.p50,
            p90: found.p90,
            low: found.low,
            high: found.high,
            best_pass: found.best_pass,
            hit_share: hit / found.threads.len().max(1) as f64,
            overlap_share: found.overlap_share,
            grade: found.grade,
            reasons: found.reasons,
        })
    }
}
