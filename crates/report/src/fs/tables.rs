//! The tables: file systems with their mount, RAM and verdict; operations of each target; slowest calls.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::Run;
use crate::grid::{Column, Grid};
use crate::text;

/// What stands where there is nothing to say.
const NOTHING: &str = "–";

/// The operations whose rows are about the file system as a whole.
const WHOLE: [&str; 2] = ["mount", "crash"];

/// Columns of the table of operations.
const FIGURES: [(Metric, &str); 9] = [
    (Metric::ThroughputMean, "throughput"),
    (Metric::OpsRate, "calls"),
    (Metric::LatencyP50, "latency p50"),
    (Metric::LatencyP99, "latency p99"),
    (Metric::LatencyMax, "latency max"),
    (Metric::WriteAmplification, "write amp."),
    (Metric::CyclesMax, "most cycles"),
    (Metric::WearSpread, "wear spread"),
    (Metric::EnergyPerOp, "energy per call"),
];

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    let runs = Run::all_of(document);
    let mut grids: Vec<Grid> = systems(&runs).into_iter().collect();
    let mut targets: Vec<&str> = Vec::new();
    for run in &runs {
        if !targets.contains(&run.head().target.as_str()) {
            targets.push(&run.head().target);
        }
    }
    for target in targets {
        let of_target = runs
            .iter()
            .filter(|run| run.head().target == target)
            .filter(|run| !WHOLE.contains(&run.head().operation.as_str()));
        let of_target: Vec<_> = of_target.collect();
        if !of_target.is_empty() {
            grids.push(operations(target, &of_target));
            grids.extend(slowest(target, &of_target));
        }
    }
    if grids.is_empty() {
        grids.push(Grid::new("fs: no rows", vec![Column::left("operation")]));
    }
    grids
}

/// A line for each mounted file system.
fn systems(runs: &[Run<'_>]) -> Option<Grid> {
    let mounts = runs.iter().filter(|run| run.head().operation == "mount");
    let mounts: Vec<_> = mounts.collect();
    if mounts.is_empty() {
        return None;
    }
    let verdict = |mount: &Run<'_>| {
        let mut crashes = runs.iter().filter(|run| run.head().operation == "crash");
        crashes.find(|run| {
            let same = |axis: &str| run.head().axes.get(axis) == mount.head().axes.get(axis);
            run.head().target == mount.head().target
                && run.head().timing == mount.head().timing
                && same("fs")
        })
    };
    let timings = differs(&mounts, |run| run.head().timing.to_string());
    let mut columns = vec![Column::left("target"), Column::left("file system")];
    columns.extend(timings.then(|| Column::left("timing")));
    columns.extend(["capacity", "fill"].map(Column::right));
    let keys = columns.len();
    columns.extend(["mount", "RAM", "power cuts"].map(Column::right));
    let mut grid = Grid::new("File systems", columns).with_keys(keys);
    for run in &mounts {
        let mut cells = vec![run.head().target.clone(), run.system()];
        cells.extend(timings.then(|| run.head().timing.to_string()));
        cells.extend(["capacity_bytes", "fill"].map(|axis| run.axis(axis)));
        cells.push(cell(run, Metric::LatencyMax));
        cells.push(cell(run, Metric::FileSystemRam));
        cells.push(verdict(run).map_or_else(|| NOTHING.to_owned(), power_cuts));
        grid.push(cells);
    }
    Some(grid)
}

/// "200 images, none fails".
fn power_cuts(run: &Run<'_>) -> String {
    let Some(images) = run.number(Metric::CrashImages) else {
        return cell(run, Metric::CrashImages);
    };
    match run.number(Metric::CrashFailures) {
        Some(0.0) => format!("{images:.0} images, none fails"),
        Some(failures) => format!("{failures:.0} of {images:.0} images fail"),
        None => cell(run, Metric::CrashFailures),
    }
}

