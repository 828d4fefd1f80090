//! `wordline wear health`: remaining life from latency: the blocks of a log, or the score of the predictor.

mod card;
#[cfg(test)]
mod tests;

use wordline_core::{Axis, Basis, Metric};

use crate::answer::Answer;
use crate::grid::Grid;
use crate::html::chart::{ChartAxis, CurvePlot};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Keys, Pivot, PivotLine};
use crate::text::{self, TargetKind};
use crate::view::FigureOf::{Along, At, Count, Made, Value, Words};
use crate::view::{Key, LineTable, PlotView, TableView, View, figure};

pub(crate) const VIEW: View = View {
    workload: "health",
    keys: Keys {
        only: &[LineField::Target, Of(Axis::Chip), Of(Axis::Block)],
        parts: &[Of(Axis::Statistic)],
    },
    tables: &[
        TableView::Made(blocks),
        TableView::Lines(SCORE),
        TableView::Lines(OVER_LIFE),
    ],
    plots: &[PlotView::Curves(ERRORS)],
    answer: |pivot| {
        let score = Pivot::of(pivot.document, BY_PREDICTOR);
        let sentences = match scored(&score).is_empty() {
            true => of_log(pivot),
            false => of_score(&score),
        };
        Answer::of_all(sentences)
    },
    card: Some(card::card),
    ..View::EMPTY
};

/// The most blocks that the table holds; the document has them all.
const SHOWN: usize = 50;

/// Verdicts, the most urgent first, with what they mean.
const VERDICTS: [(&str, &str); 5] = [
    ("failed", "failed"),
    ("retire", "to retire (80 % used)"),
    ("watch", "to watch (80 % possible)"),
    ("healthy", "healthy"),
    ("unknown", "unknown"),
];

const BLOCKS: LineTable = LineTable {
    title: "Remaining life",
    lines: by_urgency,
    keys: &[Key::Varying(Of(Axis::Chip)), Key::Always(Of(Axis::Block))],
    figures: &[
        figure("cycles", Count(Metric::CyclesLogged, &[])),
        figure("now / fresh", Made(|_, line| latency(line))),
        figure(
            "life used",
            Value(Metric::LifeUsed, &[(Of(Axis::Statistic), "median")]),
        ),
        figure("90 % band", Made(|_, line| band(line, Metric::LifeUsed))),
        figure(
            "cycles left",
            Made(|_, line| bare(median(line, Metric::CyclesLeft))),
        ),
        figure(
            "90 % band",
            Made(|_, line| bare(band(line, Metric::CyclesLeft))),
        ),
        figure("verdict", Words(|_, line| verdict(line).map(str::to_owned))),
    ],
    ..LineTable::EMPTY
};

fn blocks(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let mut lines = by_urgency(pivot);
    let title = match lines.len() > SHOWN {
        true => format!(
            "{}, the {SHOWN} blocks that need attention first of {}",
            BLOCKS.title,
            lines.len()
        ),
        false => BLOCKS.title.to_owned(),
    };
    lines.truncate(SHOWN);
    BLOCKS.grid(pivot, title, &lines).into_iter().collect()
}

fn verdict<'a>(line: &PivotLine<'a>) -> Option<&'a str> {
    line.rows().iter().find_map(|row| row.text(Axis::Verdict))
}

fn used(line: &PivotLine<'_>) -> Option<f64> {
    line.at(Metric::LifeUsed, &[(Of(Axis::Statistic), "median")])?
        .value
}

/// A value as people read it; `None` where there is none.
fn median(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let value = line.at(metric, &[(Of(Axis::Statistic), "median")])?.value?;
    Some(text::number(metric, value, text::DIGITS))
}

/// "85 % to 97 %".
fn band(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let end = |statistic| {
        let value = line
            .at(metric, &[(Of(Axis::Statistic), statistic)])?
            .value?;
        Some(text::number(metric, value, text::DIGITS))
    };
    Some(format!("{} to {}", end("p5")?, end("p95")?))
}

