//! The tables: for each target and kind of operation a line for each size, the hash tables side by side.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::{OPERATIONS, Run, each};
use crate::grid::{Column, Grid};
use crate::text;

/// What stands where there is nothing to say.
const NOTHING: &str = "–";

/// What is told of each hash table.
const FIGURES: [(Metric, &str); 3] = [
    (Metric::OpsRate, ""),
    (Metric::LatencyMax, " max"),
    (Metric::BytesMoved, " moved"),
];

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    let runs = Run::all_of(document);
    let all: Vec<_> = runs.iter().collect();
    let mut grids = Vec::new();
    for target in each(&all, |run| run.head().target.clone()) {
        for operation in OPERATIONS {
            let of_kind = all
                .iter()
                .filter(|run| run.head().target == target && run.head().operation == operation);
            let of_kind: Vec<_> = of_kind.copied().collect();
            if !of_kind.is_empty() {
                grids.push(operations(&target, operation, &of_kind));
            }
        }
    }
    if grids.is_empty() {
        grids.push(Grid::new("kv: no rows", vec![Column::left("operation")]));
    }
    grids
}

/// What tells the lines of a table apart.
#[derive(PartialEq)]
struct Line {
    sizes: String,
    load: String,
    timing: String,
}

impl Line {
    fn of(run: &Run<'_>) -> Self {
        Self {
            sizes: run.sizes(),
            load: run.axis("load"),
            timing: run.head().timing.to_string(),
        }
    }
}

fn operations(target: &str, operation: &str, runs: &[&Run<'_>]) -> Grid {
    // What a table cannot do has no columns.
    let with_rows = runs.iter().filter(|run| run.can());
    let tables = each(&with_rows.copied().collect::<Vec<_>>(), Run::short_table);
    let lines = each(runs, Line::of);
    let loads = each(runs, |run| run.axis("load")).len() > 1;
    let timings = each(runs, |run| run.head().timing).len() > 1;
    let mut columns = vec![Column::right("key / value")];
    columns.extend(loads.then(|| Column::right("load")));
    columns.extend(timings.then(|| Column::left("timing")));
    let keys = columns.len();
    columns.push(Column::right("floor"));
    for table in &tables {
        columns.extend(FIGURES.map(|(_, name)| Column::right(format!("{table}{name}"))));
    }
    let title = format!("{target}: {operation}");
    let mut grid = Grid::new(title, columns).with_keys(keys);
    for line in &lines {
        let of_line = |table: &str| {
            let mut runs = runs.iter();
            runs.find(|run| Line::of(run) == *line && run.short_table() == table)
        };
        let mut cells = vec![line.sizes.clone()];
        cells.extend(loads.then(|| line.load.clone()));
        cells.extend(timings.then(|| line.timing.clone()));
        let floors = tables
            .iter()
            .filter_map(|table| of_line(table)?.row(Metric::BytesFloor));
        let floor = floors.map(|row| text::value(row, text::DIGITS)).next();
        cells.push(floor.unwrap_or_else(|| NOTHING.to_owned()));
        for table in &tables {
            let run = of_line(table);
            cells.extend(FIGURES.map(|(metric, _)| {
                let row = run.and_then(|run| run.row(metric));
                row.map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
            }));
        }
        grid.push(cells);
    }
    grid
}
