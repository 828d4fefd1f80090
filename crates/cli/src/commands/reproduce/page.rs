//! The HTML page of published values: how many are hit, how far ours lie from the printed ones, and the tables.

use wordline_lab::reproduce::{Reproduced, Reproduction};
use wordline_report::{Column, ComparedValue, Grid, TablePage};

use crate::args::Reproduce;

/// The page of what was computed.
pub(super) fn page(reproduction: &Reproduction, asked: &Reproduce) -> String {
    let several = super::is_of_several(reproduction);
    let documents = &reproduction.documents;
    let title = match documents.as_slice() {
        [one] => format!("wordline reproduce: {}: {}", one.document, one.title),
        all => format!("wordline reproduce: {} documents", all.len()),
    };
    let mut points = super::totals(reproduction);
    if !several {
        let scores = documents.iter();
        points.extend(scores.map(|one| super::score("Score", one.score)));
    }
    let tables: Vec<Grid> = documents
        .iter()
        .flat_map(|document| of_document(document, several))
        .collect();
    let compared = documents.iter().flat_map(|document| {
        document.rows.iter().filter_map(move |row| {
            let name = match several {
                true => format!("{}: {}", document.document, row.citation),
                false => row.citation.clone(),
            };
            Some(ComparedValue {
                name,
                group: row.kind.name(),
                expected: row.published?,
                found: row.value?,
            })
        })
    });
    let page = TablePage {
        title,
        sentence: super::headline(&reproduction.headline),
        points: points.iter().map(|point| point.trim().to_owned()).collect(),
        compared: compared.collect(),
        short: match several {
            true => Some(overview(documents)),
            false => tables.first().cloned(),
        },
        tables: match several {
            true => tables,
            // The first one is on the first screen.
            false => tables.into_iter().skip(1).collect(),
        },
        command: command(asked),
        json: super::json(reproduction),
    };
    page.html()
}

/// The page of what is known before anything runs.
pub(super) fn list(grid: &Grid, asked: &Reproduce) -> String {
    let titled = grid.titled("Published values");
    let page = TablePage {
        title: "wordline reproduce: what is known before anything runs".to_owned(),
        sentence: format!("{} lines of published values.", titled.rows().len()),
        tables: vec![titled.clone()],
        json: titled.json(),
        short: Some(titled),
        command: command(asked),
        ..TablePage::default()
    };
    page.html()
}

/// The tables of a document that have lines, under its name where there are several.
fn of_document(document: &Reproduced, several: bool) -> Vec<Grid> {
    let grids = super::tables(document)
        .into_iter()
        .chain(super::lists(document));
    let shown = grids.filter(|grid| !grid.rows().is_empty());
    let named = shown.map(|grid| match several {
        true => grid.titled(format!("{}: {}", document.document, grid.title())),
        false => grid,
    });
    named.collect()
}

/// A line for each document.
fn overview(documents: &[Reproduced]) -> Grid {
    let mut columns = vec![Column::left("document"), Column::left("title")];
    let numbers = [
        "predictions hit",
        "made",
        "median error",
        "consistency held",
        "checked",
    ];
    columns.extend(numbers.map(Column::right));
    let mut grid = Grid::new("Documents", columns);
    for document in documents {
        let headline = &document.headline;
        let error = headline.relative_error_median;
        grid.push([
            document.document.clone(),
            document.title.clone(),
            headline.predictions_hit.to_string(),
            headline.predictions_made.to_string(),
            error.map_or_else(|| "–".to_owned(), |error| format!("{:.1} %", error * 100.0)),
            headline.consistency_held.to_string(),
            headline.consistency_made.to_string(),
        ]);
    }
    grid
}

/// The command that makes the page.
fn command(asked: &Reproduce) -> String {
    let mut words = vec!["wordline reproduce".to_owned()];
    words.extend(asked.key.clone());
    words.extend(asked.list.then(|| "--list".to_owned()));
    words.extend(asked.only.iter().map(|text| format!("--only {text:?}")));
    words.extend(asked.no_band.then(|| "--no-band".to_owned()));
    words.join(" ")
}
