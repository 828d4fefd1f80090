//! `wordline fs bound`: figures of a chip whose sheet states every maximum, and refusals.

use wordline_catalog::Catalog;
use wordline_core::quantity::Fraction;
use wordline_core::results::{AxisValue, Row};
use wordline_core::{
    AccessSource, Axis, Basis, BoundWorkload, BufferWorkload, Experiment, Metric, RawWorkload,
    ResultSet, RowOperation, StreamSource, Timing, TranslationLayer, Workload,
};
use wordline_lab::{Control, run};

fn experiment(target: &str, workload: BoundWorkload) -> Experiment {
    Experiment {
        targets: vec![target.into()],
        workload: Workload::Bound(workload),
        timings: vec![Timing::Typ, Timing::Max],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn at(capacities: &[&str]) -> BoundWorkload {
    let capacity = capacities
        .iter()
        .map(|text| text.parse().expect("a capacity"));
    BoundWorkload {
        capacity: capacity.collect(),
        ..BoundWorkload::default()
    }
}

fn bounded(experiment: &Experiment) -> Result<ResultSet, String> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    run(&catalog, experiment, &Control::default()).map_err(|error| error.to_string())
}

/// The values of a metric of overwrites as a whole, in the order of rows.
fn overwrites(document: &ResultSet, timing: Timing, metric: Metric) -> Vec<f64> {
    let is_one = |row: &&Row| {
        let apart = [
            Axis::During,
            Axis::DeviceOperation,
            Axis::RateBytesPerS,
            Axis::Accesses,
            Axis::Fs,
        ];
        row.operation == RowOperation::Overwrite
            && row.timing == timing
            && apart.iter().all(|axis| !row.axes.contains_key(axis))
    };
    let rows = document.of(metric).filter(is_one);
    rows.filter_map(|row| row.value).collect()
}

fn near(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found / expected - 1.0).abs() < within,
            "{found} for {expected}"
        );
    }
}

#[test]
fn bounds_of_a_chip_at_three_capacities() {
    let document = bounded(&experiment("mt29f1g01", at(&["50%", "60%", "70%"]))).expect("it runs");
    let of = |timing, metric| overwrites(&document, timing, metric);
    near(
        &of(Timing::Typ, Metric::LatencyMax),
        &[2.57e-3, 2.68e-3, 4.04e-3],
        0.01,
    );
    near(&of(Timing::Max, Metric::LatencyMax), &[11.33e-3; 3], 0.01);
    near(
        &of(Timing::Typ, Metric::RateMax),
        &[2.38e6, 1.71e6, 1.15e6],
        0.01,
    );
    near(
        &of(Timing::Max, Metric::RateMax),
        &[0.974e6, 0.706e6, 0.480e6],
        0.01,
    );
    near(&of(Timing::Max, Metric::LatencyFloor), &[11.33e-3; 3], 0.01);
    assert!(document.rows.iter().all(|row| row.basis == Basis::Proven));
}

#[test]
fn ram_follows_from_the_longest_totals_of_calls() {
    let mut workload = at(&["70%"]);
    workload.rates_bytes_per_s = vec![100e3, 440e3, 1e6];
    let document = bounded(&experiment("mt29f1g01", workload)).expect("it runs");
    let of = |timing: Timing, metric: Metric, arrival: &str| -> Vec<Option<f64>> {
        let rows = document.of(metric).filter(|row| row.timing == timing);
        let rows = rows.filter(|row| row.text(Axis::Arrival) == Some(arrival));
        rows.map(|row| row.value).collect()
    };
    for timing in [Timing::Typ, Timing::Max] {
        let totals = document.of(Metric::SequenceDurationMax);
        let totals: Vec<f64> = totals
            .filter(|row| row.timing == timing)
            .filter_map(|row| row.value)
            .collect();
        let single = overwrites(&document, timing, Metric::LatencyMax)[0];
        // Of 1, 2, 4, … calls: each at most twice the one before, and all at the proven rate in the long run.
        assert!((totals[0] - single).abs() < 1e-12);
        assert!(
            totals
                .windows(2)
                .all(|pair| pair[0] < pair[1] && pair[1] <= 2.0 * pair[0] + 1e-12)
        );
        let rate = overwrites(&document, timing, Metric::RateMax)[0];
        let last = totals.last().expect("there are some");
        assert!(64.0 * 4096.0 / last <= rate && 64.0 * 4096.0 / last > 0.8 * rate);
        // A fluid backlog in flight is never less than what comes during the longest call.
        let fluid = of(timing, Metric::RamPeakInFlight, "fluid");
        assert!(fluid[0].is_some_and(|ram| ram >= 100e3 * single - 1.0));
    }
    assert_eq!(of(Timing::Typ, Metric::RamPeak, "record")[0], Some(0.0));
    assert_eq!(of(Timing::Max, Metric::RamPeak, "record")[2], None);
}

