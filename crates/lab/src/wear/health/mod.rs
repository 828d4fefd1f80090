//! Remaining life from latency alone: programs get faster and erases slower as a block wears, and how far they have
//! come shows how much of its life is used (P. Desnoyers, "Empirical evaluation of NAND flash memory performance",
//! HotStorage 2009, section 4).
//!
//! A log's latencies become a [`trend`]; the [`law`] says what share of life a trend means; [`predict`] brings both
//! together. What the law needs was found on virtual chips (`train.rs`), and the [`score`] is that of chips of other
//! families. What a working block does not show is how far latency goes until it fails: blocks of the same part
//! that have failed show it, as far as blocks of a part are alike.

mod family;
mod law;
mod predict;
mod ranges;
mod rows;
mod score;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod train;
mod trend;

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
