//! The tables: for each target and kind of operation a line for each size, the hash tables side by side.

use wordline_core::results::ResultSet;
use wordline_core::{KvDirectory, Metric};

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
    let mut grids: Vec<Grid> = power_cuts(&of_operation(&all, "crash"))
        .into_iter()
        .collect();
    for target in each(&all, |run| run.head().target.clone()) {
        let own = all.iter().filter(|run| run.head().target == target);
        let own: Vec<_> = own.copied().collect();
        for work in each(&own, |run| run.axis("work")) {
            for operation in OPERATIONS {
                let of_kind = of_operation(&own, operation).into_iter();
                let of_kind: Vec<_> = of_kind.filter(|run| run.axis("work") == work).collect();
                if !of_kind.is_empty() {
                    let title = match work.as_str() {
                        "" | "sweep" => format!("{target}: {operation}"),
                        work => format!("{target}: {work}, {operation}"),
                    };
                    let title = format!("{title}{}", how(&of_kind, &all));
                    grids.push(side_by_side(title, &of_kind, Content::Figures));
                }
            }
        }
        // Of a sweep it would hang on how many records there are.
        let mixes = of_operation(&own, "all").into_iter();
        let mixes: Vec<_> = mixes.filter(|run| run.cycles_each().is_some()).collect();
        for work in each(&mixes, |run| run.axis("work")) {
            let of_work = mixes.iter().filter(|run| run.axis("work") == work);
            let title = format!(
                "{target}: {work}, cycles that an operation takes of the place that is worn most"
            );
            let of_work: Vec<_> = of_work.copied().collect();
            grids.push(side_by_side(title, &of_work, Content::Wear));
        }
        let inserts = of_operation(&own, "insert").into_iter();
        let inserts: Vec<_> = inserts.filter(|run| run.is_sweep()).collect();
        // In a file not every insert is timed.
        let tells = |run: &&Run<'_>| run.number(Metric::TableRam).is_some();
        if !target.starts_with("file:") && inserts.iter().any(tells) {
            let title = format!(
                "{target}: records that the load is, and RAM for directory and scratch buffer"
            );
            grids.push(side_by_side(title, &inserts, Content::Room));
        }
        if inserts.iter().any(|run| run.processor_share().is_some()) {
            let title = format!(
                "{target}: share of an insert that the processor takes, driver included; the rest is bus and memory"
            );
            grids.push(side_by_side(title, &inserts, Content::Processor));
        }
    }
    if grids.is_empty() {
        grids.push(Grid::new("kv: no rows", vec![Column::left("operation")]));
    }
    grids
}

/// Whether a table's figures are measured or simulated, where a document has both.
fn how(runs: &[&Run<'_>], all: &[&Run<'_>]) -> String {
    let basis = |run: &&Run<'_>| run.head().basis;
    let is_mixed = all.iter().any(|run| basis(run) != basis(&all[0]));
    match runs.first() {
        Some(run) if is_mixed => format!(", {}", basis(run)),
        _ => String::new(),
    }
}

fn of_operation<'r, 'a>(runs: &[&'r Run<'a>], operation: &str) -> Vec<&'r Run<'a>> {
    let found = runs.iter().filter(|run| run.head().operation == operation);
    found.copied().collect()
}

/// What stands under each hash table.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Figures,
    Processor,
    Wear,
    Room,
}

impl Content {
    fn columns(self, table: &str) -> Vec<Column> {
        match self {
            Self::Figures => {
                let names = FIGURES.map(|(_, name)| Column::right(format!("{table}{name}")));
                names.into()
            }
            Self::Processor | Self::Wear => vec![Column::right(table)],
            Self::Room => {
                let names = [" records", " RAM"];
                names
                    .map(|name| Column::right(format!("{table}{name}")))
                    .into()
            }
        }
    }

