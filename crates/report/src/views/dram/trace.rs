//! A trace that was replayed.

use wordline_core::Metric;

use super::{ModuleLines, greatest, idle, shares, with_bands};
use crate::answer::IN_WORDS;
use crate::cause;
use crate::grid::Grid;
use crate::pivot::PivotLine;
use crate::text;

const TEST: &str = "trace";

/// The least part of a difference that is told in words, as a share of it.
const LEAST: f64 = 0.02;

const FIGURES: [(Metric, &str); 15] = [
    (Metric::AccessCount, "reads"),
    (Metric::BytesMoved, "bytes moved"),
    (Metric::ReadShare, "bytes read"),
    (Metric::ThroughputMean, "throughput"),
    (Metric::LatencyMean, "a read takes"),
    (Metric::LatencyP50, "half take up to"),
    (Metric::LatencyP99, "99 % take up to"),
    (Metric::LatencyMax, "slowest"),
    (Metric::OutstandingMean, "lines under way"),
    (Metric::RowHitRate, "row hits"),
    (Metric::RowMissRate, "row misses"),
    (Metric::RowConflictRate, "row conflicts"),
    (Metric::BusUtilization, "bus use"),
    (Metric::PowerMean, "power of the modules"),
    (Metric::EnergyPerByte, "energy of a byte"),
];

pub(super) fn tables(view: &ModuleLines<'_, '_>) -> Vec<Grid> {
    let lines: Vec<_> = view.plain(TEST).collect();
    let on = |target: &str| ModuleLines::of_target(&lines, target);
    let table = view.by_target("The trace replayed".to_owned());
    let table = FIGURES.iter().fold(table, |table, (metric, name)| {
        table.figure(*name, |target| match metric {
            Metric::AccessCount => on(target)?.number(*metric).map(text::count),
            _ => on(target)?.told(*metric),
        })
    });
    let table = with_bands(view, TEST, table);
    let mut grids: Vec<Grid> = table.columns("what", &view.targets).into_iter().collect();
    grids.extend(idle::parts(view, "What the mean read consists of", &lines));
    let named: Vec<_> = lines
        .iter()
        .map(|line| (vec![view.short(&line.head().target).to_owned()], *line))
        .collect();
    grids.extend(shares(
        view,
        "What requests waited for",
        &["module"],
        &named,
        Metric::WaitShare,
    ));
    grids
}

/// "a@s: 1234 reads, each taking 130 ns on average and 1.20 us at most; the trace moves 3.1 GB/s."
pub(super) fn sentences(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let sentence = |line: &PivotLine<'_>| {
        let number = |metric| Some(text::number(metric, line.number(metric)?, text::DIGITS));
        let reads = line.number(Metric::AccessCount)?;
        let mut text = format!("{}: {reads:.0} reads", line.head().target);
        if let (Some(mean), Some(most)) = (number(Metric::LatencyMean), number(Metric::LatencyMax))
        {
            text += &format!(", each taking {mean} on average and {most} at most");
        }
        if let Some(rate) = number(Metric::ThroughputMean) {
            text += &format!("; the trace moves {rate}");
        }
        Some(text + ".")
    };
    let lines: Vec<_> = view.plain(TEST).collect();
    let mut sentences: Vec<String> = lines.iter().filter_map(|line| sentence(line)).collect();
    if let Some((first, others)) = lines.split_first() {
        let others = others.iter().take(IN_WORDS);
        sentences.extend(others.filter_map(|other| compared(view, first, other)));
    }
    sentences
}

/// "A read takes 11.8 ns less on b than on a: bank busy -9.10 ns, refresh +1.20 ns."
fn compared<'a>(
    view: &ModuleLines<'a, '_>,
    first: &PivotLine<'a>,
    other: &PivotLine<'a>,
) -> Option<String> {
    let mean = |line: &PivotLine<'_>| line.number(Metric::LatencyMean);
    let off = mean(other)? - mean(first)?;
    let part = |line: &PivotLine<'_>, cause| {
        let row = line.row(Metric::LatencyMeanPart, Some(cause));
        row.and_then(|row| row.value).unwrap_or(0.0)
    };
    let parts = other.parts(Metric::LatencyMeanPart);
    let parts = parts.map(|(cause, seconds)| (cause, seconds - part(first, cause)));
    let told: Vec<_> = greatest(parts, LEAST * off.abs())
        .iter()
        .map(|(cause, seconds)| {
            let sign = if *seconds < 0.0 { '-' } else { '+' };
            format!("{} {sign}{}", cause::name(cause), idle::time(seconds.abs()))
        })
        .collect();
    let than = if off < 0.0 { "less" } else { "more" };
    let (one, another) = (&other.head().target, &first.head().target);
    (!told.is_empty() && off.is_finite()).then(|| {
        format!(
            "A read takes {} {than} on {} than on {}: {}.",
            idle::time(off.abs()),
            view.short(one),
            view.short(another),
            told.join(", ")
        )
    })
}
