//! The tables of `wordline buffer`: RAM by rate, the highest rate by RAM, how long accesses and
//! sequences of them take, and what was extrapolated.

use std::collections::HashSet;

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::estimates::extrapolations;
use super::{
    ARRIVAL, Case, Curve, ESTIMATE, RATE, Run, asked_rates, at, is_unbounded, thinned, told_value,
};
use crate::grid::{Column, Grid};
use crate::pivot::{Line, Pivot};
use crate::text;

/// Rows of a table: enough to see the shape of a curve on one screen.
const RATES: usize = 16;
const AMOUNTS: usize = 16;
const LENGTHS: usize = 12;

const NOTHING: &str = "–";

pub(crate) fn tables(document: &ResultSet) -> Vec<Grid> {
    let pivot = Pivot::of(document);
    let asked = asked_rates(document);
    let mut grids = Vec::new();
    for case in &Case::all_of(&pivot) {
        grids.extend(ram_by_rate(case, &asked));
        grids.extend(rate_by_ram(case));
        grids.extend(durations(case));
        grids.extend(sequences(case));
        grids.extend(extrapolated(case));
    }
    if grids.is_empty() {
        grids.push(Grid::new("buffer: no rows", vec![Column::left("rate")]));
    }
    grids
}

/// A column of a table: its heading, the curve that it reads, and the metric.
struct Reading<'a, 'p> {
    heading: String,
    curve: Curve<'a, 'p>,
    metric: Metric,
}

impl<'a, 'p> Reading<'a, 'p> {
    fn new(heading: String, curve: &Curve<'a, 'p>, metric: Metric) -> Self {
        let has = |(_, line): &(f64, &'p Line<'a>)| line.row(metric, None).is_some();
        Self {
            heading,
            curve: curve.iter().filter(|point| has(point)).copied().collect(),
            metric,
        }
    }

    fn cell(&self, place: f64) -> String {
        let value = told_value(at(&self.curve, place), self.metric);
        value.unwrap_or_else(|| NOTHING.to_owned())
    }
}

/// A table along an axis; `None` where no line has any of its columns.
fn along(
    title: String,
    first: &str,
    readings: Vec<Reading<'_, '_>>,
    places: &[(f64, String)],
) -> Option<Grid> {
    let shown = |reading: &Reading<'_, '_>| {
        let mut places = places.iter();
        places.any(|(place, _)| at(&reading.curve, *place).is_some())
    };
    let readings: Vec<_> = readings.into_iter().filter(shown).collect();
    if readings.is_empty() {
        return None;
    }
    let mut columns = vec![Column::right(first)];
    let headings = readings.iter().map(|reading| reading.heading.clone());
    columns.extend(headings.map(Column::right));
    let mut grid = Grid::new(title, columns);
    for (place, name) in places {
        let mut cells = vec![name.clone()];
        cells.extend(readings.iter().map(|reading| reading.cell(*place)));
        grid.push(cells);
    }
    Some(grid)
}

fn ram_by_rate(case: &Case<'_, '_>, asked: &[f64]) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        for arrival in ["record", "fluid"] {
            let plain = run.along(RATE, &[(ARRIVAL, arrival)]);
            for (metric, what) in HELD {
                let heading = format!("{timing}{arrival} {what}");
                readings.push(Reading::new(heading, &plain, metric));
            }
        }
        for (estimate, word) in ESTIMATES {
            let curve = run.estimated(RATE, "record", estimate);
            for (metric, what) in HELD {
                let heading = format!("{timing}{word} {what}");
                readings.push(Reading::new(heading, &curve, metric));
            }
        }
        let growth = run.along(RATE, &[(ARRIVAL, "record")]);
        let growth = if growth.is_empty() {
            run.along(RATE, &[(ARRIVAL, "fluid")])
        } else {
            growth
        };
        let heading = format!("{timing}grows by");
        readings.push(Reading::new(heading, &growth, Metric::GrowthRate));
    }
    let places = rates(case, asked);
    let places: Vec<_> = places
        .into_iter()
        .map(|rate| {
            let mark = if asked.contains(&rate) { "asked " } else { "" };
            (rate, format!("{mark}{}", text::rate(rate)))
        })
        .collect();
    along(
        format!("RAM by input rate: {}", case.name()),
        "rate",
        readings,
        &places,
    )
}

/// RAM with and without the record that is being written.
const HELD: [(Metric, &str); 2] = [
    (Metric::RamPeak, "waiting"),
    (Metric::RamPeakInFlight, "in flight"),
];

/// Estimates beside the plain results, as headings name them.
const ESTIMATES: [(&str, &str); 4] = [
    ("bound", "proven"),
    ("open_loop", "rerun"),
    ("least", "least"),
    ("most", "most"),
];