#[test]
fn the_simulated_layer_stays_within_its_bound() {
    let document = bounded(&experiment("mt29f1g01", at(&["70%"]))).expect("it runs");
    let bound = overwrites(&document, Timing::Typ, Metric::LatencyMax)[0];
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let mut raw = experiment("mt29f1g01", at(&["70%"]));
    raw.timings = vec![Timing::Typ];
    raw.ftl = Some(TranslationLayer {
        mapping: wordline_core::FtlMapping::RealTime,
        spare: "30 %".parse::<Fraction>().expect("a share"),
    });
    raw.workload = Workload::Raw(RawWorkload {
        operations: vec![wordline_core::Operation::Write],
        patterns: vec![wordline_core::Pattern::Random],
        access_bytes: vec![4096],
        total_bytes: 2 << 20,
        wrap_bytes: 2 << 20,
        ..RawWorkload::default()
    });
    let raw = run(&catalog, &raw, &Control::default()).expect("it runs");
    let slowest = raw.of(Metric::LatencyMax).next().and_then(|row| row.value);
    assert!(
        slowest.is_some_and(|slowest| slowest <= bound),
        "{slowest:?} of {bound}"
    );
}

/// `wordline buffer` proves the same of the same overwrites: the rate that no order gets below, and the RAM at a rate.
#[test]
fn the_buffer_of_the_layer_is_proven_as_its_bound_is() {
    let rates = [440e3, 900e3];
    let workload = BoundWorkload {
        rates_bytes_per_s: rates.to_vec(),
        ..at(&["70%"])
    };
    let bound = bounded(&experiment("mt29f1g01", workload)).expect("it runs");
    let mut buffer = experiment("mt29f1g01", at(&["70%"]));
    buffer.ftl = Some(TranslationLayer {
        mapping: wordline_core::FtlMapping::RealTime,
        spare: "30 %".parse::<Fraction>().expect("a share"),
    });
    buffer.workload = Workload::Buffer(BufferWorkload {
        rates_bytes_per_s: rates.to_vec(),
        ..BufferWorkload::of(AccessSource::Stream(StreamSource {
            operation: wordline_core::Operation::Write,
            pattern: wordline_core::Pattern::Random,
            record_bytes: 4096,
            total_bytes: 1 << 20,
            wrap_bytes: 1 << 20,
        }))
    });
    let buffer = bounded(&buffer).expect("it runs");
    let is_bound = |row: &&Row| row.basis == Basis::Proven;
    for timing in [Timing::Typ, Timing::Max] {
        let mut rate = buffer.of(Metric::ThroughputMean).filter(is_bound);
        let rate = rate.find(|row| row.timing == timing);
        let rate = rate.and_then(|row| row.value).expect("it is proven");
        near(&[rate], &overwrites(&bound, timing, Metric::RateMax), 1e-9);
        for asked in rates {
            let ram = |document: &ResultSet| {
                let mut rows = document.of(Metric::RamPeak).filter(is_bound);
                let row = rows.find(|row| {
                    let rate = row.axes.get(&Axis::RateBytesPerS);
                    row.timing == timing
                        && row.text(Axis::Arrival) == Some("record")
                        && rate == Some(&AxisValue::Number(asked))
                });
                let row = row.expect("it is answered");
                (row.value, row.no_value)
            };
            assert_eq!(ram(&buffer), ram(&bound), "{timing} {asked}");
        }
    }
}

/// The erase of NOR goes on in parts between the programs of its caller, so that no write waits for all of it.
#[test]
fn on_nor_each_write_pays_its_part_of_an_erase() {
    let document = bounded(&experiment("mt25ql128", at(&["50%"]))).expect("it runs");
    for (timing, erase, most) in [(Timing::Typ, 0.15, 0.04), (Timing::Max, 1.0, 0.28)] {
        let longest = overwrites(&document, timing, Metric::LatencyMax)[0];
        let floor = overwrites(&document, timing, Metric::LatencyFloor)[0];
        assert!(floor > erase / 16.0, "{floor}");
        assert!(longest > floor && longest < most, "{longest} {timing}");
        let kinds = document.rows.iter().filter(|row| {
            row.timing == timing
                && row.metric == Metric::LatencyMax
                && row.axes.contains_key(&Axis::During)
        });
        assert_eq!(kinds.count(), 1, "every write is alike");
    }
}

