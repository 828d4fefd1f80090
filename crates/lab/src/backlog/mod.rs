//! The theory of real-time buffers: how much RAM a log of accesses needs at which input rate.
//!
//! # The question
//!
//! Data come at a fixed rate `w` and may not be lost. A memory takes them in accesses `k = 1 … n`
//! that last `d_k` and carry `S_k` bytes away when they end. What has come and has not left must
//! stand in RAM. An access that takes long, or several slow ones in a row, let it grow; quick ones
//! let it shrink again.
//!
//! # The recursion
//!
//! Let `F_k` be the backlog just before the bytes of access `k` leave. The access before left
//! `F_{k-1} − S_{k-1}` behind, or nothing: then the memory waits for its next record. So
//!
//! ```text
//! F_k = max(0, F_{k-1} − S_{k-1}) + w·d_k                                (Lindley's recursion)
//! ```
//!
//! or in time, with the sojourn `D_k = F_k / w` of record `k`:
//! `D_k = max(0, D_{k-1} − S_{k-1}/w) + d_k`. A start-up, with the time `t0` from power-up to the
//! first access and `b0` bytes that wait already, is an access 0 that lasts `t0` and carries `−b0`
//! bytes: `F_0 = w·t0`, `F_1 = F_0 + b0 + w·d_1`. [`Backlog`] is this recursion, at one rate.
//!
//! # What counts
//!
//! - *In flight*: with the record that is being written; the peak is `max F_k`. *Waiting*: without
//!   it; `max(0, F_k − S_k)`, and `F_0 + b0` ([`Counted`]).
//! - *Fluid* input comes byte by byte. *Records* come whole: the first at power-up, record `k + 1`
//!   a time `S_k/w` after record `k` ([`Arrivals`]). Counted just before the access ends, a fill of
//!   whole records is the fluid fill rounded *up* to the end of a record: the record that comes at
//!   this very instant does not wait yet. With one size `S` the peak in flight is
//!   `S·⌈max F_k / S⌉`, and `S` less of it waits; with many sizes it depends on which records
//!   follow, and only the recursion knows.
//!
//! # The curve
//!
//! Unrolled, the recursion says that the busy period at access `k` began with the access `j` that
//! makes most of it:
//!
//! ```text
//! F(w) = max over j ≤ k of  w·(A_k − A_{j-1}) − (C_{k-1} − C_{j-1})
//! ```
//!
//! with `A_k = d_1 + … + d_k` and `C_k = S_1 + … + S_k`. Every sequence of accesses is a line in
//! `w`: its slope is its total time, and the bytes of all its accesses but the last lower it. The
//! peak is their upper envelope, convex and piecewise linear, and [`Curve`] holds it exactly, as a
//! few dozen lines for a measured log. It starts with the longest single access; at each breakpoint
//! a longer sequence takes over. The inverse gives the highest rate that a given RAM allows.
//!
//! # Limits
//!
//! `C_n / A_n` is the throughput of the log. A log that repeats without end keeps up at every rate
//! up to this, and at this very rate: each passage then brings as much as it carries away. Above
//! it the backlog grows by the difference ([`Demand::Unbounded`]), though a single passage still has
//! a peak. A finite log's peak is that of the log alone, begun with an empty buffer or its
//! start-up. The next passage of a repeated log can need more than the first, since it may find a
//! backlog; feed the log twice to see it: up to the throughput limit, later passages repeat the
//! second. A log says nothing of what it did not meet.
//!
//! # Other answers
//!
//! [`Longest`] finds the longest sequences of given numbers of accesses, to be shown. [`Unordered`]
//! bounds the peak when only a histogram of durations is known.
//!
//! # Exactness
//!
//! Times are whole picoseconds, sizes whole bytes, rates fractions ([`Rate`]); a rate from `f64` is
//! that double exactly. No comparison rounds. Totals beyond 213 days or 2⁶² bytes are errors.
//!
//! # Example
//!
//! 31 accesses of 616 µs and one of 2616 µs carry 4 KiB each, against 4096 KB/s, which is a record a
//! millisecond:
//!
//! ```
//! use wordline_core::quantity::{ByteCount, DataRate, Time};
//! use wordline_lab::backlog::{Accumulator, Arrivals, Counted, Rate};
//!
//! let record: ByteCount = "4 KiB".parse()?;
//! let mut log = Accumulator::new();
//! for access in 0..32 {
//!     let duration: Time = if access == 20 { "2616 us" } else { "616 us" }.parse()?;
//!     log.push(duration, record);
//! }
//! let curve = log.finish()?;
//!
//! let peaks = curve.at(Rate::try_from("4096 KB/s".parse::<DataRate>()?)?);
//! let records = peaks.records.expect("records of one size");
//! assert_eq!((records.waiting, records.in_flight), (8192, 12288));
//! assert_eq!(format!("{:.0}", peaks.fluid.in_flight.bytes()), "10715");
//!
//! // With 4 KiB of RAM beside the record being written, one record may wait, and the second may
//! // come when the long access ends, but not before: 8 KiB in 2616 us.
//! let rate = curve.highest_rate("4 KiB".parse()?, Arrivals::Records, Counted::Waiting)?;
//! assert_eq!(rate, Some(Rate::new("8 KiB".parse()?, "2616 us".parse()?)?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the curve is computed, and how fast, is in `crates/lab/DESIGN.md`.

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
use wordline_core::quantity::{ByteCount, DataRate, Quantity as _, Time};

/// Why the theory has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BacklogError {
    /// A rate that cannot be taken exactly, in bytes per second.
    #[error(
        "an input rate of {} cannot be taken exactly; allowed: 2^-10 B/s to 2^63 B/s",
        DataRate::from_si(*.0)
    )]
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

impl BacklogError {
    /// The setting at fault; none where it is the log.
    #[must_use]
    pub const fn place(&self) -> Option<&'static str> {
        match self {
            Self::Rate(_) => Some("rate"),
            Self::NoRate(_) => Some("ram"),
            Self::TooMuch | Self::Interval { .. } | Self::Varying => None,
        }
    }
}
