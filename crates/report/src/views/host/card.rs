//! The first screen: the figure with its interval and its grade in one sentence, what else was found, and a short table.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, NoValue, WarningCode};
use wordline_core::{Axis, Basis, Metric};

use super::bandwidth::{best_sentence, rate};
use super::latency::{
    WorkingSetCurve, has_course, knee_sentence, latency, memory, set_words, walk_sentence,
    working_set_curves,
};
use super::trust::{grade_words, worst};
use super::{bandwidth, matrix, storage, time};
use crate::card::FirstScreen;
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::Grid;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::views::dram::{self, LoadCurve};

/// Rows of the short table of working sets.
const SETS: usize = 8;

/// What a test says on the first screen.
struct TestScreen {
    sentence: String,
    subject: CardSubject,
    metric: Metric,
    value: Option<f64>,
    /// What else it found.
    points: Vec<String>,
    table: Option<Grid>,
    plot: Option<TerminalPlot>,
}

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let all = [
        of_latency(pivot),
        of_loaded(pivot),
        of_bandwidth(pivot),
        of_matrix(pivot),
        of_storage(pivot),
    ];
    let mut screens = all.into_iter().flatten();
    let Some(first) = screens.next() else {
        let sentence =
            "The document holds no figure of this machine; its warnings say why.".to_owned();
        let answer = DecisionCard {
            sentence,
            ..DecisionCard::default()
        };
        return FirstScreen::new(answer, None, "lines");
    };
    let mut points: Vec<CardPoint> = Vec::new();
    points.extend(
        first
            .points
            .iter()
            .map(|words| CardPoint::words(CardSubject::Finding, trimmed(words))),
    );
    for screen in screens {
        let words = trimmed(&screen.sentence);
        points.push(CardPoint::of_value(
            screen.subject,
            words,
            screen.metric,
            screen.value,
            Basis::Measured,
        ));
    }
    points.extend(refusals(pivot));
    let answer = DecisionCard {
        sentence: first.sentence,
        points,
        ..DecisionCard::default()
    };
    FirstScreen {
        plot: first.plot,
        ..FirstScreen::new(answer, first.table, "lines")
    }
}

/// How many figures were refused, which the exit code says as well, and the first reason.
fn refusals(pivot: &Pivot<'_>) -> Option<CardPoint> {
    let rows = pivot.document.rows.iter();
    // Each reason has a row as well, with an estimate.
    let refused = rows.filter(|row| {
        row.metric == Metric::TrustGrade
            && row.no_value == Some(NoValue::Failed)
            && row.text(Axis::Estimate).is_none()
    });
    let refused = refused.count();
    let code = WarningCode::Refused.name();
    let mut warnings = pivot.document.warnings.iter();
    let reason = warnings.find(|warning| warning.code == code)?;
    let figures = match refused {
        0 | 1 => "a figure is refused".to_owned(),
        count => format!("{count} figures are refused"),
    };
    let words = format!("{figures}, so that the exit code is 1. {}", reason.advice);
    Some(CardPoint::words(CardSubject::Failure, words))
}

/// A sentence as a point, which ends without a period.
fn trimmed(sentence: &str) -> &str {
    sentence.strip_suffix('.').unwrap_or(sentence)
}

fn of_latency(pivot: &Pivot<'_>) -> Option<TestScreen> {
    let curves = working_set_curves(pivot);
    let line = memory(pivot);
    let mut points: Vec<String> = [walk_sentence(pivot), knee_sentence(pivot)]
        .into_iter()
        .flatten()
        .collect();
    points.extend(line.and_then(spread));
    points.extend(line.and_then(obtained));
    Some(TestScreen {
        sentence: super::latency::sentence(pivot)?,
        subject: CardSubject::Speed,
        metric: Metric::LatencyP50,
        value: line.and_then(latency),
        points,
        table: super::latency::beside(pivot, &curves).map(|grid| thinned(&grid)),
        plot: has_course(&curves).then(|| course(&curves)),
    })
}

/// "5 % of the loads take up to 92 ns, 99 % up to 130 ns".
fn spread(line: &PivotLine<'_>) -> Option<String> {
    let (low, high) = (
        line.number(Metric::LatencyP5)?,
        line.number(Metric::LatencyP99)?,
    );
    Some(format!(
        "5 % of the loads take up to {}, 99 % up to {}",
        time(low),
        time(high)
    ))
}

