//! `wordline kv`: hash tables on memories.
//!
//! A line is a kind of operation of a table on a target, with records of one size at one load. Beside
//! what it moved stands the least that any durable table moves.

mod card;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use wordline_core::RowOperation::{
    self, All, Crash, Delete, Hit, Insert, Miss, Read, ReadModifyWrite, Update,
};
use wordline_core::results::NoValue;
use wordline_core::{Axis, KvDirectory, KvTest, KvWorkload, Metric, Workload};
use wordline_engines::STORES;

use crate::answer::{Answer, IN_WORDS};
use crate::grid::{Align, Grid};
use crate::html::chart::{ChartAxis, CurvePlot};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine, differs, each, together};
use crate::tabulate::{Tabulation, column};
use crate::text::{self, TargetKind};
use crate::view::FigureOf::{At, Count, Made};
use crate::view::{FigureOf, Key, LineTable, PlotView, TableView, View, figure};
use crate::views::repeats;

pub(crate) const VIEW: View = View {
    workload: "kv",
    keys: Keys::but(&[Of(Axis::Statistic)]),
    tables: &[TableView::Lines(POWER_CUTS), TableView::Made(of_targets)],
    plots: &[PlotView::Curves(RATES), PlotView::Curves(TRAFFIC)],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// A line for each table that was cut.
const POWER_CUTS: LineTable = LineTable {
    title: "Power cuts",
    lines: |pivot| pivot.select(|line| line.head().operation == Crash),
    keys: &[
        Key::Always(LineField::Target),
        Key::Words("table", |_, line| short_table(line)),
        Key::Number("key / value", |_, line| sizes(line)),
    ],
    figures: &[
        figure("cut within", Count(Metric::CrashBoundaries, &[])),
        figure("images", Count(Metric::CrashImages, &[])),
        figure("images that fail", Count(Metric::CrashFailures, &[])),
    ],
    ..LineTable::EMPTY
};

/// The kinds of operation in the order of the tables.
const OPERATIONS: [RowOperation; 8] = [
    All,
    Insert,
    Hit,
    Miss,
    Read,
    Update,
    Delete,
    ReadModifyWrite,
];

/// Figures of each hash table, with what their headings add to its name.
type Content = &'static [(&'static str, FigureOf)];

const FIGURES: Content = &[
    ("", Made(|_, line| repeats::median(line, Metric::OpsRate))),
    (" max", Made(|_, line| repeats::longest(line))),
    (" moved", At(Metric::BytesMoved, &[])),
];

const WEAR: Content = &[("", Made(|_, line| cycles_each(line)))];

const ROOM: Content = &[
    (" records", Count(Metric::AccessCount, &[])),
    (" RAM", At(Metric::TableRam, &[])),
];

const PROCESSOR: Content = &[("", Made(|_, line| processor_share(line).map(text::tenths)))];

const RATES: CurvePlot = CurvePlot {
    id: "plot-kv-rate",
    heading: "Operations in a second: {target}",
    caption: "Inserts (solid) and hits (dashed) by the size of a key, at {still}; up is better.",
    y: ChartAxis::logarithmic("1/s", "rate"),
    points: |line| point(line, line.number(Metric::OpsRate)),
    ..BY_KEY
};

const TRAFFIC: CurvePlot = CurvePlot {
    id: "plot-kv-floor",
    heading: "Bytes moved over the floor: {target}",
    caption: "Inserts (solid) and hits (dashed) at {still}: what an operation moved, over the least that any durable \
              table moves; down is better, and 1 is the floor.",
    y: ChartAxis::logarithmic("1", "times the floor"),
    points: |line| point(line, over_floor(line)),
    ..BY_KEY
};

/// Inserts and hits by the size of keys; the tables hold the other operations.
const BY_KEY: CurvePlot = CurvePlot {
    id: "",
    heading: "",
    caption: "",
    pivot: None,
    lines: |pivot| {
        let of = |operation: RowOperation| {
            pivot.select(move |line| {
                line.head().operation == operation && is_sweep(line) && can(line)
            })
        };
        together([of(Insert), of(Hit)].concat(), |line| table(line)).concat()
    },
    still: &[Of(Axis::Load), Of(Axis::Build), LineField::Timing],
    // Spelt out, because a constant that is taken from must need no destructor.
    x: ChartAxis {
        unit: "B",
        title: Cow::Borrowed("key"),
        logarithmic: true,
    },
    y: ChartAxis {
        unit: "1",
        title: Cow::Borrowed(""),
        logarithmic: true,
    },
    name: |line, _| format!("{}, {}", table(line), curve(line)),
    color: table,
    dash: curve,
    points: |_| Vec::new(),
};

