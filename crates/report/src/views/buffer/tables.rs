//! The tables of `wordline buffer`: RAM by rate, the highest rate by RAM, how long accesses and
//! sequences of them take, and what was extrapolated.

use std::collections::HashSet;

use wordline_core::{Axis, Metric};

use super::estimates::{Extrapolation, extrapolations};
use super::layer;
use super::provision;
use super::{
    BufferCase, Curve, ESTIMATE, LEAST, MOST, OWN_TIMES, RAM, RATE, arriving, asked_ram,
    asked_rates, at, estimated, is_unbounded, summary, thinned, told_value,
};
use crate::grid::{Column, Grid};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::DURATIONS;

/// Rows of a table: enough to see the shape of a curve on one screen.
const RATES: usize = 16;
const AMOUNTS: usize = 16;
const LENGTHS: usize = 12;

pub(crate) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let document = pivot.document;
    let asked = asked_rates(document);
    let amounts = asked_ram(document);
    let mut grids = Vec::new();
    for case in &BufferCase::all_of(pivot) {
        grids.extend(provision::table(case, &asked));
        grids.extend(ram_by_rate(case, &asked));
        grids.extend(reruns(case));
        grids.extend(own_times(case));
        grids.extend(rate_by_ram(case, &amounts));
        grids.extend(durations(case));
        grids.extend(layer::table(case));
        grids.extend(sequences(case));
        grids.extend(extrapolated(case));
    }
    grids
}

/// A column of a table: its heading, and what it reads.
type CurveColumn<'a> = (String, Curve<'a>);

/// A table along an axis; `None` where no line has any of its columns.
fn along(
    title: String,
    first: &str,
    readings: Vec<CurveColumn<'_>>,
    places: &[(f64, String)],
) -> Option<Grid> {
    let table = Tabulation::new(title).key(Column::right(first), |(_, name): &(f64, String)| {
        name.clone()
    });
    let table = readings.into_iter().fold(table, |table, (heading, curve)| {
        table.figure(heading, move |(place, _)| told_value(at(&curve, *place)))
    });
    table.lines(places)
}

/// A table for each column of the data sheet: more columns would fit no screen.
fn ram_by_rate(case: &BufferCase<'_, '_>, asked: &[f64]) -> Vec<Grid> {
    let places = rates(case, asked);
    let places: Vec<_> = places
        .into_iter()
        .map(|rate| (rate, marked(rate, asked, text::rate(rate))))
        .collect();
    let grids = case.timings.iter().filter_map(|run| {
        let mut readings: Vec<CurveColumn<'_>> = Vec::new();
        for arrival in ["record", "fluid"] {
            readings.extend(held(&format!("{arrival} "), |metric| {
                arriving(run, metric, RATE, arrival)
            }));
        }
        let arrival = if readings[..2].iter().all(|(_, curve)| curve.is_empty()) {
            "fluid"
        } else {
            "record"
        };
        for (estimate, word) in ESTIMATES {
            readings.extend(held(&format!("{word} "), |metric| {
                estimated(run, metric, RATE, "record", estimate)
            }));
        }
        let growth = arriving(run, Metric::GrowthRate, RATE, arrival);
        readings.push(("grows by".to_owned(), growth));
        let title = format!(
            "RAM by input rate{}, beside the record that is gathered; fluid: data come byte by byte: {}",
            case.clause(run),
            case.name()
        );
        along(title, "rate", readings, &places)
    });
    grids.collect()
}

/// What a run took again whose accesses waited for their data, at the rates that were asked for.
fn reruns(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.timings {
        readings.extend(held(&case.heading(run), |metric| {
            estimated(run, metric, RATE, "record", "open_loop")
        }));
    }
    let places = places(&readings, RATES, &[], text::rate);
    let title = format!("RAM where accesses wait for their data: {}", case.name());
    along(title, "rate", readings, &places)
}

/// RAM without and with the record that is being written.
fn held<'a>(word: &str, of: impl Fn(Metric) -> Curve<'a>) -> [CurveColumn<'a>; 2] {
    [
        (format!("{word}waiting"), of(Metric::RamPeak)),
        (format!("{word}in flight"), of(Metric::RamPeakInFlight)),
    ]
}

/// Estimates beside the plain results, as headings name them.
const ESTIMATES: [(&str, &str); 3] = [("bound", "proven"), (LEAST, LEAST), (MOST, MOST)];

/// The rates of the tables: those that were asked for, where the RAM ceases to be enough, and others
/// evenly thinned. So many may be asked for that they are thinned as well.
pub(super) fn rates(case: &BufferCase<'_, '_>, asked: &[f64]) -> Vec<f64> {
    let curves = case.timings.iter().filter_map(|run| examined(run));
    let curves: Vec<Curve<'_>> = curves.collect();
    let of = |curve: &Curve<'_>| curve.iter().map(|(rate, _)| rate.to_bits()).collect();
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
        if let Some(end) = curve.iter().position(|(_, row)| is_unbounded(row)) {
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
fn examined<'a>(run: &PivotLine<'a>) -> Option<Curve<'a>> {
    let either = |of: &dyn Fn(Metric) -> Curve<'a>| {
        let curves = [Metric::RamPeak, Metric::RamPeakInFlight]
            .map(of)
            .into_iter();
        curves
            .max_by_key(Vec::len)
            .filter(|curve| !curve.is_empty())
    };
    let mut plain = ["record", "fluid"].into_iter();
    let plain = plain.find_map(|arrival| either(&|metric| arriving(run, metric, RATE, arrival)));
    plain.or_else(|| {
        let of =
            |estimate: &str| either(&|metric| estimated(run, metric, RATE, "record", estimate));
        ESTIMATES.iter().find_map(|(estimate, _)| of(estimate))
    })
}

