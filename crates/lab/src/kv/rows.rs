//! The rows of operations: metrics of the registry.

use wordline_core::{Metric, ResultSet};

use crate::instrument::OperationTally;
use crate::instrument::rows::{self, RowDetail};
use crate::subject::Subject;

/// The metrics of every operation, in the order of rows.
const METRICS: [&[Metric]; 5] = [
    &[
        Metric::OpsRate,
        Metric::AccessCount,
        Metric::BytesMoved,
        Metric::BusCycles,
        Metric::BytesFloor,
        Metric::EnergyPerOp,
    ],
    &[Metric::CyclesMax, Metric::WearSpread],
    &rows::LATENCIES,
    &[Metric::TimeShare],
    &[Metric::ProcessorLost, Metric::Interruptions],
];

/// The metrics of operations that have no figures.
pub(super) const HEADLINE: [Metric; 3] = [Metric::OpsRate, Metric::LatencyMax, Metric::BytesMoved];

/// Adds the rows of the operations of one kind. `name` names their distribution.
pub(super) fn add(subject: &Subject, name: &str, tally: &OperationTally, document: &mut ResultSet) {
    rows::add(subject, name, tally, &METRICS, RowDetail::Full, document);
}
