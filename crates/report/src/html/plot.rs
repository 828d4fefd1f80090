//! Curves along an axis, as Vega-Lite specifications that carry their data.
//!
//! Colours are those of Okabe and Ito, which stay apart for the colour-blind; every curve has a
//! shape of point and a dash of its own as well, and points are open, so that two curves that
//! coincide both show.

use serde::Serialize;
use serde_json::{Value, json};
use wordline_core::Metric;

use super::axis;
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
pub(super) const DASHES: [[u8; 4]; 5] = [
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
        caption: "Duration of the slowest access of the run; down is better.",
        logarithmic: true,
    },
    Curve {
        metric: Metric::EnergyPerByte,
        id: "plot-energy",
        heading: "Energy per byte",
        caption: "Energy of the memory alone, the host excluded, divided by the bytes moved; down is \
                  better.",
        logarithmic: false,
    },
];

/// Values that lie further apart than this cannot be told from zero on a linear axis.
pub(super) const LINEAR_RANGE: f64 = 40.0;

impl Curve {
    /// The curve with an axis that shows all of its values.
    fn fitted(&self, series: &[Series<'_, '_>]) -> Self {
        let lines = series.iter().flat_map(|one| &one.lines);
        let values = lines.filter_map(|line| line.number(self.metric));
        let (least, most) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
                (least.min(value), most.max(value))
            });
        Self {
            logarithmic: self.logarithmic || most > LINEAR_RANGE * least,
            ..*self
        }
    }
}

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
    let Some(along) = pivot.along else {
        return Vec::new();
    };
    let axis = axis_name(along);
    let plots = CURVES.iter().map(|curve| curve.fitted(series));
    let plots = plots.filter_map(|curve| {
        let curve = &curve;
        let points = points(pivot, series, along, curve);
        (!points.is_empty()).then(|| {
            let heading = format!("{} against {axis}", curve.heading);
            let caption = match coinciding(&points).as_slice() {
                [] => String::new(),
                [(one, other)] => format!(" The curves of {other} and {one} coincide."),
                _ => " Several curves coincide.".to_owned(),
            };
            let axes = if curve.logarithmic {
                " Both axes are logarithmic."
            } else {
                ""
            };
            let caption = format!("{}{axes}{caption}", curve.caption);
            let spec = spec(along, curve, series, &points);
            Plot::new(curve.id.to_owned(), heading, caption, spec)
        })
    });
    plots.collect()
}

/// The axis along the curves as a title.
fn axis_name(along: &str) -> String {
    match along {
        "access_bytes" => "access size".to_owned(),
        _ => text::axis_label(along),
    }
}

/// A point of a curve, with its coordinates as people read them.
#[derive(Serialize)]
struct Point {
    series: String,
    x: f64,
    y: f64,
    x_text: String,
    y_text: String,
    /// Of the line and of the point. A target's later curves are thinner and their points smaller,
    /// so that they lie on the first one without hiding it.
    width: f64,
    size: u32,
}

/// A logarithmic axis has no place for zero.
fn points(pivot: &Pivot<'_>, series: &[Series<'_, '_>], along: &str, curve: &Curve) -> Vec<Point> {
    let mut points = Vec::new();
    for (index, one) in series.iter().enumerate() {
        let target = &one.head().target;
        let later = series[..index]
            .iter()
            .any(|one| one.head().target == *target);
        for line in &one.lines {
            let (Some(x), Some(y)) = (line.coordinate(along), line.number(curve.metric)) else {
                continue;
            };
            if (curve.logarithmic && y <= 0.0) || (axis::is_logarithmic(along) && x <= 0.0) {
                continue;
            }
            points.push(Point {
                series: legend_name(series, index),
                x,
                y,
                x_text: pivot.place(line),
                y_text: text::number(curve.metric, y, 4),
                width: if later { 2.0 } else { 4.5 },
                size: if later { 70 } else { 170 },
            });
        }
    }
    points
}

/// Curves that lie on an earlier one to the eye, each with the earlier one.
fn coinciding(points: &[Point]) -> Vec<(&str, &str)> {
    let mut curves: Vec<(&str, Vec<&Point>)> = Vec::new();
    for point in points {
        match curves.iter_mut().find(|(name, _)| *name == point.series) {
            Some((_, curve)) => curve.push(point),
            None => curves.push((&point.series, vec![point])),
        }
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 0.005 * a.abs().max(b.abs());
    let same = |a: &[&Point], b: &[&Point]| {
        let mut pairs = a.iter().zip(b);
        a.len() == b.len() && pairs.all(|(a, b)| a.x == b.x && near(a.y, b.y))
    };
    let mut found = Vec::new();
    for (index, (name, curve)) in curves.iter().enumerate() {
        let mut earlier = curves[..index].iter();
        if let Some((other, _)) = earlier.find(|(_, other)| same(curve, other)) {
            found.push((*name, *other));
        }
    }
    found
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

fn spec(along: &str, curve: &Curve, series: &[Series<'_, '_>], points: &[Point]) -> Value {
    let (x_title, y_title) = (axis_name(along), curve.heading.to_lowercase());
    let tooltip = json!([
        {"field": "series", "type": "nominal", "title": "what"},
        {"field": "x_text", "type": "nominal", "title": x_title},
        {"field": "y_text", "type": "nominal", "title": y_title},
    ]);
    let names: Vec<_> = (0..series.len()).map(|i| legend_name(series, i)).collect();
    // Colours are the same in every plot; the legend of each names the curves that it has.
    let drawn = |name: &&String| points.iter().any(|point| point.series == **name);
    let drawn: Vec<_> = names.iter().filter(drawn).cloned().collect();
    let channel = |range: Value| channel(&names, &drawn, range);
    let as_is = |field: &str| json!({"field": field, "type": "quantitative", "scale": null, "legend": null});
    let looks = Looks::of(series);
    let xs: Vec<f64> = points.iter().map(|point| point.x).collect();
    let ys: Vec<f64> = points.iter().map(|point| point.y).collect();
    json!({
        "height": 260,
        "data": {"values": points},
        "encoding": {
            "x": axis::along(along, &x_title, &xs),
            "y": axis::values(curve.metric.unit(), &y_title, &ys, curve.logarithmic),
            "color": channel(json!(looks.colors)),
        },
        "layer": [
            {
                "mark": {"type": "line"},
                "encoding": {
                    "strokeDash": channel(json!(looks.dashes)),
                    "strokeWidth": as_is("width"),
                },
            },
            {
                "mark": {"type": "point", "filled": false, "strokeWidth": 2, "opacity": 1},
                "encoding": {
                    "shape": channel(json!(looks.shapes)),
                    "size": as_is("size"),
                    "tooltip": tooltip,
                },
            },
        ],
    })
}

/// The channel that tells curves apart, with a legend of those that are drawn.
pub(super) fn channel(names: &[String], drawn: &[String], range: Value) -> Value {
    let mut legend = json!({"columns": legend_columns(drawn)});
    if drawn.len() < names.len() {
        legend["values"] = json!(drawn);
    }
    let scale = json!({"domain": names, "range": range});
    json!({"field": "series", "type": "nominal", "scale": scale, "legend": legend})
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

/// Short names stand side by side; what is longer would be cut off on a narrow screen.
pub(super) fn legend_columns(names: &[String]) -> usize {
    let widths = names.iter().map(|name| name.chars().count() + 4);
    if widths.clone().sum::<usize>() <= 34 {
        names.len()
    } else if widths.max().unwrap_or(0) <= 19 {
        2
    } else {
        1
    }
}
