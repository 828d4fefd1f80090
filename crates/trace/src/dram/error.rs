//! Why a trace of memory requests cannot be used.

use super::{CacheShapeError, DramFormat};
use crate::{MAX_LINE, TraceError};

/// Why a trace of memory requests cannot be used. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum DramTraceError {
    /// It cannot be read.
    #[error("line {line}: cannot be read: {source}")]
    Unreadable {
        /// The line that was being read.
        line: u64,
        /// Why not.
        source: std::io::Error,
    },
    /// There is no request in it.
    #[error("the trace has no request in it")]
    Empty,
    /// It is no text: compressed, or in another encoding.
    #[error("line 1: {what}")]
    Foreign {
        /// What it is, and what to do about it.
        what: &'static str,
    },
    /// A line is longer than any line of a trace.
    #[error("line {line}: longer than {MAX_LINE} bytes, which no line of a trace is")]
    TooLong {
        /// The line.
        line: u64,
    },
    /// A line holds a NUL byte.
    #[error(
        "line {line}: holds a NUL byte: the file is binary, or was torn when a machine stopped"
    )]
    Nul {
        /// The line.
        line: u64,
    },
    /// The last line has no end. Of a number that was cut one cannot see it.
    #[error(
        "line {line}: the last line has no line end, so it may be cut off: end it if it is whole, or remove it"
    )]
    Truncated {
        /// The line.
        line: u64,
    },
    /// The first line is of no format.
    #[error("line {line}: {problem}; these are read: {}", super::format::known())]
    UnknownFormat {
        /// The line.
        line: u64,
        /// What was found.
        problem: String,
    },
    /// The names of the columns of a CSV do not do.
    #[error("line {line}: {problem}. {}", super::columns::accepted())]
    Columns {
        /// The line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// A line is no request of the format.
    #[error("line {line}: {found} is no line of {format}; expected {expected}")]
    NoRequest {
        /// The line.
        line: u64,
        /// What was found.
        found: String,
        /// The format.
        format: DramFormat,
        /// What its lines look like.
        expected: String,
    },
    /// An operation that the format does not have.
    #[error("line {line}: unknown operation {found}; allowed: {allowed}")]
    UnknownOperation {
        /// The line.
        line: u64,
        /// What was found.
        found: String,
        /// What it could be.
        allowed: &'static str,
    },
    /// A number cannot be read.
    #[error("line {line}: {what} is {found}: {problem}; expected {expected}")]
    Number {
        /// The line.
        line: u64,
        /// What it counts.
        what: &'static str,
        /// What was found.
        found: String,
        /// What is wrong with it.
        problem: &'static str,
        /// What is allowed.
        expected: &'static str,
    },
    /// An address is not that of a line of 64 bytes.
    #[error(
        "line {line}: address {address:#x} is unaligned: expected a multiple of 64, or that addresses inside a line \
         are taken for the line (align)"
    )]
    Unaligned {
        /// The line.
        line: u64,
        /// The address.
        address: u64,
    },
    /// An address lies beyond the memory.
    #[error(
        "line {line}: address {address:#x} is out of range: allowed are 0 to {last:#x}, the last line of {bytes} bytes, \
         or that addresses are taken modulo the size (fold)"
    )]
    OutOfRange {
        /// The line.
        line: u64,
        /// The address.
        address: u64,
        /// The last address allowed.
        last: u64,
        /// Bytes of the memory.
        bytes: u64,
    },
    /// The memory has no line of 64 bytes.
    #[error("a memory of {bytes} bytes takes no requests; expected 64 bytes or more")]
    NoMemory {
        /// Bytes of the memory.
        bytes: u64,
    },
    /// A request is earlier than the one in front of it.
    #[error(
        "line {line}: the time runs backwards, from {before} to {at}: requests come in the order of their times"
    )]
    Backwards {
        /// The line.
        line: u64,
        /// Its time.
        at: String,
        /// The time in front of it.
        before: String,
    },
    /// A request is too long after the first one.
    #[error(
        "line {line}: {at} is more than 213 days after the first request, which no simulated time holds"
    )]
    TooLate {
        /// The line.
        line: u64,
        /// Its time.
        at: String,
    },
    /// Caches that cannot be.
    #[error(transparent)]
    Caches(#[from] CacheShapeError),
    /// Caches are named for a trace that has passed them.
    #[error(
        "line {line}: the trace is of {format}, which has requests to memory; caches filter the accesses of a program: \
         leave --l1, --l2, --l3 and --cache-line out"
    )]
    NoProgram {
        /// The line that shows the format.
        line: u64,
        /// The format.
        format: DramFormat,
    },
    /// Cycles are counted of an unknown clock.
    #[error(
        "line {line}: times are counted in cycles, and nobody says of which clock: state it (clock), such as 3.2 GHz"
    )]
    NoClock {
        /// The first line with a time.
        line: u64,
    },
}

impl DramTraceError {
    /// The line at fault, from 1; none where no line is.
    #[must_use]
    pub const fn line(&self) -> Option<u64> {
        match self {
            Self::Empty | Self::NoMemory { .. } | Self::Caches(_) => None,
            Self::Foreign { .. } => Some(1),
            Self::Unreadable { line, .. }
            | Self::TooLong { line }
            | Self::Nul { line }
            | Self::Truncated { line }
            | Self::UnknownFormat { line, .. }
            | Self::Columns { line, .. }
            | Self::NoRequest { line, .. }
            | Self::UnknownOperation { line, .. }
            | Self::Number { line, .. }
            | Self::Unaligned { line, .. }
            | Self::OutOfRange { line, .. }
            | Self::Backwards { line, .. }
            | Self::TooLate { line, .. }
            | Self::NoProgram { line, .. }
            | Self::NoClock { line } => Some(*line),
        }
    }
}

/// What reading lines can fail with.
impl From<TraceError> for DramTraceError {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Unreadable { line, source } => Self::Unreadable { line, source },
            TraceError::Unknown { line, .. }
            | TraceError::Malformed { line, .. }
            | TraceError::Useless { line, .. } => Self::TooLong { line },
            TraceError::Empty => Self::Empty,
        }
    }
}
