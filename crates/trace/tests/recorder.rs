//! The recorder for firmware from end to end: the C header is compiled for this host and driven by scripts, and
//! what it sends is compared with a plain encoder and decoded again.

mod compiled;
mod damage;
mod encoder;
mod framed;
mod header;

use encoder::Access;
use wordline_core::Operation;
use wordline_core::quantity::Time;
use wordline_trace::recorder::RecorderReader;
use wordline_trace::{AccessStream, LogSummary, LoggedAccess, TraceError};

/// All accesses and what was seen, or the error.
pub(crate) fn decoded(stream: &[u8]) -> Result<(Vec<LoggedAccess>, LogSummary), TraceError> {
    let mut reader = AccessStream::new(RecorderReader::new(stream));
    let accesses = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((accesses, reader.summary()))
}

/// `cycles` of a clock in whole picoseconds, rounded half up: written here again, on purpose. None beyond 213 days.
pub(crate) fn time(cycles: u64, hz: u32) -> Option<Time> {
    let (cycles, hz) = (u128::from(cycles), u128::from(hz));
    let ps = (2 * cycles * 1_000_000_000_000 + hz) / (2 * hz);
    u64::try_from(ps).ok().map(Time::from_ps)
}

/// What the decoder should make of an access.
pub(crate) fn logged(access: Access, line: u64, hz: u32) -> LoggedAccess {
    LoggedAccess {
        operation: if access.is_write {
            Operation::Write
        } else {
            Operation::Read
        },
        duration: time(access.duration, hz).expect("fits"),
        bytes: access.bytes,
        offset: access.offset,
        end: time(access.end, hz),
        line,
    }
}
