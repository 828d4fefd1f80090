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
#[cfg(unix)]
mod real;
mod rows;
mod session;
mod tester;
mod virtual_chips;

pub(crate) use course::{CourseStep, WearCourse};
pub(crate) use virtual_chips::{block_shape, courses};

use std::ops::Range;

use chip::Specified;
use log::OperationLog;
use rows::{EnduranceRun, Who};
use session::{Session, Tested, in_turn, random};
use wordline_catalog::{Capability, PartOnBoard, Target};
use wordline_core::draw::{Purpose, draw};
use wordline_core::{Experiment, Pattern, ResultSet, WearWorkload};
use wordline_nvm::ageing::Environment;
use wordline_nvm::{Conditions, CycledFlash, NvmError};

use crate::control::Control;
use crate::error::LabError;
use crate::instrument::case::{self, Case};
use crate::warning::LabWarning;
use crate::{open, sources};

/// Wears the targets of an experiment: simulated chips, or one raw flash device of the host.
pub(crate) fn run(
    targets: Vec<Target<'_>>,
    workload: &WearWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::workload(workload, experiment)?;
    #[cfg(unix)]
    if let Some(device) = real::named(&targets)? {
        return real::run(device, workload, experiment, control, document);
    }
    for target in &targets {
        target.require(&[Capability::Flash])?;
    }
    let targets = open::parts(targets)?;
    simulate(&targets, workload, experiment, control, document)
}