/// What is drawn of a table: what was disturbed has a curve of its own.
fn curve(line: &PivotLine<'_>) -> String {
    format!("{}{}", line.head().operation, repeats::mark(line))
}

fn point(line: &PivotLine<'_>, value: Option<f64>) -> Vec<(f64, f64)> {
    line.coordinate(Axis::KeyBytes)
        .zip(value)
        .into_iter()
        .collect()
}

/// Whether each kind of operation is run by itself.
fn is_sweep(line: &PivotLine<'_>) -> bool {
    matches!(line.field(Axis::Work).as_str(), "" | "sweep")
}

/// "32 B", or "16 B / 100 B" where keys and values have different sizes.
fn sizes(line: &PivotLine<'_>) -> String {
    let (key, value) = (line.field(Axis::KeyBytes), line.field(Axis::ValueBytes));
    if key.is_empty() {
        "many".to_owned()
    } else if key == value {
        key
    } else {
        format!("{key} / {value}")
    }
}

/// The table as the command line spells it, with its mode: room is short at the head of a column.
fn short_table(line: &PivotLine<'_>) -> String {
    format!(
        "{} {}",
        line.field(Axis::Table),
        line.field(Axis::Directory)
    )
    .trim_end()
    .to_owned()
}

/// The table as people read it.
fn title(line: &PivotLine<'_>) -> String {
    let name = line.field(Axis::Table);
    wordline_engines::title(STORES, &name).to_owned()
}

/// The same with its mode.
fn table(line: &PivotLine<'_>) -> String {
    let title = title(line);
    match line.field(Axis::Directory) == KvDirectory::Resident.name() {
        true => format!("{title} with its directory in the memory"),
        false => title,
    }
}

/// Share of the time that the processor took, its driver included; `None` where nothing was timed.
fn processor_share(line: &PivotLine<'_>) -> Option<f64> {
    let shares: Vec<_> = line.parts(Metric::TimeShare).collect();
    let of_processor = |cause: &str| cause.starts_with("cpu_") || cause == "driver";
    let own = shares.iter().filter(|(cause, _)| of_processor(cause));
    (!shares.is_empty()).then(|| own.map(|(_, share)| share).sum())
}

/// Whether the table does such operations at all.
fn can(line: &PivotLine<'_>) -> bool {
    let failed = |row: &&wordline_core::results::Row| row.no_value == Some(NoValue::Failed);
    line.number(Metric::LatencyMax).is_some() || line.rows().iter().any(failed)
}

/// Cycles that an operation takes of the place that is worn most, in the mean.
fn cycles_each(line: &PivotLine<'_>) -> Option<String> {
    let operations = line
        .number(Metric::AccessCount)
        .filter(|count| *count > 0.0)?;
    let each = line.number(Metric::CyclesMax)? / operations;
    Some(text::number(Metric::CyclesMax, each, text::DIGITS))
}

/// What an operation moved, over the least that it could have.
fn over_floor(line: &PivotLine<'_>) -> Option<f64> {
    let floor = line
        .number(Metric::BytesFloor)
        .filter(|floor| *floor > 0.0)?;
    Some(line.number(Metric::BytesMoved)? / floor)
}

/// The lines of an operation among some.
fn of_operation<'p, 'a>(
    lines: &[&'p PivotLine<'a>],
    operation: RowOperation,
) -> Vec<&'p PivotLine<'a>> {
    let lines = lines.iter().copied();
    lines
        .filter(|line| line.head().operation == operation)
        .collect()
}

