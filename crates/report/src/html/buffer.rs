//! The plots of `wordline buffer`: RAM against the rate, durations and the fill of the buffer over
//! time, and the longest sequences.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::chart::{Axis, Chart, Curve, Rule, Shape, refined};
use super::plot::{DASHES, LINEAR_RANGE, PALETTE, Plot};
use super::stairs::stairs;
use crate::buffer::{self, Case, ESTIMATE, LEAST, MOST, RATE, Run, asked_rates};
use crate::pivot::Pivot;
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

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    let pivot = Pivot::of(document);
    let cases = Case::all_of(&pivot);
    let asked = asked_rates(document);
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

/// Numbers of a metric along a curve.
fn points(curve: &buffer::Curve<'_, '_>, metric: Metric) -> Vec<(f64, f64)> {
    let points = curve.iter();
    points
        .filter_map(|(place, line)| Some((*place, line.number(metric)?)))
        .collect()
}

/// The colour of a column of the data sheet.
fn color(index: usize) -> &'static str {
    PALETTE[index % PALETTE.len()]
}

/// RAM with the record in flight against the rate: what a buffer must hold.
fn ram(case: &Case<'_, '_>, asked: &[f64]) -> Chart {
    let mut curves = Vec::new();
    let mut rules = Vec::new();
    let metric = Metric::RamPeakInFlight;
    let mut coarse = false;
    for (index, run) in case.runs.iter().enumerate() {
        let timing = case.heading(run);
        let fluid = points(&run.arriving(RATE, "fluid"), metric);
        let record = match case.record_bytes() {
            // Between the rates that were examined, too.
            Some(bytes) if !fluid.is_empty() => stairs(&fluid, bytes),
            _ => points(&run.arriving(RATE, "record"), metric),
        };
        let [proven, least, most] = ["bound", LEAST, MOST]
            .map(|estimate| points(&run.estimated(RATE, "record", estimate), metric));
        coarse |= [&proven, &least, &most].iter().any(|one| !one.is_empty());
        let mut curve = |name: &str, dash, shape, points| {
            curves.push(Curve {
                name: format!("{timing}{name}"),
                color: color(index),
                dash,
                shape,
                points,
            });
        };
        curve("record", SOLID, Shape::StepBefore, record);
        curve("fluid", DOTTED, Shape::Line, refined(&fluid));
        curve("proven", DASHED, Shape::StepBefore, proven);
        // Between rates that were examined, the need lies between that of the one below and the one above.
        curve("least", DOTTED, Shape::StepAfter, least);
        curve("most", SOLID, Shape::StepBefore, most);
        rules.extend(run.sustained().map(|rate| Rule {
            at: rate,
            label: format!("{timing}limit: {}", text::rate(rate)),
            color: color(index),
            dash: LONG,
        }));
    }
    for rate in asked.iter().take(FILLS) {
        rules.push(Rule {
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
             single bytes (fluid); down is better. Above the limit no RAM is enough.{} The RAM axis is \
             logarithmic.",
            if coarse {
                " What is proven, and the least and most of a histogram, were examined at some rates \
                 alone, hence their coarse steps."
            } else {
                ""
            }
        ),
        x: Axis {
            unit: "B/s",
            title: "input rate",
            logarithmic: false,
        },
        y: Axis {
            unit: "B",
            title: "RAM",
            logarithmic: true,
        },
        curves,
        rules,
    }
}

/// The slowest access of each stretch of the run.
fn durations(case: &Case<'_, '_>) -> Chart {
    let curves: Vec<_> = case
        .runs
        .iter()
        .enumerate()
        .map(|(index, run)| Curve {
            name: format!("{}slowest access", case.heading(run)),
            color: color(index),
            dash: DASHES[index % DASHES.len()],
            shape: Shape::StepAfter,
            points: points(&run.along("at_s", &[]), Metric::LatencyMax),
        })
        .collect();
    let values = curves.iter().flat_map(|curve| &curve.points);
    let positive = values.map(|(_, y)| *y).filter(|y| *y > 0.0);
    let (least, most) = positive.fold((f64::INFINITY, 0.0_f64), |(least, most), y| {
        (least.min(y), most.max(y))
    });
    let logarithmic = most > LINEAR_RANGE * least;
    let axes = if logarithmic {
        " The duration's axis is logarithmic."
    } else {
        ""
    };
    Chart {
        id: "durations".to_owned(),
        heading: "Slowest accesses over time".to_owned(),
        caption: format!("The slowest access of each stretch of the run.{axes}"),
        x: Axis {
            unit: "s",
            title: "time since the first access",
            logarithmic: false,
        },
        y: Axis {
            unit: "s",
            title: "duration",
            logarithmic,
        },
        curves,
        rules: Vec::new(),
    }
}

/// How full the buffer is over time at the rates that were asked for.
fn fill(case: &Case<'_, '_>) -> Chart {
    let mut curves = Vec::new();
    for run in &case.runs {
        for (rate, line) in run.fills().into_iter().take(FILLS) {
            let index = curves.len();
            curves.push(Curve {
                name: format!("{}{}", case.heading(run), text::rate(rate)),
                color: color(index),
                dash: DASHES[index % DASHES.len()],
                shape: Shape::Filled,
                points: points(&line, Metric::BufferFillMax),
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
        x: Axis {
            unit: "s",
            title: "time since the first access",
            logarithmic: false,
        },
        y: Axis {
            unit: "B",
            title: "fill",
            logarithmic: false,
        },
        curves,
        rules: Vec::new(),
    }
}

/// How long so many accesses in a row take at most.
fn sequences(case: &Case<'_, '_>) -> Chart {
    let mut curves = Vec::new();
    for (index, run) in case.runs.iter().enumerate() {
        let timing = case.heading(run);
        let metric = Metric::SequenceDurationMax;
        let longest = points(&run.along("accesses", &[]), metric);
        let proven = points(&run.along("accesses", &[(ESTIMATE, "bound")]), metric);
        let mean = mean(run, &longest);
        let mut curve = |name: &str, dash, points| {
            curves.push(Curve {
                name: format!("{timing}{name}"),
                color: color(index),
                dash,
                shape: Shape::Line,
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
        x: Axis {
            unit: "accesses",
            title: "accesses in a row",
            logarithmic: true,
        },
        y: Axis {
            unit: "s",
            title: "duration",
            logarithmic: true,
        },
        curves,
        rules: Vec::new(),
    }
}

/// As many accesses of mean duration.
fn mean(run: &Run<'_, '_>, longest: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let summary = run.summary(None);
    let mean = summary.and_then(|line| line.number(Metric::LatencyMean));
    let ends = [longest.first(), longest.last()];
    let counts = ends.into_iter().flatten().map(|(count, _)| *count);
    mean.map_or_else(Vec::new, |mean| {
        counts.map(|count| (count, count * mean)).collect()
    })
}