    fn cells(self, run: Option<&Run<'_>>) -> Vec<String> {
        let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
        match self {
            Self::Figures => {
                let cells = FIGURES.map(|(metric, _)| {
                    let row = run.and_then(|run| run.row(metric));
                    or_nothing(row.map(|row| text::value(row, text::DIGITS)))
                });
                cells.into()
            }
            Self::Processor => {
                let share = run.and_then(Run::processor_share);
                vec![or_nothing(share.map(text::tenths))]
            }
            Self::Room => {
                let records = run.and_then(|run| run.number(Metric::AccessCount));
                let ram = run.and_then(|run| run.row(Metric::TableRam));
                vec![
                    or_nothing(records.map(|count| format!("{count:.0}"))),
                    or_nothing(ram.map(|row| text::value(row, text::DIGITS))),
                ]
            }
            Self::Wear => {
                let cycles = run.and_then(Run::cycles_each);
                let cycles = cycles.map(|each| text::number(Metric::CyclesMax, each, text::DIGITS));
                vec![or_nothing(cycles)]
            }
        }
    }
}

/// What tells the lines of a table apart, besides the size of a record.
const KEYS: [(&str, &str); 2] = [("load", "load"), ("build", "build")];

/// The columns of a line that tell it from the others.
fn line(run: &Run<'_>) -> Vec<String> {
    let axes = KEYS.map(|(axis, _)| run.axis(axis));
    let timing = run.head().timing.to_string();
    [run.sizes()]
        .into_iter()
        .chain(axes)
        .chain([timing])
        .collect()
}

/// What heads the columns of a table: without its usual mode where there is no other to tell it from.
fn heading<'t>(table: &'t str, tables: &[String]) -> &'t str {
    match table.split_once(' ') {
        Some((name, mode)) if mode == KvDirectory::Ram.name() => {
            let is_other = |other: &&String| *other != table && other.starts_with(name);
            if tables.iter().any(|other| is_other(&other)) {
                table
            } else {
                name
            }
        }
        _ => table,
    }
}

/// A line for each size, the hash tables side by side.
fn side_by_side(title: String, runs: &[&Run<'_>], content: Content) -> Grid {
    // What a table cannot do has no columns.
    let able = runs.iter().copied().filter(|run| run.can());
    let tables = each(&able.collect::<Vec<_>>(), Run::short_table);
    let lines = each(runs, line);
    let names = ["key / value", KEYS[0].1, KEYS[1].1, "timing"];
    // What all lines share says nothing.
    let shown: Vec<usize> = (0..names.len())
        .filter(|&place| place == 0 || lines.iter().any(|line| line[place] != lines[0][place]))
        .collect();
    let mut columns: Vec<Column> = shown
        .iter()
        .map(|&place| Column::right(names[place]))
        .collect();
    let keys = columns.len();
    let floors = content == Content::Figures;
    columns.extend(floors.then(|| Column::right("floor")));
    columns.extend(
        tables
            .iter()
            .flat_map(|table| content.columns(heading(table, &tables))),
    );
    let mut grid = Grid::new(title, columns).with_keys(keys);
    for one in &lines {
        let of_line = |table: &str| {
            let mut runs = runs.iter().copied();
            runs.find(|run| line(run) == *one && run.short_table() == table)
        };
        let mut cells: Vec<String> = shown.iter().map(|&place| one[place].clone()).collect();
        if floors {
            let mut rows = tables
                .iter()
                .filter_map(|table| of_line(table)?.row(Metric::BytesFloor));
            let floor = rows.next().map(|row| text::value(row, text::DIGITS));
            cells.push(floor.unwrap_or_else(|| NOTHING.to_owned()));
        }
        cells.extend(
            tables
                .iter()
                .flat_map(|table| content.cells(of_line(table))),
        );
        grid.push(cells);
    }
    grid
}

/// A line for each table that was cut.
fn power_cuts(runs: &[&Run<'_>]) -> Option<Grid> {
    runs.first()?;
    let mut columns = vec![Column::left("target"), Column::left("table")];
    columns.extend(["key / value", "cut within", "images", "images that fail"].map(Column::right));
    let mut grid = Grid::new("Power cuts", columns).with_keys(3);
    for run in runs {
        let cell = |metric| {
            let row = run.row(metric);
            match row.map(|row| (row, row.value)) {
                Some((_, Some(count))) => format!("{count:.0}"),
                Some((row, None)) => text::value(row, text::DIGITS),
                None => NOTHING.to_owned(),
            }
        };
        grid.push([
            run.head().target.clone(),
            run.short_table(),
            run.sizes(),
            cell(Metric::CrashBoundaries),
            cell(Metric::CrashImages),
            cell(Metric::CrashFailures),
        ]);
    }
    Some(grid)
}
