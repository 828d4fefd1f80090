//! Why the numbers are what they are: what the slowest access consisted of, and where the time of
//! the run went, by cause.

use serde::Serialize;
use wordline_core::{Axis, Metric};

use super::bars::{BarPiece, BarScale, StackedBars};
use super::plot::Plot;
use crate::cause::{self, CauseMeaning};
use crate::pivot::{Pivot, PivotLine, Series, together};
use crate::text;

/// The section of the page; empty where nothing is split by cause.
#[derive(Default, Serialize)]
pub(crate) struct TimeBreakdown {
    /// How much of the time the driver takes, in words.
    pub(crate) sentences: Vec<String>,
    /// What each cause means.
    pub(crate) causes: Vec<CauseMeaning>,
    pub(crate) plots: Vec<Plot>,
}

/// Metrics that a cause splits: of which, what it is, and how the plot's axis reads.
const SPLIT: [(Metric, &str, &str); 2] = [
    (
        Metric::LatencyMaxPart,
        "slowest",
        "What the slowest access consisted of",
    ),
    (Metric::TimeShare, "share", "Where the time of the run went"),
];

pub(crate) fn section(pivot: &Pivot<'_>) -> TimeBreakdown {
    let series = &pivot.series();
    let names = causes(pivot);
    let targets = together(series.iter().collect(), |one| &one.head().target);
    let mut plots = Vec::new();
    for (number, of_target) in targets.iter().enumerate() {
        for (metric, id, heading) in SPLIT {
            let scales = match metric {
                Metric::TimeShare => vec![of_target.clone()],
                _ => scales(of_target),
            };
            for (scale, series) in scales.iter().enumerate() {
                let parts = parts(pivot, series, metric);
                let heading = match targets.len() {
                    1 => heading.to_owned(),
                    _ => format!("{heading}: {}", of_target[0].head().target),
                };
                let caption = match (metric, scale) {
                    (Metric::TimeShare, _) => "Share of the run's duration by cause.",
                    (_, 0) => "Duration of the slowest access by cause; the parts add up to it.",
                    _ => "The same of accesses that take far longer.",
                };
                let (title, length) = match metric {
                    Metric::TimeShare => ("share of the time", BarScale::Shares),
                    _ => ("duration", BarScale::Of(metric.unit())),
                };
                let busy = names.iter().filter(|cause| !cause.idle);
                let colors = busy.map(|one| (one.name.clone(), one.color));
                let mut id = format!("plot-{id}-by-cause-{}", number + 1);
                if scale > 0 {
                    id += &format!("-{}", scale + 1);
                }
                let stack = StackedBars {
                    id,
                    heading,
                    caption: caption.to_owned(),
                    title,
                    scale: length,
                    colors: colors.collect(),
                    pieces: parts,
                };
                plots.extend(stack.plot());
            }
        }
    }
    let sentences = series.iter().filter_map(|one| sentence(pivot, one));
    TimeBreakdown {
        sentences: sentences.collect(),
        causes: names,
        plots,
    }
}

/// The series in groups whose slowest accesses can be distinguished from zero on one linear axis, the fastest
/// group first.
fn scales<'a, 'p>(series: &[&'p Series<'a, 'p>]) -> Vec<Vec<&'p Series<'a, 'p>>> {
    let slowest = |one: &Series<'_, '_>| {
        let lines = one.lines.iter();
        let values = lines.filter_map(|line| line.number(Metric::LatencyMax));
        values.fold(0.0, f64::max)
    };
    let mut ascending: Vec<f64> = series.iter().map(|one| slowest(one)).collect();
    ascending.sort_by(f64::total_cmp);
    let mut starts: Vec<f64> = Vec::new();
    for value in ascending {
        if starts
            .last()
            .is_none_or(|start| value > SCALE_RANGE * start)
        {
            starts.push(value);
        }
    }
    let mut groups = vec![Vec::new(); starts.len()];
    for one in series {
        let group = starts.iter().rposition(|start| *start <= slowest(one));
        groups[group.unwrap_or(0)].push(*one);
    }
    groups
}

/// Every cause that occurs, in the order of the document.
fn causes(pivot: &Pivot<'_>) -> Vec<CauseMeaning> {
    let mut found: Vec<(&str, bool)> = Vec::new();
    for (metric, _, _) in SPLIT {
        for (cause, value) in pivot.lines.iter().flat_map(|line| line.parts(metric)) {
            match found.iter_mut().find(|(name, _)| *name == cause) {
                Some((_, busy)) => *busy |= value > 0.0,
                None => found.push((cause, value > 0.0)),
            }
        }
    }
    let causes = found.into_iter().enumerate();
    causes
        .map(|(index, (cause, busy))| CauseMeaning::of(cause, index, !busy))
        .collect()
}

/// Slowest accesses further apart than this are drawn on axes of their own.
const SCALE_RANGE: f64 = 100.0;

/// From this share of the time on, the driver is what to work on first.
const DRIVER_BOUND: f64 = 0.25;

/// "Writes of 2 KiB spend 34 % of their time in the driver; at 64 KiB it is 1.6 %."
fn sentence(pivot: &Pivot<'_>, series: &Series<'_, '_>) -> Option<String> {
    let share = |line: &PivotLine<'_>| {
        let mut parts = line.parts(Metric::TimeShare);
        let (_, share) = parts.find(|(cause, _)| *cause == "driver")?;
        Some((pivot.place(line), text::percent(share, 2), share))
    };
    let (place, percent, first_share) = share(series.lines.first()?)?;
    let head = series.head();
    let who = match (head.operation.name(), pivot.varying.target) {
        ("read", false) => "Reads".to_owned(),
        ("write", false) => "Writes".to_owned(),
        ("read" | "write", true) => format!("{}: {}s", head.target, head.operation),
        (other, false) => format!("Accesses ({})", text::words(other)),
        (other, true) => format!("{}: accesses ({})", head.target, text::words(other)),
    };
    let of = match pivot.along {
        Some(Axis::AccessBytes) => "of",
        _ => "at",
    };
    let who = match place.as_str() {
        "" => who,
        place => format!("{who} {of} {place}"),
    };
    let mut text = format!("{who} spend {percent} of their time in the driver (CPU-bound share)");
    if series.lines.len() > 1
        && let Some((place, percent, _)) = series.lines.last().and_then(|line| share(line))
    {
        text += &format!("; at {place} it is {percent}");
    }
    if first_share > DRIVER_BOUND {
        text += ". Where it is that much, larger accesses or a leaner driver help more than a faster \
                 memory";
    }
    Some(text::printable(&(text + ".")))
}

fn parts(pivot: &Pivot<'_>, series: &[&Series<'_, '_>], metric: Metric) -> Vec<BarPiece> {
    let mut parts = Vec::new();
    let series = series.iter();
    for (one, line) in series.flat_map(|one| one.lines.iter().map(move |line| (one, line))) {
        let place = pivot.place(line);
        let bar = format!("{} {place}", one.name_on_target);
        for (order, (cause, value)) in line.parts(metric).enumerate() {
            parts.push(BarPiece {
                bar: bar.trim_end().to_owned(),
                cause: cause::name(cause),
                order,
                value,
                text: text::number(metric, value, 3),
            });
        }
    }
    parts
}
