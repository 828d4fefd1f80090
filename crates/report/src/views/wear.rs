//! `wordline wear`: endurance, and latency over life.
//!
//! A line is a usage in an environment on a target, with the rows of all its operations.

mod card;
#[cfg(test)]
mod tests;

use wordline_core::{Axis, Metric};

use crate::answer::{Answer, IN_WORDS};
use crate::html::chart::{ChartAxis, CurvePlot};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::text;
use crate::view::FigureOf::{At, Count, Made};
use crate::view::{Key, LineTable, PlotView, TableView, View, figure};
use card::cycles;

pub(crate) const VIEW: View = View {
    workload: "wear",
    keys: Keys::but(&[
        LineField::Operation,
        Of(Axis::Sample),
        Of(Axis::Block),
        Of(Axis::Statistic),
        Of(Axis::AfterCycles),
        Of(Axis::Estimate),
    ]),
    tables: &[
        TableView::Lines(ENDURANCE),
        TableView::Lines(LATENCY),
        TableView::Lines(OVER_LIFE),
    ],
    plots: &[PlotView::Curves(LIFE)],
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

const BY_OPERATION: Keys = Keys::but(&[
    Of(Axis::Sample),
    Of(Axis::Block),
    Of(Axis::Statistic),
    Of(Axis::AfterCycles),
    Of(Axis::Estimate),
]);

/// What distinguishes usages.
const KEYS: [Key; 6] = [
    Key::Always(LineField::Target),
    Key::Always(Of(Axis::Usage)),
    Key::Varying(Of(Axis::TemperatureCelsius)),
    Key::Varying(Of(Axis::DwellS)),
    Key::Varying(Of(Axis::Order)),
    Key::Varying(LineField::Timing),
];

/// The same, and what distinguishes the lines of a usage.
const fn and(last: Key) -> [Key; 7] {
    let [target, usage, temperature, dwell, order, timing] = KEYS;
    [target, usage, temperature, dwell, order, timing, last]
}

/// The same in a legend, where room is short.
const LEGEND: [Key; 6] = [
    Key::Varying(LineField::Target),
    KEYS[1],
    KEYS[2],
    KEYS[3],
    KEYS[4],
    KEYS[5],
];

const ENDURANCE: LineTable = LineTable {
    title: "Cycles until a block fails",
    keys: &KEYS,
    figures: &[
        figure("blocks", Made(|_, line| Some(blocks(line).to_string()))),
        figure(
            "rated",
            At(Metric::Endurance, &[(LineField::Operation, "cycle"), SHEET]),
        ),
        figure(
            "least",
            At(Metric::Endurance, &[(Of(Axis::Statistic), "least")]),
        ),
        figure(
            "p10",
            At(Metric::Endurance, &[(Of(Axis::Statistic), "p10")]),
        ),
        figure(
            "median",
            At(Metric::Endurance, &[(Of(Axis::Statistic), "median")]),
        ),
        figure(
            "p90",
            At(Metric::Endurance, &[(Of(Axis::Statistic), "p90")]),
        ),
        figure(
            "most",
            At(Metric::Endurance, &[(Of(Axis::Statistic), "most")]),
        ),
        figure(
            "program failed",
            Count(Metric::BlocksFailed, &[(Of(Axis::Cause), "program")]),
        ),
        figure(
            "erase failed",
            Count(Metric::BlocksFailed, &[(Of(Axis::Cause), "erase")]),
        ),
    ],
    ..LineTable::EMPTY
};

/// What the sheet says.
const SHEET: (LineField, &str) = (Of(Axis::Estimate), "specification");

/// As the paper reports it: worst, mean of the first 10 000, best, beside the sheet's columns.
const LATENCY: LineTable = LineTable {
    title: "Latency over life, from the command until the memory is ready",
    pivot: Some(BY_OPERATION),
    lines: |pivot| pivot.select(|line| line.number(Metric::LatencyMean).is_some()),
    keys: &and(Key::Always(LineField::Operation)),
    figures: &[
        figure("worst", At(Metric::LatencyMax, &[])),
        figure("mean of first 10,000", At(Metric::LatencyMean, &[])),
        figure("best", At(Metric::LatencyMin, &[])),
        figure("specified typ", At(Metric::LatencyMean, &[SHEET])),
        figure("specified max", At(Metric::LatencyMax, &[SHEET])),
        figure(
            "last / mean",
            Made(|_, line| line.number(Metric::LatencyOverLife).map(text::factor)),
        ),
    ],
    ..LineTable::EMPTY
};

/// A line for each decade of cycles.
const OVER_LIFE: LineTable = LineTable {
    title: "Latency over life, the mean of the blocks that live",
    pivot: Some(Keys::but(&[
        LineField::Operation,
        Of(Axis::Sample),
        Of(Axis::Block),
        Of(Axis::Statistic),
        Of(Axis::Estimate),
    ])),
    lines: |pivot| {
        pivot.select(|line| {
            // Points lie at 1, 2 and 5 of each decade, counted from the first cycle on.
            let decade = line
                .coordinate(Axis::AfterCycles)
                .map(|after| (after + 1.0).log10());
            decade.is_some_and(|decade| (decade - decade.round()).abs() < 1e-9)
        })
    },
    keys: &and(Key::Number("cycle", |_, line| {
        line.coordinate(Axis::AfterCycles)
            .map_or_else(String::new, |after| text::count(after + 1.0))
    })),
    figures: &[
        figure(
            "program",
            At(Metric::LatencyMean, &[(LineField::Operation, "program")]),
        ),
        figure(
            "erase",
            At(Metric::LatencyMean, &[(LineField::Operation, "erase")]),
        ),
    ],
    ..LineTable::EMPTY
};

const LIFE: CurvePlot = CurvePlot {
    id: "plot-wear",
    heading: "Latency over life",
    caption: "Mean duration of a program (solid) and of an erase (dashed) in each cycle, over the blocks that live.",
    pivot: Some(BY_OPERATION),
    lines: |pivot| {
        pivot.select(|line| {
            !line
                .along(Metric::LatencyMean, Axis::AfterCycles, &[])
                .is_empty()
        })
    },
    still: &[],
    x: ChartAxis::logarithmic("cycles", "cycle"),
    y: ChartAxis::logarithmic("s", "latency"),
    name: |line, all| {
        format!(
            "{}, {}",
            Key::named(&LEGEND, line, all),
            line.head().operation
        )
    },
    color: |line| Key::named(&KEYS[..5], line, &[line]),
    dash: |line| line.head().operation.to_string(),
    points: |line| {
        let points = line
            .along(Metric::LatencyMean, Axis::AfterCycles, &[])
            .into_iter();
        // The axis is logarithmic: cycles count from the first on.
        points
            .filter_map(|(after, row)| Some((after + 1.0, row.value?)))
            .collect()
    },
};

fn statistic_of<'a>(line: &PivotLine<'a>, name: &str) -> Option<&'a wordline_core::results::Row> {
    line.at(Metric::Endurance, &[(Of(Axis::Statistic), name)])
}

