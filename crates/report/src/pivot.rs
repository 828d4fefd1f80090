//! The rows of a document, pivoted: one line for each thing that was run, with all its metrics.
//!
//! A document's rows are long-form, one metric each. The [`Keys`] of a view say which columns and axes
//! identify a line; the other axes split its metrics into parts. Lines that differ only in one numeric
//! axis, such as the access size, form a series: a curve of a plot. Nothing here knows a workload's
//! axes, so that a new workload is shown without a change here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wordline_core::results::{AxisValue, ResultSet, Row};
use wordline_core::{Basis, Metric};

use crate::text;

/// The axis that splits a metric into parts in every workload.
const CAUSE: &str = "cause";

/// The columns that identify a line unless a view names others.
const COLUMNS: [&str; 7] = [
    "target",
    "part",
    "board",
    "workload",
    "operation",
    "timing",
    "age",
];

/// What identifies a line.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    /// The columns and axes that do; empty for every column and every axis that is no part.
    pub(crate) only: &'static [&'static str],
    /// Axes that split the metrics of a line, besides `cause`. The value of a metric as a whole has none
    /// of them.
    pub(crate) parts: &'static [&'static str],
}

impl Keys {
    /// Every column and axis but `cause`.
    pub(crate) const ALL: Self = Self::but(&[]);

    /// Every column and axis but some.
    pub(crate) const fn but(parts: &'static [&'static str]) -> Self {
        Self { only: &[], parts }
    }

    fn is_part(&self, axis: &str) -> bool {
        axis == CAUSE || self.parts.contains(&axis)
    }

    fn has(&self, name: &str) -> bool {
        if self.only.is_empty() {
            !self.is_part(name)
        } else {
            self.only.contains(&name)
        }
    }
}

/// The rows of a document as lines.
pub(crate) struct Pivot<'a> {
    pub(crate) document: &'a ResultSet,
    /// One for each thing that was run, in the order of the document.
    pub(crate) lines: Vec<PivotLine<'a>>,
    /// What tells the lines apart.
    pub(crate) varying: Varying<'a>,
    /// The numeric axis that curves are drawn along.
    pub(crate) along: Option<&'a str>,
}

/// One thing that was run, with its rows; there is always at least one.
pub(crate) struct PivotLine<'a> {
    rows: Vec<&'a Row>,
    keys: Keys,
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
    pub(crate) lines: Vec<&'p PivotLine<'a>>,
}

impl<'a> Pivot<'a> {
    pub(crate) fn of(document: &'a ResultSet, keys: Keys) -> Self {
        let lines = PivotLine::all_of(document, keys);
        let varying = Varying::between(&lines);
        let along = along(&lines, &varying);
        Self {
            document,
            lines,
            varying,
            along,
        }
    }

