//! A part fitted to a log: both halves of the log beside the fitted part, and the figures that were fitted.
//!
//! The first half was fitted, so that what agrees there was made to agree. The second half was held out: its
//! ratios are the score.

mod card;
mod growth;
mod system;

use wordline_core::RowOperation::{self, Cycle, Erase, Program};
use wordline_core::quantity::ByteCount;
use wordline_core::results::{FigureUse, ResultSet, Row};
use wordline_core::{Axis, Basis, Metric, Workload};

use super::DURATIONS;
use crate::answer::Answer;
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, ascending};
use crate::tabulate::Tabulation;
use crate::text::{self, TargetKind};
use crate::view::{TableView, View};

pub(crate) const VIEW: View = View {
    workload: "fit",
    tables: &[TableView::Made(tables)],
    answer: |pivot| {
        let of_system = system::sentences(pivot.document);
        if !of_system.is_empty() {
            return Answer::of_all(of_system);
        }
        let of_growth = growth::sentences(pivot.document);
        Answer::of_all(if of_growth.is_empty() {
            sentences(pivot.document).unwrap_or_default()
        } else {
            of_growth
        })
    },
    card: Some(card::card),
    ..View::EMPTY
};

const HALF: Axis = Axis::Half;
const FIRST: &str = "first";
const SECOND: &str = "second";
const STATISTIC: Axis = Axis::Statistic;
const RATE: Axis = Axis::RateBytesPerS;

/// What is compared of raw flash: operation and statistic of its rows, and what they are called.
const OF_FLASH: [(RowOperation, &str, &str); 9] = [
    (Cycle, "p10", "10 % of blocks fail by"),
    (Cycle, "median", "half of blocks fail by"),
    (Cycle, "p90", "90 % of blocks fail by"),
    (Program, "first", "first program"),
    (Program, "first_10000", "first 10,000 programs"),
    (Program, "last", "last program"),
    (Erase, "first", "first erase"),
    (Erase, "first_10000", "first 10,000 erases"),
    (Erase, "last", "last erase"),
];

/// What counts for the score of a card: the slowest of all is chance, and throughput and mean are one.
const SCORED: [Metric; 5] = [
    Metric::LatencyMean,
    Metric::LatencyP50,
    Metric::LatencyP90,
    Metric::LatencyP99,
    Metric::RamPeakInFlight,
];

/// A line of the comparison: log and part, in both halves.
struct FitComparison<'a> {
    name: String,
    /// Whether it counts for the score.
    scored: bool,
    /// Log, then part.
    first: [Option<&'a Row>; 2],
    second: [Option<&'a Row>; 2],
}

impl FitComparison<'_> {
    /// The part's value divided by the log's.
    fn ratio(half: &[Option<&Row>; 2]) -> Option<f64> {
        let [log, part] = half.map(|row| row.and_then(|row| row.value));
        let (log, part) = (log?, part?);
        (log > 0.0).then(|| part / log)
    }
}

fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let document = pivot.document;
    let title = targets(document).map(|(log, part)| format!("{part} beside {log}"));
    type Line<'a> = FitComparison<'a>;
    let value = |row: Option<&Row>| Some(text::value(row?, text::DIGITS));
    let table = Tabulation::new(title.unwrap_or_default())
        .key(Column::left(""), |line: &Line<'_>| line.name.clone())
        .figure("log, fitted half", |line| value(line.first[0]))
        .figure("part", |line| value(line.first[1]))
        .figure("ratio", |line| Line::ratio(&line.first).map(ratio))
        .figure("log, held out", |line| value(line.second[0]))
        .figure("part predicts", |line| value(line.second[1]))
        .figure("held-out ratio", |line| {
            Line::ratio(&line.second).map(ratio)
        });
    let grids = [
        table.lines(&compared(document)),
        growth::table(document),
        system::table(document),
        figures(document),
    ];
    grids.into_iter().flatten().collect()
}

