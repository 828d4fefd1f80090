//! Latency under load: simulated, measured here, imported, and the measured curve that `dram loaded --against` holds its
//! simulation against.

use wordline_core::{Axis, Basis, Metric, ResultSet};

use super::curve::{OverlayCurve, OverlayFigure};
use super::kind::{OverlayKind, OverlayShape};
use crate::html::chart::ChartAxis;
use crate::pivot::LineField::Of;
use crate::pivot::{At, Pivot};
use crate::text;
use crate::views::{DRAM, LoadCurve, curves};

pub(super) static LOADED: OverlayKind = OverlayKind {
    id: "loaded",
    name: "latency under load",
    heading: "Latency over throughput",
    caption: "Mean duration of a read while other cores load the memory; down and to the right is better.",
    shape: OverlayShape::Curves {
        x: ChartAxis::linear("B/s", "throughput"),
        y: ChartAxis::linear("s", "mean latency"),
        told_x: text::rate,
        told_y: |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS),
    },
    find,
    verb: "at {} a read takes",
};

/// The points of a measured curve that a simulation was held against.
const AGAINST: &At = &[(Of(Axis::Estimate), "measured")];

fn find(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, DRAM.keys);
    let curves = curves(&pivot);
    curves
        .iter()
        .flat_map(|curve| [Some(own(curve)), against(curve)])
        .flatten()
        .collect()
}

fn own(curve: &LoadCurve<'_, '_>) -> OverlayCurve {
    let points = curve.points.iter();
    let points = points.filter_map(|point| Some((point.throughput()?, point.latency()?)));
    let basis = curve
        .points
        .iter()
        .find_map(|point| Some(point.line.at(Metric::LatencyMean, &[])?.basis));
    let (knee, at_knee) = curve.knee.unzip();
    let most = curve.most();
    let figures = [
        ("idle", Metric::LatencyMean, curve.idle),
        ("knee at", Metric::ThroughputMean, knee),
        ("latency at the knee", Metric::LatencyMean, at_knee),
        (
            match curve.is_saturated() {
                true => "carries at most",
                false => "greatest load",
            },
            Metric::ThroughputMean,
            most.and_then(|point| point.throughput()),
        ),
        (
            "latency there",
            Metric::LatencyMean,
            most.and_then(|point| point.latency()),
        ),
    ];
    let figures = figures.into_iter();
    OverlayCurve {
        points: points.collect(),
        figures: figures
            .filter_map(|(name, metric, value)| Some(OverlayFigure::new(name, metric, value?)))
            .collect(),
        ..OverlayCurve::new(
            curve.target,
            curve.conditions(),
            basis.unwrap_or(Basis::Simulated),
        )
    }
}

fn against(curve: &LoadCurve<'_, '_>) -> Option<OverlayCurve> {
    let places = curve.points.iter().filter_map(|point| {
        let row = point.line.at(Metric::LatencyMean, AGAINST)?;
        Some((row.basis, (point.throughput()?, row.value?)))
    });
    let places: Vec<(Basis, (f64, f64))> = places.collect();
    let (basis, _) = places.first()?;
    Some(OverlayCurve {
        points: places.iter().map(|(_, place)| *place).collect(),
        ..OverlayCurve::new(curve.target, curve.conditions(), *basis)
    })
}
