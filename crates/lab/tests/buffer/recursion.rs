//! A log against a plain recursion, its inverse and its longest sequences.

use wordline_core::draw::{Purpose, draw};
use wordline_core::{Axis, Metric, Timing};

use crate::buffer::support::*;

/// Durations in picoseconds of a log of one size.
pub(crate) fn durations(text: &str) -> Vec<u64> {
    let values = text.lines().map(|line| {
        let nanoseconds = line.split(", ").nth(1).expect("a column");
        nanoseconds.parse::<u64>().expect("a number") * 1000
    });
    values.collect()
}

/// Peaks in bytes times 10^12, of a rate in whole bytes per second: fluid waiting and in flight, whole records
/// waiting and in flight (in bytes).
pub(crate) fn lindley(durations: &[u64], rate: u64) -> (u128, u128, u128, u128) {
    const SCALE: u128 = 1_000_000_000_000;
    let record = u128::from(RECORD) * SCALE;
    let mut after = 0;
    let mut peaks = (0, 0, 0, 0);
    for &duration in durations {
        let fill = after + u128::from(duration) * u128::from(rate);
        after = fill.saturating_sub(record);
        peaks.0 = peaks.0.max(after);
        peaks.1 = peaks.1.max(fill);
        let records = fill.div_ceil(record) * u128::from(RECORD);
        peaks.2 = peaks.2.max(records.saturating_sub(u128::from(RECORD)));
        peaks.3 = peaks.3.max(records);
    }
    peaks
}

#[test]
fn rows_of_a_log_are_those_of_the_plain_recursion_at_a_thousand_rates() {
    let lines: Vec<&str> = RANDWRITE.lines().collect();
    let mut rates_checked = 0;
    // Too few accesses for return levels, whose bootstrap at every rate would take long; and all of them once.
    let pieces = lines.chunks(18).map(|piece| (piece, 120));
    let whole = std::iter::once((lines.as_slice(), 8));
    for (number, (piece, count)) in pieces.chain(whole).enumerate() {
        let piece = piece.join("\n") + "\n";
        let durations = durations(&piece);
        let busy: u64 = durations.iter().sum();
        let limit = durations.len() as f64 * RECORD as f64 / (busy as f64 / 1e12);
        let random = |index| draw(7, number as u64, index, Purpose::Payload) % (limit as u64);
        let rates: Vec<u64> = (0..count).map(random).filter(|rate| *rate > 0).collect();
        let document = log(&piece, |_, question| {
            question.rates_bytes_per_s = rates.iter().map(|rate| *rate as f64).collect();
        });
        for rate in rates {
            // The document says what was asked for; two equal draws would be refused.
            let (waiting, in_flight, records, records_in_flight) = lindley(&durations, rate);
            let row = |metric, arrival| {
                at(&document, Timing::Typ, metric, None, (rate as f64, arrival)).expect("bounded")
            };
            assert_eq!(row(Metric::RamPeak, "record"), records as f64, "at {rate}");
            assert_eq!(
                row(Metric::RamPeakInFlight, "record"),
                records_in_flight as f64
            );
            for (metric, exact) in [
                (Metric::RamPeak, waiting),
                (Metric::RamPeakInFlight, in_flight),
            ] {
                let (found, exact) = (row(metric, "fluid"), exact as f64 / 1e12);
                assert!(
                    (found - exact).abs() <= 1e-9 * exact,
                    "{rate}: {found}, {exact}"
                );
            }
            rates_checked += 1;
        }
    }
    assert!(rates_checked >= 1000, "{rates_checked}");
}

#[test]
fn curve_and_inverse_of_a_log_are_exact_and_tight() {
    let durations = durations(RANDWRITE);
    let document = log(RANDWRITE, |_, question| {
        question.ram_bytes = vec![5000, 20_480, 50_000];
    });
    assert!(!codes(&document).contains(&"record-exceeds-ram"));
    let mut seen = 0;
    for row in rows(&document, Metric::RamPeak, None) {
        let rate = axis(row, Axis::RateBytesPerS).expect("a rate");
        // Bends lie at rates that are no floats: near them the recursion lies on both sides.
        let around = [rate * (1.0 - 1e-7), rate * (1.0 + 1e-7)].map(|rate| {
            let (waiting, _, records, _) = lindley(&durations, rate.round() as u64);
            match text(row, Axis::Arrival) {
                Some("record") => records as f64,
                _ => waiting as f64 / 1e12,
            }
        });
        let value = row.value.expect("bounded");
        let slack = 1e-4 * value + 1.0;
        assert!(
            around[0] - slack <= value && value <= around[1] + slack,
            "{row:?}: {around:?}"
        );
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
    let mut rams = Vec::new();
    for row in rows(&document, Metric::RateMax, None) {
        let ram = axis(row, Axis::RamBytes).expect("a RAM");
        let rate = row.value.expect("a rate");
        let limit = rows(&document, Metric::ThroughputMean, None).next();
        let limit = limit.and_then(|row| row.value).expect("a limit");
        let needed = |rate: f64| {
            let (waiting, _, records, _) = lindley(&durations, rate as u64);
            match text(row, Axis::Arrival) {
                Some("record") => records as f64,
                _ => waiting as f64 / 1e12,
            }
        };
        assert!(needed(rate * (1.0 - 1e-6)) <= ram + 1e-3, "{row:?}");
        assert!(
            rate >= limit * (1.0 - 1e-9) || needed(rate * (1.0 + 1e-6)) > ram,
            "{row:?} is not tight"
        );
        rams.push(ram);
    }
    assert!(
        [5000.0, 20_480.0, 50_000.0, 4096.0]
            .iter()
            .all(|ram| rams.contains(ram))
    );
}

#[test]
fn sequences_of_a_log_are_those_of_brute_force() {
    let durations = durations(RANDWRITE);
    let document = log(RANDWRITE, |_, _| {});
    let mut seen = 0;
    for row in rows(&document, Metric::SequenceDurationMax, None) {
        let accesses = axis(row, Axis::Accesses).expect("a number") as usize;
        let windows = durations
            .windows(accesses)
            .map(|window| window.iter().sum::<u64>());
        let longest = windows.max().expect("no longer than the log") as f64 / 1e12;
        let found = row.value.expect("a time");
        assert!((found / longest - 1.0).abs() < 1e-12, "{row:?}: {longest}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}
