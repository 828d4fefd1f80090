//! File traces on memories: figures that can be worked out by hand or come from elsewhere, and traces that cannot be run.

use std::fmt::Write as _;
use std::io::{self, BufRead};

use wordline_catalog::Catalog;
use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::results::{AxisValue, NoValue, ResultSet};
use wordline_core::{
    Axis, Experiment, FsTest, FsWorkload, IoWorkload, Metric, RowOperation, Timing, Workload,
};
use wordline_lab::{Control, LabError, run};

const NOR: &str = "mt25ql128@stm32h755-qspi";
const MRAM: &str = "em064lx@stm32h755-qspi";

/// Bytes that every file system gets.
const CAPACITY: u64 = 1 << 20;

fn experiment(targets: &[&str], workload: Workload) -> Experiment {
    Experiment {
        targets: targets.iter().map(ToString::to_string).collect(),
        workload,
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    }
}

fn replay(systems: &[&str]) -> IoWorkload {
    let systems = systems.iter().map(|name| name.parse().expect("a name"));
    IoWorkload {
        file: "a.txt".into(),
        file_systems: systems.collect(),
        capacity_bytes: Some(CAPACITY),
        ..IoWorkload::default()
    }
}

/// Runs lines of a trace, behind its title and before its end.
fn try_run(
    targets: &[&str],
    workload: IoWorkload,
    lines: &str,
    threads: usize,
) -> Result<ResultSet, LabError> {
    let text = format!("wordline file trace 2\n{lines}\nend\n");
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(io::Cursor::new(text.clone().into_bytes())))
    };
    let control = Control {
        open: Some(&open),
        threads,
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    run(
        &catalog,
        &experiment(targets, Workload::Io(workload)),
        &control,
    )
}

fn ran(targets: &[&str], workload: IoWorkload, lines: &str) -> ResultSet {
    try_run(targets, workload, lines, 1).expect("the trace runs")
}

/// The value of a metric of a kind of call, with an axis where one is named.
fn value(
    document: &ResultSet,
    operation: &str,
    metric: Metric,
    axis: Option<(Axis, &str)>,
) -> Option<f64> {
    let mut rows = document.of(metric);
    let row = rows.find(|row| {
        let is_there = axis.is_none_or(|(axis, name)| {
            row.axes.get(&axis) == Some(&AxisValue::Text(name.to_owned()))
        });
        row.operation.name() == operation && is_there
    });
    row.and_then(|row| row.value)
}

/// FAT on rewritten NOR sectors of 4 KiB: a write over one reads it, erases it once, and programs 16 pages. The first call
/// that changes anything also marks the volume as in use.
#[test]
fn what_was_there_is_made_first_and_writes_over_it_erase_once_each() {
    let lines = "has-file 16384 /data\n1 open 1 create /first\n1 close 1\n1 open 0 write /data\n1 write 0 0 4096 1\n1 write 0 4096 4096 2\n\
                 1 write 0 8192 4096 3\n1 write 0 12288 4096 4\n1 read 0 0 4096 4096\n1 close 0";
    let document = ran(&[NOR], replay(&["fat"]), lines);
    let of = |operation, kind| {
        let axis = Some((Axis::DeviceOperation, kind));
        value(&document, operation, Metric::DeviceOperations, axis)
    };
    assert_eq!(of("write", "erase"), Some(4.0));
    assert_eq!(of("write", "program"), Some(64.0));
    assert_eq!(of("read", "erase"), None);
    let all = |metric| value(&document, "all", metric, None);
    assert_eq!(all(Metric::AccessCount), Some(9.0));
    assert!(all(Metric::WriteAmplification) >= Some(1.0));
    assert!(all(Metric::EnergyTotal) > Some(0.0));
    let kinds = ["create", "open", "write", "read", "close"];
    let parts = kinds.map(|kind| value(&document, kind, Metric::DurationTotal, None));
    let sum: f64 = parts.into_iter().flatten().sum();
    let total = all(Metric::DurationTotal).expect("a total");
    assert!((sum - total).abs() < 1e-9 * total, "{sum}, {total}");
}

