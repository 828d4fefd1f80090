//! No simulated run exceeds its bound, over the whole catalogue.

use std::collections::HashMap;

use wordline_core::results::Row;
use wordline_core::{
    AccessSource, Axis, BufferWorkload, Experiment, Metric, Operation, ResultSet, StreamSource,
    Timing,
};
use wordline_lab::{Control, all_targets, run};

use crate::buffer::support::*;

/// What a row is about, without the estimate.
fn about(row: &Row) -> String {
    let Row {
        target,
        timing,
        metric,
        axes,
        ..
    } = row;
    let mut axes = axes.clone();
    axes.remove(&Axis::Estimate);
    format!("{metric} of {target}, {timing}, {axes:?}")
}

/// Proven, or by formula where a sheet leaves a gap: no run may exceed either.
fn is_bound(row: &Row) -> bool {
    matches!(text(row, Axis::Estimate), Some("bound" | "formula"))
}

/// The exact rows and the reruns of a document stay within its bounds. Returns how many were compared.
fn within_the_bound(document: &ResultSet, rates: &[f64]) -> usize {
    let bounds: HashMap<String, &Row> = document
        .rows
        .iter()
        .filter(|row| is_bound(row))
        .map(|row| (about(row), row))
        .collect();
    // Some flashes take records of 512 B only together, and say so.
    if bounds.is_empty() {
        assert!(document.failed());
        return 0;
    }
    let mut checked = 0;
    for row in &document.rows {
        if row.axes.contains_key(&Axis::AtS) || is_bound(row) {
            continue;
        }
        let mut question = row.clone();
        // The longest access of a rerun is held against that of all.
        if row.metric == Metric::LatencyMax {
            question.axes.remove(&Axis::RateBytesPerS);
        }
        let bound = bounds.get(&about(&question)).copied();
        match row.metric {
            Metric::ThroughputMean => {
                let (run, bound) = (row.value, bound.expect("a bound").value);
                assert!(
                    bound <= run.map(|run| run * (1.0 + 1e-9)),
                    "{row:?} below {bound:?}"
                );
            }
            Metric::LatencyMax => {
                let bound = bound.expect("a bound").value;
                assert!(row.value <= bound, "{row:?} above {bound:?}");
            }
            Metric::SequenceDurationMax => {
                // Beyond a round nothing is proven.
                let Some(bound) = bound else { continue };
                assert!(row.value <= bound.value, "{row:?} above {bound:?}");
            }
            Metric::RamPeak | Metric::RamPeakInFlight => {
                if !rates.contains(&axis(row, Axis::RateBytesPerS).expect("a rate")) {
                    continue;
                }
                let bound = bound.expect("a bound").value.unwrap_or(f64::INFINITY);
                assert!(
                    // A fluid fill is a product: its last digit may differ.
                    row.value.unwrap_or(f64::INFINITY) <= bound * (1.0 + 1e-12),
                    "{row:?} above {bound}"
                );
            }
            _ => continue,
        }
        checked += 1;
    }
    checked
}

/// Runs every part on its default board; returns how many rows were held against the bound.
fn catalogue_within_the_bound(source: &StreamSource, start: (u64, u64), seeds: u64) -> usize {
    let catalog = catalog();
    let targets = all_targets(&catalog);
    assert!(targets.len() >= 20);
    let mut checked = 0;
    for target in &targets {
        let part = catalog.part_on_board(target).expect("known").part;
        let wrap_bytes = source.wrap_bytes.min(part.model.usable_bytes());
        let source = StreamSource {
            wrap_bytes,
            // Whole rounds: the mean of a run that ends behind an erase is no limit.
            total_bytes: 4 * wrap_bytes,
            ..source.clone()
        };
        let mut question = BufferWorkload::of(AccessSource::Stream(source));
        let rates = [30e3, 300e3, 1e6, 3e6];
        question.rates_bytes_per_s = rates.to_vec();
        (question.startup_ps, question.backlog_bytes) = start;
        for seed in 0..=seeds {
            let timings: &[Timing] = match seed {
                0 => &[Timing::Typ, Timing::Max],
                _ => &[Timing::Sampled],
            };
            let experiment = Experiment {
                seed,
                ..experiment(&[target], timings, question.clone())
            };
            let document = run(&catalog, &experiment, &Control::default());
            let document = document.unwrap_or_else(|error| panic!("{error}"));
            checked += within_the_bound(&document, &rates);
        }
    }
    checked
}

#[test]
fn no_run_of_small_records_exceeds_its_proven_bound() {
    let source = stream(512, 24 * 512, 0);
    let checked = catalogue_within_the_bound(&source, (3_000_000_000, 0), 3);
    assert!(checked > 1000, "{checked}");
}

#[test]
fn no_run_of_pages_and_no_reads_exceed_their_proven_bound() {
    let writes = stream(RECORD, 34 * RECORD, 0);
    let reads = StreamSource {
        operation: Operation::Read,
        ..stream(RECORD, 4 * RECORD, 0)
    };
    let checked = catalogue_within_the_bound(&writes, (0, 0), 1)
        + catalogue_within_the_bound(&reads, (0, 5000), 0);
    assert!(checked > 1000, "{checked}");
}

/// What waits at power-up is in the buffer of the rerun as it is in that of the theory.
#[test]
fn a_rerun_counts_what_waits_from_the_start_on() {
    let rate = 100_000.0;
    let mut question = BufferWorkload::of(AccessSource::Stream(stream(RECORD, 1 << 18, 1 << 20)));
    question.rates_bytes_per_s = vec![rate];
    question.startup_ps = 200_000_000_000;
    question.backlog_bytes = 100_000;
    let document = simulated(&experiment(&[MRAM], &[Timing::Typ], question));
    for arrival in ["record", "fluid"] {
        let value = |estimate| {
            at(
                &document,
                Timing::Typ,
                Metric::RamPeakInFlight,
                estimate,
                (rate, arrival),
            )
            .expect("bounded")
        };
        assert!(value(None) >= 120_000.0, "{}", value(None));
        let (exact, rerun) = (value(None), value(Some("open_loop")));
        assert!(
            (exact - rerun).abs() <= RECORD as f64,
            "{arrival}: {exact} and {rerun}"
        );
    }
}
