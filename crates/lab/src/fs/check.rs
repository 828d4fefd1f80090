//! What is wrong with a workload of file systems, before anything is run.

use std::collections::BTreeMap;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::{Experiment, FsTest, FsWorkload, TranslationLayer};
use wordline_engines::FileSystemEngine;

use super::engine::{file_system, needs_layer};
use super::settings::Settings;
use crate::error::{LabError, SettingProblem, in_range};
use crate::list::distinct;
use crate::state;

/// The largest call, because its bytes are held in RAM.
const ACCESS_MAX: u64 = 16 << 20;

/// The most small files, which have names of five digits.
const FILES_MAX: u64 = 100_000;

/// The most images of interrupted runs.
const IMAGES_MAX: u64 = 1_000_000;

/// Checks the workload on every target.
pub(super) fn check(
    targets: &[PartOnBoard<'_>],
    workload: &FsWorkload,
    experiment: &Experiment,
) -> Result<(), LabError> {
    let systems = workload.file_systems.iter();
    distinct("fs", systems.map(ToString::to_string))?;
    let systems = workload.file_systems.iter().map(file_system);
    let systems: Vec<_> = systems.collect::<Result<_, _>>()?;
    let tests = workload.tests.iter();
    distinct("workload", tests.map(|one| one.name().to_owned()))?;
    distinct("fill", workload.fill.iter().map(ToString::to_string))?;
    for fill in &workload.fill {
        state::check_fill(fill.si())?;
    }
    // What is wrong with a number of files would be reported as a size that does not fit.
    counts(workload)?;
    for target in targets {
        sizes(target, workload)?;
    }
    verdicts(&systems, workload.crash_images)?;
    choices(
        &systems,
        targets,
        &workload.settings,
        experiment.ftl.as_ref(),
    )
}

/// Nothing that is emulated has a verdict on power cuts.
///
/// # Errors
/// When one is asked for.
pub(crate) fn verdicts(engines: &[&dyn FileSystemEngine], images: u64) -> Result<(), LabError> {
    match engines.iter().find(|engine| engine.is_emulated()) {
        Some(engine) if images > 0 => Err(SettingProblem::EmulatedCrash(engine.name()).of("crash")),
        _ => Ok(()),
    }
}

/// Everything that was chosen is of something that runs.
pub(crate) fn choices(
    engines: &[&dyn FileSystemEngine],
    targets: &[PartOnBoard<'_>],
    settings: &BTreeMap<String, String>,
    ftl: Option<&TranslationLayer>,
) -> Result<(), LabError> {
    Settings::check(engines, settings)?;
    let over_layer = |target, mapping| {
        let mut engines = engines.iter();
        engines.any(|engine| needs_layer(*engine, target, mapping))
    };
    if let Some(TranslationLayer { mapping, .. }) = ftl
        && !targets.iter().any(|target| over_layer(target, *mapping))
    {
        return Err(SettingProblem::LayerWithoutFat.of("ftl"));
    }
    Ok(())
}

/// Files fit the memory, and calls fit the files.
fn sizes(target: &PartOnBoard<'_>, workload: &FsWorkload) -> Result<(), LabError> {
    let part = &target.part.header.id;
    let capacity = super::share(&target.part.model, workload);
    if capacity == 0 {
        return Err(SettingProblem::NoCapacity.of("capacity"));
    }
    if workload
        .tests
        .iter()
        .any(|test| *test != FsTest::SmallFiles)
    {
        // A copy is written beside the file before the old one is given up.
        let most = capacity / 2;
        let file = workload.file_bytes;
        if file == 0 || file > most {
            return Err(SettingProblem::LargeFile {
                found: ByteCount::from_bytes(file),
                part: part.clone(),
                most: ByteCount::from_bytes(most),
                capacity: ByteCount::from_bytes(capacity),
            }
            .of("file"));
        }
        for (what, bytes) in [
            ("access", workload.access_bytes),
            ("record", workload.record_bytes),
        ] {
            let most = file.min(ACCESS_MAX);
            if bytes == 0 || bytes > most {
                return Err(SettingProblem::LargeCall {
                    found: ByteCount::from_bytes(bytes),
                    most: ByteCount::from_bytes(most),
                }
                .of(what));
            }
        }
    }
    if workload.tests.contains(&FsTest::SmallFiles) {
        let small = workload.small_bytes;
        let most = (capacity / 4 / workload.files.max(1)).min(ACCESS_MAX);
        if small == 0 || small > most {
            return Err(SettingProblem::LargeSmallFiles {
                found: ByteCount::from_bytes(small),
                part: part.clone(),
                files: workload.files,
                most: ByteCount::from_bytes(most),
            }
            .of("small"));
        }
    }
    Ok(())
}

fn counts(workload: &FsWorkload) -> Result<(), LabError> {
    let small = workload.tests.contains(&FsTest::SmallFiles);
    let most_files = if small { FILES_MAX } else { u64::MAX };
    let least_files = u64::from(small);
    for (what, found, least, most) in [
        ("files", workload.files, least_files, most_files),
        ("crash", workload.crash_images, 0, IMAGES_MAX),
    ] {
        in_range(what, found, least, most)?;
    }
    Ok(())
}
