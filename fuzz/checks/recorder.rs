//! Whatever is given as a capture of the recorder, it is refused in words, or read as accesses that do not
//! depend on how the bytes came.

#[path = "../../crates/trace/tests/recorder/framed.rs"]
mod framed;

use std::io::{BufRead, BufReader};

use framed::framed;
use wordline_trace::recorder::RecorderReader;
use wordline_trace::{AccessStream, LogSummary, LoggedAccess, Oddity};

/// Panics when a promise is broken. Returns whether an access was read.
pub(crate) fn check(data: &[u8]) -> bool {
    let as_it_is = read(data);
    // Frames that pass the CRC are seldom found: the input once more as payloads of frames.
    read(&streamed(data));
    as_it_is
}

fn read(data: &[u8]) -> bool {
    let (accesses, error, summary) = decoded(data);
    for pair in accesses.windows(2) {
        assert!(pair[0].line < pair[1].line, "{pair:?}");
    }
    let skipped: u64 = summary.oddities.iter().map(noise).sum();
    assert!(skipped <= data.len() as u64, "{skipped} of {}", data.len());
    for oddity in &summary.oddities {
        assert!(
            !matches!(oddity, Oddity::Lost { count: 0, .. }),
            "{oddity:?}"
        );
    }
    let in_pieces = decoded(BufReader::with_capacity(3, data));
    assert_eq!(
        (&accesses, &error, &summary),
        (&in_pieces.0, &in_pieces.1, &in_pieces.2)
    );
    match error {
        Some(error) => assert!(error.len() < 1000, "{error}"),
        None => assert!(!accesses.is_empty() && summary.resolution.is_some()),
    }
    !accesses.is_empty()
}

fn noise(oddity: &Oddity) -> u64 {
    match oddity {
        Oddity::Skipped { count, what, .. } if what.starts_with("bytes") => *count,
        _ => 0,
    }
}

fn decoded(from: impl BufRead) -> (Vec<LoggedAccess>, Option<String>, LogSummary) {
    let mut reader = AccessStream::new(RecorderReader::new(from));
    let mut accesses = Vec::new();
    let mut error = None;
    for access in reader.by_ref() {
        assert!(error.is_none(), "an access behind an error");
        match access {
            Ok(access) => accesses.push(access),
            Err(refused) => error = Some(refused.to_string()),
        }
    }
    assert!(reader.next().is_none());
    (accesses, error, reader.summary())
}

/// The input as a stream: behind a header, each piece with its length in front as the payload of a frame.
fn streamed(data: &[u8]) -> Vec<u8> {
    let mut stream = framed(b"WLR1\x01\x01\x20\x80\xDA\xC4\x09\x00\x00\x00");
    let mut rest = data;
    while let Some((&length, behind)) = rest.split_first() {
        let (payload, behind) = behind.split_at(usize::from(length % 40).min(behind.len()));
        stream.extend(framed(payload));
        rest = behind;
    }
    stream
}
