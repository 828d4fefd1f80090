//! `wordline host storage` on files of this machine: a run and the log that is saved of it say the same.

use std::cell::RefCell;
use std::io::{self, BufRead, Cursor, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use wordline_catalog::Catalog;
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::results::{Row, WarningCode};
use wordline_core::{
    AccessSource, Axis, BufferWorkload, Durations, Experiment, HostStorageTest, HostTest,
    HostWorkload, LogSource, Metric, Operation, Pattern, ResultSet, RowOperation, StorageEngine,
    StorageSync, Timing, Workload,
};
use wordline_lab::{Control, LabError, run};

const NAME: &str = "scratch";

/// A run through the page cache, because temporary files may lie in RAM.
fn test() -> HostStorageTest {
    HostStorageTest {
        file: NAME.to_owned(),
        size_bytes: Some(4 << 20),
        total_bytes: Some(4096 * 3000),
        buffered: true,
        ..HostStorageTest::default()
    }
}

fn experiment(workload: Workload) -> Experiment {
    Experiment {
        targets: Vec::new(),
        workload,
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    }
}

/// Where the test may write.
struct Place {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join(NAME);
        Self { folder, path }
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(self.folder.path())
            .expect("readable")
            .count()
            == 0
    }
}

/// Keeps what is written.
#[derive(Clone, Default)]
struct KeptLog(Rc<RefCell<Vec<u8>>>);

