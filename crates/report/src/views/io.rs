//! `wordline io replay`: the file calls of a recorded program on file systems on memories.
//!
//! A line is one kind of call of a file system on a target. Calls are shown as those of `wordline fs bench` are.

mod card;
#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric, RowOperation, Workload};

use super::fs::{slowest_call, slowest_calls, system};
use crate::answer::{Answer, IN_WORDS};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::view::FigureOf::{At, Count, Words};
use crate::view::{Key, LineTable, PlotView, TableView, View, figure};
use card::PlayedSystem;

pub(crate) const VIEW: View = View {
    workload: "io",
    keys: Keys::but(&[Of(Axis::DeviceOperation)]),
    tables: &[
        TableView::Lines(SYSTEMS),
        TableView::Lines(OPERATIONS),
        TableView::Lines(CALLS),
        TableView::Lines(SLOWEST),
    ],
    plots: &[PlotView::Made(slowest_calls)],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// A line for all calls of each file system.
const SYSTEMS: LineTable = LineTable {
    title: "All calls",
    lines: |pivot| pivot.select(|line| line.head().operation == RowOperation::All),
    keys: &[
        Key::Always(LineField::Target),
        Key::Words("file system", |_, line| system(line)),
        Key::Varying(LineField::Timing),
        Key::Always(Of(Axis::CapacityBytes)),
    ],
    figures: &[
        figure("calls", Count(Metric::AccessCount, &[])),
        figure("take together", At(Metric::DurationTotal, &[])),
        figure("slowest", At(Metric::LatencyMax, &[])),
        figure("energy", At(Metric::EnergyTotal, &[])),
        figure("write amp.", At(Metric::WriteAmplification, &[])),
        figure("most cycles", At(Metric::CyclesMax, &[])),
        figure("wear spread", At(Metric::WearSpread, &[])),
    ],
    ..LineTable::EMPTY
};

/// What distinguishes the calls on a target.
const KEYS: &[Key] = &[
    Key::Always(LineField::Operation),
    Key::Words("file system", |_, line| system(line)),
    Key::Varying(LineField::Timing),
];

/// A line for each kind of call, those of the file systems side by side.
const CALLS: LineTable = LineTable {
    title: "{target}",
    lines: kinds,
    keys: KEYS,
    figures: &[
        figure("calls", Count(Metric::AccessCount, &[])),
        figure("take together", At(Metric::DurationTotal, &[])),
        figure("rate", At(Metric::OpsRate, &[])),
        figure("throughput", At(Metric::ThroughputMean, &[])),
        figure("latency p50", At(Metric::LatencyP50, &[])),
        figure("latency p99", At(Metric::LatencyP99, &[])),
        figure("latency max", At(Metric::LatencyMax, &[])),
    ],
    ..LineTable::EMPTY
};

/// A line for each kind of operation that the program marked, and each build of its processor.
const OPERATIONS: LineTable = LineTable {
    title: "{target}: operations of the program, with its instructions where a build is named",
    lines: |pivot| pivot.select(is_marked),
    keys: &[
        Key::Always(LineField::Operation),
        Key::Words("file system", |_, line| system(line)),
        Key::Varying(Of(Axis::Build)),
        Key::Varying(LineField::Timing),
    ],
    figures: &[
        figure("operations", Count(Metric::AccessCount, &[])),
        figure("rate", At(Metric::OpsRate, &[])),
        figure("latency mean", At(Metric::LatencyMean, &[])),
        figure("latency p99", At(Metric::LatencyP99, &[])),
        figure("latency max", At(Metric::LatencyMax, &[])),
    ],
    ..LineTable::EMPTY
};

/// What the slowest call of each kind consisted of.
const SLOWEST: LineTable = LineTable {
    title: "{target}: what the slowest call of each kind consisted of",
    lines: |pivot| {
        let mut lines = kinds(pivot);
        lines.retain(|line| !slowest_call(line).is_empty());
        lines
    },
    keys: KEYS,
    figures: &[
        figure("slowest", At(Metric::LatencyMax, &[])),
        figure(
            "operations of the memory in it",
            Words(|_, line| Some(slowest_call(line))),
        ),
    ],
    ..LineTable::EMPTY
};

/// Whether a line is of one kind of call.
fn is_kind(line: &PivotLine<'_>) -> bool {
    ![RowOperation::Mount, RowOperation::All].contains(&line.head().operation) && !is_marked(line)
}

/// Whether a line is of operations that the program marked.
fn is_marked(line: &PivotLine<'_>) -> bool {
    [RowOperation::Put, RowOperation::Get].contains(&line.head().operation)
}

/// The lines of the kinds of calls, those of a kind side by side.
fn kinds<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let kinds = pivot.select(is_kind);
    crate::pivot::together(kinds, |line| line.head().operation.to_string()).concat()
}

/// The trace, as people name it.
fn trace<'a>(pivot: &Pivot<'a>) -> &'a str {
    match &pivot.document.experiment.workload {
        Workload::Io(io) if !io.file.is_empty() => &io.file,
        _ => "the trace",
    }
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let all = PlayedSystem::all(pivot);
    let sentences = all.iter().take(IN_WORDS).map(|one| one.sentence(pivot));
    let mut sentences: Vec<String> = sentences.collect();
    if all.iter().any(|one| one.total.is_some()) {
        sentences.push(
            "Times are those of the memory and its driver; what program and file system compute is not counted."
                .to_owned(),
        );
    }
    Answer::of_all(sentences)
}
