//! What `wordline wear` refuses before it runs.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::Period;
use wordline_core::quantity::Quantity as _;
use wordline_core::{Experiment, WearWorkload};
use wordline_nvm::ageing::{AgeingError, Environment};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, TargetProblem};
use crate::list::distinct;

/// The most blocks of a run, each of which has a row.
const BLOCKS_MAX: u64 = 1_000_000;

/// The most cycles of a block.
const CYCLES_MAX: u64 = 1_000_000_000_000;

/// Checks what does not depend on the targets.
pub(super) fn workload(workload: &WearWorkload, experiment: &Experiment) -> Result<(), LabError> {
    distinct(
        "usage",
        workload.usages.iter().map(|one| one.name().to_owned()),
    )?;
    let celsius = workload.temperatures_celsius.iter();
    distinct("temperature", celsius.map(|one| (one + 0.0).to_string()))?;
    distinct(
        "dwell",
        workload.dwells_s.iter().map(|one| (one + 0.0).to_string()),
    )?;
    if experiment.ftl.is_some() {
        return Err(SettingProblem::LayerOfWear.of("ftl"));
    }
    for environment in environments(workload) {
        environment
            .check()
            .map_err(|problem| of_environment(&problem))?;
        if environment.dwell.si() < 0.0 {
            return Err(of_environment(&AgeingError::Dwell(environment.dwell.si())));
        }
    }
    number("samples", u64::from(workload.samples), BLOCKS_MAX)?;
    number("blocks", u64::from(workload.blocks), BLOCKS_MAX)?;
    number("max_cycles", workload.most_cycles, CYCLES_MAX)?;
    Ok(())
}

/// Checks an experiment on simulated targets.
pub(super) fn simulated(
    targets: &[PartOnBoard<'_>],
    workload: &WearWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<(), LabError> {
    if let [named, ..] = control.destroy {
        return Err(SettingProblem::DestroysNoDevice(named.clone()).of("destroy"));
    }
    let runs = experiment.timings.len() * targets.len() * environments(workload).count();
    let runs = (runs * workload.usages.len()) as u64;
    let lives = runs / targets.len().max(1) as u64;
    if control.cycling_log.is_some() && lives > 1 {
        return Err(SettingProblem::LogOfSeveralLives.of("log"));
    }
    let all = u64::from(workload.blocks).saturating_mul(u64::from(workload.samples));
    number("blocks", all.saturating_mul(runs), BLOCKS_MAX)?;
    targets
        .iter()
        .try_for_each(|target| wears(target, workload))
}

/// The environments of a workload, each run by itself.
pub(super) fn environments(workload: &WearWorkload) -> impl Iterator<Item = Environment> {
    let dwells = workload.dwells_s.iter();
    workload
        .temperatures_celsius
        .iter()
        .flat_map(move |&celsius| {
            dwells.clone().map(move |dwell| Environment {
                celsius: celsius + 0.0,
                dwell: Period::from_si(*dwell + 0.0),
            })
        })
}

/// Refuses a target whose wear is not simulated, or that may have too few good blocks.
fn wears(target: &PartOnBoard<'_>, workload: &WearWorkload) -> Result<(), LabError> {
    let flash = target.part.model.flash();
    let Some(flash) = flash.filter(|flash| flash.outlook().is_some()) else {
        return Err(not_worn(target, AgeingError::NoFigures));
    };
    enough(
        target,
        workload,
        flash.good_blocks_min().map_or(u64::MAX, u64::from),
    )
}

/// The error of a target whose wear is not simulated.
pub(super) fn not_worn(target: &PartOnBoard<'_>, why: AgeingError) -> LabError {
    let part = target.part.header.id.clone();
    TargetProblem::NotWorn { part, why }.of(&target.name)
}

/// Refuses to test more blocks than a target is sure to have.
pub(super) fn enough(
    target: &PartOnBoard<'_>,
    workload: &WearWorkload,
    least: u64,
) -> Result<(), LabError> {
    if u64::from(workload.blocks) <= least {
        return Ok(());
    }
    let problem = TargetProblem::FewGoodBlocks {
        part: target.part.header.id.clone(),
        least,
        asked: workload.blocks,
    };
    Err(problem.of(&target.name))
}

fn number(what: &'static str, found: u64, most: u64) -> Result<(), LabError> {
    match (1..=most).contains(&found) {
        true => Ok(()),
        false => Err(SettingProblem::OutOfRangeOfAllRuns { found, most }.of(what)),
    }
}

fn of_environment(problem: &AgeingError) -> LabError {
    match *problem {
        AgeingError::Temperature(found) => SettingProblem::Temperature(found).of("temperature"),
        AgeingError::Dwell(found) => SettingProblem::Dwell(found).of("dwell"),
        AgeingError::NoFigures => SettingProblem::NoAgeing.of("aging"),
    }
}