/// "erase 3.2 times".
fn latency(line: &PivotLine<'_>) -> Option<String> {
    let row = line.at(Metric::LatencyVsFresh, &[])?;
    Some(format!("{} {}", row.operation, text::factor(row.value?)))
}

/// Without the unit, which stands at the head.
fn bare(cycles: Option<String>) -> Option<String> {
    Some(cycles?.replace(" cycles", ""))
}

/// The blocks, the most urgent first.
fn by_urgency<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let mut lines = pivot.select(|line| line.axis(Axis::Block).is_some());
    let urgency = |line: &PivotLine<'_>| {
        let verdict = verdict(line);
        let place = VERDICTS.iter().position(|(name, _)| Some(*name) == verdict);
        place.unwrap_or(VERDICTS.len())
    };
    let used = |line: &PivotLine<'_>| used(line).unwrap_or(0.0);
    lines.sort_by(|a, b| {
        let later = used(b).total_cmp(&used(a));
        urgency(a).cmp(&urgency(b)).then(later)
    });
    lines
}

fn of_log(pivot: &Pivot<'_>) -> Vec<String> {
    let blocks = by_urgency(pivot);
    let Some(first) = blocks.first() else {
        return Vec::new();
    };
    let counts = VERDICTS.iter().map(|(name, words)| {
        let of = blocks.iter().filter(|line| verdict(line) == Some(*name));
        (of.count(), words)
    });
    let counts = counts.filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let log = first.head().target.as_str();
    let log = text::without_kind(log, TargetKind::Log).unwrap_or(log);
    let number = blocks.len();
    let plural = if number == 1 { "block" } else { "blocks" };
    let mut sentences = vec![format!(
        "Of {number} {plural} in {log}: {}.",
        text::list(&counts)
    )];
    let living = blocks.iter().filter(|line| verdict(line) != Some("failed"));
    sentences.extend(living.filter(|line| used(line).is_some()).take(1).map(|worst| {
        let chip = match worst.field(Axis::Chip) {
            none if none.is_empty() => none,
            chip => format!("chip {chip}, "),
        };
        let or_nothing = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        format!(
            "Nearest to its end is {chip}block {}: {} of its life used, {} left. With 90 % probability {} are left.",
            worst.field(Axis::Block),
            or_nothing(median(worst, Metric::LifeUsed)),
            or_nothing(median(worst, Metric::CyclesLeft)),
            or_nothing(band(worst, Metric::CyclesLeft)),
        )
    }));
    let mut used = pivot.document.of(Metric::LifeUsed);
    let anchored = used.any(|row| row.basis == Basis::Calibrated);
    sentences.push(match anchored {
        true => {
            "Predictions rest on the latency of failed blocks of this log, and on a law learnt from simulated chips."
        }
        false => {
            "Predictions rest on simulated chips alone: health --score says how far such predictions go."
        }
    }
    .to_owned());
    sentences
}

/// How the names of those begin that know cycles alone, by what else they know. The others are held against the best.
const RIVALS: [&str; 2] = ["cycles-of-fleet", "cycles-of-part"];

const SHARE: Axis = Axis::LifeShare;

/// A predictor on one kind of families.
const BY_PREDICTOR: Keys = Keys {
    only: &[LineField::Part, Of(Axis::Predictor)],
    parts: &[Of(SHARE)],
};

const KEYS: &[Key] = &[
    Key::Words("families", |_, line| line.head().part.clone()),
    Key::Words("predictor", |_, line| predictor(line)),
];

const SCORE: LineTable = LineTable {
    title: "Median error of the remaining cycles, of themselves and of the whole life",
    pivot: Some(BY_PREDICTOR),
    lines: scored,
    keys: KEYS,
    figures: &[
        figure("error", At(Metric::PredictionError, &[])),
        figure("of life", At(Metric::PredictionErrorOfLife, &[])),
        figure("band holds", Value(Metric::IntervalCoverage, &[])),
        figure("told", Value(Metric::IntervalAvailability, &[])),
        figure(
            "better than fleet",
            Made(|pivot, line| gain(pivot, line, RIVALS[0])),
        ),
        figure(
            "better than part",
            Made(|pivot, line| gain(pivot, line, RIVALS[1])),
        ),
    ],
    ..LineTable::EMPTY
};

