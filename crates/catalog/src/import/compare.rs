//! What a page and a sheet say differently of one chip.

use std::collections::BTreeMap;
use std::str::FromStr;

use toml::{Table, Value};
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Time, Voltage};

use super::{ChipClaims, Page};

/// A figure that a page and a sheet state differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The figure and its column: `nor.page_program.max`.
    pub figure: String,
    /// What the page states.
    pub page: String,
    /// What the sheet states.
    pub sheet: String,
}

/// Keys of a sheet that are no figures.
const WORDS: [&str; 6] = [
    "source",
    "basis",
    "assumed",
    "reason",
    "name",
    "assumed_columns",
];

/// What both a page and the text of a sheet state, and state differently. What only one of them states is no
/// contradiction. A text that is not TOML states nothing.
#[must_use]
pub fn disagreements(page: &Page, sheet: &str) -> Vec<Disagreement> {
    let stated = figures(&page.sheet(&ChipClaims::default()));
    let others = figures(sheet);
    let both = stated.into_iter().filter_map(|(figure, page)| {
        let sheet = others.get(&figure)?.clone();
        (!same(&page, &sheet)).then_some(Disagreement {
            figure,
            page,
            sheet,
        })
    });
    both.collect()
}

/// Columns of all figures by their paths, as the sheet writes them.
fn figures(sheet: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (key, value) in sheet.parse::<Table>().unwrap_or_default() {
        if value.is_table() {
            collect(&key, &value, &mut found);
        }
    }
    found
}

fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table
                .iter()
                .filter(|(key, _)| !WORDS.contains(&key.as_str()))
            {
                collect(&format!("{path}.{key}"), value, found);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                collect(&format!("{path}[{}]", label(element)), element, found);
            }
        }
        Value::String(text) => {
            found.insert(path.to_owned(), text.clone());
        }
        other => {
            found.insert(path.to_owned(), other.to_string());
        }
    }
}

/// What tells an element from its neighbours: its code, and its mode where it has one.
fn label(element: &Value) -> String {
    let code = element.get("code").and_then(Value::as_integer);
    let code = code.map_or(String::new(), |code| format!("0x{code:02x}"));
    match element.get("mode").and_then(Value::as_str) {
        Some(mode) => format!("{code} {mode}"),
        None => code,
    }
}

/// Whether two quantities are equal, however they are spelt.
fn same(one: &str, other: &str) -> bool {
    one == other || canonical(one).is_some_and(|one| Some(one) == canonical(other))
}

/// A quantity as a sheet spells it; `None` for a text that is none.
pub(super) fn canonical(text: &str) -> Option<String> {
    fn spelt<Q: FromStr + ToString>(text: &str) -> Option<String> {
        text.parse::<Q>().ok().map(|quantity| quantity.to_string())
    }
    spelt::<Time>(text)
        .or_else(|| spelt::<ByteCount>(text))
        .or_else(|| spelt::<Frequency>(text))
        .or_else(|| spelt::<Voltage>(text))
        .or_else(|| spelt::<Current>(text))
        .or_else(|| spelt::<Cycles>(text))
}
