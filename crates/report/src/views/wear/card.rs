//! The first screen of endurance: the rated cycles, then what simulated blocks stood, and how latency moves over life.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard, Row};
use wordline_core::{Axis, Basis, Metric};

use super::{BY_OPERATION, KEYS, SHEET, blocks, statistic_of};
use crate::card::{FirstScreen, choice, foundation};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::pivot::LineField;
use crate::pivot::{Pivot, PivotLine};
use crate::tabulate::Tabulation;
use crate::text;
use crate::view::Key;

/// The most curves that a terminal can name.
const CURVES: usize = 4;

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let mut lines: Vec<_> = pivot.lines.iter().collect();
    let all = lines.clone();
    let median = |line: &PivotLine<'_>| statistic_of(line, "median").and_then(|row| row.value);
    // A block that did not fail stood more than any that did.
    let place = |line: &PivotLine<'_>| median(line).unwrap_or(f64::INFINITY);
    lines.sort_by(|a, b| place(b).total_cmp(&place(a)));
    let Some(first) = lines.first() else {
        return FirstScreen {
            answer: DecisionCard {
                sentence: "Nothing was run.".to_owned(),
                ..DecisionCard::default()
            },
            ..FirstScreen::default()
        };
    };
    let mut points = Vec::new();
    points.extend(life(first));
    points.extend(latency(first, "erase", CardSubject::WorstCase));
    points.extend(latency(first, "program", CardSubject::Speed));
    points.extend(failures(first));
    let others = lines.iter().skip(1).take(1);
    points.extend(others.filter_map(|second| {
        let row = statistic_of(second, "median")?;
        let stood = row.value.map_or_else(
            || "did not fail".to_owned(),
            |value| format!("fails after {}", cycles(value)),
        );
        let words = format!("{}: the median block {stood}", name(second, &all));
        let metric = Metric::Endurance;
        let point = CardPoint::of_value(CardSubject::RunnerUp, words, metric, row.value, row.basis);
        Some(point.about(second.head().target.as_str()))
    }));
    let rests = match is_measured(first) {
        true => "cycles of the blocks tested; how long data keep is in the rated cycles alone",
        false => "a simulated ageing of chips; how long data keep is in the rated cycles alone",
    };
    points.push(CardPoint::words(CardSubject::Weakest, rests));
    points.extend(foundation(pivot.document));
    let is_choice = lines.len() > 1;
    let ranking = lines
        .iter()
        .map(|line| choice(name(line, &all), Metric::Endurance, median(line)));
    FirstScreen {
        answer: DecisionCard {
            sentence: sentence(first, &all),
            take: is_choice.then(|| name(first, &all)),
            ranking: ranking.collect(),
            points,
            cautions: Vec::new(),
        },
        table: table(&lines, &all),
        of: "usages",
        plot: plot(pivot),
    }
}

/// What distinguishes a line: the target, and the usage where there are several.
fn name(line: &PivotLine<'_>, all: &[&PivotLine<'_>]) -> String {
    match all.len() {
        1 => line.head().target.clone(),
        _ => Key::named(&KEYS, line, all),
    }
}

/// "100,000", or "3.78 million".
pub(super) fn cycles(value: f64) -> String {
    const MILLION: f64 = 1e6;
    if !(0.0..1e15).contains(&value) {
        return text::number(Metric::Endurance, value, text::DIGITS);
    }
    if value >= MILLION {
        let decimals = (2 - (value / MILLION).log10().floor().max(0.0) as i32).max(0);
        return format!("{:.*} million", decimals as usize, value / MILLION);
    }
    let digits = text::count(value);
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    match head.is_empty() {
        true => digits,
        false => format!("{head},{tail}"),
    }
}

fn rated<'a>(line: &PivotLine<'a>) -> Option<&'a Row> {
    line.at(Metric::Endurance, &[(LineField::Operation, "cycle"), SHEET])
}

/// Whether the blocks were real ones.
fn is_measured(line: &PivotLine<'_>) -> bool {
    line.bases().contains(&Basis::Measured)
}

/// "a@b is rated for 100,000 cycles; in simulation the median block fails after 3.78 million."
fn sentence(line: &PivotLine<'_>, all: &[&PivotLine<'_>]) -> String {
    let rated = rated(line).and_then(|row| row.value).map(cycles);
    let median = statistic_of(line, "median");
    let who = name(line, all);
    let simulated = match median.map(|row| row.value) {
        Some(Some(value)) => Some(format!("the median block fails after {}", cycles(value))),
        Some(None) => Some("half of the blocks did not fail".to_owned()),
        None => None,
    };
    match (rated, simulated) {
        (Some(rated), Some(simulated)) => {
            let how = if is_measured(line) {
                "as measured"
            } else {
                "in simulation"
            };
            format!("{who} is rated for {rated} cycles; {how} {simulated}.")
        }
        (Some(rated), None) => format!("{who} is rated for {rated} cycles."),
        (None, Some(simulated)) => {
            format!("In simulation {simulated} on {who}; no cycles are rated.")
        }
        (None, None) => format!("{who} was run; the table has what was found."),
    }
}

