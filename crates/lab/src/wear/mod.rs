//! Endurance and latency over life: blocks that are cycled until they fail.
//!
//! Blocks of chips that age are programmed and erased as `nand-characterisation` did it: one page with zeros, then the
//! whole block, without a pause. The [tester](tester) knows a flash memory and a clock alone; simulated chips skip
//! cycles that go alike. Blocks share nothing, so each is tested on a fork of its fresh chip, from time zero, unless
//! their cycles are asked for in random order.

mod check;
mod chip;
mod course;
mod rows;
mod tester;

use chip::{Chip, Connected, Specified};
pub(crate) use course::{Course, Step};
use rows::{Lives, Run};
use tester::{Plan, advance, read};
use wordline_catalog::Target;
use wordline_core::draw::{Purpose, draw};
use wordline_core::results::WarningCode;
use wordline_core::{Experiment, Pattern, ResultSet, Timing, WearUsage, WearWorkload, Workload};
use wordline_nvm::ageing::Environment;
use wordline_nvm::{Conditions, NvmError};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::sources;

/// Runs every usage in every environment on the chips of every target, and adds what it found to the document.
pub(crate) fn run(
    targets: &[Target<'_>],
    workload: &WearWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(targets, workload, experiment)?;
    warn(workload, document);
    let mut runs = Vec::new();
    for &timing in &experiment.timings {
        for target in targets {
            for environment in check::environments(workload) {
                let usages = workload.usages.iter();
                runs.extend(usages.map(|&usage| Run {
                    target,
                    timing,
                    environment,
                    usage,
                    workload,
                    experiment,
                }));
            }
        }
    }
    let total = runs.len() as u64 * u64::from(workload.samples) * u64::from(workload.blocks);
    let mut done = 0;
    for run in &runs {
        let mut breathe = || {
            done += 1;
            control.report(Progress {
                step: &run.target.name,
                done_bytes: done,
                total_bytes: total,
            });
            !control.stopped()
        };
        if !samples(run, &mut breathe, document)? {
            document.complete = false;
            return Ok(());
        }
    }
    Ok(())
}

/// The lives of blocks of some chips of a target, each cycled until it fails, at typical timing; `None` when the caller
/// wants to stop.
pub(crate) fn courses(
    target: &Target<'_>,
    workload: &WearWorkload,
    seed: u64,
    control: &Control<'_>,
) -> Result<Option<Vec<Course>>, LabError> {
    let experiment = Experiment {
        targets: vec![target.name.clone()],
        workload: Workload::Wear(workload.clone()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed,
        ftl: None,
    };
    let usage = workload.usages.first().copied();
    let run = Run {
        target,
        timing: Timing::Typ,
        environment: Environment::default(),
        usage: usage.unwrap_or(WearUsage::FirstPage),
        workload,
        experiment: &experiment,
    };
    let mut unused = ResultSet::new(experiment.clone());
    let mut courses = Vec::new();
    for sample in 0..workload.samples {
        let mut breathe = || !control.stopped();
        let lives = match connect(&run, sample)? {
            Connected::Nand(chip) => test(&run, chip, &mut breathe, &mut unused)?,
            Connected::Nor(chip) => test(&run, chip, &mut breathe, &mut unused)?,
        };
        let lives = lives.map_err(|source| LabError::Device {
            target: target.name.clone(),
            source,
        })?;
        let Some(lives) = lives else {
            return Ok(None);
        };
        courses.extend(lives.into_iter().map(|(_, course)| course));
    }
    Ok(Some(courses))
}

/// Bytes of a block of a target, as its board erases it, and how many there are; no blocks of a memory that is no raw
/// flash.
pub(crate) fn block_shape(target: &Target<'_>) -> Result<(u64, u64), LabError> {
    let connected = chip::connect(
        target,
        Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        },
    );
    let connected = connected.map_err(|source| LabError::Device {
        target: target.name.clone(),
        source,
    })?;
    Ok(connected.map_or((0, 0), |chip| chip.blocks()))
}

/// Tests the chips of a run and adds its rows; returns whether the caller lets it come to its end.
fn samples(
    run: &Run<'_>,
    breathe: &mut dyn FnMut() -> bool,
    document: &mut ResultSet,
) -> Result<bool, LabError> {
    let mut chips = Vec::new();
    let mut block_bytes = 0;
    for sample in 0..run.workload.samples {
        let connected = connect(run, sample)?;
        let (bytes, blocks) = connected.blocks();
        block_bytes = bytes;
        check::enough(run.target, run.workload, blocks)?;
        let tested = match connected {
            Connected::Nand(chip) => test(run, chip, breathe, document)?,
            Connected::Nor(chip) => test(run, chip, breathe, document)?,
        };
        match tested {
            Ok(Some(lives)) => chips.push(lives),
            Ok(None) => return Ok(false),
            Err(failure) => {
                run.failed(sample, &failure, document);
                chips.push(Vec::new());
            }
        }
    }
    run.rows(&chips, document);
    if let Some(specified) = Specified::of(run.target, block_bytes) {
        run.specified(&specified, document);
    }
    Ok(true)
}

/// Lets a chip age and tests its blocks.
fn test<C: Chip>(
    run: &Run<'_>,
    mut chip: C,
    breathe: &mut dyn FnMut() -> bool,
    document: &mut ResultSet,
) -> Result<Result<Option<Lives>, NvmError>, LabError> {
    chip.age(run.environment)
        .map_err(|problem| LabError::Wear {
            target: run.target.name.clone(),
            part: run.target.part.header.id.clone(),
            problem: problem.to_string(),
        })?;
    sources::add(document, run.target, &chip, run.timing);
    Ok(lives(run, &chip, breathe))
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
fn connect(run: &Run<'_>, sample: u32) -> Result<Connected, LabError> {
    let seed = match sample {
        0 => run.experiment.seed,
        other => draw(run.experiment.seed, u64::from(other), 0, Purpose::Chip),
    };
    let conditions = Conditions {
        timing: run.timing,
        age: run.experiment.age,
        seed,
    };
    let connected = chip::connect(run.target, conditions).map_err(|source| LabError::Device {
        target: run.target.name.clone(),
        source,
    })?;
    match connected {
        Some(connected) => Ok(connected),
        None => unreachable!("other memories were refused"),
    }
}

/// The lives of a chip's first good blocks; `None` when the caller wants to stop.
fn lives<C: Chip>(
    run: &Run<'_>,
    fresh: &C,
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Lives>, NvmError> {
    let geometry = fresh.geometry();
    let zeros = vec![0; geometry.page_bytes as usize];
    let plan = Plan {
        pages: run.usage.pages(geometry.pages_per_block),
        data: &zeros,
        most: run.workload.most_cycles,
        drawn: run.timing == Timing::Sampled,
    };
    let mut chip = fresh.fork_flash();
    let mut blocks = Vec::new();
    for block in 0..geometry.blocks {
        if blocks.len() as u64 == u64::from(run.workload.blocks) {
            break;
        }
        if !chip.is_bad(block)? {
            blocks.push(block);
        }
    }
    match run.workload.order {
        Pattern::Sequential => in_order(fresh, &plan, &blocks, breathe),
        Pattern::Random => mixed(run, fresh, &plan, &blocks, breathe),
    }
}

/// Each block by itself.
fn in_order<C: Chip>(
    fresh: &C,
    plan: &Plan<'_>,
    blocks: &[u32],
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Lives>, NvmError> {
    let mut courses = Vec::new();
    for &block in blocks {
        let mut chip = fresh.fork_flash();
        let clock = chip.clock().clone();
        let mut course = Course::default();
        course.reads.push(read(&mut chip, &clock, block)?);
        while advance(&mut chip, &clock, plan, block, &mut course)? {}
        course.reads.push(read(&mut chip, &clock, block)?);
        courses.push((block, course));
        if !breathe() {
            return Ok(None);
        }
    }
    Ok(Some(courses))
}

/// Stretches of cycles, each of a block that is drawn from those that have not failed.
fn mixed<C: Chip>(
    run: &Run<'_>,
    fresh: &C,
    plan: &Plan<'_>,
    blocks: &[u32],
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Lives>, NvmError> {
    let mut chip = fresh.fork_flash();
    let clock = chip.clock().clone();
    let mut courses = Vec::new();
    for &block in blocks {
        let mut course = Course::default();
        course.reads.push(read(&mut chip, &clock, block)?);
        courses.push((block, course));
    }
    let mut alive: Vec<usize> = (0..blocks.len()).collect();
    for turn in 0.. {
        if alive.is_empty() {
            break;
        }
        let lot = draw(run.experiment.seed, 0, turn, Purpose::Address);
        let place = (lot % alive.len() as u64) as usize;
        let (block, course) = &mut courses[alive[place]];
        if !advance(&mut chip, &clock, plan, *block, course)? {
            course.reads.push(read(&mut chip, &clock, *block)?);
            alive.remove(place);
            if !breathe() {
                return Ok(None);
            }
        }
    }
    Ok(Some(courses))
}
