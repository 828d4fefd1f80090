//! Single figures of memories, drawn as bars: bandwidth by mix, and latency without load.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric, ResultSet};

use super::curve::{OverlayCurve, OverlayFigure};
use super::kind::{OverlayKind, OverlayShape};
use crate::pivot::{ANY, Pivot, PivotLine, each, together};
use crate::views::{DRAM, memory_line};

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
    verb: "at {} memory carries",
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
    verb: "without load a read takes a {} of",
};

/// The lines of a test, whichever command ran it.
fn of_test<'p, 'a>(pivot: &'p Pivot<'a>, test: &str) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.head().text(Axis::Test) == Some(test))
}

/// A bar for each mix: of several orders of addresses, numbers of threads or kinds of stores the one that carries most.
fn bandwidth(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, DRAM.keys);
    let mut lines = of_test(&pivot, "bandwidth");
    lines.retain(|line| carried(line).is_some());
    let basis = |line: &PivotLine<'_>| carried(line).map(|row| row.basis);
    let groups = together(lines, |line| (line.head().target.clone(), basis(line)));
    let curves = groups.iter().filter_map(|own| {
        let mixes = each(own, |line| line.field(Axis::Mix));
        let figures = mixes.iter().filter_map(|mix| {
            let all = own.iter().filter(|line| line.field(Axis::Mix) == *mix);
            let rates = all.filter_map(|line| carried(line)?.value);
            let most = rates.max_by(f64::total_cmp)?;
            Some(OverlayFigure::new(
                mix.as_str(),
                Metric::ThroughputMean,
                most,
            ))
        });
        Some(OverlayCurve {
            figures: figures.collect(),
            ..OverlayCurve::new(&own[0].head().target, "", basis(own[0])?)
        })
    });
    curves.collect()
}

/// The bytes that the memory moves, as simulations count them; where nothing says so those that the program moves.
fn carried<'a>(line: &PivotLine<'a>) -> Option<&'a Row> {
    let moved = ["p50", "mean", ANY];
    let mut moved = moved.into_iter().filter_map(|of| {
        let at = [(Axis::Estimate.into(), of)];
        line.at(Metric::BusThroughput, &at)
    });
    let own = [
        Metric::BusThroughput,
        Metric::ThroughputP50,
        Metric::ThroughputMean,
        Metric::ThroughputBest,
    ];
    let own = || own.into_iter().find_map(|metric| line.at(metric, &[]));
    moved
        .find(|row| row.value.is_some())
        .or_else(own)
        .filter(|row| row.value.is_some())
}

/// Figures of a duration as bars name them, the one first that sentences compare.
const DURATIONS: [(Metric, &str); 3] = [
    (Metric::LatencyP50, "median"),
    (Metric::LatencyMean, "mean"),
    (Metric::LatencyP99, "99 % take up to"),
];

/// What a read takes without load: modules alone, and the largest working set of a machine, which is no cache.
fn idle(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, DRAM.keys);
    let mut lines = of_test(&pivot, "idle");
    let measured = together(of_test(&pivot, "latency"), |line| {
        line.head().target.as_str()
    });
    lines.extend(measured.into_iter().filter_map(memory_line));
    let curves = lines.iter().filter_map(|line| {
        let known = DURATIONS.into_iter().filter_map(|(metric, name)| {
            let row = line.at(metric, &[])?;
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
