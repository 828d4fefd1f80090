//! Throughput by threads and mix: bytes of the program and bytes of the bus apart, the best pass beside the median.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::of_test;
use super::trust::{grade, interval_words, refusal, sureness};
use crate::grid::{Column, Grid};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;

pub(super) const TEST: &str = "bandwidth";

/// Lines with a throughput, in the order of the document.
pub(super) fn lines<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let mut lines = of_test(pivot, TEST);
    lines.retain(|line| {
        rate(line)
            .or_else(|| line.number(Metric::ThroughputBest))
            .is_some()
    });
    lines
}

/// What a program moves: the median of windows, or what a tool states that has no windows.
pub(super) fn rate(line: &PivotLine<'_>) -> Option<f64> {
    line.number(metric(line))
}

pub(super) fn metric(line: &PivotLine<'_>) -> Metric {
    let all = [
        Metric::ThroughputP50,
        Metric::ThroughputMean,
        Metric::ThroughputBest,
    ];
    // A median that was refused is not replaced by the best pass.
    let mut known = all
        .into_iter()
        .filter(|metric| line.at(*metric, &[]).is_some());
    known.next().unwrap_or(Metric::ThroughputP50)
}

/// What the memory moves meanwhile, of a metric of the program's bytes: of `throughput_p50` the estimate `p50`.
fn bus<'a>(line: &PivotLine<'a>, of: Metric) -> Option<&'a Row> {
    let of = of.name().trim_start_matches("throughput_");
    line.at(Metric::BusThroughput, &[(Of(Axis::Estimate), of)])
}

/// "2 threads, 1:0".
pub(super) fn conditions(line: &PivotLine<'_>) -> String {
    let threads = line.coordinate(Axis::Threads).map(|threads| match threads {
        1.0 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    });
    let words = [
        threads,
        Some(traffic(line)).filter(|words| !words.is_empty()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// "1:1, plain stores"; reads alone store nothing.
pub(super) fn traffic(line: &PivotLine<'_>) -> String {
    let mix = line.field(Axis::Mix);
    match line.head().text(Axis::Stores).filter(|_| mix != "1:0") {
        Some(stores) if !mix.is_empty() => format!("{mix}, {stores}"),
        _ => mix,
    }
}

const BEST: &str = "best pass";

/// What the rates of all lines are: windows have a median, and tools state a mean or their best pass.
fn heading(lines: &[&PivotLine<'_>]) -> &'static str {
    let of = |line: &&PivotLine<'_>| match metric(line) {
        Metric::ThroughputMean => "mean",
        Metric::ThroughputBest => BEST,
        _ => "median",
    };
    let mut names = lines.iter().map(of);
    let first = names.next().unwrap_or("median");
    match names.all(|name| name == first) {
        true => first,
        false => "rate",
    }
}

pub(super) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let lines = lines(pivot);
    let told = |metric: Metric| move |line: &&PivotLine<'_>| line.told(metric);
    let keyed = |title: &str| {
        Tabulation::new(title.to_owned())
            .key_if_varying(Column::right("threads"), |line: &&PivotLine<'_>| {
                line.field(Axis::Threads)
            })
            .key(Column::left("mix"), |line| line.field(Axis::Mix))
            .key_if_varying(Column::left("stores"), |line| line.field(Axis::Stores))
    };
    // A tool that keeps its best pass alone has it in the first column.
    let only_best = heading(&lines) == BEST;
    let program = keyed("Bandwidth: bytes that a program moves")
        .figure(heading(&lines), |line| line.told(metric(line)))
        .figure("95 %", |line| interval_words(line, metric(line)))
        .figure("best pass", move |line| {
            line.told(Metric::ThroughputBest).filter(|_| !only_best)
        })
        .figure("10 %", told(Metric::ThroughputP10))
        .figure("90 %", told(Metric::ThroughputP90))
        .words("grade", |line| {
            grade(line).map(|(letter, _)| letter.to_string())
        });
    let of = |metric: Metric| {
        move |line: &&PivotLine<'_>| Some(text::value(bus(line, metric)?, text::DIGITS))
    };
    let moved = keyed("Bandwidth: bytes that the memory moves at most")
        .figure(heading(&lines), move |line| of(metric(line))(line))
        .figure("best pass", of(Metric::ThroughputBest));
    [program.lines(&lines), moved.lines(&lines)]
        .into_iter()
        .flatten()
        .collect()
}

/// The line that carries most.
pub(super) fn most<'p, 'a>(pivot: &'p Pivot<'a>) -> Option<&'p PivotLine<'a>> {
    let known = lines(pivot)
        .into_iter()
        .filter_map(|line| Some((rate(line)?, line)));
    known
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, line)| line)
}

/// "A program moves 12.3 GB/s at most (95 %: …; grade A: quiet machine), with 2 threads, 1:0."
pub(super) fn sentence(pivot: &Pivot<'_>) -> Option<String> {
    let Some(line) = most(pivot) else {
        let refused = !of_test(pivot, TEST).is_empty();
        let reason = refusal(pivot, TEST).map_or_else(String::new, |reason| format!(" {reason}"));
        return refused.then(|| format!("The bandwidth was refused.{reason}"));
    };
    let with = match conditions(line).as_str() {
        "" => String::new(),
        words => format!(" with {words}"),
    };
    Some(format!(
        "A program moves {}{with}{}.",
        text::rate(rate(line)?),
        sureness(line, metric(line))
    ))
}

/// What the best whole pass says of the same line, and what the bus carries. Interruptions are in a pass, and not in most of
/// the windows of 1 MiB that the median is of.
pub(super) fn best_sentence(pivot: &Pivot<'_>) -> Option<String> {
    let line = most(pivot)?;
    let best = line
        .number(Metric::ThroughputBest)
        .filter(|_| metric(line) != Metric::ThroughputBest);
    let best = best.map(|best| {
        let below = match rate(line) {
            Some(median) if best < median => {
                ", less than the median of windows of 1 MiB: a whole pass has the interruptions in it"
            }
            _ => "",
        };
        format!(
            "The best whole pass, as STREAM counts, moves {}{below}",
            text::rate(best)
        )
    });
    let moved = bus(line, metric(line)).and_then(|row| row.value);
    // What a plain store reads first is derived.
    let is_derived = matches!(line.head().text(Axis::Mix), Some("copy" | "triad"))
        && line.head().text(Axis::Stores) == Some("plain");
    let at_most = if is_derived { "at most " } else { "" };
    let moved =
        moved.map(|moved| format!("the memory itself moves {at_most}{}", text::rate(moved)));
    match (best, moved) {
        (Some(best), Some(moved)) => Some(format!("{best}; {moved}.")),
        (Some(one), None) | (None, Some(one)) => Some(format!("{}.", text::capital(&one))),
        (None, None) => None,
    }
}

pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    [sentence(pivot), best_sentence(pivot)]
        .into_iter()
        .flatten()
        .collect()
}
