//! The plots of the page as specifications of Vega-Lite, for notebooks and whatever else draws those. They hold the same
//! points, names and colours; a specification brings its data and needs no network.

use serde_json::{Map, Value, json};
use wordline_core::ResultSet;

use crate::html::bars::{RowSpec, StackSpec};
use crate::html::chart::{ChartAxis, ChartCurve, CurveShape, CurveSpec, RuleAxis};
use crate::html::heat::HeatSpec;
use crate::html::plot::{Plot, PlotSpec};
use crate::view::Shown;

/// The version of Vega-Lite that the specifications are written in.
const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";

/// A chart.
#[derive(Clone, Debug)]
pub struct VegaLiteChart {
    /// Its name, which the page's plot has as well.
    pub id: String,
    /// What stands above it.
    pub heading: String,
    /// The specification, with its data.
    pub spec: Value,
}

/// The plots of a document, in the order of the page: the curves first, then where the time goes.
#[must_use]
pub fn vega_lite(document: &ResultSet) -> Vec<VegaLiteChart> {
    let shown = Shown::of(document);
    let plots = shown.plots().into_iter().chain(shown.why().plots);
    plots.map(|plot| chart(&plot)).collect()
}

fn chart(plot: &Plot) -> VegaLiteChart {
    let drawn = match plot.spec() {
        PlotSpec::Curves(spec) => curves(spec),
        PlotSpec::Stack(spec) => stack(spec),
        PlotSpec::Rows(spec) => rows(spec),
        PlotSpec::Heat(spec) => heat(spec),
    };
    let mut spec = Map::new();
    spec.insert("$schema".into(), SCHEMA.into());
    spec.insert("title".into(), plot.heading().into());
    spec.insert("description".into(), plot.caption().into());
    spec.insert("width".into(), 560.into());
    spec.extend(drawn);
    VegaLiteChart {
        id: plot.id().to_owned(),
        heading: plot.heading().to_owned(),
        spec: Value::Object(spec),
    }
}

/// A title with its unit.
fn titled(title: &str, unit: &str) -> String {
    match unit {
        "" | "1" => title.to_owned(),
        unit => format!("{title} ({unit})"),
    }
}

/// The format of numbers on an axis: shares in percent, others with the prefixes of SI.
fn number_format(unit: &str) -> &'static str {
    match unit {
        "" | "%" => ".0%",
        _ => "~s",
    }
}

fn number_axis(field: &str, axis: &ChartAxis) -> Value {
    let scale = match axis.logarithmic {
        true => json!({"type": "log"}),
        false => json!({"type": "linear", "zero": true}),
    };
    json!({
        "field": field, "type": "quantitative", "scale": scale,
        "title": titled(&axis.title, axis.unit), "axis": {"format": number_format(axis.unit)},
    })
}

/// Data of a mark that is drawn once: without any it would not be drawn at all.
fn once() -> Value {
    json!({"values": [{}]})
}

/// Names and colours as a scale, in their order.
fn colors<'a>(field: &str, all: impl Iterator<Item = (&'a str, &'static str)>) -> Value {
    let (names, range): (Vec<&str>, Vec<&str>) = all.unzip();
    json!({
        "field": field, "type": "nominal", "title": null,
        "scale": {"domain": names, "range": range},
        "legend": {"orient": "bottom", "columns": 2, "labelLimit": 320},
    })
}

fn curves(spec: &CurveSpec) -> Map<String, Value> {
    let named = || spec.curves.iter().map(|one| (one.name.as_str(), one.color));
    let color = colors("curve", named());
    let mut layers: Vec<Value> = spec
        .curves
        .iter()
        .map(|one| curve(one, spec, &color))
        .collect();
    for rule in &spec.rules {
        let (channel, axis) = match rule.axis {
            RuleAxis::X => ("x", &spec.x),
            RuleAxis::Y => ("y", &spec.y),
        };
        let mut place = number_axis("at", axis);
        if let Value::Object(place) = &mut place {
            place.remove("field");
            place.insert("datum".into(), rule.at.into());
        }
        let text = match rule.axis {
            RuleAxis::X => {
                json!({"type": "text", "align": "left", "baseline": "top", "dx": 4, "text": rule.label})
            }
            RuleAxis::Y => {
                json!({"type": "text", "align": "left", "baseline": "bottom", "dy": -2, "text": rule.label})
            }
        };
        let other = match rule.axis {
            RuleAxis::X => json!({"x": place, "y": {"value": 0}}),
            RuleAxis::Y => json!({"y": place, "x": {"value": 4}}),
        };
        let line = json!({"type": "rule", "color": rule.color, "strokeDash": rule.dash});
        layers.push(json!({"data": once(), "mark": line, "encoding": {channel: place}}));
        layers.push(json!({"data": once(), "mark": text, "encoding": other}));
    }
    object(json!({"height": 320, "layer": layers}))
}

