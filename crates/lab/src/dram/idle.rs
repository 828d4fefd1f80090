//! Latency without load: one core follows a chain of pointers.

use wordline_core::{Basis, IdleTest, Metric, Mix, Pattern, ResultSet};
use wordline_dram::Cause;
use wordline_dram::system::{Probe, Run};

use super::rows::{self, Work, seconds};
use super::{Memory, Test};
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
    let points: Vec<_> = test
        .memories
        .iter()
        .map(|memory| {
            let traffic = test.traffic(memory, Mix::Reads, Pattern::Sequential, 0, Some(1));
            let traffic = wordline_dram::system::Traffic {
                load_cores: 0,
                ..traffic
            };
            test.point(memory, "idle", traffic, idle.samples)
        })
        .collect();
    let runs = super::points::run(&points, control)?;
    for (memory, ended) in test.memories.iter().zip(runs) {
        let Some(run) = test.finished(memory, ended, document)? else {
            continue;
        };
        let subject = test.subject(memory, Mix::Reads.operation());
        Work::of(&run).rows(memory, &subject, document);
        if let Some(probe) = &run.probe {
            let name = format!("{}, idle", memory.name);
            rows::latencies(probe, name, &subject, document);
            parts(memory, &run, probe, &subject, document);
        }
        let formula = subject.estimate(Basis::Simulated, "formula");
        let unloaded = rows::unloaded(memory);
        document
            .rows
            .push(formula.row(Metric::LatencyMean, Ok(unloaded)));
    }
    Ok(())
}

/// What the mean consists of. All reads are the probe's, so that the waits that the sub-channels account for are its
/// own; what is left is the wait for the DRAM's next clock edge.
fn parts(
    memory: &Memory<'_>,
    run: &Run,
    probe: &Probe,
    subject: &Subject,
    document: &mut ResultSet,
) {
    let config = &memory.connected.config;
    let (clock, timing) = (config.sub_channel.clock, &config.sub_channel.timing);
    let reads = run.summary.reads as f64;
    // In femtoseconds' precision: a mean is no whole number of clocks.
    let time = |clocks: f64| clocks * 2e6 / f64::from(clock.data_rate_mts);
    let on_chip = config.cores.request_path_ps + config.cores.return_path_ps;
    let mut parts = vec![
        ("on_chip", on_chip as f64),
        ("module", config.module_delay_ps as f64),
        ("cas", time(f64::from(timing.cl))),
        ("burst", time(f64::from(timing.burst))),
    ];
    let waits = Cause::ALL.iter().zip(run.summary.read_waits);
    parts.extend(waits.map(|(cause, clocks)| (cause.name(), time(clocks as f64 / reads))));
    let rest = probe.mean_ps - parts.iter().map(|(_, part)| part).sum::<f64>();
    parts.push(("rounding", rest));
    for (cause, part) in parts {
        let at = subject.at("cause", cause);
        document
            .rows
            .push(at.row(Metric::LatencyMeanPart, Ok(seconds(part))));
    }
}
