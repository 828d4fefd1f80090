//! Single figures of memories, drawn as bars: bandwidth by mix, and latency without load.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric, ResultSet};

use super::curve::{OverlayCurve, OverlayFigure};
use super::kind::{OverlayKind, OverlayShape};
use crate::pivot::{Pivot, PivotLine, each, together};
use crate::views::DRAM;

pub(super) static BANDWIDTH: OverlayKind = OverlayKind {
    id: "bandwidth",
    name: "bandwidth by mix",
    heading: "Bandwidth by mix",
    caption: "Reads and writes together, by mix; longer is better.",
    shape: OverlayShape::Bars {
        title: "throughput",
        unit: "B/s",
    },
    find: bandwidth,
    verb: "the most that memory carries is",
};

pub(super) static IDLE: OverlayKind = OverlayKind {
    id: "idle",
    name: "latency without load",
    heading: "Latency without load",
    caption: "Duration of a read that waits for no other; shorter is better.",
    shape: OverlayShape::Bars {
        title: "latency",
        unit: "s",
    },
    find: idle,
    verb: "a read takes",
};

/// The lines of a test, whichever command ran it.
fn of_test<'p, 'a>(pivot: &'p Pivot<'a>, tests: &[&str]) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.head().text(Axis::Test).is_some_and(|test| tests.contains(&test)))
}

/// A bar for each mix: of several orders of addresses or numbers of threads the one that carries most.
fn bandwidth(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, DRAM.keys);
    let mut lines = of_test(&pivot, &["bandwidth"]);
    lines.retain(|line| line.number(Metric::ThroughputMean).is_some());
    let row = |line: &PivotLine<'_>| line.at(Metric::ThroughputMean, &[]).map(|row| row.basis);
    let groups = together(lines, |line| (line.head().target.clone(), row(line)));
    let curves = groups.iter().filter_map(|own| {
        let mixes = each(own, |line| line.field(Axis::Mix));
        let figures = mixes.iter().filter_map(|mix| {
            let all = own.iter().filter(|line| line.field(Axis::Mix) == *mix);
            let most = all.filter_map(|line| line.number(Metric::ThroughputMean)).max_by(f64::total_cmp)?;
            Some(OverlayFigure::new(mix.as_str(), Metric::ThroughputMean, most))
        });
        Some(OverlayCurve {
            figures: figures.collect(),
            ..OverlayCurve::new(&own[0].head().target, "", row(own[0])?)
        })
    });
    curves.collect()
}

/// Figures of a duration as bars name them, the one first that sentences compare.
const DURATIONS: [(Metric, &str); 3] = [
    (Metric::LatencyP50, "median"),
    (Metric::LatencyMean, "mean"),
    (Metric::LatencyP99, "99 % take up to"),
];

/// What a read takes without load. Of a sweep over sizes the largest one is the memory: smaller ones fit caches.
fn idle(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, DRAM.keys);
    let lines = of_test(&pivot, &["idle"]);
    let curves = lines.iter().filter_map(|line| {
        let row = |metric: Metric| -> Option<&Row> { line.at(metric, &[]) };
        let known = DURATIONS.into_iter().filter_map(|(metric, name)| {
            let row = row(metric)?;
            Some((row.basis, OverlayFigure::new(name, metric, row.value?)))
        });
        let (bases, figures): (Vec<_>, Vec<_>) = known.unzip();
        Some(OverlayCurve {
            figures,
            ..OverlayCurve::new(&line.head().target, "", *bases.first()?)
        })
    });
    curves.collect()
}
