//! Bars made of pieces, one for each cause, as a Vega-Lite specification.

use serde::Serialize;
use serde_json::{Value, json};

use super::axis;
use super::plot::{Plot, legend_columns};
use crate::pivot::each;
use crate::text;

/// A piece of a bar.
#[derive(Clone, Serialize)]
pub(crate) struct BarPiece {
    pub(crate) bar: String,
    pub(crate) cause: String,
    /// Where it stands in its bar.
    pub(crate) order: usize,
    pub(crate) value: f64,
    /// The value as people read it.
    pub(crate) text: String,
}

/// How long bars are.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BarScale {
    /// All as long, whatever their pieces add up to.
    Shares,
    /// As long as their pieces add up to, in a unit.
    Of(&'static str),
}

/// A plot of bars, from top to bottom in the order of their first pieces.
pub(crate) struct StackedBars {
    pub(crate) id: String,
    pub(crate) heading: String,
    pub(crate) caption: String,
    /// Title of the axis.
    pub(crate) title: &'static str,
    pub(crate) scale: BarScale,
    /// The causes that the legend shows.
    pub(crate) colors: Vec<(String, &'static str)>,
    pub(crate) pieces: Vec<BarPiece>,
}

impl StackedBars {
    /// The plot; `None` where there is nothing to draw.
    pub(crate) fn plot(self) -> Option<Plot> {
        if self.pieces.is_empty() {
            return None;
        }
        let spec = spec(self.title, self.scale, &self.colors, &self.pieces);
        Some(Plot::new(self.id, self.heading, self.caption, spec))
    }
}

fn spec(title: &str, scale: BarScale, colors: &[(String, &str)], pieces: &[BarPiece]) -> Value {
    let pieces: Vec<BarPiece> = pieces.iter().map(printable).collect();
    let (names, colors): (Vec<String>, Vec<&str>) = colors.iter().cloned().unzip();
    let bars = each(&pieces, |piece| piece.bar.as_str());
    // What a run is called grows with what it varies in; a name that is cut says nothing.
    let longest = bars.iter().map(|bar| bar.chars().count()).max();
    let label_limit = if longest.unwrap_or(0) > 24 { 320 } else { 160 };
    // Beside long names a narrow screen has no room for a wide legend.
    let columns = match longest {
        Some(21..) => 1,
        _ => legend_columns(&names),
    };
    let (stack, labels) = match scale {
        BarScale::Shares => ("normalize", "format(datum.value, '.0%')".to_owned()),
        BarScale::Of(unit) => ("zero", axis::label(unit)),
    };
    let mut layers = vec![json!({
        "mark": {"type": "bar", "stroke": "white", "strokeWidth": 1},
        "encoding": {
            "color": {
                "field": "cause", "type": "nominal",
                "scale": {"domain": names, "range": colors},
                "legend": {"columns": columns, "symbolType": "square",
                           "symbolStrokeWidth": 0},
            },
        },
    })];
    if scale == BarScale::Shares {
        // Only pieces that are wide enough for their label get one.
        layers.push(json!({
            "mark": {"type": "text", "color": "white", "fontSize": 11},
            "encoding": {
                "x": {"field": "value", "type": "quantitative", "stack": stack,
                      "bandPosition": 0.5},
                "text": {"field": "text", "type": "nominal"},
                "opacity": {
                    "condition": {"test": "datum.value >= 0.15", "value": 1}, "value": 0,
                },
                "detail": {"field": "cause", "type": "nominal"},
            },
        }));
    }
    json!({
        "height": 24 * bars.len(),
        "data": {"values": pieces},
        "encoding": {
            "y": {"field": "bar", "type": "nominal", "sort": bars, "title": null,
                  "axis": {"labelLimit": label_limit, "ticks": false, "domain": false}},
            "x": {"field": "value", "type": "quantitative", "stack": stack, "title": title,
                  "axis": {"labelExpr": labels, "labelOverlap": true, "tickCount": 5}},
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": [
                {"field": "bar", "type": "nominal", "title": "what"},
                {"field": "cause", "type": "nominal", "title": "cause"},
                {"field": "text", "type": "nominal", "title": title},
            ],
        },
        "layer": layers,
    })
}

fn printable(piece: &BarPiece) -> BarPiece {
    BarPiece {
        bar: text::printable(&piece.bar),
        cause: text::printable(&piece.cause),
        text: piece.text.clone(),
        ..*piece
    }
}
