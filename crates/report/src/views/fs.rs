//! `wordline fs bench`: file systems on memories.
//!
//! A line is one operation of a file system on a target at a fill level. Its slowest call is shown with
//! the operations of the memory that it consisted of.

mod card;
#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric, RowOperation};
use wordline_engines::FILE_SYSTEMS;

use crate::answer::{Answer, IN_WORDS};
use crate::html::bars::{BarPiece, BarScale, StackedBars};
use crate::html::plot::Plot;
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine, differs, each, together};
use crate::text;
use crate::view::FigureOf::{Along, At, Made, Words};
use crate::view::{Key, LineTable, PlotView, TableView, View, figure};

pub(crate) const VIEW: View = View {
    workload: "fs",
    keys: Keys::but(&[
        Of(Axis::DeviceOperation),
        Of(Axis::RateBytesPerS),
        Of(Axis::Arrival),
    ]),
    tables: &[
        TableView::Lines(SYSTEMS),
        TableView::Lines(CALLS),
        TableView::Lines(SLOWEST),
    ],
    plots: &[PlotView::Made(slowest_calls)],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// A line for each mounted file system, with what power cuts left of it.
const SYSTEMS: LineTable = LineTable {
    title: "File systems",
    lines: |pivot| pivot.select(|line| line.head().operation == RowOperation::Mount),
    keys: &[
        Key::Always(LineField::Target),
        Key::Words("file system", |_, line| system(line)),
        Key::Varying(LineField::Timing),
        Key::Always(Of(Axis::CapacityBytes)),
        Key::Always(Of(Axis::Fill)),
    ],
    figures: &[
        figure("mount", At(Metric::LatencyMax, &[])),
        figure("RAM", At(Metric::FileSystemRam, &[])),
        figure("power cuts", Made(power_cuts)),
    ],
    ..LineTable::EMPTY
};

/// How the operations of a memory are counted in words, in the order of rows, with their colours.
const OPERATIONS: [(&str, &str, &str); 7] = [
    ("erase", "erases", "#3B3B98"),
    ("program", "programs", "#B3261E"),
    ("write", "writes", "#A84A00"),
    ("read", "reads", "#0072B2"),
    ("spare-read", "reads of a spare area", "#56B4E9"),
    ("suspend", "suspends", "#8E6C8A"),
    ("persist", "persists", "#555555"),
];

/// What distinguishes the calls on a target.
const KEYS: &[Key] = &[
    Key::Always(LineField::Operation),
    Key::Always(Of(Axis::AccessBytes)),
    Key::Words("file system", |_, line| system(line)),
    Key::Varying(Of(Axis::Fill)),
    Key::Varying(LineField::Timing),
];

/// A line for each operation, those of the file systems side by side.
const CALLS: LineTable = LineTable {
    title: "{target}",
    lines: calls,
    keys: KEYS,
    figures: &[
        figure("throughput", At(Metric::ThroughputMean, &[])),
        figure("calls", At(Metric::OpsRate, &[])),
        figure("latency p50", At(Metric::LatencyP50, &[])),
        figure("latency p99", At(Metric::LatencyP99, &[])),
        figure("latency max", At(Metric::LatencyMax, &[])),
        figure("write amp.", At(Metric::WriteAmplification, &[])),
        figure("most cycles", At(Metric::CyclesMax, &[])),
        figure("wear spread", At(Metric::WearSpread, &[])),
        figure("energy per call", At(Metric::EnergyPerOp, &[])),
        figure(
            "RAM at {}",
            Along(Metric::RamPeakInFlight, Axis::RateBytesPerS, RECORDS),
        ),
    ],
    ..LineTable::EMPTY
};

/// Input in whole records.
const RECORDS: &crate::pivot::At = &[(Of(Axis::Arrival), "record")];

/// What the slowest call of each operation consisted of.
const SLOWEST: LineTable = LineTable {
    title: "{target}: what the slowest call of each operation consisted of",
    lines: |pivot| {
        let mut lines = calls(pivot);
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

/// The lines of calls, those of an operation side by side.
fn calls<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let calls = pivot.select(|line| {
        ![RowOperation::Mount, RowOperation::Crash].contains(&line.head().operation)
    });
    together(calls, |line| line.head().operation.to_string()).concat()
}

/// The file system as people read it.
pub(super) fn system(line: &PivotLine<'_>) -> String {
    let name = line.field(Axis::Fs);
    wordline_engines::title(FILE_SYSTEMS, &name).to_owned()
}

/// "200 images, none fails", of the file system of a mount.
fn power_cuts(pivot: &Pivot<'_>, mount: &PivotLine<'_>) -> Option<String> {
    let of = |line: &PivotLine<'_>| {
        [LineField::Target, LineField::Timing, Axis::Fs.into()].map(|name| line.field(name))
    };
    let mut crashes = pivot
        .lines
        .iter()
        .filter(|line| line.head().operation == RowOperation::Crash);
    let line = crashes.find(|line| of(line) == of(mount))?;
    let images = line.at(Metric::CrashImages, &[])?;
    let Some(count) = images.value else {
        return Some(text::value(images, text::DIGITS));
    };
    let failures = line.at(Metric::CrashFailures, &[])?;
    Some(match failures.value {
        Some(0.0) => format!("{count:.0} images, none fails"),
        Some(failures) => format!("{failures:.0} of {count:.0} images fail"),
        None => text::value(failures, text::DIGITS),
    })
}

/// The time of the slowest call in operations of the memory.
fn operation_times<'a>(line: &PivotLine<'a>) -> Vec<(&'a str, f64)> {
    line.split(Metric::LatencyMaxOperationTime, Axis::DeviceOperation)
        .collect()
}

