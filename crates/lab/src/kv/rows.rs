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

/// The same of operations between which others came: energy and wear are of stretches.
#[cfg(feature = "rocksdb")]
const SCATTERED: [&[Metric]; 3] = [
    &[
        Metric::OpsRate,
        Metric::AccessCount,
        Metric::BytesMoved,
        Metric::BusCycles,
        Metric::BytesFloor,
    ],
    &rows::LATENCIES,
    &[Metric::TimeShare],
];

/// Adds the rows of operations of one kind between which others came.
#[cfg(feature = "rocksdb")]
pub(super) fn add_scattered(
    subject: &Subject,
    name: &str,
    tally: &OperationTally,
    document: &mut ResultSet,
) {
    let detail = RowDetail::Full;
    rows::add(subject, name, tally, &SCATTERED, detail, document);
}

/// Adds the rows of the operations of one kind. `name` names their distribution.
pub(super) fn add(subject: &Subject, name: &str, tally: &OperationTally, document: &mut ResultSet) {
    rows::add(subject, name, tally, &METRICS, RowDetail::Full, document);
}
