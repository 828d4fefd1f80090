//! RAM for a fixed input rate: the rows of `wordline buffer` as people ask for them.
//!
//! A document holds cases: a target, an operation and a record size. Each case was examined with one
//! or more columns of the data sheet, and its lines are curves: RAM along the rate, the highest rate
//! along the RAM, the longest sequences along their length, durations along the time. Which lines
//! there are is up to the document; what is missing is left out.

mod answer;
mod card;
mod estimates;
mod layer;
mod plots;
mod provision;
mod stairs;
mod tables;

#[cfg(test)]
mod tests;

use wordline_core::results::{NoValue, ResultSet, Row};
use wordline_core::{Axis, Metric, Workload};

use crate::pivot::LineField::{Age, Board, Of, Operation, Part, Target};
use crate::pivot::{ANY, Keys, Pivot, PivotLine, ascending, together};
use crate::text::{self, TargetKind};
use crate::view::{PlotView, TableView, View};

pub(crate) use card::ram_needed;
pub(crate) use plots::plots;
pub(crate) use tables::tables;

pub(crate) const VIEW: View = View {
    workload: "buffer",
    keys: Keys::but(&[
        Of(ARRIVAL),
        Of(ESTIMATE),
        Of(RATE),
        Of(RAM),
        Of(Axis::Accesses),
        Of(Axis::AtS),
        Of(Axis::HorizonS),
    ]),
    tables: &[TableView::Made(tables::tables)],
    plots: &[PlotView::Made(plots::plots)],
    answer: answer::answer,
    card: Some(card::card),
    ..View::EMPTY
};

pub(crate) const RATE: Axis = Axis::RateBytesPerS;
pub(crate) const RECORD: Axis = Axis::AccessBytes;
pub(crate) const RAM: Axis = Axis::RamBytes;
const ARRIVAL: Axis = Axis::Arrival;
pub(crate) const ESTIMATE: Axis = Axis::Estimate;
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

/// Something that was examined: a target, what it does, and its record.
pub(crate) struct BufferCase<'a, 'p> {
    /// A row that stands for all: target, operation and record are theirs.
    pub(crate) head: &'a Row,
    /// A line for each column of the data sheet, in the order of the document.
    pub(crate) timings: Vec<&'p PivotLine<'a>>,
}

impl<'a, 'p> BufferCase<'a, 'p> {
    /// The cases of a document, in its order.
    pub(crate) fn all_of(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let case = |line: &&PivotLine<'a>| {
            let columns = [Target, Part, Board, Operation, Age];
            let given = [Of(RECORD), Of(Axis::Fill), Of(Axis::Ftl)];
            (
                columns.map(|column| line.field(column)),
                given.map(|axis| line.field(axis)),
            )
        };
        let cases = together(pivot.lines.iter().collect(), case).into_iter();
        let cases = cases.map(|timings| Self {
            head: timings[0].head(),
            timings,
        });
        cases.collect()
    }

    /// The record as people read it; empty where records vary.
    pub(crate) fn record(&self) -> String {
        let record = self.head.axes.get(&RECORD);
        record.map_or_else(String::new, |value| text::coordinate(RECORD, value))
    }

    /// Of what size records are: " of 4 KiB"; empty where they vary.
    pub(crate) fn of_record(&self) -> String {
        match self.record() {
            record if record.is_empty() => record,
            record => format!(" of {record}"),
        }
    }

    /// The bytes of a record; `None` where records vary.
    pub(crate) fn record_bytes(&self) -> Option<f64> {
        text::numeric(self.head.axes.get(&RECORD)?)
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
        let layer = self.head.text(Axis::Ftl);
        let layer = layer.map(|layer| format!("translation layer: {layer}"));
        let fill = self.head.axes.get(&Axis::Fill);
        let fill = fill.map(|fill| format!("{} full", text::coordinate(Axis::Fill, fill)));
        let words: Vec<String> = layer.into_iter().chain(fill).collect();
        if words.is_empty() {
            String::new()
        } else {
            format!(" ({})", words.join("; "))
        }
    }

    /// Whether it was measured elsewhere: a log knows no columns of a data sheet.
    pub(crate) fn is_log(&self) -> bool {
        text::without_kind(&self.head.target, TargetKind::Log).is_some()
    }

    /// A column of the data sheet in a heading: `typ `; nothing for a log.
    pub(crate) fn heading(&self, run: &PivotLine<'_>) -> String {
        if self.is_log() && self.timings.len() == 1 {
            String::new()
        } else {
            format!("{} ", run.head().timing)
        }
    }

    /// A column of the data sheet in a sentence: ` at typical timing`; nothing for a log.
    pub(crate) fn clause(&self, run: &PivotLine<'_>) -> String {
        if self.is_log() && self.timings.len() == 1 {
            String::new()
        } else {
            format!(" {}", text::at_timing(run.head().timing))
        }
    }
}

