//! From what was learnt to the rows of the document.

use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::{NoValue, Row};
use wordline_core::{
    AccessSource, Arrival, Axis, Basis, BufferWorkload, Metric, Pattern, ResultSet,
};

use super::analysis::BufferFindings;
use super::extremes::{CONFIDENCE, ReturnLevel};
use super::grid;
use crate::backlog::{Arrivals, Counted, Curve, Demand, Peaks, Rate, Sequence};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Bends of the exact curve that a document holds. Of more, some are left out; the straight lines
/// between the rest lie above the curve, since it is convex.
const BENDS_MAX: usize = 1000;

/// Adds everything that was learnt of one subject, whose accesses take `longest` at most where that is known.
pub(crate) fn add(
    subject: &Subject,
    findings: &BufferFindings,
    longest: Option<Time>,
    question: &BufferWorkload,
    seed: u64,
    document: &mut ResultSet,
) {
    summary(subject, findings, document);
    curve(subject, findings, question, document);
    inverse(subject, &findings.curve, question, document);
    small_rams(subject, findings.curve.largest_record(), question, document);
    sequences(subject, &findings.longest, document);
    courses(subject, findings, document);
    window(subject, findings, document);
    // What goes round in order has a proven bound, and a guess beyond it would be wrong.
    let proven = matches!(
        &question.source,
        AccessSource::Stream(stream) if stream.pattern == Pattern::Sequential
    );
    if !proven {
        return_levels(
            subject,
            findings,
            longest,
            question.horizon_s,
            seed,
            document,
        );
    }
}

fn summary(subject: &Subject, findings: &BufferFindings, document: &mut ResultSet) {
    let latency = &findings.latency;
    let accesses = latency.count();
    subject.add(Metric::AccessCount, Ok(accesses as f64), document);
    subject.add(Metric::ThroughputMean, limit(&findings.curve), document);
    let name = format!("{}, {} timing", subject.target, subject.timing);
    subject.latencies(latency, name, document);
}

/// Above this rate no RAM is enough.
pub(crate) fn limit(curve: &Curve) -> Result<f64, NoValue> {
    let limit = curve.limit().ok_or(NoValue::Unbounded);
    limit.map(Rate::bytes_per_second)
}

/// The peaks at one rate as rows.
pub(crate) fn peaks(
    subject: &Subject,
    rate: f64,
    arrival: Arrival,
    demand: &Demand,
    document: &mut ResultSet,
) {
    let at = subject
        .at(Axis::RateBytesPerS, rate)
        .at(Axis::Arrival, arrival.name());
    match demand {
        Demand::Bounded(peaks) => {
            if let Some((waiting, in_flight)) = pair(peaks, arrival) {
                at.add(Metric::RamPeak, Ok(waiting), document);
                at.add(Metric::RamPeakInFlight, Ok(in_flight), document);
            }
        }
        Demand::Unbounded { growth_rate, .. } => {
            for metric in [Metric::RamPeak, Metric::RamPeakInFlight] {
                at.add(metric, Err(NoValue::Unbounded), document);
            }
            at.add(Metric::GrowthRate, Ok(*growth_rate), document);
        }
    }
}

/// What a product must provide at a rate: what records need that wait and are written, and the largest record, which is
/// gathered meanwhile.
fn provision(
    subject: &Subject,
    rate: f64,
    demand: &Demand,
    record: ByteCount,
    document: &mut ResultSet,
) {
    let at = subject
        .at(Axis::RateBytesPerS, rate)
        .at(Axis::Arrival, Arrival::Record.name());
    let value = match demand {
        Demand::Bounded(peaks) => match pair(peaks, Arrival::Record) {
            Some((_, in_flight)) => Ok(in_flight + record.si()),
            None => return,
        },
        Demand::Unbounded { .. } => Err(NoValue::Unbounded),
    };
    at.add(Metric::RamProvision, value, document);
}

/// Waiting and in flight, in bytes; `None` for whole records whose sizes vary, of which a curve knows
/// nothing.
pub(crate) fn pair(peaks: &Peaks, arrival: Arrival) -> Option<(f64, f64)> {
    match arrival {
        Arrival::Fluid => {
            let fluid = peaks.fluid;
            Some((fluid.waiting.bytes(), fluid.in_flight.bytes()))
        }
        Arrival::Record => {
            let records = peaks.records?;
            Some((records.waiting as f64, records.in_flight as f64))
        }
    }
}

