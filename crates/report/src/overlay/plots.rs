//! The plots of shared curves: on a page, and in characters for a terminal.

use super::kind::OverlayShape;
use super::{Overlay, SharedCurves};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::chart::{Chart, ChartAxis, ChartCurve, CurveShape, MOST_CURVES, needs_logarithm};
use crate::html::plot::{DASHES, PALETTE, Plot, PlotSpec};
use crate::pivot::each;
use crate::text;

/// How to read the plots, for the captions.
const SIGNS: &str =
    "Solid lines with filled signs are measured; dashed lines with hollow signs are not.";
const BARS: &str = "Filled bars are measured; outlined bars are not.";

/// The most curves that a terminal can name.
const TERMINAL_CURVES: usize = 5;

impl SharedCurves {
    pub(super) fn plot(&self, of: &Overlay<'_>) -> Option<Plot> {
        match &self.kind.shape {
            OverlayShape::Curves { x, y, .. } => self.chart(of, x, y),
            OverlayShape::Bars { title, unit } => self.bars(of, title, unit),
        }
    }

    /// A name that says where the curve comes from.
    fn legend(&self, of: &Overlay<'_>, index: usize) -> String {
        let curve = &self.curves[index];
        format!("{}, {}", self.label(of, curve), curve.basis)
    }

    fn caption(&self, how: &str, shown: usize) -> String {
        let more = text::first_of(shown, self.curves.len(), "first");
        format!("{} {how}{more}", self.kind.caption)
    }

    fn chart(&self, of: &Overlay<'_>, x: &ChartAxis, y: &ChartAxis) -> Option<Plot> {
        let curves = self
            .curves
            .iter()
            .enumerate()
            .take(MOST_CURVES)
            .map(|(index, curve)| {
                let is_hollow = !curve.is_measured();
                ChartCurve {
                    name: self.legend(of, index),
                    color: PALETTE[index % PALETTE.len()],
                    dash: DASHES[usize::from(is_hollow)],
                    shape: CurveShape::Signed {
                        // Colours repeat; with another sign then.
                        symbol: index + index / PALETTE.len(),
                        is_hollow,
                    },
                    points: curve.points.clone(),
                }
            });
        let curves: Vec<ChartCurve> = curves.collect();
        let y = ChartAxis {
            logarithmic: y.logarithmic || needs_logarithm(&curves),
            ..y.clone()
        };
        Chart {
            id: format!("plot-shared-{}", self.kind.id),
            heading: self.kind.heading.to_owned(),
            caption: self.caption(SIGNS, MOST_CURVES),
            x: x.clone(),
            y,
            curves,
            rules: Vec::new(),
        }
        .plot()
    }

    fn bars(&self, of: &Overlay<'_>, title: &'static str, unit: &'static str) -> Option<Plot> {
        let shown = &self.curves[..self.curves.len().min(MOST_CURVES)];
        let all = shown
            .iter()
            .flat_map(|curve| &curve.figures)
            .collect::<Vec<_>>();
        let names = each(&all, |figure| figure.name.clone());
        let rows = names.into_iter().map(|name| {
            let marks = shown.iter().enumerate().filter_map(|(series, curve)| {
                let figure = curve
                    .figure(&name)
                    .filter(|figure| figure.value.is_finite())?;
                let told = text::number(figure.metric, figure.value, text::DIGITS);
                Some(RowMark {
                    series,
                    value: figure.value,
                    text: told.clone(),
                    label: Some(told),
                    band: None,
                })
            });
            PlotRow {
                marks: marks.collect(),
                name: text::printable(&name),
                words: None,
            }
        });
        let rows: Vec<PlotRow> = rows.filter(|row| !row.marks.is_empty()).collect();
        if rows.is_empty() {
            return None;
        }
        let series =
            (0..shown.len()).map(|index| (self.legend(of, index), PALETTE[index % PALETTE.len()]));
        let hollow = shown
            .iter()
            .enumerate()
            .filter(|(_, curve)| !curve.is_measured());
        let spec = RowSpec {
            title,
            unit,
            logarithmic: false,
            ends: None,
            points: false,
            series: series.collect(),
            hollow: hollow.map(|(index, _)| index).collect(),
            rows,
            rule: None,
        };
        Some(Plot::new(
            format!("plot-shared-{}", self.kind.id),
            self.kind.heading.to_owned(),
            self.caption(BARS, MOST_CURVES),
            PlotSpec::Rows(spec),
        ))
    }

    /// The curves in characters; a letter before each name says its basis.
    pub(super) fn terminal(&self, of: &Overlay<'_>) -> Option<TerminalPlot> {
        let OverlayShape::Curves {
            x,
            y,
            told_x,
            told_y,
        } = &self.kind.shape
        else {
            return None;
        };
        let title = |axis: &ChartAxis| match &axis.title {
            std::borrow::Cow::Borrowed(title) => *title,
            std::borrow::Cow::Owned(_) => "",
        };
        let curves = self
            .curves
            .iter()
            .take(TERMINAL_CURVES)
            .map(|curve| TerminalCurve {
                name: format!("{} {}", curve.letter(), self.label(of, curve)),
                points: curve.points.clone(),
                is_dashed: !curve.is_measured(),
            });
        Some(TerminalPlot {
            x: TerminalAxis {
                title: title(x),
                told: *told_x,
            },
            y: TerminalAxis {
                title: title(y),
                told: *told_y,
            },
            curves: curves.collect(),
        })
    }
}
