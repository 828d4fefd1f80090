//! SQLite on file systems on memories: transactions in simulated time.
//!
//! A memory is formatted, mounted and given a database for each combination of settings. What is timed is a transaction,
//! from its statement to its return, by the memory's clock; what SQLite and the file system compute is counted apart.
//! SQLite is the same code as on a microcontroller; it reaches its files through a VFS over the file system.

#[cfg(feature = "sqlite")]
mod case;
mod check;
#[cfg(feature = "sqlite")]
mod crash;
#[cfg(feature = "sqlite")]
mod processor;
#[cfg(feature = "sqlite")]
mod rows;
#[cfg(feature = "sqlite")]
mod script;
#[cfg(feature = "sqlite")]
mod search;
#[cfg(feature = "sqlite")]
mod tune;
#[cfg(feature = "sqlite")]
mod works;

use wordline_catalog::PartOnBoard;
#[cfg(feature = "sqlite")]
use wordline_core::SqlTest;
use wordline_core::{Experiment, ResultSet, SqlWorkload};

use crate::control::Control;
use crate::error::LabError;

/// Runs every combination on every target and adds what it found to the document.
pub(crate) fn run(
    targets: &[PartOnBoard<'_>],
    workload: &SqlWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(targets, workload, experiment)?;
    #[cfg(feature = "sqlite")]
    return match workload.test {
        SqlTest::Bench => case::run(targets, workload, experiment, control, document),
        SqlTest::Tune => tune::run(targets, workload, experiment, control, document),
    };
    #[cfg(not(feature = "sqlite"))]
    {
        let _ = (control, document);
        Err(crate::error::SettingProblem::NotBuiltIn("SQLite".to_owned()).of("workload"))
    }
}
