//! The rows of a document, pivoted: one line for each thing that was run, with all its metrics.
//!
//! A document's rows are long-form, one metric each. The [`Keys`] of a view say which columns and axes
//! identify a line; the other axes split its metrics into parts. Lines that differ only in one numeric
//! axis, such as the access size, form a series: a curve of a plot. Nothing here knows a workload's
//! axes, so that a new workload is shown without a change here.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use wordline_core::results::{AxisValue, ResultSet, Row};
use wordline_core::{Axis, Basis, Metric};

use crate::text;

/// What a line has besides its metrics: a column of its rows, or an axis.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum LineField {
    Target,
    Part,
    Board,
    Workload,
    Operation,
    Timing,
    Age,
    Of(Axis),
}

impl LineField {
    /// The columns that identify a line unless a view names others.
    const COLUMNS: [Self; 7] = [
        Self::Target,
        Self::Part,
        Self::Board,
        Self::Workload,
        Self::Operation,
        Self::Timing,
        Self::Age,
    ];

    /// As a heading names it.
    pub(crate) fn label(self) -> String {
        match self {
            Self::Target => "target".to_owned(),
            Self::Part => "part".to_owned(),
            Self::Board => "board".to_owned(),
            Self::Workload => "workload".to_owned(),
            Self::Operation => "operation".to_owned(),
            Self::Timing => "timing".to_owned(),
            Self::Age => "age".to_owned(),
            Self::Of(axis) => text::axis_label(axis),
        }
    }

    /// Its value in a row, as documents spell it; `None` where the row lacks the axis.
    fn spelt(self, row: &Row) -> Option<String> {
        Some(match self {
            Self::Target => row.target.clone(),
            Self::Part => row.part.clone(),
            Self::Board => row.board.clone(),
            Self::Workload => row.workload.clone(),
            Self::Operation => row.operation.to_string(),
            Self::Timing => row.timing.to_string(),
            Self::Age => row.age.to_string(),
            Self::Of(axis) => row.axes.get(&axis)?.to_string(),
        })
    }
}

impl From<Axis> for LineField {
    fn from(axis: Axis) -> Self {
        Self::Of(axis)
    }
}

/// Fields with their values.
pub(crate) type At = [(LineField, &'static str)];

/// What identifies a line.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    /// The columns and axes that do; empty for every column and every axis that is no part.
    pub(crate) only: &'static [LineField],
    /// Axes that split the metrics of a line, besides `cause`. The value of a metric as a whole has none
    /// of them.
    pub(crate) parts: &'static [LineField],
}

impl Keys {
    /// Every column and axis but `cause`.
    pub(crate) const ALL: Self = Self::but(&[]);

    /// Every column and axis but some.
    pub(crate) const fn but(parts: &'static [LineField]) -> Self {
        Self { only: &[], parts }
    }

    fn is_part(&self, field: LineField) -> bool {
        field == LineField::Of(Axis::Cause) || self.parts.contains(&field)
    }

    fn has(&self, field: LineField) -> bool {
        if self.only.is_empty() {
            !self.is_part(field)
        } else {
            self.only.contains(&field)
        }
    }
}

/// The rows of a document as lines.
pub(crate) struct Pivot<'a> {
    pub(crate) document: &'a ResultSet,
    /// One for each thing that was run, in the order of the document.
    pub(crate) lines: Vec<PivotLine<'a>>,
    /// What distinguishes the lines.
    pub(crate) varying: Varying,
    /// The numeric axis that curves are drawn along.
    pub(crate) along: Option<Axis>,
}

/// One thing that was run, with its rows; there is always at least one.
pub(crate) struct PivotLine<'a> {
    rows: Vec<&'a Row>,
    keys: Keys,
}

/// Columns that differ between lines.
pub(crate) struct Varying {
    pub(crate) target: bool,
    pub(crate) board: bool,
    pub(crate) workload: bool,
    pub(crate) timing: bool,
    pub(crate) age: bool,
    pub(crate) basis: bool,
    /// Every axis that any line has, varying or not.
    pub(crate) axes: BTreeSet<Axis>,
    /// The axes that differ between lines, or that some lines lack.
    pub(crate) varying_axes: BTreeSet<Axis>,
}

