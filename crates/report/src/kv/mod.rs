//! Hash tables on memories: the rows of `wordline kv` as people ask for them.
//!
//! A [`Run`] is a kind of operation of a table on a target, with records of one size at one load, and the rows of all its
//! metrics. Beside what it moved stands the least that any durable table moves.

mod answer;
mod tables;

#[cfg(test)]
mod tests;

use wordline_core::results::{NoValue, ResultSet, Row};
use wordline_core::{KvDirectory, KvTable, Metric};

use crate::pivot;
use crate::text;

pub(crate) use answer::told;
pub(crate) use tables::tables;

/// Axes that split the metrics of a run rather than naming another one.
const PARTS: [&str; 1] = ["cause"];

/// The kinds of operation in the order of the tables.
pub(crate) const OPERATIONS: [&str; 8] = [
    "all",
    "insert",
    "hit",
    "miss",
    "read",
    "update",
    "delete",
    "read-modify-write",
];

/// One kind of operation of a table on a target.
pub(crate) struct Run<'a> {
    rows: Vec<&'a Row>,
}

impl<'a> Run<'a> {
    /// The runs of a document, in its order.
    pub(crate) fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let runs = pivot::in_runs(document, |head, row| {
            head.operation == row.operation && pivot::same_run(head, row, &PARTS)
        });
        runs.into_iter().map(|rows| Self { rows }).collect()
    }

    /// A row that stands for all.
    pub(crate) fn head(&self) -> &'a Row {
        self.rows[0]
    }

    /// The row of a metric as a whole.
    pub(crate) fn row(&self, metric: Metric) -> Option<&'a Row> {
        let mut rows = self.rows.iter().copied();
        rows.find(|row| row.metric == metric && !row.axes.contains_key("cause"))
    }

    pub(crate) fn number(&self, metric: Metric) -> Option<f64> {
        self.row(metric)?.value
    }

    /// An axis as people read it; empty where the run has none.
    pub(crate) fn axis(&self, name: &str) -> String {
        let value = self.head().axes.get(name);
        value.map_or_else(String::new, |value| text::coordinate(name, value))
    }

    /// Bytes in a key.
    pub(crate) fn key_bytes(&self) -> Option<f64> {
        text::numeric(self.head().axes.get("key_bytes")?)
    }

    /// Whether each kind of operation is run by itself.
    pub(crate) fn is_sweep(&self) -> bool {
        matches!(self.axis("work").as_str(), "" | "sweep")
    }

    /// "32 B", or "16 B / 100 B" where keys and values have different sizes.
    pub(crate) fn sizes(&self) -> String {
        let (key, value) = (self.axis("key_bytes"), self.axis("value_bytes"));
        if key.is_empty() {
            "many".to_owned()
        } else if key == value {
            key
        } else {
            format!("{key} / {value}")
        }
    }

    /// The table as the command line spells it, with its mode: room is short at the head of a column.
    pub(crate) fn short_table(&self) -> String {
        match self.axis("directory") {
            none if none.is_empty() => self.axis("table"),
            directory => format!("{} {directory}", self.axis("table")),
        }
    }

    /// The table as people read it.
    pub(crate) fn title(&self) -> String {
        let name = self.axis("table");
        let mut known = KvTable::ALL.into_iter();
        let title = known.find(|table| table.name() == name);
        title.map_or(name, |table| table.title().to_owned())
    }

    /// The same with its mode.
    pub(crate) fn table(&self) -> String {
        let title = self.title();
        match self.axis("directory") {
            resident if resident == KvDirectory::Resident.name() => {
                format!("{title} with its directory in the memory")
            }
            _ => title,
        }
    }

    /// Share of the time that the processor took, its driver included; `None` where nothing was timed.
    pub(crate) fn processor_share(&self) -> Option<f64> {
        let shares = self
            .rows
            .iter()
            .filter(|row| row.metric == Metric::TimeShare);
        let mut told = shares.filter_map(|row| {
            let cause = row.axes.get("cause")?.to_string();
            let is_processor = cause.starts_with("cpu_") || cause == "driver";
            Some(if is_processor { row.value? } else { 0.0 })
        });
        let first = told.next()?;
        Some(told.fold(first, |sum, share| sum + share))
    }

    /// Whether the table does such operations at all.
    pub(crate) fn can(&self) -> bool {
        self.number(Metric::LatencyMax).is_some()
            || self
                .rows
                .iter()
                .any(|row| row.no_value == Some(NoValue::Failed))
    }

    /// Cycles that an operation takes of the place that is worn most, in the mean.
    fn cycles_each(&self) -> Option<f64> {
        let operations = self
            .number(Metric::AccessCount)
            .filter(|count| *count > 0.0)?;
        Some(self.number(Metric::CyclesMax)? / operations)
    }

    /// What an operation moved, over the least that it could have.
    pub(crate) fn over_floor(&self) -> Option<f64> {
        let floor = self
            .number(Metric::BytesFloor)
            .filter(|floor| *floor > 0.0)?;
        Some(self.number(Metric::BytesMoved)? / floor)
    }
}

/// What some runs have, each once, in their order.
pub(crate) fn each<'a, T: PartialEq>(runs: &[&Run<'a>], of: impl Fn(&Run<'a>) -> T) -> Vec<T> {
    let mut found = Vec::new();
    for run in runs {
        let one = of(run);
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
