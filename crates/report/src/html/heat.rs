//! A table of numbers whose cells are the darker the greater they are.

use serde::Serialize;

/// A number for each pair of a row and a column.
#[derive(Clone, Serialize)]
pub(crate) struct HeatSpec {
    /// What the values are.
    pub(crate) title: &'static str,
    pub(crate) unit: &'static str,
    /// What the rows are.
    pub(crate) rows_title: &'static str,
    pub(crate) columns_title: &'static str,
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) cells: Vec<HeatNumber>,
}

/// A cell: place of its row and of its column, value, the number that stands in it, and what a pointer shows.
#[derive(Clone, Serialize)]
pub(crate) struct HeatNumber(
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) f64,
    pub(crate) String,
    pub(crate) String,
);
