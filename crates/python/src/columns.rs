//! Rows as columns. Names are few and repeat, so that a column of names is a list of them and a place in it for each row:
//! four bytes a row, whatever the names' lengths.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use pyo3::FromPyObject;
use wordline_core::Axis;
use wordline_core::ResultSet;
use wordline_core::results::{AxisValue, NoValue, Row};

use crate::failure::CallError;

/// Why there is no value, as documents spell it.
pub(crate) const fn reason(of: NoValue) -> &'static str {
    match of {
        NoValue::Unbounded => "unbounded",
        NoValue::BeyondRange => "beyond_range",
        NoValue::NotApplicable => "not_applicable",
        NoValue::Failed => "failed",
    }
}

/// A table in columns.
pub(crate) struct RowTable {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<RowColumn>,
}

/// A column with its name.
pub(crate) struct RowColumn {
    pub(crate) name: String,
    pub(crate) data: ColumnData,
    /// Which rows have a value, a bit each; none where all have one.
    pub(crate) valid: Option<Bitmap>,
}

/// What a column holds.
pub(crate) enum ColumnData {
    /// Real numbers.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Names: places in a list.
    Names(Vec<u32>, NameList),
}

/// Names one behind the other, and where each begins.
pub(crate) struct NameList {
    pub(crate) offsets: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

impl NameList {
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// Bits, the lowest of a byte first.
#[derive(Default)]
pub(crate) struct Bitmap {
    pub(crate) bytes: Vec<u8>,
    pub(crate) zeros: usize,
    bits: usize,
}

impl Bitmap {
    fn push(&mut self, bit: bool) {
        let place = self.bits % 8;
        if place == 0 {
            self.bytes.push(0);
        }
        if bit {
            if let Some(last) = self.bytes.last_mut() {
                *last |= 1 << place;
            }
        } else {
            self.zeros += 1;
        }
        self.bits += 1;
    }

