//! The sheet of a part, drafted from its page: what the page says and nothing else, a line a figure, each with
//! its source. A figure that the page does not state is left out, for the loader to estimate.

use std::fmt::Write as _;

use super::claims::ChipClaims;

/// A sheet while a page is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SheetDraft {
    /// Id, name and maker, where the page has them.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) manufacturer: String,
    /// Which page the figures come from.
    pub(super) revision: String,
    pub(super) description: String,
    pub(super) cautions: Vec<String>,
    /// The chip's size in bytes, and the byte of the dump that states it.
    pub(super) capacity: u64,
    pub(super) capacity_at: usize,
    /// The table of the model and those below it.
    pub(super) tables: Vec<DraftTable>,
    /// Keys of the model's table that a sheet may have, and what each is called.
    pub(super) wanted: &'static [(&'static str, &'static str)],
}

/// A table of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DraftTable {
    pub(super) head: &'static str,
    /// Keys and their values in TOML.
    pub(super) figures: Vec<(&'static str, String)>,
    /// Arrays of tables, written a line an element.
    pub(super) lists: Vec<DraftList>,
}

/// An array of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftList {
    pub(super) key: &'static str,
    pub(super) rows: Vec<DraftRow>,
}

/// A table on a line: keys and their values in TOML.
pub(super) type DraftRow = Vec<(&'static str, String)>;

/// Who says something, as a sheet spells it.
#[derive(Clone, Copy)]
pub(super) enum Said<'a> {
    /// The maker: in the page, the chip's own words, or in a data sheet.
    Maker(&'a str),
    /// Somebody else, in public.
    Published(&'a str),
    /// No source; the reason.
    Assumed(&'a str),
}

impl Said<'_> {
    /// The keys of a figure that say where it comes from.
    pub(super) fn keys(self) -> DraftRow {
        match self {
            Self::Maker(source) => vec![("source", quoted(source))],
            Self::Published(source) => {
                vec![("basis", quoted("published")), ("source", quoted(source))]
            }
            Self::Assumed(reason) => {
                vec![("assumed", "true".to_owned()), ("reason", quoted(reason))]
            }
        }
    }
}

/// A figure: its columns as names and quantities, and its source.
pub(super) fn figure(columns: &[(&'static str, String)], said: Said<'_>) -> String {
    let columns = columns
        .iter()
        .map(|(column, quantity)| (*column, quoted(quantity)));
    inline(columns.chain(said.keys()))
}

/// A number or a truth without a unit, with its source.
pub(super) fn value(value: impl ToString, said: Said<'_>) -> String {
    inline(std::iter::once(("value", value.to_string())).chain(said.keys()))
}

fn inline<'a>(pairs: impl Iterator<Item = (&'a str, String)>) -> String {
    let pairs: Vec<_> = pairs
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

impl DraftTable {
    pub(super) fn new(head: &'static str) -> Self {
        Self {
            head,
            ..Self::default()
        }
    }

    pub(super) fn figure(
        &mut self,
        key: &'static str,
        columns: &[(&'static str, String)],
        source: &str,
    ) {
        self.figures
            .push((key, figure(columns, Said::Maker(source))));
    }

    pub(super) fn number(&mut self, key: &'static str, number: u64, source: &str) {
        self.figures.push((key, value(number, Said::Maker(source))));
    }

    fn has(&self, key: &str) -> bool {
        self.figures.iter().any(|(found, _)| *found == key)
    }
}

impl SheetDraft {
    fn model(&self) -> Option<&DraftTable> {
        self.tables.first()
    }

    /// What neither the page nor the user states.
    pub(super) fn missing(&self, claims: &ChipClaims) -> Vec<String> {
        let Some(model) = self.model() else {
            return Vec::new();
        };
        let lacks = |(key, _): &&(&str, _)| !model.has(key) && claims.figure(key).is_none();
        let mut missing: Vec<_> = self
            .wanted
            .iter()
            .filter(lacks)
            .map(|(_, words)| (*words).to_owned())
            .collect();
        for (list, key, words) in [
            ("erase", "duration", "times of erases"),
            ("opcode", "clock", "clocks of opcodes"),
        ] {
            let lists = self.tables.iter().flat_map(|table| &table.lists);
            let rows = lists.filter(|found| found.key == list);
            let lacking = rows.flat_map(|found| &found.rows).filter(|row| {
                !row.iter().any(|(found, _)| *found == key) && claimed(list, row, claims).is_none()
            });
            let count = lacking.count();
            if count > 0 {
                missing.push(format!("{words} ({count})"));
            }
        }
        missing
    }

    /// The text of the sheet. With `advice`, comments say what a data sheet can add.
    pub(super) fn text(&self, claims: &ChipClaims, advice: bool) -> String {
        let mut text = String::new();
        self.header(claims, &mut text);
        if advice {
            self.advise(claims, &mut text);
        }
        for (index, table) in self.tables.iter().enumerate() {
            write!(text, "\n[{}]\n", table.head).expect("a String");
            for (key, value) in &table.figures {
                writeln!(text, "{key} = {value}").expect("a String");
            }
            // What is claimed belongs to the model, the first table.
            let wanted = self
                .wanted
                .iter()
                .filter(|(key, _)| index == 0 && !table.has(key));
            for (key, _) in wanted {
                if let Some(figure) = claims.figure(key) {
                    writeln!(text, "{key} = {figure}").expect("a String");
                }
            }
            for list in &table.lists {
                writeln!(text, "{} = [", list.key).expect("a String");
                for row in &list.rows {
                    let row = row.iter().cloned().chain(claimed(list.key, row, claims));
                    writeln!(text, "  {},", inline(row)).expect("a String");
                }
                text.push_str("]\n");
            }
        }
        text
    }

    fn header(&self, claims: &ChipClaims, text: &mut String) {
        let series = claims.series();
        let or = |claimed: &Option<String>, own: &str, else_: &str| {
            let own = (!own.is_empty()).then(|| own.to_owned());
            claimed.clone().or(own).unwrap_or_else(|| else_.to_owned())
        };
        let id = or(&claims.part, &self.id, UNNAMED);
        let name = or(&claims.name, &self.name, &id.to_ascii_uppercase());
        let maker = series.as_ref().map_or("", |series| series.maker);
        let maker = or(&claims.manufacturer, &self.manufacturer, maker);
        let family = claims.family.clone();
        let family = family.or_else(|| series.map(|series| series.family));
        let mut revision = self.revision.clone();
        if let Some(id) = &claims.jedec_id {
            write!(revision, "; JEDEC ID {id}").expect("a String");
        }
        if let Some(origin) = &claims.origin {
            write!(revision, "; {origin}").expect("a String");
        }
        let mut keys = vec![("part", id), ("name", name), ("manufacturer", maker)];
        keys.extend(family.map(|family| ("family", family)));
        keys.push(("revision", revision));
        keys.push(("description", self.description.clone()));
        keys.extend(claims.board.clone().map(|board| ("default_board", board)));
        for (key, value) in keys {
            writeln!(text, "{key} = {}", quoted(&value)).expect("a String");
        }
        let cautions = self.cautions.iter().chain(&claims.cautions);
        let cautions: Vec<_> = cautions.map(|caution| quoted(caution)).collect();
        if !cautions.is_empty() {
            writeln!(text, "cautions = [{}]", cautions.join(", ")).expect("a String");
        }
    }

    fn advise(&self, claims: &ChipClaims, text: &mut String) {
        text.push_str("\n# The page says what stands below. Add what only the data sheet states, each with its source:\n");
        for line in wrapped(&self.missing(claims).join(", "), 110) {
            writeln!(text, "#   {line}").expect("a String");
        }
        text.push_str(
            "# What is left out is estimated from parts of the family or kind. For example:\n",
        );
        text.push_str("#   standby = { typ = \"10 uA\", max = \"50 uA\", source = \"data sheet rev. C, table 9\" }\n");
    }
}

/// What is claimed of an element that the page leaves open: the clock of an opcode, the duration of an erase.
fn claimed(list: &str, row: &DraftRow, claims: &ChipClaims) -> Option<(&'static str, String)> {
    let stated = |key: &str| row.iter().find(|(found, _)| *found == key);
    let (key, claim) = match list {
        "opcode" => ("clock", "clock".to_owned()),
        "erase" => {
            let (_, name) = stated("name")?;
            (
                "duration",
                format!("erase[{}].duration", name.trim_matches('"')),
            )
        }
        _ => return None,
    };
    if stated(key).is_some() {
        return None;
    }
    Some((key, claims.figure(&claim)?))
}

/// Text in lines of at most `width` characters, broken at spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A basic string of TOML. Characters that a page should not hold are spelt out.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            other => write!(out, "\\u{:04X}", u32::from(other).min(0xFFFD)).expect("a String"),
        }
    }
    out.push('"');
    out
}

/// The id of a sheet whose part has no name.
const UNNAMED: &str = "my-part";

/// An id that a sheet may have, made from a name.
pub(super) fn id(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let id: String = name.chars().filter(allowed).collect();
    let id = id.trim_start_matches(['-', '.']);
    if id.is_empty() {
        UNNAMED.to_owned()
    } else {
        id.to_ascii_lowercase()
    }
}
