//! RAM for a fixed input rate: the rows of `wordline buffer` as people ask for them.
//!
//! A document holds cases: a target, an operation and a record size. Each case was examined with one
//! or more columns of the data sheet, and its lines are curves: RAM along the rate, the highest rate
//! along the RAM, the longest sequences along their length, durations along the time. Which lines
//! there are is up to the document; what is missing is left out.

mod answer;
mod estimates;
mod layer;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use wordline_core::results::{NoValue, ResultSet, Row};
use wordline_core::{Metric, Timing, Workload};

use crate::pivot::{Line, Pivot};
use crate::text;

pub(crate) use answer::told;
pub(crate) use tables::tables;

pub(crate) const RATE: &str = "rate_bytes_per_s";
pub(crate) const RECORD: &str = "access_bytes";
pub(crate) const RAM: &str = "ram_bytes";
/// What a case is given besides its target: no axis of its curves.
const GIVEN: [&str; 3] = [RECORD, "fill", "ftl"];
const ARRIVAL: &str = "arrival";
pub(crate) const ESTIMATE: &str = "estimate";
/// What a histogram leaves open: the need in the kindest order of its accesses and in the worst.
pub(crate) const LEAST: &str = "least";
pub(crate) const MOST: &str = "most";
/// A trace replayed at its own times.
const OWN_TIMES: &str = "own_times";

/// The input rates that the user asked for, in B/s, ascending.
pub(crate) fn asked_rates(document: &ResultSet) -> Vec<f64> {
    match &document.experiment.workload {
        Workload::Buffer(workload) => ascending(workload.rates_bytes_per_s.iter().copied()),
        Workload::Raw(_)
        | Workload::Compare(_)
        | Workload::Dram(_)
        | Workload::Fit(_)
        | Workload::Fs(_)
        | Workload::Health(_)
        | Workload::Kv(_)
        | Workload::Wear(_) => Vec::new(),
    }
}

/// The sizes of RAM that the user asked for, in bytes, ascending.
pub(crate) fn asked_ram(document: &ResultSet) -> Vec<f64> {
    match &document.experiment.workload {
        Workload::Buffer(workload) => {
            ascending(workload.ram_bytes.iter().map(|bytes| *bytes as f64))
        }
        Workload::Raw(_)
        | Workload::Compare(_)
        | Workload::Dram(_)
        | Workload::Fit(_)
        | Workload::Fs(_)
        | Workload::Health(_)
        | Workload::Kv(_)
        | Workload::Wear(_) => Vec::new(),
    }
}

fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Something that was examined: a target, what it does, and its record.
pub(crate) struct Case<'a, 'p> {
    /// A row that stands for all: target, operation and record are theirs.
    pub(crate) head: &'a Row,
    /// One for each column of the data sheet, in the order of the document.
    pub(crate) runs: Vec<Run<'a, 'p>>,
}

/// A case with one column of the data sheet.
pub(crate) struct Run<'a, 'p> {
    pub(crate) timing: Timing,
    lines: Vec<&'p Line<'a>>,
    /// The lines that have one axis besides the record and the texts of their key, ascending in it.
    curves: HashMap<CurveKey<'a>, Curve<'a, 'p>>,
}

/// What tells the curves of a run apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CurveKey<'a> {
    axis: &'a str,
    arrival: Option<&'a str>,
    estimate: Option<&'a str>,
}

impl<'a> CurveKey<'a> {
    /// Of a line; `None` where it has no axis of its own or several.
    fn of(line: &Line<'a>) -> Option<Self> {
        let head = line.head();
        let text = |name: &str| matches!(name, ARRIVAL | ESTIMATE) && head.text(name).is_some();
        let mut own = line
            .axes()
            .map(|(name, _)| name)
            .filter(|name| !GIVEN.contains(name) && !text(name));
        let (axis, None) = (own.next()?, own.next()) else {
            return None;
        };
        Some(Self {
            axis,
            arrival: head.text(ARRIVAL),
            estimate: head.text(ESTIMATE),
        })
    }
}

