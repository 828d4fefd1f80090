//! The index of a folder of dumps, and figures that others state of its parts: tables of tab-separated columns with
//! a head.

use std::path::{Component, Path};
use std::str::FromStr;

use wordline_core::Lifecycle;

use super::{ChipClaims, ClaimedFigure, JedecId};
use crate::ID_ALLOWED;

/// The dumps of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DumpIndex {
    /// In the order of the file.
    pub entries: Vec<IndexEntry>,
}

/// A dump of a folder, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexEntry {
    /// File below the folder.
    pub file: String,
    /// The hash that its source states: `sha256:…` or `md5:…`.
    pub hash: Option<String>,
    /// What is known of the chip.
    pub claims: ChipClaims,
}

/// Columns that an index may have. `hash_stated` is another name of `hash`; `sha256` is for the keeper of the folder.
const COLUMNS: [&str; 16] = [
    "file",
    "part",
    "name",
    "manufacturer",
    "family",
    "lifecycle",
    "lifecycle_source",
    "jedec_id",
    "supply",
    "supply_source",
    "board",
    "hash",
    "hash_stated",
    "sha256",
    "source",
    "caution",
];

/// Columns that a table of figures has.
const FIGURES: [&str; 6] = ["part", "figure", "min", "typ", "max", "source"];

impl FromStr for DumpIndex {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rows = rows(text, &COLUMNS, |head| {
            let named = head.contains(&"part") || head.contains(&"file");
            (!named).then(|| "the head names neither file nor part".to_owned())
        })?;
        let entries = rows.iter().map(|row| row.located(entry(row)));
        Ok(Self {
            entries: entries.collect::<Result<_, _>>()?,
        })
    }
}

impl DumpIndex {
    /// Adds figures that other sources state, from a table with the columns part, figure, min, typ, max and source.
    /// `*` stands for every part of which no line states the figure.
    ///
    /// # Errors
    /// When the text is no such table, or names a part that the index has not.
    pub fn add_figures(&mut self, text: &str) -> Result<(), String> {
        let rows = rows(text, &FIGURES, |head| {
            let missing = FIGURES.iter().find(|column| !head.contains(column))?;
            Some(format!("the head lacks {missing}"))
        })?;
        let mut of_all = Vec::new();
        for row in &rows {
            let (part, figure) = row.located(stated(row))?;
            if part == "*" {
                of_all.push(figure);
                continue;
            }
            let mut known = false;
            for entry in &mut self.entries {
                if entry.claims.part.as_deref() == Some(part) {
                    known = true;
                    entry.claims.figures.push(figure.clone());
                }
            }
            if !known {
                return row.located(Err(format!("the index has no part {part:?}")));
            }
        }
        for entry in &mut self.entries {
            let figures = &mut entry.claims.figures;
            for figure in &of_all {
                if !figures.iter().any(|own| own.key == figure.key) {
                    figures.push(figure.clone());
                }
            }
        }
        Ok(())
    }
}

/// A line of a table: cells under their columns.
struct TableRow<'a> {
    number: usize,
    cells: Vec<(&'a str, &'a str)>,
}

impl<'a> TableRow<'a> {
    /// The first of some columns that holds something; `-` is nothing.
    fn cell(&self, columns: &[&str]) -> Option<&'a str> {
        let cells = columns.iter().filter_map(|column| {
            let found = self.cells.iter().find(|(known, _)| known == column);
            found.map(|(_, text)| text.trim())
        });
        let mut stated = cells.filter(|text| !text.is_empty() && *text != "-");
        stated.next()
    }

    /// A fault with the line it is in.
    fn located<T>(&self, result: Result<T, String>) -> Result<T, String> {
        result.map_err(|fault| format!("line {}: {fault}", self.number))
    }
}

