//! The table of what survives until chips report failures: apart from the figures that limits go by, because nobody
//! promises it.

use wordline_core::Metric;
use wordline_core::results::{AxisValue, ResultSet, Row};

use super::tables::side_by_side;
use super::{Candidate, NOTHING};
use crate::grid::{Column, Grid};
use crate::text;

/// What rows of these estimates say in the axis `estimate`.
const ESTIMATE: &str = "status-fail";

/// The table; `None` for a document without such rows.
pub(crate) fn table(document: &ResultSet) -> Option<Grid> {
    let rows: Vec<&Row> = document
        .rows
        .iter()
        .filter(|row| text_axis(row, "estimate") == Some(ESTIMATE))
        .collect();
    let mut years: Vec<f64> = of(&rows, Metric::SurvivalProbability, "memory")
        .filter_map(|row| number_axis(row, "after_years"))
        .collect();
    years.sort_by(f64::total_cmp);
    years.dedup();
    if years.is_empty() {
        return None;
    }
    let mut columns = vec![Column::left("candidate")];
    columns.extend(
        years
            .iter()
            .map(|years| Column::right(format!("{years} y"))),
    );
    columns.extend(LIVES.map(|(.., name)| Column::right(name)));
    let title = "Until the chip reports a failure; not a promise: share of such memories that still have the blocks that \
                 they need, by years of this work; when 1 % have not; when a memory's worst block fails, and its median one";
    let mut grid = Grid::new(title.to_owned(), columns).with_keys(1);
    for candidate in Candidate::all_of(document) {
        let own = rows.iter().copied();
        let own: Vec<&Row> = own.filter(|row| row.target == candidate.target).collect();
        if own.is_empty() {
            continue;
        }
        let cell = |metric, whose, axis, at: f64| {
            let found = of(&own, metric, whose);
            let found = found.filter(|row| number_axis(row, axis) == Some(at));
            let cells: Vec<_> = found.map(told).collect();
            if cells.is_empty() {
                NOTHING.to_owned()
            } else {
                side_by_side(&cells)
            }
        };
        let left = years.iter();
        let left = left.map(|at| cell(Metric::SurvivalProbability, "memory", "after_years", *at));
        let lives = LIVES.iter();
        let lives = lives.map(|(whose, at, _)| cell(Metric::Lifetime, whose, "survivors", *at));
        grid.push(
            [candidate.target.to_owned()]
                .into_iter()
                .chain(left)
                .chain(lives),
        );
    }
    Some(grid)
}

/// Lives that are told: of what, the share that is left then, and the heading.
const LIVES: [(&str, f64, &str); 3] = [
    ("memory", 0.99, "1 % gone"),
    ("first-block", 0.5, "worst block"),
    ("block", 0.5, "median block"),
];

/// A value; shares next to none and all as what they are known to be beyond.
fn told(row: &Row) -> String {
    match row.value {
        Some(share) if row.metric == Metric::SurvivalProbability && share < 0.001 => {
            "< 0.1 %".to_owned()
        }
        Some(share) if row.metric == Metric::SurvivalProbability && share > 0.999 => {
            "> 99.9 %".to_owned()
        }
        _ => text::value(row, text::DIGITS),
    }
}

/// The rows of a metric of something.
fn of<'a>(
    rows: &[&'a Row],
    metric: Metric,
    whose: &'static str,
) -> impl Iterator<Item = &'a Row> + use<'a> {
    let rows: Vec<&Row> = rows.to_vec();
    rows.into_iter()
        .filter(move |row| row.metric == metric && text_axis(row, "of") == Some(whose))
}

fn text_axis<'a>(row: &'a Row, axis: &str) -> Option<&'a str> {
    match row.axes.get(axis) {
        Some(AxisValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn number_axis(row: &Row, axis: &str) -> Option<f64> {
    match row.axes.get(axis) {
        Some(AxisValue::Number(number)) => Some(*number),
        Some(AxisValue::Count(count)) => Some(*count as f64),
        _ => None,
    }
}
