//! Which row of a result a value stands beside.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::{Table, Value};
use wordline_core::results::{AxisValue, NoValue, Row};
use wordline_core::{Axis, Metric, ResultSet, RowOperation};

use super::experiment::plain;

/// Picks one row of a result: by its metric, its operation and its axes. Of rows that differ in further axes, such as
/// `cause` or `estimate`, the one without them stands for the whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowSelector {
    /// The row's metric.
    pub metric: Metric,
    /// The row's operation; any where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<RowOperation>,
    /// Axes that the row has.
    #[serde(flatten)]
    pub axes: BTreeMap<Axis, AxisValue>,
}

impl RowSelector {
    /// The row of a metric that is no part of another.
    pub(crate) const fn of(metric: Metric) -> Self {
        Self {
            metric,
            operation: None,
            axes: BTreeMap::new(),
        }
    }

    /// The same at a coordinate.
    pub(crate) fn at(mut self, axis: Axis, value: impl Into<AxisValue>) -> Self {
        self.axes.insert(axis, value.into());
        self
    }

    /// From the keys of a measure that are axes.
    pub(super) fn read(
        metric: Metric,
        operation: Option<RowOperation>,
        axes: Table,
    ) -> Result<Self, String> {
        let mut row = Self {
            operation,
            ..Self::of(metric)
        };
        for (key, value) in axes {
            let axis: Axis = key.parse().map_err(|_| {
                let names = Axis::ALL.map(Axis::name).join(", ");
                format!("{key} is neither a key of a measure nor an axis of rows; axes: {names}")
            })?;
            let value = match plain(&key, value)? {
                Value::String(text) => AxisValue::Text(text),
                Value::Float(number) => AxisValue::Number(number),
                Value::Integer(count) => AxisValue::Number(count as f64),
                value => return Err(format!("{key} is {value}, which is no coordinate")),
            };
            row.axes.insert(axis, value);
        }
        Ok(row)
    }

    /// A coordinate that is a number.
    #[must_use]
    pub fn number(&self, axis: Axis) -> Option<f64> {
        self.axes.get(&axis).and_then(number)
    }

    /// A coordinate that is a name.
    #[must_use]
    pub fn text(&self, axis: Axis) -> Option<&str> {
        match self.axes.get(&axis) {
            Some(AxisValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value of the one row of a target; infinite where there is no limit.
    pub(crate) fn value(&self, result: &ResultSet, target: Option<&str>) -> Result<f64, String> {
        let on_target = |row: &&Row| target.is_none_or(|target| row.target == target);
        let mut rows: Vec<&Row> = result.of(self.metric).filter(on_target).collect();
        rows.sort_by_key(|row| (self.differences(row), row.axes.len()));
        let stands = |row: &&Row| self.differences(row) == 0;
        let first = rows.first().copied().filter(stands);
        let name = self.name();
        let Some(row) = first else {
            return Err(format!(
                "the run has no row {name}; {}",
                nearest(&rows, result)
            ));
        };
        let same = |other: &&Row| stands(other) && other.axes.len() == row.axes.len();
        if rows.iter().copied().filter(same).count() > 1 {
            return Err(format!(
                "the run has several rows {name}; {}",
                nearest(&rows, result)
            ));
        }
        let unbounded = row.no_value == Some(NoValue::Unbounded);
        let value = row.value.or(unbounded.then_some(f64::INFINITY));
        value.ok_or(format!("the run has no value of {name}"))
    }

    /// In how many coordinates a row differs from what is asked for.
    fn differences(&self, row: &Row) -> usize {
        let differs = |&(axis, asked): &(&Axis, &AxisValue)| {
            row.axes
                .get(axis)
                .is_none_or(|found| match (number(found), number(asked)) {
                    (None, None) => found != asked,
                    (found, asked) => found != asked,
                })
        };
        let operation = self.operation.is_some_and(|asked| asked != row.operation);
        usize::from(operation) + self.axes.iter().filter(differs).count()
    }

    /// What is asked for, in words.
    fn name(&self) -> String {
        let words = self
            .operation
            .iter()
            .map(|operation| format!("of {operation}"));
        let axes = self.axes.iter().map(|(axis, value)| match axis {
            Axis::Cause => value.to_string(),
            axis => format!("{axis} = {value}"),
        });
        let words = axes.chain(words).map(|word| format!(", {word}"));
        format!("{}{}", self.metric, words.collect::<String>())
    }
}

fn number(value: &AxisValue) -> Option<f64> {
    match value {
        AxisValue::Count(count) => Some(*count as f64),
        AxisValue::Number(number) => Some(*number),
        AxisValue::Text(_) => None,
    }
}

/// The rows that come nearest, or the metrics that there are.
fn nearest(rows: &[&Row], result: &ResultSet) -> String {
    /// As many as help.
    const SHOWN: usize = 3;
    let words = |row: &&Row| {
        let axes = row
            .axes
            .iter()
            .map(|(axis, value)| format!(", {axis} = {value}"));
        format!("{}{}", row.operation, axes.collect::<String>())
    };
    if rows.is_empty() {
        let mut metrics: Vec<&str> = result.rows.iter().map(|row| row.metric.name()).collect();
        metrics.sort_unstable();
        metrics.dedup();
        return format!("its metrics: {}", metrics.join(", "));
    }
    let rows: Vec<_> = rows.iter().take(SHOWN).map(words).collect();
    format!("nearest: {}", rows.join("; "))
}
