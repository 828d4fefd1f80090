//! A raw memory over access sizes: the benchmark of `mram-vs-flash-benchmark`.
//!
//! Each target, operation, pattern and size is a run of its own on a fresh device: accesses from
//! address 0 one after the other, starting over before the one that would cross the wrap address, or
//! at random below it; in several parts of that range in turn, where streams are asked for. Every byte is
//! real: each read is compared with what was stored, and after the writes of a run the memory is
//! read back. Reads can also be run while the memory erases or programs: see [`crate::during`].

mod check;
mod drive;
mod rows;

use std::sync::{Arc, Mutex};

use drive::{PreparedDevice, RawWork};
use rows::{RawRun, RawVariant};
use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::NoValue;
use wordline_core::{Experiment, Operation, RawWorkload, ResultSet};
use wordline_nvm::{Device, Pipeline};

use crate::control::Control;
use crate::during::During;
use crate::error::LabError;
use crate::instrument::MeteredMemory;
use crate::instrument::case::{self, DocumentCase};
use crate::payload::Payload;
use crate::sources;
use crate::warning::LabWarning;

/// The benchmark's workload, fitted to some targets and to what the user asked for: it wraps at
/// the end of the smallest part where that comes before 8 MiB, and leaves out access sizes that fit
/// neither `wrap` nor `total`, all in bytes.
#[must_use]
pub fn default_workload(
    targets: &[PartOnBoard<'_>],
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
    targets: &[PartOnBoard<'_>],
    workload: &RawWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let mut fresh = Vec::new();
    // The same devices as they are read, where that is through the address space.
    let mut windows = Vec::new();
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
                document.warn(LabWarning::NoPipeline {
                    target: &name,
                    what: &what,
                });
            }
        }
        if several_planes {
            let name = &target.name;
            document.warn(LabWarning::OnePlaneCurrents { target: &name });
            if workload.cache_read {
                document.warn(LabWarning::NoPlaneCache { target: &name });
            }
        }
        let window = if workload.mapped {
            map_reads(device.as_ref(), target, document)
        } else {
            None
        };
        let read = window.as_deref().unwrap_or(device.as_ref());
        sources::add(document, target, read, timing);
        windows.push(window);
        fresh.push((target, timing, device));
    }
    check::check(&mut fresh, workload, experiment.seed)?;
    let weight = workload.total_bytes.saturating_add(workload.warm_up_bytes);
    let mut cases = Vec::new();
    for ((target, timing, device), window) in fresh.iter().zip(&windows) {
        let (target, timing) = (*target, *timing);
        let sizes = workload.access_bytes.iter().copied();
        let payload = Payload::suited(experiment.seed, device.as_ref(), sizes);
        for &operation in &workload.operations {
            let window = window.as_ref().filter(|_| operation == Operation::Read);
            let device = window.unwrap_or(device);
            let mut shared: Option<(Option<f64>, Arc<PreparedDevice>)> = None;
            for variant in variants(workload, operation) {
                // What is prepared for one variant serves those after it that begin alike.
                let begin = match shared.take().filter(|(fill, _)| *fill == variant.fill) {
                    Some((_, begin)) => begin,
                    None => Arc::new(Mutex::new((false, device.fork_device()))),
                };
                shared = Some((variant.fill, Arc::clone(&begin)));
                let run = RawRun {
                    target,
                    timing,
                    operation,
                    experiment,
                    workload,
                    mapped: window.is_some(),
                    variant,
                };
                let (name, payload) = (run.name(), payload.clone());
                let work = move |control: &Control<'_>, document: &mut ResultSet| {
                    let work = RawWork {
                        workload,
                        payload,
                        seed: experiment.seed,
                        control,
                    };
                    let device = work.begin(&begin, &run)?;
                    document.complete = one(&work, &run, device, document);
                    Ok(())
                };
                cases.push(DocumentCase::document(name, weight, experiment, work));
            }
        }
    }
    case::run_into(document, cases, control)
}

/// A fork of a device whose reads go through the address space; `None`, with a warning, where its board does not map it.
fn map_reads(
    device: &dyn Device,
    target: &PartOnBoard<'_>,
    document: &mut ResultSet,
) -> Option<Box<dyn Device>> {
    let mut device = device.fork_device();
    if device.map_reads() {
        return Some(device);
    }
    document.warn(LabWarning::NotMapped {
        target: &target.name,
    });
    None
}

/// One run on a prepared device. Returns whether it came to its end, with figures or without.
fn one(
    work: &RawWork<'_>,
    run: &RawRun<'_>,
    mut device: Box<dyn Device>,
    document: &mut ResultSet,
) -> bool {
    if let Some(unit) = run.needs_translation(device.as_ref()) {
        run.without_value(NoValue::NotApplicable, document);
        document.warn(LabWarning::NeedsTranslation {
            name: &run.name(),
            block: &ByteCount::from_bytes(unit),
        });
        return true;
    }
    if let Some(during) = run.variant.during
        && !during.applies(&run.target.name, device.as_mut(), document)
    {
        run.without_value(NoValue::NotApplicable, document);
        return true;
    }
    let mut memory = MeteredMemory::new(device, u64::MAX);
    match work.drive(&mut memory, run) {
        Ok(Some(tally)) => run.rows(&tally, document),
        Ok(None) => return false,
        Err(failure) => {
            run.without_value(NoValue::Failed, document);
            run.read_only(memory.backend().translation(), document);
            document.warn(LabWarning::RunFailed {
                name: &run.name(),
                failure: &failure,
            });
        }
    }
    true
}

/// The runs of one target and operation.
fn variants(workload: &RawWorkload, operation: Operation) -> Vec<RawVariant> {
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
                            RawVariant {
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
