//! The tables: endurance of the blocks, latency beside the specification, and latency over life.

use wordline_core::Metric;
use wordline_core::results::{ResultSet, Row};

use super::{Run, keys_that_differ};
use crate::grid::{Column, Grid};
use crate::text;

/// What stands where there is nothing to say.
const NOTHING: &str = "–";

const OPERATIONS: [&str; 3] = ["program", "erase", "read"];

const STATISTICS: [&str; 5] = ["least", "p10", "median", "p90", "most"];

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    let runs = Run::all_of(document);
    if runs.is_empty() {
        return vec![Grid::new("wear: no rows", vec![Column::left("operation")])];
    }
    let keys = keys_that_differ(&runs);
    let mut grids = vec![endurance(&runs, &keys), latency(&runs, &keys)];
    grids.extend(over_life(&runs, &keys));
    grids
}

/// Columns that tell the runs apart.
fn columns(keys: &[&'static str]) -> Vec<Column> {
    let names = ["target"].into_iter().chain(keys.iter().copied());
    names.map(Column::left).collect()
}

fn cells(run: &Run<'_>, keys: &[&'static str]) -> Vec<String> {
    let shown = run
        .keys()
        .into_iter()
        .filter(|(name, _)| keys.contains(name));
    let mut cells = vec![run.head().target.clone()];
    cells.extend(shown.map(|(_, value)| value));
    cells
}

fn cell(row: Option<&Row>) -> String {
    row.map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
}

fn endurance(runs: &[Run<'_>], keys: &[&'static str]) -> Grid {
    let mut names = columns(keys);
    let key_count = names.len();
    names.extend(["blocks", "rated"].map(Column::right));
    names.extend(STATISTICS.map(Column::right));
    names.extend(["program failed", "erase failed"].map(Column::right));
    let mut grid = Grid::new("Cycles until a block fails", names).with_keys(key_count);
    for run in runs {
        let mut line = cells(run, keys);
        line.push(run.blocks().to_string());
        line.push(cell(run.specified("cycle", Metric::Endurance)));
        line.extend(STATISTICS.map(|name| cell(run.statistic(name))));
        line.extend(["program", "erase"].map(|cause| {
            let count = run.failed(cause);
            count.map_or_else(|| NOTHING.to_owned(), |count| format!("{count:.0}"))
        }));
        grid.push(line);
    }
    grid
}

/// As the paper reports it: worst, mean of the first 10 000, best, beside the sheet's columns.
fn latency(runs: &[Run<'_>], keys: &[&'static str]) -> Grid {
    let mut names = columns(keys);
    names.push(Column::left("operation"));
    let key_count = names.len();
    names.extend(
        [
            "worst",
            "mean of first 10,000",
            "best",
            "specified typ",
            "specified max",
            "last / mean",
        ]
        .map(Column::right),
    );
    let title = "Latency over life, from the command until the memory is ready";
    let mut grid = Grid::new(title, names).with_keys(key_count);
    for run in runs {
        for operation in OPERATIONS {
            if run.number(operation, Metric::LatencyMean).is_none() {
                continue;
            }
            let mut line = cells(run, keys);
            line.push(operation.to_owned());
            let own = [Metric::LatencyMax, Metric::LatencyMean, Metric::LatencyMin];
            line.extend(own.map(|metric| cell(run.row(operation, metric, None))));
            let sheet = [Metric::LatencyMean, Metric::LatencyMax];
            line.extend(sheet.map(|metric| cell(run.specified(operation, metric))));
            let ratio = run.number(operation, Metric::LatencyOverLife);
            line.push(ratio.map_or_else(|| NOTHING.to_owned(), text::factor));
            grid.push(line);
        }
    }
    grid
}

/// A line for each decade of cycles.
fn over_life(runs: &[Run<'_>], keys: &[&'static str]) -> Option<Grid> {
    let mut names = columns(keys);
    let key_count = names.len() + 1;
    names.extend(["cycle", "program", "erase"].map(Column::right));
    let title = "Latency over life, the mean of the blocks that live";
    let mut grid = Grid::new(title, names).with_keys(key_count);
    for run in runs {
        let programs = run.over_life("program");
        for (cycles, erase) in run.over_life("erase") {
            // Points lie at 1, 2 and 5 of each decade, counted from the first cycle on.
            let decade = (cycles + 1.0).log10();
            if (decade - decade.round()).abs() > 1e-9 {
                continue;
            }
            let program = programs.iter().find(|(at, _)| *at == cycles);
            let mut line = cells(run, keys);
            line.push(format!("{:.0}", cycles + 1.0));
            line.push(cell(program.map(|(_, row)| *row)));
            line.push(cell(Some(erase)));
            grid.push(line);
        }
    }
    (!grid.rows().is_empty()).then_some(grid)
}
