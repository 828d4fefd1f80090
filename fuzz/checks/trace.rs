//! Whatever is given as output of blkparse or as a replay log, it is refused at one of its lines, or read as
//! accesses that come in the order of their lines.

use wordline_trace::blkparse::{
    AskEvent, BlkparseLatencies, BlkparseWorkload, BlockDeviceId, LatencySpan,
};
use wordline_trace::iolog::{IologWorkload, Waits};
use wordline_trace::{AccessReader, AccessStream, AskedAccess, LoggedAccess, TraceError};

/// Panics when a promise is broken. Returns whether an access was read.
pub(crate) fn check(data: &[u8]) -> bool {
    let mut read = 0;
    for asked in [AskEvent::Auto, AskEvent::Queued, AskEvent::Issued] {
        read += all(data, BlkparseWorkload::new(data, asked, None), workload);
    }
    let chosen = BlockDeviceId { major: 8, minor: 0 };
    for (span, device) in [
        (LatencySpan::IssuedToCompleted, None),
        (LatencySpan::QueuedToCompleted, None),
        (LatencySpan::QueuedToCompleted, Some(chosen)),
    ] {
        read += all(data, BlkparseLatencies::new(data, span, device), latency);
    }
    for (file, waits) in [
        (None, Waits::Ignored),
        (None, Waits::Microseconds),
        (Some("a"), Waits::MillisecondsSinceStart),
    ] {
        let reader = IologWorkload::new(data, file.map(str::to_owned), waits);
        read += all(data, reader, workload);
    }
    read > 0
}

/// Reads it all, and returns the accesses, which `line` has checked.
fn all<S: AccessReader>(data: &[u8], reader: S, line: fn(S::Access, before: u64) -> u64) -> usize {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let mut stream = AccessStream::new(reader);
    let mut before = 0;
    let mut count = 0;
    let mut refusal = None;
    for access in stream.by_ref() {
        assert!(refusal.is_none(), "something follows an error");
        match access {
            Ok(access) => {
                before = line(access, before);
                assert!(before <= lines, "line {before} of {lines}");
                count += 1;
            }
            Err(error) => refusal = Some(error),
        }
    }
    assert!(stream.next().is_none(), "something follows the end");
    let summary = stream.summary();
    assert!(
        !summary.format.is_empty() && summary.oddities.len() < 10,
        "{summary:?}"
    );
    match refusal {
        Some(error) => {
            refused(&error, lines);
            0
        }
        None => {
            assert!(count > 0, "nothing, and no word of it");
            count
        }
    }
}

fn workload(access: AskedAccess, before: u64) -> u64 {
    assert!(access.line > before && access.bytes > 0, "{access:?}");
    let end = access.offset.checked_add(access.bytes);
    assert!(end.is_some(), "{access:?}");
    access.line
}

/// One completion may end several accesses.
fn latency(access: LoggedAccess, before: u64) -> u64 {
    let (end, duration) = (access.end.expect("told"), access.duration);
    assert!(access.line >= before && duration <= end, "{access:?}");
    assert!(access.bytes.is_multiple_of(512), "{access:?}");
    access.line
}

fn refused(error: &TraceError, lines: u64) {
    assert!(error.to_string().len() < 1000, "{error}");
    match error {
        TraceError::Empty => {}
        TraceError::Unreadable { line, .. }
        | TraceError::Unknown { line, .. }
        | TraceError::Malformed { line, .. }
        | TraceError::Useless { line, .. } => assert!((1..=lines).contains(line), "{error}"),
    }
}
