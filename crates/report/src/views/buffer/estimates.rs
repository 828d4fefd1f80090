//! What was extrapolated from the accesses that were seen.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::{ESTIMATE, RATE};
use crate::pivot::PivotLine;
use crate::text;

/// The estimate of what may come within a horizon.
const EXTRAPOLATED: &str = "extrapolated";

/// A value that nothing exceeds within a horizon, with the confidence that is stated.
#[derive(Clone)]
pub(crate) struct Extrapolation<'a> {
    pub(crate) metric: Metric,
    pub(crate) horizon_s: f64,
    /// The input rate in B/s, where the value depends on it.
    rate: Option<f64>,
    row: &'a Row,
}

/// Everything that was extrapolated, by metric, rate and horizon.
pub(crate) fn extrapolations<'a>(run: &PivotLine<'a>) -> Vec<Extrapolation<'a>> {
    let number = |row: &Row, axis| row.axes.get(&axis).and_then(text::numeric);
    let rows = run.rows().iter();
    let rows = rows.filter(|row| row.text(ESTIMATE) == Some(EXTRAPOLATED));
    let all = rows.filter_map(|row| {
        Some(Extrapolation {
            metric: row.metric,
            horizon_s: number(row, Axis::HorizonS)?,
            rate: number(row, RATE),
            row,
        })
    });
    let mut all: Vec<_> = all.collect();
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
        text::value(self.row, text::DIGITS)
    }

    /// What it is about: "longest access".
    pub(crate) fn what(&self) -> String {
        let rate = self.rate.map(text::rate);
        let at = rate.map_or_else(String::new, |rate| format!(" at {rate}"));
        match self.metric {
            Metric::LatencyMax => format!("longest access{at}"),
            _ => format!("fill of the buffer in single bytes{at}"),
        }
    }

    pub(crate) fn horizon(&self) -> String {
        text::number(Metric::Lifetime, self.horizon_s, text::DIGITS)
    }
}
