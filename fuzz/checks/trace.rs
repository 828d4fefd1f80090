//! Whatever is given as output of blkparse or as a replay log, it is refused at one of its lines, or read as
//! accesses that come in the order of their lines.

use wordline_trace::blkparse::{Asked, BlkparseLatencies, BlkparseWorkload, Device, Span};
use wordline_trace::iolog::{IologWorkload, Waits};
use wordline_trace::{AskedAccess, LoggedAccess, Summary, TraceError};

/// Panics when a promise is broken. Returns whether an access was read.
pub(crate) fn check(data: &[u8]) -> bool {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let mut read = 0;
    for asked in [Asked::Auto, Asked::Queued, Asked::Issued] {
        let mut reader = BlkparseWorkload::new(data, asked, None);
        read += workload(&mut reader, lines);
        described(&reader.summary());
    }
    let chosen = Device { major: 8, minor: 0 };
    for (span, device) in [
        (Span::IssuedToCompleted, None),
        (Span::QueuedToCompleted, None),
        (Span::QueuedToCompleted, Some(chosen)),
    ] {
        let mut reader = BlkparseLatencies::new(data, span, device);
        read += latencies(&mut reader, lines);
        described(&reader.summary());
    }
    for (file, waits) in [
        (None, Waits::Ignored),
        (None, Waits::Microseconds),
        (Some("a"), Waits::MillisecondsSinceStart),
    ] {
        let mut reader = IologWorkload::new(data, file.map(str::to_owned), waits);
        read += workload(&mut reader, lines);
        described(&reader.summary());
    }
    read > 0
}

fn workload(
    reader: &mut impl Iterator<Item = Result<AskedAccess, TraceError>>,
    lines: u64,
) -> usize {
    let mut before = 0;
    let mut count = 0;
    while let Some(access) = reader.next() {
        match access {
            Ok(access) => {
                assert!(access.line > before && access.line <= lines, "{access:?}");
                assert!(access.bytes > 0, "{access:?}");
                assert!(
                    access.offset.checked_add(access.bytes).is_some(),
                    "{access:?}"
                );
                before = access.line;
                count += 1;
            }
            Err(error) => return refused(reader.next().is_some(), &error, lines),
        }
    }
    assert!(count > 0 && reader.next().is_none());
    count
}

fn latencies(
    reader: &mut impl Iterator<Item = Result<LoggedAccess, TraceError>>,
    lines: u64,
) -> usize {
    let mut before = 0;
    let mut count = 0;
    while let Some(access) = reader.next() {
        match access {
            Ok(access) => {
                assert!(access.line >= before && access.line <= lines, "{access:?}");
                let (end, duration) = (access.end.expect("told"), access.duration);
                assert!(duration <= end && access.bytes % 512 == 0, "{access:?}");
                before = access.line;
                count += 1;
            }
            Err(error) => return refused(reader.next().is_some(), &error, lines),
        }
    }
    assert!(count > 0 && reader.next().is_none());
    count
}

fn refused(goes_on: bool, error: &TraceError, lines: u64) -> usize {
    assert!(!goes_on, "an access behind an error");
    assert!(error.to_string().len() < 1000, "{error}");
    match error {
        TraceError::Empty => {}
        TraceError::Unreadable { line, .. }
        | TraceError::Unknown { line, .. }
        | TraceError::Malformed { line, .. }
        | TraceError::Useless { line, .. } => assert!((1..=lines).contains(line), "{error}"),
    }
    0
}

fn described(summary: &Summary) {
    assert!(
        !summary.format.is_empty() && summary.oddities.len() < 10,
        "{summary:?}"
    );
}
