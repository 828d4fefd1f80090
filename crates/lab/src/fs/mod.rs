//! File systems on memories: calls of each file system on each memory, in simulated time.
//!
//! What a file system gets of a target is a [`FileSystemMedium`](part::FileSystemMedium): its first bytes, with everything that is asked of them
//! counted. The memory is formatted and filled once for each fill level; each test then runs on a fork of it, mounted
//! anew, so that no test sees what another one left. Every call is timed by the memory's clock: what the file system
//! computes takes no time. Of the slowest call the rows say which operations of the memory it consisted of.

pub(crate) mod bound;
pub(crate) mod calls;
mod case;
pub(crate) mod check;
mod crash;
pub(crate) mod engine;
pub(crate) mod file_device;
#[cfg(unix)]
mod image;
mod layer_ram;
pub(crate) mod part;
mod pieces;
pub(crate) mod processor;
mod rows;
mod settings;
pub(crate) mod system;
mod volume;

use case::Case;
use engine::file_system;
use system::{FileSystemCase, FileSystemChoices};
use wordline_catalog::{Model, PartOnBoard};
use wordline_core::quantity::Quantity as _;
use wordline_core::{EngineName, Experiment, FsTest, FsWorkload, ResultSet};
use wordline_engines::{FILE_SYSTEMS, Needs, names};
use wordline_nvm::{FlashModel, MemoryClass};

#[cfg(unix)]
pub use image::{
    ImageContent, ImageOrigin, JournalProblem, SnapshotProblem, VolumeImage, VolumeImageError,
};
pub use volume::{Spent, Volume, VolumeReading};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::instrument::case::{DocumentCase, run_into};
use crate::payload::Payload;

/// Bytes of a memory that a file system gets where nothing else is said, at least.
const SHARE: u64 = 4 << 20;

/// Blocks of a NAND that it gets at least: a translation layer keeps some to itself.
const BLOCKS_MIN: u64 = 64;

/// Bytes that it gets for each small file, at least: of a memory that is half full, two clusters of a NOR sector.
const SHARE_OF_FILE: u64 = 16 << 10;

/// Parts of a step, of which there are few, in which progress is reported.
const PARTS_OF_STEP: f64 = 1000.0;

/// Bytes of a memory that a file system gets. They depend on the memory and the workload, never on other targets.
fn share(model: &Model, workload: &FsWorkload) -> u64 {
    let files = match workload.tests.contains(&FsTest::SmallFiles) {
        true => workload.files.saturating_mul(SHARE_OF_FILE),
        false => 0,
    };
    share_of_memory(model, workload.capacity_bytes, files)
}

/// Bytes of a memory that a file system gets: as many as were asked for, or a share that holds so many.
pub(crate) fn share_of_memory(model: &Model, asked_bytes: Option<u64>, least_bytes: u64) -> u64 {
    let usual = || {
        let geometry = model.flash().and_then(FlashModel::geometry);
        let blocks = geometry.map_or(0, |geometry| geometry.block_bytes() * BLOCKS_MIN);
        SHARE.max(blocks).max(least_bytes)
    };
    asked_bytes
        .unwrap_or_else(usual)
        .min(model.capacity_bytes())
}

