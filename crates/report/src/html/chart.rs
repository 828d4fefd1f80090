//! Curves of numbers against numbers with vertical rules, as Vega-Lite specifications: what the plots
//! of workloads with axes of their own are made from.

use serde_json::{Value, json};

use super::axis;
use super::plot::{Plot, channel};
use crate::text;

/// More points than this no screen can show.
const MOST_POINTS: usize = 2_000;

/// Straight curves with few points show them.
const MARKED: usize = 16;

/// Curves with few enough points tell them to a pointer.
const TOLD: usize = 250;

/// Height of a plot in pixels, and of the name of a rule within it.
const HEIGHT: usize = 300;
const LABEL: usize = 16;

/// A plot of curves.
pub(super) struct Chart {
    pub(super) id: String,
    pub(super) heading: String,
    pub(super) caption: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) curves: Vec<Curve>,
    pub(super) rules: Vec<Rule>,
}

/// An axis of a plot.
pub(super) struct Axis {
    pub(super) unit: &'static str,
    pub(super) title: &'static str,
    pub(super) logarithmic: bool,
}

/// A curve, ascending in x unless it is a path.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) color: &'static str,
    pub(super) dash: [u8; 4],
    pub(super) shape: Shape,
    pub(super) points: Vec<(f64, f64)>,
}

/// What a curve does between its points.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// It is straight.
    Line,
    /// A value holds for what lies below its point.
    StepBefore,
    /// A value holds from its point on; the room below is filled.
    Filled,
    /// A value holds from its point on.
    StepAfter,
    /// It is straight from point to point in their order, back in x as well.
    Path,
}

impl Shape {
    const fn interpolation(self) -> &'static str {
        match self {
            Self::Line | Self::Path => "linear",
            Self::StepBefore => "step-before",
            Self::Filled | Self::StepAfter => "step-after",
        }
    }
}

/// A vertical line with its name.
pub(super) struct Rule {
    pub(super) at: f64,
    pub(super) label: String,
    pub(super) color: &'static str,
    pub(super) dash: [u8; 4],
}

impl Chart {
    /// The plot; `None` where there is nothing to draw.
    pub(super) fn plot(mut self) -> Option<Plot> {
        let (x_log, y_log) = (self.x.logarithmic, self.y.logarithmic);
        for curve in &mut self.curves {
            curve.name = text::printable(&curve.name);
            let drawn = |(x, y): &(f64, f64)| {
                let finite = x.is_finite() && y.is_finite();
                finite && (!x_log || *x > 0.0) && (!y_log || *y > 0.0)
            };
            curve.points.retain(drawn);
            curve.points = fewer(&curve.points);
        }
        self.curves.retain(|curve| !curve.points.is_empty());
        self.rules
            .retain(|rule| rule.at.is_finite() && (!x_log || rule.at > 0.0));
        if self.curves.is_empty() {
            return None;
        }
        let spec = self.spec();
        Some(Plot::new(self.id, self.heading, self.caption, spec))
    }

    fn spec(&self) -> Value {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let mut xs: Vec<f64> = points().map(|(x, _)| *x).collect();
        xs.extend(self.rules.iter().map(|rule| rule.at));
        let ys: Vec<f64> = points().map(|(_, y)| *y).collect();
        let x = axis::scaled("x", self.x.unit, self.x.title, &xs, self.x.logarithmic);
        let mut y = axis::scaled("y", self.y.unit, self.y.title, &ys, self.y.logarithmic);
        self.make_room(&mut y["scale"]["domain"]);
        let names: Vec<_> = self.curves.iter().map(|curve| curve.name.clone()).collect();
        let colors: Vec<_> = self.curves.iter().map(|curve| curve.color).collect();
        let dashes: Vec<_> = self.curves.iter().map(|curve| curve.dash).collect();
        let lines = |range: Value| {
            let mut channel = channel(&names, &names, range);
            // Long enough to tell dashes from dots.
            channel["legend"]["symbolType"] = "stroke".into();
            channel["legend"]["symbolSize"] = 900.into();
            channel
        };
        let (color, dash) = (lines(json!(colors)), lines(json!(dashes)));
        let mut layers = Vec::new();
        for curve in &self.curves {
            layers.extend(self.layers(curve, &color, &dash));
        }
        layers.extend(self.rule_layers(&xs));
        json!({
            "height": HEIGHT,
            "encoding": {"x": x, "y": y},
            "layer": layers,
        })
    }

    /// Room above the curves for the names of the rules, on a logarithmic axis.
    fn make_room(&self, domain: &mut Value) {
        let ends = (domain[0].as_f64(), domain[1].as_f64());
        if let (true, (Some(low), Some(high))) = (self.y.logarithmic, ends) {
            let names = (LABEL * self.rules.len()).min(HEIGHT / 2) as f64;
            let room = names / (HEIGHT as f64 - names);
            domain[1] = (high * (high / low).powf(room)).into();
        }
    }