/// The figures that were fitted.
fn figures(document: &ResultSet) -> Option<Grid> {
    let Workload::Fit(fit) = &document.experiment.workload else {
        return None;
    };
    let flash = is_of_flash(document);
    let last = if flash { INTERVAL } else { "rests on" };
    let fitted = document.figures.iter();
    let fitted = fitted.filter(|one| one.sheet == fit.id && one.basis == Basis::Calibrated);
    let table = Tabulation::new(format!("What was fitted of {}", fit.id))
        .key(Column::left("fitted figure"), |one: &&FigureUse| {
            one.figure.clone()
        })
        .words("value", |one| Some(one.value.clone()))
        .words(last, |one| {
            let told = if flash {
                interval(&one.source)
            } else {
                &one.source
            };
            Some(told.to_owned())
        });
    table.lines(&fitted.collect::<Vec<_>>())
}

/// What stands before an interval in the source of a fitted figure, and in the head of its column.
const INTERVAL: &str = "95 % interval";

/// The interval in the source of a figure; that of a count is the count itself.
fn interval(source: &str) -> &str {
    let told = source
        .split(';')
        .find_map(|part| part.trim().strip_prefix(INTERVAL));
    told.map_or("exact", str::trim)
}

/// Whether this is a fit of raw flash, whose rows are about blocks.
fn is_of_flash(document: &ResultSet) -> bool {
    let mut rows = document.rows.iter();
    rows.any(|row| row.text(STATISTIC).is_some())
}

/// What the fit explains, and how well it predicts.
fn sentences(document: &ResultSet) -> Option<Vec<String>> {
    let (log, part) = targets(document)?;
    let lines = compared(document);
    let fitted = score(&lines, |line| line.first)?;
    let held = score(&lines, |line| line.second)?;
    // How far the halves of the log differ by themselves: knowing the first, no fit does much better.
    let halves = score(&lines, |line| [line.first[0], line.second[0]])?;
    let (what, open) = if is_of_flash(document) {
        ("half of the blocks", "chance leaves")
    } else {
        ("the first half", "chance and the card's history leave")
    };
    let mut sentences = vec![
        format!(
            "{part}, fitted to {what} of {log}, misses it by {} on average. It predicts the second half within {}, at \
             worst {}.",
            percent(fitted.mean),
            percent(held.mean),
            worst(&held)
        ),
        format!(
            "The halves of the log differ from each other by {} on average, which is what {open} open.",
            percent(halves.mean)
        ),
    ];
    if predicts_badly(&fitted, &held, &halves) {
        sentences.push(
            "It predicts far worse than it fits: its figures are too many for this log, or the card changed. Do not \
             rely on them beyond this log."
                .to_owned(),
        );
    }
    Some(sentences)
}

/// Whether a fit predicts far worse than it fits, and worse than the halves of the log differ.
fn predicts_badly(fitted: &FitScore, held: &FitScore, halves: &FitScore) -> bool {
    held.mean > 0.1 && held.mean > 2.0 * fitted.mean.max(halves.mean)
}

/// Logarithms of the ratios of a half.
struct FitScore {
    /// Mean of their absolute values.
    mean: f64,
    /// The ratio that lies farthest from 1, and what it is of.
    worst: (f64, String),
}

fn score<'a>(
    lines: &'a [FitComparison<'a>],
    half: impl Fn(&FitComparison<'a>) -> [Option<&'a Row>; 2],
) -> Option<FitScore> {
    let scored = lines.iter().filter(|line| line.scored);
    let ratios: Vec<(f64, &str)> = scored
        .filter_map(|line| Some((FitComparison::ratio(&half(line))?, line.name.as_str())))
        .filter(|(ratio, _)| *ratio > 0.0)
        .collect();
    let far = |ratio: f64| ratio.ln().abs();
    let (worst, name) = ratios
        .iter()
        .max_by(|(a, _), (b, _)| far(*a).total_cmp(&far(*b)))?;
    Some(FitScore {
        mean: ratios.iter().map(|(ratio, _)| far(*ratio)).sum::<f64>() / ratios.len() as f64,
        worst: (*worst, (*name).to_owned()),
    })
}

/// "1.40 times in RAM at 500 KB/s".
fn worst(score: &FitScore) -> String {
    format!("{} in \"{}\"", text::factor(score.worst.0), score.worst.1)
}

/// A mean logarithm as a percentage.
fn percent(mean: f64) -> String {
    text::percent(mean.exp() - 1.0, 2)
}

fn ratio(value: f64) -> String {
    wordline_core::quantity::human(value, "1", 3)
}

