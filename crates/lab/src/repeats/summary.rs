//! From the repeats of a case to the rows that people read.

use std::collections::{BTreeMap, HashMap};

use wordline_core::results::{HistogramBucket, Row};
use wordline_core::{Axis, Metric, ResultSet};

use super::values::RepeatedValues;
use crate::instrument::rows::LATENCIES;
use crate::warning::LabWarning;

/// Share of its time without a processor from which on a repeat is measured again.
const LOST_MOST: f64 = 0.05;

/// Width of the interval of a rate, over the rate, from which on it is marked.
const SPREAD_MOST: f64 = 0.25;

/// The metrics that say how fast a line is; the first that it has stands for it.
const RATES: [Metric; 3] = [Metric::OpsRate, Metric::ThroughputMean, Metric::LatencyMean];

/// Whether the clock decides a metric. What is counted is the same in every repeat.
fn is_timed(metric: Metric) -> bool {
    RATES.contains(&metric) || LATENCIES.contains(&metric)
}

/// What identifies the rows of one kind of operation: all but their metrics and causes.
fn line_of(row: &Row) -> String {
    let mut head = Row {
        metric: RATES[0],
        ..row.clone()
    };
    head.axes.remove(&Axis::Cause);
    head.identity()
}

/// Share of its time that each line of a document was without a processor, of those that say so.
fn lost_by_line(document: &ResultSet) -> HashMap<String, f64> {
    let rows = document.of(Metric::ProcessorLost);
    rows.filter_map(|row| Some((line_of(row), row.value?)))
        .collect()
}

/// Whether any line has fewer than `wanted` repeats that kept their processor.
pub(super) fn lost_too_many(repeats: &[ResultSet], wanted: usize) -> bool {
    let mut kept: HashMap<String, usize> = HashMap::new();
    for (line, lost) in repeats.iter().flat_map(lost_by_line) {
        *kept.entry(line).or_default() += usize::from(lost <= LOST_MOST);
    }
    kept.values().any(|kept| *kept < wanted)
}

/// A repeat, by the identities of its rows and lines.
struct Repeat<'a> {
    document: &'a ResultSet,
    values: HashMap<String, f64>,
    lost: HashMap<String, f64>,
}

impl<'a> Repeat<'a> {
    fn of(document: &'a ResultSet) -> Self {
        let rows = document.rows.iter();
        Self {
            document,
            values: rows
                .filter_map(|row| Some((row.identity(), row.value?)))
                .collect(),
            lost: lost_by_line(document),
        }
    }

    /// Share of its time that a line was without a processor. One that does not say so shares the worst of its case.
    fn lost(&self, line: &str) -> f64 {
        let worst = || self.lost.values().copied().fold(0.0, f64::max);
        self.lost.get(line).copied().unwrap_or_else(worst)
    }
}

/// The lines of a document with their rows, in their order.
fn lines(document: &ResultSet) -> Vec<(String, Vec<&Row>)> {
    let mut lines: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in &document.rows {
        let line = line_of(row);
        match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, rows)) => rows.push(row),
            None => lines.push((line, vec![row])),
        }
    }
    lines
}

/// The repeats of a line that count, and how many were measured in place of others. The first `wanted` that kept their
/// processor do; where there are not so many, those that lost it for the shortest time besides.
fn counting<'r, 'a>(
    repeats: &'r [Repeat<'a>],
    line: &str,
    wanted: usize,
) -> (Vec<&'r Repeat<'a>>, usize) {
    // How little one that kept its processor was without it says nothing.
    let lost = |one: &Repeat<'_>| Some(one.lost(line)).filter(|lost| *lost > LOST_MOST);
    let mut kept = 0;
    let needed = repeats.iter().take_while(|one| {
        let is_needed = kept < wanted;
        kept += usize::from(lost(one).is_none());
        is_needed
    });
    let mut counting: Vec<_> = needed.collect();
    let measured = counting.len();
    let place = |one: &Repeat<'_>| lost(one).unwrap_or_default();
    counting.sort_by(|one, other| place(one).total_cmp(&place(other)));
    counting.truncate(wanted);
    let replaced = measured - counting.len();
    (counting, replaced)
}