/// Lines along a numeric axis, ascending in it.
pub(crate) type Curve<'a, 'p> = Vec<(f64, &'p Line<'a>)>;

impl<'a, 'p> Case<'a, 'p> {
    /// The cases of a document, in its order.
    pub(crate) fn all_of(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let mut places = HashMap::new();
        let mut cases: Vec<Self> = Vec::new();
        for line in &pivot.lines {
            let head = line.head();
            let given = GIVEN.map(|axis| line.axis(axis).map(ToString::to_string));
            let names = (&head.target, &head.part, &head.board, &head.operation);
            let key = (names, head.age.to_bits(), given);
            let place = *places.entry(key).or_insert(cases.len());
            if place == cases.len() {
                cases.push(Self {
                    head,
                    runs: Vec::new(),
                });
            }
            let runs = &mut cases[place].runs;
            match runs.iter_mut().find(|run| run.timing == head.timing) {
                Some(run) => run.lines.push(line),
                None => runs.push(Run {
                    timing: head.timing,
                    lines: vec![line],
                    curves: HashMap::new(),
                }),
            }
        }
        for run in cases.iter_mut().flat_map(|case| &mut case.runs) {
            run.draw();
        }
        cases
    }

    /// The record as people read it; empty where records vary.
    pub(crate) fn record(&self) -> String {
        let record = self.head.axes.get(RECORD);
        record.map_or_else(String::new, |value| text::coordinate(RECORD, value))
    }

    /// The bytes of a record; `None` where records vary.
    pub(crate) fn record_bytes(&self) -> Option<f64> {
        text::numeric(self.head.axes.get(RECORD)?)
    }

    /// Target, operation and record, as a heading names them.
    pub(crate) fn name(&self) -> String {
        let mut name = format!(
            "{}{}, {}",
            self.head.target,
            self.conditions(),
            text::words(&self.head.operation)
        );
        let record = self.record();
        if !record.is_empty() {
            name += &format!(", records of {record}");
        }
        if self.head.age != 0.0 {
            name += &format!(", age {}", self.head.age);
        }
        name
    }

    /// The layer that it was run behind, and how much of the memory held data: " (translation layer: page, 12 %
    /// spare; 50 % full)". Empty where neither was asked for.
    pub(crate) fn conditions(&self) -> String {
        let layer = self.head.text("ftl");
        let layer = layer.map(|layer| format!("translation layer: {layer}"));
        let fill = self.head.axes.get("fill");
        let fill = fill.map(|fill| format!("{} full", text::coordinate("fill", fill)));
        let words: Vec<String> = layer.into_iter().chain(fill).collect();
        if words.is_empty() {
            String::new()
        } else {
            format!(" ({})", words.join("; "))
        }
    }

    /// Whether it was measured elsewhere: a log knows no columns of a data sheet.
    pub(crate) fn is_log(&self) -> bool {
        self.head.target.starts_with("log:")
    }

    /// A column of the data sheet in a heading: `typ `; nothing for a log.
    pub(crate) fn heading(&self, run: &Run<'_, '_>) -> String {
        if self.is_log() && self.runs.len() == 1 {
            String::new()
        } else {
            format!("{} ", run.timing)
        }
    }

    /// A column of the data sheet in a sentence: ` at typical timing`; nothing for a log.
    pub(crate) fn clause(&self, run: &Run<'_, '_>) -> String {
        if self.is_log() && self.runs.len() == 1 {
            String::new()
        } else {
            format!(" {}", text::at_timing(run.timing))
        }
    }
}

impl<'a, 'p> Run<'a, 'p> {
    /// The line that sums all accesses up: no axis but the record, and perhaps an estimate.
    pub(crate) fn summary(&self, estimate: Option<&str>) -> Option<&'p Line<'a>> {
        let wanted = |line: &&'p Line<'a>| {
            let mut axes = line.axes().filter(|(axis, _)| !GIVEN.contains(axis));
            let own = axes.all(|(axis, _)| axis == ESTIMATE);
            own && line.head().text(ESTIMATE) == estimate
        };
        self.lines.iter().copied().find(wanted)
    }

