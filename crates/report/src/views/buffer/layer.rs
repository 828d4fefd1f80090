//! What a memory that cleans up behind its user spends the time of an access on, as fast as it can and at
//! the rates that were asked for.

use wordline_core::Metric;

use super::answer::{merged, subject};
use super::{BufferCase, ESTIMATE, RATE};
use crate::grid::{Column, Grid};
use crate::pivot::{Keys, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::layer;

/// Lines of a run about a layer: as fast as it can, and at each rate that was rerun.
fn lines<'a>(run: &PivotLine<'a>) -> Vec<(Option<f64>, PivotLine<'a>)> {
    let lines = PivotLine::all_of(run.rows().iter().copied(), Keys::ALL);
    let lines = lines.into_iter().filter(layer::has);
    let told = lines.filter_map(|line| match line.head().text(ESTIMATE) {
        None if line.axis(RATE).is_none() => Some((None, line)),
        Some("open_loop") => Some((Some(line.coordinate(RATE)?), line)),
        _ => None,
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by(|(a, _), (b, _)| a.unwrap_or(-1.0).total_cmp(&b.unwrap_or(-1.0)));
    told
}

/// What the mean access consists of; `None` for a memory without a layer.
pub(super) fn table(case: &BufferCase<'_, '_>) -> Option<Grid> {
    type Named<'a> = (String, PivotLine<'a>);
    let all = case.timings.iter().flat_map(|run| {
        let named = |(rate, line): (Option<f64>, _)| {
            let at = rate.map_or("once".to_owned(), text::rate);
            (format!("{}at {at}", case.heading(run)), line)
        };
        lines(run).into_iter().map(named)
    });
    let all: Vec<Named<'_>> = all.collect();
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
        Tabulation::new(title).key(Column::right(""), |(name, _): &Named<'_>| name.clone());
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
    let lines = lines(run);
    let share = |at: Option<f64>| {
        let (_, line) = lines.iter().find(|(rate, _)| *rate == at)?;
        Some(layer::share_of_all(line))
    };
    let (closed, open) = (share(None)?, share(Some(rate))?);
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
    if case.timings.iter().any(|run| layer::has(run)) {
        "Above, records follow each other at once. Where they wait for their data, and the memory cleans up in the \
         pauses"
    } else {
        "Rerun with accesses that wait for their data"
    }
}

/// What a translation layer did, for each column of the data sheet.
pub(super) fn sentence(case: &BufferCase<'_, '_>) -> Option<String> {
    let told = case
        .timings
        .iter()
        .filter_map(|run| Some((layer::sentence(run)?, case.clause(run))));
    let sentences = merged(told)
        .into_iter()
        .map(|(words, timing)| format!("Of the time of {}{timing}, {words}.", subject(case)));
    let sentences: Vec<_> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
