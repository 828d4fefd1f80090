//! `wordline app probe`: a program beside loads of this machine's memory.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use wordline_apps::probe::{ProbeFit, ProbedRun};
use wordline_core::quantity::Quantity as _;
use wordline_host::memory::beside::{self, BesideError, BesidePlan, BesideRun};
use wordline_host::memory::kernels::{KernelMix, KernelSet, KernelStores};
use wordline_host::memory::topology::Topology;
use wordline_report::printable;

use crate::args::{AppProbing, Global};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;

/// Pauses of the load in cycles after eight lines, by level.
const LEVELS: [Option<u64>; 4] = [None, Some(400), Some(100), Some(0)];

/// A fit that leaves more than this of a level's time is no good one.
const LEFT_OUT_MOST: f64 = 0.03;

pub(super) fn run(probe: &AppProbing, global: &Global) -> Result<Outcome, Failure> {
    output::new_files(&[("--output", &probe.output)], &[], probe.force)?;
    if probe.read.is_some_and(|rate| rate.si() <= 0.0) {
        return Err(failure::message(
            "--read 0B/s: allowed is a rate above 0B/s; leave it out where it is not known",
        ));
    }
    let catalog = super::super::catalog(global)?;
    catalog
        .module_in_system(&probe.on)
        .map_err(failure::catalog)?;
    let topology = Topology::of_this_machine();
    let topology = topology.map_err(|error| failure::message(error.to_string()))?;
    let plan = BesidePlan {
        load_cpus: probe.load_cpus,
        mix: KernelMix::TwoToOne,
        stores: KernelStores::NonTemporal,
        set: KernelSet::best(),
        seed: 1,
    };
    // There and back, so that what changes slowly meets all levels alike.
    let levels = (0..LEVELS.len()).chain((0..LEVELS.len()).rev()).cycle();
    let levels: Vec<usize> = levels.take(LEVELS.len() * probe.runs as usize).collect();
    let delays: Vec<Option<u64>> = levels.iter().map(|level| LEVELS[*level]).collect();
    let stop = interrupt::listen();
    let unheard = |error: io::Error| failure::message(error.to_string());
    let stderr: OwnedFd = io::stderr().as_fd().try_clone_to_owned().map_err(unheard)?;
    let command = || {
        let mut command = Command::new(&probe.program[0]);
        command.args(&probe.program[1..]).stdin(Stdio::null());
        let out = stderr
            .try_clone()
            .map_or_else(|_| Stdio::null(), Stdio::from);
        command.stdout(out);
        command
    };
    let mut count = 0;
    let mut watch = |run: &BesideRun| {
        count += 1;
        if !global.quiet {
            output::note(&printable(&told(count, delays.len(), run)));
        }
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let runs = match beside::run(&topology, &plan, &delays, &command, &stopped, &mut watch) {
        Err(BesideError::Stopped) => return Ok(Outcome::Interrupted),
        runs => runs.map_err(|error| {
            let program = probe.program[0].to_string_lossy();
            failure::message(printable(&format!("{program}: {error}")))
        })?,
    };
    let probed: Vec<ProbedRun> = runs
        .iter()
        .zip(&levels)
        .map(|(run, level)| ProbedRun {
            level: *level as u32,
            seconds: run.seconds,
            latency_ns: run.latency_ns,
            step_ns: run.step_ns,
        })
        .collect();
    let fit = ProbeFit::of(&probed).map_err(|error| failure::message(error.to_string()))?;
    let all: f64 = runs.iter().map(|run| run.busy_cores).sum();
    let own = (all / runs.len() as f64).round().max(1.0) as u32;
    let profile = fit.profile(
        &super::program::named(probe.name.as_ref(), &probe.program),
        &super::program::made_by("probe", &[], &probe.program),
        &probe.on,
        own,
        lines(probe, fit.compute_s + fit.memory_s),
    );
    super::program::shown(&summary(&fit, &profile), global)?;
    super::write(&profile, &probe.output, global)?;
    if fit.left_out_worst() > LEFT_OUT_MOST {
        output::note(&format!(
            "warning: a level's time lies {:.1} % off what the others predict, and {:.0} % is allowed: the machine is busy, or \
             the program's runs differ",
            100.0 * fit.left_out_worst(),
            100.0 * LEFT_OUT_MOST
        ));
        return Ok(Outcome::CheckFailed);
    }
    Ok(Outcome::Done)
}

/// Lines read and written in a run, where the rate is known.
fn lines(probe: &AppProbing, seconds: f64) -> Option<[f64; 2]> {
    let read = probe.read?.si() * seconds / wordline_apps::profile::LINE_BYTES;
    let share = probe.write_share.map_or(0.0, |share| share.si()).min(0.99);
    Some([read, read * share / (1.0 - share)])
}

fn told(count: usize, all: usize, run: &BesideRun) -> String {
    let load = match run.delay_cycles {
        None => "no load".to_owned(),
        Some(_) => format!("{:.1} GB/s of load", run.load_bytes_per_s / 1e9),
    };
    format!(
        "{count} of {all}: {load}: {:.3} s, latency {:.1} ns, step {:.3} ns, {} probes",
        run.seconds, run.latency_ns, run.step_ns, run.probes
    )
}

fn summary(fit: &ProbeFit, profile: &wordline_apps::Profile) -> Vec<(&'static str, String)> {
    let phase = &profile.phases[0];
    vec![
        (
            "time without load",
            format!("{:.3} s", fit.compute_s + fit.memory_s),
        ),
        ("of it computing", format!("{:.3} s", fit.compute_s)),
        ("of it waiting for memory", format!("{:.3} s", fit.memory_s)),
        (
            "share of time waiting",
            super::program::percent(&phase.stall_share),
        ),
        ("latency without load", format!("{:.1} ns", fit.latency_ns)),
        (
            "a level from the others",
            format!("within {:.2} %", 100.0 * fit.left_out_worst()),
        ),
        ("left by the fit", format!("{:.2} %", 100.0 * fit.residual)),
    ]
}
