//! The content of a line, and what has to hold of it whatever the format.

use std::fmt;

use wordline_core::Operation;
use wordline_core::quantity::{Frequency, Time};

use super::{DramFormat, DramTraceError, DramTraceOptions, ProgramCounts};

/// Bytes of a line of memory, which is what a request moves.
pub const LINE_BYTES: u64 = 64;

/// One request of a trace: 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramRequest {
    /// What it does.
    pub operation: Operation,
    /// Physical address of its first byte: a multiple of [`LINE_BYTES`] within the memory.
    pub address: u64,
    /// When it reaches the memory controller, counted from the first request, rounded to the nearest picosecond;
    /// none where the trace states no times, whose requests come as fast as they are accepted. Never earlier than that
    /// of the request in front.
    pub at: Option<Time>,
    /// Instructions of the program between the request in front and this one; 0 where the trace is of no program.
    pub instructions: u64,
    /// Line of the trace, from 1. A line of a program's trace makes no request, one, or several.
    pub line: u64,
}

/// What was seen of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DramSummary {
    /// The format; none before the first line was read.
    pub format: Option<DramFormat>,
    /// Requests that read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Requests whose address lay inside a line, and was taken for that of the line.
    pub aligned: u64,
    /// Requests whose address lay beyond the memory, and was taken modulo its size.
    pub folded: u64,
    /// Time of the last request.
    pub last: Option<Time>,
    /// What was counted of the program and its caches, where the trace is of one.
    pub program: Option<ProgramCounts>,
}

/// When a request comes, as the trace states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stamp {
    Cycles(u64),
    Ps(u128),
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(cycles) => write!(f, "cycle {cycles}"),
            Self::Ps(ps) => write!(f, "{ps} ps"),
        }
    }
}

impl Stamp {
    /// The time from an earlier stamp of the same trace; none where no [`Time`] holds it.
    fn since(self, first: Self, clock: Option<Frequency>) -> Option<Time> {
        let ps = match (self, first) {
            (Self::Cycles(at), Self::Cycles(first)) => {
                let hz = u128::from(clock?.hz()).max(1);
                let cycles = u128::from(at.checked_sub(first)?);
                (cycles * 1_000_000_000_000 + hz / 2) / hz
            }
            (Self::Ps(at), Self::Ps(first)) => at.checked_sub(first)?,
            _ => return None,
        };
        u64::try_from(ps).ok().map(Time::from_ps)
    }
}

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DramRecord {
    pub(super) operation: Operation,
    pub(super) address: u64,
    pub(super) stamp: Option<Stamp>,
    /// Instructions since the one in front.
    pub(super) instructions: u64,
}

/// A line that has its end and no NUL byte.
pub(super) fn whole(line: u64, text: &[u8], ended: bool) -> Result<(), DramTraceError> {
    if text.contains(&0) {
        return Err(DramTraceError::Nul { line });
    }
    if !ended {
        return Err(DramTraceError::Truncated { line });
    }
    Ok(())
}

/// Holds addresses and times to what the memory and the order of the trace allow.
#[derive(Debug)]
pub(super) struct Checks {
    pub(super) format: Option<DramFormat>,
    memory_bytes: u64,
    clock: Option<Frequency>,
    align: bool,
    fold: bool,
    /// The first stamp and the latest.
    stamps: Option<(Stamp, Stamp)>,
    seen: DramSummary,
}

impl Checks {
    pub(super) fn new(options: &DramTraceOptions) -> Self {
        Self {
            format: None,
            memory_bytes: options.memory_bytes - options.memory_bytes % LINE_BYTES,
            clock: options.clock.filter(|clock| clock.hz() > 0),
            align: options.align,
            fold: options.fold,
            stamps: None,
            seen: DramSummary::default(),
        }
    }

    pub(super) fn requests(&self) -> u64 {
        self.seen.reads + self.seen.writes
    }

    pub(super) fn summary(&self) -> DramSummary {
        DramSummary {
            format: self.format,
            ..self.seen
        }
    }

    /// The request that a line makes.
    pub(super) fn request(
        &mut self,
        line: u64,
        told: DramRecord,
    ) -> Result<DramRequest, DramTraceError> {
        let address = self.address(line, told.address)?;
        let at = told.stamp.map(|stamp| self.at(line, stamp)).transpose()?;
        match told.operation {
            Operation::Read => self.seen.reads += 1,
            Operation::Write => self.seen.writes += 1,
        }
        self.seen.last = at.or(self.seen.last);
        Ok(DramRequest {
            operation: told.operation,
            address,
            at,
            instructions: told.instructions,
            line,
        })
    }

    fn address(&mut self, line: u64, told: u64) -> Result<u64, DramTraceError> {
        let bytes = self.memory_bytes;
        let Some(last) = bytes.checked_sub(LINE_BYTES) else {
            return Err(DramTraceError::NoMemory { bytes });
        };
        let inside = told % LINE_BYTES;
        if inside != 0 {
            if !self.align {
                return Err(DramTraceError::Unaligned {
                    line,
                    address: told,
                });
            }
            self.seen.aligned += 1;
        }
        let address = told - inside;
        if address <= last {
            return Ok(address);
        }
        if !self.fold {
            return Err(DramTraceError::OutOfRange {
                line,
                address: told,
                last,
                bytes,
            });
        }
        self.seen.folded += 1;
        Ok(address % bytes)
    }

    fn at(&mut self, line: u64, stamp: Stamp) -> Result<Time, DramTraceError> {
        if matches!(stamp, Stamp::Cycles(_)) && self.clock.is_none() {
            return Err(DramTraceError::NoClock { line });
        }
        let (first, before) = self.stamps.unwrap_or((stamp, stamp));
        if stamp < before {
            return Err(DramTraceError::Backwards {
                line,
                at: stamp.to_string(),
                before: before.to_string(),
            });
        }
        self.stamps = Some((first, stamp));
        stamp
            .since(first, self.clock)
            .ok_or_else(|| DramTraceError::TooLate {
                line,
                at: stamp.to_string(),
            })
    }
}