/// A log of synced records takes as long as the same calls of `wordline fs bench`.
#[test]
fn a_trace_takes_what_the_same_calls_of_the_bench_take() {
    let (record, records) = (256, 64);
    let mut lines = String::from("1 open 0 replace /data\n");
    for number in 0..records {
        let at = number * record;
        let _ = write!(lines, "1 write 0 {at} {record} {number:x}\n1 sync 0 all\n");
    }
    lines.push_str("1 close 0");
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    for system in ["littlefs", "fat", "rtfs"] {
        let document = ran(&[NOR], replay(&[system]), &lines);
        let kinds = ["create", "write", "sync"];
        let parts = kinds.map(|kind| value(&document, kind, Metric::DurationTotal, None));
        let played: f64 = parts.into_iter().flatten().sum();
        let bench = FsWorkload {
            file_systems: vec![system.parse().expect("a name")],
            tests: vec![FsTest::Append],
            capacity_bytes: Some(CAPACITY),
            file_bytes: record * records,
            record_bytes: record,
            access_bytes: record,
            fill: vec![Fraction::from_si(0.0)],
            crash_images: 0,
            ..FsWorkload::default()
        };
        let bench = experiment(&[NOR], Workload::Fs(bench));
        let bench = run(&catalog, &bench, &Control::default()).expect("runs");
        let rate = value(&bench, "append-sync", Metric::OpsRate, None).expect("a rate");
        let expected = records as f64 / rate;
        assert!(
            (played - expected).abs() < 1e-6 * expected,
            "{system}: {played}, {expected}"
        );
    }
}

#[test]
fn every_kind_of_call_has_rows_whatever_thread_made_it() {
    let lines = "1 create-dir /d\n2 open 7 create /d/a\n1 write 7 0 100 zeros\n2 sync 7 data\n1 truncate 7 40\n\
                 1 read 7 0 100 40\n2 close 7\n1 open 7 read /d/a\n1 close 7\n1 rename /d/a /b\n1 open 9 create /d/a\n\
                 1 close 9\n1 rename /d/a /b\n1 entry absent /D/A\n1 entry found /b\n1 list /\n1 remove /b\n1 remove /d";
    let document = ran(&[MRAM], replay(&["littlefs", "fat"]), lines);
    assert!(!document.failed(), "{:?}", document.warnings);
    for (operation, calls) in [
        ("make-directory", 1.0),
        ("create", 2.0),
        ("open", 1.0),
        ("write", 1.0),
        ("sync", 1.0),
        ("truncate", 1.0),
        ("read", 1.0),
        ("close", 3.0),
        ("rename", 2.0),
        ("stat", 2.0),
        ("list", 1.0),
        ("delete", 2.0),
        ("all", 18.0),
    ] {
        let found = value(&document, operation, Metric::AccessCount, None);
        assert_eq!(found, Some(calls), "{operation}");
    }
}

/// The operations of the memory account for all of the slowest call of each kind, an erase that goes on from call to call
/// among them.
#[test]
fn the_operations_of_the_slowest_call_add_up_to_it() {
    let mut lines = String::from("has-file 65536 /old\n1 open 0 write /old\n");
    for number in 0..400_u64 {
        let at = number * 7 % 16 * 4096;
        let _ = write!(lines, "1 write 0 {at} 4096 {number:x}\n1 sync 0 all\n");
    }
    let document = ran(
        &[NOR],
        replay(&["littlefs", "fat", "rtfs"]),
        lines.trim_end(),
    );
    assert!(!document.failed(), "{:?}", document.warnings);
    for slowest in document.of(Metric::LatencyMax) {
        let same = |row: &&wordline_core::results::Row| {
            row.operation == slowest.operation
                && row.axes.get(&Axis::Fs) == slowest.axes.get(&Axis::Fs)
        };
        let times = document.of(Metric::LatencyMaxOperationTime).filter(same);
        let sum: f64 = times.filter_map(|row| row.value).sum();
        let slowest = slowest.value.expect("it was timed");
        assert!((sum - slowest).abs() <= 1e-9 * slowest, "{sum}, {slowest}");
    }
}

#[test]
fn no_byte_depends_on_the_threads() {
    let mut lines = String::from("has-file 5000 /old\n1 open 0 write /old\n");
    for number in 0..50 {
        let _ = writeln!(lines, "1 write 0 {} 300 {number:x}", 90 * number);
    }
    let on = |threads| {
        let targets = [NOR, MRAM];
        let workload = replay(&["littlefs", "fat", "rtfs"]);
        let document = try_run(&targets, workload, lines.trim_end(), threads);
        document.expect("the trace runs").to_json()
    };
    let alone = on(1);
    assert!(alone == on(2) && alone == on(3));
}

