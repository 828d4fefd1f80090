//! Traces that are replayed on simulated targets.

use wordline_core::{
    AccessSource, BufferWorkload, Experiment, Metric, Operation, ResultSet, Timing, TraceSource,
};

use crate::buffer::support::*;

pub(crate) const TRACE_2: &str = "fio version 2 iolog\na add\na open\na write 0 4096\na wait 1500 0\n\
                       a write 8192 4096\na read 0 512\na write 0 4096\na close\n";
const TRACE_3: &str = "fio version 3 iolog\n0 a add\n0 a open\n0 a write 0 4096\n0 a write 4096 4096\n\
                       0 a write 8192 4096\n10000 a write 0 4096\n20000 a read 0 4096\n20000 a close\n";
const TRACE_BLK: &str =
    "  8,0 3 2 0.000001000 697 Q W 223490 + 8 [k]\n  8,0 3 3 0.000002500 697 Q W 0 + 8 [k]\n";

pub(crate) fn of_trace(target: &str, operation: Operation) -> Experiment {
    let question = BufferWorkload::of(AccessSource::Trace(TraceSource {
        file: "trace.log".to_owned(),
        format: None,
        job: None,
        operation,
    }));
    experiment(&[target], &[Timing::Typ, Timing::Max], question)
}

#[track_caller]
fn replayed(target: &str, trace: &str) -> ResultSet {
    let document = with_file(&of_trace(target, Operation::Write), trace.as_bytes());
    document.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn traces_are_replayed_and_once_more_at_their_own_times() {
    for (trace, writes) in [(TRACE_2, 3.0), (TRACE_3, 4.0), (TRACE_BLK, 2.0)] {
        let document = replayed(MRAM, trace);
        let counts: Vec<_> = document
            .of(Metric::AccessCount)
            .map(|row| row.value)
            .collect();
        assert_eq!(counts, [Some(writes); 2], "{trace}");
        let limits = rows(&document, Metric::ThroughputMean, None).filter_map(|row| row.value);
        assert!(limits.into_iter().all(|limit| limit > 1e6));
    }
    let document = replayed(MRAM, TRACE_3);
    let own = |metric| {
        let mut rows = rows(&document, metric, Some("own_times"));
        rows.next().and_then(|row| row.value).expect("own times")
    };
    // Three come at once: one is written, and two wait.
    assert_eq!(own(Metric::RamPeak), 8192.0);
    assert_eq!(own(Metric::RamPeakInFlight), 12_288.0);
    let alone = rows(&document, Metric::LatencyMax, None).next();
    let alone = alone.and_then(|row| row.value).expect("a time");
    assert!((own(Metric::LatencyMax) / alone - 3.0).abs() < 0.01);
}

#[test]
fn addresses_beyond_the_memory_are_folded_and_said() {
    let trace = "fio version 2 iolog\na add\na open\na write 1099511627776 4096\na close\n";
    assert!(codes(&replayed(MRAM, trace)).contains(&"folded-addresses"));
    let large = "fio version 2 iolog\na add\na open\na write 0 1099511627776\na close\n";
    let document = replayed(MRAM, large);
    assert!(
        codes(&document).contains(&"folded-addresses"),
        "an access that is cut is said: {:?}",
        document.warnings
    );
}

#[test]
fn a_trace_that_overwrites_fails_by_name_on_nand() {
    let trace =
        "fio version 2 iolog\na add\na open\na write 4096 4096\na write 4096 4096\na close\n";
    let document = replayed(NAND, trace);
    assert!(document.failed());
    let warning = document
        .warnings
        .iter()
        .find(|one| one.code == "run-failed");
    let advice = &warning.expect("it failed").advice;
    assert!(
        advice.contains(NAND) && advice.contains("translation layer"),
        "{advice}"
    );
}

#[test]
fn traces_without_what_is_asked_for_are_refused() {
    for (text, operation, words) in [
        (TRACE_BLK, Operation::Read, "there is no read in it"),
        (RANDWRITE, Operation::Write, "--log FILE"),
        ("", Operation::Write, "trace.log"),
        (
            "fio version 2 iolog\na add\na open\na wrote 0 4096\n",
            Operation::Write,
            "line 4",
        ),
    ] {
        let refusal = with_file(&of_trace(MRAM, operation), text.as_bytes());
        let message = refusal.expect_err("refused").to_string();
        assert!(message.contains(words), "{message}");
    }
}

/// Its accesses come at instants that simulated time cannot reach.
#[test]
fn a_trace_of_absurd_times_is_no_panic() {
    for at in [
        "18446744073709551615",
        "18446744073709551",
        "18446744073709",
        "18446744073",
    ] {
        for trace in [
            format!(
                "fio version 3 iolog\n0 a add\n0 a open\n0 a write 0 4096\n{at} a write 0 512\n"
            ),
            format!(
                "fio version 2 iolog\na add\na open\na write 0 4096\na wait {at} 0\na write 0 512\n"
            ),
        ] {
            let _ = with_file(&of_trace(MRAM, Operation::Write), trace.as_bytes());
        }
    }
    let late = "  8,0 3 2 18446744.073709 697 Q W 223490 + 8 [k]\n  8,0 3 2 18446744.073709551 697 Q W 0 + 8 [k]\n";
    let _ = with_file(&of_trace(MRAM, Operation::Write), late.as_bytes());
}
