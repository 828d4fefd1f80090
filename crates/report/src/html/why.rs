//! Why the numbers are what they are: what the slowest access consisted of, and where the time of
//! the run went, by cause.

use serde::Serialize;
use wordline_core::Metric;

use super::bars::{BarPiece, BarScale, StackedBars};
use super::plot::Plot;
use crate::pivot::{Pivot, PivotLine, Series};
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

#[derive(Serialize)]
pub(crate) struct CauseMeaning {
    pub(crate) name: String,
    pub(crate) meaning: &'static str,
    pub(crate) color: &'static str,
    /// Whether no time at all goes there.
    pub(crate) idle: bool,
}

/// Known causes, their meaning, and a colour that white text can be read on.
const CAUSES: [(&str, &str, &str); 14] = [
    (
        "driver",
        "driver code and DMA set-up on the host's processor",
        "#A84A00",
    ),
    (
        "bus_command",
        "opcode, address and dummy cycles on the bus",
        "#8F4A73",
    ),
    ("bus_data", "data on the bus", "#0072B2"),
    (
        "recovery",
        "the pause that the protocol asks for between transactions",
        "#7A5C00",
    ),
    (
        "poll",
        "what asking a busy chip for its status finds out late",
        "#555555",
    ),
    (
        "array_read",
        "the chip fetches data from its array",
        "#00704F",
    ),
    ("program", "the chip programs pages", "#B3261E"),
    ("erase", "the chip erases blocks", "#3B3B98"),
    (
        "cleaning",
        "a translation layer moves live pages out of blocks that it cleans",
        "#6A1B6A",
    ),
    (
        "merging",
        "a translation layer merges log blocks with the blocks that they change",
        "#8A2F4F",
    ),
    (
        "folding",
        "a translation layer moves pages from its SLC cache to native cells",
        "#2E6B2E",
    ),
    (
        "leveling",
        "a translation layer moves resting data so that blocks wear evenly",
        "#4A5A00",
    ),
    (
        "mapping",
        "a translation layer looks up or stores where pages are",
        "#1F5F6B",
    ),
    (
        "firmware",
        "the firmware of a card takes in commands",
        "#7A3E00",
    ),
];

/// Colours for causes that later workloads bring.
const FURTHER: [&str; 2] = ["#6B6B6B", "#2B5F8A"];

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
    let mut targets: Vec<&str> = Vec::new();
    for one in series {
        if !targets.contains(&one.head().target.as_str()) {
            targets.push(&one.head().target);
        }
    }
    let mut plots = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let of_target: Vec<_> = series
            .iter()
            .filter(|one| one.head().target == *target)
            .collect();
        for (metric, id, heading) in SPLIT {
            let scales = match metric {
                Metric::TimeShare => vec![of_target.clone()],
                _ => scales(&of_target),
            };
            for (scale, series) in scales.iter().enumerate() {
                let parts = parts(pivot, series, metric);
                let heading = match targets.len() {
                    1 => heading.to_owned(),
                    _ => format!("{heading}: {target}"),
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

/// The series in groups whose slowest accesses can be told from zero on one linear axis, the fastest
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
    let causes = found.into_iter().enumerate().map(|(index, (name, busy))| {
        let known = CAUSES.iter().find(|(cause, _, _)| *cause == name);
        let further = FURTHER[index % FURTHER.len()];
        let (_, meaning, color) = known.copied().unwrap_or((name, "", further));
        CauseMeaning {
            name: text::printable(&text::words(name)),
            meaning,
            color,
            idle: !busy,
        }
    });
    causes.collect()
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
        Some("access_bytes") => "of",
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
                cause: text::words(cause),
                order,
                value,
                text: text::number(metric, value, 3),
            });
        }
    }
    parts
}
