//! Latency over the working set: where the caches of machines end, and what lies behind them.

use wordline_core::results::AxisValue;
use wordline_core::{Axis, Metric, ResultSet};

use super::curve::OverlayCurve;
use super::kind::{OverlayKind, OverlayShape};
use crate::html::chart::ChartAxis;
use crate::pivot::Pivot;
use crate::text;
use crate::views::{self, HOST};

pub(super) static WORKING_SET: OverlayKind = OverlayKind {
    id: "working-set",
    name: "latency over the working set",
    heading: "Latency over the working set",
    caption: "What a load takes over the bytes that loads go over; each step is the end of a cache. The axes are \
              logarithmic.",
    shape: OverlayShape::Curves {
        x: ChartAxis::logarithmic("B", "working set"),
        y: ChartAxis::logarithmic("s", "latency"),
        told_x: |bytes| text::coordinate(Axis::WorkingSetBytes, &AxisValue::Number(bytes)),
        told_y: |seconds| text::number(Metric::LatencyP50, seconds, text::DIGITS),
    },
    find,
    verb: "over {} a load takes",
};

fn find(document: &ResultSet) -> Vec<OverlayCurve> {
    let pivot = Pivot::of(document, HOST.keys);
    let curves = views::working_set_curves(&pivot).into_iter();
    // Other orders than programs' own are for the machine's own report.
    let curves = curves.filter(|curve| curve.points.len() > 1 && curve.is_random());
    let found = curves.filter_map(|curve| {
        let points = curve
            .points
            .iter()
            .filter_map(|(bytes, line)| Some((*bytes, views::latency(line)?)));
        let head = curve.points.first()?.1.head();
        Some(OverlayCurve {
            points: points.collect(),
            ..OverlayCurve::new(&head.target, curve.name(), head.basis)
        })
    });
    found.collect()
}
