//! One access, as a log records it.

use wordline_core::Operation;
use wordline_core::quantity::Time;

/// One measured access. Times are counted from an instant of the log's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedAccess {
    /// What it did.
    pub operation: Operation,
    /// How long it took.
    pub duration: Time,
    /// Bytes that it moved.
    pub bytes: u64,
    /// Address of the first byte, where the log has it.
    pub offset: Option<u64>,
    /// When it ended, where the log has it, as exactly as the log states
    /// ([`LogSummary::resolution`](crate::LogSummary::resolution)).
    pub end: Option<Time>,
    /// Line of the text that states it, from 1; for binary logs the number of the record.
    pub line: u64,
}

/// One access that a workload asks for, to be replayed on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedAccess {
    /// What it does.
    pub operation: Operation,
    /// Bytes that it moves.
    pub bytes: u64,
    /// Address of the first byte.
    pub offset: u64,
    /// When it was asked for, counted from the first of the trace; where the trace has it.
    pub at: Option<Time>,
    /// Line of the text that states it, from 1.
    pub line: u64,
}