/// The log and the fitted part, as the rows name them.
fn targets(document: &ResultSet) -> Option<(&str, &str)> {
    let is_log = |row: &&Row| row.basis == Basis::Measured;
    let log = document.rows.iter().find(is_log)?;
    let part = document.rows.iter().find(|row| !is_log(row))?;
    Some((
        text::without_kind(&log.target, TargetKind::Log).unwrap_or(&log.target),
        &part.target,
    ))
}

/// Access size of a row of a sweep.
fn size_of(row: &Row) -> Option<u64> {
    row.text(STATISTIC)?;
    let bytes = row.axes.get(&Axis::AccessBytes).and_then(text::numeric)?;
    Some(bytes as u64)
}

/// Operations and sizes of a sweep, in order.
fn sizes(document: &ResultSet) -> Vec<(RowOperation, u64)> {
    let rows = document.rows.iter();
    let mut sizes: Vec<_> = rows
        .filter_map(|row| Some((row.operation, size_of(row)?)))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn compared(document: &ResultSet) -> Vec<FitComparison<'_>> {
    let Some((_, part)) = targets(document) else {
        return Vec::new();
    };
    let line_of = |name: String, scored: bool, is_it: &dyn Fn(&Row) -> bool| {
        let of = |half: &str, is_part: bool| {
            document.rows.iter().find(|row| {
                row.text(HALF) == Some(half) && (row.target == part) == is_part && is_it(row)
            })
        };
        FitComparison {
            name,
            scored,
            first: [of(FIRST, false), of(FIRST, true)],
            second: [of(SECOND, false), of(SECOND, true)],
        }
    };
    let of_flash = OF_FLASH.iter().map(|(operation, statistic, name)| {
        line_of((*name).to_owned(), true, &|row| {
            [Metric::Endurance, Metric::LatencyMean].contains(&row.metric)
                && row.operation == *operation
                && row.text(STATISTIC) == Some(statistic)
        })
    });
    let line = |metric: Metric, rate: Option<f64>, name: String| {
        line_of(name, SCORED.contains(&metric), &|row| {
            row.metric == metric
                && row.text(STATISTIC).is_none()
                && row.axes.get(&RATE).and_then(text::numeric) == rate
        })
    };
    let has_value = |line: &FitComparison<'_>| {
        let of_log = [line.first[0], line.second[0]];
        of_log.into_iter().flatten().any(|row| row.value.is_some())
    };
    let of_sweep = sizes(document).into_iter().map(|(operation, bytes)| {
        let size = ByteCount::from_bytes(bytes);
        line_of(format!("{operation} of {size}"), true, &|row| {
            row.operation == operation && size_of(row) == Some(bytes)
        })
    });
    // RAM follows by rate.
    let figures = DURATIONS
        .iter()
        .map(|(metric, name)| line(*metric, None, (*name).to_owned()));
    let rates = document.rows.iter();
    let rates = ascending(rates.filter_map(|row| row.axes.get(&RATE).and_then(text::numeric)));
    let ram = rates.into_iter().map(|rate| {
        let name = format!("RAM at {}", text::rate(rate));
        line(Metric::RamPeakInFlight, Some(rate), name)
    });
    of_flash
        .chain(of_sweep)
        .chain(figures)
        .chain(ram)
        .filter(has_value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::fit as document;
    use crate::{Format, Style, answer, render};

    #[test]
    fn both_halves_stand_side_by_side_with_their_ratios() {
        let text = render(&document(1.1), Format::Table, &Style::default());
        for words in [
            "mine@b, fitted to the first half of card.log, misses it by 0 % on average",
            "predicts the second half within 10 %, at worst 1.1 times",
            "RAM at 500 KB/s",
            "1.10",
            "card.command_time",
        ] {
            assert!(text.contains(words), "{words} is missing: {text}");
        }
        assert!(!text.contains("far worse"), "{text}");
    }

    #[test]
    fn a_fit_that_does_not_predict_is_called_so() {
        let told = answer(&document(2.0)).join(" ");
        assert!(told.contains("far worse than it fits"), "{told}");
    }

    #[test]
    fn a_document_without_rows_is_no_accident() {
        let mut document = document(1.0);
        document.rows.clear();
        for format in [Format::Table, Format::Markdown, Format::Html, Format::Csv] {
            assert!(!render(&document, format, &Style::default()).is_empty());
        }
        assert!(sentences(&document).is_none());
    }
}
