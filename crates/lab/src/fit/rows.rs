//! Rows: both halves of the log, and what the fitted part does in each.

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Durations, Metric, ResultSet, RowOperation, Timing};

use super::signature::Signature;
use super::task::Task;
use crate::backlog::BacklogError;
use crate::error::LabError;
use crate::subject::{Axes, Subject};

/// The halves as the axis `half` spells them: the one that was fitted, and the one that was held out.
const HALVES: [&str; 2] = ["first", "second"];

/// Adds the rows of a fit, from the log's halves and the durations of the fitted part.
pub(super) fn add(
    task: &Task<'_>,
    log: &[Signature; 2],
    durations: &[u64],
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let bytes = task.sample.bytes;
    let (first, second) = durations.split_at(task.sample.half());
    let simulated = [Signature::of(first, bytes)?, Signature::of(second, bytes)?];
    let rates = log[0].rates();
    // What was fitted is no prediction; what comes behind it is.
    let bases = [Basis::Calibrated, Basis::Simulated];
    for (index, half) in HALVES.into_iter().enumerate() {
        let count = [first.len(), second.len()][index];
        let measured = subject(task, true, Basis::Measured).at(Axis::Half, half);
        add_half(task, &measured, &log[index], count, &rates, document)?;
        let fitted = subject(task, false, bases[index]).at(Axis::Half, half);
        add_half(task, &fitted, &simulated[index], count, &rates, document)?;
    }
    Ok(())
}

fn subject(task: &Task<'_>, is_log: bool, basis: Basis) -> Subject {
    let file = &task.workload.source.file;
    let board = &task.target.board.header.id;
    let (target, part, board) = if is_log {
        (format!("log:{file}"), file.clone(), String::new())
    } else {
        let id = &task.workload.id;
        (format!("{id}@{board}"), id.clone(), board.clone())
    };
    let subject = Subject {
        target,
        part,
        board,
        workload: task.experiment.workload.name(),
        operation: RowOperation::Write,
        axes: Axes::new(),
        timing: Timing::Typ,
        age: task.experiment.age,
        basis,
    };
    subject.at(Axis::AccessBytes, task.sample.bytes)
}

fn add_half(
    task: &Task<'_>,
    subject: &Subject,
    signature: &Signature,
    count: usize,
    rates: &[f64],
    document: &mut ResultSet,
) -> Result<(), BacklogError> {
    // In a paced log the host decides how much is written.
    let paced = task.workload.source.durations == Durations::Paced;
    let throughput = Some(signature.throughput()).filter(|_| !paced);
    for (metric, value) in [
        (Metric::ThroughputMean, throughput),
        (
            Metric::LatencyMean,
            Some(task.sample.bytes as f64 / signature.throughput()),
        ),
        (Metric::LatencyP50, Some(signature.quantile(0.5))),
        (Metric::LatencyP90, Some(signature.quantile(0.9))),
        (Metric::LatencyP99, Some(signature.quantile(0.99))),
        (Metric::LatencyP999, Some(signature.quantile(0.999))),
        (Metric::LatencyMax, Some(signature.max())),
        (Metric::AccessCount, Some(count as f64)),
    ] {
        let value = value.ok_or(NoValue::NotApplicable);
        subject.add(metric, value, document);
    }
    for rate in rates {
        let at = subject
            .at(Axis::RateBytesPerS, *rate)
            .at(Axis::Arrival, "fluid");
        let ram = signature.ram(*rate)?;
        at.add(Metric::RamPeakInFlight, Ok(ram), document);
    }
    Ok(())
}
