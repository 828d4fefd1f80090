//! Real logs are read as their workloads were.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use wordline_core::Operation;
use wordline_trace::{DurationCounts, Log, LogOptions, LogSummary, LoggedAccess, open};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn opened(name: &str) -> Log<BufReader<File>> {
    let file = File::open(data(name)).expect("checked in");
    let options = LogOptions {
        name: Some(name.to_owned()),
        ..LogOptions::default()
    };
    open(BufReader::new(file), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn accesses(name: &str) -> (Vec<LoggedAccess>, LogSummary) {
    let Log::Accesses(mut accesses) = opened(name) else {
        panic!("{name} holds accesses");
    };
    let all = accesses.by_ref().map(|access| access.expect("sound"));
    (all.collect(), accesses.summary())
}

fn counted(name: &str) -> DurationCounts {
    let Log::Counted(counted) = opened(name) else {
        panic!("{name} holds counts");
    };
    counted
}

#[test]
fn every_line_of_the_logs_is_an_access() {
    for (name, format) in [
        ("fio-3.33-fsync4k_lat.1.log", "fio latency log, 6 columns"),
        (
            "fio-3.33-randwrite4k_lat.1.log",
            "fio latency log, 6 columns",
        ),
        ("fio-3.33-mixed_lat.1.log", "fio latency log, 6 columns"),
        (
            "fio-3.33-mixed_clat.1.log",
            "fio completion latency log, 6 columns",
        ),
        (
            "fio-3.33-mixed_slat.1.log",
            "fio submission latency log, 6 columns",
        ),
    ] {
        let (all, summary) = accesses(name);
        assert_eq!(all.len(), 150, "{name}");
        assert_eq!(summary.format, format);
        assert!(
            summary.oddities.is_empty(),
            "{name}: {:?}",
            summary.oddities
        );
        assert!(
            all.iter()
                .all(|each| each.offset.is_some() && each.end.is_some())
        );
        assert!(all.iter().all(|each| each.bytes % 4096 == 0));
    }
    let (mixed, _) = accesses("fio-3.33-mixed_lat.1.log");
    for operation in [Operation::Read, Operation::Write] {
        assert!(mixed.iter().any(|each| each.operation == operation));
    }
}

#[test]
fn total_latency_is_that_of_submission_and_of_completion() {
    let (total, _) = accesses("fio-3.33-mixed_lat.1.log");
    let (submission, _) = accesses("fio-3.33-mixed_slat.1.log");
    let (completion, _) = accesses("fio-3.33-mixed_clat.1.log");
    let first = |all: &[LoggedAccess]| all[0].duration.ps();
    let sum = first(&submission) + first(&completion);
    assert_eq!(first(&total), sum);
}

#[test]
fn the_histograms_count_every_access() {
    for (name, reads, writes, bytes) in [
        ("fio-3.33-fsync4k.json", 0, 5_000, Some(4096)),
        ("fio-3.33-randwrite4k.json", 0, 40_000, Some(4096)),
        ("fio-3.33-mixed.json", 7_140, 3_578, None),
    ] {
        let counted = counted(name);
        let of = |operation| -> u64 {
            let durations = counted.durations.iter();
            let of = durations.filter(|each| each.operation == operation);
            of.map(|each| each.count).sum()
        };
        assert_eq!(
            (of(Operation::Read), of(Operation::Write)),
            (reads, writes),
            "{name}"
        );
        assert!(
            counted.durations.iter().all(|each| each.bytes == bytes),
            "{name}"
        );
        assert!(
            counted.durations.iter().all(|each| each.least <= each.most),
            "{name}"
        );
    }
}

/// Two walks over 1 MiB, forth with a store to each line and back. What its caches do can be said without them.
#[test]
fn the_misses_of_a_walk_are_those_of_a_hand() {
    use wordline_trace::dram::{CacheChoices, DramTraceOptions, open};

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/walk.lackey.txt.zst");
    let read = |caches: CacheChoices| {
        let file = File::open(&path).expect("checked in");
        let options = DramTraceOptions {
            caches,
            ..DramTraceOptions::new(1 << 40)
        };
        let file = wordline_trace::unpacked(Box::new(BufReader::new(file)));
        let mut trace = open(file, &options).expect("sound");
        for request in trace.by_ref() {
            request.expect("sound");
        }
        trace.summary()
    };
    let lines = (1 << 20) / 64;
    let summary = read(CacheChoices::default());
    let program = summary.program.expect("it is of a program");
    // Lackey itself says at the end of the trace how many instructions it counted.
    assert_eq!(program.instructions, 180_232);
    assert_eq!(
        program.accesses,
        3 * lines,
        "a load and a store forth, a load back"
    );
    let of = |level: usize| {
        let counts = program.levels[level].expect("it is there");
        (counts.accesses, counts.misses)
    };
    // Back, the first level still has its last 768 lines.
    assert_eq!(of(0), (3 * lines, 2 * lines - (48 << 10) / 64));
    assert_eq!(
        of(1),
        (2 * lines - 768, lines),
        "the second level holds the whole block"
    );
    assert_eq!(of(2), (lines, lines));
    assert_eq!(
        (summary.reads, summary.writes),
        (lines, 0),
        "what was written stays in the caches"
    );

    let small = CacheChoices {
        bytes: [None, Some(128 << 10), Some(256 << 10)],
        ..CacheChoices::default()
    };
    let summary = read(small);
    let held = (256 << 10) / 64;
    assert_eq!(
        summary.reads,
        2 * lines - held,
        "back, the last level has what it holds"
    );
    // What was written leaves the first level, and through the others reaches the memory but for what the way back keeps.
    assert!(
        summary.writes > lines - 2 * held && summary.writes <= lines,
        "{summary:?}"
    );
}
