//! Remaining life from latency: the blocks of a log, or the score of the predictor.

mod log;
mod score;

#[cfg(test)]
mod tests;

use wordline_core::results::{ResultSet, Row};
use wordline_core::{HealthWorkload, Metric, Workload};

use crate::answer::Told;
use crate::grid::{Column, Grid};

pub(crate) use score::{Scored, predictor};

/// What stands where there is nothing to say.
const NOTHING: &str = "–";

const STATISTIC: &str = "statistic";

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    if document.rows.is_empty() {
        return vec![Grid::new("health: no rows", vec![Column::left("block")])];
    }
    if is_score(document) {
        score::tables(document)
    } else {
        vec![log::table(document)]
    }
}

pub(crate) fn told(document: &ResultSet) -> Told {
    let sentences = if is_score(document) {
        score::sentences(document)
    } else {
        log::sentences(document)
    };
    Told {
        sentences,
        singly: false,
    }
}

fn is_score(document: &ResultSet) -> bool {
    let workload = &document.experiment.workload;
    matches!(workload, Workload::Health(HealthWorkload::Score { .. }))
}

/// The row of a metric, and of a statistic where there are several.
fn row<'a>(rows: &[&'a Row], metric: Metric, statistic: Option<&str>) -> Option<&'a Row> {
    let mut found = rows.iter().copied();
    found.find(|row| row.metric == metric && row.text(STATISTIC) == statistic)
}
