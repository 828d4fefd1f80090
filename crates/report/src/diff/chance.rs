//! How far a value may move by chance.

use std::collections::HashMap;

use wordline_core::results::{AxisValue, HistogramBucket, ResultSet, Row};
use wordline_core::{Axis, Metric};

use super::key;

/// Standard deviations that chance may take.
const DEVIATIONS: f64 = 3.0;

/// The longest accesses from which on the longest of all counts as chance.
const LONGEST: f64 = 10.0;

/// Settings that say what is drawn and how often.
const SAMPLING: [&str; 9] = [
    "seed",
    "samples",
    "total_bytes",
    "operations",
    "repeat",
    "warm_up_ps",
    "warm_up_bytes",
    "measure_ps",
    "blocks",
];

/// Whether a setting says what is drawn, or how often.
pub(super) fn is_sampling(path: &str) -> bool {
    let name = path.rsplit('.').find(|name| name.parse::<usize>().is_err());
    name.is_some_and(|name| SAMPLING.contains(&name))
}

/// Between which values a value may lie by chance; `None` where the document does not tell.
pub(super) fn interval(
    document: &ResultSet,
    rows: &HashMap<String, &Row>,
    row: &Row,
    replaced: Option<&str>,
) -> Option<(f64, f64)> {
    let at = |statistic: &str| {
        let mut end = row.clone();
        end.axes
            .insert(Axis::Statistic, AxisValue::Text(statistic.to_owned()));
        rows.get(&key(&end, replaced))?.value
    };
    if let Some(ends) = at("low").zip(at("high")) {
        return Some(ends);
    }
    let buckets = document.histograms.get(row.distribution.as_ref()?)?;
    of_distribution(row.metric, row.value?, buckets)
}

/// The same of a statistic of a distribution; `None` of a metric that is none.
pub(super) fn of_distribution(
    metric: Metric,
    value: f64,
    buckets: &[HistogramBucket],
) -> Option<(f64, f64)> {
    let count: f64 = buckets.iter().map(|one| one.count as f64).sum();
    if count < 2.0 {
        return None;
    }
    // The value at a rank, from 1.
    let at_rank = |rank: f64| {
        let mut seen = 0.0;
        let found = buckets.iter().find(|bucket| {
            seen += bucket.count as f64;
            seen >= rank
        });
        found.or(buckets.last()).map(|bucket| bucket.upper_s)
    };
    let quantile = match metric {
        Metric::LatencyMean => {
            let mean = buckets.iter().map(|one| one.upper_s * one.count as f64);
            let mean = mean.sum::<f64>() / count;
            let squares = buckets
                .iter()
                .map(|one| (one.upper_s - mean).powi(2) * one.count as f64);
            let error = (squares.sum::<f64>() / (count - 1.0) / count).sqrt();
            return Some((value - DEVIATIONS * error, value + DEVIATIONS * error));
        }
        Metric::LatencyP50 => 0.5,
        Metric::LatencyP90 => 0.9,
        Metric::LatencyP99 => 0.99,
        Metric::LatencyP999 => 0.999,
        Metric::LatencyMax => {
            let low = at_rank((count - LONGEST + 1.0).max(1.0))?;
            return Some((low.min(value), value + (value - low).max(0.0)));
        }
        _ => return None,
    };
    let reach = DEVIATIONS * (count * quantile * (1.0 - quantile)).sqrt();
    let (low, high) = (count * quantile - reach, count * quantile + reach);
    Some((
        at_rank(low.max(1.0))?.min(value),
        at_rank(high.min(count))?.max(value),
    ))
}
