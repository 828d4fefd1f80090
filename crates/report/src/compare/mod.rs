//! Candidates side by side: the verdicts of `wordline compare` with the figures behind them.
//!
//! The verdicts' order is the ranking, the best first. A candidate has one verdict for each column of
//! the data sheet; the one that it would fail by decides. What was never judged comes last.

mod answer;
mod limit;
mod survival;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use wordline_core::results::{NoValue, ResultSet, Row, Verdict};
use wordline_core::{Metric, Timing};

use crate::text;

pub(crate) use answer::told as sentences;
pub(crate) use limit::Limit;
pub(crate) use survival::table as survival;
pub(crate) use tables::tables;

/// What stands where there is nothing to say.
const NOTHING: &str = "–";

/// A candidate with its verdicts and figures.
pub(crate) struct Candidate<'a> {
    pub(crate) target: &'a str,
    /// In the order of the document: typical timing first.
    pub(crate) verdicts: Vec<&'a Verdict>,
    figures: HashMap<(Timing, Metric), &'a Row>,
    /// Every column of the data sheet that it was examined with.
    pub(crate) timings: Vec<Timing>,
}

impl<'a> Candidate<'a> {
    /// The candidates of a document, ranked.
    pub(crate) fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut all: Vec<Self> = Vec::new();
        let mut place = |target: &'a str, all: &mut Vec<Self>| {
            *places.entry(target).or_insert_with(|| {
                all.push(Self {
                    target,
                    verdicts: Vec::new(),
                    figures: HashMap::new(),
                    timings: Vec::new(),
                });
                all.len() - 1
            })
        };
        for verdict in &document.verdicts {
            let place = place(&verdict.target, &mut all);
            all[place].verdicts.push(verdict);
            all[place].note(verdict.timing);
        }
        for row in &document.rows {
            // A part of a figure or an estimate of it is not the figure.
            if row.axes.contains_key("cause") || row.axes.contains_key("estimate") {
                continue;
            }
            let place = place(&row.target, &mut all);
            all[place].note(row.timing);
            let figure = all[place].figures.entry((row.timing, row.metric));
            figure.or_insert(row);
        }
        for target in &document.experiment.targets {
            place(target, &mut all);
        }
        all
    }

    fn note(&mut self, timing: Timing) {
        if !self.timings.contains(&timing) {
            self.timings.push(timing);
            self.timings.sort_by_key(|timing| *timing as u8);
        }
    }

    /// The verdict that tells most of one column of the data sheet.
    pub(crate) fn verdict(&self, timing: Timing) -> Option<&'a Verdict> {
        let verdicts = self.verdicts.iter().copied();
        most_telling(verdicts.filter(|verdict| verdict.timing == timing))
    }

    /// The row of a figure.
    pub(crate) fn figure(&self, timing: Timing, metric: Metric) -> Option<&'a Row> {
        self.figures.get(&(timing, metric)).copied()
    }

    pub(crate) fn number(&self, timing: Timing, metric: Metric) -> Option<f64> {
        self.figure(timing, metric)?.value
    }

    /// A figure as people read it, with the word for why there is none.
    pub(crate) fn told(&self, timing: Timing, metric: Metric) -> Option<String> {
        Some(told(self.figure(timing, metric)?))
    }

    /// Whether it meets every limit with every column of the data sheet that it was judged by.
    pub(crate) fn passes(&self) -> bool {
        !self.verdicts.is_empty() && self.verdicts.iter().all(|verdict| verdict.pass)
    }

    /// The verdict that tells most of all.
    pub(crate) fn decisive(&self) -> Option<&'a Verdict> {
        most_telling(self.verdicts.iter().copied())
    }

    /// What a verdict's target reached, or why nobody knows.
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
/// has a value, but nobody knows it.
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
        Metric::PartsNeeded => format!("{value:.0}"),
        _ => text::number(metric, value, text::DIGITS),
    }
}

/// How far inside its limit a verdict is, signed: `+50 %`.
pub(crate) fn margin(verdict: &Verdict) -> Option<String> {
    let margin = verdict.margin?;
    let sign = if margin > 0.0 { "+" } else { "" };
    Some(format!("{sign}{}", text::percent(margin, 2)))
}
