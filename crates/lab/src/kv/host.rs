//! Memories of this host: a mapped file, and its own DRAM. What is timed on them is measured.

use wordline_catalog::Target;
use wordline_core::ResultSet;
#[cfg(unix)]
use wordline_host::{ScratchFileError, WallClock, machine};

use crate::control::Control;
use crate::error::{LabError, SettingProblem, TargetProblem};
use crate::machine_memory::ScratchFile;
use crate::warning::LabWarning;

/// Opens a file that is written over. It has `capacity` bytes, or is given them.
#[cfg(unix)]
pub(crate) fn open_file(
    path: &str,
    capacity: u64,
    control: &Control<'_>,
) -> Result<ScratchFile, LabError> {
    let may_destroy = control.destroy.iter().any(|named| named == path);
    ScratchFile::open(path.as_ref(), capacity, may_destroy).map_err(|error| {
        let problem = match error {
            ScratchFileError::HoldsData => {
                let path = path.to_owned();
                TargetProblem::FileHoldsData { path }
            }
            ScratchFileError::Length { .. } => TargetProblem::FileLength(error),
            other => TargetProblem::File(other),
        };
        problem.of(&Target::File(path.to_owned()).name())
    })
}

/// Without a machine there are no files.
#[cfg(not(unix))]
pub(crate) fn open_file(path: &str, _: u64, _: &Control<'_>) -> Result<ScratchFile, LabError> {
    let name = Target::File(path.to_owned()).name();
    Err(TargetProblem::NeedsMachine.of(&name))
}

/// Describes an opened memory of this host in the document: the host, the file system of a file, and what its timings
/// include.
pub(crate) fn describe(target: &Target<'_>, file_system: Option<String>, document: &mut ResultSet) {
    let name = target.name();
    let environment = document.environment.get_or_insert_default();
    #[cfg(unix)]
    environment.extend(of_machine());
    if let Some(named) = file_system {
        environment.insert(format!("file_system {name}"), named);
    }
    document.warn(match target.path() {
        Some(_) => LabWarning::MeasuredFile { name: &name },
        None => LabWarning::MeasuredRam { name: &name },
    });
    if cfg!(debug_assertions) {
        document.warn(LabWarning::Unoptimised { name: &name });
    }
}

/// Refuses to destroy a file that is not a target.
pub(super) fn check_destroy(targets: &[Target<'_>], control: &Control<'_>) -> Result<(), LabError> {
    let is_run = |named: &String| targets.iter().any(|target| target.path() == Some(named));
    match control.destroy.iter().find(|named| !is_run(named)) {
        None => Ok(()),
        Some(named) => Err(SettingProblem::DestroysNoFile(named.clone()).of("--destroy")),
    }
}

/// What every measurement on this host depends on.
#[cfg(unix)]
pub(crate) fn of_machine() -> std::collections::BTreeMap<String, String> {
    let mut facts = std::collections::BTreeMap::from([
        ("system".to_owned(), machine::system()),
        (
            "clock_reading_ns".to_owned(),
            (WallClock::start().reading_ps() / 1000).to_string(),
        ),
    ]);
    if let Some(processor) = machine::processor() {
        facts.insert("processor".to_owned(), processor);
    }
    facts
}
