//! Surfaces: latency over lines outstanding for programs, a line for each curve and one for each of its points.

use wordline_core::{Axis, Metric};

use super::{MODULE, Of, of_test, time};
use crate::pivot::{Pivot, PivotLine, together};
use crate::text;
use crate::view::FigureOf::{At, Made, Precise};
use crate::view::{FigureColumn, Key, LineTable, figure};

pub(super) const TEST: &str = "surface";

/// What lines of a curve are like.
const CONDITIONS: [Axis; 3] = [Axis::WriteShare, Axis::Locality, Axis::Imbalance];

const KEYS: &[Key] = &[
    MODULE,
    Key::Always(Of(Axis::WriteShare)),
    Key::Always(Of(Axis::Locality)),
    Key::Always(Of(Axis::Imbalance)),
];

const POINT_KEYS: &[Key] = &[
    MODULE,
    Key::Always(Of(Axis::WriteShare)),
    Key::Always(Of(Axis::Locality)),
    Key::Always(Of(Axis::Imbalance)),
    Key::Always(Of(Axis::Point)),
];

/// A line for each curve: an idle memory, its knee, and what it carries at most.
pub(super) const CURVES: LineTable = LineTable {
    title: "Latency of a line by what lines are like{place}",
    lines: curves,
    keys: KEYS,
    figures: &[
        of_point("idle", |pivot, line| Some(time(first(pivot, line)?.0))),
        figure("knee at", At(Metric::ThroughputKnee, &[])),
        figure("latency there", At(Metric::LatencyKnee, &[])),
        of_point("carries at most", |pivot, line| {
            Some(text::rate(most(pivot, line)?.1))
        }),
        of_point("latency there", |pivot, line| {
            Some(time(most(pivot, line)?.0))
        }),
        of_point("lines there", |pivot, line| {
            Some(text::count(most(pivot, line)?.2.round()))
        }),
    ],
    ..LineTable::EMPTY
};

/// Every point.
pub(super) const POINTS: LineTable = LineTable {
    title: "The points of the surface{place}",
    lines: |pivot| {
        let mut lines = of_test(pivot, TEST);
        lines.retain(|line| line.axis(Axis::Point).is_some());
        lines
    },
    keys: POINT_KEYS,
    figures: &[
        figure("lines under way", At(Metric::OutstandingMean, &[])),
        figure("a line takes", Precise(Metric::LineLatencyMean, &[])),
        figure("\u{b1}", Made(|_, line| error(line).map(time))),
        figure("a read", At(Metric::LatencyMean, &[])),
        figure("half of the reads up to", At(Metric::LatencyP50, &[])),
        figure("p99", At(Metric::LatencyP99, &[])),
        figure("carries", At(Metric::ThroughputMean, &[])),
        figure("power", At(Metric::PowerMean, &[])),
    ],
    ..LineTable::EMPTY
};

const fn of_point(
    name: &'static str,
    of: fn(&Pivot<'_>, &PivotLine<'_>) -> Option<String>,
) -> FigureColumn {
    figure(name, Made(of))
}

/// The lines of whole curves.
pub(super) fn curves<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let mut lines = of_test(pivot, TEST);
    lines.retain(|line| line.axis(Axis::Point).is_none());
    lines
}

/// Half the width of a point's interval, in seconds.
fn error(line: &PivotLine<'_>) -> Option<f64> {
    let high = &[(Of(Axis::Estimate), "confidence_high")];
    let high = line.at(Metric::LineLatencyMean, high)?.value?;
    Some(high - line.number(Metric::LineLatencyMean)?)
}

/// Latency in seconds, throughput in B/s and lines outstanding.
type CurvePlace = (f64, f64, f64);

/// A place of a curve.
type OfCurve = fn(&Pivot<'_>, &PivotLine<'_>) -> Option<CurvePlace>;

/// The places of a curve's points, in their order.
fn points(pivot: &Pivot<'_>, curve: &PivotLine<'_>) -> Vec<CurvePlace> {
    let same = |line: &&PivotLine<'_>| {
        line.axis(Axis::Point).is_some()
            && line.head().target == curve.head().target
            && CONDITIONS
                .into_iter()
                .all(|axis| line.axis(axis) == curve.axis(axis))
    };
    let lines = of_test(pivot, TEST).into_iter().filter(same);
    let points = lines.filter_map(|line| {
        Some((
            line.number(Metric::LineLatencyMean)?,
            line.number(Metric::ThroughputMean)?,
            line.number(Metric::OutstandingMean)?,
        ))
    });
    points.collect()
}

fn first(pivot: &Pivot<'_>, curve: &PivotLine<'_>) -> Option<CurvePlace> {
    points(pivot, curve).into_iter().next()
}

/// The point that carries most.
fn most(pivot: &Pivot<'_>, curve: &PivotLine<'_>) -> Option<CurvePlace> {
    let points = points(pivot, curve).into_iter();
    points.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// "a@s: 36 curves over lines outstanding. A line takes 102 ns (0 % writes, …) to 140 ns of an idle memory. …".
pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let of_targets = together(curves(pivot), |line| line.head().target.as_str());
    let sentence = |curves: &Vec<&PivotLine<'_>>| {
        let target = &curves.first()?.head().target;
        let count = curves.len();
        let all = |of: OfCurve| {
            let all = curves.iter().filter_map(|curve| of(pivot, curve));
            all.collect::<Vec<_>>()
        };
        let (idle, most) = (all(first), all(most));
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let idle: Vec<f64> = idle.iter().map(|point| point.0).collect();
        let rates: Vec<f64> = most.iter().map(|point| point.1).collect();
        let range = |low: String, high: String| match low == high {
            true => low,
            false => format!("{low} to {high}"),
        };
        let s = if count == 1 { "" } else { "s" };
        Some(format!(
            "{target}: {count} curve{s} over lines outstanding. Idle, a line takes {}; at most the modules carry {}.",
            range(time(least(&idle)), time(greatest(&idle))),
            range(text::rate(least(&rates)), text::rate(greatest(&rates))),
        ))
    };
    of_targets.iter().filter_map(sentence).collect()
}
