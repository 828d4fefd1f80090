//! The index of a folder of dumps: a table of tab-separated columns with a head, one dump a line.

use std::str::FromStr;

use super::{ChipClaims, JedecId, SupplyClaim};

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

/// Columns that an index may have; others are passed over.
const COLUMNS: &str = "file, part, name, manufacturer, family, jedec_id, supply, supply_source, board, hash, \
                           source, caution";

impl FromStr for DumpIndex {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let lines = lines
            .by_ref()
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut lines = lines.map(|(index, line)| (index + 1, line));
        let head = lines.next().map_or("", |(_, line)| line);
        let head: Vec<_> = head.split('\t').collect();
        if !head.contains(&"part") && !head.contains(&"file") {
            return Err(format!(
                "line 1: the head names neither file nor part; allowed columns: {COLUMNS}"
            ));
        }
        let entries = lines.map(|(number, line)| {
            entry(&head, line).map_err(|fault| format!("line {number}: {fault}"))
        });
        let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }
}

fn entry(head: &[&str], line: &str) -> Result<IndexEntry, String> {
    let cells: Vec<_> = line.split('\t').collect();
    if cells.len() > head.len() {
        return Err(format!(
            "{} cells under a head of {}",
            cells.len(),
            head.len()
        ));
    }
    let cell = |names: &[&str]| {
        let found = names
            .iter()
            .find_map(|name| head.iter().position(|column| column == name));
        let text = cells.get(found?)?.trim();
        (!text.is_empty() && text != "-").then(|| text.to_owned())
    };
    let part = cell(&["part"]);
    let file = cell(&["file"]).or(part.as_ref().map(|part| format!("{part}.hex")));
    let file = file.ok_or("neither file nor part is stated")?;
    let supply = match cell(&["supply"]) {
        Some(range) => {
            let source = cell(&["supply_source"]).ok_or("supply has no supply_source")?;
            Some(SupplyClaim::new(&range, source)?)
        }
        None => None,
    };
    // Words after an id say how it is known; an id that was not read begins with a word.
    let id = cell(&["jedec_id"]).and_then(|text| {
        let first = text.split_whitespace().next()?.to_owned();
        first
            .chars()
            .all(|c| c.is_ascii_hexdigit())
            .then_some(first)
    });
    let jedec_id = id.map(|id| id.parse::<JedecId>()).transpose()?;
    Ok(IndexEntry {
        file,
        hash: cell(&["hash", "hash_stated"]),
        claims: ChipClaims {
            part,
            name: cell(&["name"]),
            manufacturer: cell(&["manufacturer"]),
            family: cell(&["family"]),
            jedec_id,
            clock: None,
            supply,
            board: cell(&["board"]),
            origin: cell(&["source"]),
            cautions: cell(&["caution"]).into_iter().collect(),
        },
    })
}
