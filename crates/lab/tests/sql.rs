//! SQLite on memories: figures that can be worked out by hand, every way of keeping transactions, runs that fail, and the
//! search of settings.

use std::cell::Cell;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};

use wordline_catalog::Catalog;
use wordline_core::results::{AxisValue, NoValue, ResultSet, Row};
use wordline_core::{
    Axis, Experiment, Metric, SqlJournal, SqlLog, SqlTold, SqlWork, SqlWorkload, Timing, Workload,
};
use wordline_lab::{Control, LabError, Progress, run};

const MRAM: &str = "as3004316@stm32h743-fmc16";
const NAND: &str = "mt29f1g01@stm32h755-qspi";

/// A few transactions of one row on some file systems.
fn inserts(systems: &[&str]) -> SqlWorkload {
    let systems = systems.iter().map(|name| name.parse().expect("a name"));
    SqlWorkload {
        file_systems: systems.collect(),
        journals: vec![SqlJournal::Wal],
        works: vec![SqlWork::Insert],
        rows: vec![1],
        transactions: Some(12),
        ..SqlWorkload::default()
    }
}

/// A search of few settings.
fn search(systems: &[&str]) -> SqlWorkload {
    let few = inserts(systems);
    SqlWorkload {
        file_systems: few.file_systems,
        journals: vec![SqlJournal::Delete, SqlJournal::Wal],
        page_bytes: vec![512, 4096],
        checkpoint_pages: vec![4],
        logs: vec![SqlLog::Keep],
        rows: vec![1],
        transactions: Some(12),
        crash_images: 20,
        ..SqlWorkload::search()
    }
}

