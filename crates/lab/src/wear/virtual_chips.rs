//! Lives of virtual chips, to compare with.

use wordline_catalog::PartOnBoard;
use wordline_core::{Experiment, ResultSet, Timing, WearUsage, WearWorkload, Workload};
use wordline_nvm::Conditions;
use wordline_nvm::ageing::Environment;

use super::course::WearCourse;
use super::log::OperationLog;
use super::rows::{EnduranceRun, Who};
use super::session::Session;
use super::{connect, test};
use crate::control::Control;
use crate::error::LabError;

/// The lives of the first blocks of some chips of a target, at typical timing and 25 °C, with the workload's first usage;
/// `None` when the caller wants to stop.
pub(crate) fn courses(
    target: &PartOnBoard<'_>,
    workload: &WearWorkload,
    seed: u64,
    control: &Control<'_>,
) -> Result<Option<Vec<WearCourse>>, LabError> {
    let experiment = Experiment {
        targets: vec![target.name.clone()],
        workload: Workload::Wear(workload.clone()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed,
        ftl: None,
    };
    let who = Who::simulated(target);
    let usage = workload.usages.first().copied();
    let run = EnduranceRun {
        who: &who,
        timing: Timing::Typ,
        environment: Environment::default(),
        usage: usage.unwrap_or(WearUsage::FirstPage),
        workload,
        experiment: &experiment,
    };
    // No listener, and no log.
    let quiet = Control {
        stop: control.stop,
        ..Control::default()
    };
    let mut session = Session::new(&quiet, OperationLog::begin(&quiet)?, 0);
    let mut unused = ResultSet::new(experiment.clone());
    let mut courses = Vec::new();
    for sample in 0..workload.samples {
        let chip = connect(target, &run, sample)?;
        let blocks = 0..workload.blocks;
        let tested = test(target, &run, chip, blocks, &mut session, &mut unused)?;
        if tested.stopped {
            return Ok(None);
        }
        if let Some(source) = tested.failure {
            return Err(LabError::Device {
                target: target.name.clone(),
                source,
            });
        }
        courses.extend(tested.lives.into_iter().map(|(_, course)| course));
    }
    session.finish()?;
    Ok(Some(courses))
}

/// Bytes of a block of a target, as its board erases it, and how many there are; no blocks of a memory that is no raw
/// flash.
pub(crate) fn block_shape(target: &PartOnBoard<'_>) -> Result<(u64, u64), LabError> {
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    let connected = target
        .connect_cycled(conditions)
        .map_err(|source| LabError::Device {
            target: target.name.clone(),
            source,
        })?;
    Ok(connected.map_or((0, 0), |chip| {
        let geometry = chip.geometry();
        (geometry.block_bytes(), u64::from(geometry.blocks))
    }))
}
