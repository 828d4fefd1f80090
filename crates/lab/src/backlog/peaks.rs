//! What a buffer must hold, counted in the two ways and for the two kinds of arrival.

use wordline_core::quantity::{ByteCount, Time};

use super::fraction::Amount;

/// What happens before the first access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartUp {
    /// From power-up, when input begins, to the start of the first access.
    pub time: Time,
    /// Bytes that wait already at power-up. They count as the first bytes of the stream of
    /// records.
    pub backlog: ByteCount,
}

/// How the input comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrivals {
    /// Records come whole: each one an input period after the one before.
    #[default]
    Records,
    /// Byte by byte, evenly.
    Fluid,
}

/// Which bytes count as RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Counted {
    /// What waits; the record that is being written lies elsewhere.
    #[default]
    Waiting,
    /// What waits, and the record that is being written.
    InFlight,
}

/// Peaks of a buffer that takes bytes one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fluid {
    /// Highest fill, the record being written included.
    pub in_flight: Amount,
    /// Highest fill, the record being written excluded.
    pub waiting: Amount,
}

/// Peaks of a buffer that takes whole records, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Records {
    /// Highest fill, the record being written included.
    pub in_flight: u128,
    /// Highest fill, the record being written excluded.
    pub waiting: u128,
}

/// The peaks of a log at one input rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peaks {
    /// For input that comes byte by byte.
    pub fluid: Fluid,
    /// For input that comes in whole records. A [`Curve`](super::Curve) knows them only when all
    /// records have one size; a [`Backlog`](super::Backlog) always does.
    pub records: Option<Records>,
}
