//! Raw flash of the host, worn for real.
//!
//! What it held is lost and its blocks are worn out, so that it is opened only where the user of the experiment names
//! it a second time ([`Control::destroy`]), where no process uses it ([`wordline_host::mtd`]), and where the blocks to be
//! tested hold nothing.

use std::collections::BTreeMap;

use wordline_catalog::{Capability, Target};
use wordline_core::{Experiment, Pattern, ResultSet, Timing, WearWorkload};
use wordline_host::WallClock;
use wordline_host::mtd::{Calls, Mtd};
use wordline_memory::Clock;
use wordline_nvm::ageing::Environment;

use super::log::OperationLog;
use super::rows::{EnduranceRun, Who};
use super::session::{Session, first_good, in_turn, random};
use super::tester::{Bench, holds_data};
use crate::control::Control;
use crate::error::{LabError, TargetProblem};
use crate::open;
use crate::warning::LabWarning;

impl<C: Calls> Bench for Mtd<C> {}

/// The device among the targets, if there is one: it is tested by itself.
pub(super) fn named<'t, 'a>(targets: &'t [Target<'a>]) -> Result<Option<&'t Target<'a>>, LabError> {
    let device = targets
        .iter()
        .find(|target| target.is_of_host() && target.has(Capability::Flash));
    match device {
        Some(device) if targets.len() > 1 => Err(TargetProblem::WornAlone.of(&device.name())),
        device => Ok(device),
    }
}

/// Wears the device that a target names.
pub(super) fn run(
    device: &Target<'_>,
    workload: &WearWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let (target, opened) = (&device.name(), device);
    let device = device.path().unwrap_or_default();
    possible(target, workload, experiment)?;
    if control.destroy.is_empty() {
        let device = device.to_owned();
        return Err(TargetProblem::Unconfirmed { device }.of(target));
    }
    if control.destroy.iter().any(|named| named != device) {
        let named = control.destroy.join(", ");
        return Err(TargetProblem::OtherConfirmed { named }.of(target));
    }
    let flash = open::host_flash(opened)?;
    let told = flash.description();
    let who = Who::measured(target, &told.name);
    document.environment = Some(BTreeMap::from([
        ("device".to_owned(), device.to_owned()),
        ("name".to_owned(), told.name.clone()),
        ("kind".to_owned(), told.kind.name().to_owned()),
        ("capacity_bytes".to_owned(), told.bytes.to_string()),
        ("erase_bytes".to_owned(), told.erase_bytes.to_string()),
        ("write_bytes".to_owned(), told.write_bytes.to_string()),
    ]));
    let run = EnduranceRun {
        who: &who,
        timing: Timing::Typ,
        environment: Environment {
            celsius: workload.temperatures_celsius[0],
            ..Environment::default()
        },
        usage: workload.usages[0],
        workload,
        experiment,
    };
    wear(flash, &WallClock::start(), &run, control, document)
}

/// Wears blocks of an open memory, and adds what was seen.
fn wear<F: Bench<Error: std::fmt::Display>, C: Clock>(
    mut flash: F,
    clock: &C,
    run: &EnduranceRun<'_>,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let target = &run.who.target;
    let failed = |error: F::Error| TargetProblem::Driver(error.to_string()).of(target);
    let blocks = first_good(&mut flash, run.workload.blocks).map_err(failed)?;
    if blocks.len() < run.workload.blocks as usize {
        let (found, asked) = (blocks.len(), run.workload.blocks);
        return Err(TargetProblem::FewBlocks { found, asked }.of(target));
    }
    for &block in &blocks {
        if holds_data(&mut flash, block).map_err(failed)? {
            return Err(TargetProblem::BlockHoldsData { block }.of(target));
        }
    }
    warn(run, document);
    let mut session = Session::new(control, OperationLog::begin(control)?, blocks.len() as u64);
    session.chip.clone_from(target);
    let zeros = vec![0; flash.geometry().page_bytes as usize];
    let plan = run.plan(&zeros, flash.geometry().pages_per_block);
    let tested = match run.workload.order {
        Pattern::Sequential => session.cycle(&mut flash, clock, &plan, &blocks, &mut in_turn)?,
        Pattern::Random => {
            let mut next = random(run.experiment.seed);
            session.cycle(&mut flash, clock, &plan, &blocks, &mut next)?
        }
    };
    session.finish()?;
    for (block, error) in &tested.unmarked {
        document.warn(LabWarning::NotMarkedBad {
            target: &target,
            block: &block,
            error: &error,
        });
    }
    // What was seen of blocks that did not come to their end was measured, too.
    document.complete = !tested.stopped;
    if let Some(failure) = &tested.failure {
        run.failed(0, failure, document);
        document.warn(LabWarning::EarlyFailure { target: &target });
    }
    run.rows(&[tested.lives], document);
    Ok(())
}

fn warn(run: &EnduranceRun<'_>, document: &mut ResultSet) {
    let target = &run.who.target;
    document.warn(LabWarning::DriverDurations { target: &target });
}

/// Refuses what a real memory cannot do.
fn possible(
    target: &str,
    workload: &WearWorkload,
    experiment: &Experiment,
) -> Result<(), LabError> {
    let defaults = WearWorkload::default();
    let problem = if workload.usages.len() > 1 {
        TargetProblem::OneUsage
    } else if workload.temperatures_celsius.len() > 1 {
        TargetProblem::OneTemperature
    } else if workload.dwells_s != defaults.dwells_s {
        TargetProblem::NoDwell
    } else if workload.samples != 1 {
        TargetProblem::OneSample
    } else if experiment.timings != [Timing::Typ] {
        TargetProblem::MeasuredTiming
    } else if experiment.age != 0.0 {
        TargetProblem::MeasuredAge
    } else {
        return Ok(());
    };
    Err(problem.of(target))
}

#[cfg(test)]
mod tests;
