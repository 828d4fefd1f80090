//! Whatever is given as a log, it is refused with a line inside it, or read: the same again from a buffer of
//! another size, each access from a line of its own.

use std::fmt::Debug;
use std::io::BufReader;

use wordline_core::Operation;
use wordline_trace::{
    DurationCounts, LatencyUnit, Log, LogFormat, LogOptions, LogPurpose, LogSummary, Oddity,
    TraceError, open,
};

/// Panics when a promise is broken. Returns whether the log was read to its end, without being told anything.
pub(crate) fn check(data: &[u8]) -> bool {
    for format in LogFormat::all() {
        let told = LogOptions {
            format: Some(format),
            unit: Some(LatencyUnit::Microseconds),
            name: Some("x_clat.1.log".to_owned()),
            job: Some("x".to_owned()),
            purpose: LogPurpose::Workload,
            operation: Some(Operation::Write),
            bytes: Some(4096),
            units: Vec::new(),
        };
        read(data, &told);
        let units = [
            ("lat", "us"),
            ("duration", "ms"),
            ("time", "s"),
            ("bs", "kib"),
        ];
        for (column, unit) in units {
            let units = vec![(column.to_owned(), unit.to_owned())];
            let job = None;
            read(
                data,
                &LogOptions {
                    units,
                    job,
                    ..told.clone()
                },
            );
        }
        read(data, &LogOptions { job: None, ..told });
    }
    read(data, &LogOptions::default())
}

fn read(data: &[u8], options: &LogOptions) -> bool {
    let whole = all(data, options);
    let parts = all(BufReader::with_capacity(17, data), options);
    assert_eq!(
        format!("{whole:?}"),
        format!("{parts:?}"),
        "the size of the buffer matters"
    );
    match whole {
        Read::Refused(error) => {
            refused(&error, data);
            false
        }
        Read::DurationCounts(counted) => {
            durations(&counted);
            summary(&counted.summary, data);
            true
        }
        // DurationCounts in records rather than lines; a check of its own has them.
        Read::Accesses(_, error, seen) if seen.format.contains("recorder") => error.is_none(),
        Read::Accesses(lines, error, seen) => {
            accesses(&lines, data);
            summary(&seen, data);
            if let Some(error) = &error {
                refused(error, data);
            }
            error.is_none()
        }
    }
}

#[derive(Debug)]
enum Read {
    Refused(TraceError),
    DurationCounts(DurationCounts),
    /// The lines of the accesses, and all else of them in words.
    Accesses(Vec<(u64, String)>, Option<TraceError>, LogSummary),
}

fn all(reader: impl std::io::BufRead, options: &LogOptions) -> Read {
    match open(reader, options) {
        Err(error) => Read::Refused(error),
        Ok(Log::Counted(counted)) => Read::DurationCounts(counted),
        Ok(Log::Accesses(mut log)) => {
            let (accesses, refusal) = drained(&mut log, |access| access.line);
            Read::Accesses(accesses, refusal, log.summary())
        }
        Ok(Log::Currents(mut log)) => {
            let (samples, refusal) = drained(&mut log, |sample| sample.line);
            Read::Accesses(samples, refusal, log.summary())
        }
        Ok(Log::Asked(mut log)) => {
            let (accesses, refusal) = drained(&mut log, |access| access.line);
            Read::Accesses(accesses, refusal, log.summary())
        }
    }
}

fn drained<A: Debug>(
    log: &mut impl Iterator<Item = Result<A, TraceError>>,
    line: fn(&A) -> u64,
) -> (Vec<(u64, String)>, Option<TraceError>) {
    let mut accesses = Vec::new();
    let mut refusal = None;
    for access in log.by_ref() {
        assert!(refusal.is_none(), "something follows an error");
        match access {
            Ok(access) => accesses.push((line(&access), format!("{access:?}"))),
            Err(error) => refusal = Some(error),
        }
    }
    assert!(log.next().is_none(), "something follows the end");
    assert!(
        refusal.is_some() || !accesses.is_empty(),
        "nothing, and no word of it"
    );
    (accesses, refusal)
}

fn lines(data: &[u8]) -> u64 {
    data.split(|byte| *byte == b'\n').count() as u64
}

fn refused(error: &TraceError, data: &[u8]) {
    let words = error.to_string();
    assert!(words.len() < 2_048, "{words}");
    assert!(!words.contains(['\0', '\n', '\u{1B}']), "{words:?}");
    let line = match error {
        TraceError::Unreadable { line, .. }
        | TraceError::Unknown { line, .. }
        | TraceError::Malformed { line, .. }
        | TraceError::Useless { line, .. } => *line,
        TraceError::Empty => return,
    };
    // JSON that is cut off is wrong on the line behind its last.
    assert!((1..=lines(data) + 1).contains(&line), "{words}");
}

fn accesses(all: &[(u64, String)], data: &[u8]) {
    let mut last = 0;
    for (line, access) in all {
        assert!(*line > last, "{access} behind line {last}");
        last = *line;
    }
    assert!(last <= lines(data));
}

fn durations(counted: &DurationCounts) {
    assert!(!counted.durations.is_empty());
    assert!(counted.elapsed.is_none_or(|elapsed| elapsed.ps() > 0));
    for each in &counted.durations {
        assert!(each.least <= each.most && each.count > 0, "{each:?}");
        assert!(each.bytes != Some(0), "{each:?}");
    }
}

fn summary(summary: &LogSummary, data: &[u8]) {
    assert!(!summary.format.is_empty());
    for oddity in &summary.oddities {
        match oddity {
            Oddity::TruncatedEnd { line } => assert!(*line <= lines(data), "{oddity:?}"),
            Oddity::BackwardsTime { line, count, most }
            | Oddity::Contradiction { line, count, most } => {
                assert!(
                    *line <= lines(data) && *count > 0 && most.ps() > 0,
                    "{oddity:?}"
                );
            }
            Oddity::Skipped { line, count, .. } | Oddity::Unmatched { line, count, .. } => {
                assert!(*line <= lines(data) && *count > 0, "{oddity:?}");
            }
            Oddity::UnitTaken { line, .. } | Oddity::Buffered { line } => {
                assert!(*line <= lines(data), "{oddity:?}");
            }
            Oddity::UnitAssumed
            | Oddity::Lost { .. }
            | Oddity::StartsLate { .. }
            | Oddity::Restarted { .. }
            | Oddity::ClockGap { .. } => {}
        }
    }
}
