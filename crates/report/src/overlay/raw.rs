//! Throughput of a raw memory over the size of its accesses.

use wordline_core::results::AxisValue;
use wordline_core::{Axis, Metric, ResultSet};

use super::curve::{OverlayCurve, OverlayFigure};
use super::kind::{OverlayKind, OverlayShape};
use crate::html::chart::ChartAxis;
use crate::pivot::{Pivot, Series};
use crate::{text, views};

pub(super) static RAW: OverlayKind = OverlayKind {
    id: "raw",
    name: "throughput over access size",
    heading: "Throughput over access size",
    caption: "What a raw memory carries in accesses of one size; up is better. The size's axis is logarithmic.",
    shape: OverlayShape::Curves {
        x: ChartAxis::logarithmic("B", "access size"),
        y: ChartAxis::linear("B/s", "throughput"),
        told_x: |bytes| text::coordinate(Axis::AccessBytes, &AxisValue::Number(bytes)),
        told_y: text::rate,
    },
    find,
    verb: "in accesses of {} the memory carries",
};

fn find(document: &ResultSet) -> Vec<OverlayCurve> {
    if crate::view::workload(document) != Some("raw") {
        return Vec::new();
    }
    let pivot = Pivot::of(document, views::RAW.keys);
    let series = pivot.series();
    series.iter().filter_map(curve).collect()
}

fn curve(series: &Series<'_, '_>) -> Option<OverlayCurve> {
    let places = series.lines.iter().filter_map(|line| {
        let size = line.coordinate(Axis::AccessBytes)?;
        let row = line.at(Metric::ThroughputMean, &[])?;
        Some((row.basis, (size, row.value?)))
    });
    let places: Vec<_> = places.collect();
    let (basis, _) = places.first()?;
    let points: Vec<(f64, f64)> = places.iter().map(|(_, place)| *place).collect();
    let most = points
        .iter()
        .map(|(_, rate)| *rate)
        .max_by(f64::total_cmp)?;
    Some(OverlayCurve {
        points,
        figures: vec![OverlayFigure::new(
            "carries at most",
            Metric::ThroughputMean,
            most,
        )],
        ..OverlayCurve::new(&series.head().target, &series.name_on_target, *basis)
    })
}
