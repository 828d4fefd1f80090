//! The tables of `wordline buffer`: RAM by rate, the highest rate by RAM, how long accesses and
//! sequences of them take, and what was extrapolated.

use std::collections::HashSet;

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::estimates::extrapolations;
use super::layer;
use super::{
    Case, Curve, LEAST, MOST, OWN_TIMES, RAM, RATE, Run, asked_ram, asked_rates, at, is_unbounded,
    thinned, told_value,
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
    let amounts = asked_ram(document);
    let mut grids = Vec::new();
    for case in &Case::all_of(&pivot) {
        grids.extend(ram_by_rate(case, &asked));
        grids.extend(reruns(case));
        grids.extend(own_times(case));
        grids.extend(rate_by_ram(case, &amounts));
        grids.extend(durations(case));
        grids.extend(layer::table(case));
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

/// A table for each column of the data sheet: more columns would fit no screen.
fn ram_by_rate(case: &Case<'_, '_>, asked: &[f64]) -> Vec<Grid> {
    let places = rates(case, asked);
    let places: Vec<_> = places
        .into_iter()
        .map(|rate| (rate, marked(rate, asked, text::rate(rate))))
        .collect();
    let grids = case.runs.iter().filter_map(|run| {
        let mut readings = Vec::new();
        let [record, fluid] = ["record", "fluid"].map(|arrival| run.arriving(RATE, arrival));
        readings.extend(held("record ", &record));
        readings.extend(held("fluid ", &fluid));
        for (estimate, word) in ESTIMATES {
            let curve = run.estimated(RATE, "record", estimate);
            readings.extend(held(&format!("{word} "), &curve));
        }
        let growth = if record.is_empty() { &fluid } else { &record };
        let growth = Reading::new("grows by".to_owned(), growth, Metric::GrowthRate);
        readings.push(growth);
        let title = format!("RAM by input rate{}: {}", case.clause(run), case.name());
        along(title, "rate", readings, &places)
    });
    grids.collect()
}

/// What a run took again whose accesses waited for their data, at the rates that were asked for.
fn reruns(case: &Case<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let curve = run.estimated(RATE, "record", "open_loop");
        readings.extend(held(&case.heading(run), &curve));
    }
    let places = places(&readings, RATES, &[], text::rate);
    let title = format!("RAM where accesses wait for their data: {}", case.name());
    along(title, "rate", readings, &places)
}

/// RAM without and with the record that is being written.
fn held<'a, 'p>(word: &str, curve: &Curve<'a, 'p>) -> [Reading<'a, 'p>; 2] {
    [
        (Metric::RamPeak, "waiting"),
        (Metric::RamPeakInFlight, "in flight"),
    ]
    .map(|(metric, what)| Reading::new(format!("{word}{what}"), curve, metric))
}

/// Estimates beside the plain results, as headings name them.
const ESTIMATES: [(&str, &str); 3] = [("bound", "proven"), (LEAST, LEAST), (MOST, MOST)];

/// The rates of the tables: those that were asked for, where the RAM ceases to be enough, and others
/// evenly thinned. So many may be asked for that they are thinned as well.
fn rates(case: &Case<'_, '_>, asked: &[f64]) -> Vec<f64> {
    let curves: Vec<Curve<'_, '_>> = case.runs.iter().filter_map(examined).collect();
    let of = |curve: &Curve<'_, '_>| curve.iter().map(|(rate, _)| rate.to_bits()).collect();
    let sets: Vec<HashSet<u64>> = curves.iter().map(of).collect();
    let mut grid: Vec<f64> = curves.iter().flatten().map(|(rate, _)| *rate).collect();
    sort(&mut grid);
    let anywhere = grid.clone();
    // Rates that one column of the data sheet lacks would leave holes.
    let shared = |rate: &f64| sets.iter().all(|set| set.contains(&rate.to_bits()));
    if grid.iter().any(shared) {
        grid.retain(shared);
    }
    let mut kept: Vec<f64> = asked.to_vec();
    kept.retain(|rate| {
        anywhere
            .binary_search_by(|other| other.total_cmp(rate))
            .is_ok()
    });
    for curve in &curves {
        let on_grid = |rate: f64| {
            grid.binary_search_by(|other| other.total_cmp(&rate))
                .is_ok()
        };
        let curve: Vec<_> = curve.iter().filter(|(rate, _)| on_grid(*rate)).collect();
        if let Some(end) = curve.iter().position(|(_, line)| is_unbounded(line)) {
            let ends = &curve[end.saturating_sub(1)..=end];
            kept.extend(ends.iter().map(|(rate, _)| *rate));
        }
    }
    sort(&mut kept);
    let mut kept = thinned(&kept, RATES);
    grid.retain(|rate| !kept.contains(rate));
    let room = RATES - kept.len().min(RATES);
    kept.extend(thinned(&grid, room).into_iter().take(room));
    sort(&mut kept);
    kept
}

/// The curve whose rates a table shows: single bytes stand at every corner of theirs, which no table
/// needs.
fn examined<'a, 'p>(run: &Run<'a, 'p>) -> Option<Curve<'a, 'p>> {
    let plain = ["record", "fluid"].map(|arrival| run.arriving(RATE, arrival));
    let estimates = ESTIMATES.map(|(estimate, _)| run.estimated(RATE, "record", estimate));
    let mut curves = plain.into_iter().chain(estimates);
    curves.find(|curve| !curve.is_empty())
}

fn sort(values: &mut Vec<f64>) {
    values.sort_by(f64::total_cmp);
    values.dedup();
}

fn rate_by_ram(case: &Case<'_, '_>, asked: &[f64]) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        for arrival in ["record", "fluid"] {
            let curve = run.arriving(RAM, arrival);
            let heading = format!("{timing}{arrival}");
            readings.push(Reading::new(heading, &curve, Metric::RateMax));
        }
        let proven = run.estimated(RAM, "record", "bound");
        readings.push(Reading::new(
            format!("{timing}proven"),
            &proven,
            Metric::RateMax,
        ));
    }
    let name = |bytes: f64| marked(bytes, asked, text::ram(bytes, text::DIGITS));
    let places = places(&readings, AMOUNTS, asked, name);
    let title = format!("Highest safe rate by RAM: {}", case.name());
    along(title, "RAM", readings, &places)
}