#[test]
fn a_trace_that_does_not_fit_names_the_call() {
    let mut lines = String::from("1 open 0 create /large\n");
    for number in 0..3 {
        let _ = writeln!(lines, "1 write 0 {} 500000 {number:x}", 500_000 * number);
    }
    let document = ran(&[MRAM], replay(&["littlefs", "fat"]), lines.trim_end());
    assert!(document.failed());
    for row in document.of(Metric::LatencyMax) {
        assert_eq!(row.no_value, Some(NoValue::Failed), "{row:?}");
    }
    let told = |expected: &str| {
        let mut all = document.warnings.iter();
        all.any(|warning| warning.advice.contains(expected))
    };
    assert!(
        told("of the trace (1 write 0 1000000 500000 00000002 of /large): there is no room"),
        "{:?}",
        document.warnings
    );
}

#[test]
fn a_memory_that_does_not_suit_has_no_figures_and_fails_nothing() {
    let document = ran(&[MRAM], replay(&["rtfs"]), "1 list /");
    assert!(!document.failed());
    let mut rows = document.of(Metric::LatencyMax);
    let reason = rows.next().and_then(|row| row.no_value);
    assert_eq!(reason, Some(NoValue::NotApplicable));
}

#[test]
fn what_cannot_be_run_is_refused_with_its_place() {
    let refusal = |workload, lines| {
        let error = try_run(&[MRAM], workload, lines, 1).expect_err("refused");
        error.to_string()
    };
    let read = refusal(replay(&["fat"]), "1 open 0 create /a\n1 read 0 0 4096 4096");
    assert_eq!(
        read,
        "a.txt, line 3, call 2 (1 read 0 0 4096 4096): it reads what nothing wrote: /a has 0 bytes here, of which 0 \
         from byte 0 on"
    );
    let unknown = refusal(replay(&["xfs"]), "1 list /");
    assert!(
        unknown.contains("xfs") && unknown.contains("littlefs"),
        "{unknown}"
    );
    let twice = refusal(replay(&["fat", "fat"]), "1 list /");
    assert!(twice.contains("fat"), "{twice}");
    let none = IoWorkload {
        capacity_bytes: Some(0),
        ..replay(&["fat"])
    };
    let none = refusal(none, "1 list /");
    assert!(none.contains("capacity"), "{none}");
}

/// A mark ends an operation of its thread: it takes as long as the calls since the thread's last one.
#[test]
fn marks_make_operations_of_calls() {
    let lines = "1 create-dir /d\n1 open 0 create /d/a\n1 mark open\n\
        1 write 0 0 100 7\n2 entry found /d\n1 sync 0 data\n1 mark put\n2 mark get\n\
        1 write 0 100 100 7\n1 sync-dir /d\n1 mark put\n1 mark get\n1 close 0";
    let document = try_run(&[MRAM], replay(&["flat"]), lines, 1).expect("it runs");
    let value = |operation: RowOperation, metric: Metric| -> f64 {
        let mut rows = document.rows.iter();
        let row = rows.find(|row| row.operation == operation && row.metric == metric);
        row.and_then(|row| row.value).expect("a row")
    };
    let total = |operation| value(operation, Metric::DurationTotal);
    assert_eq!(value(RowOperation::Put, Metric::AccessCount), 2.0);
    assert_eq!(value(RowOperation::Get, Metric::AccessCount), 2.0);
    // Three syncs count, that of the directory included; the marks are no calls.
    assert_eq!(value(RowOperation::Sync, Metric::AccessCount), 2.0);
    assert_eq!(value(RowOperation::All, Metric::AccessCount), 8.0);
    let puts = total(RowOperation::Write) + total(RowOperation::Sync);
    assert!((total(RowOperation::Put) - puts).abs() < 1e-12);
    assert!((total(RowOperation::Get) - total(RowOperation::Stat)).abs() < 1e-12);
}

/// The recordings of RocksDB, on one thread and on many.
#[test]
fn a_trace_of_rocksdb_gives_the_same_document_each_time() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/rocksdb-32-sync.wft"
    );
    let bytes = std::fs::read(file).expect("it is in the repository");
    let run_on = |threads| {
        let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
            Ok(Box::new(io::Cursor::new(bytes.clone())))
        };
        let control = Control {
            open: Some(&open),
            threads,
            ..Control::default()
        };
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        let workload = Workload::Io(replay(&["flat", "rtfs"]));
        let document = run(&catalog, &experiment(&[NOR, MRAM], workload), &control);
        document.expect("it runs").to_json()
    };
    let first = run_on(1);
    assert!(first.contains("\"put\"") && first.contains("\"get\""));
    assert_eq!(first, run_on(1));
    assert_eq!(first, run_on(4));
}