/// Blocks that were tested.
fn blocks(line: &PivotLine<'_>) -> usize {
    let rows = line.rows().iter();
    rows.filter(|row| row.axes.contains_key(&Axis::Block))
        .count()
}

fn answer(pivot: &Pivot<'_>) -> Answer {
    let all: Vec<_> = pivot.lines.iter().collect();
    let lines = all.iter().take(IN_WORDS);
    let sentences = lines.flat_map(|line| [endurance(line, &all), latency(line)]);
    let mut sentences: Vec<String> = sentences.flatten().collect();
    if !sentences.is_empty() {
        sentences.push(
            "Simulated failures do not say how long data keep: the rated cycles do.".to_owned(),
        );
    }
    Answer::of_all(sentences)
}

/// "nand08gw3b2c@b, first-page: rated for 100,000 cycles. In simulation the median of 100 blocks fails after 3.78 million
/// cycles, the first after 1.21 million, the last after 9.90 million."
fn endurance(line: &PivotLine<'_>, all: &[&PivotLine<'_>]) -> Option<String> {
    let median = statistic_of(line, "median")?;
    let blocks = blocks(line);
    let rated = line.at(Metric::Endurance, &[(LineField::Operation, "cycle"), SHEET]);
    let rated = rated.and_then(|row| row.value).map(cycles);
    let rated = rated.map_or_else(
        || "no cycles are rated".to_owned(),
        |rated| format!("rated for {rated} cycles"),
    );
    let ends = [("least", "first"), ("most", "last")].map(|(name, word)| {
        let value = statistic_of(line, name)?.value?;
        Some(format!(", the {word} after {}", cycles(value)))
    });
    let ends = ends.into_iter().flatten().collect::<String>();
    let name = Key::named(&KEYS, line, all);
    Some(match median.value {
        Some(value) => format!(
            "{name}: {rated}. In simulation the median of {blocks} blocks fails after {} cycles{ends}.",
            cycles(value)
        ),
        None => format!("{name}: {rated}. In simulation half of {blocks} blocks did not fail."),
    })
}

/// "Programs take 268 us when they are slowest and 117 us at last. Erases take 1.20 ms at first and up to 6.00 ms, 4.0
/// times the mean of the first 10,000."
fn latency(line: &PivotLine<'_>) -> Option<String> {
    let of = |operation, metric| line.at(metric, &[(LineField::Operation, operation)])?.value;
    let time = |operation, metric| Some(text::number(metric, of(operation, metric)?, text::DIGITS));
    let [fresh, last] = [Metric::LatencyMax, Metric::LatencyMin].map(|one| time("program", one));
    let programs = match (fresh, last) {
        (Some(fresh), Some(last)) => {
            format!("Programs take {fresh} when they are slowest and {last} at last. Erases take ")
        }
        _ => "Erases take ".to_owned(),
    };
    let (fresh, last) = (
        time("erase", Metric::LatencyMin)?,
        time("erase", Metric::LatencyMax)?,
    );
    let ratio = of("erase", Metric::LatencyOverLife);
    let ratio = ratio.map_or_else(String::new, |ratio| {
        format!(", {} the mean of the first 10,000", text::factor(ratio))
    });
    Some(format!(
        "{programs}{fresh} at first and up to {last}{ratio}."
    ))
}