/// What was not obtained as it was asked for.
fn obtained(line: &PivotLine<'_>) -> Option<String> {
    let share = |metric| line.number(metric).filter(|share| *share < 0.995);
    let pages = share(Metric::PagesObtained).map(|share| {
        format!(
            "{} of the memory lies in {}",
            text::tenths(share),
            super::pages(line)
        )
    });
    let node = share(Metric::NodeObtained)
        .map(|share| format!("{} on the node that was asked for", text::tenths(share)));
    let words: Vec<String> = [pages, node].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Some rows of a long table, the last one first: the memory stands before its caches.
fn thinned(grid: &Grid) -> Grid {
    let rows = grid.rows();
    let shown = rows.len().min(SETS);
    let mut short = Grid::new(grid.title(), grid.columns().to_vec()).with_keys(grid.keys());
    for index in (0..shown).rev() {
        let place = index * rows.len().saturating_sub(1) / shown.saturating_sub(1).max(1);
        short.push(rows[place].clone());
    }
    short
}

/// Latency over the working set, random loads.
fn course(curves: &[WorkingSetCurve<'_, '_>]) -> TerminalPlot {
    let random = curves.iter().filter(|curve| curve.is_random());
    let drawn = random.map(|curve| TerminalCurve {
        name: curve.pages.clone(),
        points: curve
            .points
            .iter()
            .filter_map(|(bytes, line)| Some((*bytes, latency(line)?)))
            .collect(),
        is_dashed: false,
    });
    TerminalPlot {
        x: TerminalAxis {
            title: "working set",
            told: set_words,
        },
        y: TerminalAxis {
            title: "latency",
            told: time,
        },
        curves: drawn.collect(),
    }
}

fn of_loaded(pivot: &Pivot<'_>) -> Option<TestScreen> {
    let curves = dram::curves(pivot);
    let first = curves.first()?;
    let rivals: Vec<&LoadCurve<'_, '_>> = curves.iter().collect();
    Some(TestScreen {
        sentence: load_sentence(first)?,
        subject: CardSubject::WorstCase,
        metric: Metric::LatencyMean,
        value: first.most().and_then(|point| point.latency()),
        points: Vec::new(),
        table: dram::load_table(&rivals),
        plot: Some(dram::load_plot(&rivals)),
    })
}

/// "A read takes 96.4 ns alone, 130 ns at the knee of 10.2 GB/s and 610 ns loaded up to 12.8 GB/s by 3 cores. Grade A: quiet
/// machine."
fn load_sentence(curve: &LoadCurve<'_, '_>) -> Option<String> {
    let most = curve.most()?;
    let steps = [
        curve.idle.map(|idle| format!("{} alone", time(idle))),
        curve.knee.map(|(rate, latency)| {
            format!("{} at the knee of {}", time(latency), text::rate(rate))
        }),
        Some(format!(
            "{} loaded up to {}{}",
            time(most.latency()?),
            text::rate(most.throughput()?),
            curve.loaded_by()
        )),
    ];
    let steps: Vec<String> = steps.into_iter().flatten().collect();
    let grade = grade_words(worst(curve.points.iter().map(|point| point.line)));
    let grade = grade.map_or_else(String::new, |words| format!(" {}.", text::capital(&words)));
    Some(format!("A read takes {}.{grade}", text::list(&steps)))
}

fn of_bandwidth(pivot: &Pivot<'_>) -> Option<TestScreen> {
    Some(TestScreen {
        sentence: bandwidth::sentence(pivot)?,
        subject: CardSubject::Speed,
        metric: Metric::ThroughputP50,
        value: bandwidth::most(pivot).and_then(rate),
        points: best_sentence(pivot).into_iter().collect(),
        table: bandwidth::tables(pivot, None).into_iter().next(),
        plot: None,
    })
}

fn of_matrix(pivot: &Pivot<'_>) -> Option<TestScreen> {
    let matrices = matrix::matrices(pivot);
    let first = matrices.first()?;
    let sentences = matrices
        .iter()
        .skip(1)
        .filter_map(matrix::PairMatrix::sentence);
    let values = first.pairs.iter().map(|(.., value)| *value);
    Some(TestScreen {
        sentence: first.sentence()?,
        subject: CardSubject::Finding,
        metric: Metric::LatencyP50,
        value: values.max_by(f64::total_cmp),
        points: sentences.collect(),
        table: Some(first.grid()),
        plot: None,
    })
}

fn of_storage(pivot: &Pivot<'_>) -> Option<TestScreen> {
    Some(TestScreen {
        sentence: storage::sentence(pivot)?,
        subject: CardSubject::Speed,
        metric: Metric::LatencyP50,
        value: super::of_test(pivot, storage::TEST)
            .first()
            .and_then(|line| line.number(Metric::LatencyP50)),
        points: Vec::new(),
        table: storage::needed(pivot).or_else(|| storage::tables(pivot, None).into_iter().next()),
        plot: None,
    })
}