/// "of 100 blocks the first fails after 1.21 million cycles, the last after 9.90 million".
fn life(line: &PivotLine<'_>) -> Option<CardPoint> {
    let [least, most] = ["least", "most"].map(|name| statistic_of(line, name));
    let row = least?;
    let words = match (row.value, most.and_then(|row| row.value)) {
        (Some(least), Some(most)) => format!(
            "of {} blocks the first fails after {} cycles, the last after {}",
            blocks(line),
            cycles(least),
            cycles(most)
        ),
        (Some(least), None) => format!(
            "of {} blocks the first fails after {} cycles; some did not fail",
            blocks(line),
            cycles(least)
        ),
        (None, _) => format!("none of {} blocks failed", blocks(line)),
    };
    let metric = Metric::Endurance;
    Some(CardPoint::of_value(
        CardSubject::Life,
        words,
        metric,
        row.value,
        row.basis,
    ))
}

/// "an erase takes up to 6.05 ms, 4.0 times the mean of the first 10,000; specified at most 3.00 ms".
fn latency(line: &PivotLine<'_>, operation: &str, subject: CardSubject) -> Option<CardPoint> {
    let of = |metric| line.at(metric, &[(LineField::Operation, operation)]);
    let row = of(Metric::LatencyMax)?;
    let time = |seconds| text::number(Metric::LatencyMax, seconds, text::DIGITS);
    let most = time(row.value?);
    let least = of(Metric::LatencyMin).and_then(|row| row.value).map(time);
    let words = match least {
        // Erases grow slower over life, programs faster.
        Some(least) if operation == "erase" => {
            format!("an erase takes {least} when fresh and up to {most} when worn")
        }
        Some(least) => format!("a {operation} takes {most} at most and {least} when worn"),
        None => format!("a {operation} takes up to {most}"),
    };
    let sheet = line.at(
        Metric::LatencyMax,
        &[(LineField::Operation, operation), SHEET],
    );
    let sheet = sheet.and_then(|row| row.value).map(time);
    let sheet = sheet.map_or_else(String::new, |most| format!("; rated at most {most}"));
    Some(CardPoint::of_value(
        subject,
        words + &sheet,
        Metric::LatencyMax,
        row.value,
        row.basis,
    ))
}

/// How blocks failed.
fn failures(line: &PivotLine<'_>) -> Option<CardPoint> {
    let causes = line.parts(Metric::BlocksFailed);
    let words = causes
        .filter(|(_, count)| *count > 0.0)
        .map(|(cause, count)| format!("{} in {cause}", text::count(count)));
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| {
        let words = format!("blocks that failed: {}", words.join(", "));
        CardPoint::words(CardSubject::Cause, words)
    })
}

/// A line for each usage.
fn table(lines: &[&PivotLine<'_>], all: &[&PivotLine<'_>]) -> Option<Grid> {
    let mut table = Tabulation::new(String::new())
        .key(Column::left("target"), |line: &&PivotLine<'_>| {
            name(line, all)
        });
    table = table.figure("rated", |line| Some(cycles(rated(line)?.value?)));
    for (heading, statistic) in [
        ("median", "median"),
        ("first", "least"),
        ("p10", "p10"),
        ("p90", "p90"),
        ("last", "most"),
    ] {
        table = table.figure(heading, move |line| {
            let row = statistic_of(line, statistic)?;
            Some(
                row.value
                    .map_or_else(|| text::value(row, text::DIGITS), cycles),
            )
        });
    }
    table
        .figure("blocks", |line| Some(blocks(line).to_string()))
        .lines(lines)
}

/// The mean latency in some of the cycles.
fn along<'a>(line: &PivotLine<'a>) -> Vec<(f64, &'a Row)> {
    line.along(Metric::LatencyMean, Axis::AfterCycles, &[])
}

/// Latency in each cycle.
fn plot(pivot: &Pivot<'_>) -> Option<TerminalPlot> {
    let pivot = Pivot::of(pivot.document, BY_OPERATION);
    let lines = pivot.select(|line| !along(line).is_empty());
    let several = crate::pivot::differs(&lines, |line| line.field(Axis::Usage));
    let curves = lines.iter().take(CURVES).map(|line| {
        let points = along(line).into_iter();
        let operation = line.head().operation;
        TerminalCurve {
            is_dashed: false,
            name: match several {
                true => format!("{operation}, {}", line.field(Axis::Usage)),
                false => operation.to_string(),
            },
            points: points
                .filter_map(|(after, row)| Some((after + 1.0, row.value?)))
                .collect(),
        }
    });
    Some(TerminalPlot {
        x: TerminalAxis {
            title: "cycle",
            told: cycles,
        },
        y: TerminalAxis {
            title: "latency",
            told: |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS),
        },
        curves: curves.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn cycles_read_as_people_say_them() {
        let cases = [
            (0.0, "0"),
            (999.0, "999"),
            (100_000.0, "100,000"),
            (3_780_000.0, "3.78 million"),
            (12_345_678.0, "12.3 million"),
            (4.5e9, "4500 million"),
        ];
        for (value, expected) in cases {
            assert_eq!(cycles(value), expected);
        }
    }
}
