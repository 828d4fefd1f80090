//! JSON: a result document with its answer, and a grid.

use serde::ser::{Serialize, SerializeMap, Serializer};

use wordline_core::ResultSet;
use wordline_core::sweep::SweepResult;

use crate::card;
use crate::grid::Grid;

/// The document, with what it answers.
pub(crate) fn results(document: &ResultSet) -> String {
    answered(document).to_json()
}

fn answered(document: &ResultSet) -> ResultSet {
    ResultSet {
        answer: Some(Box::new(card::decision_card(document))),
        ..document.clone()
    }
}

/// The documents of all points, each as it is by itself.
pub(crate) fn sweep(result: &SweepResult) -> String {
    let mut result = result.clone();
    for point in &mut result.points {
        if let Some(document) = &mut point.result {
            **document = answered(document);
        }
    }
    result.to_json()
}

/// A row as an object whose keys keep the order of the columns.
struct GridObject<'a> {
    grid: &'a Grid,
    cells: &'a [String],
}

impl Serialize for GridObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cells.len()))?;
        for (column, cell) in self.grid.columns().iter().zip(self.cells) {
            match cell.parse::<serde_json::Number>() {
                Ok(number) if column.is_numeric => map.serialize_entry(&column.name, &number)?,
                _ if column.is_numeric && cell.is_empty() => {
                    map.serialize_entry(&column.name, &())?;
                }
                _ => map.serialize_entry(&column.name, cell)?,
            }
        }
        map.end()
    }
}

pub(crate) fn grid(grid: &Grid) -> String {
    let rows = grid.rows().iter();
    let objects: Vec<_> = rows.map(|cells| GridObject { grid, cells }).collect();
    match serde_json::to_string_pretty(&objects) {
        Ok(text) => text + "\n",
        Err(error) => unreachable!("text serialises: {error}"),
    }
}