fn try_run(
    target: &str,
    workload: SqlWorkload,
    control: &Control<'_>,
) -> Result<ResultSet, LabError> {
    let experiment = Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Sql(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    run(&catalog, &experiment, control)
}

fn ran(target: &str, workload: SqlWorkload) -> ResultSet {
    try_run(target, workload, &Control::default()).expect("it runs")
}

fn refusal(workload: SqlWorkload) -> String {
    let refused = try_run(MRAM, workload, &Control::default());
    refused.expect_err("it is refused").to_string()
}

/// The value of a metric as a whole, in the only run of a document.
fn value(document: &ResultSet, metric: Metric) -> f64 {
    let whole = |row: &&Row| !row.axes.contains_key(&Axis::Cause);
    let row = document.of(metric).find(whole);
    row.and_then(|row| row.value).expect("a value")
}

fn warned(document: &ResultSet, words: &str) -> bool {
    let mut warnings = document.warnings.iter();
    warnings.any(|warning| warning.advice.contains(words))
}

/// A row goes into the table's only leaf, so that a transaction logs that page: a head of 24 B and 4096 B, in two writes,
/// and one sync. flat adds its records to them, and nothing else.
#[test]
fn a_transaction_of_one_row_logs_one_page() {
    let document = ran(MRAM, inserts(&["flat"]));
    assert_eq!(value(&document, Metric::EngineBytesWritten), 4120.0);
    assert_eq!(value(&document, Metric::EngineWrites), 2.0);
    assert_eq!(value(&document, Metric::EngineSyncs), 1.0);
    let stored = value(&document, Metric::BytesStored);
    assert!((4120.0..1.1 * 4120.0).contains(&stored), "{stored}");
    assert_eq!(value(&document, Metric::AccessCount), 12.0);
}

/// What SQLite is told decides how much it writes: with the file system's promise one frame of 24 B and 512 B, without it
/// that frame again, unless the first one ends with a sector.
#[test]
fn without_a_promise_the_last_frame_is_written_again() {
    let page_bytes = vec![512];
    let told = |name: &str| {
        let told = vec![name.parse().expect("a name")];
        let workload = SqlWorkload {
            told,
            page_bytes: page_bytes.clone(),
            ..inserts(&["flat"])
        };
        value(&ran(MRAM, workload), Metric::EngineBytesWritten)
    };
    let (promise, nothing) = (told("promise"), told("nothing"));
    assert_eq!(promise, 536.0);
    assert!(
        (1.5 * promise..=2.0 * promise).contains(&nothing),
        "{nothing}"
    );
}

/// rtfs makes the pages of a transaction valid together: SQLite then writes the leaf and the header, no journal and nothing
/// twice. A log has no use of that, and a file system without such writes is not told to have them.
#[test]
fn writes_that_become_valid_together_need_no_journal() {
    let told = |name: &str, journal| SqlWorkload {
        told: vec![name.parse().expect("a name")],
        journals: vec![journal],
        crash_images: 20,
        ..inserts(&["rtfs"])
    };
    let alone = ran(NAND, told("promise", SqlJournal::Delete));
    let together = ran(NAND, told("together", SqlJournal::Delete));
    assert_eq!(value(&together, Metric::EngineBytesWritten), 8192.0);
    assert_eq!(value(&together, Metric::EngineWrites), 2.0);
    let mean = |document: &ResultSet| value(document, Metric::LatencyMean);
    assert!(mean(&together) < mean(&alone) / 3.0);
    assert_eq!(value(&together, Metric::CrashFailures), 0.0);

    let both = SqlWorkload {
        told: SqlTold::ALL[..2].to_vec(),
        ..told("promise", SqlJournal::Wal)
    };
    assert_eq!(ran(NAND, both).of(Metric::LatencyMean).count(), 1);

    let without = SqlWorkload {
        file_systems: inserts(&["littlefs"]).file_systems,
        ..told("together", SqlJournal::Delete)
    };
    let document = ran(NAND, without);
    for metric in [Metric::LatencyMax, Metric::CrashFailures] {
        let row = document.of(metric).next().expect("a row");
        assert_eq!(row.no_value, Some(NoValue::NotApplicable), "{metric}");
    }
    assert!(warned(&document, "valid together"));
}

/// The log of a database on NAND lies on MRAM: a transaction logs its page there, and asks the NAND for nothing until a
/// checkpoint. The memories' times add up, and each has wear and a price of its own.
#[test]
fn the_log_has_a_memory_of_its_own() {
    let hybrid = || SqlWorkload {
        log_target: Some("em064lx".to_owned()),
        crash_images: 30,
        ..inserts(&["littlefs"])
    };
    let document = ran(NAND, hybrid());
    let of = |metric: Metric, memory: &str| {
        let memory = AxisValue::from(memory);
        let mut rows = document.of(metric);
        let row = rows.find(|row| row.axes.get(&Axis::Memory) == Some(&memory));
        row.expect("a row").value
    };
    let whole = |metric: Metric| {
        let mut rows = document.of(metric);
        let row = rows.find(|row| !row.axes.contains_key(&Axis::Memory));
        row.and_then(|row| row.value).expect("a value")
    };
    assert_eq!(of(Metric::BytesStored, "tables"), Some(0.0));
    assert!(of(Metric::BytesStored, "log").expect("a value") >= 4120.0);
    for metric in [Metric::LatencyMean, Metric::EnergyPerOp] {
        let parts = ["tables", "log"].map(|memory| of(metric, memory).expect("a value"));
        let sum = parts[0] + parts[1];
        assert!(
            (sum / whole(metric) - 1.0).abs() < 1e-9,
            "{metric}: {parts:?}"
        );
    }
    // While one works the other stands by, which takes energy.
    assert!(of(Metric::EnergyPerOp, "tables") > Some(0.0));
    assert_eq!(of(Metric::Cost, "log"), Some(53.76));
    assert_eq!(of(Metric::Cost, "tables"), None);
    assert_eq!(whole(Metric::CrashFailures), 0.0);
    assert!(whole(Metric::CrashImages) > 20.0);
    let alone = ran(NAND, inserts(&["littlefs"]));
    assert!(whole(Metric::LatencyMean) < value(&alone, Metric::LatencyMean) / 20.0);

    let refused = |workload| {
        let refused = try_run(NAND, workload, &Control::default());
        refused.expect_err("it is refused").to_string()
    };
    let other = SqlWorkload {
        log_target: Some(MRAM.to_owned()),
        ..hybrid()
    };
    let words = refused(other);
    assert!(words.contains("not on the board"), "{words}");
    let alone = SqlWorkload {
        log_file_system: Some("flat".parse().expect("a name")),
        ..inserts(&["littlefs"])
    };
    let words = refused(alone);
    assert!(words.contains("log-target"), "{words}");
}

/// What leaves the processor comes off its time: copies of littlefs by the hundreds of instructions a byte, those of flat
/// hardly, and short ones not at all.
#[test]
fn copies_and_checksums_leave_the_processor() {
    let workload = |least| SqlWorkload {
        dma_bytes: Some(least),
        check_unit: true,
        ..inserts(&["littlefs"])
    };
    let time = |document: &ResultSet, offload: Option<&str>| {
        let offload = offload.map(AxisValue::from);
        let build = AxisValue::from("optimized");
        let rows = document.of(Metric::ProcessorTime).filter(|row| {
            row.axes.get(&Axis::Offload) == offload.as_ref()
                && row.axes.get(&Axis::Build) == Some(&build)
        });
        rows.filter_map(|row| row.value).sum::<f64>()
    };
    let document = ran(MRAM, workload(1));
    let all = time(&document, None);
    let [dma, checks, both] = ["dma", "checks", "both"].map(|name| time(&document, Some(name)));
    assert!(dma < 0.7 * all, "{dma} of {all}");
    assert!(both < dma && checks < all, "{both}, {dma}, {checks}, {all}");
    let long = ran(MRAM, workload(65536));
    assert!((time(&long, Some("dma")) / all - 1.0).abs() < 1e-9);
    let rows = value(&document, Metric::RowsPerJoule);
    assert!(rows > 0.0);
}

#[test]
fn every_journal_works_on_every_file_system() {
    for (target, systems) in [(MRAM, &["littlefs", "fat", "flat"][..]), (NAND, &["rtfs"])] {
        let workload = SqlWorkload {
            journals: SqlJournal::ALL.to_vec(),
            page_bytes: vec![1024],
            transactions: Some(5),
            ..inserts(systems)
        };
        let document = ran(target, workload);
        let figures = document.of(Metric::LatencyMean);
        let figures = figures.filter(|row| row.value.is_some_and(|value| value > 0.0));
        assert_eq!(
            figures.count(),
            SqlJournal::ALL.len() * systems.len(),
            "{target}"
        );
        assert!(!document.failed(), "{:?}", document.warnings);
    }
}

#[test]
fn a_database_that_is_larger_than_the_memory_says_so() {
    let workload = SqlWorkload {
        capacity_bytes: Some(32 << 10),
        rows: vec![100],
        transactions: Some(100),
        ..inserts(&["flat"])
    };
    let document = ran(MRAM, workload);
    assert!(document.failed());
    assert!(warned(&document, "full"), "{:?}", document.warnings);
    // A search goes on with the others, and fails where none is left.
    let tiny = SqlWorkload {
        capacity_bytes: Some(32 << 10),
        rows: vec![100],
        transactions: Some(100),
        ..search(&["flat"])
    };
    let document = ran(MRAM, tiny);
    assert!(
        document.failed() && warned(&document, "full"),
        "{:?}",
        document.warnings
    );
}

#[test]
fn no_result_depends_on_the_number_of_threads() {
    for workload in [
        SqlWorkload {
            journals: vec![SqlJournal::Delete, SqlJournal::Wal],
            crash_images: 10,
            ..inserts(&["littlefs", "flat"])
        },
        // Caches of a few pages, so that they are filled at the same time.
        SqlWorkload {
            page_bytes: vec![512, 1024],
            works: vec![SqlWork::Insert, SqlWork::Read],
            rows: vec![50],
            transactions: Some(100),
            cache_bytes: 8 << 10,
            ..inserts(&["flat"])
        },
        search(&["littlefs", "flat"]),
    ] {
        let text = |threads| {
            let control = Control {
                threads,
                ..Control::default()
            };
            let document = try_run(MRAM, workload.clone(), &control).expect("it runs");
            document.to_json()
        };
        assert!(text(1) == text(3));
    }
}

fn script(text: &str) -> Result<ResultSet, LabError> {
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(io::Cursor::new(text.to_owned().into_bytes())))
    };
    let control = Control {
        open: Some(&open),
        ..Control::default()
    };
    let workload = SqlWorkload {
        script: Some("my.sql".to_owned()),
        ..inserts(&["flat"])
    };
    try_run(MRAM, workload, &control)
}