    /// Nothing, where every bit is set.
    fn where_needed(self) -> Option<Self> {
        (self.zeros > 0).then_some(self)
    }
}

/// Collects a column of names.
#[derive(Default)]
struct NameColumn<'a> {
    places: Vec<u32>,
    known: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
    /// The name of the row before, which is often this row's as well.
    last: Option<(&'a str, u32)>,
    valid: Bitmap,
}

impl<'a> NameColumn<'a> {
    fn with_capacity(rows: usize) -> Self {
        Self {
            places: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    fn push(&mut self, name: Option<&'a str>) {
        self.valid.push(name.is_some());
        let Some(name) = name else {
            self.places.push(0);
            return;
        };
        if let Some((last, place)) = self.last
            && last == name
        {
            self.places.push(place);
            return;
        }
        let next = self.names.len() as u32;
        let place = *self.known.entry(name).or_insert(next);
        if place == next {
            self.names.push(name);
        }
        self.last = Some((name, place));
        self.places.push(place);
    }

    fn column(self, name: &str) -> RowColumn {
        let mut list = NameList {
            offsets: vec![0],
            bytes: Vec::new(),
        };
        for name in &self.names {
            list.bytes.extend_from_slice(name.as_bytes());
            list.offsets.push(list.bytes.len() as i64);
        }
        RowColumn {
            name: name.to_owned(),
            data: ColumnData::Names(self.places, list),
            valid: self.valid.where_needed(),
        }
    }
}

/// A value of a caller's column, one for each document.
#[derive(Clone, FromPyObject)]
pub(crate) enum Label {
    /// A whole number.
    Count(u64),
    /// A real number, or a whole one below zero.
    Number(f64),
    /// A name.
    Text(String),
}

/// A caller's column.
pub(crate) struct LabelColumn {
    name: String,
    values: LabelValues,
}

enum LabelValues {
    Counts(Vec<Option<u64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

impl LabelColumn {
    pub(crate) fn new(name: String, values: Vec<Option<Label>>) -> Self {
        let all = |is: fn(&Label) -> bool| values.iter().flatten().all(is);
        let values = if all(|one| matches!(one, Label::Count(_))) {
            let count = |one: Option<Label>| match one {
                Some(Label::Count(count)) => Some(count),
                _ => None,
            };
            LabelValues::Counts(values.into_iter().map(count).collect())
        } else if all(|one| !matches!(one, Label::Text(_))) {
            let number = |one: Option<Label>| match one {
                Some(Label::Count(count)) => Some(count as f64),
                Some(Label::Number(number)) => Some(number),
                _ => None,
            };
            LabelValues::Numbers(values.into_iter().map(number).collect())
        } else {
            let text = |one: Label| match one {
                Label::Count(count) => count.to_string(),
                Label::Number(number) => number.to_string(),
                Label::Text(text) => text,
            };
            let text = |one: Option<Label>| one.map(text);
            LabelValues::Texts(values.into_iter().map(text).collect())
        };
        Self { name, values }
    }

    /// The column of rows, as many for each document as it has.
    fn column(&self, sets: &[Arc<ResultSet>], rows: usize) -> RowColumn {
        let each = sets.iter().enumerate();
        let places = each.flat_map(|(document, set)| set.rows.iter().map(move |_| document));
        match &self.values {
            LabelValues::Counts(values) => {
                counts(&self.name, rows, places.map(|place| *values.get(place)?))
            }
            LabelValues::Numbers(values) => {
                numbers(&self.name, rows, places.map(|place| *values.get(place)?))
            }
            LabelValues::Texts(values) => {
                let mut column = NameColumn::with_capacity(rows);
                for place in places {
                    column.push(values.get(place).and_then(|text| text.as_deref()));
                }
                column.column(&self.name)
            }
        }
    }
}

fn numbers(name: &str, rows: usize, values: impl Iterator<Item = Option<f64>>) -> RowColumn {
    let mut data = Vec::with_capacity(rows);
    let mut valid = Bitmap::default();
    for value in values {
        valid.push(value.is_some());
        data.push(value.unwrap_or(0.0));
    }
    RowColumn {
        name: name.to_owned(),
        data: ColumnData::Numbers(data),
        valid: valid.where_needed(),
    }
}

fn counts(name: &str, rows: usize, values: impl Iterator<Item = Option<u64>>) -> RowColumn {
    let mut data = Vec::with_capacity(rows);
    let mut valid = Bitmap::default();
    for value in values {
        valid.push(value.is_some());
        data.push(value.unwrap_or(0));
    }
    RowColumn {
        name: name.to_owned(),
        data: ColumnData::Counts(data),
        valid: valid.where_needed(),
    }
}

/// What the coordinates of an axis are in some documents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AxisKind {
    Counts,
    Numbers,
    Texts,
}

impl AxisKind {
    fn of(value: &AxisValue) -> Self {
        match value {
            AxisValue::Count(_) => Self::Counts,
            AxisValue::Number(_) => Self::Numbers,
            AxisValue::Text(_) => Self::Texts,
        }
    }
}

impl RowTable {
    /// The rows of documents, with the caller's columns before them.
    pub(crate) fn of(sets: &[Arc<ResultSet>], labels: &[LabelColumn]) -> Result<Self, CallError> {
        let rows = sets.iter().map(|set| set.rows.len()).sum();
        if rows > u32::MAX as usize {
            return Err(CallError::Value {
                place: "rows".to_owned(),
                message: format!("{rows} rows are too many for one table; allowed: 4294967295"),
            });
        }
        let all = || sets.iter().flat_map(|set| &set.rows);
        let axes: BTreeSet<Axis> = all().flat_map(|row| row.axes.keys().copied()).collect();
        let names = |name: &str, of: fn(&Row) -> Option<&str>| {
            let mut column = NameColumn::with_capacity(rows);
            for row in all() {
                column.push(of(row));
            }
            column.column(name)
        };
        let mut columns: Vec<RowColumn> = labels.iter().map(|one| one.column(sets, rows)).collect();
        columns.push(names("target", |row| Some(&row.target)));
        columns.push(names("part", |row| Some(&row.part)));
        columns.push(names("board", |row| Some(&row.board)));
        columns.push(names("workload", |row| Some(&row.workload)));
        columns.push(names("operation", |row| Some(row.operation.name())));
        for axis in axes {
            columns.push(axis_column(axis, rows, &all));
        }
        columns.push(names("timing", |row| Some(row.timing.name())));
        columns.push(numbers("age", rows, all().map(|row| Some(row.age))));
        columns.push(names("metric", |row| Some(row.metric.name())));
        columns.push(numbers("value", rows, all().map(|row| row.value)));
        columns.push(names("no_value", |row| row.no_value.map(reason)));
        columns.push(names("unit", |row| Some(&row.unit)));
        columns.push(names("basis", |row| Some(row.basis.name())));
        columns.push(names("distribution", |row| row.distribution.as_deref()));
        Ok(Self { rows, columns })
    }
}

/// The column of an axis: of whole numbers where it has no others, of names where it has one.
fn axis_column<'a, R: Iterator<Item = &'a Row>>(
    axis: Axis,
    rows: usize,
    all: &dyn Fn() -> R,
) -> RowColumn {
    let values = || all().map(|row| row.axes.get(&axis));
    let kind = values().flatten().map(AxisKind::of).max();
    match kind {
        Some(AxisKind::Counts) | None => {
            let count = |value: Option<&AxisValue>| match value {
                Some(AxisValue::Count(count)) => Some(*count),
                _ => None,
            };
            counts(axis.name(), rows, values().map(count))
        }
        Some(AxisKind::Numbers) => {
            let number = |value: Option<&AxisValue>| match value {
                Some(AxisValue::Count(count)) => Some(*count as f64),
                Some(AxisValue::Number(number)) => Some(*number),
                _ => None,
            };
            numbers(axis.name(), rows, values().map(number))
        }
        Some(AxisKind::Texts) => {
            // Numbers among names are spelt out; they are few.
            let texts: Vec<Option<std::borrow::Cow<'_, str>>> = values()
                .map(|value| match value? {
                    AxisValue::Text(text) => Some(text.as_str().into()),
                    other => Some(other.to_string().into()),
                })
                .collect();
            let mut column = NameColumn::with_capacity(rows);
            for text in &texts {
                column.push(text.as_deref());
            }
            column.column(axis.name())
        }
    }
}
