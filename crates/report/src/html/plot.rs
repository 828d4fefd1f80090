//! Curves along an axis, as Vega-Lite specifications that carry their data.
//!
//! Colours are those of Okabe and Ito, which stay apart for the colour-blind; every curve has a
//! shape of point and a dash of its own as well, and points are open, so that two curves that
//! coincide both show.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use wordline_core::Metric;

use crate::pivot::{Pivot, Series};
use crate::text;

/// Okabe and Ito's palette without yellow, which is too pale on white.
pub(super) const PALETTE: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];
const SHAPES: [&str; 8] = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
];
const DASHES: [[u8; 4]; 5] = [
    [1, 0, 1, 0],
    [7, 4, 7, 4],
    [2, 3, 2, 3],
    [9, 3, 2, 3],
    [12, 3, 12, 3],
];

/// A figure of the page.
#[derive(Serialize)]
pub(super) struct Plot {
    /// Name of its element.
    id: String,
    heading: String,
    caption: String,
    /// What a reader who cannot see it is told.
    description: String,
    #[serde(skip)]
    spec: Value,
}

/// What a plot of a metric looks like.
struct Curve {
    metric: Metric,
    id: &'static str,
    heading: &'static str,
    caption: &'static str,
    logarithmic: bool,
}

const CURVES: [Curve; 3] = [
    Curve {
        metric: Metric::ThroughputMean,
        id: "plot-throughput",
        heading: "Throughput",
        caption: "Mean over the run; up is better.",
        logarithmic: false,
    },
    Curve {
        metric: Metric::LatencyMax,
        id: "plot-slowest",
        heading: "Slowest access",
        caption: "Duration of the slowest access of the run; down is better. Both axes are \
                  logarithmic.",
        logarithmic: true,
    },
    Curve {
        metric: Metric::EnergyPerByte,
        id: "plot-energy",
        heading: "Energy per byte",
        caption: "Energy of the run, divided by the bytes moved; down is better.",
        logarithmic: false,
    },
];

impl Plot {
    pub(super) fn new(id: String, heading: String, caption: String, spec: Value) -> Self {
        let heading = text::printable(&heading);
        let description = format!("Plot: {heading}. {caption} The tables hold the same values.");
        Self {
            id,
            heading,
            caption,
            description,
            spec,
        }
    }

    /// Where the plot goes and its specification, for the page's script.
    pub(super) fn spec(&self) -> Value {
        let mut spec = self.spec.clone();
        spec["width"] = "container".into();
        spec["autosize"] = json!({"type": "fit-x", "contains": "padding"});
        spec["background"] = "white".into();
        spec["description"] = self.description.clone().into();
        spec["config"] = config();
        json!({"id": self.id, "spec": spec})
    }
}

/// Sizes and colours that all plots share.
fn config() -> Value {
    json!({
        "font": "system-ui, sans-serif",
        "view": {"stroke": null},
        "axis": {
            "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
            "labelColor": "#222", "titleColor": "#222", "gridColor": "#e4e4e4",
            "domainColor": "#777", "tickColor": "#777",
        },
        "legend": {
            "orient": "top", "title": null, "labelFontSize": 12, "labelColor": "#222",
            "labelLimit": 280, "symbolSize": 110, "symbolStrokeWidth": 2,
        },
    })
}

/// A plot for each of the main metrics that the rows hold; none without an axis to draw along.
pub(super) fn curves(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Vec<Plot> {
    let Some(axis) = pivot.along else {
        return Vec::new();
    };
    let plots = CURVES.iter().filter_map(|curve| {
        let points = points(pivot, series, axis, curve);
        (!points.is_empty()).then(|| {
            let heading = format!("{} against {} size", curve.heading, text::axis_label(axis));
            let heading = match axis {
                "access_bytes" => heading,
                _ => format!("{} against {}", curve.heading, text::axis_label(axis)),
            };
            let spec = spec(axis, curve, series, &points);
            Plot::new(curve.id.to_owned(), heading, curve.caption.to_owned(), spec)
        })
    });
    plots.collect()
}

/// A point of a curve, with its coordinates as people read them.
#[derive(Serialize)]
struct Point {
    series: String,
    x: f64,
    y: f64,
    x_text: String,
    y_text: String,
}

/// A logarithmic axis has no place for zero.
fn points(pivot: &Pivot<'_>, series: &[Series<'_, '_>], axis: &str, curve: &Curve) -> Vec<Point> {
    let mut points = Vec::new();
    for (index, one) in series.iter().enumerate() {
        for line in &one.lines {
            let (Some(x), Some(y)) = (line.coordinate(axis), line.number(curve.metric)) else {
                continue;
            };
            if (curve.logarithmic && y <= 0.0) || (is_logarithmic(axis) && x <= 0.0) {
                continue;
            }
            points.push(Point {
                series: legend_name(series, index),
                x,
                y,
                x_text: pivot.place(line),
                y_text: text::number(curve.metric, y, 4),
            });
        }
    }
    points
}

/// A curve's name, which must be its own: two that print alike are numbered.
fn legend_name(series: &[Series<'_, '_>], index: usize) -> String {
    let name = &series[index].name;
    let before = series[..index].iter().filter(|one| one.name == *name);
    match before.count() {
        0 => text::printable(name),
        count => format!("{} ({})", text::printable(name), count + 1),
    }
}

/// Sizes double from point to point; other axes are drawn as they are.
fn is_logarithmic(axis: &str) -> bool {
    matches!(text::axis_unit(axis), Some((_, "B")))
}

fn spec(axis: &str, curve: &Curve, series: &[Series<'_, '_>], points: &[Point]) -> Value {
    let y_title = curve.heading.to_lowercase();
    let x_title = match axis {
        "access_bytes" => "access size".to_owned(),
        _ => text::axis_label(axis),
    };
    let y_scale = if curve.logarithmic {
        json!({"type": "log", "nice": true})
    } else {
        json!({"zero": true, "nice": true})
    };
    let tooltip = json!([
        {"field": "series", "type": "nominal", "title": "what"},
        {"field": "x_text", "type": "nominal", "title": x_title},
        {"field": "y_text", "type": "nominal", "title": y_title},
    ]);
    let channel = |range: Value| {
        let names: Vec<_> = (0..series.len()).map(|i| legend_name(series, i)).collect();
        let scale = json!({"domain": names, "range": range});
        let legend = match series.len() {
            1 => Value::Null,
            _ => json!({"columns": legend_columns(&names)}),
        };
        json!({"field": "series", "type": "nominal", "scale": scale, "legend": legend})
    };
    let looks = Looks::of(series);
    json!({
        "height": 260,
        "data": {"values": points},
        "encoding": {
            "x": {
                "field": "x", "type": "quantitative", "title": x_title,
                "scale": x_scale(axis, points), "axis": x_axis(axis, points),
            },
            "y": {
                "field": "y", "type": "quantitative", "title": y_title, "scale": y_scale,
                "axis": {"labelExpr": label(curve.metric.unit()), "labelOverlap": true,
                         "tickCount": 6},
            },
            "color": channel(json!(looks.colors)),
        },
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"strokeDash": channel(json!(looks.dashes))},
            },
            {
                "mark": {"type": "point", "filled": false, "size": 90, "strokeWidth": 2},
                "encoding": {"shape": channel(json!(looks.shapes)), "tooltip": tooltip},
            },
        ],
    })
}

