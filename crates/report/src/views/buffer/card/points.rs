//! What is known of a case beside the rate in question: its highest rates, its slowest access, a trace's own times.

use wordline_core::results::{CardPoint, CardSubject};
use wordline_core::{Basis, Metric};

use super::{by_timing, ram, slowest_rate};
use crate::text;
use crate::views::buffer::answer::{done, shares};
use crate::views::buffer::{
    BufferCase, LEAST, MOST, OWN_TIMES, RAM, RATE, arriving, at, estimated, summary, sustained,
};

/// What a trace needs that is replayed at its own times: the most of all columns of the data sheet.
pub(super) fn own_times(case: &BufferCase<'_, '_>) -> Option<CardPoint> {
    let metric = Metric::RamPeakInFlight;
    let rows = case.timings.iter().filter_map(|run| {
        let row = summary(run, metric, Some(OWN_TIMES))?;
        Some((row.value?, row, case.heading(run)))
    });
    let rows: Vec<_> = rows.collect();
    let (value, row, _) = rows.iter().max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    let told = rows
        .iter()
        .map(|(bytes, _, timing)| (ram(*bytes), timing.clone()));
    let words = format!(
        "{} at the trace's own times, the record being {} included",
        by_timing(told)?,
        done(case)
    );
    let subject = CardSubject::Provision;
    Some(CardPoint::of_value(
        subject,
        words,
        metric,
        Some(*value),
        row.basis,
    ))
}

/// RAM in use at shares of the highest rate, or that of records that wait where the document has no other.
pub(super) fn by_share(case: &BufferCase<'_, '_>) -> Option<CardPoint> {
    let run = case.timings.last()?;
    let sustained = sustained(run).filter(|rate| *rate > 0.0)?;
    let arrivals = ["record", "fluid"];
    let in_flight = arrivals.map(|arrival| arriving(run, Metric::RamPeakInFlight, RATE, arrival));
    if let Some(curve) = in_flight.into_iter().find(|curve| !curve.is_empty()) {
        let mut words = shares(&curve, &Vec::new(), sustained);
        words.truncate(2);
        let timing = case.clause(run);
        return (!words.is_empty()).then(|| {
            let done = done(case);
            let words = format!("{}{timing}, with the record {done}", text::list(&words));
            CardPoint::words(CardSubject::Provision, words)
        });
    }
    let metric = Metric::RamPeak;
    let curves = arrivals.map(|arrival| arriving(run, metric, RATE, arrival));
    let open = estimated(run, metric, RATE, "record", MOST);
    let curve = curves
        .into_iter()
        .chain([open])
        .find(|curve| !curve.is_empty())?;
    let least = estimated(run, metric, RATE, "record", LEAST);
    let mut words = shares(&curve, &least, sustained);
    // More do not fit a line.
    words.truncate(2);
    let timing = case.clause(run);
    (!words.is_empty()).then(|| {
        let words = format!("{}{timing}, for waiting records", text::list(&words));
        CardPoint::words(CardSubject::Provision, words)
    })
}

/// The highest rate that an amount of RAM carries with the worst column of the data sheet.
pub(super) fn with_ram(case: &BufferCase<'_, '_>, bytes: f64) -> Option<CardPoint> {
    let rates = case.timings.iter().filter_map(|run| {
        let mut arrivals = ["record", "fluid"].into_iter();
        let row = arrivals
            .find_map(|arrival| at(&arriving(run, Metric::RateMax, RAM, arrival), bytes))?;
        Some((row.value?, row, case.heading(run)))
    });
    let rates: Vec<_> = rates.collect();
    let (value, row, _) = rates.iter().min_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    let told = rates
        .iter()
        .map(|(rate, _, timing)| (text::rate(*rate), timing.clone()));
    let words = format!("{} with {} of RAM", by_timing(told)?, ram(bytes));
    Some(CardPoint::of_value(
        CardSubject::Speed,
        words,
        Metric::RateMax,
        Some(*value),
        row.basis,
    ))
}

/// The rate above which no RAM is enough.
pub(super) fn highest(case: &BufferCase<'_, '_>) -> Option<CardPoint> {
    let rates = case
        .timings
        .iter()
        .filter_map(|run| Some((text::rate(sustained(run)?), case.heading(run))));
    let words = by_timing(rates)?;
    let words = format!("at most {words}; above that no RAM is enough");
    let row = case
        .timings
        .iter()
        .find_map(|run| summary(run, Metric::ThroughputMean, None));
    Some(CardPoint::of_value(
        CardSubject::Speed,
        words,
        Metric::ThroughputMean,
        slowest_rate(case),
        row.map_or(Basis::Simulated, |row| row.basis),
    ))
}

/// The slowest access by column of the data sheet.
pub(super) fn slowest(case: &BufferCase<'_, '_>) -> Option<CardPoint> {
    let metric = Metric::LatencyMax;
    let number = |value| text::number(metric, value, text::DIGITS);
    let told = case.timings.iter().filter_map(|run| {
        let seen = run.number(metric)?;
        let bound = summary(run, metric, Some("bound")).and_then(|row| row.value);
        let proven = match bound.map(number) {
            None => String::new(),
            Some(bound) if bound == number(seen) => " (proven)".to_owned(),
            Some(bound) => format!(" (proven: at most {bound})"),
        };
        Some((number(seen) + &proven, case.heading(run)))
    });
    let words = by_timing(told)?;
    let rows = case.timings.iter().filter_map(|run| run.at(metric, &[]));
    let worst = rows.filter(|row| row.value.is_some());
    let worst = worst.max_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)))?;
    let words = format!("a {} takes up to {}", case.head.operation, words);
    Some(CardPoint::of_value(
        CardSubject::WorstCase,
        words,
        metric,
        worst.value,
        worst.basis,
    ))
}