fn curve(curve: &ChartCurve, spec: &CurveSpec, color: &Value) -> Value {
    let points = curve.points.iter().enumerate();
    let values: Vec<Value> = points
        .map(|(order, (x, y))| json!({"curve": curve.name, "x": x, "y": y, "order": order}))
        .collect();
    let open = || json!({"filled": false, "fill": "white"});
    let (interpolate, point) = match curve.shape {
        CurveShape::Line if curve.points.len() > MARKED => ("linear", json!(false)),
        CurveShape::Line | CurveShape::Path | CurveShape::Marked { .. } => ("linear", open()),
        CurveShape::Signed {
            is_hollow: true, ..
        } => ("linear", open()),
        CurveShape::Signed { .. } => ("linear", json!({"filled": true, "size": 80})),
        // A step of one point alone has no length.
        CurveShape::StepBefore if curve.points.len() == 1 => ("step-before", open()),
        CurveShape::StepBefore => ("step-before", json!(false)),
        CurveShape::StepAfter | CurveShape::Filled => ("step-after", json!(false)),
    };
    let mark = match curve.shape {
        CurveShape::Filled => {
            json!({"type": "area", "interpolate": interpolate, "opacity": 0.3, "line": true})
        }
        _ => json!({
            "type": "line", "interpolate": interpolate, "strokeDash": curve.dash,
            "point": point,
        }),
    };
    let mut encoding = json!({
        "x": number_axis("x", &spec.x), "y": number_axis("y", &spec.y), "color": color,
        "tooltip": [
            {"field": "curve", "type": "nominal"},
            {"field": "x", "type": "quantitative", "title": titled(&spec.x.title, spec.x.unit), "format": ".4~s"},
            {"field": "y", "type": "quantitative", "title": titled(&spec.y.title, spec.y.unit), "format": ".4~s"},
        ],
    });
    if !matches!(curve.shape, CurveShape::Filled) {
        encoding["order"] = json!({"field": "order", "type": "quantitative"});
    }
    json!({"data": {"values": values}, "mark": mark, "encoding": encoding})
}

/// Points from which a curve has no marks.
const MARKED: usize = 40;

fn stack(spec: &StackSpec) -> Map<String, Value> {
    let values: Vec<Value> = spec
        .pieces
        .iter()
        .enumerate()
        .filter_map(|(order, piece)| {
            let (bar, cause, value, text) = piece.parts();
            let (cause, _) = spec.series.get(cause)?;
            Some(json!({
                "bar": spec.bars.get(bar)?, "cause": cause, "value": value, "text": text, "order": order,
            }))
        })
        .collect();
    let is_share = spec.unit.is_empty();
    let color = colors(
        "cause",
        spec.series
            .iter()
            .map(|(name, color)| (name.as_str(), *color)),
    );
    object(json!({
        "height": {"step": 24}, "data": {"values": values}, "mark": "bar",
        "encoding": {
            "y": {"field": "bar", "type": "nominal", "sort": null, "title": null, "axis": {"labelLimit": 320}},
            "x": {
                "field": "value", "type": "quantitative", "title": titled(spec.title, spec.unit),
                "stack": if is_share { "normalize" } else { "zero" },
                "axis": {"format": number_format(spec.unit)},
            },
            "color": color,
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": [
                {"field": "bar", "type": "nominal"}, {"field": "cause", "type": "nominal"},
                {"field": "text", "type": "nominal", "title": "value"},
            ],
        },
    }))
}

