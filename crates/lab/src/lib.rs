//! The laboratory: runs an [`Experiment`] and returns a [`ResultSet`].
//!
//! An experiment names targets and a workload; each target becomes a device, the workload drives
//! the device and reads its clock, and what it measured becomes rows. Nothing that is simulated reads the
//! wall clock or global randomness: the same experiment gives the same document, bit for bit. Memories of this
//! machine are measured, and their documents say so.
//!
//! ```
//! use wordline_catalog::Catalog;
//! use wordline_core::{Experiment, Metric, Operation, RawWorkload, Timing, Workload};
//! use wordline_lab::{Control, run};
//!
//! let catalog = Catalog::load(&[])?;
//! let experiment = Experiment {
//!     targets: vec!["em064lx@stm32h755-qspi".into()],
//!     workload: Workload::Raw(RawWorkload {
//!         operations: vec![Operation::Write],
//!         access_bytes: vec![2048],
//!         total_bytes: 1 << 20,
//!         ..RawWorkload::default()
//!     }),
//!     timings: vec![Timing::Typ],
//!     age: 0.0,
//!     seed: 0,
//!     ftl: None,
//! };
//! let result = run(&catalog, &experiment, &Control::default())?;
//! let worst = result.of(Metric::LatencyMax).next().and_then(|row| row.value);
//! assert!((worst.unwrap_or(0.0) - 52e-6).abs() < 0.3e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What only databases need is not used without them.
#![cfg_attr(not(feature = "sqlite"), allow(dead_code))]

pub mod app;
pub mod backlog;
pub mod published;
pub mod reproduce;
pub mod store;

mod allowed;
mod buffer;
mod compare;
mod control;
mod defaults;
mod dram;
mod during;
mod error;
mod explore;
mod fit;
mod fs;
mod host;
mod instrument;
mod io;
mod kv;
mod list;
mod meter;
mod open;
mod payload;
mod power_cuts;
mod prices;
mod raw;
mod repeats;
mod sources;
mod sql;
mod state;
mod subject;
mod sweep;
mod translation;
mod warning;
mod wear;
mod work;

/// The memories of this machine.
#[cfg(unix)]
use wordline_host as machine_memory;
/// Without a machine, what stands for them.
#[cfg(not(unix))]
#[path = "no_machine.rs"]
mod machine_memory;

pub use allowed::allowed;
pub use buffer::default_stream;
pub use compare::{STUDIES, all_targets, read_study, shortlist, write_study};
pub use control::{CommandForm, Commands, Control, Open, Progress, SurfaceShelf, TakeSurface};
pub use defaults::{complete, states};
pub use dram::shipped_surface;
pub use error::{LabError, LogProblem, SettingProblem, TargetProblem};
pub use explore::explore;
pub use fit::{Estimate, Fitted, default_base, fit};
#[cfg(unix)]
pub use fs::{
    ImageContent, ImageOrigin, JournalProblem, SnapshotProblem, VolumeImage, VolumeImageError,
};
pub use fs::{Spent, Volume, VolumeReading, default_fs_workload, file_systems};
pub use kv::{ImageRecord, TableImage, TableImageError, tables};
pub use raw::default_workload;
pub use reproduce::reproduce;
use std::sync::atomic::AtomicBool;
pub use sweep::{Shard, experiment_of, sweep};

use wordline_catalog::{Catalog, PartOnBoard, Target};
use wordline_core::quantity::Quantity;
use wordline_core::{AccessSource, Experiment, ResultSet, Timing, Workload};
use wordline_nvm::{Conditions, Device, Synced};

