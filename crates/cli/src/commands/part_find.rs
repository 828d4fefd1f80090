//! `wordline part find` and `similar`: parts by what they must be, and parts that resemble one.

use serde_json::{Map, Value, json};
use wordline_catalog::Catalog;
use wordline_catalog::profile::{
    Admission, KEY_FIGURES, KeyFigure, KeyValue, Likeness, PartProfile, similar,
};
use wordline_core::quantity::{ByteCount, Cycles, Money, Quantity, human};
use wordline_core::{Basis, Figure};
use wordline_report::{Column, Format, Grid};

use crate::args::{FindParts, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// The marks of values that no source states.
const LEGEND: &str = "typ, or typ (max); ~ estimated from other parts, ? assumed\n";

/// The same below a first screen.
const NOTE: &str = "   typ, or typ (max); ~ estimated from other parts, ? assumed";

pub(crate) fn find(arguments: &FindParts, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    check_kinds(&catalog, &arguments.kind)?;
    let filter = arguments.filter();
    if let Some(problem) = filter.problem() {
        return Err(failure::message(problem));
    }
    let mut found: Vec<(PartProfile<'_>, Admission)> = catalog
        .parts()
        .map(PartProfile::of)
        .filter_map(|profile| {
            filter
                .admits(&profile)
                .map(|admission| (profile, admission))
        })
        .collect();
    found.sort_by_key(|(profile, admission)| {
        let id = profile.part.header.id.clone();
        (
            !admission.open.is_empty(),
            profile.kind(),
            profile.capacity,
            id,
        )
    });
    let none = found.is_empty();
    let (profiles, opens): (Vec<_>, Vec<_>) = found
        .into_iter()
        .map(|(profile, admission)| (profile, admission.open.join(", ")))
        .unzip();
    let format = Format::from(global.format);
    let text = if format == Format::Json {
        let parts = profiles.iter().zip(&opens).map(|(profile, open)| {
            let mut one = page(profile);
            one.insert("certain".to_owned(), open.is_empty().into());
            one.insert("depends_on".to_owned(), open.as_str().into());
            Value::Object(one)
        });
        let parts: Vec<_> = parts.collect();
        format!("{:#}\n", json!({ "parts": parts }))
    } else {
        let grid = parts_grid(&profiles, &[("depends on", opens.clone())]);
        let text = grid.render(format, &output::style());
        match format {
            Format::Table if none => "no part of the catalogue meets all conditions\n".to_owned(),
            Format::Table if !arguments.all => {
                let open = opens.iter().filter(|open| !open.is_empty()).count();
                let sentence = counted(profiles.len(), open, catalog.parts().count());
                output::first_screen(sentence, Vec::new(), grid, "parts", NOTE)?;
                return Ok(Outcome::Done);
            }
            Format::Table => format!("{text}\n{LEGEND}"),
            _ => text,
        }
    };
    output::data(&text)?;
    Ok(if none {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    })
}

/// How many parts meet the conditions, and how many of them only may.
fn counted(found: usize, open: usize, all: usize) -> String {
    match (found - open, open) {
        (sure, 0) => format!("{sure} of {all} parts meet the conditions."),
        (0, open) => format!(
            "{open} of {all} parts may meet the conditions: figures without a source decide."
        ),
        (sure, open) => format!(
            "{sure} of {all} parts meet the conditions, and {open} more may: figures without a source decide."
        ),
    }
}

/// A kind that no part has is a slip of the pen.
fn check_kinds(catalog: &Catalog, kinds: &[String]) -> Result<(), Failure> {
    let mut known: Vec<_> = catalog.parts().map(|part| part.model.name()).collect();
    known.sort_unstable();
    known.dedup();
    match kinds.iter().find(|kind| !known.contains(&kind.as_str())) {
        Some(kind) => Err(failure::message(format!(
            "--kind: unknown kind {kind:?}; allowed: {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

pub(crate) fn resembling(id: &str, limit: usize, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let part = catalog.part(id).map_err(failure::catalog)?;
    let to = PartProfile::of(part);
    let mut all = similar(&to, catalog.parts().map(PartProfile::of));
    all.truncate(limit);
    let format = Format::from(global.format);
    let text = if format == Format::Json {
        let parts = all.iter().map(|one| {
            let mut page = page(&one.profile);
            page.insert("factor".to_owned(), one.factor.into());
            page.insert("figures_compared".to_owned(), one.compared.into());
            page.insert("obstacles".to_owned(), one.obstacles.clone().into());
            Value::Object(page)
        });
        let parts: Vec<_> = parts.collect();
        format!("{:#}\n", json!({ "to": page(&to), "similar": parts }))
    } else {
        let column = |of: &dyn Fn(&Likeness<'_>) -> String, own: &str| {
            std::iter::once(own.to_owned())
                .chain(all.iter().map(of))
                .collect::<Vec<_>>()
        };
        let factors = column(&|one| format!("{:.2}", one.factor), "1");
        let obstacles = column(&|one| one.obstacles.join(", "), "");
        let profiles: Vec<_> = std::iter::once(to)
            .chain(all.iter().map(|one| one.profile.clone()))
            .collect();
        let grid = parts_grid(&profiles, &[("factor", factors), ("in the way", obstacles)]);
        let text = grid.render(format, &output::style());
        if format == Format::Table {
            format!("{text}\n{LEGEND}")
        } else {
            text
        }
    };
    output::data(&text)?;
    Ok(Outcome::Done)
}

/// Parts with the key figures that one of them has, and columns besides.
pub(crate) fn parts_grid(profiles: &[PartProfile<'_>], more: &[(&str, Vec<String>)]) -> Grid {
    let has = |index: usize| {
        profiles
            .iter()
            .any(|profile| profile.values[index].is_some())
    };
    let keys: Vec<usize> = (0..KEY_FIGURES.len()).filter(|index| has(*index)).collect();
    let any_price = profiles.iter().any(|profile| profile.part.cost.is_some());
    let mut more: Vec<_> = more.to_vec();
    more.retain(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
    let mut columns = vec![
        Column::left("id"),
        Column::left("kind"),
        Column::right("capacity"),
        Column::left("bus"),
        Column::left("supply"),
    ];
    columns.extend(
        keys.iter()
            .map(|index| Column::right(KEY_FIGURES[*index].name)),
    );
    columns.extend(any_price.then(|| Column::right("price")));
    columns.extend(more.iter().map(|(name, _)| Column::left(*name)));
    let mut grid = Grid::new("", columns);
    for (row, profile) in profiles.iter().enumerate() {
        let mut cells = vec![
            profile.part.header.id.clone(),
            profile.kind().to_owned(),
            ByteCount::from_bytes(profile.capacity).to_string(),
            profile.bus.name().to_owned(),
            profile
                .supply
                .map_or_else(String::new, |(least, most)| format!("{least}-{most} V")),
        ];
        let value = |index: &usize| {
            let value = profile.values[*index].as_ref();
            value.map_or_else(String::new, |value| written(value, &KEY_FIGURES[*index]))
        };
        cells.extend(keys.iter().map(value));
        cells.extend(any_price.then(|| price(profile.part.cost.as_ref())));
        cells.extend(more.iter().map(|(_, column)| column[row].clone()));
        grid.push(cells);
    }
    grid
}

/// The price of one, where there is one.
pub(crate) fn price(cost: Option<&Figure<Money>>) -> String {
    cost.map(|cost| cost.nominal().to_string())
        .unwrap_or_default()
}

/// A value with its worse end in parentheses, and a mark of what it rests on.
fn written(value: &KeyValue, key: &KeyFigure) -> String {
    let of = |si: f64| match key.unit {
        "cycles" => Cycles::from_si(si).to_string().replace(" cycles", ""),
        unit => human(si, unit, 3),
    };
    let mark = match value.basis {
        Basis::Estimated => "~",
        Basis::Assumed => "?",
        _ => "",
    };
    let (usual, worst) = (value.usual(), value.worst(key.more_is_better));
    if (usual - worst).abs() <= 1e-9 * usual.abs() {
        format!("{mark}{}", of(usual))
    } else {
        format!("{mark}{} ({})", of(usual), of(worst))
    }
}

/// A part with its key figures, as JSON has it.
fn page(profile: &PartProfile<'_>) -> Map<String, Value> {
    let part = profile.part;
    let figures = KEY_FIGURES
        .iter()
        .zip(&profile.values)
        .filter_map(|(key, value)| {
            let value = value.as_ref()?;
            let [min, typ, max] = value.columns;
            let figure = json!({
                "min": min, "typ": typ, "max": max, "unit": key.unit, "basis": value.basis,
                "figure": value.figure.figure, "source": value.figure.source,
            });
            Some((key.name.replace([' ', '-'], "_"), figure))
        });
    let figures: Map<_, _> = figures.collect();
    let page = json!({
        "id": part.header.id,
        "kind": profile.kind(),
        "name": part.header.name,
        "manufacturer": part.header.manufacturer,
        "family": part.family,
        "lifecycle": profile.lifecycle().name(),
        "default_board": part.default_board,
        "capacity_bytes": profile.capacity,
        "bus": profile.bus.name(),
        "supply_v": profile.supply.map(|(least, most)| [least, most]),
        "price_eur": part.cost.as_ref().map(|cost| cost.nominal().si()),
        "figures": figures,
    });
    match page {
        Value::Object(page) => page,
        _ => unreachable!("it is an object"),
    }
}
