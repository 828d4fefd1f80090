//! What SQLite and the file system compute: instructions, time on the board's processor, and its share.

use wordline_catalog::Catalog;
use wordline_core::results::{AxisValue, NoValue, ResultSet};
use wordline_core::{Axis, Experiment, Metric, SqlJournal, SqlWork, SqlWorkload, Timing, Workload};
use wordline_lab::{Control, run};

const BOARD: &str = "as3004316@stm32h743-fmc16";

fn ran(target: &str, file_system: &str) -> ResultSet {
    let settings = match file_system {
        "littlefs" => &[
            ("littlefs.block", "128"),
            ("littlefs.cache", "64"),
            ("littlefs.read", "4"),
            ("littlefs.prog", "4"),
        ][..],
        _ => &[],
    };
    let settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let workload = SqlWorkload {
        file_systems: vec![file_system.parse().expect("a name")],
        journals: vec![SqlJournal::Wal],
        page_bytes: vec![512],
        checkpoint_pages: vec![20],
        works: vec![SqlWork::Insert],
        rows: vec![2],
        transactions: Some(60),
        capacity_bytes: Some(512 << 10),
        settings: settings.collect(),
        ..SqlWorkload::default()
    };
    let experiment = Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Sql(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    run(&catalog, &experiment, &Control::default()).expect("it suits the target")
}

/// The value of a metric with these axes.
fn value(document: &ResultSet, metric: Metric, at: &[(Axis, &str)]) -> Option<f64> {
    let mut rows = document.of(metric);
    let row = rows.find(|row| {
        at.iter()
            .all(|(axis, name)| row.axes.get(axis) == Some(&AxisValue::Text((*name).to_owned())))
    });
    row.and_then(|row| row.value)
}

fn instructions(document: &ResultSet, cause: &str) -> Option<f64> {
    value(document, Metric::Instructions, &[(Axis::Cause, cause)])
}

#[test]
fn copies_of_a_file_system_cost_instructions_and_sqlite_the_same_on_each() {
    let (littlefs, flat) = (ran(BOARD, "littlefs"), ran(BOARD, "flat"));
    let of = |document| {
        let of = |cause| instructions(document, cause).expect("counted");
        (of("cpu_engine"), of("cpu_file_system"))
    };
    let ((engine, copies), (same, in_place)) = (of(&littlefs), of(&flat));
    assert_eq!(engine, same, "the same calls of the same engine");
    // A statement of two rows: parsed, planned, run, logged.
    assert!((10e3..50e3).contains(&engine), "{engine}");
    assert!(copies > 10.0 * engine, "{copies}");
    assert!(in_place < engine, "{in_place}");
}

#[test]
fn the_share_is_that_of_processor_and_memory_one_after_the_other() {
    let document = ran(BOARD, "flat");
    let memory = value(&document, Metric::LatencyMean, &[]).expect("timed");
    let time = |build| {
        let of = |cause| {
            let at = [(Axis::Cause, cause), (Axis::Build, build)];
            value(&document, Metric::ProcessorTime, &at).expect("the board has a processor")
        };
        of("cpu_engine") + of("cpu_file_system")
    };
    for build in ["published", "optimized"] {
        let at = [(Axis::Build, build)];
        let share = value(&document, Metric::ProcessorShare, &at).expect("both are known");
        let expected = time(build) / (time(build) + memory);
        assert!((share - expected).abs() < 1e-9, "{build}: {share}");
    }
    // The cycles of an instruction in the sheet of the board.
    assert!((time("published") / time("optimized") - 6.61).abs() < 1e-3);
    let parts: f64 = document
        .of(Metric::LatencyMeanPart)
        .filter_map(|row| row.value)
        .sum();
    assert!((parts / memory - 1.0).abs() < 1e-9, "{parts} {memory}");
}

#[test]
fn what_is_not_known_has_no_time() {
    let document = ran("em064lx@nrf5340-qspi", "flat");
    assert!(instructions(&document, "cpu_engine").is_some());
    assert_eq!(document.of(Metric::ProcessorTime).count(), 0);
    let document = ran(BOARD, "fat");
    assert!(instructions(&document, "cpu_engine").is_some());
    let row = document
        .of(Metric::Instructions)
        .find(|row| row.axes[&Axis::Cause] == AxisValue::Text("cpu_file_system".to_owned()));
    let row = row.expect("a row that says so");
    assert_eq!(
        (row.value, row.no_value),
        (None, Some(NoValue::NotApplicable))
    );
    assert_eq!(document.of(Metric::ProcessorShare).count(), 0);
}