impl Write for KeptLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn try_storage(
    test: &HostStorageTest,
    path: &Path,
    control: &Control<'_>,
) -> Result<(ResultSet, Vec<u8>), LabError> {
    let workload = HostWorkload::of(HostTest::Storage(test.clone()));
    let experiment = experiment(Workload::Host(workload));
    let log = KeptLog::default();
    let create = || Ok(Box::new(log.clone()) as Box<dyn Write>);
    let control = Control {
        storage: Some(path),
        access_log: Some(&create),
        ..*control
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let document = run(&catalog, &experiment, &control)?;
    assert_eq!(document.check(), Ok(()));
    assert_eq!(
        ResultSet::from_json(&document.to_json()).as_ref(),
        Ok(&document)
    );
    let text = log.0.borrow().clone();
    Ok((document, text))
}

fn storage(test: &HostStorageTest) -> (ResultSet, Vec<u8>) {
    let place = Place::new();
    let ran = try_storage(test, &place.path, &Control::default());
    let ran = ran.unwrap_or_else(|error| panic!("{error}"));
    assert!(place.is_empty(), "the file is gone");
    ran
}

fn of_log(text: &[u8], operation: Operation, durations: Durations, rate: Option<f64>) -> ResultSet {
    let source = LogSource {
        file: "scratch_lat.1.log".to_owned(),
        operation: Some(operation),
        durations,
        ..LogSource::default()
    };
    let question = BufferWorkload {
        rates_bytes_per_s: rate.into_iter().collect(),
        ..BufferWorkload::of(AccessSource::Log(source))
    };
    let text = text.to_vec();
    let open = move |_: &str| Ok(Box::new(Cursor::new(text.clone())) as Box<dyn BufRead>);
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    run(&catalog, &experiment(Workload::Buffer(question)), &control)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What a row says, without whose it is.
fn bare(document: &ResultSet, row: &Row) -> (Metric, Vec<(Axis, String)>, Option<u64>, String) {
    let whose = [
        Axis::Test,
        Axis::Pattern,
        Axis::Depth,
        Axis::Mix,
        Axis::Sync,
    ];
    let axes = row.axes.iter().filter(|(axis, _)| !whose.contains(axis));
    let buckets = row
        .distribution
        .as_ref()
        .map(|name| &document.histograms[name]);
    (
        row.metric,
        axes.map(|(axis, value)| (*axis, format!("{value:?}")))
            .collect(),
        row.value.map(f64::to_bits),
        format!(
            "{:?} {} {:?} {:?} {:?} {buckets:?}",
            row.no_value, row.unit, row.basis, row.timing, row.operation
        ),
    )
}

/// Every row of the log's answer stands in the run's own document, bit for bit and in the same order.
#[track_caller]
fn same(live: &ResultSet, log: &ResultSet) {
    let all: Vec<_> = live.rows.iter().map(|row| bare(live, row)).collect();
    let expected: Vec<_> = log.rows.iter().map(|row| bare(log, row)).collect();
    assert!(expected.len() > 100, "a curve, not {} rows", expected.len());
    let first = all.iter().position(|row| *row == expected[0]);
    let first = first.expect("the first row of the log's answer");
    for (at, row) in expected.iter().enumerate() {
        assert_eq!(all.get(first + at), Some(row), "row {at}");
    }
}

fn warned(document: &ResultSet, code: WarningCode) -> bool {
    document.warnings.iter().any(|one| one.code == code.name())
}

#[test]
fn a_run_and_its_log_give_the_same_rows_bit_for_bit() {
    for (sync_every, sync_call) in [(0, StorageSync::DataSync), (50, StorageSync::Sync)] {
        for (pattern, engine) in [
            (Pattern::Random, None),
            (Pattern::Sequential, Some(StorageEngine::Pread)),
        ] {
            let test = HostStorageTest {
                pattern,
                engine,
                sync_every,
                sync_call,
                ..test()
            };
            let (live, text) = storage(&test);
            assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 3000);
            let log = of_log(&text, Operation::Write, Durations::Latency, None);
            same(&live, &log);
            let syncs = live
                .rows
                .iter()
                .filter(|row| row.operation == RowOperation::Sync);
            let syncs = syncs.filter(|row| row.metric == Metric::AccessCount);
            let syncs: Vec<_> = syncs.map(|row| row.value).collect();
            let expected = (sync_every > 0).then_some(Some(60.0));
            assert_eq!(syncs, expected.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_run_at_a_rate_and_its_log_give_the_same_rows_bit_for_bit() {
    let rate = 20e6;
    let test = HostStorageTest {
        rate_bytes_per_s: Some(rate),
        total_bytes: Some(4096 * 1000),
        ..test()
    };
    let (live, text) = storage(&test);
    let log = of_log(&text, Operation::Write, Durations::Paced, Some(rate));
    same(&live, &log);
    let intended = |metric| {
        let of = live.of(metric);
        let mut of = of.filter(|row| row.axes.contains_key(&Axis::LatencyFrom));
        of.next().and_then(|row| row.value).expect("there is one")
    };
    let plain = |metric| {
        let of = live.of(metric);
        let mut of = of.filter(|row| !row.axes.contains_key(&Axis::LatencyFrom));
        of.next().and_then(|row| row.value).expect("there is one")
    };
    assert!(intended(Metric::LatencyMax) >= plain(Metric::LatencyMax));
    assert!(intended(Metric::LatencyMean) > plain(Metric::LatencyMean));
    assert_eq!(live.of(Metric::StartLateness).count(), 4);
}

#[test]
fn reads_have_rows_of_their_own() {
    let place = Place::new();
    std::fs::write(&place.path, vec![0x5a; 4 << 20]).expect("room");
    let test = HostStorageTest {
        read_share: Fraction::from_si(1.0),
        size_bytes: None,
        ..test()
    };
    let ran = try_storage(&test, &place.path, &Control::default());
    let (live, text) = ran.unwrap_or_else(|error| panic!("{error}"));
    same(
        &live,
        &of_log(&text, Operation::Read, Durations::Latency, None),
    );
    assert!(warned(&live, WarningCode::PageCache));
    assert!(place.path.exists(), "it was there before");
}

#[test]
fn a_mix_and_overlapping_accesses_have_no_curve_and_say_why() {
    let mixed = HostStorageTest {
        read_share: Fraction::from_si(0.5),
        ..test()
    };
    let (live, text) = storage(&mixed);
    assert_eq!(live.of(Metric::RateMax).count(), 0);
    assert!(warned(&live, WarningCode::Default));
    let (reads, writes): (Vec<_>, Vec<_>) = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .partition(|line| line.windows(6).any(|part| part == b", 0, 4"));
    let counts: Vec<_> = live
        .of(Metric::AccessCount)
        .filter_map(|row| row.value)
        .collect();
    assert_eq!(counts, [reads.len() as f64, writes.len() as f64]);
    let deep = HostStorageTest { depth: 4, ..test() };
    let (live, text) = storage(&deep);
    assert_eq!(live.of(Metric::RateMax).count(), 0);
    assert!(warned(&live, WarningCode::Default));
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 3000);
    assert_eq!(live.of(Metric::LatencyP99).count(), 1);
    assert_eq!(live.of(Metric::ThroughputMean).count(), 1);
}

#[test]
fn an_interrupt_keeps_what_is_finished_and_leaves_no_file() {
    let place = Place::new();
    let stop = AtomicBool::new(false);
    let seen = |progress: wordline_lab::Progress<'_>| {
        if !progress.step.contains("writing") && progress.done_bytes > 0 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let test = HostStorageTest {
        total_bytes: None,
        time_s: Some(3600.0),
        ..test()
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&seen),
        ..Control::default()
    };
    let (live, text) = try_storage(&test, &place.path, &control).expect("rows stay");
    assert!(!live.complete && place.is_empty());
    same(
        &live,
        &of_log(&text, Operation::Write, Durations::Latency, None),
    );
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |test: HostStorageTest, destroy: &[&str], words: &str| {
        let place = Place::new();
        std::fs::write(&place.path, vec![1; 8 << 20]).expect("room");
        let destroy: Vec<String> = destroy.iter().map(|&name| name.to_owned()).collect();
        let control = Control {
            destroy: &destroy,
            ..Control::default()
        };
        let error = try_storage(&test, &place.path, &control).map(|_| ());
        let error = error.expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(
            std::fs::read(&place.path).expect("it is there"),
            vec![1; 8 << 20]
        );
    };
    refused(test(), &[], "--destroy");
    refused(test(), &["elsewhere"], "names elsewhere");
    refused(
        HostStorageTest {
            rate_bytes_per_s: Some(0.0),
            ..test()
        },
        &[],
        "0.001 B/s to",
    );
    refused(HostStorageTest { depth: 0, ..test() }, &[], "allowed: 1 to");
    refused(
        HostStorageTest {
            depth: 5000,
            ..test()
        },
        &[],
        "allowed: 1 to 4096",
    );
    refused(
        HostStorageTest {
            record_bytes: 0,
            ..test()
        },
        &[],
        "allowed: 1 B to",
    );
    refused(
        HostStorageTest {
            total_bytes: Some(100),
            ..test()
        },
        &[],
        "holds no access",
    );
    refused(
        HostStorageTest {
            time_s: Some(0.0),
            ..test()
        },
        &[],
        "above 0 s",
    );
    let reads = HostStorageTest {
        read_share: Fraction::from_si(1.0),
        ..test()
    };
    refused(
        HostStorageTest {
            sync_every: 1,
            ..reads.clone()
        },
        &[],
        "--reads below",
    );
    refused(
        HostStorageTest {
            size_bytes: Some(9 << 20),
            ..reads
        },
        &[],
        "up to 8388608 B",
    );
}
