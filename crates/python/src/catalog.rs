//! The catalogue as plain values, and small services for the package.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use wordline_catalog::{Catalog, Header};

use crate::failure::apart;

/// What every sheet says of itself.
type HeaderValues = (String, String, String, String, String, bool);

fn header(of: &Header) -> HeaderValues {
    (
        of.id.clone(),
        of.name.clone(),
        of.manufacturer.clone(),
        of.revision.clone(),
        of.description.clone(),
        of.embedded,
    )
}

/// Parts: header, kind, default board, family, state of supply, whether figures were estimated.
type PartValues = (
    HeaderValues,
    &'static str,
    Option<String>,
    Option<String>,
    &'static str,
    bool,
);

fn listed<T: Send>(
    py: Python<'_>,
    folders: &[PathBuf],
    list: impl FnOnce(Arc<Catalog>) -> Vec<T> + Send,
) -> PyResult<Vec<T>> {
    apart(py, || Ok(list(Catalog::shared(folders)?)))
}

/// Every part.
#[pyfunction]
pub(crate) fn parts(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Vec<PartValues>> {
    listed(py, &folders, |catalog| {
        let part = |part: &wordline_catalog::Part| {
            (
                header(&part.header),
                part.model.name(),
                part.default_board.clone(),
                part.family.clone(),
                part.lifecycle_status().name(),
                part.is_estimated(),
            )
        };
        catalog.parts().map(part).collect()
    })
}

/// Every board.
#[pyfunction]
pub(crate) fn boards(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Vec<HeaderValues>> {
    listed(py, &folders, |catalog| {
        catalog.boards().map(|one| header(&one.header)).collect()
    })
}

/// Every memory module.
#[pyfunction]
pub(crate) fn modules(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Vec<HeaderValues>> {
    listed(py, &folders, |catalog| {
        catalog.modules().map(|one| header(&one.header)).collect()
    })
}

/// Every system for memory modules.
#[pyfunction]
pub(crate) fn systems(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Vec<HeaderValues>> {
    listed(py, &folders, |catalog| {
        catalog.systems().map(|one| header(&one.header)).collect()
    })
}

/// Every part on its default board, as targets.
#[pyfunction]
pub(crate) fn targets(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Vec<String>> {
    listed(py, &folders, |catalog| wordline_lab::all_targets(&catalog))
}

/// The names that a text was most probably meant for.
#[pyfunction]
pub(crate) fn nearest(text: &str, known: Vec<String>) -> Vec<String> {
    let found = wordline_core::nearest(text, known.iter());
    found.into_iter().map(str::to_owned).collect()
}
