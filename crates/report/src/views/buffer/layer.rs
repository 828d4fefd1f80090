//! What a memory that cleans up behind its user spends the time of an access on, as fast as it can and at
//! the rates that were asked for.

use wordline_core::Metric;

use super::answer::{listed, subject};
use super::{BufferCase, RATE, TimedLines};
use crate::grid::{Column, Grid};
use crate::pivot::PivotLine;
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::layer;

/// Lines of a run that tell of a layer: as fast as it can, and at each rate that was rerun.
fn lines<'a, 'p>(run: &TimedLines<'a, 'p>) -> Vec<(String, &'p PivotLine<'a>)> {
    let closed = run.summary(None).filter(|line| layer::has(line));
    let closed = closed.map(|line| ("at once".to_owned(), line));
    let open = run.along(RATE, None, Some("open_loop"));
    let open = open.into_iter().filter(|(_, line)| layer::has(line));
    let open = open.map(|(rate, line)| (format!("at {}", text::rate(rate)), line));
    closed.into_iter().chain(open).collect()
}

/// What the mean access consists of; `None` for a memory without a layer.
pub(super) fn table(case: &BufferCase<'_, '_>) -> Option<Grid> {
    let mut all: Vec<(String, &PivotLine<'_>)> = Vec::new();
    for run in &case.timings {
        let told = lines(run).into_iter();
        all.extend(told.map(|(name, line)| (format!("{}{name}", case.heading(run)), line)));
    }
    type Named<'a, 'p> = (String, &'p PivotLine<'a>);
    let (_, first) = all.first()?;
    let figure = |line: &PivotLine<'_>, metric: Metric, cause: Option<&str>| {
        let value = line
            .row(metric, cause)?
            .value
            .filter(|value| *value >= 0.0)?;
        Some(text::number(metric, value, text::DIGITS))
    };
    // What no line spends time on needs no row.
    let spends = |metric, cause| {
        let value = |line: &PivotLine<'_>| line.row(metric, cause).and_then(|row| row.value);
        all.iter()
            .any(|(_, line)| value(line).is_some_and(|value| value > 0.0))
    };
    let title = format!("What the mean access consists of: {}", case.name());
    let mut table =
        Tabulation::new(title).key(Column::right(""), |(name, _): &Named<'_, '_>| name.clone());
    let causes = first.parts(Metric::LatencyMeanPart);
    for (cause, _) in causes.filter(|(cause, _)| spends(Metric::LatencyMeanPart, Some(cause))) {
        table = table.figure(text::words(cause), move |(_, line)| {
            figure(line, Metric::LatencyMeanPart, Some(cause))
        });
    }
    for (metric, name) in [
        (Metric::LatencyMean, "together"),
        (Metric::LatencyMax, "slowest"),
        (Metric::WriteAmplification, "write amplification"),
    ] {
        if spends(metric, None) {
            table = table.figure(name, move |(_, line)| figure(line, metric, None));
        }
    }
    table.columns("records follow each other", &all)
}

/// How much of the time moving pages takes at a rate, and how much where records follow each other at once:
/// "What the memory does for itself takes 2.9 % of the time then, instead of 74 %". For the first column of the data sheet.
pub(super) fn at_rate(case: &BufferCase<'_, '_>, rate: f64) -> Option<String> {
    let run = case.timings.first()?;
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
pub(super) fn rerun_words(case: &BufferCase<'_, '_>) -> &'static str {
    let mut lines = case.timings.iter().filter_map(|run| run.summary(None));
    if lines.any(layer::has) {
        "Above, records follow each other at once. Where they wait for their data, and the memory cleans up \
         in the pauses between them"
    } else {
        "Rerun with accesses that wait for their data"
    }
}

/// What a translation layer did, for each column of the data sheet.
pub(super) fn sentence(case: &BufferCase<'_, '_>) -> Option<String> {
    let told = case.timings.iter().filter_map(|run| {
        let line = run.summary(None)?;
        Some((layer::sentence(line)?, case.clause(run)))
    });
    let words = listed(told)?;
    Some(format!("Of the time of {}, {words}.", subject(case)))
}
