//! From what the operations added up to, to the rows of the document.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{Metric, ResultSet};

use super::memory::Part;
use super::processor::CAUSES;
use super::tally::Tally;
use crate::subject::Subject;

/// Adds the rows of the operations of one kind. `name` names their distribution.
pub(super) fn add(
    subject: &Subject,
    name: String,
    tally: &Tally,
    part: &Part,
    document: &mut ResultSet,
) {
    let count = tally.latency.count() as f64;
    let energy = tally
        .spent
        .as_ref()
        .and_then(|spent| part.energy_j(spent).map(|joules| joules / count));
    // Operations that a directory in RAM answers ask the memory for nothing, and take no time of it.
    let rate = match tally.elapsed {
        Time::ZERO => Err(NoValue::NotApplicable),
        elapsed => Ok(count / elapsed.si()),
    };
    for (metric, value) in [
        (Metric::OpsRate, rate),
        (Metric::AccessCount, Ok(count)),
        (Metric::BytesMoved, Ok(tally.all.bus_bytes as f64 / count)),
        (Metric::BytesFloor, Ok(tally.floor_bytes as f64 / count)),
        (Metric::EnergyPerOp, energy.ok_or(NoValue::NotApplicable)),
    ] {
        document.rows.push(subject.row(metric, value));
    }
    if let Some(worn) = &tally.worn {
        let most = worn.most as f64;
        document.rows.push(subject.row(Metric::CyclesMax, Ok(most)));
        // Nothing was written, or read where reads wear.
        if worn.most > 0 {
            let spread = most / worn.mean;
            document
                .rows
                .push(subject.row(Metric::WearSpread, Ok(spread)));
        }
    }
    subject.latencies(&tally.latency, name, document);
    if tally.elapsed > Time::ZERO {
        let of_memory = part.causes().iter();
        let of_memory = of_memory.map(|cause| (cause.name(), tally.all.cost.of(*cause)));
        let of_processor = tally.processor.iter().flatten().zip(CAUSES);
        let of_processor = of_processor.map(|(time, cause)| (cause, *time));
        for (cause, time) in of_memory.chain(of_processor) {
            let at = subject.at("cause", cause);
            let share = time.si() / tally.elapsed.si();
            document.rows.push(at.row(Metric::TimeShare, Ok(share)));
        }
    }
}

/// The headline of operations that have no figures.
pub(super) fn without_value(subject: &Subject, reason: NoValue, document: &mut ResultSet) {
    for metric in [Metric::OpsRate, Metric::LatencyMax, Metric::BytesMoved] {
        document.rows.push(subject.row(metric, Err(reason)));
    }
}