/// The columns that tell the runs of a target apart, and what each says.
fn keys(runs: &[&Run<'_>]) -> Vec<(&'static str, bool)> {
    vec![
        ("operation", true),
        ("access", true),
        ("file system", true),
        ("fill", differs(runs, |run| run.axis("fill"))),
        ("timing", differs(runs, |run| run.head().timing.to_string())),
    ]
}

fn key_cells(run: &Run<'_>, keys: &[(&'static str, bool)]) -> Vec<String> {
    let shown = keys.iter().filter(|(_, shown)| *shown);
    shown
        .map(|(name, _)| match *name {
            "operation" => run.head().operation.clone(),
            "access" => match run.axis("access_bytes") {
                none if none.is_empty() => NOTHING.to_owned(),
                size => size,
            },
            "file system" => run.system(),
            "fill" => run.axis("fill"),
            _ => run.head().timing.to_string(),
        })
        .collect()
}

fn key_columns(keys: &[(&'static str, bool)]) -> Vec<Column> {
    let shown = keys.iter().filter(|(_, shown)| *shown);
    shown
        .map(|(name, _)| match *name {
            "access" | "fill" => Column::right(*name),
            name => Column::left(name),
        })
        .collect()
}

/// A line for each operation, those of the file systems side by side.
fn operations(target: &str, runs: &[&Run<'_>]) -> Grid {
    let keys = keys(runs);
    let figures: Vec<_> = FIGURES
        .iter()
        .filter(|(metric, _)| runs.iter().any(|run| run.row(*metric).is_some()))
        .collect();
    let rate = runs
        .iter()
        .flat_map(|run| run.at_rates(Metric::RamPeakInFlight))
        .map(|(rate, _)| rate)
        .next();
    let mut columns = key_columns(&keys);
    let key_count = columns.len();
    columns.extend(figures.iter().map(|(_, name)| Column::right(*name)));
    columns.extend(rate.map(|rate| Column::right(format!("RAM at {}", text::rate(rate)))));
    let mut grid = Grid::new(target, columns).with_keys(key_count);
    for run in together(runs) {
        let mut cells = key_cells(run, &keys);
        cells.extend(figures.iter().map(|(metric, _)| cell(run, *metric)));
        if let Some(rate) = rate {
            let at = run.at_rates(Metric::RamPeakInFlight);
            let at = at.iter().find(|(at, _)| *at == rate);
            cells.push(at.map_or_else(
                || NOTHING.to_owned(),
                |(_, row)| text::value(row, text::DIGITS),
            ));
        }
        grid.push(cells);
    }
    grid
}

/// What the slowest call of each operation consisted of.
fn slowest(target: &str, runs: &[&Run<'_>]) -> Option<Grid> {
    let keys = keys(runs);
    let mut columns = key_columns(&keys);
    let key_count = columns.len();
    columns.push(Column::right("slowest"));
    columns.push(Column::left("operations of the memory in it"));
    let title = format!("{target}: what the slowest call of each operation consisted of");
    let mut grid = Grid::new(title, columns).with_keys(key_count);
    for run in together(runs) {
        let told = run.slowest();
        if told.is_empty() {
            continue;
        }
        let mut cells = key_cells(run, &keys);
        cells.push(cell(run, Metric::LatencyMax));
        cells.push(told);
        grid.push(cells);
    }
    (!grid.rows().is_empty()).then_some(grid)
}

/// The runs with those of an operation side by side, in the order in which the operations come first.
fn together<'a, 'r>(runs: &[&'r Run<'a>]) -> Vec<&'r Run<'a>> {
    let mut order: Vec<&str> = Vec::new();
    for run in runs {
        if !order.contains(&run.head().operation.as_str()) {
            order.push(&run.head().operation);
        }
    }
    let mut sorted = runs.to_vec();
    sorted.sort_by_key(|run| order.iter().position(|name| *name == run.head().operation));
    sorted
}

/// Whether something differs between runs.
fn differs(runs: &[&Run<'_>], of: impl Fn(&Run<'_>) -> String) -> bool {
    let mut all = runs.iter().map(|run| of(run));
    let first = all.next();
    all.any(|one| Some(&one) != first.as_ref())
}

fn cell(run: &Run<'_>, metric: Metric) -> String {
    let row = run.row(metric);
    row.map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
}