    /// Sorts the lines into curves, once: many questions are asked of them.
    fn draw(&mut self) {
        for line in &self.lines {
            let Some(key) = CurveKey::of(line) else {
                continue;
            };
            let place = line.coordinate(key.axis).filter(|place| place.is_finite());
            let points = place.map(|place| (place, *line));
            self.curves.entry(key).or_default().extend(points);
        }
        for curve in self.curves.values_mut() {
            curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        }
    }

    /// The lines along an axis that have no further one but the record.
    pub(crate) fn along(
        &self,
        axis: &str,
        arrival: Option<&str>,
        estimate: Option<&str>,
    ) -> Curve<'a, 'p> {
        let curve = self.curves.iter().find(|(key, _)| {
            key.axis == axis && key.arrival == arrival && key.estimate == estimate
        });
        curve.map_or_else(Vec::new, |(_, curve)| curve.clone())
    }

    /// The plain results along an axis for one way of arrival, `record` or `fluid`.
    pub(crate) fn arriving(&self, axis: &str, arrival: &str) -> Curve<'a, 'p> {
        self.along(axis, Some(arrival), None)
    }

    /// The same of an estimate; it may be told for one way of arrival or for both at once.
    pub(crate) fn estimated(&self, axis: &str, arrival: &str, estimate: &str) -> Curve<'a, 'p> {
        let own = self.along(axis, Some(arrival), Some(estimate));
        if own.is_empty() {
            self.along(axis, None, Some(estimate))
        } else {
            own
        }
    }

    /// The fill of the buffer over time, for each rate that was followed.
    pub(crate) fn fills(&self) -> Vec<(f64, Curve<'a, 'p>)> {
        let mut fills: Vec<(f64, Curve<'a, 'p>)> = Vec::new();
        let mut places = HashMap::new();
        for line in &self.lines {
            let (Some(rate), Some(at)) = (line.coordinate(RATE), line.coordinate("at_s")) else {
                continue;
            };
            let plain = line.head().text(ESTIMATE).is_none();
            if !plain || line.row(Metric::BufferFillMax, None).is_none() {
                continue;
            }
            let place = *places.entry(rate.to_bits()).or_insert(fills.len());
            if place == fills.len() {
                fills.push((rate, Vec::new()));
            }
            fills[place].1.push((at, line));
        }
        for (_, curve) in &mut fills {
            curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        }
        fills.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        fills
    }

    /// Above this rate no RAM is enough; of a histogram, that of its worst reading.
    pub(crate) fn sustained(&self) -> Option<f64> {
        let of = |estimate| {
            let line = self.summary(estimate)?;
            line.number(Metric::ThroughputMean)
        };
        of(None).or_else(|| of(Some(MOST)))
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &'p Line<'a>> {
        self.lines.iter().copied()
    }
}

/// The line at a place of a curve.
pub(crate) fn at<'a, 'p>(curve: &Curve<'a, 'p>, place: f64) -> Option<&'p Line<'a>> {
    let found = curve.binary_search_by(|(other, _)| other.total_cmp(&place));
    found.ok().map(|index| curve[index].1)
}

/// A metric of a line, with the word for why there is none; `None` where the line lacks it.
pub(crate) fn told_value(line: Option<&Line<'_>>, metric: Metric) -> Option<String> {
    let row = line?.row(metric, None)?;
    Some(text::value(row, text::DIGITS))
}

/// Whether no RAM is enough there.
pub(crate) fn is_unbounded(line: &Line<'_>) -> bool {
    let metrics = [Metric::RamPeak, Metric::RamPeakInFlight];
    let mut rows = metrics.iter().filter_map(|metric| line.row(*metric, None));
    rows.any(|row| row.no_value == Some(NoValue::Unbounded))
}

/// At most so many of some things, evenly thinned, first and last included.
pub(crate) fn thinned<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most.max(2) {
        return all.to_vec();
    }
    let last = all.len() - 1;
    let steps = most.max(2) - 1;
    (0..=steps)
        .map(|step| all[step * last / steps].clone())
        .collect()
}