const OVER_LIFE: LineTable = LineTable {
    title: "Median error of the remaining cycles, after shares of life",
    pivot: Some(BY_PREDICTOR),
    lines: scored,
    keys: KEYS,
    figures: &[figure("{}", Along(Metric::PredictionError, SHARE, &[]))],
    ..LineTable::EMPTY
};

const ERRORS: CurvePlot = CurvePlot {
    id: "plot-health",
    heading: "Error of predictions over life",
    caption: "Median difference between predicted and actual remaining cycles, divided by the actual ones, after \
              shares of the blocks' lives.",
    pivot: Some(BY_PREDICTOR),
    lines: scored,
    still: &[],
    x: ChartAxis::linear("1", "share of life used"),
    y: ChartAxis::logarithmic("1", "error / remaining cycles"),
    name: |line, _| format!("{}, {}", line.head().part, predictor(line)),
    color: predictor,
    dash: |line| line.head().part.clone(),
    points: |line| {
        let points = line.along(Metric::PredictionError, SHARE, &[]).into_iter();
        points
            .filter_map(|(share, row)| Some((share, row.value?)))
            .collect()
    },
};

fn scored<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    pivot.select(|line| line.axis(Axis::Predictor).is_some())
}

/// A predictor of the document, in words.
fn predictor(line: &PivotLine<'_>) -> String {
    match line.field(Axis::Predictor).as_str() {
        "cycles-of-fleet" => "cycles, fleet's median known",
        "cycles-of-part" => "cycles, part's median known",
        "cycles-of-fleet-survivors" => "cycles, fleet's survivors known",
        "cycles-of-part-survivors" => "cycles, part's survivors known",
        "latency" => "latency alone",
        "latency-rough-log" => "latency alone, rough log",
        "latency-of-programs" => "program latency alone",
        "latency-one-failed" => "latency, one failed block known",
        "latency-rough-one-failed" => "the same, rough log",
        other => other,
    }
    .to_owned()
}

fn knows_as(line: &PivotLine<'_>, rival: &str) -> bool {
    line.field(Axis::Predictor).starts_with(rival)
}

/// How many times better than the best of the rivals that know the same, on the same families.
fn gain(pivot: &Pivot<'_>, line: &PivotLine<'_>, rival: &str) -> Option<String> {
    let error = |line: &PivotLine<'_>| line.number(Metric::PredictionError);
    let rivals = pivot.lines.iter().filter(|other| knows_as(other, rival));
    let same = rivals.filter(|other| other.head().part == line.head().part);
    let best = same.filter_map(error).reduce(f64::min)?;
    let is_rival = RIVALS.iter().any(|rival| knows_as(line, rival));
    let error = error(line).filter(|_| !is_rival)?;
    Some(text::factor(best / error))
}

fn of_score(pivot: &Pivot<'_>) -> Vec<String> {
    let lines = scored(pivot).into_iter();
    let own = lines.filter(|line| {
        ["latency", "latency-one-failed"].contains(&line.field(Axis::Predictor).as_str())
    });
    let sentence = |line: &PivotLine<'_>| {
        let percent = |metric| Some(text::percent(line.number(metric)?, text::DIGITS));
        Some(format!(
            "On {}, {}: the remaining life is off by {} (median). That is {} better than the best from cycles with the \
             fleet's endurance, {} than with the part's. The 90 % band holds {} of the true values.",
            line.head().part,
            predictor(line),
            percent(Metric::PredictionError)?,
            gain(pivot, line, RIVALS[0])?,
            gain(pivot, line, RIVALS[1])?,
            percent(Metric::IntervalCoverage)?,
        ))
    };
    own.filter_map(sentence).collect()
}