#[test]
fn each_statement_of_a_script_is_timed_and_a_wrong_one_names_its_line() {
    let text = "CREATE TABLE t(a);\n-- a remark; with a semicolon\nINSERT INTO t VALUES (';');\n";
    let document = script(text).expect("it runs");
    assert_eq!(value(&document, Metric::AccessCount), 2.0);
    let document = script("CREATE TABLE t(a);\n\nINSERT INTO u VALUES (1);\n").expect("it runs");
    assert!(document.failed());
    assert!(
        warned(&document, "line 3") && warned(&document, "no such table: u"),
        "{:?}",
        document.warnings
    );
    let empty = script("-- nothing\n").expect_err("no statement");
    assert!(empty.to_string().contains("my.sql"), "{empty}");
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_finished() {
    let stop = AtomicBool::new(false);
    let reports = Cell::new(0);
    // The second setup begins once the first one came to its end.
    let listen = |progress: Progress<'_>| {
        reports.set(reports.get() + 1);
        stop.store(progress.done_bytes >= 12, Ordering::Relaxed);
    };
    let control = Control {
        stop: Some(&stop),
        progress: Some(&listen),
        threads: 1,
        ..Control::default()
    };
    let workload = SqlWorkload {
        page_bytes: vec![512, 1024, 2048],
        ..inserts(&["flat"])
    };
    let document = try_run(MRAM, workload, &control).expect("it was stopped");
    assert!(!document.complete && reports.get() > 0);
    assert_eq!(document.of(Metric::LatencyMean).count(), 1);
    stop.store(false, Ordering::Relaxed);
    let document = try_run(MRAM, search(&["flat", "littlefs"]), &control).expect("it was stopped");
    assert!(!document.complete);
    let points = document.of(Metric::LatencyMean).count();
    assert!((1..=12).contains(&points), "{points}");
}