/// What the slowest call consisted of: "210 erases 8.40 s, 3300 reads 3.10 s", the longest first.
pub(super) fn slowest_call(line: &PivotLine<'_>) -> String {
    let counts: Vec<_> = line
        .split(Metric::LatencyMaxOperations, Axis::DeviceOperation)
        .collect();
    let mut times = operation_times(line);
    times.retain(|(_, time)| *time > 0.0);
    times.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let words = times.iter().map(|(operation, time)| {
        let count = counts.iter().find(|(name, _)| name == operation);
        let count = count.map_or(0.0, |(_, count)| *count);
        let several = OPERATIONS.iter().find(|(name, ..)| name == operation);
        let name = match several {
            Some((_, several, _)) if count != 1.0 => *several,
            _ => operation,
        };
        let time = text::number(Metric::LatencyMax, *time, text::DIGITS);
        // An erase may go on in parts, and have begun in a call before.
        match count.fract() == 0.0 {
            true if count == 0.0 => format!("{name} begun before {time}"),
            true => format!("{count:.0} {name} {time}"),
            false => format!("{count:.2} {name} {time}"),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let lines: Vec<_> = pivot.lines.iter().collect();
    let systems = together(lines, |line| (line.head().target.clone(), system(line)));
    let sentences = systems.iter().take(IN_WORDS);
    let sentences = sentences.flat_map(|own| [slowest(own), images(own)]);
    let mut sentences: Vec<String> = sentences.flatten().collect();
    let has = |metric: Metric| {
        pivot
            .lines
            .iter()
            .any(|line| line.at(metric, &[]).is_some())
    };
    if has(Metric::CrashImages) {
        sentences.push(
            "Data are lost where content is neither old nor new, or where synced content is gone."
                .to_owned(),
        );
    }
    if has(Metric::LatencyMax) {
        sentences.push(
            "Times are those of the memory and its driver; what the file system computes is not counted."
                .to_owned(),
        );
    }
    Answer::of_all(sentences)
}

/// "On mt25ql128@b the slowest call of littlefs is append-small at 50 % fill: 12.3 s. It consists of 3300 reads 8.40 s,
/// 2 erases 90.0 ms. Half of such calls take up to 300 ms."
fn slowest(lines: &[&PivotLine<'_>]) -> Option<String> {
    let calls = lines
        .iter()
        .filter(|line| line.head().operation != RowOperation::Mount);
    let timed = calls.filter_map(|line| Some((line.number(Metric::LatencyMax)?, line)));
    let (latency, line) = timed.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let time = |seconds| text::number(Metric::LatencyMax, seconds, text::DIGITS);
    let consisted = match slowest_call(line) {
        none if none.is_empty() => String::new(),
        operations => format!(". It consists of {operations}"),
    };
    let fill = match line.field(Axis::Fill) {
        none if none.is_empty() => String::new(),
        fill => format!(" at {fill} fill"),
    };
    let half = line
        .number(Metric::LatencyP50)
        .filter(|half| *half < latency);
    let half = half.map(|half| format!(". Half of such calls take up to {}", time(half)));
    Some(format!(
        "On {} the slowest call of {} is {}{fill}: {}{consisted}{}.",
        line.head().target,
        system(line),
        line.head().operation,
        time(latency),
        half.unwrap_or_default()
    ))
}

/// "littlefs on mt25ql128@b: 0 of 200 simulated power cuts lose data."
fn images(lines: &[&PivotLine<'_>]) -> Option<String> {
    let line = lines
        .iter()
        .find(|line| line.number(Metric::CrashImages).is_some())?;
    let images = line.number(Metric::CrashImages)?;
    let failures = line.number(Metric::CrashFailures)?;
    Some(format!(
        "{} on {}: {failures:.0} of {images:.0} simulated power cuts lose data.",
        system(line),
        line.head().target
    ))
}

/// More bars than this do not fit a plot; the tables hold the others.
const BARS: usize = 24;

/// A bar for each of the slowest calls, of the operations of the memory within it.
pub(super) fn slowest_calls(pivot: &Pivot<'_>) -> Vec<Plot> {
    let lines = pivot.select(|line| line.head().operation != RowOperation::All);
    let targets = each(&lines, |line| line.head().target.clone()).len();
    let on_boards = targets > each(&lines, |line| line.head().part.clone()).len();
    let timings = differs(&lines, |line| line.head().timing);
    // No more than distinguishes bars, because a label has little room.
    let name = |line: &PivotLine<'_>| {
        let head = line.head();
        let target = if on_boards { &head.target } else { &head.part };
        let mut words = vec![
            target.clone(),
            line.field(Axis::Fs),
            head.operation.to_string(),
            line.field(Axis::Fill),
        ];
        // A mount may cover the whole memory as well.
        words.extend(
            (head.operation == RowOperation::Mount).then(|| line.field(Axis::CapacityBytes)),
        );
        words.extend(timings.then(|| head.timing.to_string()));
        words.retain(|word| !word.is_empty());
        words.join(", ")
    };
    let named = lines.iter().map(|line| (name(line), *line)).collect();
    let of = ["calls", "The slowest call of each operation"];
    consisted(named, of).into_iter().collect()
}

/// A bar for each of some lines with its name, the longest first, of the operations of the memory within its slowest call.
/// `of` holds what the lines are and how the caption begins.
pub(super) fn consisted(
    mut lines: Vec<(String, &PivotLine<'_>)>,
    [what, each]: [&str; 2],
) -> Option<Plot> {
    lines.retain(|(_, line)| line.number(Metric::LatencyMax).is_some());
    let latency = |line: &PivotLine<'_>| line.number(Metric::LatencyMax).unwrap_or_default();
    lines.sort_by(|(_, a), (_, b)| latency(b).total_cmp(&latency(a)));
    let mut pieces = Vec::new();
    for (name, line) in lines.iter().take(BARS) {
        let times = operation_times(line);
        for (order, (operation, several, _)) in OPERATIONS.iter().enumerate() {
            let time = times.iter().find(|(name, _)| name == operation);
            pieces.extend(time.map(|(_, value)| BarPiece {
                bar: name.clone(),
                cause: (*several).to_owned(),
                order,
                value: *value,
                text: text::number(Metric::LatencyMax, *value, text::DIGITS),
            }));
        }
    }
    let known = OPERATIONS.iter();
    let known = known.map(|(_, several, color)| ((*several).to_owned(), *color));
    let stack = StackedBars {
        id: "plot-calls".to_owned(),
        heading: format!("What the slowest {what} consisted of"),
        caption: format!(
            "{each}, and what the memory did in it; the parts add up to its duration.{}",
            text::first_of(BARS, lines.len(), "longest")
        ),
        title: "latency",
        scale: BarScale::Of("s"),
        colors: known
            .filter(|(name, _)| pieces.iter().any(|piece| piece.cause == *name))
            .collect(),
        pieces,
    };
    stack.plot()
}