fn rows(spec: &RowSpec) -> Map<String, Value> {
    let mut values = Vec::new();
    let mut words = Vec::new();
    for row in &spec.rows {
        for (place, mark) in row.marks.iter().enumerate() {
            let series = spec.series.get(mark.series).map(|(name, _)| name.as_str());
            values.push(json!({
                "row": row.name, "series": series, "place": place, "value": mark.value, "text": mark.text,
                "low": mark.band.map(|band| band.0), "high": mark.band.map(|band| band.1),
                "hollow": spec.hollow.contains(&mark.series),
            }));
        }
        if let (Some(text), true) = (&row.words, row.marks.is_empty()) {
            words.push(json!({"row": row.name, "text": text}));
        }
    }
    let mut scale = match spec.logarithmic {
        true => json!({"type": "log"}),
        false => json!({"type": "linear"}),
    };
    if let Some((low, high)) = spec.ends {
        scale["domain"] = json!([low, high]);
        scale["clamp"] = true.into();
    }
    let names: Vec<&str> = spec.rows.iter().map(|row| row.name.as_str()).collect();
    let y = json!({
        "field": "row", "type": "nominal", "sort": names, "scale": {"domain": names},
        "title": null, "axis": {"labelLimit": 320},
    });
    // Bars of one series in a row, such as those of two timing classes, stand side by side as well.
    let is_repeated = spec.rows.iter().any(|row| {
        let mut seen = Vec::new();
        row.marks.iter().any(|mark| {
            seen.push(mark.series);
            seen[..seen.len() - 1].contains(&mark.series)
        })
    });
    let beside = if is_repeated { "place" } else { "series" };
    let offset = json!({"field": beside, "type": "nominal", "sort": null});
    let x = json!({
        "field": "value", "type": "quantitative", "scale": scale, "stack": null,
        "title": titled(spec.title, spec.unit), "axis": {"format": number_format(spec.unit)},
    });
    let color = colors(
        "series",
        spec.series
            .iter()
            .map(|(name, color)| (name.as_str(), *color)),
    );
    let mut encoding = json!({
        "y": y, "x": x, "color": color,
        "tooltip": [
            {"field": "row", "type": "nominal"}, {"field": "series", "type": "nominal"},
            {"field": "text", "type": "nominal", "title": "value"},
        ],
    });
    let mark = match spec.points {
        true => json!({"type": "point", "filled": true, "size": 60}),
        false => {
            encoding["fillOpacity"] =
                json!({"condition": {"test": "datum.hollow", "value": 0}, "value": 1});
            json!({"type": "bar", "strokeWidth": 1.5})
        }
    };
    let is_grouped = (spec.series.len() > 1 || is_repeated) && !spec.points;
    if is_grouped {
        encoding["yOffset"] = offset.clone();
    }
    let data = json!({"values": values});
    let mut layers = vec![json!({"data": data, "mark": mark, "encoding": encoding})];
    if spec
        .rows
        .iter()
        .flat_map(|row| &row.marks)
        .any(|mark| mark.band.is_some())
    {
        let mut low = x.clone();
        low["field"] = "low".into();
        let mut band = json!({"y": y, "x": low, "x2": {"field": "high"}});
        if is_grouped {
            band["yOffset"] = offset;
        }
        layers.push(json!({
            "data": data, "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2}, "encoding": band,
        }));
    }
    if !words.is_empty() {
        layers.push(json!({
            "data": {"values": words}, "mark": {"type": "text", "align": "left", "dx": 6},
            "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "text", "type": "nominal"}},
        }));
    }
    if let Some((at, label)) = &spec.rule {
        let mut place = x;
        if let Value::Object(place) = &mut place {
            place.remove("field");
            place.insert("datum".into(), (*at).into());
        }
        layers.push(json!({
            "data": once(), "mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"x": place},
        }));
        layers.push(json!({
            "data": once(), "mark": {"type": "text", "align": "left", "baseline": "top", "dx": 4, "text": label},
            "encoding": {"x": place, "y": {"value": 0}},
        }));
    }
    object(json!({"height": {"step": 24}, "layer": layers}))
}

fn heat(spec: &HeatSpec) -> Map<String, Value> {
    let cells = spec.cells.iter();
    let values: Vec<Value> = cells
        .filter_map(|cell| {
            Some(json!({
                "row": spec.rows.get(cell.0)?, "column": spec.columns.get(cell.1)?,
                "value": cell.2, "number": cell.3, "text": cell.4,
            }))
        })
        .collect();
    let y = json!({"field": "row", "type": "ordinal", "sort": null, "title": spec.rows_title});
    let x =
        json!({"field": "column", "type": "ordinal", "sort": null, "title": spec.columns_title});
    object(json!({
        "data": {"values": values},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": "rect", "encoding": {
                "color": {
                    "field": "value", "type": "quantitative", "title": titled(spec.title, spec.unit),
                    "legend": {"format": number_format(spec.unit)}, "scale": {"scheme": "blues"},
                },
                "tooltip": [{"field": "text", "type": "nominal", "title": null}],
            }},
            {"mark": {"type": "text"}, "encoding": {"text": {"field": "number", "type": "nominal"}}},
        ],
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
