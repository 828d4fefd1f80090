//! File systems on memories: calls of each file system on each memory, in simulated time.
//!
//! What a file system gets of a target is a [`Medium`](part::Medium): its first bytes, of which everything that is asked
//! is heard. The memory is formatted and filled once for each fill level; each test then runs on a fork of it, mounted
//! anew, so that no test sees what another one left. Every call is timed by the memory's clock: what the file system
//! computes takes no time. Of the slowest call the rows say which operations of the memory it consisted of.

mod calls;
mod case;
mod check;
mod crash;
mod engine;
#[cfg(feature = "fat")]
mod fat;
#[cfg(feature = "fat")]
mod layer_ram;
#[cfg(feature = "littlefs")]
mod littlefs;
mod meter;
mod part;
mod pieces;
mod rows;
mod settings;
mod tally;
mod volume;

use case::Case;
use engine::Engine;
use wordline_catalog::{Model, Target};
use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::results::WarningCode;
use wordline_core::{Experiment, FsTest, FsWorkload, ResultSet};
use wordline_nvm::Conditions;

pub use volume::{Spent, Volume, VolumeReading};

use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::payload::Payload;
use crate::sources;

/// Bytes of a memory that a file system gets where nothing else is said, at least.
const SHARE: u64 = 4 << 20;

/// Blocks of a NAND that it gets at least: a translation layer keeps some to itself.
const BLOCKS_MIN: u64 = 64;

/// Bytes that it gets for each small file, at least: of a memory that is half full, two clusters of a NOR sector.
const SHARE_OF_FILE: u64 = 16 << 10;

/// Parts of a step, of which there are few, in which progress is told.
const PARTS_OF_STEP: f64 = 1000.0;

/// Bytes of a memory that a file system gets. They hang on the memory and the workload, never on other targets.
fn share(model: &Model, workload: &FsWorkload) -> u64 {
    let usual = || {
        let blocks = match model {
            Model::Nand(sheet) => sheet.geometry().block_bytes() * BLOCKS_MIN,
            _ => 0,
        };
        let files = match workload.tests.contains(&FsTest::SmallFiles) {
            true => workload.files.saturating_mul(SHARE_OF_FILE),
            false => 0,
        };
        SHARE.max(blocks).max(files)
    };
    let bytes = workload.capacity_bytes.unwrap_or_else(usual);
    bytes.min(model.capacity_bytes())
}

/// The workload as it is where nothing else is said, with files that fit the smallest of some targets, and with the
/// bytes that file systems are to get of each; their own share of each where it is `None`.
#[must_use]
pub fn default_fs_workload(targets: &[Target<'_>], capacity: Option<u64>) -> FsWorkload {
    let default = FsWorkload {
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
    targets: &[Target<'_>],
    workload: &FsWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(targets, workload, experiment)?;
    let rates = crate::buffer::exact_rates(&workload.rates_bytes_per_s)?;
    let payload = Payload::new(experiment.seed);
    let mut cases = Vec::new();
    for &timing in &experiment.timings {
        for target in targets {
            for &kind in &workload.file_systems {
                let engine = Engine::new(kind, target, &workload.settings, experiment.ftl)?;
                let memory = engine.memory(Conditions {
                    timing,
                    age: experiment.age,
                    seed: experiment.seed,
                })?;
                sources::add(document, target, memory.accounts(), timing);
                let bytes = share(&target.part.model, workload);
                document.warn(WarningCode::Default, engine.note(bytes));
                if let Some(asked) = workload.capacity_bytes.filter(|asked| *asked > bytes) {
                    document.warn(
                        WarningCode::Advice,
                        format!(
                            "{}: it has {} and not {}: its file systems get all of it",
                            target.name,
                            ByteCount::from_bytes(bytes),
                            ByteCount::from_bytes(asked)
                        ),
                    );
                }
                if let Some(caution) = engine.caution() {
                    document.warn(WarningCode::Caution, caution);
                }
                let suits = engine.suits(&memory, bytes)?;
                cases.push(Case {
                    engine,
                    timing,
                    memory,
                    bytes,
                    suits,
                    workload,
                    experiment,
                    payload: &payload,
                    rates: &rates,
                    control,
                });
            }
        }
    }
    // Each fill level has a test after the other behind its own filling; the whole memory and the power cuts come last.
    let each = workload.tests.len() + 1;
    let of_case = workload.fill.len() * each + 2;
    for (number, case) in cases.iter().enumerate() {
        let breathe = |steps: f64| {
            let parts = |steps: f64| (steps * PARTS_OF_STEP) as u64;
            control.report(Progress {
                step: &case.engine.target.name,
                done_bytes: parts((number * of_case) as f64 + steps),
                total_bytes: parts((cases.len() * of_case) as f64),
            });
        };
        for (number, fill) in workload.fill.iter().enumerate() {
            let before = (number * each) as f64;
            if !case.run(fill.si(), &mut |steps| breathe(before + steps), document) {
                document.complete = false;
                return Ok(());
            }
        }
        breathe((of_case - 2) as f64);
        case.whole(document);
        breathe((of_case - 1) as f64);
        // What a power cut leaves does not hang on how long anything takes.
        let first = experiment.timings.first() == Some(&case.timing);
        if workload.crash_images > 0 && first && !case.crash(document) {
            document.complete = false;
            return Ok(());
        }
    }
    Ok(())
}
