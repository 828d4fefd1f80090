//! From what the operations added up to, to the rows of the document.

use wordline_core::quantity::{Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{Metric, ResultSet};

use super::memory::Part;
use super::tally::Tally;
use crate::subject::Subject;

/// Adds the rows of the operations of one kind. `name` names their distribution, and `floor_bytes` is the least that
/// any durable table moves for one.
pub(super) fn add(
    subject: &Subject,
    name: String,
    tally: &Tally,
    floor_bytes: u64,
    part: &Part,
    document: &mut ResultSet,
) {
    let count = tally.latency.count() as f64;
    let energy = tally.spent.as_ref().and_then(|spent| {
        let draw = part.device().power_draw();
        spent.energy_j(draw).map(|joules| joules / count)
    });
    // Operations that a directory in RAM answers ask the memory for nothing, and take no time of it.
    let rate = match tally.elapsed {
        Time::ZERO => Err(NoValue::NotApplicable),
        elapsed => Ok(count / elapsed.si()),
    };
    for (metric, value) in [
        (Metric::OpsRate, rate),
        (Metric::AccessCount, Ok(count)),
        (Metric::BytesMoved, Ok(tally.all.bus_bytes as f64 / count)),
        (Metric::BytesFloor, Ok(floor_bytes as f64)),
        (Metric::EnergyPerOp, energy.ok_or(NoValue::NotApplicable)),
    ] {
        document.rows.push(subject.row(metric, value));
    }
    subject.latencies(&tally.latency, name, document);
    if tally.elapsed > Time::ZERO {
        for &cause in part.device().causes() {
            let share = tally.all.cost.of(cause).si() / tally.elapsed.si();
            let at = subject.at("cause", cause.name());
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
