//! Our side of what is asked of hash tables: one run of a table and a size gives inserts and hits.

use wordline_core::quantity::{Fraction, Quantity as _};
use wordline_core::{
    Axis, Experiment, KvBench, KvDirectory, KvSizes, KvTest, KvWorkload, Metric, Operation,
    ResultSet, RowOperation, Timing, Workload,
};

use crate::published::TableRun;

/// What `wordline kv bench` runs for it.
pub(super) fn experiment(run: &TableRun) -> Experiment {
    let bench = KvBench {
        sizes: vec![KvSizes::equal(run.access_bytes)],
        loads: vec![Fraction::from_si(0.5)],
        ..KvBench::default()
    };
    Experiment {
        targets: vec![run.target.clone()],
        workload: Workload::Kv(KvWorkload {
            tables: vec![run.table.clone()],
            directories: vec![KvDirectory::Ram],
            test: KvTest::Bench(bench),
        }),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

/// A row of it.
pub(super) fn row(result: &ResultSet, run: &TableRun, metric: Metric) -> Result<f64, String> {
    let operation = match run.operation {
        Operation::Write => RowOperation::Insert,
        Operation::Read => RowOperation::Hit,
    };
    let mut rows = result.of(metric);
    let row = rows.find(|row| row.operation == operation && !row.axes.contains_key(&Axis::Cause));
    let value = row.and_then(|row| row.value);
    value.ok_or(format!("the run has no value of {metric}"))
}