/// One document of all repeats of a case, of each line of those `wanted` that count. `None` without a repeat.
pub(super) fn of(repeats: &[ResultSet], wanted: usize) -> Option<ResultSet> {
    let first = repeats.first()?;
    let mut document = ResultSet {
        rows: Vec::new(),
        histograms: BTreeMap::new(),
        ..first.clone()
    };
    let repeats: Vec<_> = repeats.iter().map(Repeat::of).collect();
    for warning in repeats.iter().flat_map(|one| &one.document.warnings) {
        document.warn(warning.clone());
    }
    for (line, rows) in lines(first) {
        let (counting, replaced) = counting(&repeats, &line, wanted);
        let values = |row: &Row| {
            let identity = row.identity();
            let values = counting.iter().filter_map(|one| one.values.get(&identity));
            RepeatedValues::of(values.copied())
        };
        let found: Vec<_> = rows.iter().map(|row| (*row, values(row))).collect();
        for (row, values) in &found {
            match values {
                Some(values) => add(row, values, &mut document),
                None => document.rows.push((*row).clone()),
            }
        }
        let name = rows.iter().find_map(|row| row.distribution.as_ref());
        if let Some(name) = name {
            let all = counting
                .iter()
                .filter_map(|one| one.document.histograms.get(name));
            document
                .histograms
                .insert(name.clone(), pooled(all.flatten()));
        }
        let of_metric = |metric: &Metric| {
            let (row, values) = found.iter().find(|(row, _)| row.metric == *metric)?;
            Some((*row, values.clone()?))
        };
        if let Some((row, rates)) = RATES.iter().find_map(of_metric) {
            let lost = RepeatedValues::of(counting.iter().map(|one| one.lost(&line)));
            let found = LineRates {
                name: name.map_or(line.as_str(), String::as_str),
                rates,
                lost: lost.map_or(0.0, |lost| lost.median()),
                replaced,
            };
            found.judge(row, &mut document);
        }
    }
    Some(document)
}

/// Adds what the repeats of a row come to: the median, and of the slowest access the longest of all first.
fn add(row: &Row, values: &RepeatedValues, document: &mut ResultSet) {
    let is_longest = row.metric == Metric::LatencyMax;
    let of_all = match is_longest {
        true => values.most(),
        false => values.median(),
    };
    document.rows.push(Row {
        value: Some(of_all),
        no_value: None,
        ..row.clone()
    });
    let median = is_longest.then(|| ("median", values.median()));
    let interval = values.interval().filter(|_| is_timed(row.metric));
    let interval = interval.map(|(low, high)| [("low", low), ("high", high)]);
    for (statistic, value) in median.into_iter().chain(interval.into_iter().flatten()) {
        let mut row = Row {
            value: Some(value),
            no_value: None,
            distribution: None,
            ..row.clone()
        };
        row.axes.insert(Axis::Statistic, statistic.into());
        document.rows.push(row);
    }
}

/// Buckets of several histograms, those with one bound together.
fn pooled<'a>(all: impl Iterator<Item = &'a HistogramBucket>) -> Vec<HistogramBucket> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for bucket in all {
        // The bits of numbers that are not negative are in the order of the numbers.
        *counts.entry(bucket.upper_s.to_bits()).or_default() += bucket.count;
    }
    let buckets = counts.into_iter();
    let buckets = buckets.map(|(bits, count)| HistogramBucket {
        upper_s: f64::from_bits(bits),
        count,
    });
    buckets.collect()
}

/// The rates that count of a line, and how they came about.
struct LineRates<'a> {
    name: &'a str,
    rates: RepeatedValues,
    /// Share of the time without a processor, in the median of the repeats.
    lost: f64,
    /// Repeats that do not count.
    replaced: usize,
}

impl LineRates<'_> {
    /// Adds how far the line can be trusted, and a warning where the machine disturbed it.
    fn judge(&self, rate: &Row, document: &mut ResultSet) {
        let spread = self.rates.spread();
        let disturbance = u8::from(self.lost > LOST_MOST) + 2 * u8::from(spread > SPREAD_MOST);
        let (repeats, outliers) = (self.rates.count(), self.rates.outliers());
        for (metric, value) in [
            (Metric::Repeats, repeats as f64),
            (Metric::RepeatsReplaced, self.replaced as f64),
            (Metric::RepeatOutliers, outliers as f64),
            (Metric::Disturbance, f64::from(disturbance)),
        ] {
            document.rows.push(Row {
                metric,
                value: Some(value),
                no_value: None,
                unit: metric.unit().to_owned(),
                distribution: None,
                ..rate.clone()
            });
        }
        if disturbance > 0 {
            document.warn(LabWarning::Disturbed {
                name: &self.name,
                lost: &(100.0 * self.lost),
                spread: &(100.0 * spread),
                repeats: &repeats,
                outliers: &outliers,
                replaced: &self.replaced,
            });
        }
    }
}
