//! JSON of a grid. A result document serialises itself.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::grid::Grid;

/// A row as an object whose keys keep the order of the columns.
struct GridObject<'a> {
    grid: &'a Grid,
    cells: &'a [String],
}

impl Serialize for GridObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cells.len()))?;
        for (column, cell) in self.grid.columns().iter().zip(self.cells) {
            map.serialize_entry(&column.name, cell)?;
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
