//! The table of what survives until chips report failures: apart from the figures that limits go by, because no data
//! sheet promises it.

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::RankedCandidate;
use super::tables::side_by_side;
use crate::grid::{Column, Grid};
use crate::pivot::LineField::{self, Of};
use crate::pivot::{Pivot, PivotLine, ascending};
use crate::tabulate::Tabulation;
use crate::text;

/// What rows of these estimates say in the axis `estimate`.
const ESTIMATE: &str = "status-fail";

/// The table; none for a document without such rows.
pub(crate) fn table(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let candidates = RankedCandidate::all_of(pivot);
    let lines: Vec<_> = candidates.iter().filter_map(|one| one.line).collect();
    let rows = lines
        .iter()
        .flat_map(|line| line.along(Metric::SurvivalProbability, Axis::AfterYears, &of("memory")));
    let years = ascending(rows.map(|(years, _)| years));
    let title = "Until the chip reports a failure; not a promise: share of such memories that still have the blocks that \
                 they need, by years of this work; when 1 % have not; when a memory's worst block fails, and its median one";
    let name = |line: &&PivotLine<'_>| line.head().target.clone();
    let mut table = Tabulation::new(title).key(Column::left("candidate"), name);
    // Columns of the data sheet stand side by side.
    let cell = |line: &PivotLine<'_>, metric, whose, axis: Axis, at: f64| {
        let found = line.along(metric, axis, &of(whose)).into_iter();
        let found = found.filter(|(place, _)| *place == at);
        let cells: Vec<_> = found.map(|(_, row)| worded(row)).collect();
        (!cells.is_empty()).then(|| side_by_side(&cells))
    };
    for years in years {
        table = table.figure(format!("{years} y"), move |line| {
            cell(
                line,
                Metric::SurvivalProbability,
                "memory",
                Axis::AfterYears,
                years,
            )
        });
    }
    for (whose, at, name) in LIVES {
        table = table.figure(name, move |line| {
            cell(line, Metric::Lifetime, whose, Axis::Survivors, at)
        });
    }
    let estimated = |line: &&PivotLine<'_>| {
        line.rows()
            .iter()
            .any(|row| row.text(Axis::Estimate) == Some(ESTIMATE))
    };
    let lines: Vec<_> = lines.into_iter().filter(estimated).collect();
    table.lines(&lines).into_iter().collect()
}

/// Lives that are shown: of what, the share that is left then, and the heading.
const LIVES: [(&str, f64, &str); 3] = [
    ("memory", 0.99, "1 % gone"),
    ("first-block", 0.5, "worst block"),
    ("block", 0.5, "median block"),
];

/// Of what the rows are.
const fn of(whose: &str) -> [(LineField, &str); 2] {
    [
        (Of(Axis::Estimate), ESTIMATE),
        (Of(Axis::Population), whose),
    ]
}

/// A value; shares next to none and all as what they are known to be beyond.
fn worded(row: &Row) -> String {
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
