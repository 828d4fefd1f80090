//! Finds every figure of a sheet with its source, whatever its model: a table with the key
//! `source`, or with `assumed = true`, states figures; the text of the file is their value.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wordline_core::Basis;
use wordline_core::quantity::Frequency;
use wordline_core::results::FigureUse;

/// Keys that say where a figure comes from rather than what it is.
const PROVENANCE: [&str; 4] = ["source", "basis", "assumed", "reason"];

/// Every figure of a sheet, in the order of its text.
pub(crate) fn of(sheet: &str, text: &str, tree: &DeTable<'_>) -> Vec<FigureUse> {
    let mut found = Vec::new();
    visit_table(sheet, text, "", tree, 0, &mut found);
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, figure)| figure).collect()
}

fn visit(
    sheet: &str,
    text: &str,
    path: &str,
    value: &Spanned<DeValue<'_>>,
    found: &mut Vec<(usize, FigureUse)>,
) {
    match value.get_ref() {
        DeValue::Table(table) => visit_table(sheet, text, path, table, value.span().start, found),
        DeValue::Array(array) => {
            for (index, element) in array.iter().enumerate() {
                let label = label(element).unwrap_or_else(|| index.to_string());
                visit(sheet, text, &format!("{path}[{label}]"), element, found);
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

fn visit_table(
    sheet: &str,
    text: &str,
    path: &str,
    table: &DeTable<'_>,
    start: usize,
    found: &mut Vec<(usize, FigureUse)>,
) {
    if let Some((basis, source)) = provenance(table) {
        found.push((
            start,
            FigureUse {
                sheet: sheet.to_owned(),
                figure: path.to_owned(),
                value: columns(text, table),
                basis,
                source,
            },
        ));
    }
    for (key, value) in table {
        let key = key.get_ref();
        let path = if path.is_empty() {
            key.to_string()
        } else {
            format!("{path}.{key}")
        };
        visit(sheet, text, &path, value, found);
    }
}

fn provenance(table: &DeTable<'_>) -> Option<(Basis, String)> {
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    if let Some(source) = text("source") {
        let basis = match text("basis") {
            Some("published") => Basis::Published,
            Some("calibrated") => Basis::Calibrated,
            Some("measured") => Basis::Measured,
            _ => Basis::Datasheet,
        };
        return Some((basis, source.to_owned()));
    }
    text("reason").map(|reason| (Basis::Assumed, reason.to_owned()))
}

/// The scalar keys of a figure as the file writes them, strings without their quotes.
fn columns(text: &str, table: &DeTable<'_>) -> String {
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
            Some((value.span().start, format!("{} {written}", key.get_ref())))
        })
        .collect();
    columns.sort();
    let columns: Vec<_> = columns.into_iter().map(|(_, column)| column).collect();
    columns.join(", ")
}
