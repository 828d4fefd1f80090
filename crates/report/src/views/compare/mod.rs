//! Candidates side by side: the verdicts of `wordline compare` with the figures behind them.
//!
//! The verdicts' order is the ranking, the best first. A candidate has one verdict for each column of
//! the data sheet; the one that it would fail by decides. What was never judged comes last.

mod answer;
mod card;
mod explore;
mod limit;
mod plots;
mod survival;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use wordline_core::quantity::human;
use wordline_core::results::{Certainty, NoValue, Row, Verdict};
use wordline_core::{Axis, Basis, Metric, Timing};

use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::tabulate::NOTHING;
use crate::text::{self, TargetKind};
use crate::view::{PlotView, TableView, View};

use limit::Limit;

pub(crate) const VIEW: View = View {
    workload: "compare",
    // A part of a figure, an estimate of it, or the rate that some RAM carries is not the figure.
    keys: Keys {
        only: &[LineField::Target],
        parts: &[Of(Axis::Estimate), Of(Axis::RamBytes)],
    },
    lead: &[TableView::Made(tables::verdicts)],
    tables: &[
        TableView::Made(tables::figures),
        TableView::Made(survival::table),
    ],
    plots: &[PlotView::Made(plots::plots)],
    explore: Some(explore::explore),
    answer: answer::answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// A candidate with its verdicts and figures.
pub(crate) struct RankedCandidate<'a, 'p> {
    pub(crate) target: &'a str,
    /// In the order of the document: typical timing first.
    pub(crate) verdicts: Vec<&'a Verdict>,
    /// Its figures; `None` where it was not run.
    line: Option<&'p PivotLine<'a>>,
    /// Every column of the data sheet that it was examined with.
    pub(crate) timings: Vec<Timing>,
}

impl<'a, 'p> RankedCandidate<'a, 'p> {
    /// The candidates of a document, ranked.
    pub(crate) fn all_of(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let document = pivot.document;
        let ranked = document
            .verdicts
            .iter()
            .map(|verdict| verdict.target.as_str());
        let run = pivot.lines.iter().map(|line| line.head().target.as_str());
        let asked = document.experiment.targets.iter().map(String::as_str);
        let mut seen = HashSet::new();
        let targets = ranked.chain(run).chain(asked);
        let mut verdicts_of: HashMap<&str, Vec<&Verdict>> = HashMap::new();
        for verdict in &document.verdicts {
            verdicts_of
                .entry(&verdict.target)
                .or_default()
                .push(verdict);
        }
        let lines = pivot.lines.iter();
        let line_of: HashMap<&str, &PivotLine<'_>> = lines
            .map(|line| (line.head().target.as_str(), line))
            .collect();
        let candidates = targets.filter(|target| seen.insert(*target)).map(|target| {
            let verdicts = verdicts_of.remove(target).unwrap_or_default();
            let line = line_of.get(target).copied();
            let rows = line.map_or(&[][..], PivotLine::rows).iter();
            let figures = rows.filter(|row| {
                row.text(Axis::Cause).is_none() && row.text(Axis::Estimate).is_none()
            });
            let used: Vec<Timing> = figures
                .map(|row| row.timing)
                .chain(verdicts.iter().map(|verdict| verdict.timing))
                .collect();
            let timings = Timing::ALL
                .into_iter()
                .filter(|timing| used.contains(timing));
            Self {
                target,
                verdicts,
                line,
                timings: timings.collect(),
            }
        });
        candidates.collect()
    }

    /// The verdict that says most about one column of the data sheet.
    pub(crate) fn verdict(&self, timing: Timing) -> Option<&'a Verdict> {
        let verdicts = self.verdicts.iter().copied();
        most_telling(verdicts.filter(|verdict| verdict.timing == timing))
    }

    /// The row of a figure.
    pub(crate) fn figure(&self, timing: Timing, metric: Metric) -> Option<&'a Row> {
        self.line?.at(metric, &[(LineField::Timing, timing.name())])
    }

    pub(crate) fn number(&self, timing: Timing, metric: Metric) -> Option<f64> {
        self.figure(timing, metric)?.value
    }

    /// A figure as people read it, with the word for why there is none.
    pub(crate) fn told(&self, timing: Timing, metric: Metric) -> Option<String> {
        Some(told(self.figure(timing, metric)?))
    }

    /// Sizes of RAM with the highest rate that each carries; none where the document holds no curve.
    fn staircase(&self, timing: Timing) -> Vec<(f64, f64)> {
        let at = [(LineField::Timing, timing.name())];
        let steps = self.line.iter();
        let steps = steps.flat_map(|line| line.along(Metric::RateMax, Axis::RamBytes, &at));
        steps
            .filter_map(|(ram, row)| Some((ram, row.value?)))
            .collect()
    }

    /// Whether it was measured, which has nothing to do with columns of a data sheet.
    pub(crate) fn is_measured(&self) -> bool {
        let rows = self.line.map_or(&[][..], PivotLine::rows).iter();
        let mut own = rows.filter(|row| row.metric == Metric::ThroughputMean);
        own.any(|row| row.basis == Basis::Measured)
    }

    /// Where its figures come from, in a word.
    pub(crate) fn basis(&self) -> &'static str {
        match (self.line, self.is_measured()) {
            (None, _) => NOTHING,
            (_, true) => Basis::Measured.name(),
            (_, false) => Basis::Simulated.name(),
        }
    }

    /// A verdict's conditions, as sentences name them.
    pub(crate) fn conditions(&self, verdict: &Verdict) -> &'static str {
        match (self.is_measured(), verdict.certainty, verdict.pass) {
            // What failed as measured has happened.
            (true, Certainty::Depends, false) if verdict.deciding.is_some() => {
                "by what its log lets expect"
            }
            (true, ..) => "as measured",
            (false, ..) => text::at_timing(verdict.timing),
        }
    }

    /// The same in a word of a table.
    pub(crate) fn column(&self, timing: Timing) -> &'static str {
        match self.is_measured() {
            true => Basis::Measured.name(),
            false => timing.name(),
        }
    }

    /// Whether it meets every limit with every column of the data sheet that it was judged by.
    pub(crate) fn passes(&self) -> bool {
        !self.verdicts.is_empty() && self.verdicts.iter().all(|verdict| verdict.pass)
    }

    /// Whether it does so wherever the figures that decide lie in their ranges.
    pub(crate) fn passes_for_certain(&self) -> bool {
        self.passes() && self.depending().is_none()
    }

    /// Whether a verdict passes by a limit that is kept in simulation alone.
    pub(crate) fn is_unproven(&self) -> bool {
        self.verdicts
            .iter()
            .any(|verdict| !verdict.unproven.is_empty())
    }

    /// Whether that depends on a figure, and on nothing else.
    pub(crate) fn might_pass(&self) -> bool {
        let open = |verdict: &&Verdict| verdict.pass || verdict.certainty == Certainty::Depends;
        self.depending().is_some() && self.verdicts.iter().all(open)
    }

    /// The verdict that depends on a figure: one that passes before one that does not.
    pub(crate) fn depending(&self) -> Option<&'a Verdict> {
        let verdicts = self.verdicts.iter().copied();
        let depends = verdicts.filter(|verdict| verdict.certainty == Certainty::Depends);
        depends.min_by_key(|verdict| !verdict.pass)
    }

    /// The verdict that says most of all.
    pub(crate) fn decisive(&self) -> Option<&'a Verdict> {
        most_telling(self.verdicts.iter().copied())
    }

    /// What a verdict's target reached, or why it is unknown.
    pub(crate) fn reached(&self, verdict: &Verdict) -> String {
        match verdict.value {
            Some(value) => number(verdict.metric, value),
            None => self
                .told(verdict.timing, verdict.metric)
                .filter(|_| self.number(verdict.timing, verdict.metric).is_none())
                .unwrap_or_else(|| NOTHING.to_owned()),
        }
    }
}

