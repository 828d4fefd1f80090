//! Damaged files of counters: whatever is cut, doubled or changed, they are refused in words or read.

use proptest::prelude::*;

use super::fixtures::{all, named};
use super::{CounterContext, CounterSheet, NamedCounters, import_counters, read_counters};

macro_rules! files {
    ($($name:literal),*) => {
        [$(include_bytes!(concat!("../../../../fuzz/corpus/counters/", $name)).as_slice()),*]
    };
}

const FILES: [&[u8]; 12] = files![
    "perf-whole.csv",
    "perf-semicolon.csv",
    "perf-socket.csv",
    "perf-multiplexed.csv",
    "perf-sleeping.csv",
    "perf.json",
    "toplev.csv",
    "perfspect.csv",
    "likwid-regions.csv",
    "likwid-timeline.csv",
    "pcm-memory.csv",
    "pcm.csv"
];

/// Pieces that mean something to one of the formats.
const PIECES: [&str; 16] = [
    ",",
    ";",
    "\n",
    "\"",
    "0",
    "-1",
    "1e308",
    "<not counted>",
    "nan",
    "100.00",
    ",,",
    "cycles",
    "TABLE,Group 2 Raw,X,1",
    "SUMMARY",
    "{",
    "\u{e9}",
];

fn check(data: &[u8], sheets: &[NamedCounters<'_>]) {
    let context = CounterContext {
        name: "damaged",
        cores: Some(4),
        ..CounterContext::default()
    };
    let lines = data.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let read = read_counters(data, sheets, None);
    match read.and_then(|readings| import_counters(&[readings], sheets, &context)) {
        Ok(imported) => {
            assert!(!imported.sentences().is_empty());
            for note in &imported.notes {
                assert!(!note.to_string().is_empty());
            }
        }
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            assert!(
                fault.line().is_none_or(|line| (1..=lines).contains(&line)),
                "{fault}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn damaged_files_are_refused_or_read(
        cut in 0usize..3000, drop in 0usize..200, again in 0usize..400, piece in 0usize..PIECES.len(), end in any::<bool>(),
    ) {
        let sheets: Vec<(&str, CounterSheet)> = all();
        let sheets = named(&sheets);
        for file in FILES {
            let at = cut.min(file.len());
            let rest = &file[(at + drop).min(file.len())..];
            let doubled = &file[at.saturating_sub(again)..at];
            let mut damaged = [&file[..at], PIECES[piece].as_bytes(), doubled, rest].concat();
            if end {
                damaged.truncate(at + PIECES[piece].len() + again);
            }
            check(&damaged, &sheets);
        }
    }
}