/// For each target and kind of operation a line for each size, the hash tables side by side.
fn of_targets(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let mut grids = Vec::new();
    let all: Vec<_> = pivot.lines.iter().collect();
    // Whether figures are measured or simulated is said where a document has both.
    let is_mixed = differs(&all, |line| line.head().basis);
    for own in together(all, |line| line.head().target.clone()) {
        let target = &own[0].head().target;
        for of_work in together(own.clone(), |line| line.field(Axis::Work)) {
            for operation in OPERATIONS {
                let lines = of_operation(&of_work, operation);
                let Some(first) = lines.first() else {
                    continue;
                };
                let work = match is_sweep(first) {
                    true => String::new(),
                    false => format!("{}, ", first.field(Axis::Work)),
                };
                let basis = is_mixed.then(|| format!(", {}", first.head().basis));
                let title = format!("{target}: {work}{operation}{}", basis.unwrap_or_default());
                grids.extend(side_by_side(pivot, title, &lines, FIGURES, true));
            }
        }
        for of_work in together(of_operation(&own, All), |line| line.field(Axis::Work)) {
            let work = of_work[0].field(Axis::Work);
            let title = format!(
                "{target}: {work}, cycles that an operation takes of the place that is worn most"
            );
            grids.extend(side_by_side(pivot, title, &of_work, WEAR, false));
        }
        let mut inserts = of_operation(&own, Insert);
        inserts.retain(|line| is_sweep(line));
        // In a file not every insert is timed.
        let has_room = |line: &&PivotLine<'_>| line.number(Metric::TableRam).is_some();
        let is_file = text::without_kind(target, TargetKind::File).is_some();
        if !is_file && inserts.iter().any(has_room) {
            let title = format!(
                "{target}: records that the load is, and RAM for directory and scratch buffer"
            );
            grids.extend(side_by_side(pivot, title, &inserts, ROOM, false));
        }
        let title = format!(
            "{target}: share of an insert that the processor takes, driver included; the rest is bus and memory"
        );
        grids.extend(side_by_side(pivot, title, &inserts, PROCESSOR, false));
    }
    grids
}

/// What heads the columns of a table: without its usual mode where there is no other to distinguish it from.
fn heading<'t>(table: &'t str, tables: &[String]) -> &'t str {
    match table.split_once(' ') {
        Some((name, mode)) if mode == KvDirectory::Ram.name() => {
            let is_other = |other: &&String| *other != table && other.starts_with(name);
            if tables.iter().any(|other| is_other(&other)) {
                table
            } else {
                name
            }
        }
        _ => table,
    }
}

/// A line for each size, the hash tables side by side.
fn side_by_side(
    pivot: &Pivot<'_>,
    title: String,
    lines: &[&PivotLine<'_>],
    content: Content,
    with_floor: bool,
) -> Option<Grid> {
    type Group<'g, 'p, 'a> = Vec<&'p PivotLine<'a>>;
    // What a table cannot do has no columns.
    let able: Vec<_> = lines.iter().filter(|line| can(line)).collect();
    let tables = each(&able, |line| short_table(line));
    let key = |name: LineField| move |group: &Group<'_, '_, '_>| group[0].field(name);
    let right = |name: &str| column(name, Align::Right);
    let mut table = Tabulation::new(title)
        .key(right("key / value"), |group: &Group<'_, '_, '_>| {
            sizes(group[0])
        })
        .key_if_varying(right("load"), key(Axis::Load.into()))
        .key_if_varying(right("build"), key(Axis::Build.into()))
        .key_if_varying(right("timing"), key(LineField::Timing));
    if with_floor {
        table = table.figure("floor", |group: &Group<'_, '_, '_>| {
            group
                .iter()
                .filter(|line| can(line))
                .find_map(|line| line.told(Metric::BytesFloor))
        });
    }
    for name in &tables {
        for (what, of) in content {
            table = table.figure(format!("{}{what}", heading(name, &tables)), move |group| {
                let line = group.iter().find(|line| short_table(line) == *name)?;
                of.told(pivot, line)
            });
        }
    }
    let key = |line: &&PivotLine<'_>| {
        let fields =
            [Axis::Load.into(), Axis::Build.into(), LineField::Timing].map(|name| line.field(name));
        (sizes(line), fields)
    };
    table.lines(&together(lines.to_vec(), key))
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let mut sentences = Vec::new();
    let all: Vec<_> = pivot.lines.iter().collect();
    for own in together(all, |line| line.head().target.clone())
        .iter()
        .take(IN_WORDS)
    {
        let timed = |operation: RowOperation| {
            let mut lines = of_operation(own, operation);
            lines.retain(|line| line.number(Metric::OpsRate).is_some());
            lines
        };
        for of_work in together(timed(All), |line| line.field(Axis::Work))
            .iter()
            .take(IN_WORDS)
        {
            let work = of_work[0].field(Axis::Work);
            sentences.extend(rates(&format!("operations of {work}"), of_work));
        }
        for (operation, plural) in [(Insert, "inserts"), (Hit, "hits")] {
            let mut sweep = timed(operation);
            sweep.retain(|line| is_sweep(line));
            sentences.extend(rates(plural, &sweep));
        }
    }
    if pivot.lines.iter().any(|line| over_floor(line).is_some()) {
        sentences.push("In brackets stand the bytes moved over the least possible.".to_owned());
    }
    sentences.extend(repeats::legend(pivot, Metric::OpsRate));
    sentences.extend(power_cuts(pivot));
    let fragile = STORES.iter().filter(|table| {
        let is_timed = |line: &PivotLine<'_>| {
            line.field(Axis::Table) == table.name() && line.number(Metric::OpsRate).is_some()
        };
        !table.promise().survives_power_cuts && pivot.lines.iter().any(is_timed)
    });
    let fragile: Vec<_> = fragile.map(|table| table.title()).collect();
    if !fragile.is_empty() {
        sentences.push(format!(
            "A power cut can damage what {} {}: tables that survive do more work for their figures.",
            text::list(&fragile),
            if fragile.len() == 1 { "holds" } else { "hold" }
        ));
    }
    Answer::of_all(sentences)
}

