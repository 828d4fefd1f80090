//! A result document that stays in Rust.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use wordline_core::ResultSet;
use wordline_core::results::AxisValue;
use wordline_report::{Detail, Format, Style, render};

use crate::arrow::{self, ArrowStream};
use crate::columns::{self, Label, LabelColumn, RowTable};
use crate::failure::{CallError, apart};

/// A result document.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct ResultDocument {
    set: Arc<ResultSet>,
}

impl ResultDocument {
    pub(crate) fn new(set: ResultSet) -> Self {
        Self { set: Arc::new(set) }
    }
}

#[pymethods]
impl ResultDocument {
    /// Reads a document and checks it.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        apart(py, || Ok(Self::new(ResultSet::from_json(text)?)))
    }

    /// What `wordline run --format json` prints.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Format::Json, None)
    }

    /// Rendered as in the command: `csv`, `markdown`, `html` or `table`.
    fn render(&self, py: Python<'_>, format: &str, width: Option<u16>) -> PyResult<String> {
        let format = format.parse::<Format>();
        let format = format.map_err(|error| {
            let place = "format".to_owned();
            let message = error.to_string();
            CallError::Value { place, message }.raised(py)
        })?;
        self.rendered(py, format, width)
    }

    /// The first screen, as text.
    fn answer(&self, py: Python<'_>, width: u16) -> PyResult<String> {
        let style = Style {
            width: Some(width),
            detail: Detail::Answer,
            plots: true,
            ..Style::default()
        };
        apart(py, || Ok(render(&self.set, Format::Table, &style)))
    }

    /// Without indentation or answer, for another process.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let packed = py.detach(|| serde_json::to_vec(&*self.set));
        let packed = packed.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &packed))
    }

    #[getter]
    fn complete(&self) -> bool {
        self.set.complete
    }

    #[getter]
    fn failed(&self) -> bool {
        self.set.failed()
    }

    #[getter]
    fn workload(&self) -> &'static str {
        self.set.experiment.workload.name()
    }

    #[getter]
    fn row_count(&self) -> usize {
        self.set.rows.len()
    }

    /// The experiment as JSON.
    fn experiment(&self) -> String {
        self.set.experiment.to_json()
    }

    /// Code and advice of each warning.
    fn warnings(&self) -> Vec<(String, String)> {
        let warnings = self.set.warnings.iter();
        warnings
            .map(|one| (one.code.to_string(), one.advice.clone()))
            .collect()
    }

    /// Verdicts as JSON.
    fn verdicts(&self) -> PyResult<String> {
        serde_json::to_string(&self.set.verdicts)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The rows as dictionaries, whose keys are in the order of the document.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for row in &self.set.rows {
            let made = PyDict::new(py);
            made.set_item("target", &row.target)?;
            made.set_item("part", &row.part)?;
            made.set_item("board", &row.board)?;
            made.set_item("workload", &row.workload)?;
            made.set_item("operation", row.operation.name())?;
            for (axis, value) in &row.axes {
                match value {
                    AxisValue::Count(count) => made.set_item(axis.name(), count)?,
                    AxisValue::Number(number) => made.set_item(axis.name(), number)?,
                    AxisValue::Text(text) => made.set_item(axis.name(), text)?,
                }
            }
            made.set_item("timing", row.timing.name())?;
            made.set_item("age", row.age)?;
            made.set_item("metric", row.metric.name())?;
            made.set_item("value", row.value)?;
            if let Some(reason) = row.no_value {
                made.set_item("no_value", columns::reason(reason))?;
            }
            made.set_item("unit", &row.unit)?;
            made.set_item("basis", row.basis.name())?;
            if let Some(distribution) = &row.distribution {
                made.set_item("distribution", distribution)?;
            }
            rows.append(made)?;
        }
        Ok(rows)
    }

    /// The plots of the report as charts of Vega-Lite: name, heading and specification.
    fn charts(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        apart(py, || {
            let charts = wordline_report::vega_lite(&self.set).into_iter();
            Ok(charts
                .map(|chart| (chart.id, chart.heading, chart.spec.to_string()))
                .collect())
        })
    }
}

impl ResultDocument {
    fn rendered(&self, py: Python<'_>, format: Format, width: Option<u16>) -> PyResult<String> {
        let style = Style {
            width,
            ..Style::default()
        };
        apart(py, || Ok(render(&self.set, format, &style)))
    }
}

/// The rows of documents as one stream of Arrow. Each label is a column with a value for each document.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    documents: Vec<PyRef<'py, ResultDocument>>,
    labels: Vec<(String, Vec<Option<Label>>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let sets: Vec<Arc<ResultSet>> = documents.iter().map(|one| Arc::clone(&one.set)).collect();
    drop(documents);
    let labels = labels
        .into_iter()
        .map(|(name, values)| LabelColumn::new(name, values));
    let labels: Vec<LabelColumn> = labels.collect();
    let stream = apart(py, move || {
        let table = RowTable::of(&sets, &labels)?;
        Ok(ArrowStream::of(table))
    })?;
    PyCapsule::new_with_value(py, stream, arrow::STREAM)
}
