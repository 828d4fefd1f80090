//! Every value of a document in one long table: for workloads whose lines share no single axis.

use std::collections::BTreeSet;

use wordline_core::{Axis, ResultSet};

use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::metric_label;

/// A page with more rows than this would be slow to open; the document inside of it has them all.
const MOST: usize = 2_000;

/// The same of lines along an axis: a table for each series, with a row for each metric and cause.
pub(super) fn by_series(pivot: &Pivot<'_>) -> Vec<Grid> {
    let grids = pivot.series().into_iter().filter_map(|series| {
        let mut wanted: Vec<_> = series
            .lines
            .iter()
            .flat_map(|line| line.metrics())
            .collect();
        wanted.sort();
        wanted.dedup();
        let table = Tabulation::new(series.name.clone());
        let table = table.key(Column::right(""), |line: &&PivotLine<'_>| {
            match pivot.place(line) {
                none if none.is_empty() => "value".to_owned(),
                place => place,
            }
        });
        let table = wanted.into_iter().fold(table, |table, (metric, cause)| {
            table.figure(metric_label(metric, cause), move |line| {
                Some(text::value(line.row(metric, cause)?, 4))
            })
        });
        table.columns("metric", &series.lines)
    });
    grids.collect()
}

pub(super) fn grid(document: &ResultSet) -> Grid {
    let rows = &document.rows[..document.rows.len().min(MOST)];
    let axes: BTreeSet<Axis> = rows
        .iter()
        .flat_map(|row| row.axes.keys().copied())
        .filter(|axis| *axis != Axis::Cause)
        .collect();
    let mut columns: Vec<_> = ["target", "operation", "timing"].map(Column::left).into();
    columns.extend(
        axes.iter()
            .map(|axis| Column::left(text::axis_label(*axis))),
    );
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
            text::words(row.operation.name()),
            row.timing.to_string(),
        ];
        cells.extend(axes.iter().map(|axis| {
            let value = row.axes.get(axis);
            value.map_or_else(String::new, |value| text::coordinate(*axis, value))
        }));
        cells.push(metric_label(row.metric, row.text(Axis::Cause)));
        cells.extend([text::value(row, 4), row.basis.to_string()]);
        grid.push(cells);
    }
    grid
}
