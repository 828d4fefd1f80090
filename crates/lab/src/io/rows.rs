//! The rows of a trace: of all its calls, and of each kind.

use wordline_core::quantity::Quantity as _;
use wordline_core::{Axis, Basis, Metric, ResultSet, RowOperation};

use super::replay::PlayedTrace;
use crate::fs::processor::BUILDS;
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
/// What is said of operations that a program marked.
const OF_MARKED: [&[Metric]; 2] = [
    &[Metric::OpsRate, Metric::AccessCount, Metric::DurationTotal],
    &rows::LATENCIES,
];

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
    for (operation, tally) in &played.kinds {
        let (at, name) = of(*operation);
        let groups = [&[&[Metric::ThroughputMean][..]], &OF_CALLS[..]].concat();
        rows::add(&at, &name, tally, &groups, RowDetail::Sparse, document);
    }
    let marked = played.marked.iter();
    for (operation, marked) in marked.filter(|(operation, _)| MARKED.contains(operation)) {
        let (at, name) = of(*operation);
        rows::add(
            &at,
            &name,
            &marked.calls,
            &OF_MARKED,
            RowDetail::Sparse,
            document,
        );
        // Operations without a count say nothing of the processor.
        let counted = &marked.counted;
        let at = Subject {
            basis: Basis::Estimated,
            ..at
        };
        if counted.count == 0 {
            continue;
        }
        let count = counted.count as f64;
        at.at(Axis::Cause, "cpu_engine").add(
            Metric::Instructions,
            Ok(counted.instructions as f64 / count),
            document,
        );
        for (build, tally) in BUILDS.into_iter().zip(&marked.with_processor) {
            let at = at.at(Axis::Build, build.name());
            let name = format!("{name}, {build} build");
            rows::add(&at, &name, tally, &OF_MARKED, RowDetail::Sparse, document);
            let (all, memory) = (tally.busy.si(), counted.busy.si());
            let processor = Ok((all - memory) / count);
            at.at(Axis::Cause, "cpu_engine")
                .add(Metric::ProcessorTime, processor, document);
            at.add(Metric::ProcessorShare, Ok(1.0 - memory / all), document);
        }
    }
}
