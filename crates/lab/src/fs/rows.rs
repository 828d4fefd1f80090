//! From what the calls added up to, to the rows of the document.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{Arrival, Metric, ResultSet};

use super::calls::Step;
use super::meter::{Heard, KINDS};
use super::part::Medium;
use super::tally::{Ended, Tally};
use crate::backlog::Demand;
use crate::buffer::analysis::Findings;
use crate::buffer::rows as buffer;
use crate::subject::Subject;
use crate::translation::Stretch;

/// Adds the rows of one operation. `name` names its distribution.
pub(super) fn add(
    subject: &Subject,
    name: String,
    step: &Step,
    tally: &Tally,
    medium: &Medium,
    document: &mut ResultSet,
) {
    rates(subject, tally, document);
    latencies(subject, tally, name, document);
    worst(subject, &tally.worst, medium, document);
    operations(subject, &tally.all, document);
    let Some(ended) = &tally.ended else {
        return;
    };
    energies(subject, tally, ended, medium, document);
    if step.stores {
        let stored = stored_bytes(tally, ended) / tally.bytes as f64;
        document
            .rows
            .push(subject.row(Metric::WriteAmplification, Ok(stored)));
    }
    wear(subject, ended, medium, document);
    if let Some(findings) = &ended.findings {
        buffers(subject, findings, document);
    }
}

/// The headline of an operation that has no figures.
pub(super) fn without_value(subject: &Subject, reason: NoValue, document: &mut ResultSet) {
    for metric in [Metric::OpsRate, Metric::LatencyMax] {
        document.rows.push(subject.row(metric, Err(reason)));
    }
}

fn rates(subject: &Subject, tally: &Tally, document: &mut ResultSet) {
    let calls = tally.latency.count() as f64;
    // Calls that asked the memory for nothing took no time, and have no rate.
    let per_time = |amount: f64| match tally.elapsed {
        Time::ZERO => Err(NoValue::NotApplicable),
        elapsed => Ok(amount / elapsed.si()),
    };
    if tally.bytes > 0 {
        let throughput = per_time(tally.bytes as f64);
        document
            .rows
            .push(subject.row(Metric::ThroughputMean, throughput));
    }
    for (metric, value) in [
        (Metric::OpsRate, per_time(calls)),
        (Metric::AccessCount, Ok(calls)),
    ] {
        document.rows.push(subject.row(metric, value));
    }
}

/// The distribution, without the percentiles that fewer calls than they single out one of would have to carry.
fn latencies(subject: &Subject, tally: &Tally, name: String, document: &mut ResultSet) {
    let before = document.rows.len();
    subject.latencies(&tally.latency, name, document);
    let calls = tally.latency.count();
    let all = document.rows.split_off(before);
    let told = all
        .into_iter()
        .filter(|row| calls >= least_calls(row.metric));
    document.rows.extend(told);
}

/// The calls of which a percentile leaves one above it.
const fn least_calls(metric: Metric) -> u64 {
    match metric {
        Metric::LatencyP90 => 10,
        Metric::LatencyP99 => 100,
        Metric::LatencyP999 => 1000,
        _ => 1,
    }
}

/// What the slowest call consisted of: by cause, and by operation of the memory.
fn worst(subject: &Subject, worst: &Heard, medium: &Medium, document: &mut ResultSet) {
    let causes = medium.accounts(|accounts| accounts.causes());
    for &cause in causes {
        let part = worst.cost.of(cause).si();
        if part > 0.0 {
            let at = subject.at("cause", cause.name());
            document.rows.push(at.row(Metric::LatencyMaxPart, Ok(part)));
        }
    }
    for kind in KINDS {
        let sum = worst.of(kind);
        if sum.count > 0 {
            let at = subject.at("device_operation", kind.name());
            let count = Ok(sum.count as f64);
            document
                .rows
                .push(at.row(Metric::LatencyMaxOperations, count));
            let time = Ok(sum.time.si());
            document
                .rows
                .push(at.row(Metric::LatencyMaxOperationTime, time));
        }
    }
}

fn operations(subject: &Subject, all: &Heard, document: &mut ResultSet) {
    for kind in KINDS {
        let count = all.of(kind).count;
        if count > 0 {
            let at = subject.at("device_operation", kind.name());
            document
                .rows
                .push(at.row(Metric::DeviceOperations, Ok(count as f64)));
        }
    }
}

fn energies(
    subject: &Subject,
    tally: &Tally,
    ended: &Ended,
    medium: &Medium,
    document: &mut ResultSet,
) {
    let total = medium.accounts(|accounts| ended.spent.energy_j(accounts.power_draw()));
    let calls = tally.latency.count() as f64;
    let mut divisors = vec![(Metric::EnergyPerOp, calls), (Metric::EnergyTotal, 1.0)];
    // Calls that asked the memory for nothing took no time.
    if tally.elapsed > Time::ZERO {
        divisors.push((Metric::PowerMean, tally.elapsed.si()));
    }
    if tally.bytes > 0 {
        divisors.push((Metric::EnergyPerByte, tally.bytes as f64));
    }
    for (metric, divisor) in divisors {
        let value = total.map(|total| total / divisor);
        let value = value.ok_or(NoValue::NotApplicable);
        document.rows.push(subject.row(metric, value));
    }
}

/// Bytes that the memory stored: those that it was told to, or those that its own translation layer did.
fn stored_bytes(tally: &Tally, ended: &Ended) -> f64 {
    let (before, after) = match ended.translation {
        Some((before, after)) => (Some(before), Some(after)),
        None => (None, None),
    };
    let within = Stretch::between(before, after)
        .and_then(|stretch| stretch.write_amplification(tally.bytes))
        .map(|amplification| amplification * tally.bytes as f64);
    within.unwrap_or(tally.all.stored_bytes() as f64)
}

/// Cycles of the calls alone; no row where nothing wore. A card's layer tells sums since the card was made, of all that
/// went before as well: what the calls took of a block is not known.
fn wear(subject: &Subject, ended: &Ended, medium: &Medium, document: &mut ResultSet) {
    let Some(most) = ended.cycles.iter().max() else {
        return;
    };
    let mean = ended.cycles.iter().sum::<u64>() as f64 / medium.units as f64;
    let most = *most as f64;
    for (metric, value) in [(Metric::CyclesMax, most), (Metric::WearSpread, most / mean)] {
        let value = match ended.translation {
            None => Ok(value),
            Some(_) => Err(NoValue::NotApplicable),
        };
        document.rows.push(subject.row(metric, value));
    }
}

/// The RAM that the durations of the calls ask for at each rate, and the highest rate that any RAM is enough for.
fn buffers(subject: &Subject, findings: &Findings, document: &mut ResultSet) {
    let curve = &findings.curve;
    document
        .rows
        .push(subject.row(Metric::RateMax, buffer::limit(curve)));
    for one in &findings.rates {
        let demand = match curve.demand(one.rate) {
            Demand::Bounded(_) => Demand::Bounded(one.peaks),
            unbounded @ Demand::Unbounded { .. } => unbounded,
        };
        let rate = one.rate.bytes_per_second();
        for arrival in Arrival::ALL {
            buffer::peaks(subject, rate, arrival, &demand, document);
        }
    }
}
