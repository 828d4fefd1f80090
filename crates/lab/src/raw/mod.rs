//! A raw memory over access sizes: the benchmark of `mram-vs-flash-benchmark`.
//!
//! Each target, operation, pattern and size is a run of its own on a fresh device: accesses from
//! address 0 one after the other, starting over before the one that would cross the wrap address, or
//! at random below it; in several parts of that range in turn, where streams are asked for. Every byte is
//! real: each read is compared with what was stored, and after the writes of a run the memory is
//! read back. Reads can also be run while the memory erases or programs: see [`crate::during`].

mod check;
mod drive;

use drive::Work;
use wordline_catalog::Target;
use wordline_core::quantity::{Quantity, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{Experiment, Operation, RawWorkload, ResultSet};
use wordline_nvm::{Device, Pipeline};

use crate::control::Control;
use crate::during::During;
use crate::error::LabError;
use crate::payload::Payload;
use crate::rows::{Run, Variant, rows};
use crate::sources;

/// The benchmark's workload, fitted to some targets and to what the user asked for: it wraps at
/// the end of the smallest part where that comes before 8 MiB, and leaves out access sizes that fit
/// neither `wrap` nor `total`, all in bytes.
#[must_use]
pub fn default_workload(
    targets: &[Target<'_>],
    wrap: Option<u64>,
    total: Option<u64>,
) -> RawWorkload {
    let mut workload = RawWorkload::default();
    let usable = targets
        .iter()
        .map(|target| target.part.model.usable_bytes());
    let smallest = usable.min().unwrap_or(u64::MAX);
    workload.wrap_bytes = wrap.unwrap_or(smallest.min(workload.wrap_bytes));
    workload.total_bytes = total.unwrap_or(workload.total_bytes);
    let most = workload.wrap_bytes.min(workload.total_bytes);
    if workload.access_bytes.iter().any(|bytes| *bytes <= most) {
        workload.access_bytes.retain(|bytes| *bytes <= most);
    } else {
        workload.access_bytes = vec![most];
    }
    workload
}

/// Runs the workload on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[Target<'_>],
    workload: &RawWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let mut fresh = Vec::new();
    let runs = experiment.timings.iter();
    for (timing, target) in runs.flat_map(|timing| targets.iter().map(move |one| (*timing, one))) {
        let mut device = crate::connect(target, timing, experiment)?;
        let mut several_planes = false;
        for (asked, pipeline, what) in [
            (
                workload.cache_read,
                Pipeline::CacheRead,
                "pipelined page load",
            ),
            (
                workload.cache_program,
                Pipeline::CacheProgram,
                "cache program",
            ),
            (
                workload.multi_plane,
                Pipeline::MultiPlane,
                "work on several planes",
            ),
        ] {
            if !asked {
                continue;
            }
            if device.use_pipeline(pipeline) {
                several_planes |= pipeline == Pipeline::MultiPlane;
            } else {
                let name = &target.name;
                let advice = format!("{name}: this memory has no {what}; it runs as without it");
                document.warn(WarningCode::NoPipeline, advice);
            }
        }
        if several_planes {
            let name = &target.name;
            let advice = format!(
                "{name}: the sheet states currents of one plane at work; energy of several is understated"
            );
            document.warn(WarningCode::ExtrapolatedCurrent, advice);
            if workload.cache_read {
                let advice = format!("{name}: reads of several planes do not use the cache read");
                document.warn(WarningCode::NoPipeline, advice);
            }
        }
        sources::add(document, target, device.as_ref(), timing);
        fresh.push((target, timing, device));
    }
    check::check(&mut fresh, workload, experiment.seed)?;
    let runs = fresh.len()
        * workload
            .operations
            .iter()
            .map(|one| variants(workload, *one).len())
            .sum::<usize>();
    let a_run = workload.total_bytes.saturating_add(workload.warm_up_bytes);
    let mut done_bytes = 0;
    for (target, timing, device) in &fresh {
        let sizes = workload.access_bytes.iter().copied();
        let mut work = Work {
            workload,
            payload: Payload::suited(experiment.seed, device.as_ref(), sizes),
            seed: experiment.seed,
            control,
            done_bytes,
            total_bytes: a_run.saturating_mul(runs as u64),
        };
        for &operation in &workload.operations {
            // What is prepared for one variant serves those after it that begin alike.
            let mut prepared: Option<(Option<f64>, Box<dyn Device>)> = None;
            for variant in variants(workload, operation) {
                let begin = match prepared.take().filter(|(fill, _)| *fill == variant.fill) {
                    Some((_, begin)) => begin,
                    None => work
                        .prepare(device.as_ref(), operation, variant.fill)
                        .map_err(|source| LabError::Device {
                            target: target.name.clone(),
                            source,
                        })?,
                };
                let run = Run {
                    target,
                    timing: *timing,
                    operation,
                    experiment,
                    variant,
                };
                if !one(&mut work, &run, begin.as_ref(), document) {
                    document.complete = false;
                    return Ok(());
                }
                prepared = Some((variant.fill, begin));
            }
        }
        done_bytes = work.done_bytes;
    }
    Ok(())
}

/// One run on a fork of a prepared device. Returns whether it came to its end, with figures or without.
fn one(
    work: &mut Work<'_>,
    run: &Run<'_>,
    prepared: &dyn Device,
    document: &mut ResultSet,
) -> bool {
    let mut device = prepared.fork_device();
    if let Some(unit) = run.needs_translation(device.as_ref()) {
        run.without_value(NoValue::NotApplicable, document);
        let advice = format!("{}: {}", run.name(), crate::translation::needed(unit));
        document.warn(WarningCode::NeedsTranslation, advice);
        return true;
    }
    let obstacle = run
        .variant
        .during
        .and_then(|during| during.obstacle(device.as_mut()));
    if let Some((code, advice)) = obstacle {
        run.without_value(NoValue::NotApplicable, document);
        document.warn(code, format!("{}: {advice}", run.target.name));
        return true;
    }
    match work.drive(device.as_mut(), run) {
        Ok(Some(tally)) => rows(run, device.as_ref(), &tally, document),
        Ok(None) => return false,
        Err(failure) => {
            run.without_value(NoValue::Failed, document);
            let advice = format!("{}: {failure}", run.name());
            document.warn(WarningCode::RunFailed, advice);
        }
    }
    true
}

/// The runs of one target and operation.
fn variants(workload: &RawWorkload, operation: Operation) -> Vec<Variant> {
    fn each<T: Copy>(all: impl Iterator<Item = T>) -> Vec<Option<T>> {
        let all: Vec<Option<T>> = all.map(Some).collect();
        if all.is_empty() { vec![None] } else { all }
    }
    let fills = each(workload.fill.iter().map(|fill| fill.si()));
    let gaps = each(workload.gaps_ps.iter().copied().map(Time::from_ps));
    let streams = each(workload.streams.iter().copied());
    let mut variants = Vec::new();
    for &fill in &fills {
        for during in During::cases(workload, operation) {
            for &gap in &gaps {
                for &streams in &streams {
                    for &pattern in &workload.patterns {
                        variants.extend(workload.access_bytes.iter().map(|&access_bytes| {
                            Variant {
                                during,
                                fill,
                                gap,
                                streams,
                                pattern,
                                access_bytes,
                            }
                        }));
                    }
                }
            }
        }
    }
    variants
}
