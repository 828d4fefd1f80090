//! File systems on memories: calls of each file system on each memory, in simulated time.

use wordline_catalog::Target;
use wordline_core::{Experiment, FsWorkload, ResultSet};

use crate::control::Control;
use crate::error::LabError;

/// The workload as it is where nothing else is said, fitted to the smallest of some targets and to the bytes that file
/// systems are to get of each.
#[must_use]
pub fn default_fs_workload(targets: &[Target<'_>], capacity: Option<u64>) -> FsWorkload {
    let default = FsWorkload::default();
    let usable = targets
        .iter()
        .map(|target| target.part.model.usable_bytes());
    let smallest = usable.min().unwrap_or(u64::MAX);
    let capacity_bytes = capacity.unwrap_or(default.capacity_bytes.min(smallest));
    // An eighth of a small memory leaves room for the file's second copy and for what fills it.
    let file_bytes = default
        .file_bytes
        .min(capacity_bytes.min(smallest) / 8)
        .max(1);
    FsWorkload {
        capacity_bytes,
        file_bytes,
        access_bytes: default.access_bytes.min(file_bytes),
        record_bytes: default.record_bytes.min(file_bytes),
        ..default
    }
}

/// Runs every file system on every target and adds what it found to the document.
pub(crate) fn run(
    _targets: &[Target<'_>],
    _workload: &FsWorkload,
    _experiment: &Experiment,
    _control: &Control<'_>,
    _document: &mut ResultSet,
) -> Result<(), LabError> {
    Err(LabError::List {
        what: "fs",
        problem: "names file systems, and this program was built without any".to_owned(),
    })
}