    fn layers(&self, curve: &Curve, color: &Value, dash: &Value) -> Vec<Value> {
        let points = curve.points.iter().enumerate().map(|(index, (x, y))| {
            json!({
                "series": curve.name, "x": x, "y": y, "place": index,
                "x_text": told(*x, self.x.unit), "y_text": told(*y, self.y.unit),
            })
        });
        let data = json!({"values": points.collect::<Vec<_>>()});
        let interpolate = curve.shape.interpolation();
        let mut layers = Vec::new();
        if curve.shape == Shape::Filled {
            layers.push(json!({
                "data": data,
                "mark": {"type": "area", "interpolate": interpolate, "color": curve.color, "opacity": 0.15},
                "encoding": {"y": {"field": "y", "type": "quantitative", "stack": null}},
            }));
        }
        let mut encoding = json!({"color": color, "strokeDash": dash});
        if curve.shape == Shape::Path {
            encoding["order"] = json!({"field": "place", "type": "quantitative"});
        }
        layers.push(json!({
            "data": data,
            "mark": {"type": "line", "interpolate": interpolate, "strokeWidth": 2},
            "encoding": encoding,
        }));
        if curve.points.len() <= TOLD {
            let few = curve.shape == Shape::Line && curve.points.len() <= MARKED;
            let marked = few || curve.shape == Shape::Path;
            let opacity = if marked { 1.0 } else { 0.0 };
            let tooltip = json!([
                {"field": "series", "type": "nominal", "title": "what"},
                {"field": "x_text", "type": "nominal", "title": self.x.title},
                {"field": "y_text", "type": "nominal", "title": self.y.title},
            ]);
            layers.push(json!({
                "data": data,
                "mark": {"type": "point", "filled": true, "size": 24, "opacity": opacity, "color": curve.color},
                "encoding": {"tooltip": tooltip},
            }));
        }
        layers
    }

    /// Rules with their names at the top, one below the other, each on the side that has room. Names
    /// on the left of their rule stand the higher the further right it is, and the other way round,
    /// so that no rule crosses the name of another.
    fn rule_layers(&self, xs: &[f64]) -> Vec<Value> {
        let least = xs.iter().copied().fold(f64::INFINITY, f64::min);
        let most = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let middle = if self.x.logarithmic {
            (least * most).sqrt()
        } else {
            f64::midpoint(least.min(0.0), most)
        };
        let (mut right, mut left): (Vec<&Rule>, Vec<&Rule>) =
            self.rules.iter().partition(|rule| rule.at > middle);
        right.sort_by(|a, b| b.at.total_cmp(&a.at));
        left.sort_by(|a, b| a.at.total_cmp(&b.at));
        let (mut layers, mut labels) = (Vec::new(), Vec::new());
        for (index, rule) in right.into_iter().chain(left).enumerate() {
            let data = json!({"values": [{"x": rule.at, "label": text::printable(&rule.label)}]});
            layers.push(json!({
                "data": data,
                "mark": {"type": "rule", "color": rule.color, "strokeDash": rule.dash, "strokeWidth": 1.5},
                "encoding": {"y": {"value": LABEL * index}, "y2": {"value": HEIGHT}},
            }));
            let (align, dx) = if rule.at > middle {
                ("right", -5)
            } else {
                ("left", 5)
            };
            let mark = json!({
                "type": "text", "align": align, "dx": dx, "baseline": "middle", "fontSize": 12,
                "color": rule.color, "y": LABEL / 2 + LABEL * index,
            });
            // White around the letters keeps them readable on curves.
            let mut halo = mark.clone();
            halo["stroke"] = "white".into();
            halo["strokeWidth"] = 4.into();
            let encoding = json!({"y": null, "text": {"field": "label", "type": "nominal"}});
            labels.extend(
                [halo, mark].map(|mark| json!({"data": data, "mark": mark, "encoding": encoding})),
            );
        }
        layers.extend(labels);
        layers
    }
}

fn told(value: f64, unit: &str) -> String {
    match unit {
        "B" => text::ram(value, 4),
        "accesses" => format!("{value:.0}"),
        _ => wordline_core::quantity::human(value, unit, 4),
    }
}

/// A curve of so many points that a screen can show them: of each stretch the highest point stays.
fn fewer(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(MOST_POINTS);
    let highest = |points: &[(f64, f64)]| {
        let points = points.iter().copied();
        points.max_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    points.chunks(stretch).filter_map(highest).collect()
}

/// A straight curve bends on a logarithmic axis: more points between those that lie far apart.
pub(super) fn refined(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PIECES: u32 = 8;
    const FAR: f64 = 1.3;
    let mut refined: Vec<(f64, f64)> = Vec::new();
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        refined.push((x0, y0));
        if y1 > FAR * y0 && points.len() * PIECES as usize <= MOST_POINTS {
            refined.extend((1..PIECES).map(|piece| {
                let share = f64::from(piece) / f64::from(PIECES);
                (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
            }));
        }
    }
    refined.extend(points.last());
    refined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_curves_keep_their_peaks() {
        let points: Vec<_> = (0..50_000)
            .map(|x| (f64::from(x), if x == 33_333 { 9.0 } else { 1.0 }))
            .collect();
        let fewer = fewer(&points);
        assert!(fewer.len() <= MOST_POINTS);
        assert!(fewer.contains(&(33_333.0, 9.0)));
    }

    #[test]
    fn refined_curves_pass_through_their_points() {
        let points = [(0.0, 1.0), (1.0, 100.0), (2.0, 101.0)];
        let refined = refined(&points);
        assert_eq!(refined.len(), 10);
        assert!(points.iter().all(|point| refined.contains(point)));
    }
}
