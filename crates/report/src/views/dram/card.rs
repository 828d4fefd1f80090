//! The first screen of memory modules: which to take, by how much, why, and which undisclosed choice would turn it.

mod bandwidth;
mod curves;
mod loaded;
mod waiting;

pub(crate) use loaded::{knees as load_table, plot as load_plot};
use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_core::{Basis, Better, Metric};

use super::bandwidth::{Mixes, parts};
use super::{band, of_test, surface};
use crate::card::{FirstScreen, choice, foundation};
use crate::curve::TerminalPlot;
use crate::grid::Grid;
use crate::pivot::{Pivot, PivotLine};
use crate::text;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

/// Values that differ by less are alike.
const ALIKE: f64 = 0.005;

/// Seconds of a difference that are not worth a word.
const LEAST_S: f64 = 5e-10;

/// A module with the line that stands for it.
struct RankedModule<'a, 'p> {
    line: &'p PivotLine<'a>,
    value: Option<f64>,
}

/// The modules of a document by a metric, the best first.
struct ModuleRanking<'a, 'p> {
    metric: Metric,
    all: Vec<RankedModule<'a, 'p>>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let mixes = Mixes::all_of(pivot);
    let loads = super::curves(pivot);
    if let Some(mixes) = mixes.first() {
        bandwidth::card(pivot, mixes)
    } else if !loads.is_empty() {
        loaded::card(pivot, &loads)
    } else if !surface::curves(pivot).is_empty() {
        curves::card(pivot)
    } else if !of_test(pivot, "idle").is_empty() {
        waiting::card(pivot, "idle")
    } else {
        waiting::card(pivot, "trace")
    }
}

impl<'a, 'p> ModuleRanking<'a, 'p> {
    fn of(lines: impl Iterator<Item = &'p PivotLine<'a>>, metric: Metric) -> Self {
        let sign = match metric.info().better {
            Better::Higher => -1.0,
            Better::Lower | Better::Neither => 1.0,
        };
        let all = lines.map(|line| RankedModule {
            line,
            value: line.number(metric),
        });
        let mut all: Vec<_> = all.collect();
        let place =
            |one: &RankedModule<'_, '_>| one.value.map_or(f64::INFINITY, |value| sign * value);
        all.sort_by(|a, b| place(a).total_cmp(&place(b)));
        Self { metric, all }
    }

    fn first(&self) -> Option<&RankedModule<'a, 'p>> {
        self.all.first().filter(|one| one.value.is_some())
    }

    fn second(&self) -> Option<&RankedModule<'a, 'p>> {
        self.all.get(1).filter(|one| one.value.is_some())
    }

    /// What the first has over the second, as a share of the second.
    fn lead(&self) -> Option<f64> {
        let (first, second) = (self.first()?.value?, self.second()?.value?);
        Some(first / second - 1.0).filter(|lead| lead.is_finite())
    }

    fn is_even(&self) -> bool {
        self.lead().is_some_and(|lead| lead.abs() < ALIKE)
    }

    /// The card with its sentence, its points and whatever else there is.
    fn card(
        &self,
        pivot: &Pivot<'_>,
        sentence: String,
        points: Vec<CardPoint>,
        table: Option<Grid>,
        plot: Option<TerminalPlot>,
    ) -> FirstScreen {
        let mut points = points;
        if !points
            .iter()
            .any(|point| point.subject == CardSubject::Weakest)
        {
            points.extend(foundation(pivot.document));
        }
        let ranking = self.all.iter();
        let ranking = ranking.map(|one| choice(target(one.line), self.metric, one.value));
        let take = self
            .first()
            .filter(|_| self.second().is_some() && !self.is_even());
        FirstScreen {
            answer: DecisionCard {
                sentence,
                take: take.map(|one| target(one.line).to_owned()),
                points,
                ranking: ranking.collect(),
                cautions: Vec::new(),
            },
            table,
            of: "lines",
            plot,
        }
    }
}

fn target<'a>(line: &PivotLine<'a>) -> &'a str {
    &line.head().target
}

fn point(subject: CardSubject, words: String, line: &PivotLine<'_>, metric: Metric) -> CardPoint {
    let row = line.at(metric, &[]);
    let value = row.and_then(|row| row.value);
    let basis = row.map_or(Basis::Simulated, |row| row.basis);
    CardPoint::of_value(subject, words, metric, value, basis)
}

/// The second best, by the metric that ranks.
fn runner_up(
    pivot: &Pivot<'_>,
    second: &RankedModule<'_, '_>,
    words: &str,
    metric: Metric,
) -> CardPoint {
    let words = format!("{}: {words}", pivot.short(second.line.head()));
    point(CardSubject::RunnerUp, words, second.line, metric).about(target(second.line))
}

/// Power of the modules, and what a byte costs.
fn energy(pivot: &Pivot<'_>, ranking: &ModuleRanking<'_, '_>) -> Option<CardPoint> {
    let line = ranking.first()?.line;
    let power = |line: &PivotLine<'_>| {
        let watts = line.number(Metric::PowerMean)?;
        let band = band(line, Metric::PowerMean);
        let band = band.map_or_else(String::new, |band| {
            format!(" ({band} by set of currents and buffers)")
        });
        Some(text::number(Metric::PowerMean, watts, text::DIGITS) + &band)
    };
    let own = power(line)?;
    let other = ranking.second().and_then(|second| {
        let watts = second.line.number(Metric::PowerMean)?;
        let watts = text::number(Metric::PowerMean, watts, text::DIGITS);
        Some(format!("; {watts} for {}", pivot.short(second.line.head())))
    });
    let words = own + &other.unwrap_or_default();
    Some(point(CardSubject::Energy, words, line, Metric::PowerMean))
}

/// A share without its sign: "29 %".
fn share(value: f64) -> String {
    text::percent(value.abs(), 2)
}

/// A band of gains: "+8 to +40 %".
fn gains(low: f64, high: f64) -> String {
    // A little less than nothing is nothing.
    let whole = |ratio: f64| (100.0 * (ratio - 1.0)).round() + 0.0;
    format!("{:+} to {:+} %", whole(low), whole(high))
}

/// Over what a difference is told, which needs no word where there are two targets.
fn over(pivot: &Pivot<'_>, other: &str) -> String {
    match super::targets(pivot).len() {
        0..=2 => String::new(),
        _ => format!("over {other}: "),
    }
}

/// Where the difference from the first target of the document comes from.
fn why(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<CardPoint> {
    let words = over(pivot, pivot.first()) + &parts(line)?;
    Some(CardPoint::words(CardSubject::Cause, words))
}
