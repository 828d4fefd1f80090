//! The plots of `wordline buffer`: RAM against the rate, durations and the fill of the buffer over
//! time, and the longest sequences.

use std::borrow::Cow;

use wordline_core::{Axis, Metric};

use super::stairs::stairs;
use super::{
    BufferCase, ESTIMATE, LEAST, MOST, RATE, arriving, asked_rates, estimated, fills, sustained,
};
use crate::html::chart::{
    Chart, ChartAxis, ChartCurve, ChartRule, CurveShape, RuleAxis, needs_logarithm, refined,
};
use crate::html::plot::{DASHES, PALETTE, Plot};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine};
use crate::text;

/// The most cases that are drawn; the tables hold the others.
const CASES: usize = 8;

/// The most rates whose fill is drawn in one plot.
const FILLS: usize = 4;

const SOLID: [u8; 4] = DASHES[0];
const DASHED: [u8; 4] = DASHES[1];
const DOTTED: [u8; 4] = DASHES[2];
const LONG: [u8; 4] = DASHES[4];

const BLACK: &str = "#000000";

pub(crate) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let cases = BufferCase::all_of(pivot);
    let asked = asked_rates(pivot.document);
    let several = cases.len() > 1;
    let mut plots = Vec::new();
    for (index, case) in cases.iter().take(CASES).enumerate() {
        let number = index + 1;
        let whose = |heading: &str| {
            if several {
                format!("{heading}: {}", case.name())
            } else {
                heading.to_owned()
            }
        };
        let charts = [
            ram(case, &asked),
            durations(case),
            fill(case),
            sequences(case),
        ];
        for mut chart in charts {
            chart.id = format!("plot-{}-{number}", chart.id);
            chart.heading = whose(&chart.heading);
            plots.extend(chart.plot());
        }
    }
    plots
}

/// The numbers of a curve.
fn points(curve: &super::Curve<'_>) -> Vec<(f64, f64)> {
    let points = curve.iter();
    points
        .filter_map(|(place, row)| Some((*place, row.value?)))
        .collect()
}

/// The colour of a column of the data sheet.
fn color(index: usize) -> &'static str {
    PALETTE[index % PALETTE.len()]
}

/// RAM with the record in flight against the rate: what a buffer must hold.
fn ram(case: &BufferCase<'_, '_>, asked: &[f64]) -> Chart {
    let mut curves = Vec::new();
    let mut rules = Vec::new();
    let metric = Metric::RamPeakInFlight;
    let mut coarse = "";
    for (index, run) in case.timings.iter().enumerate() {
        let timing = case.heading(run);
        let fluid = points(&arriving(run, metric, RATE, "fluid"));
        let record = match case.record_bytes() {
            // Between the rates that were examined, too.
            Some(bytes) if !fluid.is_empty() => stairs(&fluid, bytes),
            _ => points(&arriving(run, metric, RATE, "record")),
        };
        let [proven, least, most] = ["bound", LEAST, MOST]
            .map(|estimate| points(&estimated(run, metric, RATE, "record", estimate)));
        if !proven.is_empty() {
            coarse = " What is proven was examined at some rates alone, hence its coarse steps.";
        } else if !most.is_empty() {
            coarse = " A histogram leaves a range, examined at some rates alone.";
        }
        let mut curve = |name: &str, dash, shape, points| {
            curves.push(ChartCurve {
                name: format!("{timing}{name}"),
                color: color(index),
                dash,
                shape,
                points,
            });
        };
        curve("record", SOLID, CurveShape::StepBefore, record);
        curve("fluid", DOTTED, CurveShape::Line, refined(&fluid));
        curve("proven", DASHED, CurveShape::StepBefore, proven);
        // Between rates that were examined, the need lies between that of the one below and the one above.
        curve("least", DOTTED, CurveShape::StepAfter, least);
        curve("most", SOLID, CurveShape::StepBefore, most);
        rules.extend(sustained(run).map(|rate| ChartRule {
            axis: RuleAxis::X,
            at: rate,
            label: format!("{timing}limit: {}", text::rate(rate)),
            color: color(index),
            dash: LONG,
        }));
    }
    for rate in asked.iter().take(FILLS) {
        rules.push(ChartRule {
            axis: RuleAxis::X,
            at: *rate,
            label: format!("asked: {}", text::rate(*rate)),
            color: BLACK,
            dash: SOLID,
        });
    }
    Chart {
        id: "ram".to_owned(),
        heading: "RAM against input rate".to_owned(),
        caption: format!(
            "What the buffer must hold, the bytes being moved included, where whole records arrive or \
             single bytes (fluid); down is better. Above the limit no RAM is enough.{coarse} The RAM axis is \
             logarithmic."
        ),
        x: ChartAxis::linear("B/s", "input rate"),
        y: ChartAxis::logarithmic("B", "RAM"),
        curves,
        rules,
    }
}

