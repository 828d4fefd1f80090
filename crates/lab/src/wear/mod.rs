//! Endurance and latency over life: blocks that are cycled until they fail.
//!
//! Blocks of chips that age are programmed and erased as `nand-characterisation` did it: one page with zeros, then the
//! whole block, without a pause. The [tester](tester) knows a flash memory and a clock alone; simulated chips skip
//! cycles that go alike. Blocks share nothing, so each is tested on a fork of its fresh chip, from time zero, unless
//! their cycles are asked for in random order.

mod check;
mod course;
mod rows;
mod tester;

use course::Course;
use rows::Run;
use tester::{Plan, advance, read};
use wordline_catalog::Target;
use wordline_core::draw::{Purpose, draw};
use wordline_core::results::WarningCode;
use wordline_core::{Experiment, Pattern, ResultSet, Timing, WearWorkload};
use wordline_memory::Flash as _;
use wordline_nvm::ageing::Environment;
use wordline_nvm::{Accounts as _, Conditions, Named, Nand, NandSheet, NvmError, Wired};

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
    let sheets = check::check(targets, workload, experiment)?;
    warn(workload, document);
    let mut runs = Vec::new();
    for &timing in &experiment.timings {
        for (target, &sheet) in targets.iter().zip(&sheets) {
            for environment in check::environments(workload) {
                let usages = workload.usages.iter();
                runs.extend(usages.map(|&usage| Run {
                    target,
                    sheet,
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
        let mut courses = Vec::new();
        for sample in 0..workload.samples {
            let nand = connect(run, sample)?;
            sources::add(document, run.target, &nand, run.timing);
            let mut breathe = || {
                done += 1;
                control.report(Progress {
                    step: &run.target.name,
                    done_bytes: done,
                    total_bytes: total,
                });
                !control.stopped()
            };
            match lives(run, &nand, &mut breathe) {
                Ok(Some(lives)) => courses.push(lives),
                Ok(None) => {
                    document.complete = false;
                    return Ok(());
                }
                Err(failure) => {
                    run.failed(sample, &failure, document);
                    courses.push(Vec::new());
                }
            }
        }
        run.rows(&courses, document);
    }
    Ok(())
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

/// A chip of a target that ages. Its wear begins where the experiment's age says.
fn connect(run: &Run<'_>, sample: u32) -> Result<Wired<Nand>, LabError> {
    let of_device = |source| LabError::Device {
        target: run.target.name.clone(),
        source,
    };
    let seed = match sample {
        0 => run.experiment.seed,
        other => draw(run.experiment.seed, u64::from(other), 0, Purpose::Chip),
    };
    let conditions = Conditions {
        timing: run.timing,
        age: run.experiment.age,
        seed,
    };
    let part = Named {
        id: &run.target.part.header.id,
        sheet: run.sheet,
    };
    let board = Named {
        id: &run.target.board.header.id,
        sheet: &run.target.board.board,
    };
    let mut nand = Wired::connect::<NandSheet>(part, board, conditions).map_err(of_device)?;
    nand.start_ageing(run.environment)
        .map_err(|problem| LabError::Wear {
            target: run.target.name.clone(),
            part: run.target.part.header.id.clone(),
            problem: problem.to_string(),
        })?;
    Ok(nand)
}

/// The lives of a chip's first good blocks; `None` when the caller wants to stop.
fn lives(
    run: &Run<'_>,
    fresh: &Wired<Nand>,
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<(u32, Course)>>, NvmError> {
    let geometry = fresh.geometry();
    let zeros = vec![0; geometry.page_bytes as usize];
    let plan = Plan {
        pages: run.usage.pages(geometry.pages_per_block),
        data: &zeros,
        most: run.workload.most_cycles,
        drawn: run.timing == Timing::Sampled,
    };
    let good = (0..geometry.blocks).filter(|block| !fresh.chip().is_marked(*block));
    let blocks: Vec<u32> = good.take(run.workload.blocks as usize).collect();
    match run.workload.order {
        Pattern::Sequential => in_order(fresh, &plan, &blocks, breathe),
        Pattern::Random => mixed(run, fresh, &plan, &blocks, breathe),
    }
}

/// Each block by itself.
fn in_order(
    fresh: &Wired<Nand>,
    plan: &Plan<'_>,
    blocks: &[u32],
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<(u32, Course)>>, NvmError> {
    let mut courses = Vec::new();
    for &block in blocks {
        let mut nand = fresh.fork();
        let clock = nand.clock().clone();
        let mut course = Course::default();
        course.reads.push(read(&mut nand, &clock, block)?);
        while advance(&mut nand, &clock, plan, block, &mut course)? {}
        course.reads.push(read(&mut nand, &clock, block)?);
        courses.push((block, course));
        if !breathe() {
            return Ok(None);
        }
    }
    Ok(Some(courses))
}

/// Stretches of cycles, each of a block that is drawn from those that have not failed.
fn mixed(
    run: &Run<'_>,
    fresh: &Wired<Nand>,
    plan: &Plan<'_>,
    blocks: &[u32],
    breathe: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<(u32, Course)>>, NvmError> {
    let mut nand = fresh.fork();
    let clock = nand.clock().clone();
    let mut courses = Vec::new();
    for &block in blocks {
        let mut course = Course::default();
        course.reads.push(read(&mut nand, &clock, block)?);
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
        if !advance(&mut nand, &clock, plan, *block, course)? {
            course.reads.push(read(&mut nand, &clock, *block)?);
            alive.remove(place);
            if !breathe() {
                return Ok(None);
            }
        }
    }
    Ok(Some(courses))
}
