//! The rows of calls: metrics of the registry, and the RAM that their durations ask for.

use wordline_core::{Arrival, Metric, ResultSet};

use super::calls::Measured;
use crate::backlog::Demand;
use crate::buffer::analysis::BufferFindings;
use crate::buffer::rows as buffer;
use crate::instrument::rows::{self, RowDetail};
use crate::subject::Subject;

/// The metrics of every operation, in the order of rows.
const METRICS: [&[Metric]; 8] = [
    &[Metric::ThroughputMean, Metric::OpsRate, Metric::AccessCount],
    &rows::LATENCIES,
    &[Metric::LatencyMaxPart],
    &[
        Metric::LatencyMaxOperations,
        Metric::LatencyMaxOperationTime,
    ],
    &[Metric::DeviceOperations],
    &[
        Metric::EnergyPerOp,
        Metric::EnergyTotal,
        Metric::PowerMean,
        Metric::EnergyPerByte,
    ],
    &[Metric::WriteAmplification],
    &[Metric::CyclesMax, Metric::WearSpread],
];

/// The metrics of an operation that has no figures.
pub(crate) const HEADLINE: [Metric; 2] = [Metric::OpsRate, Metric::LatencyMax];

/// Adds the rows of one operation. `name` names its distribution.
pub(crate) fn add(subject: &Subject, name: &str, measured: &Measured, document: &mut ResultSet) {
    let tally = &measured.tally;
    rows::add(subject, name, tally, &METRICS, RowDetail::Sparse, document);
    if let Some(findings) = &measured.findings {
        buffers(subject, findings, document);
    }
}

/// The RAM that the durations of the calls ask for at each rate, and the highest rate that any RAM is enough for.
fn buffers(subject: &Subject, findings: &BufferFindings, document: &mut ResultSet) {
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