/// A verdict in a word of a table.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match (verdict.certainty, verdict.pass) {
        _ if is_unknown(verdict) => "unknown",
        (Certainty::Depends, _) => "depends",
        (Certainty::Certain, true) => "pass",
        (Certainty::Certain, false) => "FAIL",
    }
}

/// Whether nothing is known of what the limit is about, so that it decides nothing.
pub(crate) fn is_unknown(verdict: &Verdict) -> bool {
    let figure = verdict.deciding_figure.as_deref();
    let of = figure.and_then(|figure| figure.rsplit_once(": "));
    !verdict.pass
        && verdict.value.is_none()
        && of.is_some_and(|(_, of)| of == verdict.metric.name())
}

/// The condition under which a target passes: "nand.page_program below 3.95 ms".
pub(crate) fn flip(verdict: &Verdict) -> Option<String> {
    let (figure, deciding) = verdict
        .deciding_figure
        .as_ref()
        .zip(verdict.deciding.as_ref())?;
    let at = verdict.flips_at?;
    let below = match verdict.pass {
        true => at >= deciding.value,
        false => at <= deciding.value,
    };
    let side = if below { "below" } else { "above" };
    let figure = own(verdict, figure).unwrap_or(figure);
    Some(format!("{figure} {side} {}", of_unit(&deciding.unit, at)))
}