/// Every place of some curves, thinned and named. Of those that were asked for, as many stay as a
/// table holds.
fn places(
    readings: &[Reading<'_, '_>],
    most: usize,
    asked: &[f64],
    name: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let curves = readings.iter().flat_map(|reading| &reading.curve);
    let mut places: Vec<f64> = curves.map(|(place, _)| *place).collect();
    sort(&mut places);
    let (asked, others): (Vec<f64>, Vec<f64>) =
        places.into_iter().partition(|place| asked.contains(place));
    let mut places = thinned(&asked, most);
    let room = most.saturating_sub(places.len());
    places.extend(thinned(&others, room).into_iter().take(room));
    sort(&mut places);
    places
        .into_iter()
        .map(|place| (place, name(place)))
        .collect()
}

/// The name of a place, and whether it was asked for.
fn marked(place: f64, asked: &[f64], name: String) -> String {
    if asked.contains(&place) {
        format!("asked {name}")
    } else {
        name
    }
}

/// What a trace needs that is replayed at its own times.
fn own_times(case: &Case<'_, '_>) -> Option<Grid> {
    let lines = case.runs.iter();
    let lines = lines.filter_map(|run| Some((run, run.summary(Some(OWN_TIMES))?)));
    let lines: Vec<(&Run<'_, '_>, &Line<'_>)> = lines.collect();
    if lines.is_empty() {
        return None;
    }
    let mut columns = vec![Column::left("what")];
    columns.extend(
        lines
            .iter()
            .map(|(run, _)| Column::right(run.timing.name())),
    );
    let title = format!("At the trace's own times: {}", case.name());
    let mut grid = Grid::new(title, columns);
    for (metric, name) in [
        (Metric::RamPeak, "RAM waiting"),
        (Metric::RamPeakInFlight, "RAM in flight"),
        (Metric::LatencyMax, "slowest, asking to end"),
    ] {
        let cells = lines.iter().map(|(_, line)| {
            let value = told_value(Some(line), metric);
            value.unwrap_or_else(|| NOTHING.to_owned())
        });
        grid.push([name.to_owned()].into_iter().chain(cells));
    }
    Some(grid)
}

fn sequences(case: &Case<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.runs {
        let timing = case.heading(run);
        let metric = Metric::SequenceDurationMax;
        let longest = run.along("accesses", None, None);
        readings.push(Reading::new(format!("{timing}longest"), &longest, metric));
        let proven = run.along("accesses", None, Some("bound"));
        readings.push(Reading::new(format!("{timing}proven"), &proven, metric));
    }
    let places = places(&readings, LENGTHS, &[], |count| format!("{count:.0}"));
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
    let mut columns = vec![Column::left("what")];
    columns.extend(["once in", "level", "from", "to"].map(Column::right));
    let title = format!("Extrapolated, not run: {}", case.name());
    let mut grid = Grid::new(title, columns).with_keys(2);
    for run in &case.runs {
        grid_rows(&mut grid, case, run);
    }
    (!grid.rows().is_empty()).then_some(grid)
}

fn grid_rows(grid: &mut Grid, case: &Case<'_, '_>, run: &Run<'_, '_>) {
    for one in thinned(&extrapolations(run).iter().collect::<Vec<_>>(), LENGTHS) {
        let none = || (NOTHING.to_owned(), NOTHING.to_owned());
        let (low, high) = one.interval().unwrap_or_else(none);
        let what = format!("{}{}", case.heading(run), one.what());
        grid.push([what, one.horizon(), one.level(), low, high]);
    }
}