/// How each curve is drawn.
struct Looks {
    colors: Vec<&'static str>,
    shapes: Vec<&'static str>,
    dashes: Vec<[u8; 4]>,
}

impl Looks {
    /// With several targets the colour tells the target and the dash the operation; with one, both
    /// tell the operation. The shape is each curve's own.
    fn of(series: &[Series<'_, '_>]) -> Self {
        let mut targets: Vec<&str> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        let place = |list: &mut Vec<_>, key| {
            list.iter().position(|one| *one == key).unwrap_or_else(|| {
                list.push(key);
                list.len() - 1
            })
        };
        let mut places = Vec::new();
        for one in series {
            let target = place(&mut targets, one.head().target.as_str());
            places.push((target, place(&mut names, one.name_on_target.as_str())));
        }
        let several = targets.len() > 1;
        let color = |(target, name): &(usize, usize)| {
            PALETTE[if several { *target } else { *name } % PALETTE.len()]
        };
        Self {
            colors: places.iter().map(color).collect(),
            shapes: (0..series.len())
                .map(|index| SHAPES[index % SHAPES.len()])
                .collect(),
            dashes: places
                .iter()
                .map(|(_, name)| DASHES[name % DASHES.len()])
                .collect(),
        }
    }
}

/// Short names stand side by side; long ones would be cut off on a narrow screen.
pub(super) fn legend_columns(names: &[String]) -> usize {
    match names.iter().map(|name| name.chars().count()).max() {
        Some(longest) if longest > 18 => 1,
        _ => 2,
    }
}

/// A little room on both sides, so that a single size has a scale too.
fn x_scale(axis: &str, points: &[Point]) -> Value {
    let low = points.iter().map(|point| point.x).fold(f64::MAX, f64::min);
    let high = points.iter().map(|point| point.x).fold(f64::MIN, f64::max);
    if is_logarithmic(axis) {
        json!({"type": "log", "base": 2, "nice": false, "domain": [low / 1.25, high * 1.25]})
    } else {
        json!({"zero": false, "nice": true})
    }
}

/// Ticks stand at the sizes that were run, for as long as they can be told apart.
fn x_axis(axis: &str, points: &[Point]) -> Value {
    let unit = text::axis_unit(axis).map_or("1", |(_, unit)| unit);
    let mut settings = json!({"labelExpr": label(unit), "labelOverlap": true, "labelFlush": false});
    let places: BTreeSet<u64> = points.iter().map(|point| point.x as u64).collect();
    if is_logarithmic(axis) && places.len() <= 12 {
        settings["values"] = json!(places);
    }
    settings
}

/// An expression that labels a value with its unit and a prefix, as the tables do.
pub(super) fn label(unit: &str) -> String {
    let steps: Vec<(f64, String)> = match unit {
        "1" => return "format(datum.value, '~g')".to_owned(),
        "B" => [(30, "GiB"), (20, "MiB"), (10, "KiB")]
            .map(|(power, unit)| (2f64.powi(power), unit.to_owned()))
            .into(),
        "1/s" => prefixed("/s"),
        "cycles" | "EUR" => return format!("format(datum.value, ',~r') + ' {unit}'"),
        _ => prefixed(unit),
    };
    let last = match unit {
        "1/s" => "/s",
        _ => unit,
    };
    let tail = format!("format(datum.value, '.6~g') + ' {last}'");
    let choice = |rest: String, (scale, unit): &(f64, String)| {
        // A tick may lie a rounding below its prefix.
        let from = scale * (1.0 - 1e-9);
        format!(
            "abs(datum.value) >= {from:e} ? format(datum.value / {scale:e}, '.6~g') + ' {unit}' : \
             {rest}"
        )
    };
    steps.iter().rev().fold(tail, choice)
}

/// Decimal prefixes, largest first; values below the last print without one only when zero.
fn prefixed(unit: &str) -> Vec<(f64, String)> {
    let kilo = if unit.starts_with('B') { "K" } else { "k" };
    [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, kilo),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
        (1e-12, "p"),
    ]
    .map(|(scale, prefix)| (scale, format!("{prefix}{unit}")))
    .into()
}