/// The lines of a table under its head, which has each of the allowed columns at most once, and of which `fault` says
/// what else is wrong. Empty lines, comments and a byte order mark are passed over.
fn rows<'a>(
    text: &'a str,
    allowed: &[&str],
    fault: impl Fn(&[&str]) -> Option<String>,
) -> Result<Vec<TableRow<'a>>, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let lines = text.lines().zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let (line, number) = lines.next().unwrap_or(("", 1));
    let head: Vec<_> = line.split('\t').collect();
    let unknown = head.iter().find(|column| !allowed.contains(column));
    let repeated = (1..head.len()).find(|&at| head[..at].contains(&head[at]));
    let fault = fault(&head)
        .or_else(|| Some(format!("unknown column {:?}", unknown?)))
        .or_else(|| Some(format!("the column {} stands twice", head[repeated?])));
    if let Some(fault) = fault {
        let allowed = allowed.join(", ");
        return Err(format!("line {number}: {fault}; allowed: {allowed}"));
    }
    let rows = lines.map(|(line, number)| {
        let count = line.split('\t').count();
        if count > head.len() {
            let head = head.len();
            return Err(format!(
                "line {number}: {count} cells under a head of {head}"
            ));
        }
        let cells = head.iter().copied().zip(line.split('\t')).collect();
        Ok(TableRow { number, cells })
    });
    rows.collect()
}

/// The part and the figure of a line.
fn stated<'a>(row: &TableRow<'a>) -> Result<(&'a str, ClaimedFigure), String> {
    let cell = |name| {
        let cell = row.cell(&[name]);
        cell.ok_or_else(|| format!("{name} is not stated"))
    };
    let columns = ["min", "typ", "max"].map(|column| row.cell(&[column]));
    let figure = ClaimedFigure::new(cell("figure")?, columns, cell("source")?)?;
    Ok((cell("part")?, figure))
}

/// What a maker says of the supply: a status and the month of the statement, and who says so.
fn lifecycle(row: &TableRow<'_>) -> Result<Option<Lifecycle>, String> {
    let Some(stated) = row.cell(&["lifecycle"]) else {
        return Ok(None);
    };
    let (status, as_of) = stated.split_once(' ').ok_or_else(|| {
        format!("lifecycle {stated:?} is not a status and a month, such as \"active 2026-11\"")
    })?;
    let source = row.cell(&["lifecycle_source"]);
    let lifecycle = Lifecycle {
        status: status
            .parse()
            .map_err(|error| format!("lifecycle: {error}"))?,
        as_of: as_of.to_owned(),
        source: source
            .ok_or("lifecycle has no lifecycle_source")?
            .to_owned(),
    };
    match lifecycle.problem() {
        Some(problem) => Err(format!("lifecycle: {problem}")),
        None => Ok(Some(lifecycle)),
    }
}

/// Whether a path stays below the folder that it begins in.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn entry(row: &TableRow<'_>) -> Result<IndexEntry, String> {
    let cell = |names: &[&str]| row.cell(names).map(str::to_owned);
    let part = cell(&["part"]);
    if let Some(part) = part.as_ref().filter(|part| !crate::is_id(part)) {
        return Err(format!("part {part:?} is not an id; allowed: {ID_ALLOWED}"));
    }
    let file = cell(&["file"]).or(part.as_ref().map(|part| format!("{part}.hex")));
    let file = file.ok_or("neither file nor part is stated")?;
    if !is_inside(&file) {
        return Err(format!(
            "file {file:?} lies outside of the folder of dumps; allowed: a path below it, such as chip.hex or nor/chip.hex"
        ));
    }
    let supply = match row.cell(&["supply"]) {
        Some(range) => {
            let source = row.cell(&["supply_source"]);
            Some(ClaimedFigure::supply(
                range,
                source.ok_or("supply has no supply_source")?,
            )?)
        }
        None => None,
    };
    // Words after an id say how it is known.
    let id = row.cell(&["jedec_id"]).map(|text| {
        let first = text.split_whitespace().next().unwrap_or(text);
        text.parse::<JedecId>().or_else(|_| first.parse())
    });
    Ok(IndexEntry {
        file,
        hash: cell(&["hash", "hash_stated"]),
        claims: ChipClaims {
            part,
            name: cell(&["name"]),
            manufacturer: cell(&["manufacturer"]),
            family: cell(&["family"]),
            lifecycle: lifecycle(row)?,
            jedec_id: id.transpose()?,
            figures: supply.into_iter().collect(),
            board: cell(&["board"]),
            origin: cell(&["source"]),
            cautions: cell(&["caution"]).into_iter().collect(),
        },
    })
}
