//! What was extrapolated from the accesses that were seen, with its interval.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::{ESTIMATE, RATE};
use crate::pivot::{PivotLine, together};
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
pub(crate) fn extrapolations<'a>(run: &PivotLine<'a>) -> Vec<Extrapolation<'a>> {
    let number = |row: &Row, axis| row.axes.get(&axis).and_then(text::numeric);
    let mut rows = run.rows().to_vec();
    rows.retain(|row| {
        let metrics = [Metric::LatencyMax, Metric::RamPeakInFlight];
        metrics.contains(&row.metric) && number(row, Axis::HorizonS).is_some()
    });
    let places = |row: &Row| [RATE, Axis::HorizonS].map(|axis| number(row, axis).map(f64::to_bits));
    let groups = together(rows, |row| (row.metric, places(row))).into_iter();
    let all = groups.filter_map(|rows| {
        let of = |estimate| {
            let mut rows = rows.iter().copied();
            rows.rfind(|row| row.text(ESTIMATE) == Some(estimate))
        };
        Some(Extrapolation {
            metric: rows[0].metric,
            horizon_s: number(rows[0], Axis::HorizonS)?,
            rate: number(rows[0], RATE),
            level: of("return_level"),
            low: of("return_level_low"),
            high: of("return_level_high"),
        })
    });
    let mut all: Vec<_> = all.collect();
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
