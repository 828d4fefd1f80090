//! The memory and the storage of this machine: what `wordline-host` measures becomes rows.

#[cfg(target_os = "linux")]
mod storage;

use wordline_core::{Experiment, HostTest, HostWorkload, ResultSet};

use crate::control::Control;
use crate::error::LabError;

/// Runs the test and adds what it found to the document.
pub(crate) fn run(
    workload: &HostWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let _ = (experiment, control, &document);
    match &workload.test {
        #[cfg(target_os = "linux")]
        HostTest::Storage(test) => {
            storage::run(test, &workload.label, experiment, control, document)
        }
        #[cfg(not(target_os = "linux"))]
        HostTest::Storage(_) => Err(crate::error::SettingProblem::StorageElsewhere.of("storage")),
        HostTest::Latency(_)
        | HostTest::Matrix(_)
        | HostTest::Bandwidth(_)
        | HostTest::Loaded(_)
        | HostTest::All(_)
        | HostTest::Import(_) => Err(LabError::NoTarget),
    }
}