/// The slowest access of each stretch of the run.
fn durations(case: &BufferCase<'_, '_>) -> Chart {
    let curves: Vec<_> = case
        .timings
        .iter()
        .enumerate()
        .map(|(index, run)| ChartCurve {
            name: format!("{}slowest access", case.heading(run)),
            color: color(index),
            dash: DASHES[index % DASHES.len()],
            shape: CurveShape::StepAfter,
            points: points(&run.along(Metric::LatencyMax, Axis::AtS, &[])),
        })
        .collect();
    let logarithmic = needs_logarithm(&curves);
    let axes = if logarithmic {
        " The duration's axis is logarithmic."
    } else {
        ""
    };
    Chart {
        id: "durations".to_owned(),
        heading: "Slowest accesses over time".to_owned(),
        caption: format!("The slowest access of each stretch of the run.{axes}"),
        x: ChartAxis::linear("s", "time since the first access"),
        y: ChartAxis {
            unit: "s",
            title: Cow::Borrowed("duration"),
            logarithmic,
        },
        curves,
        rules: Vec::new(),
    }
}

/// How full the buffer is over time at the rates that were asked for.
fn fill(case: &BufferCase<'_, '_>) -> Chart {
    let mut curves = Vec::new();
    for run in &case.timings {
        for (rate, line) in fills(run).into_iter().take(FILLS) {
            let index = curves.len();
            curves.push(ChartCurve {
                name: format!("{}{}", case.heading(run), text::rate(rate)),
                color: color(index),
                dash: DASHES[index % DASHES.len()],
                shape: CurveShape::Filled,
                points: points(&line),
            });
        }
    }
    Chart {
        id: "fill".to_owned(),
        heading: "Fill of the buffer over time".to_owned(),
        caption:
            "The highest fill of each stretch of the run where bytes arrive one by one, those \
                  being moved included."
                .to_owned(),
        x: ChartAxis::linear("s", "time since the first access"),
        y: ChartAxis::linear("B", "fill"),
        curves,
        rules: Vec::new(),
    }
}

/// How long so many accesses in a row take at most.
fn sequences(case: &BufferCase<'_, '_>) -> Chart {
    let mut curves = Vec::new();
    for (index, run) in case.timings.iter().enumerate() {
        let timing = case.heading(run);
        let metric = Metric::SequenceDurationMax;
        let longest = points(&run.along(metric, Axis::Accesses, &[]));
        let proven = points(&run.along(metric, Axis::Accesses, &[(Of(ESTIMATE), "bound")]));
        let mean = mean(run, &longest);
        let mut curve = |name: &str, dash, points| {
            curves.push(ChartCurve {
                name: format!("{timing}{name}"),
                color: color(index),
                dash,
                shape: CurveShape::Line,
                points,
            });
        };
        curve("longest", SOLID, longest);
        curve("mean", DOTTED, mean);
        curve("proven", DASHED, proven);
    }
    Chart {
        id: "sequences".to_owned(),
        heading: "Longest sequences".to_owned(),
        caption:
            "How long accesses in a row take at most, beside as many accesses of mean duration: \
                  where the two meet, slow accesses no longer matter. Both axes are logarithmic."
                .to_owned(),
        x: ChartAxis::logarithmic("accesses", "accesses in a row"),
        y: ChartAxis::logarithmic("s", "duration"),
        curves,
        rules: Vec::new(),
    }
}

/// As many accesses of mean duration.
fn mean(run: &PivotLine<'_>, longest: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = run.number(Metric::LatencyMean);
    let ends = [longest.first(), longest.last()];
    let counts = ends.into_iter().flatten().map(|(count, _)| *count);
    mean.map_or_else(Vec::new, |mean| {
        counts.map(|count| (count, count * mean)).collect()
    })
}
