//! The memory and the storage of this machine: the rows of `wordline host` as people ask for them.
//!
//! A line is a test with its axes: working set, pages and order of addresses; threads, mix and stores; nodes or processors.
//! Latency under load has the rows of `wordline dram loaded` and its tables and plots; storage those of
//! `wordline buffer`. Every figure stands with its interval and its grade.

mod bandwidth;
mod card;
mod latency;
mod matrix;
mod plots;
mod storage;
mod trust;

#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric};

use crate::answer::Answer;
use crate::grid::Grid;
use crate::pivot::LineField::Of;
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::text;
use crate::view::{Key, LineTable, PlotView, TableView, View};
use crate::views::dram;

pub(crate) use latency::{latency, memory_line, working_set_curves};

pub(crate) const VIEW: View = View {
    workload: "host",
    keys: Keys::but(&[
        Of(Axis::Estimate),
        Of(Axis::Over),
        Of(Axis::Load),
        Of(Axis::RateBytesPerS),
        Of(Axis::WithinS),
        Of(Axis::Cache),
        Of(Axis::Arrival),
        Of(Axis::RamBytes),
        Of(Axis::Accesses),
        Of(Axis::AtS),
        Of(Axis::HorizonS),
    ]),
    tables: &[
        TableView::Made(latency::tables),
        TableView::Made(matrix::tables),
        TableView::Made(bandwidth::tables),
        TableView::Made(load_tables),
        TableView::Lines(WITHIN),
        TableView::Made(storage::tables),
        TableView::Made(trust::tables),
    ],
    plots: &[PlotView::Made(plots::plots)],
    answer: |pivot| {
        let mut sentences = latency::sentences(pivot);
        sentences.extend(matrix::sentences(pivot));
        sentences.extend(bandwidth::sentences(pivot));
        sentences.extend(dram::load_sentences(pivot));
        sentences.extend(storage::sentences(pivot));
        Answer::of_each(sentences)
    },
    card: Some(card::card),
    ..View::EMPTY
};

/// Reads that took no longer than the times that were asked for.
const WITHIN: LineTable = LineTable {
    keys: &[
        Key::Words("memory", |pivot, line| pivot.short(line.head()).to_owned()),
        dram::LOAD,
    ],
    ..dram::WITHIN
};

/// The curves and knees of latency under load, as `wordline dram loaded` has them.
fn load_tables(pivot: &Pivot<'_>, width: Option<u16>) -> Vec<Grid> {
    match dram::curves(pivot).is_empty() {
        true => Vec::new(),
        false => dram::curve_tables(pivot, width),
    }
}

/// The lines of a test.
fn of_test<'p, 'a>(pivot: &'p Pivot<'a>, test: &str) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.head().text(Axis::Test) == Some(test))
}

/// A duration.
fn time(seconds: f64) -> String {
    text::number(Metric::LatencyMean, seconds, text::DIGITS)
}

/// Pages that were asked for: "base pages", "2MiB pages"; empty where nothing says it.
fn pages(line: &PivotLine<'_>) -> String {
    match line.head().text(Axis::Pages) {
        Some("base") => "base pages".to_owned(),
        Some(size) => format!(
            "{} pages",
            size.replace("MiB", " MiB").replace("GiB", " GiB")
        ),
        None => String::new(),
    }
}
