//! Curves of numbers against numbers with rules across them: what the plots of workloads with axes of
//! their own are made from.

use std::borrow::Cow;

use serde::Serialize;

use super::plot::{DASHES, LINEAR_RANGE, PALETTE, Plot, PlotSpec};
use crate::pivot::{Keys, LineField, Pivot, PivotLine, differs, each, together};
use crate::text;
use crate::view::Lines;

/// More points than this no screen can show.
const MOST_POINTS: usize = 2_000;

/// A plot of curves whose points are metrics of lines, as data.
pub(crate) struct CurvePlot {
    pub(crate) id: &'static str,
    /// Where it holds `{target}`, each target has a plot of its own.
    pub(crate) heading: &'static str,
    /// `{still}` is what the plot holds still.
    pub(crate) caption: &'static str,
    /// What identifies its lines; that of the view where there is nothing else.
    pub(crate) pivot: Option<Keys>,
    pub(crate) lines: Lines,
    /// Columns and axes that a plot holds still, as its first line has them.
    pub(crate) still: &'static [LineField],
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    /// Lines of one name are one curve. What distinguishes lines may need all of them.
    pub(crate) name: fn(&PivotLine<'_>, &[&PivotLine<'_>]) -> String,
    /// Curves that say the same here have one colour.
    pub(crate) color: fn(&PivotLine<'_>) -> String,
    /// Curves that say the same here have one dash.
    pub(crate) dash: fn(&PivotLine<'_>) -> String,
    pub(crate) points: fn(&PivotLine<'_>) -> Vec<(f64, f64)>,
}

/// More plots or curves than these no reader can distinguish; the tables hold the others.
const MOST_PLOTS: usize = 6;
pub(crate) const MOST_CURVES: usize = 16;

impl CurvePlot {
    pub(crate) fn plots(&self, pivot: &Pivot<'_>) -> Vec<Plot> {
        let own = self.pivot.map(|keys| Pivot::of(pivot.document, keys));
        let lines = (self.lines)(own.as_ref().unwrap_or(pivot));
        if !self.heading.contains("{target}") {
            let plot = self.chart(self.id.to_owned(), &lines).plot();
            return plot.into_iter().collect();
        }
        let targets = together(lines, |line| line.head().target.clone());
        let charts = targets.iter().take(MOST_PLOTS).enumerate();
        let plots =
            charts.map(|(index, own)| self.chart(format!("{}-{index}", self.id), own).plot());
        plots.flatten().collect()
    }

    fn chart(&self, id: String, lines: &[&PivotLine<'_>]) -> Chart {
        let still = |line: &PivotLine<'_>| -> Vec<String> {
            self.still.iter().map(|name| line.field(*name)).collect()
        };
        let mut drawn = lines.to_vec();
        drawn.retain(|line| still(line) == still(lines[0]));
        let colors = each(&drawn, |line| (self.color)(line));
        let dashes = each(&drawn, |line| (self.dash)(line));
        let curves = together(drawn.clone(), |line| (self.name)(line, lines));
        let all = curves.len();
        let place = |all: &[String], one: String| all.iter().position(|other| *other == one);
        let curves = curves.iter().take(MOST_CURVES).map(|own| {
            let color = place(&colors, (self.color)(own[0])).unwrap_or(0);
            let dash = place(&dashes, (self.dash)(own[0])).unwrap_or(0);
            let mut points: Vec<_> = own.iter().flat_map(|line| (self.points)(line)).collect();
            points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            ChartCurve {
                name: (self.name)(own[0], lines),
                color: PALETTE[color % PALETTE.len()],
                dash: DASHES[dash % DASHES.len()],
                shape: CurveShape::Line,
                points,
            }
        });
        let target = lines.first().map_or("", |line| &line.head().target);
        Chart {
            id,
            heading: self.heading.replace("{target}", target),
            caption: self.caption.replace("{still}", &self.held(lines))
                + &text::first_of(MOST_CURVES, all, "first"),
            x: self.x.clone(),
            y: self.y.clone(),
            curves: curves.collect(),
            rules: Vec::new(),
        }
    }

    /// What a plot holds still: "load 50.0 %, timing max". The first column always stands, the others where they vary.
    fn held(&self, lines: &[&PivotLine<'_>]) -> String {
        let names = self.still.iter().enumerate();
        let shown =
            names.filter(|(index, name)| *index == 0 || differs(lines, |line| line.field(**name)));
        let words = shown.filter_map(|(_, name)| {
            Some(format!("{} {}", name.label(), lines.first()?.field(*name)))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A plot of curves.
pub(crate) struct Chart {
    pub(crate) id: String,
    pub(crate) heading: String,
    pub(crate) caption: String,
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    pub(crate) curves: Vec<ChartCurve>,
    pub(crate) rules: Vec<ChartRule>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChartAxis {
    pub(crate) unit: &'static str,
    pub(crate) title: Cow<'static, str>,
    pub(crate) logarithmic: bool,
}

impl ChartAxis {
    pub(crate) const fn linear(unit: &'static str, title: &'static str) -> Self {
        let title = Cow::Borrowed(title);
        Self {
            unit,
            title,
            logarithmic: false,
        }
    }

    pub(crate) const fn logarithmic(unit: &'static str, title: &'static str) -> Self {
        let title = Cow::Borrowed(title);
        Self {
            unit,
            title,
            logarithmic: true,
        }
    }
}

/// A curve, ascending in x unless it is a path.
#[derive(Clone, Serialize)]
pub(crate) struct ChartCurve {
    pub(crate) name: String,
    pub(crate) color: &'static str,
    pub(crate) dash: [u8; 4],
    pub(crate) shape: CurveShape,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot of curves as data of the page.
#[derive(Clone, Serialize)]
pub(crate) struct CurveSpec {
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    pub(crate) curves: Vec<ChartCurve>,
    pub(crate) rules: Vec<ChartRule>,
}

/// What a curve does between its points.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CurveShape {
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
    /// It is straight, with open points of a symbol of its own, so that curves that coincide both show.
    Marked {
        symbol: usize,
        /// Whether another curve of the target lies below it: then it is thinner.
        is_later: bool,
    },
    /// It is straight from point to point in their order; points of a symbol of its own, filled or hollow.
    Signed { symbol: usize, is_hollow: bool },
}

/// A line across the plot with its name.
#[derive(Clone, Serialize)]
pub(crate) struct ChartRule {
    pub(crate) axis: RuleAxis,
    pub(crate) at: f64,
    pub(crate) label: String,
    pub(crate) color: &'static str,
    pub(crate) dash: [u8; 4],
}

/// The axis that a rule stands on.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RuleAxis {
    X,
    Y,
}

impl Chart {
    /// The plot; `None` where there is nothing to draw.
    pub(crate) fn plot(mut self) -> Option<Plot> {
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
        self.rules.retain(|rule| {
            let logarithmic = match rule.axis {
                RuleAxis::X => x_log,
                RuleAxis::Y => y_log,
            };
            rule.at.is_finite() && (!logarithmic || rule.at > 0.0)
        });
        for rule in &mut self.rules {
            rule.label = text::printable(&rule.label);
        }
        if self.curves.is_empty() {
            return None;
        }
        let spec = CurveSpec {
            x: self.x,
            y: self.y,
            curves: self.curves,
            rules: self.rules,
        };
        let spec = PlotSpec::Curves(spec);
        Some(Plot::new(self.id, self.heading, self.caption, spec))
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

/// Whether values lie too far apart for a linear axis.
pub(crate) fn needs_logarithm(curves: &[ChartCurve]) -> bool {
    let values = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|(_, y)| *y);
    let (least, most) = values
        .filter(|y| *y > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), y| {
            (least.min(y), most.max(y))
        });
    most > LINEAR_RANGE * least
}

/// A straight curve bends on a logarithmic axis: more points between those that lie far apart.
pub(crate) fn refined(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
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