/// On the traffic of ext4, which needs more than the others.
fn traffic() -> IoWorkload {
    IoWorkload {
        capacity_bytes: Some(8 << 20),
        ..replay(&["ext4"])
    }
}

/// A put of two threads' calls is the calls and the instructions of the thread that marks it.
#[test]
fn a_marked_operation_is_the_calls_and_the_instructions_of_its_thread() {
    let lines = "1 open 0 create /a
2 open 1 create /b
1 +100 mark open
1 write 0 0 4096 00000001
2 write 1 0 8192 00000002
2 sync 1 all
1 +500000 sync 0 all
1 +100000 mark put
1 +60000 mark get
1 close 0
2 close 1";
    let document = ran(&["sandisk-extreme-32g@rpi3-sd"], traffic(), lines);
    let build = |metric, operation| {
        value(
            &document,
            operation,
            metric,
            Some((Axis::Build, "published")),
        )
    };
    let memory = value(&document, "put", Metric::LatencyMean, None).expect("one put");
    let syncs = value(&document, "sync", Metric::DurationTotal, None).expect("two syncs");
    assert!(memory > 0.0 && memory < syncs, "{memory} {syncs}");
    let put = build(Metric::LatencyMean, "put").expect("its board has a processor");
    let get = build(Metric::LatencyMean, "get").expect("its board has a processor");
    assert!(
        ((put - memory) / get - 10.0).abs() < 0.01,
        "{put} {memory} {get}"
    );
    let rate = build(Metric::OpsRate, "put").expect("one put");
    assert!((rate * put - 1.0).abs() < 1e-6);
    let share = build(Metric::ProcessorShare, "put").expect("one put");
    assert!((share - (put - memory) / put).abs() < 1e-6, "{share}");
    assert_eq!(
        value(&document, "get", Metric::Instructions, None),
        Some(60_000.0)
    );
}

#[test]
fn a_trace_without_instructions_has_no_time_of_a_processor() {
    let document = ran(
        &[MRAM],
        replay(&["flat"]),
        "1 open 0 create /a\n1 write 0 0 9 00000001\n1 mark put\n1 close 0",
    );
    assert!(value(&document, "put", Metric::LatencyMean, None).is_some());
    assert_eq!(document.of(Metric::ProcessorTime).count(), 0);
}

#[test]
fn a_pattern_of_the_users_own_replaces_the_recording() {
    let lines = "1 open 0 create /a\n1 write 0 0 4096 00000001\n1 sync 0 all\n1 close 0";
    let target = ["sandisk-extreme-32g@rpi3-sd"];
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pattern.toml");
    let with = |text: &str| {
        std::fs::write(&file, text).expect("a file");
        let name = file.to_str().expect("UTF-8").to_owned();
        let mut workload = traffic();
        workload.settings = [("ext4.pattern".to_owned(), name)].into();
        try_run(&target, workload, lines, 1)
    };
    let recorded = include_str!("../../engines/data/ext4.toml");
    let sync = |document: &ResultSet| value(document, "sync", Metric::LatencyMean, None);
    let usual = sync(&ran(&target, traffic(), lines));
    assert_eq!(sync(&with(recorded).expect("the recording")), usual);
    let without_barriers = recorded
        .replace(", \"flush\"", "")
        .replace("\"noatime\"", "\"noatime,nobarrier\"");
    let faster = sync(&with(&without_barriers).expect("it is sound"));
    assert!(faster < usual, "{faster:?} {usual:?}");
    let wrong = with(&recorded.replacen("data 4096", "tape 4096", 1)).expect_err("no such step");
    assert!(wrong.to_string().contains("tape 4096"), "{wrong}");
    let mut workload = traffic();
    workload.settings = [("ext4.pattern".to_owned(), "/nowhere.toml".to_owned())].into();
    let missing = try_run(&target, workload, lines, 1).expect_err("no such file");
    assert!(missing.to_string().contains("/nowhere.toml"), "{missing}");
    let long = with(&format!("{recorded}#{}", " ".repeat(1 << 20))).expect_err("it is long");
    assert!(long.to_string().contains("longer than 1 MiB"), "{long}");
    for device in ["/dev/zero", "/dev"] {
        let mut workload = traffic();
        workload.settings = [("ext4.pattern".to_owned(), device.to_owned())].into();
        let refused = try_run(&target, workload, lines, 1).expect_err("no regular file");
        assert!(refused.to_string().contains("no regular file"), "{refused}");
    }
}

