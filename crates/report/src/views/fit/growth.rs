//! A fit to a table of times by cycles: what was printed beside the law, and what the law predicts.

use wordline_core::results::{ResultSet, Row};
use wordline_core::{Axis, Basis, Metric, RowOperation, Timing};

use crate::grid::{Column, Grid};
use crate::tabulate::Tabulation;
use crate::text;

/// An operation after some cycles, in one of the table's columns.
struct GrowthTime<'a> {
    operation: RowOperation,
    timing: Timing,
    cycles: f64,
    printed: Option<&'a Row>,
    /// The law's median, and the ends of its 95 % band.
    law: [Option<&'a Row>; 3],
}

impl GrowthTime<'_> {
    fn ratio(&self) -> Option<f64> {
        let printed = self.printed?.value?;
        (printed > 0.0).then_some(self.law[0]?.value? / printed)
    }

    fn is(&self) -> &'static str {
        match self.law[0].map(|row| (row.text(Axis::Estimate), row.basis)) {
            Some((Some("extrapolation"), _)) => "extrapolated",
            Some((Some(_), _)) => "interpolated",
            Some((None, Basis::Calibrated)) => "fitted",
            _ => "",
        }
    }
}

const STATISTICS: [&str; 3] = ["median", "p2.5", "p97.5"];

fn times(document: &ResultSet) -> Vec<GrowthTime<'_>> {
    let mut times: Vec<GrowthTime<'_>> = Vec::new();
    for row in &document.rows {
        let Some(cycles) = row.axes.get(&Axis::AfterCycles).and_then(text::numeric) else {
            continue;
        };
        let same = |one: &GrowthTime<'_>| {
            (one.operation, one.timing) == (row.operation, row.timing) && one.cycles == cycles
        };
        let place = times.iter().position(same).unwrap_or_else(|| {
            times.push(GrowthTime {
                operation: row.operation,
                timing: row.timing,
                cycles,
                printed: None,
                law: [None; 3],
            });
            times.len() - 1
        });
        let statistic = row.text(Axis::Statistic);
        match STATISTICS.iter().position(|name| statistic == Some(name)) {
            Some(at) => times[place].law[at] = Some(row),
            None => times[place].printed = Some(row),
        }
    }
    times
}

/// The table; none of a fit to something else.
pub(super) fn table(document: &ResultSet) -> Option<Grid> {
    let times = times(document);
    let value = |row: Option<&Row>| Some(text::value(row?, text::DIGITS));
    type Line<'a> = GrowthTime<'a>;
    Tabulation::new("Times by cycles, as printed and by the law")
        .key(Column::left("operation"), |line: &Line<'_>| {
            line.operation.to_string()
        })
        .key(Column::left("column"), |line| line.timing.to_string())
        .key(Column::left("cycles"), |line| text::count(line.cycles))
        .figure("printed", |line| value(line.printed))
        .figure("law", |line| value(line.law[0]))
        .figure("ratio", |line| line.ratio().map(super::ratio))
        .figure("95 % from", |line| value(line.law[1]))
        .figure("to", |line| value(line.law[2]))
        .words("is", |line| Some(line.is().to_owned()))
        .lines(&times)
}

fn column(timing: Timing) -> &'static str {
    if timing == Timing::Max {
        "maximum"
    } else {
        "typical"
    }
}

/// The exponents, and the farthest predictions.
pub(super) fn sentences(document: &ResultSet) -> Vec<String> {
    let exponent = |like: &Row, statistic: &str| {
        let mut rows = document.rows.iter();
        let found = rows.find(|row| {
            row.metric == Metric::GrowthExponent
                && (row.operation, row.timing) == (like.operation, like.timing)
                && row.text(Axis::Statistic) == Some(statistic)
        });
        found.and_then(|row| row.value)
    };
    let mut sentences = Vec::new();
    for row in &document.rows {
        if row.metric != Metric::GrowthExponent || row.text(Axis::Statistic) != Some("median") {
            continue;
        }
        if let [Some(value), Some(least), Some(most)] =
            ["median", "p5", "p95"].map(|statistic| exponent(row, statistic))
        {
            // Where columns have exponents of their own, it is told whose.
            let of = |row: &Row, timing: Timing| Row {
                timing,
                ..row.clone()
            };
            let alone = exponent(&of(row, Timing::Typ), "median").is_some()
                && exponent(&of(row, Timing::Max), "median").is_some();
            let column = if alone {
                format!("{} ", column(row.timing))
            } else {
                String::new()
            };
            sentences.push(format!(
                "What cycles add to the {column}{} time grows as their power {value:.2} (90 % interval {least:.2} to \
                 {most:.2}).",
                row.operation
            ));
        }
    }
    let times = times(document);
    let mut farthest: Vec<&GrowthTime<'_>> = Vec::new();
    for time in times.iter().filter(|one| one.is() == "extrapolated") {
        let same =
            |one: &&GrowthTime<'_>| (one.operation, one.timing) == (time.operation, time.timing);
        match farthest.iter_mut().find(|one| same(one)) {
            Some(one) if one.cycles < time.cycles => *one = time,
            Some(_) => {}
            None => farthest.push(time),
        }
    }
    for time in farthest {
        if let [Some(value), Some(least), Some(most)] = time.law {
            let [value, least, most] =
                [value, least, most].map(|row| text::value(row, text::DIGITS));
            sentences.push(format!(
                "After {} cycles the {} {} takes {value} (95 % band {least} to {most}), which is extrapolated.",
                text::count(time.cycles),
                column(time.timing),
                time.operation,
            ));
        }
    }
    sentences
}
