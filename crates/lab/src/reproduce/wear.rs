//! Our side of what is asked of chips that wear.

use wordline_catalog::Catalog;
use wordline_core::results::Row;
use wordline_core::{Axis, Experiment, ResultSet, Timing, WearWorkload, Workload};

use crate::published::{WearMeasure, WearRun};

/// The experiment of a test.
pub(super) fn experiment(catalog: &Catalog, run: &WearRun) -> Result<Experiment, String> {
    let target = catalog.part_on_board(&run.target);
    let target = target.map_err(|error| error.to_string())?;
    let workload = WearWorkload {
        blocks: run.blocks,
        usages: vec![run.usage],
        temperatures_celsius: vec![f64::from(run.temperature_celsius)],
        order: run.order,
        ..WearWorkload::default()
    };
    Ok(Experiment {
        targets: vec![target.name],
        workload: Workload::Wear(workload),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    })
}

/// The one row that is asked for.
pub(super) fn row(result: &ResultSet, asked: &WearMeasure) -> Result<f64, String> {
    let is_asked = |row: &&Row| {
        row.operation.name() == asked.operation.name()
            && row.text(Axis::Statistic) == asked.statistic.as_deref()
            && row.count(Axis::AfterCycles) == asked.after_cycles
            && [Axis::Block, Axis::Estimate, Axis::Cause]
                .iter()
                .all(|axis| !row.axes.contains_key(axis))
    };
    let name = format!("{} of {}", asked.metric, asked.operation.name());
    let mut rows = result.of(asked.metric).filter(is_asked);
    let row = rows.next();
    let row = row.ok_or_else(|| format!("the test has no row {name}"))?;
    if rows.next().is_some() {
        return Err(format!("the test has several rows {name}"));
    }
    row.value
        .ok_or_else(|| format!("the test has no value of {name}"))
}
