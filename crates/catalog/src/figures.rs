//! Finds every figure of a sheet with its source, whatever its model: a table with the key
//! `source`, or with `assumed = true`, states figures; the text of the file is their value.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wordline_core::Basis;
use wordline_core::quantity::Frequency;
use wordline_core::results::FigureUse;

use crate::{Header, estimate};

/// Keys that say where a figure comes from rather than what it is.
const PROVENANCE: [&str; 5] = ["source", "basis", "assumed", "reason", ASSUMED_COLUMNS];

/// The key that names the columns which the source does not state.
pub(crate) const ASSUMED_COLUMNS: &str = "assumed_columns";

/// Every figure of a sheet with its source, in the order of its text. They are found when somebody asks for them: many who
/// load a sheet do not.
#[derive(Clone, Debug)]
pub struct SheetFigures {
    sheet: String,
    text: Arc<str>,
    found: OnceLock<Vec<FigureUse>>,
}

impl SheetFigures {
    pub(crate) fn of(header: &Header) -> Self {
        Self {
            sheet: header.id.clone(),
            text: Arc::clone(&header.text),
            found: OnceLock::new(),
        }
    }
}

impl Deref for SheetFigures {
    type Target = [FigureUse];

    fn deref(&self) -> &[FigureUse] {
        self.found.get_or_init(|| {
            let tree = estimate::tree(&self.text).unwrap_or_default();
            of(&self.sheet, &self.text, &tree)
        })
    }
}

impl<'a> IntoIterator for &'a SheetFigures {
    type Item = &'a FigureUse;
    type IntoIter = std::slice::Iter<'a, FigureUse>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Every figure of a sheet, in the order of its text.
fn of(sheet: &str, text: &str, tree: &DeTable<'_>) -> Vec<FigureUse> {
    let mut found = Vec::new();
    each(tree, &mut |start, path, table| {
        // It has a source, and is no figure.
        if path == "lifecycle" {
            return;
        }
        if let Some((basis, source)) = provenance(table) {
            let figure = FigureUse {
                sheet: sheet.to_owned(),
                figure: path.to_owned(),
                value: columns(text, table),
                basis,
                source,
            };
            found.push((start, figure));
        }
    });
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, figure)| figure).collect()
}

/// What is done with a table of a sheet: where it starts, its dotted path, and itself.
type Visit<'v> = dyn FnMut(usize, &str, &DeTable<'_>) + 'v;

/// Visits every table of a sheet.
pub(crate) fn each(tree: &DeTable<'_>, visit: &mut Visit<'_>) {
    visit_table("", tree, 0, visit);
}

fn visit_value(path: &str, value: &Spanned<DeValue<'_>>, visit: &mut Visit<'_>) {
    match value.get_ref() {
        DeValue::Table(table) => visit_table(path, table, value.span().start, visit),
        DeValue::Array(array) => {
            for (index, element) in array.iter().enumerate() {
                let label = label(element).unwrap_or_else(|| index.to_string());
                visit_value(&format!("{path}[{label}]"), element, visit);
            }
        }
        _ => {}
    }
}

/// What distinguishes an element of an array from its neighbours, as the models name their figures: an
/// opcode by code and mode, a current by its test conditions, a speed bin by name and rate, a rail by its name.
fn label(element: &Spanned<DeValue<'_>>) -> Option<String> {
    let table = element.get_ref().as_table()?;
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    let code = table
        .get("code")
        .and_then(|value| value.get_ref().as_integer());
    let code = code.and_then(|code| i64::from_str_radix(code.as_str(), code.radix()).ok());
    if let (Some(code), Some(mode)) = (code, text("mode")) {
        return Some(format!("0x{code:02x} {mode}"));
    }
    if let (Some(action), Some(rate), Some(clock)) = (text("action"), text("rate"), text("clock")) {
        let clock = clock.parse::<Frequency>().ok()?;
        return Some(format!("{action} {rate} {clock}"));
    }
    let rate = table.get("rate_mts");
    let rate = rate.and_then(|rate| rate.get_ref().as_integer());
    match (text("name"), rate) {
        (Some(name), Some(rate)) => Some(format!("{name} {}", rate.as_str())),
        (name, _) => name.map(str::to_owned),
    }
}

fn visit_table(path: &str, table: &DeTable<'_>, start: usize, visit: &mut Visit<'_>) {
    visit(start, path, table);
    for (key, value) in table {
        let key = key.get_ref();
        let path = if path.is_empty() {
            key.to_string()
        } else {
            format!("{path}.{key}")
        };
        visit_value(&path, value, visit);
    }
}

/// Basis and source of a figure; `None` for a table that is none.
pub(crate) fn provenance(table: &DeTable<'_>) -> Option<(Basis, String)> {
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    if let Some(source) = text("source") {
        let basis = match text("basis") {
            Some("published") => Basis::Published,
            Some("calibrated") => Basis::Calibrated,
            Some("measured") => Basis::Measured,
            Some("estimated") => Basis::Estimated,
            _ => Basis::Datasheet,
        };
        return Some((basis, source.to_owned()));
    }
    text("reason").map(|reason| (Basis::Assumed, reason.to_owned()))
}

/// The columns that the source of a figure does not state.
pub(crate) fn assumed_columns(table: &DeTable<'_>) -> Vec<String> {
    let columns = table.get(ASSUMED_COLUMNS);
    let columns = columns.and_then(|columns| columns.get_ref().as_array());
    let columns = columns.into_iter().flatten();
    let names = columns.filter_map(|column| column.get_ref().as_str());
    names.map(str::to_owned).collect()
}

/// The scalar keys of a figure as the file writes them, strings without their quotes.
fn columns(text: &str, table: &DeTable<'_>) -> String {
    let assumed = assumed_columns(table);
    let mut columns: Vec<_> = table
        .iter()
        .filter(|(key, _)| !PROVENANCE.contains(&key.get_ref().as_ref()))
        .filter_map(|(key, value)| {
            let written = match value.get_ref() {
                DeValue::Table(_) => return None,
                DeValue::Array(array) => {
                    let elements = array.iter().map(|element| match element.get_ref() {
                        DeValue::String(string) => Some(string.to_string()),
                        DeValue::Table(_) => None,
                        _ => text.get(element.span()).map(|text| text.trim().to_owned()),
                    });
                    elements.collect::<Option<Vec<_>>>()?.join(", ")
                }
                DeValue::String(string) => string.to_string(),
                _ => text.get(value.span())?.trim().to_owned(),
            };
            let key = key.get_ref();
            let assumed = assumed.iter().any(|column| column == key);
            let assumed = if assumed { " (assumed)" } else { "" };
            Some((value.span().start, format!("{key} {written}{assumed}")))
        })
        .collect();
    columns.sort();
    let columns: Vec<_> = columns.into_iter().map(|(_, column)| column).collect();
    columns.join(", ")
}

/// `mram.active[read str 40 MHz].current` without its label.
pub(crate) fn without_labels(figure: &str) -> String {
    let mut depth = 0_u32;
    let keep = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    figure.chars().filter(keep).collect()
}
