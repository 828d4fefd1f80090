//! RAM for a fixed input rate: the rows of `wordline buffer` as people ask for them.
//!
//! A document holds cases: a target, an operation and a record size. Each case was examined with one
//! or more columns of the data sheet, and its lines are curves: RAM along the rate, the highest rate
//! along the RAM, the longest sequences along their length, durations along the time. Which lines
//! there are is up to the document; what is missing is left out.

mod answer;
mod estimates;
mod layer;
mod plots;
mod stairs;
mod tables;

#[cfg(test)]
mod tests;

use wordline_core::results::{NoValue, ResultSet, Row};
use wordline_core::{Metric, Timing, Workload};

use crate::pivot::{Keys, Pivot, PivotLine, together};
use crate::text;
use crate::view::{PlotView, TableView, View};

pub(crate) const VIEW: View = View {
    workload: "buffer",
    keys: Keys::ALL,
    lead: &[],
    tables: &[TableView::Made(tables::tables)],
    plots_first: true,
    plots: &[PlotView::Made(plots::plots)],
    by_series: false,
    why: None,
    answer: answer::answer,
};

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
    let Workload::Buffer(workload) = &document.experiment.workload else {
        return Vec::new();
    };
    ascending(workload.rates_bytes_per_s.iter().copied())
}

/// The sizes of RAM that the user asked for, in bytes, ascending.
pub(crate) fn asked_ram(document: &ResultSet) -> Vec<f64> {
    let Workload::Buffer(workload) = &document.experiment.workload else {
        return Vec::new();
    };
    ascending(workload.ram_bytes.iter().map(|bytes| *bytes as f64))
}

fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Something that was examined: a target, what it does, and its record.
pub(crate) struct BufferCase<'a, 'p> {
    /// A row that stands for all: target, operation and record are theirs.
    pub(crate) head: &'a Row,
    /// One for each column of the data sheet, in the order of the document.
    pub(crate) timings: Vec<TimedLines<'a, 'p>>,
}

/// The lines of a case with one column of the data sheet.
pub(crate) struct TimedLines<'a, 'p> {
    pub(crate) timing: Timing,
    lines: Vec<&'p PivotLine<'a>>,
}

/// Lines along a numeric axis, ascending in it.
pub(crate) type Curve<'a, 'p> = Vec<(f64, &'p PivotLine<'a>)>;

impl<'a, 'p> BufferCase<'a, 'p> {
    /// The cases of a document, in its order.
    pub(crate) fn all_of(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let all: Vec<_> = pivot.lines.iter().collect();
        let case = |line: &&PivotLine<'a>| {
            let head = line.head();
            let given = GIVEN.map(|axis| line.field(axis));
            (
                &head.target,
                &head.part,
                &head.board,
                &head.operation,
                head.age.to_bits(),
                given,
            )
        };
        let cases = together(all, case).into_iter();
        let cases = cases.map(|lines| Self {
            head: lines[0].head(),
            timings: together(lines, |line| line.head().timing)
                .into_iter()
                .map(|lines| TimedLines {
                    timing: lines[0].head().timing,
                    lines,
                })
                .collect(),
        });
        cases.collect()
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
            text::words(self.head.operation.name())
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
    pub(crate) fn heading(&self, run: &TimedLines<'_, '_>) -> String {
        if self.is_log() && self.timings.len() == 1 {
            String::new()
        } else {
            format!("{} ", run.timing)
        }
    }

    /// A column of the data sheet in a sentence: ` at typical timing`; nothing for a log.
    pub(crate) fn clause(&self, run: &TimedLines<'_, '_>) -> String {
        if self.is_log() && self.timings.len() == 1 {
            String::new()
        } else {
            format!(" {}", text::at_timing(run.timing))
        }
    }
}

impl<'a, 'p> TimedLines<'a, 'p> {
    /// The lines whose axes are these and what the case is given.
    fn having<'s>(
        &'s self,
        axes: &'s [(&'s str, Option<&'s str>)],
    ) -> impl Iterator<Item = &'p PivotLine<'a>> + use<'a, 'p, 's> {
        self.lines.iter().copied().filter(move |line| {
            let wanted = |axis: &str| axes.iter().find(|(name, _)| *name == axis);
            let given = |axis: &str| GIVEN.contains(&axis);
            let own = line.axes().filter(|(axis, _)| !given(axis)).count();
            own == axes.len()
                && line
                    .axes()
                    .filter(|(axis, _)| !given(axis))
                    .all(|(axis, _)| {
                        wanted(axis).is_some_and(|(_, text)| {
                            text.is_none_or(|text| line.head().text(axis) == Some(text))
                        })
                    })
        })
    }

    /// The line that sums all accesses up, or an estimate of it.
    pub(crate) fn summary(&self, estimate: Option<&str>) -> Option<&'p PivotLine<'a>> {
        let axes: Vec<_> = estimate
            .map(|name| (ESTIMATE, Some(name)))
            .into_iter()
            .collect();
        self.having(&axes).next()
    }

    /// The lines along an axis, for one way of arrival or one estimate where they are named.
    pub(crate) fn along(
        &self,
        axis: &str,
        arrival: Option<&str>,
        estimate: Option<&str>,
    ) -> Curve<'a, 'p> {
        let mut axes = vec![(axis, None)];
        axes.extend(arrival.map(|name| (ARRIVAL, Some(name))));
        axes.extend(estimate.map(|name| (ESTIMATE, Some(name))));
        ascending_in(axis, self.having(&axes))
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
        let lines = self.having(&[(RATE, None), ("at_s", None)]);
        let filled = lines.filter(|line| line.row(Metric::BufferFillMax, None).is_some());
        let filled = ascending_in(RATE, filled);
        let rates = together(filled, |(rate, _)| rate.to_bits()).into_iter();
        let curves = rates.map(|own| {
            let rate = own[0].0;
            (
                rate,
                ascending_in("at_s", own.into_iter().map(|(_, line)| line)),
            )
        });
        curves.collect()
    }

    /// Above this rate no RAM is enough; of a histogram, that of its worst reading.
    pub(crate) fn sustained(&self) -> Option<f64> {
        let of = |estimate| {
            let line = self.summary(estimate)?;
            line.number(Metric::ThroughputMean)
        };
        of(None).or_else(|| of(Some(MOST)))
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &'p PivotLine<'a>> {
        self.lines.iter().copied()
    }
}

/// Lines with their places along an axis.
fn ascending_in<'a, 'p>(
    axis: &str,
    lines: impl Iterator<Item = &'p PivotLine<'a>>,
) -> Curve<'a, 'p> {
    let places = lines.filter_map(|line| Some((line.coordinate(axis)?, line)));
    let mut curve: Curve<'a, 'p> = places.filter(|(place, _)| place.is_finite()).collect();
    curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    curve
}

/// The line at a place of a curve.
pub(crate) fn at<'a, 'p>(curve: &Curve<'a, 'p>, place: f64) -> Option<&'p PivotLine<'a>> {
    let found = curve.binary_search_by(|(other, _)| other.total_cmp(&place));
    found.ok().map(|index| curve[index].1)
}

/// A metric of a line, with the word for why there is none; `None` where the line lacks it.
pub(crate) fn told_value(line: Option<&PivotLine<'_>>, metric: Metric) -> Option<String> {
    let row = line?.row(metric, None)?;
    Some(text::value(row, text::DIGITS))
}

/// Whether no RAM is enough there.
pub(crate) fn is_unbounded(line: &PivotLine<'_>) -> bool {
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
