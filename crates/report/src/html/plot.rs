//! A figure of the page: a Vega-Lite specification that carries its data, and what all figures share.
//!
//! Colours are those of Okabe and Ito, which stay apart for the colour-blind; every curve has a dash of
//! its own as well.

use serde::Serialize;
use serde_json::{Value, json};

use crate::text;

/// Okabe and Ito's palette without yellow, which is too pale on white.
pub(crate) const PALETTE: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];
pub(crate) const SYMBOLS: [&str; 8] = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
];
pub(crate) const DASHES: [[u8; 4]; 5] = [
    [1, 0, 1, 0],
    [7, 4, 7, 4],
    [2, 3, 2, 3],
    [9, 3, 2, 3],
    [12, 3, 12, 3],
];

/// A figure of the page.
#[derive(Serialize)]
pub(crate) struct Plot {
    /// Name of its element.
    id: String,
    heading: String,
    caption: String,
    /// The description for readers who cannot see it.
    description: String,
    #[serde(skip)]
    spec: Value,
}

/// Values that lie further apart than this cannot be distinguished from zero on a linear axis.
pub(crate) const LINEAR_RANGE: f64 = 40.0;

impl Plot {
    pub(crate) fn new(id: String, heading: String, caption: String, spec: Value) -> Self {
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
    pub(crate) fn spec(&self) -> Value {
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

/// The channel that distinguishes curves, with a legend of those that are drawn.
pub(crate) fn channel(names: &[String], drawn: &[String], range: Value) -> Value {
    let mut legend = json!({"columns": legend_columns(drawn)});
    if drawn.len() < names.len() {
        legend["values"] = json!(drawn);
    }
    let scale = json!({"domain": names, "range": range});
    json!({"field": "series", "type": "nominal", "scale": scale, "legend": legend})
}

/// Short names stand side by side; what is longer would be cut off on a narrow screen.
pub(crate) fn legend_columns(names: &[String]) -> usize {
    let widths = names.iter().map(|name| name.chars().count() + 4);
    if widths.clone().sum::<usize>() <= 34 {
        names.len()
    } else if widths.max().unwrap_or(0) <= 19 {
        2
    } else {
        1
    }
}
