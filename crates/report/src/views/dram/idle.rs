//! Latency without load, and what it consists of.

use wordline_core::Metric;

use super::{ModuleLines, with_bands};
use crate::cause;
use crate::grid::Grid;
use crate::pivot::{PivotLine, each};
use crate::text;

const TEST: &str = "idle";

/// What the rows say, top to bottom.
const FIGURES: [(Metric, &str); 7] = [
    (Metric::LatencyMean, "mean"),
    (Metric::LatencyP50, "half take up to"),
    (Metric::LatencyP90, "90 % take up to"),
    (Metric::LatencyP99, "99 % take up to"),
    (Metric::LatencyP999, "99.9 % take up to"),
    (Metric::LatencyMax, "slowest"),
    (Metric::PowerMean, "power of the modules"),
];

pub(super) fn tables(view: &ModuleLines<'_, '_>) -> Vec<Grid> {
    let lines: Vec<_> = view.plain(TEST).collect();
    let on = |target: &str| ModuleLines::of_target(&lines, target);
    let table = view.by_target("Latency without load".to_owned());
    let table = FIGURES.iter().fold(table, |table, (metric, name)| {
        table.figure(*name, |target| {
            Some(text::value(on(target)?.row(*metric, None)?, 4))
        })
    });
    let table = with_bands(view, TEST, table);
    let mut grids: Vec<Grid> = table.columns("a read", &view.targets).into_iter().collect();
    grids.extend(parts(view, "What latency without load consists of", &lines));
    grids
}

/// What the mean latencies of some lines consist of.
pub(super) fn parts(
    view: &ModuleLines<'_, '_>,
    title: &str,
    lines: &[&PivotLine<'_>],
) -> Option<Grid> {
    let causes = causes(lines).into_iter();
    let table = causes.fold(view.by_target(title.to_owned()), |table, part| {
        table.figure(cause::name(part), move |target| {
            let line = ModuleLines::of_target(lines, target)?;
            let row = line.row(Metric::LatencyMeanPart, Some(part))?;
            Some(text::value(row, text::DIGITS))
        })
    });
    table.columns("part", &view.targets)
}

/// The parts that take any time, the fixed ones first.
fn causes<'a>(lines: &[&PivotLine<'a>]) -> Vec<&'a str> {
    let parts = lines
        .iter()
        .flat_map(|line| line.parts(Metric::LatencyMeanPart));
    let parts: Vec<_> = parts.filter(|(_, seconds)| seconds.abs() > 5e-13).collect();
    let mut causes = each(&parts, |(cause, _)| *cause);
    let place = |cause: &str| match cause {
        "on_chip" | "buffer" => 0,
        "activate" => 1,
        "cas" | "burst" => 2,
        _ => 3,
    };
    causes.sort_by_key(|cause| (place(cause), cause::place(cause)));
    causes
}

/// "rdimm: a read takes 102 ns without load: on-chip path 61.0 ns, …".
pub(super) fn sentences(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let lines: Vec<_> = view.plain(TEST).collect();
    let sentence = |line: &&PivotLine<'_>| {
        let mean = line.number(Metric::LatencyMean)?;
        let mut parts: Vec<(&str, f64)> = line.parts(Metric::LatencyMeanPart).collect();
        parts.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let told = parts.iter().filter(|(_, seconds)| *seconds >= 0.01 * mean);
        let told: Vec<_> = told
            .map(|(part, seconds)| format!("{} {}", cause::name(part), time(*seconds)))
            .collect();
        let target = &line.head().target;
        let mut sentence = format!("{target}: a read takes {} without load", time(mean));
        if !told.is_empty() {
            sentence += &format!(": {}", told.join(", "));
        }
        Some(sentence + ".")
    };
    lines.iter().filter_map(sentence).collect()
}

pub(super) fn time(seconds: f64) -> String {
    text::number(Metric::LatencyMean, seconds, text::DIGITS)
}
