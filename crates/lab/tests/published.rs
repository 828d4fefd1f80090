//! Published figures beside the models', calibration and prediction apart.

use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity;
use wordline_core::{
    Axis, Basis, Experiment, Metric, Operation, RawWorkload, ResultSet, RowOperation, Timing,
    Workload,
};
use wordline_lab::published::{
    Allowed, Kind, Measure, Published, SheetFigure, Use, Value, keys, published,
};
use wordline_lab::reproduce::{Options, Reproduction};
use wordline_lab::{Control, reproduce, run};
use wordline_nvm::Cause;
use wordline_nvm::bus::Action;

fn sheets() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn mram() -> Published {
    published(&sheets(), "mram-vs-flash-benchmark").expect("embedded")
}

fn experiment(target: &str) -> Experiment {
    Experiment {
        targets: vec![target.to_owned()],
        workload: Workload::Raw(RawWorkload::default()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn benchmark(target: &str, timing: Timing) -> ResultSet {
    let catalog = sheets();
    let experiment = Experiment {
        timings: vec![timing],
        ..experiment(target)
    };
    run(&catalog, &experiment, &Control::default()).expect("the benchmark runs")
}

fn value(result: &ResultSet, metric: Metric, operation: Operation, access: u64) -> f64 {
    let mut rows = result.of(metric).filter(|row| {
        row.operation == operation.into() && row.count(Axis::AccessBytes) == Some(access)
    });
    let row = rows.next().expect("one row");
    assert!(rows.next().is_none(), "more than one row");
    row.value.expect("a number")
}

/// Documents whose simulations take minutes: on modules against each other, and on one machine.
const MODULES: &str = "mrdimm-report";
const PLATFORM: &str = "xeon-rdimm-platform";

/// A module of 64 GB against another of 64 GB, in bandwidth.
fn is_of_64_gb(value: &Value) -> bool {
    let is = |measure: &Measure, module: &str| match measure {
        Measure::Row { row, experiment } => {
            experiment.targets[0].starts_with(module) && row.metric == Metric::ThroughputMean
        }
        _ => false,
    };
    let over = value.over.as_ref();
    is(&value.of, "mrdimm-8800-2rx4-64g@")
        && over.is_some_and(|over| is(over, "rdimm-6400-2rx4-64g@"))
}

/// A bandwidth: one run, and no sweep of loads.
fn is_bandwidth(value: &Value) -> bool {
    matches!(&value.of, Measure::Row { row, .. } if row.metric == Metric::ThroughputMean)
}

/// Documents as they reproduce, with nothing that needs attention.
fn reproduced(catalog: &Catalog, documents: &[Published], options: Options) -> Reproduction {
    let result = reproduce(
        catalog,
        documents,
        options,
        &Control::default(),
        &mut |_| {},
    );
    assert!(result.complete);
    for document in &result.documents {
        for row in &document.rows {
            let place = format!("{}: {}", document.document, row.citation);
            assert_eq!(row.problem, None, "{place}: {row:?}");
        }
    }
    assert!(result.pass);
    result
}

/// Every value of a document on memory modules, each with its band.
fn reproduces_with_bands(key: &str, values: usize) {
    let catalog = sheets();
    let document = published(&catalog, key).expect("embedded");
    let result = reproduced(&catalog, &[document], Options { bands: true });
    let score = result.score;
    let runs = [score.predicted, score.calibrated, score.consistency];
    assert_eq!(runs.map(|tally| tally.run).iter().sum::<usize>(), values);
    for row in &result.documents[0].rows {
        if row.kind == Kind::Consistency {
            assert_eq!(row.band, None, "{row:?}");
            continue;
        }
        let (Some(ours), Some(band)) = (row.value, &row.band) else {
            panic!("no value or no band: {row:?}");
        };
        // The value as chosen may lie outside of what nine draws of ten give, but not far.
        let near = band.low * 0.5 <= ours && ours <= band.high * 2.0;
        assert!(
            near && band.low < band.median && band.median < band.high,
            "{row:?}"
        );
    }
}

#[test]
#[ignore = "minutes of simulation, which `make nightly` has"]
fn the_report_on_memory_modules_reproduces_as_its_data_say() {
    reproduces_with_bands(MODULES, 17);
}

#[test]
#[ignore = "minutes of simulation, which `make nightly` has"]
fn the_measured_platform_reproduces_as_its_data_say() {
    reproduces_with_bands(PLATFORM, 10);
}

/// Whatever can be computed today is met, or listed as a miss with its reason; the rest says what it
/// needs. Nothing is reported that the data do not say.
#[test]
fn every_document_reproduces_as_its_data_say() {
    let catalog = sheets();
    let mut documents: Vec<_> = keys().filter_map(|key| published(&catalog, key)).collect();
    assert_eq!(documents.len(), 9);
    for document in &mut documents {
        match &*document.key {
            MODULES => document.value.retain(is_of_64_gb),
            PLATFORM => document.value.retain(is_bandwidth),
            _ => {}
        }
    }
    let result = reproduced(&catalog, &documents, Options::default());
    for key in [MODULES, PLATFORM] {
        let document = result.documents.iter().find(|one| one.document == key);
        assert_eq!(document.map(|document| document.rows.len()), Some(5));
    }
    // The programs of the NAND; more parts can only add to it.
    assert!(result.score.predicted.hit >= 1, "{:?}", result.score);
    assert!(result.score.consistency.hit >= 140, "{:?}", result.score);
    assert_eq!(result.score.calibrated.hit, 35);
}

/// The same without [`reproduce`]: plain values of the MRAM, looked up in the benchmark itself.
#[test]
fn published_values_are_met_within_the_tolerance_that_was_written_first() {
    let published = mram();
    assert_eq!(published.key, "mram-vs-flash-benchmark");
    assert!(!published.title.is_empty() && !published.errata.is_empty());
    let mut checked = 0;
    for one in &published.value {
        let (Measure::Row { row, experiment }, None) = (&one.of, &one.over) else {
            continue;
        };
        let (Workload::Raw(raw), true) = (&experiment.workload, row.axes.is_empty()) else {
            continue;
        };
        let [access] = raw.access_bytes[..] else {
            panic!("one size");
        };
        let sizes = RawWorkload::default().access_bytes;
        let target = &experiment.targets[0];
        if !(target.starts_with("em064lx@") && sizes.contains(&access)) {
            continue;
        }
        let result = benchmark(target, experiment.timings[0]);
        let ours = value(&result, row.metric, raw.operations[0], access);
        let theirs = one.published.expect("a number");
        let Allowed::Within { tolerance } = one.allowed else {
            panic!("{}: no tolerance", one.citation);
        };
        let miss = (ours - theirs).abs() / theirs;
        assert!(miss <= tolerance, "{}: we have {ours}", one.citation);
        checked += 1;
    }
    assert_eq!(checked, 9);
}

/// What was computed before a part or workload existed would be no evidence: each value names a
/// target, or a way to run it, that is missing.
#[test]
fn what_has_to_wait_says_for_what() {
    let catalog = sheets();
    for document in keys().filter_map(|key| published(&catalog, key)) {
        for value in &document.value {
            let known = value.measures().all(|measure| match measure {
                Measure::Figure(SheetFigure { sheet, .. }) => {
                    catalog.part(sheet).is_ok() || catalog.board(sheet).is_ok()
                }
                measure => {
                    let mut targets = measure
                        .experiment()
                        .into_iter()
                        .flat_map(|one| &one.targets);
                    targets.all(|target| match target.strip_prefix("ram@") {
                        Some(board) => catalog.board(board).is_ok(),
                        None => {
                            catalog.part_on_board(target).is_ok()
                                || catalog.module_in_system(target).is_ok()
                        }
                    })
                }
            });
            assert!(known || value.needs.is_some(), "{}", value.citation);
        }
    }
}

/// One constant from one size: the calibrated value, less what the bus takes, is the constant in
/// the board's sheet, which is marked as calibrated; nothing else is.
#[test]
fn the_driver_constant_comes_from_one_published_value() {
    let published = mram();
    let calibrated: Vec<_> = published
        .value
        .iter()
        .filter(|one| one.r#use == Use::Calibrated)
        .collect();
    assert_eq!(calibrated.len(), 1);
    let one = calibrated[0];
    let Measure::Row { row, experiment } = &one.of else {
        panic!("a latency");
    };
    let Workload::Raw(raw) = &experiment.workload else {
        panic!("of the raw memory");
    };
    assert_eq!(
        (raw.operations[0], row.metric),
        (Operation::Write, Metric::LatencyMax)
    );
    assert_eq!(experiment.timings, [Timing::Typ]);

    let catalog = sheets();
    let target = catalog
        .part_on_board(&published.target)
        .expect("in the catalogue");
    let link = target.link().expect("fits");
    let write = link.command(Action::Write).expect("an MRAM is written");
    let bus = write.transaction(0, raw.access_bytes[0]).total().si();
    let clock = target.board.board.core_clock.nominal().si();
    let cycles = target.board.board.driver.dma_setup.nominal().count() as f64;
    assert!(
        (cycles - (one.published.expect("a time") - bus) * clock).abs() < 1.0,
        "{cycles} cycles"
    );

    let figures = target.part.figures.iter().chain(&target.board.figures);
    let marked: Vec<_> = figures
        .filter(|figure| figure.basis == Basis::Calibrated)
        .map(|figure| figure.figure.as_str())
        .collect();
    assert_eq!(marked, ["driver.dma_setup"]);
}

#[test]
fn reads_and_writes_are_symmetric() {
    let result = benchmark("em064lx@stm32h755-qspi", Timing::Typ);
    for access in RawWorkload::default().access_bytes {
        let of = |operation| value(&result, Metric::ThroughputMean, operation, access);
        let ratio = of(Operation::Read) / of(Operation::Write);
        assert!((ratio - 1.0).abs() < 0.005, "{access} B: {ratio}");
    }
}

/// 59 mA and 1.8 V at 60 MB/s; 156 and 199 mA at 400 MB/s.
#[test]
fn energy_tends_to_current_times_voltage_over_bus_rate() {
    let energy = |target, timing| {
        let result = benchmark(target, timing);
        value(&result, Metric::EnergyPerByte, Operation::Write, 65_536)
    };
    let cases = [
        ("em064lx@stm32h755-qspi", Timing::Typ, 0.059 * 1.8 / 60e6),
        ("em064lx@stm32h7s78-xspi", Timing::Typ, 0.156 * 1.8 / 400e6),
        ("em064lx@stm32h7s78-xspi", Timing::Max, 0.199 * 1.8 / 400e6),
    ];
    for (target, timing, limit) in cases {
        let ours = energy(target, timing);
        // Command clocks and the standby current while the driver works come on top.
        assert!(
            ours > limit && ours < limit * 1.005,
            "{target} {timing}: {ours} J/B"
        );
    }
}

/// The worst access is the sum of its parts, and the driver's share falls with the size.
#[test]
fn the_driver_bound_share_falls_with_the_access_size() {
    let result = benchmark("em064lx@stm32h755-qspi", Timing::Typ);
    let share = |access| {
        let mut rows = result.of(Metric::TimeShare).filter(|row| {
            row.operation == RowOperation::Write
                && row.count(Axis::AccessBytes) == Some(access)
                && row.text(Axis::Cause) == Some(Cause::Driver.name())
        });
        rows.next().and_then(|row| row.value).expect("a share")
    };
    assert!((share(2048) - 17.75 / 52.0).abs() < 1e-3);
    assert!(share(65_536) < 0.02);
    for access in RawWorkload::default().access_bytes {
        let parts: f64 = result
            .of(Metric::LatencyMaxPart)
            .filter(|row| {
                row.operation == RowOperation::Write && row.count(Axis::AccessBytes) == Some(access)
            })
            .filter_map(|row| row.value)
            .sum();
        let whole = value(&result, Metric::LatencyMax, Operation::Write, access);
        assert!((parts - whole).abs() < 1e-15);
    }
}

/// A figure that a sheet has from a document cannot be held against that document: it is marked so, and
/// nothing else is.
#[test]
fn what_our_sheets_copy_from_a_document_is_marked() {
    let catalog = sheets();
    let mut copied = 0;
    for document in keys().filter_map(|key| published(&catalog, key)) {
        for value in &document.value {
            let Measure::Figure(SheetFigure { sheet, figure, .. }) = &value.of else {
                assert_ne!(value.r#use, Use::Copied, "{}", value.citation);
                continue;
            };
            let figures = match (catalog.part(sheet), catalog.board(sheet)) {
                (Ok(part), _) => &part.figures,
                (_, Ok(board)) => &board.figures,
                _ => continue,
            };
            let Some(ours) = figures.iter().find(|one| one.figure == *figure) else {
                continue;
            };
            let from_it = ours.source.contains(&document.key);
            copied += usize::from(from_it);
            assert_eq!(from_it, value.r#use == Use::Copied, "{}", value.citation);
        }
    }
    assert!(copied > 5, "{copied}");
}
