//! Logs and traces from outside: fio's latency logs, histograms, JSON and replay logs, output of blkparse and ioping,
//! CSV with named columns, plain columns of durations, currents over time, and the bytes of the recorder for firmware (`firmware/`).
//!
//! A log becomes one of four things. Most are **accesses in their order**, streamed, so that a log may be
//! larger than memory: what the theory of buffers needs. fio's histograms, its JSON among them, have lost the
//! order and give **durations counted**, from which only intervals follow. Replay logs are **workloads**, to be
//! run on a simulated target and streamed as well. blkparse's output can be read as durations or as a workload:
//! [`LogOptions::purpose`] says which. **Currents** over time tell energy, beside a log of accesses. Every fault names its line, or its record in a capture.
//!
//! [`open`] looks at the first 64 KiB and says which it is:
//!
//! ```
//! use wordline_trace::{Log, LogOptions, open};
//!
//! let text = "0, 32418, 1, 4096, 16187392, 0\n1, 10445, 1, 4096, 198717440, 0\n";
//! let Log::Accesses(mut accesses) = open(text.as_bytes(), &LogOptions::default())? else {
//!     panic!("these are accesses in their order");
//! };
//! let mut longest = 0;
//! for access in accesses.by_ref() {
//!     longest = longest.max(access?.duration.ps());
//! }
//! assert_eq!(longest, 32_418_000, "32.418 us in picoseconds");
//! assert_eq!(accesses.summary().format, "fio latency log, 6 columns");
//! # Ok::<(), wordline_trace::TraceError>(())
//! ```
//!
//! Each format has a folder or file of its own with a [`AccessReader`]; [`LogFormat`] is the table of them all. Why it is
//! as it is says `DESIGN.md`. Traces of memory requests, for simulated DRAM, are read by [`dram`], logs of flash
//! blocks over their life by [`cycling`], curves of latency over bandwidth by [`mess`], and tables of how their operations slow down by [`growth`]. Traces of file calls are written and read by [`files`].

mod access;
pub mod blkparse;
mod csv;
mod current;
pub mod cycling;
pub mod dram;
mod error;
pub mod files;
mod fio;
mod format;
pub mod growth;
pub mod iolog;
mod ioping;
mod lines;
mod log;
pub mod measured;
pub mod mess;
mod number;
mod packed;
pub mod recorder;
mod stream;
pub mod sweep;
mod watch;

/// The fastest link of a storage device, in bytes a second: four lanes of PCIe 6.0, 64 GT/s each. What a log moves faster
/// came from a cache, or its unit is another one.
pub const FASTEST_LINK: f64 = 32e9;

pub use access::{AskedAccess, LoggedAccess};
pub use current::{CurrentSample, UNIT_PREFIX};
pub use error::{Oddity, TraceError};
pub use format::{LogFormat, UnknownLogFormat};
pub use lines::MAX_LINE;
pub use log::{
    Accesses, AskedAccesses, CurrentLog, DurationCounts, LatencyUnit, Log, LogOptions, LogPurpose,
    UnknownUnit, open,
};
pub use packed::{EXPANSION_MAX, unpacked};
pub use stream::{AccessReader, AccessStream};
use wordline_core::Operation;
use wordline_core::quantity::Time;

/// What was seen of a log when its last access has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSummary {
    /// The format in words, such as "fio latency log, 6 columns".
    pub format: String,
    /// Steps in which the log records when accesses ended: 1 ms for fio.
    pub resolution: Option<Time>,
    /// Flushes that it records, and writes that wait until their data are safe; 0 also where its format records none.
    pub flushes: u64,
    /// What is odd about it.
    pub oddities: Vec<Oddity>,
}

/// Durations of which the order is lost: how many accesses took between `least` and `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedDurations {
    /// What the accesses did.
    pub operation: Operation,
    /// Bytes of one access, where the log records them.
    pub bytes: Option<u64>,
    /// Shortest duration that the count can hold.
    pub least: Time,
    /// Longest duration that the count can hold. A histogram's last bin has no upper end: there it is the
    /// longest duration that the log states, or the longest that a [`Time`] holds.
    pub most: Time,
    /// Accesses.
    pub count: u64,
}
