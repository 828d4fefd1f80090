//! Latency without load: one core follows a chain of pointers.

use wordline_core::{Axis, Basis, IdleTest, Metric, Mix, ResultSet};
use wordline_dram::system::{LatencyProbe, SystemRun};

use super::rows::{self, DramWork, seconds};
use super::{ModuleMemory, Test, cautions, explain};
use crate::control::Control;
use crate::error::LabError;
use crate::subject::Subject;

pub(super) fn run(
    test: &Test<'_>,
    idle: &IdleTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    super::check_samples(idle.samples)?;
    cautions::samples(idle.samples, document);
    let points: Vec<_> = test
        .memories
        .iter()
        .map(|memory| test.idle_point(memory, idle.samples))
        .collect();
    let runs = super::points::run(&points, control)?;
    for (memory, ended) in test.memories.iter().zip(runs) {
        let Some(run) = test.finished(memory, ended, document)? else {
            continue;
        };
        let subject = test.subject(memory, Mix::Reads.operation());
        DramWork::of(&run).rows(memory, &subject, document);
        if let Some(probe) = &run.probe {
            let name = format!("{}, idle", memory.name);
            rows::latencies(probe, name, &subject, document);
            parts(memory, &run, probe, &subject, document);
        }
        let formula = subject.estimate(Basis::Simulated, "formula");
        let unloaded = seconds(memory.unloaded_ps() as f64);
        formula.add(Metric::LatencyMean, Ok(unloaded), document);
    }
    Ok(())
}

/// What the mean consists of. All reads are the probe's, so that the waits that the sub-channels account for are its
/// own; what is left is the wait for the DRAM's next clock edge.
fn parts(
    memory: &ModuleMemory<'_>,
    run: &SystemRun,
    probe: &LatencyProbe,
    subject: &Subject,
    document: &mut ResultSet,
) {
    let mut parts = explain::read_parts(memory, &run.summary);
    if memory.connected.config.topology.link.is_some() {
        parts.push((explain::LINK, run.read_link_mean_ps));
    }
    let rest = probe.mean_ps - parts.iter().map(|(_, part)| part).sum::<f64>();
    parts.push((explain::ROUNDING, rest));
    for (cause, part) in parts {
        let at = subject.at(Axis::Cause, cause);
        at.add(Metric::LatencyMeanPart, Ok(seconds(part)), document);
    }
}