/// The names of the file systems that an experiment can name, in the order of their list.
#[must_use]
pub fn file_systems() -> Vec<EngineName> {
    let names = names(FILE_SYSTEMS).into_iter();
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The file systems that run where nothing else is said: those that suit at least one of some targets.
pub(crate) fn file_systems_of(targets: &[PartOnBoard<'_>]) -> Vec<EngineName> {
    let takes_records = targets.iter().any(engine::takes_records);
    let has_bytes = targets
        .iter()
        .any(|target| target.part.model.class() == MemoryClass::ByteAddressable);
    let names = file_systems().into_iter();
    let runs = |name: &EngineName| match file_system(name) {
        Ok(engine) if engine.is_emulated() => false,
        Ok(engine) if engine.needs() == Needs::SpareFlash => takes_records,
        Ok(engine) if engine.needs() == Needs::Bytes => has_bytes,
        _ => true,
    };
    names.filter(runs).collect()
}

/// Whether a file system of a name promises that power cuts leave it whole.
pub(crate) fn survives_power_cuts(name: &EngineName) -> bool {
    file_system(name).is_ok_and(|engine| engine.promise().survives_power_cuts)
}

/// The workload as it is where nothing else is said, with the file systems that suit the targets, with files that fit the smallest of some targets, and with the
/// bytes that file systems are to get of each; their own share of each where it is `None`.
#[must_use]
pub fn default_fs_workload(targets: &[PartOnBoard<'_>], capacity: Option<u64>) -> FsWorkload {
    let default = FsWorkload {
        file_systems: file_systems_of(targets),
        capacity_bytes: capacity,
        ..FsWorkload::default()
    };
    let models = targets.iter().map(|target| &target.part.model);
    let smallest = models
        .map(|model| share(model, &default).min(model.usable_bytes()))
        .min();
    // An eighth of a small memory leaves room for the file's second copy and for what fills it.
    let most = smallest.map_or(u64::MAX, |smallest| smallest / 8);
    let file_bytes = default.file_bytes.min(most).max(1);
    FsWorkload {
        file_bytes,
        access_bytes: default.access_bytes.min(file_bytes),
        record_bytes: default.record_bytes.min(file_bytes),
        ..default
    }
}

/// Runs every file system on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[PartOnBoard<'_>],
    workload: &FsWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(targets, workload, experiment)?;
    let rates = crate::buffer::exact_rates(&workload.rates_bytes_per_s)?;
    let payload = Payload::new(experiment.seed);
    let choices = FileSystemChoices {
        file_systems: &workload.file_systems,
        settings: &workload.settings,
        asked_bytes: workload.capacity_bytes,
        bytes: &|model| share(model, workload),
    };
    let systems = FileSystemCase::all(targets, &choices, experiment, document)?;
    // Each fill level has a test after the other behind its own filling; the whole memory and the power cuts come last.
    let fills = workload.fill.iter().map(|fill| CasePart::Fill(fill.si()));
    let parts: Vec<CasePart> = fills.chain([CasePart::Whole, CasePart::Crash]).collect();
    let (payload, rates) = (&payload, rates.as_slice());
    let mut cases = Vec::new();
    for system in &systems {
        for &part in &parts {
            let steps = match part {
                CasePart::Fill(_) => workload.tests.len() + 1,
                CasePart::Whole | CasePart::Crash => 1,
            };
            let weight = (steps as f64 * PARTS_OF_STEP) as u64;
            let system = system.fork();
            let name = system.engine.target.name.clone();
            let work = move |control: &Control<'_>, document: &mut ResultSet| {
                let target = system.engine.target;
                let mut breathe = |steps: f64| {
                    control.report(Progress {
                        step: &target.name,
                        done_bytes: (steps * PARTS_OF_STEP) as u64,
                        total_bytes: weight,
                    });
                };
                // What a power cut leaves does not depend on how long anything takes.
                let first = experiment.timings.first() == Some(&system.timing);
                let case = Case {
                    system,
                    workload,
                    payload,
                    rates,
                    control,
                };
                document.complete = match part {
                    CasePart::Fill(fill) => case.run(fill, &mut breathe, document),
                    CasePart::Whole => {
                        case.whole(document);
                        true
                    }
                    CasePart::Crash if workload.crash_images > 0 && first => case.crash(document),
                    CasePart::Crash => true,
                };
                Ok(())
            };
            cases.push(DocumentCase::document(name, weight, experiment, work));
        }
    }
    run_into(document, cases, control)
}

/// What is done with a file system, independently of the rest.
#[derive(Clone, Copy)]
enum CasePart {
    /// The tests at a fill level.
    Fill(f64),
    /// The mount of the whole memory.
    Whole,
    /// The power cuts.
    Crash,
}