/// The rates of the table: those that were asked for, where the RAM ceases to be enough, and others
/// evenly thinned.
fn rates(case: &Case<'_, '_>, asked: &[f64]) -> Vec<f64> {
    let mut grid: Vec<f64> = Vec::new();
    let mut kept: Vec<f64> = Vec::new();
    for arrival in ["record", "fluid"] {
        for run in &case.runs {
            let curve = run.along(RATE, &[(ARRIVAL, arrival)]);
            grid.extend(curve.iter().map(|(rate, _)| *rate));
            let end = curve.iter().position(|(_, line)| is_unbounded(line));
            let ends = end.map(|end| &curve[end.saturating_sub(1)..=end]);
            kept.extend(ends.into_iter().flatten().map(|(rate, _)| *rate));
        }
        // The lines of single bytes stand at every corner of their curve, which no table needs.
        if !grid.is_empty() {
            break;
        }
    }
    let only_estimates = grid.is_empty();
    for run in case.runs.iter().filter(|_| only_estimates) {
        for (estimate, _) in ESTIMATES {
            let curve = run.estimated(RATE, "record", estimate);
            grid.extend(curve.iter().map(|(rate, _)| *rate));
        }
    }
    let examined: HashSet<u64> = case
        .runs
        .iter()
        .flat_map(Run::lines)
        .filter_map(|line| line.coordinate(RATE))
        .map(f64::to_bits)
        .collect();
    let examined = |rate: &f64| examined.contains(&rate.to_bits());
    kept.extend(asked.iter().copied().filter(examined));
    sort(&mut kept);
    sort(&mut grid);
    let kept = thinned(&kept, RATES);
    grid.retain(|rate| !kept.contains(rate));
    let room = RATES - kept.len().min(RATES);
    let mut chosen = if room == 0 {
        Vec::new()
    } else {
        thinned(&grid, room)
    };
    chosen.truncate(room);
    chosen.extend(kept);
    sort(&mut chosen);
    chosen
}

fn sort(values: &mut Vec<f64>) {
    values.sort_by(f64::total_cmp);
    values.dedup();
}

fn rate_by_ram(case: &Case<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        for arrival in ["record", "fluid"] {
            let curve = run.along("ram_bytes", &[(ARRIVAL, arrival)]);
            let heading = format!("{timing}{arrival}");
            readings.push(Reading::new(heading, &curve, Metric::RateMax));
        }
        let proven = run.estimated("ram_bytes", "record", "bound");
        readings.push(Reading::new(
            format!("{timing}proven"),
            &proven,
            Metric::RateMax,
        ));
    }
    let places = places(&readings, AMOUNTS, |bytes| text::ram(bytes, text::DIGITS));
    let title = format!("Highest safe rate by RAM: {}", case.name());
    along(title, "RAM", readings, &places)
}

/// Every place of some curves, thinned and named.
fn places(
    readings: &[Reading<'_, '_>],
    most: usize,
    name: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let curves = readings.iter().flat_map(|reading| &reading.curve);
    let mut places: Vec<f64> = curves.map(|(place, _)| *place).collect();
    sort(&mut places);
    let places = thinned(&places, most).into_iter();
    places.map(|place| (place, name(place))).collect()
}

fn sequences(case: &Case<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        let metric = Metric::SequenceDurationMax;
        let longest = run.along("accesses", &[]);
        readings.push(Reading::new(format!("{timing}longest"), &longest, metric));
        let proven = run.along("accesses", &[(ESTIMATE, "bound")]);
        readings.push(Reading::new(format!("{timing}proven"), &proven, metric));
    }
    let places = places(&readings, LENGTHS, |count| format!("{count:.0}"));
    let title = format!("Longest sequences: {}", case.name());
    along(title, "accesses in a row", readings, &places)
}

/// What the summary lines say, a row each.
const DURATIONS: [(Metric, &str); 9] = [
    (Metric::AccessCount, "accesses"),
    (Metric::ThroughputMean, "throughput"),
    (Metric::LatencyMean, "mean"),
    (Metric::LatencyP50, "half take up to"),
    (Metric::LatencyP90, "90 % take up to"),
    (Metric::LatencyP99, "99 % take up to"),
    (Metric::LatencyP999, "99.9 % take up to"),
    (Metric::LatencyMax, "slowest"),
    (Metric::Coverage, "time accounted for"),
];

fn durations(case: &Case<'_, '_>) -> Option<Grid> {
    let mut lines: Vec<(String, &Line<'_>)> = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        for (estimate, word) in [
            (None, "seen"),
            (Some("bound"), "proven"),
            (Some("open_loop"), "rerun"),
        ] {
            let line = run.summary(estimate);
            lines.extend(line.map(|line| (format!("{timing}{word}"), line)));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut columns = vec![Column::left("what")];
    columns.extend(lines.iter().map(|(heading, _)| Column::right(heading)));
    let mut grid = Grid::new(format!("Durations of accesses: {}", case.name()), columns);
    for (metric, name) in DURATIONS {
        let cell = |line: &Line<'_>| match metric {
            // A count is no measurement: every digit is exact.
            Metric::AccessCount => line.number(metric).map(|count| format!("{count:.0}")),
            _ => told_value(Some(line), metric),
        };
        let cells: Vec<_> = lines.iter().map(|(_, line)| cell(line)).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter();
            let cells = cells.map(|cell| cell.unwrap_or_else(|| NOTHING.to_owned()));
            grid.push([name.to_owned()].into_iter().chain(cells));
        }
    }
    Some(grid)
}

fn extrapolated(case: &Case<'_, '_>) -> Option<Grid> {
    let mut columns = vec![Column::left("what"), Column::left("timing")];
    columns.extend(["once in", "level", "from", "to"].map(Column::right));
    let title = format!("Extrapolated, not run: {}", case.name());
    let mut grid = Grid::new(title, columns).with_keys(3);
    for run in &case.runs {
        grid_rows(&mut grid, run);
    }
    (!grid.rows().is_empty()).then_some(grid)
}

fn grid_rows(grid: &mut Grid, run: &Run<'_, '_>) {
    for one in thinned(&extrapolations(run).iter().collect::<Vec<_>>(), LENGTHS) {
        let none = || (NOTHING.to_owned(), NOTHING.to_owned());
        let (low, high) = one.interval().unwrap_or_else(none);
        let (timing, horizon) = (run.timing.to_string(), one.horizon());
        grid.push([one.what(), timing, horizon, one.level(), low, high]);
    }
}
