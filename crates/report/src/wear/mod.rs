//! Endurance and latency over life: the rows of `wordline wear` as people ask for them.
//!
//! A [`Run`] is a usage in an environment on a target, with the rows of all its operations: its blocks one by one, how
//! they spread, and how long programs and erases take over life beside what the sheet says.

mod answer;
mod tables;

#[cfg(test)]
mod tests;

use wordline_core::Metric;
use wordline_core::results::{ResultSet, Row};

use crate::pivot;
use crate::text;

pub(crate) use answer::told;
pub(crate) use tables::tables;

/// Axes that split the rows of a run rather than naming another one.
const PARTS: [&str; 6] = [
    "sample",
    "block",
    "statistic",
    "cause",
    "after_cycles",
    "estimate",
];

/// A usage in an environment on a target.
pub(crate) struct Run<'a> {
    rows: Vec<&'a Row>,
}

impl<'a> Run<'a> {
    /// The runs of a document, in its order.
    pub(crate) fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let runs = pivot::in_runs(document, |head, row| pivot::same_run(head, row, &PARTS));
        runs.into_iter().map(|rows| Self { rows }).collect()
    }

    /// A row that stands for all.
    pub(crate) fn head(&self) -> &'a Row {
        self.rows[0]
    }

    /// The row of a metric with no part but the one named, where one is.
    pub(crate) fn row(
        &self,
        operation: &str,
        metric: Metric,
        part: Option<(&str, &str)>,
    ) -> Option<&'a Row> {
        self.rows.iter().copied().find(|row| {
            let mut parts = PARTS
                .iter()
                .filter_map(|axis| Some((*axis, row.axes.get(*axis)?)));
            let fits = match part {
                None => parts.next().is_none(),
                Some((axis, name)) => {
                    parts.all(|(found, value)| found == axis && value.to_string() == name)
                        && row.axes.contains_key(axis)
                }
            };
            row.metric == metric && row.operation == operation && fits
        })
    }

    pub(crate) fn number(&self, operation: &str, metric: Metric) -> Option<f64> {
        self.row(operation, metric, None)?.value
    }

    /// A statistic of the endurance.
    pub(crate) fn statistic(&self, name: &str) -> Option<&'a Row> {
        self.row("cycle", Metric::Endurance, Some(("statistic", name)))
    }

    /// What the sheet says.
    pub(crate) fn specified(&self, operation: &str, metric: Metric) -> Option<&'a Row> {
        self.row(operation, metric, Some(("estimate", "specification")))
    }

    /// Blocks whose operation reported a failure.
    pub(crate) fn failed(&self, cause: &str) -> Option<f64> {
        self.row("cycle", Metric::BlocksFailed, Some(("cause", cause)))?
            .value
    }

    /// Blocks that were tested.
    pub(crate) fn blocks(&self) -> usize {
        let blocks = self
            .rows
            .iter()
            .filter(|row| row.axes.contains_key("block"));
        blocks.count()
    }

    /// Latency of an operation after so many cycles, ascending.
    pub(crate) fn over_life(&self, operation: &str) -> Vec<(f64, &'a Row)> {
        let rows = self
            .rows
            .iter()
            .copied()
            .filter(|row| row.operation == operation);
        let points =
            rows.filter_map(|row| Some((text::numeric(row.axes.get("after_cycles")?)?, row)));
        let mut points: Vec<_> = points.collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points
    }

    /// An axis as people read it; empty where the run has none.
    pub(crate) fn axis(&self, name: &str) -> String {
        let value = self.head().axes.get(name);
        value.map_or_else(String::new, |value| text::coordinate(name, value))
    }

    /// What tells it from the other runs of a document, besides its target.
    pub(crate) fn keys(&self) -> [(&'static str, String); 5] {
        [
            ("usage", self.axis("usage")),
            ("temperature", self.temperature()),
            ("dwell", self.axis("dwell_s")),
            ("order", self.axis("order")),
            ("timing", self.head().timing.to_string()),
        ]
    }

    fn temperature(&self) -> String {
        match self.axis("temperature_celsius") {
            none if none.is_empty() => none,
            celsius => format!("{celsius} °C"),
        }
    }
}

/// Which keys differ between runs: the usage always stands, being what was done.
pub(crate) fn keys_that_differ(runs: &[Run<'_>]) -> Vec<&'static str> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let differs = |place: usize| {
        runs.iter()
            .any(|run| run.keys()[place] != first.keys()[place])
    };
    let keys = first.keys();
    let names = keys.iter().enumerate();
    names
        .filter(|(place, (name, _))| *name == "usage" || differs(*place))
        .map(|(_, (name, _))| *name)
        .collect()
}
