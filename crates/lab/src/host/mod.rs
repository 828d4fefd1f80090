//! The memory and the storage of this machine: what `wordline-host` measures becomes rows.

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
    let _ = (experiment, control, document);
    match &workload.test {
        HostTest::Latency(_)
        | HostTest::Matrix(_)
        | HostTest::Bandwidth(_)
        | HostTest::Loaded(_)
        | HostTest::All(_)
        | HostTest::Storage(_)
        | HostTest::Import(_) => Err(LabError::NoTarget),
    }
}
