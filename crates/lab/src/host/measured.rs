//! The tests of this machine, each by its name.

use wordline_core::{
    Axis, Basis, Experiment, HostAccess, HostTest, HostWorkload, ResultSet, RowOperation, Timing,
};
use wordline_host::memory::DriverError;
use wordline_host::memory::topology::Topology;

use super::session::HostSession;
#[cfg(target_os = "linux")]
use super::storage;
use super::{bandwidth, environment, latency, loaded, matrix, power};
use crate::control::Control;
use crate::error::LabError;
#[cfg(not(target_os = "linux"))]
use crate::error::SettingProblem;
use crate::subject::{Axes, Subject};

/// Measures this machine and adds what was found to the document.
pub(super) fn run(
    workload: &HostWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let topology = Topology::of_this_machine().map_err(DriverError::from)?;
    // What the machine draws meanwhile stands beside the rows of the test.
    power::beside(&whole(workload, experiment), document, |document| {
        on(&topology, workload, experiment, control, document)
    })
}

/// The same of a machine that was described before.
fn on(
    topology: &Topology,
    workload: &HostWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let session = HostSession::new(topology, &workload.label, experiment.seed, control);
    document.environment = Some(environment::of(topology));
    match &workload.test {
        HostTest::Latency(test) => latency::run(&session, test, 1.0, document),
        HostTest::Matrix(test) => matrix::run(&session, test, 1.0, document),
        HostTest::Bandwidth(test) => bandwidth::run(&session, test, 1.0, document),
        HostTest::Loaded(test) => loaded::run(&session, test, 1.0, document),
        HostTest::All(test) => all(&session, &test.access, document),
        #[cfg(target_os = "linux")]
        HostTest::Storage(test) => {
            storage::run(test, &workload.label, experiment, control, document)
        }
        #[cfg(not(target_os = "linux"))]
        HostTest::Storage(_) => Err(SettingProblem::StorageElsewhere.of("storage")),
        HostTest::Import(_) => Ok(()),
    }
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

/// All four tests with their defaults. Each gets a part of the time that those before it left. The curve of latency takes as
/// many samples as it gets and comes last, so that it has all the time that the others do not need.
fn all(
    session: &HostSession<'_>,
    access: &HostAccess,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let access = || access.clone();
    matrix::run(session, &Default::default(), 0.1, document)?;
    if document.complete {
        let test = wordline_core::HostBandwidthTest {
            access: access(),
            ..Default::default()
        };
        bandwidth::run(session, &test, 0.3, document)?;
    }
    if document.complete {
        let test = wordline_core::HostLoadedTest {
            access: access(),
            ..Default::default()
        };
        match loaded::run(session, &test, 0.4, document) {
            // The others are measured on any machine.
            Err(LabError::MachineMemory(few @ DriverError::FewCpus { .. })) => {
                document.warn(crate::warning::LabWarning::RunFailed {
                    name: &session.target(),
                    failure: &few,
                });
            }
            ran => ran?,
        }
    }
    if document.complete {
        let test = wordline_core::HostLatencyTest {
            access: access(),
            ..Default::default()
        };
        latency::run(session, &test, 1.0, document)?;
    }
    Ok(())
}