/// Runs an experiment. When `control` asks to stop, the rows that are finished come back in a
/// document that is not complete.
///
/// # Errors
/// When the experiment cannot be run as it stands: unknown targets, a part that does not fit its
/// board, sizes that do not fit the part, logs that cannot be used.
pub fn run(
    catalog: &Catalog,
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<ResultSet, LabError> {
    check(experiment)?;
    // Without the sign of a negative zero, which would be another row for the same age.
    let experiment = Experiment {
        age: experiment.age + 0.0,
        ..experiment.clone()
    };
    let mut document = ResultSet::new(experiment.clone());
    match run_into(&mut document, catalog, experiment, control) {
        // Readers give up where they are cancelled; what is finished stays.
        Err(_) if control.stopped() => document.complete = false,
        ran => ran?,
    }
    if let Err(error) = document.check() {
        unreachable!("the laboratory made a document that breaks its own rules: {error}");
    }
    Ok(document)
}

/// Everything of an experiment that comes before its first operation.
///
/// # Errors
/// When [`run`] refuses the experiment before anything is simulated. What happens later is no reason.
pub(crate) fn plan(
    catalog: &Catalog,
    experiment: &Experiment,
    control: &Control<'_>,
) -> Result<(), LabError> {
    check(experiment)?;
    // A run that is to stop at its first step has done everything else.
    let stop = AtomicBool::new(true);
    let control = Control {
        open: control.open,
        stop: Some(&stop),
        threads: 1,
        ..Control::default()
    };
    let mut document = ResultSet::new(experiment.clone());
    match run_into(&mut document, catalog, experiment.clone(), &control) {
        // Others may come of the stop: readers give up, and nothing was moved.
        Err(error) if error.is_refusal() => Err(error),
        _ => Ok(()),
    }
}

/// The list of workloads. The settings of the experiment itself are checked.
fn run_into(
    document: &mut ResultSet,
    catalog: &Catalog,
    mut experiment: Experiment,
    control: &Control<'_>,
) -> Result<(), LabError> {
    match experiment.workload.clone() {
        Workload::Raw(workload) => {
            let targets = on_boards(catalog, &mut experiment, document)?;
            raw::run(&targets, &workload, &experiment, control, document)
        }
        Workload::Buffer(question) => {
            let targets = match question.source {
                AccessSource::Log(_) => without_targets(&experiment)?,
                _ => on_boards(catalog, &mut experiment, document)?,
            };
            buffer::run(&targets, &question, &experiment, control, document)
        }
        Workload::Bound(workload) => {
            let targets = on_boards(catalog, &mut experiment, document)?;
            fs::bound::run(&targets, &workload, &experiment, document)
        }
        Workload::Fs(workload) => {
            let targets = on_boards(catalog, &mut experiment, document)?;
            fs::run(&targets, &workload, &experiment, control, document)
        }
        Workload::Io(workload) => {
            let targets = on_boards(catalog, &mut experiment, document)?;
            io::run(&targets, &workload, &experiment, control, document)
        }
        Workload::Kv(workload) => {
            let targets = targets(catalog, &mut experiment, document)?;
            kv::run(&targets, &workload, &experiment, control, document)
        }
        Workload::Sql(workload) => {
            let targets = on_boards(catalog, &mut experiment, document)?;
            sql::run(catalog, &targets, &workload, &experiment, control, document)
        }
        Workload::Wear(workload) => {
            let targets = targets(catalog, &mut experiment, document)?;
            wear::run(targets, &workload, &experiment, control, document)
        }
        Workload::App(workload) => app::run(catalog, &workload, &experiment, control, document),
        Workload::Compare(study) => compare::run(catalog, &study, &experiment, control, document),
        Workload::Dram(workload) => dram::run(catalog, &workload, &experiment, control, document),
        Workload::Host(workload) => host::run(&workload, &experiment, control, document),
        Workload::Health(workload) => wear::health::run(&workload, &experiment, control, document),
        Workload::Fit(_) => {
            *document = fit(catalog, &experiment, control)?.document;
            Ok(())
        }
    }
}

/// The targets of an experiment. It and the document get their full names, so that a repetition does not depend on
/// defaults.
fn targets<'a>(
    catalog: &'a Catalog,
    experiment: &mut Experiment,
    document: &mut ResultSet,
) -> Result<Vec<Target<'a>>, LabError> {
    let targets = open::targets(catalog, &experiment.targets)?;
    experiment.targets = targets.iter().map(Target::name).collect();
    document.experiment.targets.clone_from(&experiment.targets);
    Ok(targets)
}

/// The same for a workload that runs on chips and cards on boards alone.
fn on_boards<'a>(
    catalog: &'a Catalog,
    experiment: &mut Experiment,
    document: &mut ResultSet,
) -> Result<Vec<PartOnBoard<'a>>, LabError> {
    open::parts(targets(catalog, experiment, document)?)
}

/// A log needs no targets, and takes none.
fn without_targets<'a>(experiment: &Experiment) -> Result<Vec<PartOnBoard<'a>>, LabError> {
    if experiment.targets.is_empty() {
        return Ok(Vec::new());
    }
    Err(SettingProblem::TargetOfLog.of("target"))
}

/// The device that a target is, in a timing class.
fn connect(
    target: &PartOnBoard<'_>,
    timing: Timing,
    experiment: &Experiment,
) -> Result<Box<dyn Device>, LabError> {
    let conditions = Conditions {
        timing,
        age: experiment.age,
        seed: experiment.seed,
    };
    let device = match &experiment.ftl {
        None => target.connect(conditions),
        Some(layer) => {
            if let Some(why) = target.part.model.no_translation(layer.mapping) {
                let part = target.part.header.id.clone();
                return Err(TargetProblem::NoLayer { part, why }.of(&target.name));
            }
            target.connect_translated(conditions, layer)
        }
    };
    let sync = match &experiment.workload {
        Workload::Raw(raw) => raw.sync,
        Workload::Buffer(buffer) => buffer.sync,
        _ => None,
    };
    let safe = |device| match sync {
        Some(how) => Ok(Box::new(Synced::new(device, how)?) as Box<dyn Device>),
        None => Ok(device),
    };
    device.and_then(safe).map_err(|source| LabError::Device {
        target: target.name.clone(),
        source,
    })
}

/// Checks what does not depend on the workload.
fn check(experiment: &Experiment) -> Result<(), LabError> {
    if !(0.0..=1.0).contains(&experiment.age) {
        return Err(LabError::Age(experiment.age));
    }
    if let Some(layer) = &experiment.ftl
        && !(layer.spare.si() > 0.0 && layer.spare.si() < 1.0)
    {
        return Err(SettingProblem::OpenShare(layer.spare.si()).of("ftl_spare"));
    }
    let timings = experiment.timings.iter();
    list::distinct("timing", timings.map(|one| one.name().to_owned()))
}
