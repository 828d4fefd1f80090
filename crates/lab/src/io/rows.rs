//! The rows of a trace: of all its calls, and of each kind.

use wordline_core::{Metric, ResultSet, RowOperation};

use super::replay::PlayedTrace;
use crate::instrument::rows::{self, RowDetail};
use crate::subject::Subject;

/// What is said of calls of any kind, in the order of rows.
const OF_CALLS: [&[Metric]; 5] = [
    &[Metric::OpsRate, Metric::AccessCount, Metric::DurationTotal],
    &rows::LATENCIES,
    &[Metric::LatencyMaxPart],
    &[
        Metric::LatencyMaxOperations,
        Metric::LatencyMaxOperationTime,
    ],
    &[Metric::DeviceOperations],
];

/// What is said of all calls together: other kinds come between those of one, and energy and wear are of stretches.
const OF_ALL: [&[Metric]; 3] = [
    &[Metric::EnergyPerOp, Metric::EnergyTotal, Metric::PowerMean],
    &[Metric::WriteAmplification],
    &[Metric::CyclesMax, Metric::WearSpread],
];

/// The program's own operations that have rows; no call has their names.
const MARKED: [RowOperation; 2] = [RowOperation::Put, RowOperation::Get];

/// Adds the rows of a trace; `name` names its distributions.
pub(super) fn add(subject: &Subject, name: &str, played: &PlayedTrace, document: &mut ResultSet) {
    let of = |operation: RowOperation| (subject.doing(operation), format!("{name}, {operation}"));
    let (all, name_of_all) = of(RowOperation::All);
    let groups = [&OF_CALLS[..], &OF_ALL].concat();
    rows::add(
        &all,
        &name_of_all,
        &played.all,
        &groups,
        RowDetail::Sparse,
        document,
    );
    let marked = played.operations.iter();
    let marked = marked.filter(|(operation, _)| MARKED.contains(operation));
    for (operation, tally) in played.kinds.iter().chain(marked) {
        let (at, name) = of(*operation);
        let groups = [&[&[Metric::ThroughputMean][..]], &OF_CALLS[..]].concat();
        rows::add(&at, &name, tally, &groups, RowDetail::Sparse, document);
    }
}
