//! Every value of a document in one long table: for workloads whose lines share no single axis.

use std::collections::BTreeSet;

use wordline_core::results::ResultSet;

use crate::grid::{Column, Grid};
use crate::{headline, text};

/// A page with more rows than this would be slow to open; the document inside of it has them all.
const MOST: usize = 2_000;

pub(super) fn grid(document: &ResultSet) -> Grid {
    let rows = &document.rows[..document.rows.len().min(MOST)];
    let axes: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| row.axes.keys().map(String::as_str))
        .filter(|axis| *axis != "cause")
        .collect();
    let mut columns: Vec<_> = ["target", "operation", "timing"].map(Column::left).into();
    columns.extend(axes.iter().map(|axis| Column::left(text::axis_label(axis))));
    columns.extend([
        Column::left("metric"),
        Column::right("value"),
        Column::left("basis"),
    ]);
    let title = match document.rows.len() {
        all if all > MOST => {
            format!("The first {MOST} of {all} values; JSON and CSV hold them all")
        }
        all => format!("All {all} values"),
    };
    let mut grid = Grid::new(title, columns);
    for row in rows {
        let mut cells = vec![
            row.target.clone(),
            text::words(&row.operation),
            row.timing.to_string(),
        ];
        cells.extend(axes.iter().map(|axis| {
            let value = row.axes.get(*axis);
            value.map_or_else(String::new, |value| text::coordinate(axis, value))
        }));
        cells.push(headline::metric_label(row.metric, row.text("cause")));
        cells.extend([text::value(row, 4), row.basis.to_string()]);
        grid.push(cells);
    }
    grid
}
