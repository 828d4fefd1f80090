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

use wordline_catalog::{Catalog, PartOnBoard};
#[cfg(feature = "sqlite")]
use wordline_core::SqlTest;
use wordline_core::{Experiment, ResultSet, SqlWorkload};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};

/// Runs every combination on every target and adds what it found to the document.
pub(crate) fn run(
    catalog: &Catalog,
    targets: &[PartOnBoard<'_>],
    workload: &SqlWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check::check(targets, workload, experiment)?;
    let logs = log_targets(catalog, targets, workload)?;
    let targets: Vec<_> = targets.iter().zip(&logs).collect();
    #[cfg(feature = "sqlite")]
    return match workload.test {
        SqlTest::Bench => case::run(&targets, workload, experiment, control, document),
        SqlTest::Tune => tune::run(&targets, workload, experiment, control, document),
    };
    #[cfg(not(feature = "sqlite"))]
    {
        let _ = (targets, control, document);
        Err(SettingProblem::NotBuiltIn("SQLite".to_owned()).of("workload"))
    }
}

/// A target with the part on its board that holds logs and journals, where another one does.
type TargetWithLog<'a> = (&'a PartOnBoard<'a>, &'a Option<PartOnBoard<'a>>);

/// The part that holds the logs and journals of each target; `None` where it holds its own.
fn log_targets<'a>(
    catalog: &'a Catalog,
    targets: &[PartOnBoard<'_>],
    workload: &SqlWorkload,
) -> Result<Vec<Option<PartOnBoard<'a>>>, LabError> {
    let of = |target: &PartOnBoard<'_>| {
        let Some(name) = &workload.log_target else {
            return Ok(None);
        };
        let board = &target.board.header.id;
        let log = match name.contains('@') {
            true => catalog.part_on_board(name)?,
            false => catalog.part_on_board(&format!("{name}@{board}"))?,
        };
        match log.board.header.id == *board {
            true => Ok(Some(log)),
            false => Err(SettingProblem::OtherBoard {
                log: log.name,
                target: target.name.clone(),
                part: log.part.header.id.clone(),
                board: board.clone(),
            }
            .of("log-target")),
        }
    };
    targets.iter().map(of).collect()
}
