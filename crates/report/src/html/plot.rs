//! A figure of the page: what it draws, as data, and the colours that all figures share.
//!
//! A specification carries its data and no looks beyond colours and dashes: the page's script measures
//! its texts and lays it out. Colours are those of Okabe and Ito, which stay apart for the colour-blind;
//! every curve has a dash of its own as well.

use serde::Serialize;

use super::bars::{RowSpec, StackSpec};
use super::chart::CurveSpec;
use super::heat::HeatSpec;
use crate::text;

/// Okabe and Ito's palette without yellow, which is too pale on white. The style sheet has a lighter tone of each for
/// dark screens.
pub(crate) const PALETTE: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];
pub(crate) const DASHES: [[u8; 4]; 5] = [
    [1, 0, 1, 0],
    [7, 4, 7, 4],
    [2, 3, 2, 3],
    [9, 3, 2, 3],
    [12, 3, 12, 3],
];

/// A figure of the page.
#[derive(Clone, Serialize)]
pub(crate) struct Plot {
    /// Name of its element.
    pub(super) id: String,
    heading: String,
    caption: String,
    /// The description for readers who cannot see it.
    description: String,
    spec: PlotSpec,
}

/// What a figure draws.
#[derive(Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum PlotSpec {
    /// Numbers against numbers.
    Curves(CurveSpec),
    /// Bars made of pieces.
    Stack(StackSpec),
    /// A row for each thing, with bars or points in it.
    Rows(RowSpec),
    /// A number for each pair of a row and a column.
    Heat(HeatSpec),
}

/// Values that lie further apart than this cannot be distinguished from zero on a linear axis.
pub(crate) const LINEAR_RANGE: f64 = 40.0;

impl Plot {
    pub(crate) fn new(id: String, heading: String, caption: String, spec: PlotSpec) -> Self {
        let heading = text::printable(&heading);
        let caption = text::printable(&caption);
        let description = format!("Plot: {heading}. {caption} The tables hold the same values.");
        Self {
            id,
            heading,
            caption,
            description,
            spec,
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn heading(&self) -> &str {
        &self.heading
    }

    pub(crate) fn caption(&self) -> &str {
        &self.caption
    }

    pub(crate) const fn spec(&self) -> &PlotSpec {
        &self.spec
    }
}