/// The fastest point that a search may come to has the verdict, and a choice that the user made stays.
#[test]
fn a_search_names_the_fastest_that_survives_power_cuts() {
    let mut workload = search(&["littlefs", "flat"]);
    workload
        .settings
        .insert("littlefs.block".into(), "512".into());
    let document = ran(MRAM, workload.clone());
    assert!(document.complete);
    let choices = document.rows.iter();
    let choices = choices.filter_map(|row| row.text(Axis::FsSettings));
    let choices: Vec<_> = choices.collect();
    assert!(
        choices
            .iter()
            .any(|choice| choice.contains("littlefs.cache=")),
        "{choices:?}"
    );
    assert!(
        choices
            .iter()
            .all(|choice| !choice.contains("littlefs.block")),
        "{choices:?}"
    );
    let whole = |row: &&Row| {
        let count = document
            .of(Metric::AccessCount)
            .find(|count| count.axes == row.axes);
        count.and_then(|count| count.value) == Some(12.0)
    };
    let points = document.of(Metric::LatencyMean).filter(whole);
    let by_time = |a: &&Row, b: &&Row| a.value.partial_cmp(&b.value).expect("numbers");
    let fastest = points.min_by(by_time).expect("points");
    let verdict = document
        .of(Metric::CrashFailures)
        .next()
        .expect("a verdict");
    assert_eq!(verdict.value, Some(0.0));
    for axis in [Axis::Fs, Axis::Journal, Axis::PageBytes, Axis::FsSettings] {
        // A choice that saves less than a hundredth is not worth naming.
        if axis != Axis::FsSettings {
            assert_eq!(verdict.axes.get(&axis), fastest.axes.get(&axis), "{axis}");
        }
    }
    // It is what the bench gives with the same settings.
    let count = |axis| match verdict.axes.get(&axis) {
        Some(AxisValue::Count(count)) => vec![*count],
        _ => Vec::new(),
    };
    let same = SqlWorkload {
        journals: vec![
            verdict
                .text(Axis::Journal)
                .and_then(|name| name.parse().ok())
                .expect("a journal"),
        ],
        page_bytes: count(Axis::PageBytes),
        checkpoint_pages: match count(Axis::CheckpointPages) {
            none if none.is_empty() => vec![4],
            pages => pages,
        },
        settings: verdict
            .text(Axis::FsSettings)
            .iter()
            .flat_map(|choices| choices.split(','))
            .filter_map(|choice| choice.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..inserts(&[verdict.text(Axis::Fs).expect("a file system")])
    };
    let own = |row: &&Row| {
        let axes = [Axis::Fs, Axis::Journal, Axis::PageBytes, Axis::FsSettings];
        axes.iter()
            .all(|axis| row.axes.get(axis) == verdict.axes.get(axis))
    };
    let tuned = document
        .of(Metric::LatencyMean)
        .find(own)
        .and_then(|row| row.value);
    assert_eq!(Some(value(&ran(MRAM, same), Metric::LatencyMean)), tuned);
}

#[test]
fn what_cannot_be_run_is_refused_with_the_values_allowed() {
    let page = refusal(SqlWorkload {
        page_bytes: vec![1000],
        ..inserts(&["flat"])
    });
    assert!(
        page.starts_with("page 1000 B") && page.contains("65536"),
        "{page}"
    );
    let twice = refusal(SqlWorkload {
        logs: vec![SqlLog::Cut, SqlLog::Cut],
        ..inserts(&["flat"])
    });
    assert!(twice.starts_with("log"), "{twice}");
    let rows = refusal(SqlWorkload {
        rows: vec![0],
        ..inserts(&["flat"])
    });
    assert!(
        rows.starts_with("rows") && rows.contains("100000"),
        "{rows}"
    );
    // A log that no run fills three times would seem to cost nothing.
    for pages in [0, 5] {
        let long = refusal(SqlWorkload {
            checkpoint_pages: vec![pages],
            ..search(&["flat"])
        });
        assert!(
            long.starts_with("checkpoint") && long.contains("1 to 4"),
            "{long}"
        );
    }
    let other = refusal(SqlWorkload {
        settings: [("littlefs.block".to_owned(), "512".to_owned())]
            .into_iter()
            .collect(),
        ..inserts(&["flat"])
    });
    assert!(other.contains("littlefs"), "{other}");
}

/// The document of a search on a memory that a file system does not suit says so, and has the others.
#[test]
fn a_search_passes_over_what_does_not_suit_the_memory() {
    let document = ran(
        NAND,
        SqlWorkload {
            crash_images: 0,
            journals: vec![SqlJournal::Delete],
            page_bytes: vec![4096],
            transactions: Some(3),
            checkpoint_pages: vec![1],
            ..search(&["flat", "rtfs"])
        },
    );
    let of = |name: &str| {
        let rows = document.rows.iter();
        let rows = rows.filter(|row| row.text(Axis::Fs) == Some(name));
        rows.map(|row| row.no_value).collect::<Vec<_>>()
    };
    assert!(
        of("flat")
            .iter()
            .all(|no_value| *no_value == Some(NoValue::NotApplicable))
    );
    assert!(of("rtfs").contains(&None));
}
