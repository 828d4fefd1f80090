//! `wordline sql bench` and `sql tune`: transactions of SQLite on file systems on memories.
//!
//! A line is one kind of transaction of one setup: a file system on a target, a journal, a page. Slowest transactions are
//! shown as the calls of `wordline fs bench` are.

mod card;
mod processor;
#[cfg(test)]
mod tests;
mod tune;

use wordline_core::{Axis, Metric, RowOperation};

use super::fs::{consisted, slowest_call};
use crate::answer::{Answer, IN_WORDS};
use crate::html::plot::Plot;
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine, together};
use crate::text;
use crate::view::FigureOf::{At, Words};
use crate::view::{Key, LineTable, PlotView, TableView, View, figure};
use card::DatabaseSetup;
use processor::{OFFLOADED, PROCESSOR};

pub(crate) const VIEW: View = View {
    workload: "sql",
    keys: Keys::but(&[
        Of(Axis::DeviceOperation),
        Of(Axis::Build),
        Of(Axis::Memory),
        Of(Axis::Offload),
    ]),
    tables: &[
        TableView::Lines(TRANSACTIONS),
        TableView::Lines(PROCESSOR),
        TableView::Lines(OFFLOADED),
        TableView::Lines(TRAFFIC),
        TableView::Lines(MEMORIES),
        TableView::Lines(SLOWEST),
        TableView::Lines(CUTS),
    ],
    plots: &[PlotView::Made(slowest_transactions)],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// What distinguishes transactions on a target.
const KEYS: &[Key] = &[
    Key::Words("transaction", |_, line| transaction(line)),
    Key::Words("file system", |_, line| system(line)),
    Key::Always(Of(Axis::Journal)),
    Key::Varying(Of(Axis::Sync)),
    Key::Varying(Of(Axis::PageBytes)),
    Key::Varying(Of(Axis::CheckpointPages)),
    Key::Varying(Of(Axis::Log)),
    Key::Varying(Of(Axis::Told)),
    Key::Varying(Of(Axis::FsSettings)),
    Key::Varying(LineField::Timing),
];

/// How long transactions take.
const TRANSACTIONS: LineTable = LineTable {
    title: "{target}",
    lines: transactions,
    keys: KEYS,
    figures: &[
        figure("rate", At(Metric::OpsRate, &[])),
        figure("latency mean", At(Metric::LatencyMean, &[])),
        figure("p50", At(Metric::LatencyP50, &[])),
        figure("p99", At(Metric::LatencyP99, &[])),
        figure("max", At(Metric::LatencyMax, &[])),
        figure("energy", At(Metric::EnergyPerOp, &[])),
        figure("lifetime", At(Metric::Lifetime, &[])),
    ],
    ..LineTable::EMPTY
};

/// What a transaction moves, and the RAM for it.
const TRAFFIC: LineTable = LineTable {
    title: "{target}: what a transaction asks for, in the mean",
    lines: transactions,
    keys: KEYS,
    figures: &[
        figure("SQLite writes", At(Metric::EngineBytesWritten, &[])),
        figure("in writes", At(Metric::EngineWrites, &[])),
        figure("syncs", At(Metric::EngineSyncs, &[])),
        figure("SQLite reads", At(Metric::EngineBytesRead, &[])),
        figure("memory stores", At(Metric::BytesStored, &[])),
        figure("write amp.", At(Metric::WriteAmplification, &[])),
        figure("most cycles", At(Metric::CyclesMax, &[])),
        figure("RAM of SQLite", At(Metric::DatabaseRam, &[])),
        figure("of the file system", At(Metric::FileSystemRam, &[])),
    ],
    ..LineTable::EMPTY
};

/// The two memories of databases whose log or journal has one of its own.
const MEMORIES: LineTable = LineTable {
    title: "{target}: the memory of the tables and that of the log, a transaction in the mean",
    lines: |pivot| {
        let mut lines = transactions(pivot);
        lines.retain(|line| line.axis(Axis::LogTarget).is_some());
        lines
    },
    keys: KEYS,
    figures: &[
        figure("time in tables", At(Metric::LatencyMean, IN_TABLES)),
        figure("in log", At(Metric::LatencyMean, IN_LOG)),
        figure("tables store", At(Metric::BytesStored, IN_TABLES)),
        figure("log stores", At(Metric::BytesStored, IN_LOG)),
        figure("energy of tables", At(Metric::EnergyPerOp, IN_TABLES)),
        figure("of log", At(Metric::EnergyPerOp, IN_LOG)),
        figure("lifetime of tables", At(Metric::Lifetime, IN_TABLES)),
        figure("of log", At(Metric::Lifetime, IN_LOG)),
        figure("price of tables", At(Metric::Cost, IN_TABLES)),
        figure("of log", At(Metric::Cost, IN_LOG)),
    ],
    ..LineTable::EMPTY
};

const IN_TABLES: &[(LineField, &str)] = &[(Of(Axis::Memory), "tables")];
const IN_LOG: &[(LineField, &str)] = &[(Of(Axis::Memory), "log")];

/// What the slowest transaction of each kind consisted of.
const SLOWEST: LineTable = LineTable {
    title: "{target}: what the slowest transaction of each kind consisted of",
    lines: |pivot| {
        let mut lines = transactions(pivot);
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

/// What power cuts left.
const CUTS: LineTable = LineTable {
    title: "Power cuts",
    lines: |pivot| pivot.select(|line| line.head().operation == RowOperation::Crash),
    keys: &[
        Key::Always(LineField::Target),
        Key::Words("file system", |_, line| system(line)),
        Key::Always(Of(Axis::Journal)),
        Key::Varying(Of(Axis::Sync)),
        Key::Varying(Of(Axis::PageBytes)),
        Key::Varying(Of(Axis::CheckpointPages)),
        Key::Varying(Of(Axis::Log)),
        Key::Varying(Of(Axis::Told)),
        Key::Varying(Of(Axis::FsSettings)),
    ],
    figures: &[
        figure("images", At(Metric::CrashImages, &[])),
        figure("of these fail", At(Metric::CrashFailures, &[])),
    ],
    ..LineTable::EMPTY
};

/// "rtfs", or "rtfs, log on em064lx (flat)" where the log or journal has a memory of its own.
fn system(line: &PivotLine<'_>) -> String {
    let own = super::fs::system(line);
    match line.head().text(Axis::LogTarget) {
        Some(log) => format!(
            "{own}, log on {} ({})",
            text::part_of(log),
            line.field(Axis::LogFs)
        ),
        None => own,
    }
}

/// The lines of transactions, those of a kind side by side.
fn transactions<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let lines = pivot.select(|line| line.head().operation != RowOperation::Crash);
    together(lines, |line| transaction(line)).concat()
}

/// A bar for the slowest transaction of each kind of each setup.
fn slowest_transactions(pivot: &Pivot<'_>) -> Vec<Plot> {
    let setups = DatabaseSetup::all(pivot);
    let named = setups.iter().flat_map(|setup| {
        let lines = setup.lines.iter();
        lines.map(|line| (format!("{}, {}", setup.name(), transaction(line)), *line))
    });
    let of = ["transactions", "The slowest transaction of each kind"];
    consisted(named.collect(), of).into_iter().collect()
}

/// "insert of 2 rows", "tpc-b", "speedtest: hit".
fn transaction(line: &PivotLine<'_>) -> String {
    let operation = line.head().operation;
    let (work, rows) = (line.field(Axis::Work), line.field(Axis::TransactionRows));
    match (work.as_str(), rows.as_str()) {
        ("", _) => operation.to_string(),
        (work, "") if operation == RowOperation::Transaction => work.to_owned(),
        (work, "") => format!("{work}: {operation}"),
        (work, "1") => format!("{work} of 1 row"),
        (work, rows) => format!("{work} of {rows} rows"),
    }
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    if let Some(tuned) = tune::answer(pivot) {
        return tuned;
    }
    let setups = DatabaseSetup::all(pivot);
    let mut sentences = Vec::new();
    for setup in setups.iter().take(IN_WORDS) {
        sentences.extend(setup.slowest());
        sentences.extend(
            setup
                .cuts()
                .map(|cuts| format!("{}: {cuts}.", text::capital(&setup.name()))),
        );
    }
    if pivot
        .lines
        .iter()
        .any(|line| line.number(Metric::LatencyMax).is_some())
    {
        sentences.push(
            "Latencies are those of the memory and its driver; what SQLite and the file system compute stands beside them."
                .to_owned(),
        );
    }
    Answer::of_all(sentences)
}

/// What times are of.
const TIMES: &str = "Times are those of the memory and its driver; what SQLite and the file system compute is not counted.";
