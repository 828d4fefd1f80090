//! What a reader must see before trusting a document.

use wordline_core::ResultSet;
use wordline_core::results::Verdict;

use crate::grid::{Column, Grid};
use crate::text;

/// Says that the run was cut short; `None` for a complete document.
pub(crate) fn incomplete(document: &ResultSet) -> Option<&'static str> {
    (!document.complete).then_some(
        "Incomplete: the run was interrupted. The rows here are finished ones; others are missing.",
    )
}

/// Which targets met the experiment's limits; `None` when nothing was judged.
pub(crate) fn verdicts(document: &ResultSet) -> Option<Grid> {
    if document.verdicts.is_empty() {
        return None;
    }
    let mut columns: Vec<_> = ["target", "timing", "verdict", "limit", "metric"]
        .map(Column::left)
        .into();
    columns.extend(["value", "allowed", "margin"].map(Column::right));
    let noted = document.verdicts.iter().any(|one| one.note.is_some());
    columns.extend(noted.then(|| Column::left("note")));
    let mut grid = Grid::new("Verdicts", columns);
    for verdict in &document.verdicts {
        let note = noted.then(|| verdict.note.clone().unwrap_or_default());
        grid.push(cells(verdict).into_iter().chain(note));
    }
    Some(grid)
}

fn cells(verdict: &Verdict) -> [String; 8] {
    let number = |value| text::number(verdict.metric, value, text::DIGITS);
    let none = || "no value".to_owned();
    [
        verdict.target.clone(),
        verdict.timing.to_string(),
        if verdict.pass { "pass" } else { "fail" }.to_owned(),
        verdict.limit.clone(),
        verdict.metric.to_string(),
        verdict.value.map_or_else(none, number),
        number(verdict.allowed),
        verdict
            .margin
            .map_or_else(none, |margin| text::percent(margin, 2)),
    ]
}
