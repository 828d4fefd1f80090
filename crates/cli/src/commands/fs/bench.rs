//! `wordline fs bench`.

use wordline_catalog::{Catalog, Target};
use wordline_core::quantity::{ByteCount, Quantity as _};
use wordline_core::results::AxisValue;
use wordline_core::{Experiment, FsKind, FsTest, FsWorkload, Metric, ResultSet, Workload};
use wordline_lab::default_fs_workload;

use crate::args::{Bench, Global};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::Exports;

pub(super) fn run(bench: &Bench, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&bench.export)?;
    let catalog = crate::commands::catalog(global)?;
    let experiment = experiment(bench, &catalog)?;
    check_required(bench)?;
    let inputs = Inputs::default();
    let document = crate::commands::run_experiment(&catalog, &experiment, &inputs, global)?;
    exports.write(&document, global)?;
    Ok(match crate::commands::outcome(&document) {
        Outcome::Done if fails_a_cut(&bench.require, &document) => Outcome::CheckFailed,
        outcome => outcome,
    })
}

/// What has to survive power cuts is run, and its power is cut.
fn check_required(bench: &Bench) -> Result<(), Failure> {
    let Some(kind) = bench.require.first() else {
        return Ok(());
    };
    if let Some(kind) = bench.require.iter().find(|kind| !bench.fs.contains(kind)) {
        let name = kind.name();
        let message = format!("--require {name}: {name} is not among the file systems of --fs");
        return Err(failure::message(message));
    }
    if bench.crash == 0 {
        let message = format!("--require {}: --crash 0 cuts no power", kind.name());
        return Err(failure::message(message));
    }
    Ok(())
}

/// Whether a required file system lost something to a power cut, or has no verdict.
fn fails_a_cut(required: &[FsKind], document: &ResultSet) -> bool {
    let names = required.iter().map(|kind| kind.name().to_owned());
    let names: Vec<_> = names.map(AxisValue::Text).collect();
    document.of(Metric::CrashFailures).any(|row| {
        let system = row.axes.get("fs");
        row.value != Some(0.0) && system.is_some_and(|system| names.contains(system))
    })
}

fn experiment(bench: &Bench, catalog: &Catalog) -> Result<Experiment, Failure> {
    let targets: Vec<Target<'_>> = bench
        .target
        .iter()
        .map(|name| catalog.target(name).map_err(failure::catalog))
        .collect::<Result<_, _>>()?;
    let bytes = |size: Option<ByteCount>, default| size.map_or(default, ByteCount::bytes);
    let default = default_fs_workload(&targets, bench.capacity.map(ByteCount::bytes));
    let files = if bench.workload == [FsTest::SmallFiles] {
        FsWorkload::REPORTED_FILES
    } else {
        default.files
    };
    let file_bytes = bytes(bench.file, default.file_bytes);
    let workload = FsWorkload {
        file_systems: bench.fs.clone(),
        tests: bench.workload.clone(),
        capacity_bytes: default.capacity_bytes,
        file_bytes,
        access_bytes: bytes(bench.access, default.access_bytes.min(file_bytes)),
        record_bytes: bytes(bench.record, default.record_bytes.min(file_bytes)),
        files: bench.small_files.unwrap_or(files),
        small_bytes: bytes(bench.small, default.small_bytes),
        fill: bench.fill.clone(),
        rates_bytes_per_s: bench.rate.iter().map(|rate| rate.si()).collect(),
        crash_images: bench.crash,
        settings: super::settings(&bench.set)?,
    };
    Ok(Experiment {
        targets: targets.into_iter().map(|target| target.name).collect(),
        workload: Workload::Fs(workload),
        timings: bench.columns.timing.clone(),
        age: bench.drawn.age,
        seed: bench.drawn.seed,
        ftl: bench.layer.chosen(),
    })
}
