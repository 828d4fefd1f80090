//! What is proven: every access takes the longest that it can.

use wordline_core::quantity::Time;
use wordline_core::{Basis, Operation, Timing};
use wordline_nvm::{Device, NvmError, WriteTotals};

use super::analysis::{Analysis, BufferFindings};
use super::stream::{BREATH, StreamFailure};
use crate::backlog::{BacklogError, Rate};
use crate::control::Control;
use crate::work::{Plan, Step};

/// Accesses that are looked at where all are alike, so that few stand for many.
const ALIKE: u64 = 1 << 12;

/// What accesses at the longest that they can take would need.
pub(crate) struct Bound {
    pub(crate) findings: BufferFindings,
    /// Proof from the sheets' figures, or less.
    pub(crate) basis: Basis,
}

/// The timing class whose bound holds for another: what is drawn for each operation stays below the
/// maximum alone.
pub(crate) const fn bounding(timing: Timing) -> Timing {
    match timing {
        Timing::Sampled => Timing::Max,
        fixed => fixed,
    }
}

/// What a bound at a timing class rests on: proof from the sheets' figures, unless a time lacks the column
/// that would make it one, or a limit of the part is itself assumed.
pub(crate) fn bound_basis(device: &dyn Device, timing: Timing) -> Basis {
    let notes = device.notes();
    let mut gaps = notes.part.fallbacks.iter().chain(&notes.board.fallbacks);
    let about_time = |figure: &str| {
        !["current", "standby", "power_down"]
            .iter()
            .any(|name| figure.contains(name))
    };
    let open =
        timing == Timing::Max && gaps.any(|gap| gap.wanted == "max" && about_time(&gap.figure));
    if open || !notes.assumed_limits.is_empty() {
        Basis::Assumed
    } else {
        Basis::Proven
    }
}

/// What a plan would need, by an analysis that has just begun, if every access took the longest that it can: of a periodic one each at its
/// place, of any other order all at the place where it is longest.
pub(crate) fn bound(
    device: &dyn Device,
    plan: &Plan,
    mut analysis: Analysis,
    control: &Control<'_>,
) -> Result<BufferFindings, StreamFailure> {
    let totals = match plan.reads > 0.0 {
        true => None,
        false => device.write_totals(plan.record_bytes)?,
    };
    if let Some(totals) = totals {
        return Ok(of_totals(&totals, plan.record_bytes, analysis)?);
    }
    if !plan.is_periodic() {
        let longest = longest_access(device, plan, control)?;
        for _ in 0..ALIKE {
            analysis.push(longest, plan.record_bytes)?;
        }
        return Ok(analysis.finish()?);
    }
    let mut round = Vec::new();
    for (index, step) in (0u64..).zip(plan.steps(plan.places())) {
        if index.is_multiple_of(BREATH) && control.stopped() {
            return Err(StreamFailure::Stopped);
        }
        round.push(of_step(device, &step)?);
    }
    // The accesses go round, so that two rounds hold every sequence of them that is no longer than a
    // round and an access; of longer ones they hold some, and prove nothing. A backlog that is carried from
    // one round into the next in a sustained run is gone before the next has ended.
    let mut accesses = 2 * round.len();
    if round.windows(2).all(|pair| pair[0] == pair[1]) {
        accesses = accesses.min(ALIKE as usize);
    }
    for longest in round.iter().cycle().take(accesses) {
        analysis.push(*longest, plan.record_bytes)?;
    }
    let mut findings = analysis.finish()?;
    findings
        .longest
        .retain(|sequence| sequence.accesses <= plan.places() + 1);
    Ok(findings)
}

/// Writes whose first n together take as long as any n in a row can, and which go on at the rate that none get below.
pub(crate) fn of_totals(
    totals: &WriteTotals,
    record_bytes: u64,
    mut analysis: Analysis,
) -> Result<BufferFindings, BacklogError> {
    let mut before = Time::ZERO;
    for total in &totals.times {
        analysis.push(total.since(before), record_bytes)?;
        before = *total;
    }
    let mut findings = analysis.finish()?;
    let rate = Rate::from_bytes_per_second(totals.rate * record_bytes as f64)?;
    findings.curve = findings.curve.sustaining(rate);
    Ok(findings)
}

/// The longest that any access of a plan can take, wherever it lies.
fn longest_access(
    device: &dyn Device,
    plan: &Plan,
    control: &Control<'_>,
) -> Result<Time, StreamFailure> {
    let operations = [
        (plan.reads < 1.0, Operation::Write),
        (plan.reads > 0.0, Operation::Read),
    ];
    let mut longest = Time::ZERO;
    for place in 0..plan.places() {
        if place.is_multiple_of(BREATH) && control.stopped() {
            return Err(StreamFailure::Stopped);
        }
        for (_, operation) in operations.iter().filter(|(happens, _)| *happens) {
            let step = Step {
                operation: *operation,
                at: place * plan.record_bytes,
                bytes: plan.record_bytes,
                pass: 0,
            };
            longest = longest.later(of_step(device, &step)?);
        }
    }
    Ok(longest)
}

/// The longest that an access can take.
fn of_step(device: &dyn Device, step: &Step) -> Result<Time, NvmError> {
    match step.operation {
        Operation::Write => device.write_bound(step.at, step.bytes),
        Operation::Read => device.read_bound(step.at, step.bytes),
    }
}