/// Lines that differ only in the axis that curves are drawn along, ascending in it.
pub(crate) struct Series<'a, 'p> {
    /// What distinguishes it from the others: operation, and target where there are several.
    pub(crate) name: String,
    /// The same without the target.
    pub(crate) name_on_target: String,
    pub(crate) lines: Vec<&'p PivotLine<'a>>,
}

impl<'a> Pivot<'a> {
    pub(crate) fn of(document: &'a ResultSet, keys: Keys) -> Self {
        let lines = PivotLine::all_of(document.rows.iter(), keys);
        let varying = Varying::between(&lines);
        let along = along(&lines, &varying);
        Self {
            document,
            lines,
            varying,
            along,
        }
    }

    /// Where all lines run, for a title: ` on xeon6-1s`; empty where their boards differ.
    pub(crate) fn on_board(&self) -> String {
        match self.lines.first() {
            Some(line) if !self.varying.board => format!(" on {}", line.head().board),
            _ => String::new(),
        }
    }

    /// A target as a column names it: without the board where all share it.
    pub(crate) fn short(&self, row: &'a Row) -> &'a str {
        match self.varying.board {
            true => &row.target,
            false => &row.part,
        }
    }

    /// The same of the first target, with which the others are compared.
    pub(crate) fn first(&self) -> &'a str {
        let first = self.lines.first();
        first.map_or("", |line| self.short(line.head()))
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
                && let Some(value) = line.axis(*axis)
            {
                let value = text::coordinate(*axis, value);
                parts.push(format!("{} {value}", text::axis_label(*axis)));
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
    pub(crate) fn shown_axes(&self) -> Vec<Axis> {
        let axes = self.varying.axes.iter().copied();
        axes.filter(|axis| {
            let text = |line: &PivotLine<'_>| matches!(line.axis(*axis), Some(AxisValue::Text(_)));
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
    pub(crate) fn all_of(rows: impl Iterator<Item = &'a Row>, keys: Keys) -> Vec<Self> {
        let mut places = HashMap::new();
        let mut lines: Vec<Self> = Vec::new();
        for row in rows {
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
    fn key(&self, without: Option<Axis>) -> Vec<String> {
        let columns = LineField::COLUMNS.into_iter();
        let columns = columns.filter(|field| self.keys.has(*field));
        let mut key: Vec<String> = columns.map(|field| self.field(field)).collect();
        for (axis, value) in self.axes().filter(|(axis, _)| Some(*axis) != without) {
            key.extend([axis.to_string(), value.to_string()]);
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
    pub(crate) fn axes(&self) -> impl Iterator<Item = (Axis, &'a AxisValue)> {
        let axes = self.head().axes.iter();
        axes.map(|(axis, value)| (*axis, value))
            .filter(|(axis, _)| self.keys.has(LineField::Of(*axis)))
    }

    pub(crate) fn axis(&self, axis: Axis) -> Option<&'a AxisValue> {
        self.head().axes.get(&axis)
    }

    /// A column or an axis as people read it; empty where the line has none.
    pub(crate) fn field(&self, field: impl Into<LineField>) -> String {
        let told = match field.into() {
            LineField::Of(axis) => self.axis(axis).map(|value| text::coordinate(axis, value)),
            column => column.spelt(self.head()),
        };
        told.unwrap_or_default()
    }

    /// The value of a numeric axis.
    pub(crate) fn coordinate(&self, axis: Axis) -> Option<f64> {
        self.axis(axis).and_then(text::numeric)
    }

    /// The rows of a metric with these columns and axes and no other part.
    pub(crate) fn all_at<'s>(
        &'s self,
        metric: Metric,
        at: &'s [(LineField, &'s str)],
    ) -> impl Iterator<Item = &'a Row> + use<'a, 's> {
        let rows = self.rows.iter().copied();
        rows.filter(move |row| {
            let named = |field: LineField| at.iter().any(|(one, _)| *one == field);
            let mut axes = row.axes.keys().map(|axis| LineField::Of(*axis));
            row.metric == metric
                && at.iter().all(|(field, value)| is(row, *field, value))
                && axes.all(|axis| !self.keys.is_part(axis) || named(axis))
        })
    }

    /// The row of a metric with these columns and axes and no other part.
    pub(crate) fn at(&self, metric: Metric, at: &[(LineField, &str)]) -> Option<&'a Row> {
        self.all_at(metric, at).next()
    }

    /// The row of a metric, whole or the part of one cause.
    pub(crate) fn row(&self, metric: Metric, cause: Option<&str>) -> Option<&'a Row> {
        match cause {
            None => self.at(metric, &[]),
            Some(cause) => self.at(metric, &[(Axis::Cause.into(), cause)]),
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
    pub(crate) fn split(&self, metric: Metric, axis: Axis) -> impl Iterator<Item = (&'a str, f64)> {
        let rows = self.rows.iter().filter(move |row| row.metric == metric);
        rows.filter_map(move |row| Some((row.text(axis)?, row.value?)))
    }

    /// The parts of a metric by cause, in the order of the document.
    pub(crate) fn parts(&self, metric: Metric) -> impl Iterator<Item = (&'a str, f64)> {
        self.split(metric, Axis::Cause)
    }

    /// The rows of a metric along a numeric axis, ascending in it, with these other parts and no more.
    pub(crate) fn along(
        &self,
        metric: Metric,
        axis: Axis,
        at: &[(LineField, &str)],
    ) -> Vec<(f64, &'a Row)> {
        let mut at = at.to_vec();
        at.push((axis.into(), ANY));
        let rows = self.all_at(metric, &at);
        let places = rows.filter_map(|row| Some((text::numeric(row.axes.get(&axis)?)?, row)));
        let mut points: Vec<_> = places.filter(|(place, _)| place.is_finite()).collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points
    }

    /// Every metric of the line with the cause that splits it.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = (Metric, Option<&'a str>)> {
        self.rows
            .iter()
            .map(|row| (row.metric, row.text(Axis::Cause)))
    }

    /// Where the values of the line come from.
    pub(crate) fn bases(&self) -> BTreeSet<Basis> {
        self.rows.iter().map(|row| row.basis).collect()
    }
}

/// Stands for any value of an axis.
pub(crate) const ANY: &str = "*";

/// Whether a column or an axis of a row has a value.
fn is(row: &Row, field: LineField, value: &str) -> bool {
    let spelt = field.spelt(row);
    spelt.is_some_and(|spelt| value == ANY || spelt == value)
}

/// What some things have, each once, in their order.
pub(crate) fn each<'t, T, Of: Clone + Eq + Hash>(
    all: &'t [T],
    of: impl Fn(&'t T) -> Of,
) -> Vec<Of> {
    let mut seen = HashSet::new();
    let mut found: Vec<Of> = all.iter().map(of).collect();
    found.retain(|one| seen.insert(one.clone()));
    found
}

/// Each finite value once, ascending.
pub(crate) fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Things that have something in common side by side, in the order in which it comes first.
pub(crate) fn together<T, Of: Eq + Hash>(all: Vec<T>, of: impl Fn(&T) -> Of) -> Vec<Vec<T>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for one in all {
        let place = *places.entry(of(&one)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Whether any two things differ in something.
pub(crate) fn differs<T, Of: PartialEq>(all: &[T], of: impl Fn(&T) -> Of) -> bool {
    all.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]))
}

impl Varying {
    fn between(lines: &[PivotLine<'_>]) -> Self {
        let axes: BTreeSet<Axis> = lines
            .iter()
            .flat_map(|line| line.axes().map(|(axis, _)| axis))
            .collect();
        let differing =
            |axis: &Axis| differs(lines, |line| line.axis(*axis).map(AxisValue::to_string));
        Self {
            target: differs(lines, |line| line.head().target.clone()),
            board: differs(lines, |line| &line.head().board),
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
fn along(lines: &[PivotLine<'_>], varying: &Varying) -> Option<Axis> {
    let mut values: BTreeMap<Axis, BTreeSet<u64>> = BTreeMap::new();
    for line in lines {
        for axis in &varying.axes {
            if let Some(value) = line.coordinate(*axis) {
                values.entry(*axis).or_default().insert(value.to_bits());
            }
        }
    }
    if values.contains_key(&Axis::AccessBytes) {
        return Some(Axis::AccessBytes);
    }
    // The last of equals is the maximum; reversing makes that the first by name.
    let axes = values.iter().rev();
    axes.max_by_key(|(_, values)| values.len())
        .map(|(axis, _)| *axis)
}