fn sort(values: &mut Vec<f64>) {
    values.sort_by(f64::total_cmp);
    values.dedup();
}

fn rate_by_ram(case: &BufferCase<'_, '_>, asked: &[f64]) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.timings {
        let timing = case.heading(run);
        for arrival in ["record", "fluid"] {
            let curve = arriving(run, Metric::RateMax, RAM, arrival);
            readings.push((format!("{timing}{arrival}"), curve));
        }
        let proven = estimated(run, Metric::RateMax, RAM, "record", "bound");
        readings.push((format!("{timing}proven"), proven));
    }
    let name = |bytes: f64| marked(bytes, asked, text::ram(bytes, text::DIGITS));
    let places = places(&readings, AMOUNTS, asked, name);
    let title = format!("Highest safe rate by RAM: {}", case.name());
    along(title, "RAM", readings, &places)
}

/// Every place of some curves, thinned and named. Of those that were asked for, as many stay as a
/// table holds.
fn places(
    readings: &[CurveColumn<'_>],
    most: usize,
    asked: &[f64],
    name: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let curves = readings.iter().flat_map(|(_, curve)| curve);
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
fn own_times(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let lines = case.timings.iter();
    let lines = lines.map(|run| (run.head().timing.name().to_owned(), *run, Some(OWN_TIMES)));
    let title = format!("At the trace's own times: {}", case.name());
    let figures = [
        (Metric::RamPeak, "RAM waiting"),
        (Metric::RamPeakInFlight, "RAM in flight"),
        (Metric::LatencyMax, "slowest, asking to end"),
    ];
    beside(title, &figures, lines.collect())
}

/// A line, or an estimate of it, with its name.
type NamedSummary<'n, 'a, 'p> = (String, &'p PivotLine<'a>, Option<&'n str>);

/// A column for each of some lines, and a row for each figure.
fn beside(
    title: String,
    figures: &[(Metric, &'static str)],
    mut lines: Vec<NamedSummary<'_, '_, '_>>,
) -> Option<Grid> {
    lines.retain(|(_, run, estimate)| {
        let mut metrics = figures.iter();
        metrics.any(|(metric, _)| summary(run, *metric, *estimate).is_some())
    });
    let name = |(name, ..): &NamedSummary<'_, '_, '_>| name.clone();
    let table = Tabulation::new(title).key(Column::right(""), name);
    let table = figures.iter().fold(table, |table, (metric, name)| {
        table.figure(*name, move |(_, run, estimate)| {
            let row = summary(run, *metric, *estimate)?;
            match metric {
                // A count is no measurement: every digit is exact.
                Metric::AccessCount => row.value.map(text::count),
                _ => told_value(Some(row)),
            }
        })
    });
    table.columns("what", &lines)
}

fn sequences(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let mut readings = Vec::new();
    for run in &case.timings {
        let timing = case.heading(run);
        let metric = Metric::SequenceDurationMax;
        let longest = run.along(metric, Axis::Accesses, &[]);
        readings.push((format!("{timing}longest"), longest));
        let proven = run.along(metric, Axis::Accesses, &[(Of(ESTIMATE), "bound")]);
        readings.push((format!("{timing}proven"), proven));
    }
    let places = places(&readings, LENGTHS, &[], |count| format!("{count:.0}"));
    let title = format!("Longest sequences: {}", case.name());
    along(title, "accesses in a row", readings, &places)
}

fn durations(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let lines = case.timings.iter().flat_map(|run| {
        let words = [
            (None, "seen"),
            (Some("bound"), "proven"),
            (Some("open_loop"), "rerun"),
        ];
        words.map(|(estimate, word)| (format!("{}{word}", case.heading(run)), *run, estimate))
    });
    let title = format!("Durations of accesses: {}", case.name());
    let figures = [
        &[(Metric::AccessCount, "accesses")][..],
        &DURATIONS,
        &[
            (Metric::Coverage, "time accounted for"),
            (Metric::EnergyPerOp, "energy of an access"),
            (Metric::EnergyPerByte, "energy of a byte"),
        ],
    ];
    beside(title, &figures.concat(), lines.collect())
}

fn extrapolated(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let of_run = |run| {
        let all = extrapolations(run);
        let shown = thinned(&all, LENGTHS).into_iter();
        let heading = case.heading(run);
        shown
            .map(move |one| (format!("{heading}{}", one.what()), one))
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = case.timings.iter().copied().flat_map(of_run).collect();
    type Named<'a> = (String, Extrapolation<'a>);
    let table = Tabulation::new(format!("Extrapolated, not run: {}", case.name()))
        .key(Column::left("what"), |(name, _): &Named<'_>| name.clone())
        .key(Column::right("within"), |(_, one)| one.horizon())
        .figure("no more than", |(_, one)| Some(one.level()));
    table.lines(&all)
}