/// Runs every usage in every environment on the chips of every target, and adds what it found to the document.
fn simulate(
    targets: &[PartOnBoard<'_>],
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
                    let run = EnduranceRun {
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
    let mut log = OperationLog::begin(control)?;
    let logged = control.cycling_log.is_some();
    let chunk = match workload.order {
        Pattern::Sequential => BLOCKS_TOGETHER.min(workload.blocks),
        // The order is drawn among all blocks.
        Pattern::Random => workload.blocks,
    };
    let mut cases = Vec::new();
    for (target, run) in &runs {
        for sample in 0..workload.samples {
            for first in (0..workload.blocks).step_by(chunk as usize) {
                let blocks = first..workload.blocks.min(first.saturating_add(chunk));
                let weight = u64::from(blocks.end - blocks.start);
                let name = target.name.as_str();
                cases.push(Case::new(name, weight, move |control: &Control<'_>| {
                    wear_blocks(target, run, sample, blocks, control, logged)
                }));
            }
        }
    }
    let of_chip = workload.blocks.div_ceil(chunk) as usize;
    let mut ended = case::run_fallible(cases, control)?.into_iter();
    for (target, run) in &runs {
        let mut chips = Vec::new();
        let mut block_bytes = 0;
        let mut finished = true;
        for sample in 0..workload.samples {
            let mut lives = Some(Vec::new());
            let parts: Vec<_> = ended.by_ref().take(of_chip).collect();
            for part in parts {
                let Some(part) = part.transpose()? else {
                    finished = false;
                    continue;
                };
                let Some(so_far) = &mut lives else { continue };
                document.absorb(part.document);
                log.append(&part.log)?;
                block_bytes = part.block_bytes;
                finished &= !part.tested.stopped;
                so_far.extend(part.tested.lives);
                if let Some(failure) = part.tested.failure {
                    run.failed(sample, &failure, document);
                    lives = None;
                }
            }
            chips.push(lives.unwrap_or_default());
        }
        if !finished {
            document.complete = false;
            continue;
        }
        run.rows(&chips, document);
        if let Some(specified) = Specified::of(target, block_bytes) {
            run.specified(&specified, document);
        }
    }
    log.finish()
}

/// Blocks of a chip that are worn on one thread, one after the other.
const BLOCKS_TOGETHER: u32 = 8;

/// What became of some blocks of a chip.
struct WornBlocks {
    document: ResultSet,
    /// Bytes of a block.
    block_bytes: u64,
    tested: Tested<NvmError>,
    /// Their part of the cycling log.
    log: Vec<u8>,
}

/// Tests some of a chip's good blocks, counted from the first.
fn wear_blocks(
    target: &PartOnBoard<'_>,
    run: &EnduranceRun<'_>,
    sample: u32,
    blocks: Range<u32>,
    control: &Control<'_>,
    logged: bool,
) -> Result<WornBlocks, LabError> {
    let mut document = ResultSet::new(run.experiment.clone());
    let weight = u64::from(blocks.end - blocks.start);
    let mut session = Session::new(control, OperationLog::part(logged), weight);
    session.chip = match run.workload.samples {
        1 => target.name.clone(),
        _ => format!("{}#{sample}", target.name),
    };
    let chip = connect(target, run, sample)?;
    let geometry = chip.geometry();
    check::enough(target, run.workload, u64::from(geometry.blocks))?;
    let tested = test(target, run, chip, blocks, &mut session, &mut document)?;
    Ok(WornBlocks {
        document,
        block_bytes: geometry.block_bytes(),
        tested,
        log: session.into_held(),
    })
}

/// Lets a chip age and tests its blocks.
fn test(
    target: &PartOnBoard<'_>,
    run: &EnduranceRun<'_>,
    mut chip: Box<dyn CycledFlash>,
    blocks: Range<u32>,
    session: &mut Session<'_>,
    document: &mut ResultSet,
) -> Result<Tested<NvmError>, LabError> {
    chip.start_ageing(run.environment)
        .map_err(|why| check::not_worn(target, why))?;
    sources::add(document, target, &*chip, run.timing);
    lives(run, &*chip, blocks, session)
}

/// What every reader of an endurance should know.
fn warn(workload: &WearWorkload, document: &mut ResultSet) {
    document.warn(LabWarning::WithoutRetention);
    if check::environments(workload).any(|environment| environment.celsius < 5.0) {
        document.warn(LabWarning::ColdExtrapolated);
    }
    if check::environments(workload)
        .any(|environment| environment.dwell != Environment::default().dwell)
    {
        document.warn(LabWarning::DwellAssumed);
    }
}

/// A chip of a target. Its wear begins where the experiment's age says.
fn connect(
    target: &PartOnBoard<'_>,
    run: &EnduranceRun<'_>,
    sample: u32,
) -> Result<Box<dyn CycledFlash>, LabError> {
    let seed = match sample {
        0 => run.experiment.seed,
        other => draw(run.experiment.seed, u64::from(other), 0, Purpose::Chip),
    };
    let conditions = Conditions {
        timing: run.timing,
        age: run.experiment.age,
        seed,
    };
    let connected = target
        .connect_cycled(conditions)
        .map_err(|source| LabError::Device {
            target: target.name.clone(),
            source,
        })?;
    match connected {
        Some(connected) => Ok(connected),
        None => unreachable!("other memories were refused"),
    }
}

/// The lives of some of a simulated chip's good blocks, counted from the first.
fn lives(
    run: &EnduranceRun<'_>,
    fresh: &dyn CycledFlash,
    wanted: Range<u32>,
    session: &mut Session<'_>,
) -> Result<Tested<NvmError>, LabError> {
    let zeros = vec![0; fresh.geometry().page_bytes as usize];
    let plan = run.plan(&zeros, fresh.geometry().pages_per_block);
    let mut chip = fresh.fork_cycled();
    let blocks = match session::first_good(&mut *chip, wanted.end) {
        Ok(mut blocks) => blocks.split_off((wanted.start as usize).min(blocks.len())),
        Err(failure) => return Ok(Tested::failed(failure)),
    };
    if run.workload.order == Pattern::Random {
        let clock = chip.clock().clone();
        let mut next = random(run.experiment.seed);
        return session.cycle(&mut *chip, &clock, &plan, &blocks, &mut next);
    }
    let mut all = Tested::default();
    for block in blocks {
        let mut chip = fresh.fork_cycled();
        let clock = chip.clock().clone();
        let tested = session.cycle(&mut *chip, &clock, &plan, &[block], &mut in_turn)?;
        all.lives.extend(tested.lives);
        (all.stopped, all.failure) = (tested.stopped, tested.failure);
        if all.stopped || all.failure.is_some() {
            break;
        }
    }
    Ok(all)
}
