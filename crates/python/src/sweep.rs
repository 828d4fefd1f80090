//! Points of a sweep: the files, the rules and the messages are those of the command.

use std::path::PathBuf;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::sweep::{PointPlace, Sweep};

use crate::failure::{CallError, apart};

/// The points of a sweep.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct SweepPoints {
    sweep: Sweep,
    places: Vec<PointPlace>,
    folders: Vec<PathBuf>,
}

impl SweepPoints {
    fn place(&self, index: usize) -> PyResult<&PointPlace> {
        let place = self.places.get(index);
        place.ok_or_else(|| PyIndexError::new_err(format!("the sweep has no point {index}")))
    }

    /// The experiment with its defaults. Of one that cannot be had it is what the sweep states: whoever runs that says
    /// what is wrong with it.
    fn experiment(&self, place: &PointPlace) -> Result<String, CallError> {
        let catalog = Catalog::shared(&self.folders)?;
        Ok(
            match wordline_lab::experiment_of(&catalog, &self.sweep, place) {
                Ok(experiment) => experiment.to_json(),
                Err(_) => self.sweep.stated_at(place)?.to_string(),
            },
        )
    }
}

#[pymethods]
impl SweepPoints {
    fn __len__(&self) -> usize {
        self.places.len()
    }

    /// Dotted paths of the fields that vary, axis by axis.
    #[getter]
    fn fields(&self) -> Vec<String> {
        self.sweep.fields().cloned().collect()
    }

    /// The value of each of these fields at a point, as JSON.
    fn at(&self, index: usize) -> PyResult<String> {
        let at = self.sweep.at(self.place(index)?);
        Ok(Value::Object(at.into_iter().collect()).to_string())
    }

    /// The experiment of a point, as JSON.
    fn text(&self, py: Python<'_>, index: usize) -> PyResult<String> {
        let place = self.place(index)?;
        apart(py, || self.experiment(place))
    }
}

/// Reads a sweep as JSON or TOML, and checks it.
#[pyfunction]
pub(crate) fn sweep_points(
    py: Python<'_>,
    text: &str,
    folders: Vec<PathBuf>,
) -> PyResult<SweepPoints> {
    apart(py, || {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = match text.trim_start().starts_with('{') {
            true => serde_json::from_str::<Value>(text).map_err(|error| error.to_string()),
            false => toml::from_str::<Value>(text).map_err(|error| error.to_string()),
        };
        let sweep = document
            .and_then(|document| {
                serde_json::from_value::<Sweep>(document).map_err(|error| error.to_string())
            })
            .map_err(CallError::SweepText)?;
        let places = sweep.points()?;
        Catalog::shared(&folders)?;
        Ok(SweepPoints {
            sweep,
            places,
            folders,
        })
    })
}

/// The place of a fault in a sweep's text, from what its reader says.
pub(crate) fn place_in_text(message: &str) -> Option<String> {
    if let Some(rest) = message.strip_prefix("axis ") {
        let ends = [" has no values", ": "];
        let mut found = ends.iter().filter_map(|end| rest.split_once(end));
        return found.next().map(|(axis, _)| axis.to_owned());
    }
    let quoted = ["unknown field `", "missing field `"];
    let named = quoted.iter().find_map(|start| message.strip_prefix(start));
    Some(named?.split('`').next()?.to_owned())
}