fn curve(
    subject: &Subject,
    findings: &BufferFindings,
    question: &BufferWorkload,
    document: &mut ResultSet,
) {
    let curve = &findings.curve;
    let highest = limit(curve).unwrap_or(f64::INFINITY);
    // The rates that the user asked for come first.
    for one in &findings.rates {
        let demand = match curve.demand(one.rate) {
            Demand::Bounded(_) => Demand::Bounded(one.peaks),
            unbounded @ Demand::Unbounded { .. } => unbounded,
        };
        let rate = one.rate.bytes_per_second();
        for arrival in Arrival::ALL {
            peaks(subject, rate, arrival, &demand, document);
        }
        provision(subject, rate, &demand, curve.largest_record(), document);
    }
    let asked = |rate: f64| question.rates_bytes_per_s.contains(&rate);
    let grid: Vec<f64> = grid::rates(highest);
    for &rate in grid.iter().filter(|rate| !asked(**rate)) {
        let Some(exact) = exact(curve, rate) else {
            continue;
        };
        let demand = Demand::Bounded(curve.at(exact));
        for arrival in Arrival::ALL {
            peaks(subject, rate, arrival, &demand, document);
        }
    }
    let bends: Vec<_> = curve
        .breakpoints()
        .filter(|bend| curve.limit().is_none_or(|limit| bend.rate < limit))
        .collect();
    let step = bends.len().div_ceil(BENDS_MAX).max(1);
    let mut last = f64::NAN;
    for bend in bends.iter().step_by(step) {
        let rate = bend.rate.bytes_per_second();
        // Two bends may lie closer together than doubles do.
        if rate == last || asked(rate) || grid.contains(&rate) {
            continue;
        }
        last = rate;
        let demand = Demand::Bounded(curve.at(bend.rate));
        peaks(subject, rate, Arrival::Fluid, &demand, document);
    }
}

/// A rate as the theory takes it: the throughput limit itself, which rounding to a float may have lifted
/// above what can be sustained, or the float's exact value.
fn exact(curve: &Curve, rate: f64) -> Option<Rate> {
    match curve.limit() {
        Some(limit) if limit.bytes_per_second() == rate => Some(limit),
        _ => Rate::from_bytes_per_second(rate).ok(),
    }
}

/// The highest safe rate for a RAM, in bytes per second. Whole records of several sizes need less than the
/// largest of them beyond the fluid fill, which is what their answer rests on.
pub(crate) fn safe_rate(curve: &Curve, ram: u64, arrival: Arrival) -> Result<f64, NoValue> {
    let (arrivals, ram) = match (arrival, curve.record()) {
        (Arrival::Fluid, _) => (Arrivals::Fluid, ram),
        (Arrival::Record, Some(_)) => (Arrivals::Records, ram),
        (Arrival::Record, None) => {
            let spare = ram.checked_sub(curve.largest_record().bytes());
            (Arrivals::Fluid, spare.ok_or(NoValue::NotApplicable)?)
        }
    };
    match curve.highest_rate(ByteCount::from_bytes(ram), arrivals, Counted::Waiting) {
        Ok(Some(rate)) => Ok(rate.bytes_per_second()),
        Ok(None) => Err(NoValue::Unbounded),
        Err(_) => Err(NoValue::NotApplicable),
    }
}

fn inverse(subject: &Subject, curve: &Curve, question: &BufferWorkload, document: &mut ResultSet) {
    let record = curve.largest_record().bytes();
    let highest = limit(curve).unwrap_or(f64::INFINITY);
    let mut rams = question.ram_bytes.clone();
    let safe = |ram| safe_rate(curve, ram, Arrival::Record).unwrap_or(0.0);
    let more = grid::rams(record, highest, safe);
    rams.extend(
        more.into_iter()
            .filter(|ram| !question.ram_bytes.contains(ram)),
    );
    for ram in rams {
        for arrival in Arrival::ALL {
            let at = subject
                .at(Axis::RamBytes, ram)
                .at(Axis::Arrival, arrival.name());
            at.add(Metric::RateMax, safe_rate(curve, ram, arrival), document);
        }
    }
}

/// Warns of every RAM asked for that cannot hold one record.
pub(crate) fn small_rams(
    subject: &Subject,
    record: ByteCount,
    question: &BufferWorkload,
    document: &mut ResultSet,
) {
    let rams = question
        .ram_bytes
        .iter()
        .copied()
        .map(ByteCount::from_bytes);
    for ram in rams.filter(|ram| *ram < record) {
        document.warn(LabWarning::RecordExceedsRam {
            target: &subject.target,
            ram: &ram,
            record: &record,
        });
    }
}

fn sequences(subject: &Subject, longest: &[Sequence], document: &mut ResultSet) {
    for one in longest {
        let at = subject.at(Axis::Accesses, one.accesses);
        at.add(Metric::SequenceDurationMax, Ok(one.most.si()), document);
    }
}

fn courses(subject: &Subject, findings: &BufferFindings, document: &mut ResultSet) {
    for (at, latency) in findings.latency_course.stretches() {
        subject
            .at(Axis::AtS, at)
            .add(Metric::LatencyMax, Ok(latency), document);
    }
    for one in &findings.rates {
        let at_rate = subject.at(Axis::RateBytesPerS, one.rate.bytes_per_second());
        for (at, fill) in one.fill.stretches() {
            at_rate
                .at(Axis::AtS, at)
                .add(Metric::BufferFillMax, Ok(fill), document);
        }
    }
}

/// What the accesses in a row need alone that took longest together, at each rate that was asked for.
fn window(subject: &Subject, findings: &BufferFindings, document: &mut ResultSet) {
    let Some(window) = &findings.window else {
        return;
    };
    let at = subject.at(Axis::Accesses, window.accesses());
    for one in &findings.rates {
        let rate = one.rate.bytes_per_second();
        if let Ok(Some(played)) = window.peaks(one.rate) {
            for arrival in Arrival::ALL {
                peaks(&at, rate, arrival, &Demand::Bounded(played), document);
            }
        }
    }
}

