//! Where the numbers come from: the figures that the rows rest on, and what each basis means.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_core::{Basis, ResultSet};

use crate::grid::{Column, Grid};
use crate::text;

/// The section of the page.
#[derive(Serialize)]
pub(super) struct FigureOrigin {
    /// What the rows rest on, in words.
    rows: String,
    /// Every basis that occurs, with its meaning.
    legend: Vec<BasisMeaning>,
}

#[derive(Serialize)]
struct BasisMeaning {
    basis: String,
    meaning: &'static str,
}

/// The section, and its tables.
pub(super) fn section(document: &ResultSet) -> (Vec<Grid>, FigureOrigin) {
    let mut counts: BTreeMap<Basis, usize> = BTreeMap::new();
    for row in &document.rows {
        *counts.entry(row.basis).or_default() += 1;
    }
    let mut used: Vec<Basis> = counts.keys().copied().collect();
    used.extend(document.figures.iter().map(|figure| figure.basis));
    used.sort_unstable();
    used.dedup();
    let legend = used.into_iter().map(|basis| BasisMeaning {
        basis: basis.to_string(),
        meaning: meaning(basis),
    });
    let tables = [figures(document), sheets(document), environment(document)];
    let section = FigureOrigin {
        rows: rows(&counts),
        legend: legend.collect(),
    };
    (tables.into_iter().flatten().collect(), section)
}

/// "All 258 results of this page are simulated."
fn rows(counts: &BTreeMap<Basis, usize>) -> String {
    let parts: Vec<_> = counts
        .iter()
        .map(|(basis, count)| format!("{count} are {basis}"))
        .collect();
    match (counts.first_key_value(), parts.len()) {
        (None, _) => "The document holds no results.".to_owned(),
        (Some((basis, count)), 1) => format!("All {count} values of this page are {basis}."),
        _ => format!("Of the values of this page {}.", parts.join(", ")),
    }
}

/// What a basis means, for people who read the page without the manual.
const fn meaning(basis: Basis) -> &'static str {
    match basis {
        Basis::Measured => "taken from hardware, by this program or by whoever made the log",
        Basis::Simulated => "computed by a model of this program from the figures below",
        Basis::Proven => "a bound that no run can exceed",
        Basis::Datasheet => "printed by the maker of the part",
        Basis::Published => "printed by somebody else who measured",
        Basis::Calibrated => "chosen so that the model meets a measurement; not a prediction",
        Basis::Estimated => {
            "what parts of its family or kind have; no source states it of the part itself"
        }
        Basis::Assumed => "nothing better is known; the reason stands beside it",
    }
}

/// The documents that the figures' sources refer to.
fn sheets(document: &ResultSet) -> Option<Grid> {
    if document.sheets.is_empty() {
        return None;
    }
    let columns = ["sheet", "name", "document"].map(Column::left);
    let mut grid = Grid::new("Sheets of the catalogue", columns.into());
    for sheet in &document.sheets {
        let name = format!("{} {}", sheet.manufacturer, sheet.name);
        let own = if sheet.embedded {
            ""
        } else {
            " (your own sheet)"
        };
        grid.push([sheet.id.clone(), name, format!("{}{own}", sheet.revision)]);
    }
    Some(grid)
}

fn figures(document: &ResultSet) -> Option<Grid> {
    if document.figures.is_empty() {
        return None;
    }
    let columns = ["sheet", "figure", "value", "basis", "source or reason"].map(Column::left);
    let mut grid = Grid::new("Figures that the results rest on", columns.into());
    for figure in &document.figures {
        let basis = figure.basis.to_string();
        let cells = [
            &figure.sheet,
            &figure.figure,
            &figure.value,
            &basis,
            &figure.source,
        ];
        grid.push(cells.map(|cell| text::printable(cell)));
    }
    Some(grid)
}

fn environment(document: &ResultSet) -> Option<Grid> {
    let environment = document.environment.as_ref()?;
    let columns = vec![Column::left("what"), Column::left("value")];
    let mut grid = Grid::new("How it was measured", columns);
    for (name, value) in environment {
        grid.push([text::printable(name), text::printable(value)]);
    }
    Some(grid)
}
