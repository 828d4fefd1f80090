//! RocksDB among the tables: it needs files, and its threads make each run another. It runs once on files in RAM, and the
//! trace of that run is played on `flat` on each target.

use wordline_core::{KvTest, KvWorkload};

use crate::error::{LabError, SettingProblem};
use crate::list::distinct;

/// Its name as a table.
const ROCKSDB: &str = "rocksdb";

/// Whether RocksDB is among the tables, and the workload of the others, which may be none.
///
/// # Errors
/// When a table is named twice or none is, or when RocksDB is and cannot be run.
pub(super) fn apart(workload: &KvWorkload) -> Result<(bool, KvWorkload), LabError> {
    distinct("table", workload.tables.iter().map(ToString::to_string))?;
    let mut others = workload.clone();
    others.tables.retain(|name| name.name() != ROCKSDB);
    let is_asked = others.tables.len() < workload.tables.len();
    let problem = match &workload.test {
        _ if !is_asked => return Ok((false, others)),
        _ if cfg!(not(feature = "rocksdb")) => SettingProblem::Optional(ROCKSDB),
        KvTest::Bench(_) => return Ok((true, others)),
        KvTest::Crash(_) => SettingProblem::OfBenchAlone(ROCKSDB),
    };
    Err(problem.of("table"))
}

#[cfg(feature = "rocksdb")]
pub(super) use live::bench;

#[cfg(not(feature = "rocksdb"))]
pub(super) use absent::bench;

#[cfg(not(feature = "rocksdb"))]
mod absent {
    use wordline_catalog::Target;
    use wordline_core::{Experiment, KvBench, ResultSet};

    use crate::control::Control;
    use crate::error::LabError;

    /// Nothing: [`apart`](super::apart) has refused it.
    pub(crate) fn bench(
        _: &[Target<'_>],
        _: &KvBench,
        _: &Experiment,
        _: &Control<'_>,
        _: &mut ResultSet,
    ) -> Result<(), LabError> {
        Ok(())
    }
}

#[cfg(feature = "rocksdb")]
mod live;
