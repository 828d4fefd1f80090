//! How far a measured figure can be trusted: its interval, its grade, and what the machine did meanwhile.

use wordline_core::results::WarningCode;
use wordline_core::{Axis, Metric};

use super::pages;
use crate::grid::{Column, Grid};
use crate::pivot::LineField::Of;
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;

/// The letter of a grade and what it means; nothing where a line has none.
pub(super) fn grade(line: &PivotLine<'_>) -> Option<(char, &'static str)> {
    let row = line.at(Metric::TrustGrade, &[])?;
    Some(match row.value {
        Some(grade) if grade <= 1.0 => ('A', "quiet machine"),
        Some(grade) if grade <= 2.0 => {
            ('B', worst_reason(line).unwrap_or("disturbed and corrected"))
        }
        Some(_) => ('C', worst_reason(line).unwrap_or("an order of magnitude")),
        None => ('–', "refused"),
    })
}

/// Reasons against a figure as documents name them, and as people read them.
const REASONS: [(&str, &str); 17] = [
    ("few_batches", "few samples"),
    ("wide_interval", "wide interval"),
    ("coarse_timer", "coarse clock"),
    ("costly_timer", "slow clock"),
    ("interrupted", "interrupted"),
    ("cold", "caches were cold"),
    ("core_contention", "others had the core"),
    ("stolen", "other guests had the core"),
    ("unexplained_loss", "core lost unseen"),
    ("memory_contention", "shared memory"),
    ("drift", "the figure drifted"),
    ("clock_change", "the core's clock changed"),
    ("clock_stepped", "the clock was set"),
    ("migrated", "moved between cores"),
    ("faults", "pages were mapped or read"),
    ("apart", "threads ran apart"),
    ("no_ledger", "others unknown"),
];

/// The reason that decides a grade: rows of the same metric, whose estimate is its name, have the grade of each.
fn worst_reason(line: &PivotLine<'_>) -> Option<&'static str> {
    let mut reasons: Vec<(&str, f64)> = line.split(Metric::TrustGrade, Axis::Estimate).collect();
    // The first of the worst.
    reasons.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let (name, _) = *reasons.first()?;
    let words = REASONS.iter().find(|(reason, _)| *reason == name);
    words.map(|(_, words)| *words)
}

/// The lines' worst grade.
pub(super) fn worst<'p, 'a: 'p>(
    lines: impl Iterator<Item = &'p PivotLine<'a>>,
) -> Option<(char, &'static str)> {
    let place = |(letter, _): &(char, &str)| match letter {
        'A'..='C' => u32::from(*letter),
        // Refused.
        _ => u32::MAX,
    };
    lines.filter_map(grade).max_by_key(place)
}

/// "grade A: quiet machine".
pub(super) fn grade_words(grade: Option<(char, &'static str)>) -> Option<String> {
    grade.map(|(letter, words)| format!("grade {letter}: {words}"))
}

/// The ends of the 95 % interval of a metric.
pub(super) fn interval(line: &PivotLine<'_>, metric: Metric) -> Option<(f64, f64)> {
    let end = |name| line.at(metric, &[(Of(Axis::Estimate), name)])?.value;
    end("confidence_low").zip(end("confidence_high"))
}

/// "96.1–96.8 ns": the interval with as many digits as its ends need to differ.
pub(super) fn interval_words(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let (low, high) = interval(line, metric)?;
    let ends = |digits| [low, high].map(|end| text::number(metric, end, digits));
    let digits = (text::DIGITS..text::DIGITS + 2).find(|digits| {
        let [low, high] = ends(*digits);
        low != high
    });
    let [low, high] = ends(digits.unwrap_or(text::DIGITS));
    Some(match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}–{high}"),
        _ => format!("{low}–{high}"),
    })
}

/// " (95 %: 96.1–96.8 ns; grade A: quiet machine)"; empty where nothing is known.
pub(super) fn sureness(line: &PivotLine<'_>, metric: Metric) -> String {
    let interval = interval_words(line, metric).map(|words| format!("95 %: {words}"));
    let words: Vec<String> = interval
        .into_iter()
        .chain(grade_words(grade(line)))
        .collect();
    match words.is_empty() {
        true => String::new(),
        false => format!(" ({})", words.join("; ")),
    }
}

/// Why a figure of a test was refused, and what to do about it, as the document warns. Warnings begin with their test.
pub(super) fn refusal(pivot: &Pivot<'_>, test: &str) -> Option<String> {
    let mut warnings = pivot.document.warnings.iter();
    let is_of_test = |advice: &str| advice.split_once(':').is_none_or(|(of, _)| of == test);
    let refused = warnings.find(|warning| {
        warning.code == WarningCode::Refused.name() && is_of_test(&warning.advice)
    })?;
    Some(refused.advice.clone())
}

/// What the machine did during each measurement.
const LEDGER: [(Metric, &str); 11] = [
    (Metric::BatchesHit, "batches hit"),
    (Metric::BatchesCold, "batches cold"),
    (Metric::ColdLoads, "loads until warm"),
    (Metric::ColdCorrection, "taken off"),
    (Metric::StealShare, "stolen"),
    (Metric::OtherProcessorShare, "other programs"),
    (Metric::CpuPressure, "CPU pressure"),
    (Metric::MemoryPressure, "memory pressure"),
    (Metric::ClockChange, "clock change"),
    (Metric::PagesObtained, "pages obtained"),
    (Metric::NodeObtained, "node obtained"),
];

/// A row for each line that has a grade or a share of the ledger.
pub(super) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let has = |line: &PivotLine<'_>| {
        let ledger = LEDGER.iter().map(|(metric, _)| *metric);
        ledger
            .chain([Metric::TrustGrade])
            .any(|metric| line.at(metric, &[]).is_some())
    };
    let lines = pivot.select(has);
    let table = Tabulation::new("What the machine did meanwhile, and what was obtained")
        .key(Column::left("test"), |line: &&PivotLine<'_>| {
            line.field(Axis::Test)
        })
        .key(Column::left("of"), |line| what(line))
        .words("grade", |line| {
            grade(line).map(|(letter, _)| letter.to_string())
        });
    let table = LEDGER.iter().fold(table, |table, (metric, name)| {
        table.figure(*name, move |line| {
            let value = line.at(*metric, &[])?.value?;
            Some(match metric {
                Metric::ColdLoads => text::number(*metric, value, text::DIGITS),
                _ => text::tenths(value),
            })
        })
    });
    table.lines(&lines).into_iter().collect()
}

/// What distinguishes a line within its test.
fn what(line: &PivotLine<'_>) -> String {
    let axes = [
        (Axis::WorkingSetBytes, ""),
        (Axis::Pattern, ""),
        (Axis::Threads, "threads "),
        (Axis::Mix, ""),
        (Axis::Stores, ""),
        (Axis::DelayCycles, "delay "),
        (Axis::FromNode, "from node "),
        (Axis::ToNode, "to node "),
        (Axis::FromCpu, "from CPU "),
        (Axis::ToCpu, "to CPU "),
    ];
    let words = axes.iter().filter_map(|(axis, prefix)| {
        let value = line.axis(*axis)?;
        let told = match axis {
            Axis::DelayCycles => value.to_string(),
            _ => line.field(*axis),
        };
        Some(format!("{prefix}{told}"))
    });
    let mut words: Vec<String> = words.collect();
    words.extend(Some(pages(line)).filter(|pages| !pages.is_empty()));
    words.join(", ")
}
