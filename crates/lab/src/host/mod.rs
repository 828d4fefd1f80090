//! The memory and the storage of this machine: what `wordline-host` measures becomes rows.
//!
//! Rows have the target `ram@LABEL`. Each figure has a grade beside it ([`trust`]), and what disturbed it becomes a
//! warning, one for each reason and test. `loaded` has the rows of `wordline dram loaded`, by the same functions of knee
//! and stages, so that measured and simulated curves lie in one plot.

#[cfg(unix)]
mod bandwidth;
#[cfg(unix)]
mod environment;
mod import;
#[cfg(unix)]
mod latency;
#[cfg(unix)]
mod loaded;
#[cfg(unix)]
mod matrix;
#[cfg(unix)]
mod measured;
#[cfg(unix)]
mod names;
#[cfg(unix)]
mod power;
#[cfg(unix)]
mod session;
#[cfg(target_os = "linux")]
mod storage;
#[cfg(unix)]
mod trust;

#[cfg(all(test, unix))]
mod tests;

use wordline_core::{Experiment, HostTest, HostWorkload, ResultSet, Timing};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};
pub(crate) use import::mix as mix_of;

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
    #[cfg(unix)]
    return measured::run(workload, experiment, control, document);
    #[cfg(not(unix))]
    Err(SettingProblem::NoMachine.of("host"))
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
