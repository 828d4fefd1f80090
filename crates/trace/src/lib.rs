//! Logs and traces from outside: latency logs of fio, output of blkparse, fio's replay logs, CSV with
//! named columns, and the bytes of the recorder for firmware (`firmware/`).
//!
//! A log becomes one of three things. Most are **accesses in their order**, streamed, so that a log may be
//! larger than memory: what the theory of buffers needs. fio's histograms have lost the order and give
//! **durations counted**, from which only intervals follow. blkparse and replay logs are **workloads**, to be
//! run on a simulated target. Every fault names its line.

mod access;
pub mod blkparse;
mod capped;
mod error;
pub mod iolog;
pub mod recorder;

pub use access::{AskedAccess, LoggedAccess};
pub use error::{Oddity, TraceError};
use wordline_core::Operation;
use wordline_core::quantity::Time;

/// What was seen of a log when its last access has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The format in words, such as "fio latency log, 6 columns".
    pub format: String,
    /// Steps in which the log tells when an access ended: 1 ms for fio.
    pub resolution: Option<Time>,
    /// What is odd about it.
    pub oddities: Vec<Oddity>,
}

/// Durations of which the order is lost: how many accesses took between `least` and `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedDurations {
    /// What the accesses did.
    pub operation: Operation,
    /// Bytes of one access, where the log tells them.
    pub bytes: Option<u64>,
    /// Shortest duration that the count can hold.
    pub least: Time,
    /// Longest duration that the count can hold.
    pub most: Time,
    /// Accesses.
    pub count: u64,
}
