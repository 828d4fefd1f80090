//! The memory and the storage of this machine: what `wordline-host` measures becomes rows.
//!
//! Rows have the target `ram@LABEL`. Each figure has a grade beside it ([`trust`]), and what disturbed it becomes a
//! warning, one for each reason and test. `loaded` has the rows of `wordline dram loaded`, by the same functions of knee
//! and stages, so that measured and simulated curves lie in one plot.

mod bandwidth;
mod environment;
mod import;
mod latency;
mod loaded;
mod matrix;
mod names;
mod power;
mod session;
#[cfg(target_os = "linux")]
mod storage;
mod trust;

#[cfg(test)]
mod tests;

use wordline_core::{
    Axis, Basis, Experiment, HostAccess, HostTest, HostWorkload, ResultSet, RowOperation, Timing,
};
use wordline_host::memory::DriverError;
use wordline_host::memory::topology::Topology;

use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::subject::{Axes, Subject};
pub(crate) use import::mix as mix_of;
use session::HostSession;

/// The longest name of a machine.
const LABEL_MAX: usize = 64;

/// Runs the test and adds what it found to the document.
pub(crate) fn run(
    workload: &HostWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(workload, experiment)?;
    if let HostTest::Import(test) = &workload.test {
        return import::run(workload, test, experiment, control, document);
    }
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

fn check(workload: &HostWorkload, experiment: &Experiment) -> Result<(), LabError> {
    if experiment.timings != [Timing::Typ] {
        return Err(SettingProblem::TimingOfMachine.of("timing"));
    }
    if experiment.age != 0.0 {
        return Err(SettingProblem::AgeOfMachine.of("age"));
    }
    if !experiment.targets.is_empty() {
        return Err(SettingProblem::TargetOfMachine.of("target"));
    }
    if experiment.ftl.is_some() {
        return Err(SettingProblem::LayerOfMachine.of("ftl"));
    }
    let label = &workload.label;
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if label.is_empty() || label.len() > LABEL_MAX || !label.chars().all(allowed) {
        let found = label.clone();
        return Err(SettingProblem::MachineLabel { found }.of("label"));
    }
    Ok(())
}
