//! What was extrapolated from the accesses that were seen, with its interval.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::{ESTIMATE, RATE, TimedLines};
use crate::text;

/// A value that would be exceeded once in a horizon.
#[derive(Clone)]
pub(crate) struct Extrapolation<'a> {
    pub(crate) metric: Metric,
    pub(crate) horizon_s: f64,
    /// The input rate in B/s, where the value depends on it.
    pub(crate) rate: Option<f64>,
    level: Option<&'a Row>,
    low: Option<&'a Row>,
    high: Option<&'a Row>,
}

/// Everything that was extrapolated, by metric, rate and horizon.
pub(crate) fn extrapolations<'a>(run: &TimedLines<'a, '_>) -> Vec<Extrapolation<'a>> {
    let mut all: Vec<Extrapolation<'a>> = Vec::new();
    for line in run.lines() {
        let Some(horizon_s) = line.coordinate(Axis::HorizonS) else {
            continue;
        };
        let estimate = line.head().text(ESTIMATE).unwrap_or_default();
        for metric in [Metric::LatencyMax, Metric::RamPeakInFlight] {
            let Some(row) = line.row(metric, None) else {
                continue;
            };
            let rate = line.coordinate(RATE);
            let same = |one: &&mut Extrapolation<'_>| {
                one.metric == metric && one.horizon_s == horizon_s && one.rate == rate
            };
            let place = match all.iter_mut().find(same) {
                Some(one) => one,
                None => {
                    all.push(Extrapolation {
                        metric,
                        horizon_s,
                        rate,
                        level: None,
                        low: None,
                        high: None,
                    });
                    let last = all.len() - 1;
                    &mut all[last]
                }
            };
            match estimate {
                "return_level" => place.level = Some(row),
                "return_level_low" => place.low = Some(row),
                "return_level_high" => place.high = Some(row),
                _ => {}
            }
        }
    }
    all.retain(|one| one.level.is_some());
    all.sort_by(|a, b| {
        let rate = |one: &Extrapolation<'_>| one.rate.unwrap_or(0.0);
        let metric = a.metric.cmp(&b.metric);
        metric
            .then(rate(a).total_cmp(&rate(b)))
            .then(a.horizon_s.total_cmp(&b.horizon_s))
    });
    all
}

impl Extrapolation<'_> {
    pub(crate) fn level(&self) -> String {
        word(self.level)
    }

    /// The ends of the interval.
    pub(crate) fn interval(&self) -> Option<(String, String)> {
        (self.low.is_some() && self.high.is_some()).then(|| (word(self.low), word(self.high)))
    }

    /// What it is about: "the slowest access".
    pub(crate) fn what(&self) -> String {
        let rate = self.rate.map(text::rate);
        let at = rate.map_or_else(String::new, |rate| format!(" at {rate}"));
        match self.metric {
            Metric::LatencyMax => format!("slowest access{at}"),
            _ => format!("RAM for bytes that arrive one by one{at}"),
        }
    }

    pub(crate) fn horizon(&self) -> String {
        text::number(Metric::Lifetime, self.horizon_s, text::DIGITS)
    }
}

fn word(row: Option<&Row>) -> String {
    row.map_or_else(|| "–".to_owned(), |row| text::value(row, text::DIGITS))
}
