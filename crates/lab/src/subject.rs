//! The columns that the rows of one run share.

use std::collections::BTreeMap;

use wordline_catalog::PartOnBoard;
use wordline_core::results::{AxisValue, HistogramBucket, NoValue, Row};
use wordline_core::{
    Axis, Basis, LatencyHistogram, Metric, ResultSet, RowOperation, Timing, TranslationLayer,
};

use crate::instrument::rows::{LATENCIES, percentile};

/// Axes of a row, by name.
pub(crate) type Axes = BTreeMap<Axis, AxisValue>;

/// The columns that identify a run, and the axes of all its rows.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) target: String,
    pub(crate) part: String,
    pub(crate) board: String,
    pub(crate) workload: &'static str,
    pub(crate) operation: RowOperation,
    pub(crate) axes: Axes,
    pub(crate) timing: Timing,
    pub(crate) age: f64,
    pub(crate) basis: Basis,
}

impl Subject {
    /// A simulated run of a target.
    pub(crate) fn simulated(
        target: &PartOnBoard<'_>,
        workload: &'static str,
        operation: impl Into<RowOperation>,
        timing: Timing,
        age: f64,
    ) -> Self {
        Self {
            target: target.name.clone(),
            part: target.part.header.id.clone(),
            board: target.board.header.id.clone(),
            workload,
            operation: operation.into(),
            axes: Axes::new(),
            timing,
            age,
            basis: Basis::Simulated,
        }
    }

    /// The same with another axis.
    pub(crate) fn at(&self, axis: Axis, value: impl Into<AxisValue>) -> Self {
        let mut one = self.clone();
        one.axes.insert(axis, value.into());
        one
    }

    /// The same of another operation.
    pub(crate) fn doing(&self, operation: RowOperation) -> Self {
        Self {
            operation,
            ..self.clone()
        }
    }

    /// The same behind a translation layer, where there is one.
    pub(crate) fn behind(self, layer: Option<&TranslationLayer>) -> Self {
        match layer {
            Some(layer) => self.at(Axis::Ftl, AxisValue::Text(layer.to_string())),
            None => self,
        }
    }

    /// The same with another basis, and the axis `estimate` that keeps its rows apart.
    pub(crate) fn estimate(&self, basis: Basis, kind: &str) -> Self {
        Self {
            basis,
            ..self.at(Axis::Estimate, kind)
        }
    }

    /// The name of its distribution of latencies. A test of this machine may have several in one document: of each
    /// operation, and from each instant that latencies count from.
    pub(crate) fn distribution(&self) -> String {
        let (target, timing) = (&self.target, self.timing);
        if self.workload != "host" {
            return format!("{target}, {timing} timing");
        }
        let from = self.axes.get(&Axis::LatencyFrom);
        let from = from.map_or_else(String::new, |from| format!(" from the {from} start"));
        format!("{target}, {}{from}", self.operation.name())
    }

    /// The rows of a distribution of latencies, and the distribution itself by its name.
    pub(crate) fn latencies(
        &self,
        latency: &LatencyHistogram,
        name: String,
        document: &mut ResultSet,
    ) {
        for metric in LATENCIES {
            let value = percentile(latency, metric);
            let mut row = self.row(metric, value.ok_or(NoValue::NotApplicable));
            row.distribution = Some(name.clone());
            document.rows.push(row);
        }
        document
            .histograms
            .insert(name, HistogramBucket::all_of(latency));
    }

    /// The same for a bound by formula: proof, or less where the sheets leave a gap.
    pub(crate) fn bound(&self, basis: Basis) -> Self {
        let kind = if basis == Basis::Proven {
            "bound"
        } else {
            "formula"
        };
        self.estimate(basis, kind)
    }

    /// Adds a row.
    pub(crate) fn add(
        &self,
        metric: Metric,
        value: Result<f64, NoValue>,
        document: &mut ResultSet,
    ) {
        document.rows.push(self.row(metric, value));
    }

    /// A row. A value that is not finite, as absurd figures give, is no value.
    pub(crate) fn row(&self, metric: Metric, value: Result<f64, NoValue>) -> Row {
        let value = value.and_then(|value| match value {
            finite if finite.is_finite() => Ok(finite),
            infinite if infinite.is_infinite() => Err(NoValue::Unbounded),
            _ => Err(NoValue::NotApplicable),
        });
        Row {
            target: self.target.clone(),
            part: self.part.clone(),
            board: self.board.clone(),
            workload: self.workload.to_owned(),
            operation: self.operation,
            axes: self.axes.clone(),
            timing: self.timing,
            age: self.age,
            metric,
            value: value.ok(),
            no_value: value.err(),
            unit: metric.unit().to_owned(),
            basis: self.basis,
            distribution: None,
        }
    }
}
