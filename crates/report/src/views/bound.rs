//! `wordline fs bound`: what calls of the real-time layer cost at most.
//!
//! A line is a call of a layer: a target, a capacity and a column of the sheet. What each call consists of is its formula: a
//! count of each operation of the memory, times its duration.

mod card;
#[cfg(test)]
mod tests;

use wordline_core::{Axis, Basis, Metric, RowOperation};

use super::fs::slowest_call;
use crate::answer::Answer;
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::view::FigureOf::{Along, At, Words};
use crate::view::{Key, LineTable, TableView, View, figure};

pub(crate) const VIEW: View = View {
    workload: "bound",
    keys: Keys::but(&[
        Of(Axis::DeviceOperation),
        Of(Axis::RateBytesPerS),
        Of(Axis::Arrival),
        Of(Axis::Accesses),
    ]),
    tables: &[
        TableView::Lines(CALLS),
        TableView::Lines(FILES),
        TableView::Lines(RAM),
        TableView::Lines(TOTALS),
    ],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// What distinguishes the layers on a target.
const LAYER: [Key; 2] = [
    Key::Varying(Of(Axis::CapacityShare)),
    Key::Always(LineField::Timing),
];

/// A line for each call, with its formula.
const CALLS: LineTable = LineTable {
    title: "{target}: the longest that each call takes",
    lines: of_layer,
    keys: &[Key::Words("call", |_, line| call(line)), LAYER[0], LAYER[1]],
    figures: &[
        figure("at most", At(Metric::LatencyMax, &[])),
        figure("floor", At(Metric::LatencyFloor, &[])),
        figure("consists of", Words(|_, line| Some(slowest_call(line)))),
    ],
    ..LineTable::EMPTY
};

/// A line for each call on files.
const FILES: LineTable = LineTable {
    title: "{target}: the longest that each call on files takes",
    lines: of_files,
    ..CALLS
};

/// Records that wait, at each rate.
const RAM: LineTable = LineTable {
    title: "{target}: rate and RAM of overwrites",
    lines: overwrites,
    keys: &LAYER,
    figures: &[
        figure("proven rate", At(Metric::RateMax, &[])),
        figure(
            "records at {}",
            Along(
                Metric::RamPeak,
                Axis::RateBytesPerS,
                &[(Of(Axis::Arrival), "record")],
            ),
        ),
        figure(
            "fluid at {}",
            Along(
                Metric::RamPeak,
                Axis::RateBytesPerS,
                &[(Of(Axis::Arrival), "fluid")],
            ),
        ),
    ],
    ..LineTable::EMPTY
};

/// The longest totals of calls in a row.
const TOTALS: LineTable = LineTable {
    title: "{target}: the longest totals of overwrites in a row",
    lines: overwrites,
    keys: &LAYER,
    figures: &[figure(
        "{}",
        Along(Metric::SequenceDurationMax, Axis::Accesses, &[]),
    )],
    ..LineTable::EMPTY
};

/// The lines of calls on the layer itself.
fn of_layer<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.axis(Axis::Fs).is_none())
}

/// The lines of calls on files.
fn of_files<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.axis(Axis::Fs).is_some())
}

/// The lines of overwrites as a whole.
fn overwrites<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| {
        line.head().operation == RowOperation::Overwrite
            && line.axis(Axis::During).is_none()
            && line.axis(Axis::Fs).is_none()
    })
}

/// "overwrite 4 KiB, with its steps".
fn call(line: &PivotLine<'_>) -> String {
    let operation = line.head().operation;
    match (operation, &*line.field(Axis::During)) {
        (RowOperation::Step, "move") => "– that moves a page within the chip".to_owned(),
        (RowOperation::Overwrite, "steps") => "– with steps beside it".to_owned(),
        (RowOperation::Overwrite, "erase") => "– with an erase beside it".to_owned(),
        (RowOperation::Overwrite | RowOperation::Read, _) => {
            format!("{operation} {}", line.field(Axis::AccessBytes))
        }
        (RowOperation::AppendSync, _) => {
            format!("append {} with sync", line.field(Axis::AccessBytes))
        }
        (RowOperation::Delete, _) => "remove".to_owned(),
        (RowOperation::MakeDirectory, _) => "make a directory".to_owned(),
        (RowOperation::DiscardFront, _) => "drop the front".to_owned(),
        (RowOperation::Free, _) => "a piece of freeing".to_owned(),
        (RowOperation::Mount, _) => "mount after a power cut".to_owned(),
        (RowOperation::Step | RowOperation::Erase, _) => format!("{operation} ahead"),
        _ => operation.to_string(),
    }
}

/// Whether every bound of some lines is proven.
fn is_proven(lines: &[&PivotLine<'_>]) -> bool {
    lines.iter().all(|line| line.head().basis == Basis::Proven)
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let mut sentences = Vec::new();
    for line in overwrites(pivot) {
        let time = |metric| line.told(metric).unwrap_or_default();
        let told = match line.head().basis {
            Basis::Proven => "is proven to end",
            _ => "ends, as far as the sheet states it,",
        };
        sentences.push(format!(
            "On {} at {} of the chip, {} timing, each overwrite {told} within {}.",
            line.head().target,
            line.field(Axis::CapacityShare),
            line.head().timing,
            time(Metric::LatencyMax),
        ));
        sentences.push(format!(
            "Such overwrites come to {} at least, in any order; {} is the floor of every file system on this chip.",
            time(Metric::RateMax),
            time(Metric::LatencyFloor),
        ));
    }
    Answer::of_all(sentences)
}
