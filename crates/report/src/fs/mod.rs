//! File systems on memories: the rows of `wordline fs bench` as people ask for them.
//!
//! A [`Run`] is one operation of a file system on a target at a fill level, with the rows of all its metrics. Its slowest
//! call is told with the operations of the memory that it consisted of.

mod answer;
mod tables;

#[cfg(test)]
mod tests;

use wordline_core::Metric;
use wordline_core::results::{AxisValue, ResultSet, Row};

use crate::pivot;
use crate::text;

pub(crate) use answer::told;
pub(crate) use tables::tables;

/// Axes that split the metrics of a run rather than naming another one.
const PARTS: [&str; 4] = ["cause", "device_operation", "rate_bytes_per_s", "arrival"];

/// The column that tells the kind of the memory's operations.
pub(crate) const DEVICE_OPERATION: &str = "device_operation";

/// One operation of a file system on a target.
pub(crate) struct Run<'a> {
    rows: Vec<&'a Row>,
}

/// How the operations of a memory are counted in words, and the order of rows.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("erase", "erases"),
    ("program", "programs"),
    ("write", "writes"),
    ("read", "reads"),
    ("persist", "persists"),
];

impl<'a> Run<'a> {
    /// The runs of a document, in its order.
    pub(crate) fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for row in &document.rows {
            // Rows of a run follow each other, but for a few that are told later.
            let place = runs.iter().rposition(|run| run.owns(row));
            match place {
                Some(place) => runs[place].rows.push(row),
                None => runs.push(Self { rows: vec![row] }),
            }
        }
        runs
    }

    fn owns(&self, row: &Row) -> bool {
        let head = self.head();
        head.operation == row.operation && pivot::same_run(head, row, &PARTS)
    }

    /// A row that stands for all.
    pub(crate) fn head(&self) -> &'a Row {
        self.rows[0]
    }

    /// The row of a metric as a whole.
    pub(crate) fn row(&self, metric: Metric) -> Option<&'a Row> {
        let mut rows = self.rows.iter().copied();
        rows.find(|row| {
            row.metric == metric && !PARTS.iter().any(|axis| row.axes.contains_key(*axis))
        })
    }

    pub(crate) fn number(&self, metric: Metric) -> Option<f64> {
        self.row(metric)?.value
    }

    /// The parts of a metric along an axis: the name of each with its value.
    pub(crate) fn parts(&self, metric: Metric, axis: &str) -> Vec<(&'a str, f64)> {
        let rows = self.rows.iter().filter(|row| row.metric == metric);
        rows.filter_map(|row| match row.axes.get(axis)? {
            AxisValue::Text(name) => Some((name.as_str(), row.value?)),
            _ => None,
        })
        .collect()
    }

    /// The rows of a metric at input rates, for input in whole records.
    pub(crate) fn at_rates(&self, metric: Metric) -> Vec<(f64, &'a Row)> {
        let rows = self.rows.iter().filter(|row| row.metric == metric);
        let records = rows.filter(|row| {
            let arrival = row.axes.get("arrival");
            arrival.is_none_or(|arrival| arrival.to_string() == "record")
        });
        records
            .filter_map(|row| Some((text::numeric(row.axes.get("rate_bytes_per_s")?)?, *row)))
            .collect()
    }

    /// An axis as people read it; empty where the run has none.
    pub(crate) fn axis(&self, name: &str) -> String {
        let value = self.head().axes.get(name);
        value.map_or_else(String::new, |value| text::coordinate(name, value))
    }

    /// The file system as people read it.
    pub(crate) fn system(&self) -> String {
        let name = self.axis("fs");
        let mut known = wordline_core::FsKind::ALL.into_iter();
        let title = known.find(|kind| kind.name() == name);
        title.map_or(name, |kind| kind.title().to_owned())
    }

    /// What the slowest call consisted of: "210 erases 8.40 s, 3300 reads 3.10 s", the longest first.
    pub(crate) fn slowest(&self) -> String {
        let counts = self.parts(Metric::LatencyMaxOperations, DEVICE_OPERATION);
        let mut times = self.parts(Metric::LatencyMaxOperationTime, DEVICE_OPERATION);
        times.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let told = times.iter().map(|(kind, time)| {
            let count = counts.iter().find(|(name, _)| name == kind);
            let count = count.map_or(0.0, |(_, count)| *count);
            let several = KINDS.iter().find(|(name, _)| name == kind);
            let name = match several {
                Some((_, several)) if count != 1.0 => *several,
                _ => kind,
            };
            let time = text::number(Metric::LatencyMax, *time, text::DIGITS);
            format!("{count:.0} {name} {time}")
        });
        told.collect::<Vec<_>>().join(", ")
    }
}
