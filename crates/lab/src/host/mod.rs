//! The memory and the storage of this machine: what `wordline-host` measures becomes rows.

mod import;
mod power;

pub(crate) use import::mix as mix_of;

use wordline_core::{
    Axis, Basis, Experiment, HostTest, HostWorkload, ResultSet, RowOperation, Timing,
};

use crate::control::Control;
use crate::error::LabError;
use crate::subject::{Axes, Subject};

/// Runs the test and adds what it found to the document.
pub(crate) fn run(
    workload: &HostWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    if let HostTest::Import(test) = &workload.test {
        return import::run(workload, test, experiment, control, document);
    }
    // What the machine draws meanwhile stands beside the rows of the test.
    power::beside(&whole(workload, experiment), document, |document| {
        let _ = document;
        match &workload.test {
            HostTest::Latency(_)
            | HostTest::Matrix(_)
            | HostTest::Bandwidth(_)
            | HostTest::Loaded(_)
            | HostTest::All(_)
            | HostTest::Storage(_)
            | HostTest::Import(_) => Err(LabError::NoTarget),
        }
    })
}

/// What identifies rows of the test as a whole.
fn whole(workload: &HostWorkload, experiment: &Experiment) -> Subject {
    let part = match workload.test {
        HostTest::Storage(_) => "file",
        _ => "ram",
    };
    let subject = Subject {
        target: format!("{part}@{}", workload.label),
        part: part.to_owned(),
        board: workload.label.clone(),
        workload: "host",
        operation: RowOperation::ReadWrite,
        axes: Axes::new(),
        timing: Timing::Typ,
        age: experiment.age,
        basis: Basis::Measured,
    };
    subject.at(Axis::Test, workload.test.name())
}
