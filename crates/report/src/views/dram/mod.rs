//! Memory modules: the rows of `wordline dram` as people ask for them, several targets side by side.
//!
//! A line is a test of a target with a mix, an order of addresses and a load. Estimates, comparisons and shares are
//! parts of it. A test (idle, bandwidth, loaded, surface, trace) has a file of its own with its tables and sentences. Whatever a
//! document lacks is left out.

mod bandwidth;
mod card;
mod carried;
mod idle;
mod loaded;
mod plots;
mod surface;
mod trace;

#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric};

use crate::answer::Answer;
use crate::pivot::LineField::Of;
use crate::pivot::{ANY, At, Keys, Pivot, PivotLine, each, together};
use crate::text;
use crate::view::FigureOf::{self, Made};
use crate::view::{FigureColumn, Key, PartColumns, PlotView, TableView, View, figure};

pub(crate) use card::{load_plot, load_table};
pub(crate) use loaded::{
    LANDMARKS, LOAD, LoadCurve, LoadPoint, WITHIN, curve_tables, curves,
    sentences as load_sentences,
};
pub(crate) use plots::{histograms, latency_over_throughput};

pub(crate) const VIEW: View = View {
    workload: "dram",
    keys: Keys::but(&[
        Of(Axis::Estimate),
        Of(Axis::Over),
        Of(Axis::Choice),
        Of(Axis::MeasuredModule),
        Of(Axis::Setting),
        Of(Axis::Load),
        Of(Axis::RateBytesPerS),
        Of(Axis::WithinS),
        Of(Axis::Cache),
    ]),
    tables: &[
        TableView::Lines(idle::LATENCY),
        TableView::Lines(idle::PARTS),
        TableView::Made(bandwidth::tables),
        TableView::Made(loaded::curve_tables),
        TableView::Lines(carried::GAIN),
        TableView::Made(loaded::at_equal_throughput),
        TableView::Lines(loaded::WITHIN),
        TableView::Lines(loaded::WAITS),
        TableView::Lines(loaded::POWER),
        TableView::Lines(surface::CURVES),
        TableView::Lines(surface::POINTS),
        TableView::Lines(trace::FIGURES),
        TableView::Lines(trace::PARTS),
        TableView::Lines(trace::WAITS),
        TableView::Lines(trace::CACHES),
    ],
    plots: &[PlotView::Made(plots::plots)],
    why: Some(plots::why),
    answer: |pivot| {
        let mut sentences = idle::sentences(pivot);
        sentences.extend(bandwidth::sentences(pivot));
        sentences.extend(loaded::sentences(pivot));
        sentences.extend(surface::sentences(pivot));
        sentences.extend(trace::sentences(pivot));
        Answer::of_each(sentences)
    },
    card: Some(card::card),
    ..View::EMPTY
};

/// The lines of a test.
fn of_test<'p, 'a>(pivot: &'p Pivot<'a>, test: &str) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.head().text(Axis::Test) == Some(test))
}

/// Lines in the order of their mixes.
fn by_mix<'p, 'a>(lines: Vec<&'p PivotLine<'a>>) -> Vec<&'p PivotLine<'a>> {
    together(lines, |line| mix(line)).concat()
}

fn mix<'a>(line: &PivotLine<'a>) -> &'a str {
    line.head().text(Axis::Mix).unwrap_or_default()
}

/// The targets of a document, in its order.
fn targets<'a>(pivot: &Pivot<'a>) -> Vec<&'a str> {
    each(&pivot.lines, |line| line.head().target.as_str())
}

/// The modules as columns or lines of a table.
const MODULE: Key = Key::Words("module", |pivot, line| pivot.short(line.head()).to_owned());

/// How a line compares with that of the first target.
fn ratio(line: &PivotLine<'_>) -> Option<f64> {
    line.at(Metric::ThroughputRatio, OVER)?.value
}

/// Compared with any target.
const OVER: &At = &[(Of(Axis::Over), ANY)];

/// Lines that are compared with those of the first target.
fn compared<'p, 'a>(pivot: &'p Pivot<'a>, test: &str) -> Vec<&'p PivotLine<'a>> {
    let mut lines = of_test(pivot, test);
    lines.retain(|line| line.at(Metric::ThroughputRatio, OVER).is_some());
    lines
}

/// What a gain consists of.
const GAIN: &[FigureColumn] = &[figure(
    "",
    FigureOf::Parts(PartColumns {
        at: OVER,
        told: |row| match row.value {
            Some(part) => points(part),
            None => text::value(row, text::DIGITS),
        },
        ..PartColumns::shares(Metric::ThroughputRatioPart)
    }),
)];

/// What requests waited for.
const WAITS: &[FigureColumn] = &[figure(
    "",
    FigureOf::Parts(PartColumns::shares(Metric::WaitShare)),
)];

/// What the mean latency consists of, the fixed parts first.
const LATENCY_PARTS: &[FigureColumn] = &[figure(
    "",
    FigureOf::Parts(PartColumns {
        least: 5e-13,
        place: |cause| {
            let group = match cause {
                "on_chip" | "link" | "buffer" => 0,
                "activate" => 1,
                "cas" | "burst" => 2,
                _ => 3,
            };
            1000 * group + crate::cause::place(cause)
        },
        ..PartColumns::of(Metric::LatencyMeanPart)
    }),
)];

/// Power by part, and the energy of a byte, each with the band over sets of currents and what buffers may take.
const POWER: &[FigureColumn] = &[
    figure("power", FigureOf::At(Metric::PowerMean, &[])),
    figure("band", Made(|_, line| band(line, Metric::PowerMean))),
    figure("a byte", FigureOf::At(Metric::EnergyPerByte, &[])),
    figure("band", Made(|_, line| band(line, Metric::EnergyPerByte))),
    figure(
        "",
        FigureOf::Parts(PartColumns {
            name: |part| match part {
                "io" => "I/O".to_owned(),
                "pmic_loss" => "PMIC loss".to_owned(),
                other => text::words(other),
            },
            // In the order of the document.
            place: |_| 0,
            ..PartColumns::of(Metric::PowerMeanPart)
        }),
    ),
];

/// A metric over the sets of currents of the dies and what buffers may take: "50.0 to 120 W", or "900 mW to 1.20 W".
fn band(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let end = |name| {
        let value = line.at(metric, &[(Of(Axis::Estimate), name)])?.value?;
        Some(text::number(metric, value, text::DIGITS))
    };
    let (low, high) = (end("band_low")?, end("band_high")?);
    Some(match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    })
}

/// A ratio as a gain: `+38.1 %`.
fn gain(ratio: f64) -> String {
    points(ratio - 1.0)
}

/// A share that was won or lost, in percent with its sign and a decimal: `-0.5 %`.
fn points(share: f64) -> String {
    match text::tenths(share).as_str() {
        "-0.0 %" => "+0.0 %".to_owned(),
        positive if share >= 0.0 && share.is_finite() => format!("+{positive}"),
        told => told.to_owned(),
    }
}

/// A duration.
fn time(seconds: f64) -> String {
    text::number(Metric::LatencyMean, seconds, text::DIGITS)
}

/// Parts of a difference that are put in words: the greatest, at most so many.
const PARTS: usize = 4;

/// The greatest parts of a difference, greatest first: only those that are greater than the least that counts.
fn greatest<'a>(parts: impl Iterator<Item = (&'a str, f64)>, least: f64) -> Vec<(&'a str, f64)> {
    let mut parts: Vec<_> = parts.filter(|(_, part)| part.abs() > least).collect();
    parts.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    parts.truncate(PARTS);
    parts
}
