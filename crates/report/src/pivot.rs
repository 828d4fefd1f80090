//! The rows of a document, pivoted: one line for each thing that was run, with all its metrics.
//!
//! A document's rows are long-form, one metric each. Rows that differ only in their metric, and in
//! the `cause` that splits a metric, belong to one line. Lines that differ only in one numeric axis,
//! such as the access size, form a series: a curve of a plot. Nothing here knows a workload's
//! axes, so that a new workload is shown without a change here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wordline_core::results::{AxisValue, ResultSet, Row};
use wordline_core::{Basis, Metric};

use crate::text;

/// The axis that splits a metric into parts rather than naming another run.
const CAUSE: &str = "cause";

/// The rows of a document as lines.
pub(crate) struct Pivot<'a> {
    /// One for each thing that was run, in the order of the document.
    pub(crate) lines: Vec<Line<'a>>,
    /// What tells the lines apart.
    pub(crate) varying: Varying<'a>,
    /// The numeric axis that curves are drawn along.
    pub(crate) along: Option<&'a str>,
}

/// One thing that was run, with its rows; there is always at least one.
pub(crate) struct Line<'a> {
    rows: Vec<&'a Row>,
}

/// Columns that differ between lines.
pub(crate) struct Varying<'a> {
    pub(crate) target: bool,
    pub(crate) workload: bool,
    pub(crate) timing: bool,
    pub(crate) age: bool,
    pub(crate) basis: bool,
    /// Every axis that any line has, varying or not.
    pub(crate) axes: BTreeSet<&'a str>,
    /// The axes that differ between lines, or that some lines lack.
    pub(crate) varying_axes: BTreeSet<&'a str>,
}

/// Lines that differ only in the axis that curves are drawn along, ascending in it.
pub(crate) struct Series<'a, 'p> {
    /// What tells it from the others: operation, and target where there are several.
    pub(crate) name: String,
    /// The same without the target.
    pub(crate) name_on_target: String,
    pub(crate) lines: Vec<&'p Line<'a>>,
}

impl<'a> Pivot<'a> {
    pub(crate) fn of(document: &'a ResultSet) -> Self {
        let lines = Line::all_of(document);
        let varying = Varying::between(&lines);
        let along = along(&lines, &varying);
        Self {
            lines,
            varying,
            along,
        }
    }

    /// The lines as curves, in the order of the document.
    pub(crate) fn series(&self) -> Vec<Series<'a, '_>> {
        let mut places = HashMap::new();
        let mut all: Vec<Series<'a, '_>> = Vec::new();
        for line in &self.lines {
            let place = *places.entry(line.key(self.along)).or_insert(all.len());
            if place == all.len() {
                all.push(self.empty_series(line));
            }
            all[place].lines.push(line);
        }
        let place = |line: &Line<'_>| {
            let coordinate = self.along.and_then(|axis| line.coordinate(axis));
            coordinate.unwrap_or(f64::NEG_INFINITY)
        };
        for series in &mut all {
            series.lines.sort_by(|a, b| place(a).total_cmp(&place(b)));
        }
        all
    }

    fn empty_series(&self, line: &Line<'a>) -> Series<'a, 'a> {
        let row = line.head();
        let mut parts = vec![text::words(&row.operation)];
        if self.varying.workload {
            parts.insert(0, row.workload.clone());
        }
        if self.varying.timing {
            parts.push(format!("{} timing", row.timing));
        }
        if self.varying.age {
            parts.push(format!("age {}", row.age));
        }
        for axis in &self.varying.varying_axes {
            if Some(*axis) != self.along
                && let Some(value) = line.axis(axis)
            {
                let value = text::coordinate(axis, value);
                parts.push(format!("{} {value}", text::axis_label(axis)));
            }
        }
        let name_on_target = parts.join(", ");
        let name = if self.varying.target {
            format!("{}, {name_on_target}", row.target)
        } else {
            name_on_target.clone()
        };
        Series {
            name,
            name_on_target,
            lines: Vec::new(),
        }
    }

    /// The axes that are worth a column: those that vary, and numbers even where they do not.
    pub(crate) fn shown_axes(&self) -> Vec<&'a str> {
        let axes = self.varying.axes.iter().copied();
        axes.filter(|axis| {
            let text = |line: &Line<'_>| matches!(line.axis(axis), Some(AxisValue::Text(_)));
            self.varying.varying_axes.contains(axis) || !self.lines.iter().all(text)
        })
        .collect()
    }

    /// A coordinate along the curves as people read it; empty where there is none.
    pub(crate) fn place(&self, line: &Line<'_>) -> String {
        let value = self.along.and_then(|axis| Some((axis, line.axis(axis)?)));
        value.map_or_else(String::new, |(axis, value)| text::coordinate(axis, value))
    }
}

impl<'a> Series<'a, '_> {
    /// A row that stands for all: target, operation and conditions are theirs.
    pub(crate) fn head(&self) -> &'a Row {
        self.lines[0].head()
    }
}