    /// The lines that meet a condition.
    pub(crate) fn select<'p>(
        &'p self,
        wanted: impl Fn(&PivotLine<'a>) -> bool,
    ) -> Vec<&'p PivotLine<'a>> {
        self.lines.iter().filter(|line| wanted(line)).collect()
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
        let place = |line: &PivotLine<'_>| {
            let coordinate = self.along.and_then(|axis| line.coordinate(axis));
            coordinate.unwrap_or(f64::NEG_INFINITY)
        };
        for series in &mut all {
            series.lines.sort_by(|a, b| place(a).total_cmp(&place(b)));
        }
        all
    }

    fn empty_series(&self, line: &PivotLine<'a>) -> Series<'a, 'a> {
        let row = line.head();
        let mut parts = vec![text::words(row.operation.name())];
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
            let text = |line: &PivotLine<'_>| matches!(line.axis(axis), Some(AxisValue::Text(_)));
            self.varying.varying_axes.contains(axis) || !self.lines.iter().all(text)
        })
        .collect()
    }

    /// A coordinate along the curves as people read it; empty where there is none.
    pub(crate) fn place(&self, line: &PivotLine<'_>) -> String {
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

impl<'a> PivotLine<'a> {
    fn all_of(document: &'a ResultSet, keys: Keys) -> Vec<Self> {
        let mut places = HashMap::new();
        let mut lines: Vec<Self> = Vec::new();
        for row in &document.rows {
            let rows = vec![row];
            let line = Self { rows, keys };
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
        let columns = COLUMNS.into_iter().filter(|name| self.keys.has(name));
        let mut key: Vec<String> = columns.map(|name| column(row, name)).collect();
        for (axis, value) in self.axes().filter(|(axis, _)| Some(*axis) != without) {
            key.extend([axis.to_owned(), value.to_string()]);
        }
        key
    }

    /// A row that stands for all: the columns and axes that identify the line are theirs.
    pub(crate) fn head(&self) -> &'a Row {
        self.rows[0]
    }

    pub(crate) fn rows(&self) -> &[&'a Row] {
        &self.rows
    }

    /// Name and value of every axis that identifies the line.
    pub(crate) fn axes(&self) -> impl Iterator<Item = (&'a str, &'a AxisValue)> {
        let axes = self.head().axes.iter();
        axes.map(|(axis, value)| (axis.name(), value))
            .filter(|(axis, _)| self.keys.has(axis))
    }

    pub(crate) fn axis(&self, name: &str) -> Option<&'a AxisValue> {
        self.head().axes.get(name)
    }

    /// A column or an axis as people read it; empty where the line has none.
    pub(crate) fn field(&self, name: &str) -> String {
        if COLUMNS.contains(&name) {
            return column(self.head(), name);
        }
        let value = self.axis(name);
        value.map_or_else(String::new, |value| text::coordinate(name, value))
    }

    /// The value of a numeric axis.
    pub(crate) fn coordinate(&self, axis: &str) -> Option<f64> {
        self.axis(axis).and_then(text::numeric)
    }

    /// The rows of a metric with these columns and axes and no other part.
    fn all_at<'s>(
        &'s self,
        metric: Metric,
        at: &'s [(&'s str, &'s str)],
    ) -> impl Iterator<Item = &'a Row> + use<'a, 's> {
        let rows = self.rows.iter().copied();
        rows.filter(move |row| {
            let named = |axis: &str| at.iter().any(|(name, _)| *name == axis);
            row.metric == metric
                && at.iter().all(|(name, value)| is(row, name, value))
                && row
                    .axes
                    .keys()
                    .all(|axis| !self.keys.is_part(axis.name()) || named(axis.name()))
        })
    }

    /// The row of a metric with these columns and axes and no other part.
    pub(crate) fn at(&self, metric: Metric, at: &[(&str, &str)]) -> Option<&'a Row> {
        self.all_at(metric, at).next()
    }

    /// The row of a metric, whole or the part of one cause.
    pub(crate) fn row(&self, metric: Metric, cause: Option<&str>) -> Option<&'a Row> {
        match cause {
            None => self.at(metric, &[]),
            Some(cause) => self.at(metric, &[(CAUSE, cause)]),
        }
    }

    /// The value of a metric as a whole.
    pub(crate) fn number(&self, metric: Metric) -> Option<f64> {
        self.at(metric, &[])?.value
    }

    /// The value of a metric as a whole as people read it, with the word for why there is none.
    pub(crate) fn told(&self, metric: Metric) -> Option<String> {
        Some(text::value(self.at(metric, &[])?, text::DIGITS))
    }

    /// The parts of a metric by an axis of texts, in the order of the document.
    pub(crate) fn split(&self, metric: Metric, axis: &str) -> impl Iterator<Item = (&'a str, f64)> {
        let rows = self.rows.iter().filter(move |row| row.metric == metric);
        rows.filter_map(move |row| Some((row.text(axis)?, row.value?)))
    }

    /// The parts of a metric by cause, in the order of the document.
    pub(crate) fn parts(&self, metric: Metric) -> impl Iterator<Item = (&'a str, f64)> {
        self.split(metric, CAUSE)
    }

    /// The rows of a metric along a numeric axis, ascending in it, with these other parts and no more.
    pub(crate) fn along(
        &self,
        metric: Metric,
        axis: &str,
        at: &[(&str, &str)],
    ) -> Vec<(f64, &'a Row)> {
        let mut at = at.to_vec();
        at.push((axis, ANY));
        let rows = self.all_at(metric, &at);
        let places = rows.filter_map(|row| Some((text::numeric(row.axes.get(axis)?)?, row)));
        let mut points: Vec<_> = places.filter(|(place, _)| place.is_finite()).collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points
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

/// Stands for any value of an axis.
const ANY: &str = "*";

/// Whether a column or an axis of a row has a value.
fn is(row: &Row, name: &str, value: &str) -> bool {
    match row.axes.get(name) {
        Some(AxisValue::Text(text)) => text == value || value == ANY,
        Some(number) => value == ANY || number.to_string() == value,
        None => COLUMNS.contains(&name) && column(row, name) == value,
    }
}

/// A column of a row; empty for what is none.
fn column(row: &Row, name: &str) -> String {
    match name {
        "target" => row.target.clone(),
        "part" => row.part.clone(),
        "board" => row.board.clone(),
        "workload" => row.workload.clone(),
        "operation" => row.operation.to_string(),
        "timing" => row.timing.to_string(),
        "age" => row.age.to_string(),
        _ => String::new(),
    }
}

/// What some things have, each once, in their order.
pub(crate) fn each<T, Of: PartialEq>(all: &[T], of: impl Fn(&T) -> Of) -> Vec<Of> {
    let mut found = Vec::new();
    for one in all.iter().map(of) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Things that have something in common side by side, in the order in which it comes first.
pub(crate) fn together<T, Of: PartialEq>(all: Vec<T>, of: impl Fn(&T) -> Of) -> Vec<Vec<T>> {
    let mut groups: Vec<(Of, Vec<T>)> = Vec::new();
    for one in all {
        let key = of(&one);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether any two things differ in something.
pub(crate) fn differs<T, Of: PartialEq>(all: &[T], of: impl Fn(&T) -> Of) -> bool {
    all.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]))
}

impl<'a> Varying<'a> {
    fn between(lines: &[PivotLine<'a>]) -> Self {
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

/// The axis for curves: the access size where there is one, else the numeric axis with the most
/// values.
fn along<'a>(lines: &[PivotLine<'a>], varying: &Varying<'a>) -> Option<&'a str> {
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
