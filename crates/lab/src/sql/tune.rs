//! `wordline sql tune`: what a search on each target comes to, and whether power cuts leave it whole.
//!
//! The document has a few rows of each point that was run, and all of the defaults and of the best on each file system.
//! The fastest points get a verdict in turn, until one passes.

use wordline_core::{Experiment, Metric, ResultSet, SqlWorkload};

use super::TargetWithLog;
use super::case::{self, SqlSetup};
use super::crash;
use super::rows;
use super::script;
use super::search::{SearchTask, TriedPoint};
use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::fs::share_of_memory;
use crate::fs::system::{FileSystemCase, FileSystemChoices};
use crate::instrument::case::{DocumentCase, run_into};
use crate::warning::LabWarning;

/// Rounds that a search is taken to last, where progress is reported.
const ROUNDS: u64 = 2;

/// Runs a search on every target and adds what it found to the document.
pub(super) fn run(
    targets: &[TargetWithLog<'_>],
    workload: &SqlWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let script = workload.script.as_deref();
    let script = script.map(|file| script::read(file, control)).transpose()?;
    let works = case::works(workload);
    let mut cases = Vec::new();
    // The file system's choices come to about as many points as SQLite's settings.
    let points = 2 * SqlSetup::all(workload).len() as u64;
    let weight = ROUNDS * points * workload.file_systems.len() as u64;
    for &timing in &experiment.timings {
        // What a power cut leaves does not depend on how long anything takes.
        let is_first = experiment.timings.first() == Some(&timing);
        for (target, log) in targets {
            let choices = FileSystemChoices {
                file_systems: &[],
                settings: &workload.settings,
                asked_bytes: workload.capacity_bytes,
                bytes: &|model| share_of_memory(model, workload.capacity_bytes, 0),
            };
            let log = log.as_ref().map(|log| {
                let name = workload.log_engine();
                FileSystemCase::new(log, &name, timing, &choices, experiment, document)
            });
            let task = SearchTask {
                target,
                log: log.transpose()?,
                timing,
                workload,
                works: &works,
                script: script.as_deref(),
                experiment,
            };
            let work = move |control: &Control<'_>, document: &mut ResultSet| {
                let images = if is_first { workload.crash_images } else { 0 };
                let points = tried(&task, weight, control, document)?;
                let (verdicts, passed) = judge(&task, &points, images, control);
                add(&task, &points, passed, control, document);
                document.absorb(verdicts);
                document.complete = !control.stopped();
                Ok(())
            };
            cases.push(DocumentCase::document(
                target.name.clone(),
                weight,
                experiment,
                work,
            ));
        }
    }
    run_into(document, cases, control)
}

/// The points of every file system.
fn tried<'a>(
    task: &SearchTask<'a>,
    weight: u64,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Vec<TriedPoint<'a>>, LabError> {
    let done = std::cell::Cell::new(0);
    let mut all = Vec::new();
    for name in &task.workload.file_systems {
        let report = || {
            done.set(done.get() + 1);
            control.report(Progress {
                step: &format!("{}, {name}", task.target.name),
                done_bytes: done.get(),
                total_bytes: weight,
            });
        };
        all.extend(task.points(name, control, &report, document)?);
    }
    Ok(all)
}

/// Adds the rows of points: all of the defaults, of the best on each file system and of the one that passed, and a few of
/// the others.
fn add(
    task: &SearchTask<'_>,
    points: &[TriedPoint<'_>],
    passed: Option<&TriedPoint<'_>>,
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    for name in &task.workload.file_systems {
        let own = |point: &&TriedPoint<'_>| point.system.engine.kind.name() == name.name();
        let own: Vec<_> = points.iter().filter(own).collect();
        let best = fastest(own.iter().copied()).first().copied();
        let failures = own
            .iter()
            .filter_map(|point| Some((point, point.ran.as_ref().err()?)));
        let failures: Vec<_> = failures.collect();
        let Some((failed, failure)) = failures.first() else {
            add_points(task, &own, &[best, passed], control, document);
            continue;
        };
        if best.is_none() {
            // No setting that is allowed runs, and the first one says why.
            let system = failed.system.fork();
            let case = task.case(0, system, failed.setup, None, control);
            case.failed(failure, document);
        }
        add_points(task, &own, &[best, passed], control, document);
        if best.is_some() {
            document.warn(LabWarning::SettingsNotRun {
                target: &task.target.name,
                engine: &failed.system.engine.kind.title(),
                count: &failures.len(),
                all: &own.len(),
                first: &failed.name(),
                failure,
            });
        }
    }
}

/// Adds the rows of the points that ran, in their order.
fn add_points(
    task: &SearchTask<'_>,
    points: &[&TriedPoint<'_>],
    chosen: &[Option<&TriedPoint<'_>>],
    control: &Control<'_>,
    document: &mut ResultSet,
) {
    for (number, point) in points.iter().enumerate() {
        let Ok(ran) = &point.ran else {
            continue;
        };
        let mut chosen = chosen.iter().flatten();
        let is_chosen = number == 0 || chosen.any(|one| std::ptr::eq(*one, *point));
        for (work, measured) in ran.iter().enumerate() {
            let case = task.case(work, point.system.fork(), point.setup, None, control);
            match is_chosen {
                true => case.rows(measured, document),
                false => {
                    let subject = case.subject();
                    for work in &measured.works {
                        rows::add_tried(&subject.doing(work.operation), work, document);
                    }
                }
            }
        }
    }
}

/// The points that a search may come to, the fastest first; of equally fast ones the one that was tried first.
fn fastest<'p, 'a: 'p>(
    points: impl Iterator<Item = &'p TriedPoint<'a>>,
) -> Vec<&'p TriedPoint<'a>> {
    let mut all: Vec<_> = points.filter(|point| point.is_candidate()).collect();
    all.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    all
}

/// The verdicts of the fastest points, until one passes, and that one. Where one fails, others that keep transactions whole
/// in the same way on the same file system are not tried.
fn judge<'p, 'a>(
    task: &SearchTask<'_>,
    points: &'p [TriedPoint<'a>],
    images: u64,
    control: &Control<'_>,
) -> (ResultSet, Option<&'p TriedPoint<'a>>) {
    let mut verdicts = ResultSet::new(task.experiment.clone());
    let mut failed = Vec::new();
    for point in fastest(points.iter()) {
        let setup = &point.setup;
        let engine = point.system.engine.kind.name();
        let way = (engine, setup.journal, setup.sync, setup.told);
        if failed.contains(&way) {
            continue;
        }
        if images == 0 || control.stopped() {
            break;
        }
        let mut verdict = ResultSet::new(task.experiment.clone());
        if !crash::add(
            (&point.system, task.log.as_ref()),
            setup,
            images,
            control,
            &mut verdict,
        ) {
            break;
        }
        let passes = verdict
            .of(Metric::CrashFailures)
            .all(|row| row.value == Some(0.0));
        verdicts.absorb(verdict);
        if passes {
            return (verdicts, Some(point));
        }
        failed.push(way);
    }
    (verdicts, None)
}