impl<'a> Line<'a> {
    fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let mut places = HashMap::new();
        let mut lines: Vec<Self> = Vec::new();
        for row in &document.rows {
            let line = Self { rows: vec![row] };
            let place = *places.entry(line.key(None)).or_insert(lines.len());
            match lines.get_mut(place) {
                Some(line) => line.rows.push(row),
                None => lines.push(line),
            }
        }
        lines
    }

    /// What the line is about, with one axis left out if asked.
    fn key(&self, without: Option<&str>) -> Vec<String> {
        let row = self.head();
        let what = [
            &row.target,
            &row.part,
            &row.board,
            &row.workload,
            &row.operation,
        ];
        let mut key: Vec<String> = what.into_iter().cloned().collect();
        key.extend([row.timing.to_string(), row.age.to_string()]);
        for (axis, value) in self.axes().filter(|(axis, _)| Some(*axis) != without) {
            key.extend([axis.to_owned(), value.to_string()]);
        }
        key
    }

    /// A row that stands for all: target, operation, conditions and axes are theirs.
    pub(crate) fn head(&self) -> &'a Row {
        self.rows[0]
    }

    /// Name and value of every axis but the cause.
    pub(crate) fn axes(&self) -> impl Iterator<Item = (&'a str, &'a AxisValue)> {
        let axes = self.head().axes.iter();
        axes.map(|(axis, value)| (axis.as_str(), value))
            .filter(|(axis, _)| *axis != CAUSE)
    }

    pub(crate) fn axis(&self, name: &str) -> Option<&'a AxisValue> {
        self.head().axes.get(name)
    }

    /// The value of a numeric axis.
    pub(crate) fn coordinate(&self, axis: &str) -> Option<f64> {
        self.axis(axis).and_then(text::numeric)
    }

    /// The row of a metric, whole or the part of one cause.
    pub(crate) fn row(&self, metric: Metric, cause: Option<&str>) -> Option<&'a Row> {
        let rows = self.rows.iter().copied();
        rows.filter(|row| row.metric == metric)
            .find(|row| row.text(CAUSE) == cause)
    }

    /// The value of a metric that is not split by cause.
    pub(crate) fn number(&self, metric: Metric) -> Option<f64> {
        self.row(metric, None)?.value
    }

    /// The parts of a metric by cause, in the order of the document.
    pub(crate) fn parts(&self, metric: Metric) -> impl Iterator<Item = (&'a str, f64)> {
        let rows = self.rows.iter().filter(move |row| row.metric == metric);
        rows.filter_map(|row| Some((row.text(CAUSE)?, row.value?)))
    }

    /// Every metric of the line with the cause that splits it.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = (Metric, Option<&'a str>)> {
        self.rows.iter().map(|row| (row.metric, row.text(CAUSE)))
    }

    /// Where the values of the line come from.
    pub(crate) fn bases(&self) -> BTreeSet<Basis> {
        self.rows.iter().map(|row| row.basis).collect()
    }
}

impl<'a> Varying<'a> {
    fn between(lines: &[Line<'a>]) -> Self {
        let axes: BTreeSet<&str> = lines
            .iter()
            .flat_map(|line| line.axes().map(|(axis, _)| axis))
            .collect();
        let differing =
            |axis: &&str| differs(lines, |line| line.axis(axis).map(AxisValue::to_string));
        Self {
            target: differs(lines, |line| line.head().target.clone()),
            workload: differs(lines, |line| line.head().workload.clone()),
            timing: differs(lines, |line| line.head().timing),
            age: differs(lines, |line| line.head().age.to_bits()),
            basis: differs(lines, |line| line.bases()),
            varying_axes: axes
                .iter()
                .copied()
                .filter(|axis| differing(axis))
                .collect(),
            axes,
        }
    }
}

/// Whether any two lines differ in something.
fn differs<Key: PartialEq>(lines: &[Line<'_>], key: impl Fn(&Line<'_>) -> Key) -> bool {
    lines.windows(2).any(|pair| key(&pair[0]) != key(&pair[1]))
}

/// The rows of a document in runs: rows that follow each other and belong together, as the first of them and the next say.
pub(crate) fn in_runs(document: &ResultSet, belong: impl Fn(&Row, &Row) -> bool) -> Vec<Vec<&Row>> {
    let mut runs: Vec<Vec<&Row>> = Vec::new();
    for row in &document.rows {
        match runs.last_mut().filter(|run| belong(run[0], row)) {
            Some(run) => run.push(row),
            None => runs.push(vec![row]),
        }
    }
    runs
}

/// The axis for curves: the access size where there is one, else the numeric axis with the most
/// values.
fn along<'a>(lines: &[Line<'a>], varying: &Varying<'a>) -> Option<&'a str> {
    let mut values: BTreeMap<&'a str, BTreeSet<u64>> = BTreeMap::new();
    for line in lines {
        for axis in &varying.axes {
            if let Some(value) = line.coordinate(axis) {
                values.entry(axis).or_default().insert(value.to_bits());
            }
        }
    }
    if let Some((axis, _)) = values.get_key_value("access_bytes") {
        return Some(axis);
    }
    // The last of equals is the maximum; reversing makes that the first by name.
    let axes = values.iter().rev();
    axes.max_by_key(|(_, values)| values.len())
        .map(|(axis, _)| *axis)
}

/// Whether two rows are of one target under the same conditions, with the same axes but for those that split a run.
pub(crate) fn same_run(one: &Row, other: &Row, parts: &[&str]) -> bool {
    let within = |one: &Row, other: &Row| {
        let mut axes = one.axes.iter();
        axes.all(|(axis, value)| {
            parts.contains(&axis.as_str()) || other.axes.get(axis) == Some(value)
        })
    };
    one.target == other.target
        && one.timing == other.timing
        && one.age == other.age
        && within(one, other)
        && within(other, one)
}
