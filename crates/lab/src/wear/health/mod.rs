//! Remaining life from latency alone, of the blocks of a log.
//!
//! The predictor is that of `wordline_nvm::ageing::health`, which memories behind the C interface are asked by as well.
//! What it knows was found on virtual chips (`train.rs`), and the [`score`] is that of chips of other families.

mod family;
mod history;
mod ranges;
mod rows;
mod score;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod train;

use wordline_core::{Experiment, HealthWorkload, ResultSet};
use wordline_trace::cycling::CyclingLog;

use crate::control::Control;
use crate::error::{LabError, SettingProblem, in_range};

/// The most families of a score.
const FAMILIES_MAX: u32 = 10_000;

/// Answers for the blocks of a log, or scores the predictor.
pub(crate) fn run(
    workload: &HealthWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    if !experiment.targets.is_empty() {
        return Err(SettingProblem::TargetOfHealth.of("target"));
    }
    match workload {
        HealthWorkload::Trace { file } => {
            let reader = control.open(file)?;
            let log = CyclingLog::read(reader).map_err(|source| LabError::Trace {
                file: file.clone(),
                source,
            })?;
            rows::add(file, &log, control, document);
            Ok(())
        }
        HealthWorkload::Score { families } => {
            in_range("families", *families, 1, FAMILIES_MAX)?;
            score::run(*families, experiment, control, document)
        }
    }
}
