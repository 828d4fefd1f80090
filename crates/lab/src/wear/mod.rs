//! Endurance and latency over life: blocks that are cycled until they fail.
//!
//! Blocks are programmed and erased as `nand-characterisation` did it: one page with zeros, then the whole block, without a
//! pause. The [tester](tester) knows a flash memory and a clock alone, and so does the [session](session) that takes it
//! from block to block. Simulated chips age and skip cycles that go alike; blocks share nothing, so each is tested on a
//! fork of its fresh chip, from time zero, unless their cycles are asked for in random order. [Raw flash of the
//! host](real) is worn for real.

mod check;
mod chip;
mod course;
pub(crate) mod health;
mod log;
mod real;
mod rows;
mod session;
mod tester;
mod virtual_chips;

pub(crate) use course::{Course, Step};
pub(crate) use virtual_chips::{block_shape, courses};

use chip::{Chip, Connected, Specified};
use log::Log;
use rows::{Run, Who};
use session::{Session, Tested, in_turn, random};
use wordline_catalog::{Catalog, Target};
use wordline_core::draw::{Purpose, draw};
use wordline_core::results::WarningCode;
use wordline_core::{Experiment, Pattern, ResultSet, WearWorkload};
use wordline_nvm::ageing::Environment;
use wordline_nvm::{Conditions, NvmError};

use crate::control::Control;
use crate::error::LabError;
use crate::sources;

/// Wears the targets of an experiment: simulated chips, or one raw flash device of the host.
pub(crate) fn run(
    catalog: &Catalog,
    workload: &WearWorkload,
    experiment: &mut Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::workload(workload, experiment)?;
    if let Some(device) = real::named(experiment)? {
        return real::run(&device, workload, experiment, control, document);
    }
    let targets = crate::resolve(catalog, experiment)?;
    crate::name_in_full(&targets, experiment, document);
    simulate(&targets, workload, experiment, control, document)
}

/// Runs every usage in every environment on the chips of every target, and adds what it found to the document.
fn simulate(
    targets: &[Target<'_>],
    workload: &WearWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::simulated(targets, workload, experiment, control)?;
    warn(workload, document);
    let everybody: Vec<Who> = targets.iter().map(Who::simulated).collect();
    let mut runs = Vec::new();
    for &timing in &experiment.timings {
        for (target, who) in targets.iter().zip(&everybody) {
            for environment in check::environments(workload) {
                let usages = workload.usages.iter();
                runs.extend(usages.map(|&usage| {
                    let run = Run {
                        who,
                        timing,
                        environment,
                        usage,
                        workload,
                        experiment,
                    };
                    (target, run)
                }));
            }
        }
    }
    let total = runs.len() as u64 * u64::from(workload.samples) * u64::from(workload.blocks);
    let mut session = Session::new(control, Log::begin(control)?, total);
    for (target, run) in &runs {
        if !samples(target, run, &mut session, document)? {
            document.complete = false;
            break;
        }
    }
    session.finish()
}

/// Tests the chips of a run and adds its rows; returns whether the caller lets it come to its end.
fn samples(
    target: &Target<'_>,
    run: &Run<'_>,
    session: &mut Session<'_>,
    document: &mut ResultSet,
) -> Result<bool, LabError> {
    let mut chips = Vec::new();
    let mut block_bytes = 0;
    for sample in 0..run.workload.samples {
        let connected = connect(target, run, sample)?;
        let (bytes, blocks) = connected.blocks();
        block_bytes = bytes;
        check::enough(target, run.workload, blocks)?;
        session.chip = match run.workload.samples {
            1 => target.name.clone(),
            _ => format!("{}#{sample}", target.name),
        };
        let tested = match connected {
            Connected::Nand(chip) => test(target, run, chip, session, document)?,
            Connected::Nor(chip) => test(target, run, chip, session, document)?,
        };
        if tested.stopped {
            return Ok(false);
        }
        match tested.failure {
            None => chips.push(tested.lives),
            Some(failure) => {
                run.failed(sample, &failure, document);
                chips.push(Vec::new());
            }
        }
    }
    run.rows(&chips, document);
    if let Some(specified) = Specified::of(target, block_bytes) {
        run.specified(&specified, document);
    }
    Ok(true)
}

/// Lets a chip age and tests its blocks.
fn test<C: Chip>(
    target: &Target<'_>,
    run: &Run<'_>,
    mut chip: C,
    session: &mut Session<'_>,
    document: &mut ResultSet,
) -> Result<Tested<NvmError>, LabError> {
    chip.age(run.environment)
        .map_err(|problem| LabError::Wear {
            target: target.name.clone(),
            part: target.part.header.id.clone(),
            problem: problem.to_string(),
        })?;
    sources::add(document, target, &chip, run.timing);
    lives(run, &chip, session)
}

/// What every reader of an endurance should know.
fn warn(workload: &WearWorkload, document: &mut ResultSet) {
    let advice = "endurance is counted until a chip reports a failure, without the limits of an ECC and without \
                  retention: no lifetime that a maker promises, which is what compare goes by";
    document.warn(WarningCode::Caution, advice.to_owned());
    if check::environments(workload).any(|environment| environment.celsius < 5.0) {
        let advice = "below 5 degrees Celsius stress is extrapolated from two temperatures";
        document.warn(WarningCode::Extrapolated, advice.to_owned());
    }
    if check::environments(workload)
        .any(|environment| environment.dwell != Environment::default().dwell)
    {
        let advice = "what a dwell between program and erase does to endurance is assumed: nobody measured it for \
                      these chips";
        document.warn(WarningCode::Caution, advice.to_owned());
    }
}

/// A chip of a target. Its wear begins where the experiment's age says.
fn connect(target: &Target<'_>, run: &Run<'_>, sample: u32) -> Result<Connected, LabError> {
    let seed = match sample {
        0 => run.experiment.seed,
        other => draw(run.experiment.seed, u64::from(other), 0, Purpose::Chip),
    };
    let conditions = Conditions {
        timing: run.timing,
        age: run.experiment.age,
        seed,
    };
    let connected = chip::connect(target, conditions).map_err(|source| LabError::Device {
        target: target.name.clone(),
        source,
    })?;
    match connected {
        Some(connected) => Ok(connected),
        None => unreachable!("other memories were refused"),
    }
}

/// The lives of a simulated chip's first good blocks.
fn lives<C: Chip>(
    run: &Run<'_>,
    fresh: &C,
    session: &mut Session<'_>,
) -> Result<Tested<NvmError>, LabError> {
    let zeros = vec![0; fresh.geometry().page_bytes as usize];
    let plan = run.plan(&zeros, fresh.geometry().pages_per_block);
    let mut chip = fresh.fork_flash();
    let blocks = match session::first_good(&mut chip, run.workload.blocks) {
        Ok(blocks) => blocks,
        Err(failure) => return Ok(Tested::failed(failure)),
    };
    if run.workload.order == Pattern::Random {
        let clock = chip.clock().clone();
        let mut next = random(run.experiment.seed);
        return session.cycle(&mut chip, &clock, &plan, &blocks, &mut next);
    }
    let mut all = Tested::default();
    for block in blocks {
        let mut chip = fresh.fork_flash();
        let clock = chip.clock().clone();
        let tested = session.cycle(&mut chip, &clock, &plan, &[block], &mut in_turn)?;
        all.lives.extend(tested.lives);
        (all.stopped, all.failure) = (tested.stopped, tested.failure);
        if all.stopped || all.failure.is_some() {
            break;
        }
    }
    Ok(all)
}
