//! Bars made of pieces, one for each cause; and rows of bars or points, one row for each thing.

use serde::Serialize;

use super::plot::{Plot, PlotSpec};
use crate::pivot::each;
use crate::text;

/// A piece of a bar.
#[derive(Clone)]
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

/// The same as data of the page.
#[derive(Clone, Serialize)]
pub(crate) struct StackSpec {
    pub(crate) title: &'static str,
    /// Empty for shares.
    pub(crate) unit: &'static str,
    /// Name and colour of each cause.
    pub(crate) series: Vec<(String, &'static str)>,
    pub(crate) bars: Vec<String>,
    pub(crate) pieces: Vec<StackPiece>,
}

/// A piece: place of its bar and of its cause, value, and the value as people read it.
#[derive(Clone, Serialize)]
pub(crate) struct StackPiece(usize, usize, f64, String);

impl StackPiece {
    /// Places of its bar and of its cause, value, and the value as people read it.
    pub(crate) fn parts(&self) -> (usize, usize, f64, &str) {
        (self.0, self.1, self.2, &self.3)
    }
}

impl StackedBars {
    /// The plot; `None` where there is nothing to draw.
    pub(crate) fn plot(self) -> Option<Plot> {
        if self.pieces.is_empty() {
            return None;
        }
        let bars = each(&self.pieces, |piece| piece.bar.as_str());
        let mut pieces: Vec<&BarPiece> = self.pieces.iter().collect();
        pieces.sort_by_key(|piece| piece.order);
        let place = |piece: &&BarPiece| {
            let bar = bars.iter().position(|bar| *bar == piece.bar)?;
            let mut causes = self.colors.iter();
            let cause = causes.position(|(cause, _)| *cause == piece.cause)?;
            let finite = piece.value.is_finite().then_some(piece.value)?;
            Some(StackPiece(bar, cause, finite, piece.text.clone()))
        };
        let colors = self.colors.iter();
        let spec = StackSpec {
            title: self.title,
            unit: match self.scale {
                BarScale::Shares => "",
                BarScale::Of(unit) => unit,
            },
            series: colors
                .map(|(name, color)| (text::printable(name), *color))
                .collect(),
            pieces: pieces.iter().filter_map(place).collect(),
            bars: bars.into_iter().map(text::printable).collect(),
        };
        Some(Plot::new(
            self.id,
            self.heading,
            self.caption,
            PlotSpec::Stack(spec),
        ))
    }
}

/// A row for each thing, with bars or points along one axis.
#[derive(Clone, Serialize)]
pub(crate) struct RowSpec {
    pub(crate) title: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) logarithmic: bool,
    /// Ends of the axis; those of the values where there are none.
    pub(crate) ends: Option<(f64, f64)>,
    /// Points instead of bars.
    pub(crate) points: bool,
    /// Name and colour of what the marks are of.
    pub(crate) series: Vec<(String, &'static str)>,
    /// Places of the series whose bars have an outline alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hollow: Vec<usize>,
    pub(crate) rows: Vec<PlotRow>,
    /// A value that all are held against, and its name.
    pub(crate) rule: Option<(f64, String)>,
}

/// A row of such a plot.
#[derive(Clone, Serialize)]
pub(crate) struct PlotRow {
    pub(crate) name: String,
    pub(crate) marks: Vec<RowMark>,
    /// What is said where there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<String>,
}

/// A bar or a point of a row.
#[derive(Clone, Serialize)]
pub(crate) struct RowMark {
    /// What it is of, by its place in the legend.
    pub(crate) series: usize,
    pub(crate) value: f64,
    /// What a pointer shows.
    pub(crate) text: String,
    /// What stands beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    /// The range of what is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) band: Option<(f64, f64)>,
}
