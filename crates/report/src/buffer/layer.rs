//! What a memory that cleans up behind its user spends the time of an access on, as fast as it can and at
//! the rates that were asked for.

use wordline_core::Metric;

use super::answer::{listed, subject};
use super::{Case, RATE, Run};
use crate::grid::{Column, Grid};
use crate::pivot::Line;
use crate::{layer, text};

/// Lines of a run that tell of a layer: as fast as it can, and at each rate that was rerun.
fn lines<'a, 'p>(run: &Run<'a, 'p>) -> Vec<(String, &'p Line<'a>)> {
    let closed = run.summary(None).filter(|line| layer::has(line));
    let closed = closed.map(|line| ("at once".to_owned(), line));
    let open = run.along(RATE, None, Some("open_loop"));
    let open = open.into_iter().filter(|(_, line)| layer::has(line));
    let open = open.map(|(rate, line)| (format!("at {}", text::rate(rate)), line));
    closed.into_iter().chain(open).collect()
}

/// What the mean access consists of; `None` for a memory without a layer.
pub(super) fn table(case: &Case<'_, '_>) -> Option<Grid> {
    let mut all: Vec<(String, &Line<'_>)> = Vec::new();
    for run in &case.runs {
        let told = lines(run).into_iter();
        all.extend(told.map(|(name, line)| (format!("{}{name}", case.heading(run)), line)));
    }
    let (_, first) = all.first()?;
    let causes: Vec<&str> = first
        .parts(Metric::LatencyMeanPart)
        .map(|(cause, _)| cause)
        .collect();
    let mut columns = vec![Column::left("records follow each other")];
    columns.extend(all.iter().map(|(heading, _)| Column::right(heading)));
    let title = format!("What the mean access consists of: {}", case.name());
    let mut grid = Grid::new(title, columns);
    let mut push = |name: String, value: &dyn Fn(&Line<'_>) -> Option<(f64, String)>| {
        let cells: Vec<_> = all.iter().map(|(_, line)| value(line)).collect();
        if cells.iter().flatten().any(|(value, _)| *value > 0.0) {
            let cells = cells.into_iter();
            let cells = cells.map(|cell| cell.map_or_else(|| "–".to_owned(), |(_, text)| text));
            grid.push([name].into_iter().chain(cells));
        }
    };
    for cause in causes {
        push(text::words(cause), &|line| {
            let part = line.row(Metric::LatencyMeanPart, Some(cause))?.value?;
            Some((
                part,
                text::number(Metric::LatencyMeanPart, part, text::DIGITS),
            ))
        });
    }
    for (metric, name) in [
        (Metric::LatencyMean, "together"),
        (Metric::LatencyMax, "slowest"),
        (Metric::WriteAmplification, "write amplification"),
    ] {
        push(name.to_owned(), &|line| {
            let value = line.number(metric)?;
            Some((value, text::number(metric, value, text::DIGITS)))
        });
    }
    Some(grid)
}

/// How much of the time moving pages takes at a rate, and how much where records follow each other at once:
/// "What the memory does for itself takes 2.9 % of the time then, instead of 74 %". For the first column of the data sheet.
pub(super) fn at_rate(case: &Case<'_, '_>, rate: f64) -> Option<String> {
    let run = case.runs.first()?;
    let closed = layer::share_of_all(run.summary(None).filter(|line| layer::has(line))?);
    let open = run.along(RATE, None, Some("open_loop"));
    let open = layer::share_of_all(super::at(&open, rate)?);
    // What differs by less is chance.
    ((closed - open).abs() >= 0.01).then(|| {
        format!(
            "What the memory does for itself takes {} of the time of the accesses then, instead of {}{}.",
            text::percent(open, 2),
            text::percent(closed, 2),
            case.clause(run)
        )
    })
}

/// What a rerun at the asked rate is: of a memory that cleans up behind its user, another run.
pub(super) fn rerun_words(case: &Case<'_, '_>) -> &'static str {
    let mut lines = case.runs.iter().filter_map(|run| run.summary(None));
    if lines.any(layer::has) {
        "Above, records follow each other at once. Where they wait for their data, and the memory cleans up \
         in the pauses between them"
    } else {
        "Rerun with accesses that wait for their data"
    }
}

/// What a translation layer did, for each column of the data sheet.
pub(super) fn sentence(case: &Case<'_, '_>) -> Option<String> {
    let told = case.runs.iter().filter_map(|run| {
        let line = run.summary(None)?;
        Some((layer::sentence(line)?, case.clause(run)))
    });
    let words = listed(told)?;
    Some(format!("Of the time of {}, {words}.", subject(case)))
}
