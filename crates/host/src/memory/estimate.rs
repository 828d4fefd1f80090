//! Figures of timed batches and windows, and how far they can be trusted.
//!
//! All of it is pure: what was timed goes in, figures come out, and no clock is read, so that every rule is tested on
//! data of which the truth is known. The steps, each a file below:
//!
//! 1. the cost of the timer is taken off ([`TimerCost`]);
//! 2. batches during which another program had the core are removed, and the cold ones after them (`interruption`), or what
//!    cold caches added is taken off (`warmth`);
//! 3. quantiles are taken, with the clock's step spread over its width (`quantile`);
//! 4. the interval of the median comes from ranks and blocks, so that it holds under bursts and drift (`interval`);
//! 5. what is left in doubt is named, and decides the grade (`grade`).
//!
//! [`latency()`] does so for dependent loads, [`bandwidth()`] for windows of one thread, [`aggregate()`] for several
//! threads at once. `DESIGN.md` of this crate says why, with the figures.

mod aggregate;
mod bandwidth;
mod batch;
mod defences;
mod grade;
mod input;
mod interruption;
mod interval;
mod latency;
#[cfg(test)]
pub(crate) mod planted;
mod quantile;
mod shape;
#[cfg(test)]
mod tests;
mod warmth;

pub use aggregate::{AggregateBandwidth, AggregateBasis, aggregate};
pub use bandwidth::{BandwidthEstimate, TimedWindow, bandwidth};
pub use batch::loads_per_batch;
pub use grade::{Grade, GradeReason};
pub use input::{DriverPause, EstimateError, LEAST_KEPT};
pub(super) use interruption::{LEAST_EXCESS_PS, TIMES_UPPER_QUARTILE};
pub use latency::{KeptBatch, LatencyEstimate, TimedBatch, TimedRun, latency, latency_of};

/// What reading the clock costs, and the step in which it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimerCost {
    /// Picoseconds that every duration has too much.
    pub cost_ps: f64,
    /// Picoseconds between two values that the clock can show; a duration is wrong by less than this.
    pub quantum_ps: f64,
}