/// Rows of a metric along a numeric axis, ascending in it.
pub(crate) type Curve<'a> = Vec<(f64, &'a Row)>;

/// A metric along an axis for one way of arrival, `record` or `fluid`.
pub(crate) fn arriving<'a>(
    run: &PivotLine<'a>,
    metric: Metric,
    axis: Axis,
    arrival: &str,
) -> Curve<'a> {
    run.along(metric, axis, &[(Of(ARRIVAL), arrival)])
}

/// The same of an estimate; it may be given for one way of arrival or for both at once.
fn estimated<'a>(
    run: &PivotLine<'a>,
    metric: Metric,
    axis: Axis,
    arrival: &str,
    estimate: &str,
) -> Curve<'a> {
    let estimate = (Of(ESTIMATE), estimate);
    let own = run.along(metric, axis, &[(Of(ARRIVAL), arrival), estimate]);
    match own.is_empty() {
        true => run.along(metric, axis, &[estimate]),
        false => own,
    }
}

/// A metric of all accesses, or an estimate of it.
fn summary<'a>(run: &PivotLine<'a>, metric: Metric, estimate: Option<&str>) -> Option<&'a Row> {
    let at: Vec<_> = estimate
        .map(|name| (Of(ESTIMATE), name))
        .into_iter()
        .collect();
    run.at(metric, &at)
}

/// The fill of the buffer over time, for each rate that was followed.
fn fills<'a>(run: &PivotLine<'a>) -> Vec<(f64, Curve<'a>)> {
    let filled = run.along(Metric::BufferFillMax, RATE, &[(Of(Axis::AtS), ANY)]);
    let rates = together(filled, |(rate, _)| rate.to_bits()).into_iter();
    let curves = rates.map(|own| {
        let at = |row: &'a Row| Some((text::numeric(row.axes.get(&Axis::AtS)?)?, row));
        let mut curve: Curve<'a> = own.iter().filter_map(|(_, row)| at(row)).collect();
        curve.retain(|(place, _)| place.is_finite());
        curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        (own[0].0, curve)
    });
    curves.collect()
}

/// Above this rate no RAM is enough; of a histogram, that of its worst reading.
fn sustained(run: &PivotLine<'_>) -> Option<f64> {
    let of = |estimate| summary(run, Metric::ThroughputMean, estimate)?.value;
    of(None).or_else(|| of(Some(MOST)))
}

/// The row at a place of a curve.
fn at<'a>(curve: &Curve<'a>, place: f64) -> Option<&'a Row> {
    let found = curve.binary_search_by(|(other, _)| other.total_cmp(&place));
    found.ok().map(|index| curve[index].1)
}

/// The value of a row, with the word for why there is none.
fn told_value(row: Option<&Row>) -> Option<String> {
    Some(text::value(row?, text::DIGITS))
}

/// Whether no RAM is enough there.
fn is_unbounded(row: &Row) -> bool {
    row.no_value == Some(NoValue::Unbounded)
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
