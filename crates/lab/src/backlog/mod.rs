//! theory to come.

mod accumulator;
mod chains;
mod curve;
mod floor;
mod fraction;
mod hull;
mod longest;
mod peaks;
mod replay;
mod unordered;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_lists;

pub use accumulator::Accumulator;
pub use curve::{Breakpoint, Curve, Demand, Line};
pub use fraction::{Amount, Rate};
pub use longest::{Longest, Sequence};
pub use peaks::{Arrivals, Counted, Fluid, Peaks, Records, StartUp};
pub use replay::{Backlog, Fill};
pub use unordered::{Interval, Unordered};
use wordline_core::quantity::{ByteCount, Time};

/// Why the theory has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BacklogError {
    /// A rate that cannot be taken exactly, in bytes per second.
    #[error("an input rate of {0} B/s cannot be taken exactly; allowed: 2^-10 B/s to 2^63 B/s")]
    Rate(f64),
    /// Totals beyond the exact numbers.
    #[error("the log exceeds what can be counted exactly: 213 days, 2^62 bytes")]
    TooMuch,
    /// The RAM does not even hold what is there at the start.
    #[error("{0} of RAM are too few at every input rate")]
    NoRate(ByteCount),
    /// An interval of durations that ends before it begins.
    #[error("an interval of durations from {least} to {most} ends before it begins")]
    Interval {
        /// Its lower end.
        least: Time,
        /// Its upper end.
        most: Time,
    },
    /// Whole records of several sizes have no curve.
    #[error(
        "records of several sizes have no closed curve of whole records; \
         play them at one rate, or ask for fluid input"
    )]
    Varying,
}