/// What is emulated runs where it is asked for, and gets no verdict.
#[test]
fn emulated_traffic_has_no_verdict_on_power_cuts() {
    let workload = Workload::Fs(FsWorkload {
        file_systems: vec!["ext4".parse().expect("a name")],
        file_bytes: 4096,
        access_bytes: 4096,
        record_bytes: 512,
        capacity_bytes: Some(8 << 20),
        crash_images: 5,
        ..FsWorkload::default()
    });
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let experiment = experiment(&["sandisk-extreme-32g@rpi3-sd"], workload);
    let refused = run(&catalog, &experiment, &Control::default()).expect_err("no verdict");
    assert!(refused.to_string().contains("ext4"), "{refused}");
    let targets = catalog
        .part_on_board("sandisk-extreme-32g")
        .expect("it is embedded");
    let usual = wordline_lab::default_fs_workload(&[targets], None).file_systems;
    assert!(usual.iter().all(|name| name.name() != "ext4"), "{usual:?}");
}

#[test]
fn what_was_not_counted_does_not_dilute_what_an_operation_computes() {
    let lines = "0 open 0 create /a\n0 +1000 write 0 0 512 1\n0 mark put\n0 write 0 512 512 1\n0 mark put\n\
                 0 +3000 write 0 1024 512 1\n0 mark put";
    let document = ran(&[NOR], replay(&["fat"]), lines);
    let put = |metric, axis| value(&document, "put", metric, axis);
    let cpu = Some((Axis::Cause, "cpu_engine"));
    assert_eq!(put(Metric::AccessCount, None), Some(3.0));
    assert_eq!(put(Metric::Instructions, cpu), Some(2000.0));
    let build = Some((Axis::Build, "optimized"));
    let share = put(Metric::ProcessorShare, build).expect("the board's processor is known");
    assert!(share > 0.0 && share < 1.0, "{share}");
    let busy = put(Metric::DurationTotal, build).expect("a total");
    let each = document.of(Metric::ProcessorTime).find_map(|row| {
        let is_build = row.axes.get(&Axis::Build) == Some(&AxisValue::Text("optimized".into()));
        row.value.filter(|_| is_build)
    });
    // Of the two that were counted.
    let each = each.expect("a time");
    assert!(
        (share - 2.0 * each / busy).abs() < 1e-9,
        "{share}, {each}, {busy}"
    );
}

#[test]
fn instructions_beyond_simulated_time_are_a_failure_with_their_number() {
    let lines = "0 open 0 create /a\n0 +9223372036854775808 mark put";
    let document = ran(&[NOR], replay(&["fat"]), lines);
    let row = document.of(Metric::OpsRate).next().expect("a row");
    assert_eq!(row.no_value, Some(NoValue::Failed));
    let text = format!("{:?}", document.warnings);
    assert!(
        text.contains("9223372036854775808 instructions take the processor more than 106 days"),
        "{text}"
    );
}

#[test]
fn a_trace_without_calls_is_refused() {
    for lines in ["has-dir /d", "0 mark put\n1 mark get"] {
        let refused = try_run(&[NOR], replay(&["fat"]), lines, 1).expect_err("nothing to time");
        assert!(matches!(refused, LabError::NoFileCalls(_)), "{refused}");
        assert!(
            refused
                .to_string()
                .contains("a.txt: the trace has no calls"),
            "{refused}"
        );
    }
}

/// What is no trace is refused at its first bytes, though it never ends.
#[test]
fn an_endless_stream_is_not_read_to_its_end() {
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(io::BufReader::new(io::repeat(0))))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let experiment = experiment(&[NOR], Workload::Io(replay(&["fat"])));
    let refused = run(&catalog, &experiment, &control).expect_err("it is no trace");
    assert!(
        refused.to_string().contains("this is no file trace"),
        "{refused}"
    );
}

/// File systems recur through directories, of which a path has up to 2048: on the stacks of the cases.
#[test]
fn deep_directories_need_no_stack_of_the_caller() {
    let play = || {
        let mut lines = String::new();
        let mut path = String::new();
        for _ in 0..1000 {
            path.push_str("/d");
            let _ = writeln!(lines, "0 create-dir {path}");
        }
        let document = try_run(&[MRAM], replay(&["fat"]), &lines, 1).expect("it runs");
        assert_ne!(document.of(Metric::OpsRate).count(), 0);
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    let played = thread.spawn(play).expect("a thread").join();
    played.expect("the stack suffices");
}