/// "On a@b at load 50 %, inserts in a second of 2 B: LPHT 1.2 M/s (1.40), …. Of 256 B: …"
fn rates(operations: &str, timed: &[&PivotLine<'_>]) -> Option<String> {
    let first = timed.first()?;
    let still = |line: &PivotLine<'_>| {
        [LineField::Timing, Axis::Load.into(), Axis::Build.into()].map(|name| line.field(name))
    };
    let mut timed = timed.to_vec();
    timed.retain(|line| still(line) == still(first));
    let mut sizes = together(timed, |line| sizes(line));
    let last = sizes.pop()?;
    let ends = sizes.into_iter().take(1).chain([last]);
    let clauses = ends.map(|lines| {
        let tables = lines.iter().filter_map(|line| {
            let rate = text::number(Metric::OpsRate, line.number(Metric::OpsRate)?, text::DIGITS);
            let moved = over_floor(line).map(|ratio| format!(" ({ratio:.2})"));
            Some(format!(
                "{} {rate}{}{}",
                table(line),
                repeats::mark(line),
                moved.unwrap_or_default()
            ))
        });
        let tables = tables.collect::<Vec<_>>();
        match self::sizes(lines[0]).as_str() {
            "many" => ("of many sizes".to_owned(), tables),
            size => (format!("of {size}"), tables),
        }
    });
    let head = format!(
        "On {} at load {}, {operations} in a second",
        first.head().target,
        first.field(Axis::Load)
    );
    let sentences = clauses
        .enumerate()
        .map(|(index, (size, tables))| match index {
            0 => text::within_a_sentence(&format!("{head} {size}:"), &tables, ", "),
            _ => text::within_a_sentence(&format!("{}:", text::capital(&size)), &tables, ", "),
        });
    Some(sentences.collect::<Vec<_>>().join(" "))
}

/// "wordline-kv: 0 of 240 images break the promise."
fn power_cuts(pivot: &Pivot<'_>) -> Vec<String> {
    let cut = pivot.select(|line| line.number(Metric::CrashImages).is_some());
    let tables = together(cut, |line| line.field(Axis::Table));
    let words = tables.iter().map(|lines| {
        let sum = |metric| {
            lines
                .iter()
                .filter_map(|line| line.number(metric))
                .sum::<f64>()
        };
        let (images, failures) = (sum(Metric::CrashImages), sum(Metric::CrashFailures));
        let title = title(lines[0]);
        format!("{title}: {failures:.0} of {images:.0} images break the promise.")
    });
    let mut sentences: Vec<_> = words.collect();
    if sentences.is_empty() {
        return sentences;
    }
    let is_sample = matches!(
        &pivot.document.experiment.workload,
        Workload::Kv(KvWorkload { test: KvTest::Crash(crash), .. }) if crash.images.is_some()
    );
    sentences.push(
        "The promise: after a power cut a call is done or not done, and what returned lasts."
            .to_owned(),
    );
    if is_sample {
        sentences.push("The images are a sample (--images), which proves nothing.".to_owned());
    }
    sentences
}
