//! From what was learnt to the rows of the document.

use wordline_core::quantity::{ByteCount, Quantity};
use wordline_core::results::{NoValue, Row};
use wordline_core::{Arrival, Axis, Basis, BufferWorkload, Metric, ResultSet};

use super::analysis::BufferFindings;
use super::grid;
use super::provision::ProvisionSource;
use crate::backlog::{Arrivals, Counted, Curve, Demand, Peaks, Rate, Sequence};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Bends of the exact curve that a document holds. Of more, some are left out; the straight lines
/// between the rest lie above the curve, since it is convex.
const BENDS_MAX: usize = 1000;

/// Adds everything that was learnt of one subject, and the RAM that a product must provide.
pub(crate) fn add(
    subject: &Subject,
    source: &ProvisionSource<'_>,
    question: &BufferWorkload,
    document: &mut ResultSet,
) {
    let findings = source.findings;
    summary(subject, findings, document);
    curve(subject, findings, question, document);
    source.rows(subject, document);
    inverse(subject, &findings.curve, question, document);
    small_rams(subject, findings.curve.largest_record(), question, document);
    sequences(subject, &findings.longest, document);
    courses(subject, findings, document);
    window(subject, findings, document);
}

fn summary(subject: &Subject, findings: &BufferFindings, document: &mut ResultSet) {
    let latency = &findings.latency;
    let accesses = latency.count();
    subject.add(Metric::AccessCount, Ok(accesses as f64), document);
    subject.add(Metric::ThroughputMean, limit(&findings.curve), document);
    subject.latencies(latency, subject.distribution(), document);
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

/// An estimate of what a product must provide: a record more than is in flight.
pub(crate) fn provision(
    subject: &Subject,
    rate: f64,
    in_flight: Result<f64, NoValue>,
    record: f64,
    document: &mut ResultSet,
) {
    let at = subject
        .at(Axis::RateBytesPerS, rate)
        .at(Axis::Arrival, Arrival::Record.name());
    let bytes = in_flight.map(|in_flight| in_flight + record);
    at.add(Metric::RamProvision, bytes, document);
}

/// RAM in flight for whole records; `None` where a curve knows nothing of them.
pub(crate) fn in_flight(demand: &Demand) -> Option<Result<f64, NoValue>> {
    match demand {
        Demand::Bounded(peaks) => {
            let (_, in_flight) = pair(peaks, Arrival::Record)?;
            Some(Ok(in_flight))
        }
        Demand::Unbounded { .. } => Some(Err(NoValue::Unbounded)),
    }
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
        if let Some(in_flight) = in_flight(&demand) {
            let record = bound.curve.largest_record().si();
            let rate = one.rate.bytes_per_second();
            provision(&subject, rate, in_flight, record, document);
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
