//! RAM over the input rate, of simulated targets and of logs.

use wordline_core::{Axis, Metric, ResultSet};

use super::curve::{OverlayCurve, OverlayFigure};
use super::kind::{OverlayKind, OverlayShape};
use crate::html::chart::ChartAxis;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::views::{BUFFER, BufferCase, arriving};

pub(super) static RAM: OverlayKind = OverlayKind {
    id: "ram",
    name: "RAM over the input rate",
    heading: "RAM against input rate",
    caption: "What a buffer must hold, the record being moved included; down is better. The RAM axis is logarithmic.",
    shape: OverlayShape::Curves {
        x: ChartAxis::linear("B/s", "input rate"),
        y: ChartAxis::logarithmic("B", "RAM"),
        told_x: text::rate,
        told_y: |bytes| text::ram(bytes, text::DIGITS),
    },
    find,
    verb: "at {} a buffer needs",
};

fn find(document: &ResultSet) -> Vec<OverlayCurve> {
    if crate::view::workload(document) != Some(BUFFER.workload) {
        return Vec::new();
    }
    let pivot = Pivot::of(document, BUFFER.keys);
    let cases = BufferCase::all_of(&pivot);
    let runs = cases
        .iter()
        .flat_map(|case| case.timings.iter().map(move |run| (case, *run)));
    runs.filter_map(|(case, run)| curve(case, run)).collect()
}

fn curve(case: &BufferCase<'_, '_>, run: &PivotLine<'_>) -> Option<OverlayCurve> {
    let rows = arriving(run, Metric::RamPeakInFlight, Axis::RateBytesPerS, "record");
    let basis = rows.first()?.1.basis;
    let points = rows
        .iter()
        .filter_map(|(rate, row)| Some((*rate, row.value?)));
    let mut conditions = vec![text::words(case.head.operation.name())];
    conditions.extend(Some(case.record()).filter(|record| !record.is_empty()));
    conditions
        .extend(Some(case.heading(run).trim().to_owned()).filter(|timing| !timing.is_empty()));
    let limit = run.number(Metric::ThroughputMean);
    let figure = |rate| OverlayFigure::new("no RAM is enough above", Metric::ThroughputMean, rate);
    Some(OverlayCurve {
        points: points.collect(),
        figures: limit.map(figure).into_iter().collect(),
        ..OverlayCurve::new(
            &case.head.target,
            conditions.join(", ") + &case.conditions(),
            basis,
        )
    })
}
