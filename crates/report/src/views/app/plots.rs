//! The plots of a program on other memories: how much faster with the band, and where each phase works on the curves of the
//! memories.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::{band, estimate, ranked, speed_up, times};
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::chart::{Chart, ChartAxis, ChartCurve, CurveShape};
use crate::html::plot::{DASHES, PALETTE, Plot, PlotSpec};
use crate::pivot::Pivot;
use crate::text;

/// More phases than this no reader follows; the tables hold the others.
const PHASES: usize = 6;

/// More memories than this no plot can distinguish.
const MEMORIES: usize = 6;

pub(super) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let curves = phases(pivot).into_iter().take(PHASES).enumerate();
    let curves = curves.filter_map(|(number, phase)| working_points(pivot, number, phase));
    speed_ups(pivot).into_iter().chain(curves).collect()
}

/// Every memory with its speed-up and the range of it, and what windows say that were simulated whole.
fn speed_ups(pivot: &Pivot<'_>) -> Option<Plot> {
    let lines = ranked(pivot);
    let mut has_simulated = false;
    let rows = lines.iter().filter_map(|line| {
        let value = speed_up(line)?;
        let ends = estimate(line, "band_low").zip(estimate(line, "band_high"));
        let words = match band(line) {
            Some(band) => format!("{} ({band})", times(value)),
            None => times(value),
        };
        let mut marks = vec![RowMark {
            series: 0,
            value: value - 1.0,
            text: format!("{words} times as fast"),
            label: Some(words),
            band: ends.map(|(low, high)| (low - 1.0, high - 1.0)),
        }];
        if let Some(value) = estimate(line, "cosimulated") {
            has_simulated = true;
            marks.push(RowMark {
                series: 1,
                value: value - 1.0,
                text: format!("{} times as fast", times(value)),
                label: Some(times(value)),
                band: None,
            });
        }
        Some(PlotRow {
            name: text::printable(pivot.short(line.head())),
            marks,
            words: None,
        })
    });
    let rows: Vec<PlotRow> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let mut series = vec![("by the surfaces".to_owned(), PALETTE[0])];
    if has_simulated {
        series.push(("windows simulated whole".to_owned(), PALETTE[1]));
    }
    let spec = RowSpec {
        hollow: if has_simulated { vec![1] } else { Vec::new() },
        title: "faster than on the baseline",
        unit: "%",
        logarithmic: false,
        ends: None,
        points: false,
        series,
        rows,
        rule: None,
    };
    let caption = "How many times as fast the program is as on its baseline. The line over a bar is the range that 90 % of all \
                   draws lie in; right is better."
        .to_owned();
    Some(Plot::new(
        "plot-speed-up".to_owned(),
        "How much faster".to_owned(),
        caption,
        PlotSpec::Rows(spec),
    ))
}

/// The phases, in the order of the document.
fn phases<'a>(pivot: &Pivot<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let on_curves = pivot.document.rows.iter().filter(|row| is(row, "surface"));
    for name in on_curves.filter_map(|row| row.text(Axis::Phase)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn is(row: &Row, estimate: &str) -> bool {
    row.text(Axis::Estimate) == Some(estimate)
}

/// Throughput and latency of rows in their order.
fn points<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<(f64, f64)> {
    let of = |metric: Metric| {
        let rows = rows.clone().filter(move |row| row.metric == metric);
        rows.filter_map(|row| row.value)
    };
    of(Metric::ThroughputMean)
        .zip(of(Metric::LatencyMean))
        .collect()
}

/// The curves of all memories at the place of a phase, each with the point that the phase works at.
fn working_points(pivot: &Pivot<'_>, number: usize, phase: &str) -> Option<Plot> {
    let rows = || {
        let rows = pivot.document.rows.iter();
        rows.filter(|row| row.text(Axis::Phase) == Some(phase))
    };
    let mut targets: Vec<&Row> = Vec::new();
    for row in rows().filter(|row| is(row, "surface")) {
        if !targets.iter().any(|other| other.target == row.target) {
            targets.push(row);
        }
    }
    let mut curves = Vec::new();
    for (place, head) in targets.iter().take(MEMORIES).enumerate() {
        let own = |estimate: &'static str| {
            rows().filter(move |row| row.target == head.target && is(row, estimate))
        };
        let module = pivot.short(head);
        let curve = |name: String, shape, points| ChartCurve {
            name,
            color: PALETTE[place % PALETTE.len()],
            dash: DASHES[place % DASHES.len()],
            shape,
            points,
        };
        curves.push(curve(
            module.to_owned(),
            CurveShape::Line,
            points(own("surface")),
        ));
        let shape = CurveShape::Signed {
            symbol: place,
            is_hollow: false,
        };
        let at = points(own("working_point"));
        curves.push(curve(format!("{phase} on {module}"), shape, at));
    }
    Chart {
        id: format!("plot-working-point-{}", number + 1),
        heading: format!("Where the program works: {phase}"),
        caption: "Mean time of a line over what a memory carries, at the phase's share of writes and of lines in order; down and \
                  to the right is better. The points are means of the phase: where its load varies they lie above the curves."
            .to_owned(),
        x: ChartAxis::linear("B/s", "read and written"),
        y: ChartAxis::linear("s", "mean time of a line"),
        curves,
        rules: Vec::new(),
    }
    .plot()
}
