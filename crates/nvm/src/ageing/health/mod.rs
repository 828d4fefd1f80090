//! Remaining life from latency alone: programs get faster and erases slower as a block wears, and how far they have
//! come shows how much of its life is used (P. Desnoyers, "Empirical evaluation of NAND flash memory performance",
//! HotStorage 2009, section 4).
//!
//! A [`LatencyHistory`] is what is known of a block: latencies of a log, or those that a [`LatencyRecorder`] gathers
//! while a memory runs, one a block of [`ChipLatencies`]. Its latencies become a [`Trend`]; the [`LatencyLaw`] says what
//! share of life a trend means; [`predict`] brings both together, and [`BlockHealth`] is the answer for a reader. What a
//! working block does not show is how far latency goes until it fails: blocks of the same part that have failed show it
//! ([`Kin`]), as far as blocks of a part are alike. `wordline wear health --score` says how good that is.

mod answer;
mod chip;
mod history;
mod law;
mod predict;
mod recorder;
mod running_median;
mod trend;

pub use answer::{BlockHealth, HealthVerdict, SCORED_FROM, WORN};
pub use chip::{ChipLatencies, FailureOrigin, UnwornFailures};
pub use history::{LatencyHistory, TrendSample};
pub use law::{Ends, LatencyLaw, LawBand};
pub use predict::{Kin, OperationBaseline, Prediction, Trained, predict, trend};
pub use recorder::LatencyRecorder;
pub use trend::{Channel, NoTrend, Trend, median};