/// How many times as far as the accesses return levels look, unless the user says otherwise. A distribution
/// that was fitted to a log says little of what comes once in millions of its lengths.
const HORIZON_LENGTHS: f64 = 100.0;

/// What may come that the accesses did not show.
#[derive(Default)]
pub(crate) struct ReturnLevels {
    /// Fluid RAM in flight at the first of the rates that were asked for.
    pub(crate) in_flight: Option<ReturnLevel>,
    /// The longest access.
    pub(crate) latency: Option<ReturnLevel>,
}

/// What may come within the horizon, from what came: of the RAM at each rate asked for, and of the
/// latency, which no extrapolation takes beyond its proven bound.
pub(crate) fn return_levels(
    subject: &Subject,
    findings: &BufferFindings,
    longest: Option<Time>,
    horizon: Option<f64>,
    seed: u64,
    document: &mut ResultSet,
) -> ReturnLevels {
    let mut levels = ReturnLevels::default();
    let curve = &findings.curve;
    let lasted = curve.duration().si();
    if lasted <= 0.0 {
        return levels;
    }
    let accesses = curve.accesses() as f64;
    let sustained = limit(curve).unwrap_or(f64::INFINITY);
    let horizon = horizon.unwrap_or(HORIZON_LENGTHS * lasted);
    let mut told = false;
    for (index, one) in findings.rates.iter().enumerate() {
        let rate = one.rate.bytes_per_second();
        if matches!(curve.demand(one.rate), Demand::Unbounded { .. }) {
            continue;
        }
        let at = subject
            .at(Axis::HorizonS, horizon)
            .at(Axis::RateBytesPerS, rate)
            .at(Axis::Arrival, Arrival::Fluid.name());
        // At a lower rate as many accesses take longer to come.
        let within = accesses * (horizon / lasted) * (rate / sustained);
        let level = one.maxima.return_level(within, seed);
        told |= return_level(&at, Metric::RamPeakInFlight, level, document);
        if index == 0 {
            levels.in_flight = level;
        }
    }
    let at = subject.at(Axis::HorizonS, horizon);
    let level = findings
        .latency_maxima
        .return_level(accesses * (horizon / lasted), seed);
    levels.latency = level.map(|level| match longest {
        Some(longest) => level.at_most(longest.si()),
        None => level,
    });
    told |= return_level(&at, Metric::LatencyMax, levels.latency, document);
    if told {
        document.warn(LabWarning::ReturnLevels {
            target: &subject.target,
            horizon: &wordline_core::quantity::human(horizon, "s", 3),
            times: &(horizon / lasted),
            percent: &(100.0 * CONFIDENCE),
        });
    }
    levels
}

/// Adds a level with its interval; returns whether there is one.
fn return_level(
    subject: &Subject,
    metric: Metric,
    level: Option<ReturnLevel>,
    document: &mut ResultSet,
) -> bool {
    let Some(level) = level else {
        return false;
    };
    for (kind, value) in [
        ("return_level", level.middle),
        ("return_level_low", level.low),
        ("return_level_high", level.high),
    ] {
        let at = subject.estimate(Basis::Assumed, kind);
        at.add(metric, Ok(value), document);
    }
    true
}

/// The rows of a bound: the same questions, answered for accesses that all take the longest that they can.
pub(crate) fn add_bound(
    subject: &Subject,
    basis: Basis,
    bound: &BufferFindings,
    question: &BufferWorkload,
    rams: &[u64],
    document: &mut ResultSet,
) {
    let subject = subject.bound(basis);
    let rows: &mut Vec<Row> = &mut document.rows;
    rows.push(subject.row(Metric::ThroughputMean, limit(&bound.curve)));
    let longest = bound.latency.max().map(Quantity::si);
    rows.push(subject.row(Metric::LatencyMax, longest.ok_or(NoValue::NotApplicable)));
    for one in &bound.rates {
        let demand = bound.curve.demand(one.rate);
        for arrival in Arrival::ALL {
            peaks(
                &subject,
                one.rate.bytes_per_second(),
                arrival,
                &demand,
                document,
            );
        }
    }
    for rate in grid::rates(limit(&bound.curve).unwrap_or(f64::INFINITY)) {
        if !question.rates_bytes_per_s.contains(&rate)
            && let Some(exact) = exact(&bound.curve, rate)
        {
            let demand = Demand::Bounded(bound.curve.at(exact));
            peaks(&subject, rate, Arrival::Record, &demand, document);
        }
    }
    for &ram in rams {
        for arrival in Arrival::ALL {
            let at = subject
                .at(Axis::RamBytes, ram)
                .at(Axis::Arrival, arrival.name());
            let rate = safe_rate(&bound.curve, ram, arrival);
            at.add(Metric::RateMax, rate, document);
        }
    }
    sequences(&subject, &bound.longest, document);
}
