//! `wordline part list`: the catalogue, folded for people and whole for programs.

use std::collections::BTreeMap;

use wordline_catalog::profile::PartProfile;
use wordline_catalog::{Board, Catalog, Header, Part};
use wordline_core::Figure;
use wordline_core::quantity::{ByteCount, Money, Quantity as _};
use wordline_report::{Column, Format, Grid};

use super::part_find::{parts_grid, price};
use crate::args::Global;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output;

/// Ids that a folded line shows.
const SHOWN: usize = 4;

pub(crate) fn run(all: bool, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let format = Format::from(global.format);
    let text = match format {
        Format::Json | Format::Csv => flat(&catalog).render(format, &output::style()),
        _ if all => {
            let profiles: Vec<_> = catalog.parts().map(PartProfile::of).collect();
            let grids = [parts_grid(&profiles, &[]), others(&catalog)];
            joined(&grids, format)
        }
        _ => joined(&[folded(&catalog), others_folded(&catalog)], format) + MORE,
    };
    output::data(&text)?;
    Ok(Outcome::Done)
}

/// Where the rest is.
const MORE: &str = "
A line for each part: wordline part list --all
By what it must be:   wordline part find --kind nor --min-capacity 16MiB --bus octal
One with its sources: wordline part show w25q64jv
";

fn joined(grids: &[Grid], format: Format) -> String {
    let style = output::style();
    let texts: Vec<_> = grids
        .iter()
        .map(|grid| grid.render(format, &style))
        .collect();
    texts.join("\n")
}

/// Parts of a kind and a maker, a line each.
fn folded(catalog: &Catalog) -> Grid {
    let mut groups = BTreeMap::<(&str, &str), Vec<&Part>>::new();
    for part in catalog.parts() {
        let key = (part.model.name(), part.header.manufacturer.as_str());
        groups.entry(key).or_default().push(part);
    }
    let count: usize = groups.values().map(Vec::len).sum();
    let columns = vec![
        Column::left("kind"),
        Column::left("maker"),
        Column::right("parts"),
        Column::left("capacity"),
        Column::left("ids"),
    ];
    let mut grid = Grid::new(format!("{count} parts"), columns).with_keys(2);
    for ((kind, maker), parts) in groups {
        let bytes = parts.iter().map(|part| part.model.capacity_bytes());
        let (least, most) = bytes.fold((u64::MAX, 0), |(least, most), bytes| {
            (least.min(bytes), most.max(bytes))
        });
        let ids = parts.iter().map(|part| part.header.id.as_str());
        grid.push([
            kind.to_owned(),
            maker.to_owned(),
            parts.len().to_string(),
            span(least, most),
            shortened(ids),
        ]);
    }
    grid
}

fn span(least: u64, most: u64) -> String {
    let size = |bytes| ByteCount::from_bytes(bytes).to_string();
    if least == most {
        size(least)
    } else {
        format!("{} to {}", size(least), size(most))
    }
}

/// The first few of several ids.
fn shortened<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<_> = ids.collect();
    let shown = ids.len().min(SHOWN);
    let text = ids[..shown].join(" ");
    match ids.len() - shown {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Boards and what DRAM systems are made of, a line for each kind.
fn others_folded(catalog: &Catalog) -> Grid {
    let mut kinds = BTreeMap::<&str, Vec<&str>>::new();
    for (kind, header) in catalog.headers().filter(|(kind, _)| *kind != "part") {
        kinds.entry(kind).or_default().push(&header.id);
    }
    let columns = vec![
        Column::left("other sheets"),
        Column::right("count"),
        Column::left("ids"),
    ];
    let mut grid = Grid::new("", columns);
    for (kind, ids) in kinds {
        let count = ids.len().to_string();
        grid.push([kind.to_owned(), count, shortened(ids.into_iter())]);
    }
    grid
}

/// Boards and what DRAM systems are made of, a line each.
fn others(catalog: &Catalog) -> Grid {
    let columns = ["kind", "id", "name", "manufacturer", "description"];
    let mut grid = Grid::new("Boards and modules", columns.map(Column::left).into()).with_keys(2);
    for (kind, header) in catalog.headers().filter(|(kind, _)| *kind != "part") {
        grid.push([
            kind,
            header.id.as_str(),
            &header.name,
            &header.manufacturer,
            &header.description,
        ]);
    }
    grid
}

/// Every sheet, with what its figures rest on.
fn flat(catalog: &Catalog) -> Grid {
    let columns = [
        "id",
        "kind",
        "name",
        "manufacturer",
        "default board",
        "cost",
        "description",
        "family",
        "capacity_bytes",
        "bus",
        "lifecycle",
        "lifecycle_as_of",
        "dump",
        "figures_sourced",
        "figures_estimated",
        "figures_assumed",
        "cost_eur",
    ];
    let column = |name: &str| match name {
        "capacity_bytes" | "figures_sourced" | "figures_estimated" | "figures_assumed"
        | "cost_eur" => Column::numeric(name),
        _ => Column::left(name),
    };
    let mut grid = Grid::new("", columns.map(column).into());
    for part in catalog.parts() {
        grid.push(of_part(&PartProfile::of(part)));
    }
    for board in catalog.boards() {
        grid.push(of_board(board));
    }
    // Parts and boards stand above; the rest is DRAM and counters of cores.
    let rest = |kind: &&str| ["die", "module", "system", "counters"].contains(kind);
    for (kind, header) in catalog.headers().filter(|(kind, _)| rest(kind)) {
        grid.push(line(header, kind, "", None));
    }
    grid
}

fn of_part(profile: &PartProfile<'_>) -> Vec<String> {
    let part = profile.part;
    let board = part.default_board.as_deref().unwrap_or("");
    let mut cells = line(&part.header, profile.kind(), board, part.cost.as_ref());
    let lifecycle = part.lifecycle.as_ref();
    let more = [
        part.family.clone().unwrap_or_default(),
        profile.capacity.to_string(),
        profile.bus.name().to_owned(),
        profile.lifecycle().to_string(),
        lifecycle
            .map(|lifecycle| lifecycle.as_of.clone())
            .unwrap_or_default(),
        profile
            .dump
            .map(|dump| dump.name().to_owned())
            .unwrap_or_default(),
        profile.sourced.to_string(),
        profile.estimated.to_string(),
        profile.assumed.to_string(),
    ];
    let from = cells.len() - 1 - more.len();
    cells.splice(from..from + more.len(), more);
    cells
}

fn of_board(board: &Board) -> Vec<String> {
    line(&board.header, "board", "", board.cost.as_ref())
}

/// The cells of a sheet of any kind; those of parts alone are empty.
fn line(header: &Header, kind: &str, board: &str, cost: Option<&Figure<Money>>) -> Vec<String> {
    let mut cells = vec![
        header.id.clone(),
        kind.to_owned(),
        header.name.clone(),
        header.manufacturer.clone(),
        board.to_owned(),
        price(cost),
        header.description.clone(),
    ];
    cells.resize(16, String::new());
    cells.push(cost.map_or_else(String::new, |cost| cost.nominal().si().to_string()));
    cells
}