#[test]
fn calls_on_files_are_groups_of_pages_and_reads() {
    let document = bounded(&experiment("mt29f1g01@stm32h755-qspi", at(&["70%"])));
    let document = document.expect("it runs");
    let programs = |operation| {
        let of_it = document.of(Metric::LatencyMaxOperations).filter(|row| {
            row.operation == operation
                && row.timing == Timing::Typ
                && row.axes.contains_key(&Axis::Fs)
                && ["program", "move"]
                    .iter()
                    .any(|kind| row.text(Axis::DeviceOperation) == Some(kind))
        });
        of_it
            .map(|row| row.value)
            .sum::<Option<f64>>()
            .unwrap_or(0.0)
    };
    // Each page of a group has five steps of a program each, most of which move a page within the chip.
    for (operation, pages) in [
        (RowOperation::Overwrite, 3.0),
        (RowOperation::AppendSync, 5.0),
        (RowOperation::Create, 4.0),
        (RowOperation::Delete, 3.0),
        (RowOperation::Free, 2.0),
    ] {
        assert_eq!(programs(operation), 6.0 * pages, "{operation}");
    }
    assert_eq!(programs(RowOperation::Open), 0.0);
}

#[test]
fn the_largest_capacity_for_a_duration_is_found() {
    let mut workload = at(&["50%"]);
    workload.max_latency_ps = Some(3_200_000_000);
    let mut asked = experiment("mt29f1g01", workload);
    asked.timings = vec![Timing::Typ];
    let document = bounded(&asked).expect("it runs");
    let found = overwrites(&document, Timing::Typ, Metric::LatencyMax);
    assert!(found[1] <= 3.2e-3, "{found:?}");
    let share = |row: &Row| match row.axes.get(&Axis::CapacityShare) {
        Some(AxisValue::Number(share)) => Some(*share),
        _ => None,
    };
    let wanted = document
        .rows
        .iter()
        .find(|row| row.axes.contains_key(&Axis::WithinS));
    let share = wanted.and_then(share).expect("a share");
    assert!(share > 0.6 && share < 0.7, "{share}");
    // A little more costs a step more.
    let more = format!("{:.2} %", 100.0 * share + 0.1);
    let mut asked = experiment("mt29f1g01", at(&[&more]));
    asked.timings = vec![Timing::Typ];
    let document = bounded(&asked).expect("it runs");
    assert!(overwrites(&document, Timing::Typ, Metric::LatencyMax)[0] > 3.2e-3);
}

#[test]
fn what_has_no_bound_is_refused_with_what_has() {
    for (target, workload, parts) in [
        ("mt29f1g01", at(&["95%"]), ["capacity", "allowed: up to"]),
        ("mt29f1g01", at(&["0%"]), ["capacity", "allowed: up to"]),
        ("em064lx", at(&["70%"]), ["em064lx", "raw flash"]),
        ("mt29f1g01", at(&["50%", "50%"]), ["capacity", "twice"]),
        (
            "mt29f1g01",
            BoundWorkload {
                max_latency_ps: Some(1),
                ..at(&["50%"])
            },
            ["max_latency", "an erase"],
        ),
        (
            "mt29f1g01",
            BoundWorkload {
                log_entries: Some(3),
                ..at(&["50%"])
            },
            ["log_entries", "allowed: 16 to"],
        ),
        (
            "mt29f1g01",
            BoundWorkload {
                log_entries: Some(u32::MAX),
                ..at(&["50%"])
            },
            ["log_entries", "allowed: 16 to"],
        ),
    ] {
        let error = bounded(&experiment(target, workload)).expect_err("it has no bound");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn a_sheet_without_a_maximum_proves_nothing_and_says_which_figure_lacks() {
    let document = bounded(&experiment("gd5f1gq4u", at(&["50%"]))).expect("it runs");
    let is_proven = |timing| {
        let mut rows = document.rows.iter().filter(|row| row.timing == timing);
        rows.all(|row| row.basis == Basis::Proven)
    };
    let lacking = document
        .warnings
        .iter()
        .any(|warning| warning.advice.contains("has no max column"));
    assert_eq!(
        (is_proven(Timing::Typ), is_proven(Timing::Max)),
        (true, !lacking)
    );
    assert!(lacking, "{:?}", document.warnings);
}