/// What a verdict depends on: the condition under which its target passes, or what no source states.
pub(crate) fn depends_on(verdict: &Verdict) -> Option<String> {
    flip(verdict).or_else(|| {
        let figure = verdict.deciding_figure.as_ref()?;
        Some(own(verdict, figure).unwrap_or(figure).to_owned())
    })
}

/// The name of a figure of the candidate's own sheet or log, which needs no more; `None` for one of another sheet.
pub(crate) fn own<'a>(verdict: &Verdict, figure: &'a str) -> Option<&'a str> {
    let (sheet, own) = figure.split_once(": ")?;
    let log = text::without_kind(&verdict.target, TargetKind::Log);
    let is_own = log == Some(sheet) || verdict.target.contains(&format!("{sheet}@"));
    is_own.then_some(own)
}

/// A figure's value with its unit.
pub(crate) fn of_unit(unit: &str, value: f64) -> String {
    match unit {
        "B" => text::ram(value, text::DIGITS),
        unit => human(value, unit, text::DIGITS),
    }
}

/// The first failure, else the verdict with the least to spare, the last of equals.
fn most_telling<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Option<&'a Verdict> {
    verdicts.reduce(|told, other| match (told.pass, other.pass) {
        (false, _) => told,
        (true, false) => other,
        (true, true) => match (told.margin, other.margin) {
            (Some(a), Some(b)) if a < b => told,
            (Some(_), None) => told,
            _ => other,
        },
    })
}

/// A figure as people read it. Where a study asks for a figure that rests on something unknown, it
/// has a value, but an unknown one.
pub(crate) fn told(row: &Row) -> String {
    match (row.value, row.no_value) {
        (None, Some(NoValue::NotApplicable)) => "unknown".to_owned(),
        (Some(value), _) => number(row.metric, value),
        _ => text::value(row, text::DIGITS),
    }
}

/// A value of a figure or a limit.
pub(crate) fn number(metric: Metric, value: f64) -> String {
    match metric {
        // A count is no measurement: every digit is exact.
        Metric::PartsNeeded if value < 1e9 => format!("{value:.0}"),
        _ => text::number(metric, value, text::DIGITS),
    }
}

/// How far inside its limit a verdict is, signed: `+50 %`.
pub(crate) fn margin(verdict: &Verdict) -> Option<String> {
    let margin = verdict.margin?;
    let sign = if margin > 0.0 { "+" } else { "" };
    Some(format!("{sign}{}", text::percent(margin, 2)))
}
