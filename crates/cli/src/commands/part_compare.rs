//! `wordline part compare`: figures of parts side by side, each with its source.

use std::collections::BTreeMap;

use serde_json::json;
use wordline_catalog::Part;
use wordline_core::Basis;
use wordline_core::results::FigureUse;
use wordline_report::{Column, Format, Grid};

use wordline_catalog::profile::PartProfile;

use super::part_find::parts_grid;
use crate::args::Global;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// A figure of several parts, in their order; `None` where a part does not have it.
type FigureRow<'a> = Vec<Option<&'a FigureUse>>;

pub(crate) fn run(
    ids: &[String],
    all: bool,
    sources: bool,
    global: &Global,
) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let parts = ids
        .iter()
        .map(|id| catalog.part(id).map_err(failure::catalog));
    let parts: Vec<&Part> = parts.collect::<Result<_, _>>()?;
    let rows = rows(&parts);
    let format = Format::from(global.format);
    let text = match format {
        Format::Json => json(&parts, &rows),
        Format::Csv => sources_grid(&parts, &rows).csv(),
        _ => {
            let shown: Vec<_> = rows.iter().filter(|(_, row)| all || differs(row)).collect();
            let alike = rows.len() - shown.len();
            let profiles: Vec<_> = parts.iter().map(|part| PartProfile::of(part)).collect();
            let mut grids = vec![parts_grid(&profiles, &[]), values_grid(&parts, &shown)];
            if sources {
                grids.push(sources_grid(&parts, &rows));
            }
            let style = output::style();
            let texts: Vec<_> = grids
                .iter()
                .map(|grid| grid.render(format, &style))
                .collect();
            let mut text = texts.join("\n");
            if alike > 0 {
                text += &format!("\n{alike} figures are the same in all: --all shows them\n");
            }
            if !sources {
                text += "Where each figure comes from: --sources\n";
            }
            text
        }
    };
    output::data(&text)?;
    Ok(Outcome::Done)
}

/// The figures of all parts by name, in the order of the first sheet that has them. The table of a model gives way to one
/// name, so that `nor.standby` stands beside `fram.standby`.
fn rows<'a>(parts: &[&'a Part]) -> Vec<(String, FigureRow<'a>)> {
    let mut order = BTreeMap::<String, usize>::new();
    let mut rows: Vec<(String, FigureRow<'a>)> = Vec::new();
    for (column, part) in parts.iter().enumerate() {
        let table = format!("{}.", part.model.name());
        for figure in &part.figures {
            let name = figure.figure.strip_prefix(&table).unwrap_or(&figure.figure);
            let index = *order.entry(name.to_owned()).or_insert_with(|| {
                rows.push((name.to_owned(), vec![None; parts.len()]));
                rows.len() - 1
            });
            rows[index].1[column] = Some(figure);
        }
    }
    rows
}

fn differs(row: &FigureRow<'_>) -> bool {
    let values: Vec<_> = row
        .iter()
        .map(|figure| figure.map(|figure| &figure.value))
        .collect();
    values.windows(2).any(|pair| pair[0] != pair[1])
}

fn values_grid(parts: &[&Part], rows: &[&(String, FigureRow<'_>)]) -> Grid {
    let mut columns = vec![Column::left("figure")];
    columns.extend(parts.iter().map(|part| Column::left(&part.header.id)));
    let mut grid = Grid::new("Figures that differ", columns);
    for (name, row) in rows {
        let mut cells = vec![name.clone()];
        cells.extend(
            row.iter()
                .map(|figure| figure.map_or_else(|| "–".to_owned(), value)),
        );
        grid.push(cells);
    }
    grid
}

/// A value, marked where no source states it.
fn value(figure: &FigureUse) -> String {
    match figure.basis {
        Basis::Datasheet => figure.value.clone(),
        basis => format!("{} [{basis}]", figure.value),
    }
}

fn sources_grid(parts: &[&Part], rows: &[(String, FigureRow<'_>)]) -> Grid {
    let columns = ["figure", "part", "value", "basis", "source"];
    let mut grid = Grid::new("Sources", columns.map(Column::left).into()).with_keys(2);
    for (name, row) in rows {
        for (part, figure) in parts.iter().zip(row) {
            if let Some(figure) = figure {
                let basis = figure.basis.to_string();
                let id = &part.header.id;
                grid.push([name, id, &figure.value, &basis, &figure.source]);
            }
        }
    }
    grid
}

fn json(parts: &[&Part], rows: &[(String, FigureRow<'_>)]) -> String {
    let figures: Vec<_> = rows
        .iter()
        .map(|(name, row)| json!({ "figure": name, "differs": differs(row), "parts": row }))
        .collect();
    let ids: Vec<_> = parts.iter().map(|part| &part.header.id).collect();
    format!("{:#}\n", json!({ "parts": ids, "figures": figures }))
}
