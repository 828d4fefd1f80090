//! The text of a fitted sheet: that of the base with other figures and with what each rests on now.
//!
//! The base's text is changed at the places of its values rather than written anew, so that whatever a sheet can
//! say stays as its author ordered it. Comments go: they speak of the base.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wordline_nvm::ageing::AgeingSheet;

/// A figure that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SheetChange {
    /// Its dotted path in the sheet.
    pub(crate) path: String,
    /// Its columns, as TOML writes them: `typ = "1 ms"`.
    pub(crate) columns: String,
}

/// What a fitted sheet says of itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct About<'a> {
    /// The key of its id: `part`, or `system`.
    pub(crate) kind: &'a str,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) manufacturer: &'a str,
    pub(crate) revision: &'a str,
    pub(crate) description: &'a str,
    pub(crate) cautions: &'a [String],
    /// Id of the base.
    pub(crate) base: &'a str,
}

/// Why there is no fitted sheet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetProblem {
    /// It cannot be read.
    #[error("the sheet is no TOML")]
    Toml,
    /// It lacks the figure of a path, or states it over several lines.
    #[error("the sheet has no figure {0} in one line, as in {{ typ = \"1 ms\", source = \"…\" }}")]
    Missing(String),
}

/// The base with some figures changed and nothing else: what is simulated while the search goes on.
pub(crate) fn changed(text: &str, changes: &[SheetChange]) -> Result<String, SheetProblem> {
    let tree = DeTable::parse(text).map_err(|_| SheetProblem::Toml)?;
    let mut edits = Edits::default();
    for change in changes {
        let keys = format!(
            "{{ {}, basis = \"calibrated\", source = \"a fit\" }}",
            change.columns
        );
        write(text, tree.get_ref(), &change.path, keys, &mut edits)?;
    }
    Ok(edits.apply(text))
}

/// A sheet without some figures, those that it has of them.
pub(crate) fn without(text: &str, paths: &[&str]) -> Result<String, SheetProblem> {
    let tree = DeTable::parse(text).map_err(|_| SheetProblem::Toml)?;
    let mut edits = Edits::default();
    for path in paths {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let mut keys = table.split('.').filter(|key| !key.is_empty());
        let table = keys.try_fold(tree.get_ref(), |table, key| {
            match table.get(key)?.get_ref() {
                DeValue::Table(table) => Some(table),
                _ => None,
            }
        });
        if let Some((key, value)) = table.and_then(|table| table.get_key_value(key)) {
            edits.remove(text, key.span().start..value.span().end);
        }
    }
    Ok(edits.apply(text))
}

/// The sheet that is handed out, from the fitted figures with what each rests on.
pub(crate) fn fitted(
    text: &str,
    changes: &[(SheetChange, String)],
    about: &About<'_>,
) -> Result<String, SheetProblem> {
    let text = &without_comments(without_estimates(text));
    let tree = DeTable::parse(text).map_err(|_| SheetProblem::Toml)?;
    let tree = tree.get_ref();
    let mut edits = Edits::default();
    // What a maker says of the base's supply says nothing of the part that was measured.
    if let Some((key, value)) = tree.get_key_value(LIFECYCLE) {
        edits.remove(text, key.span().start..value.span().end);
    }
    for (change, source) in changes {
        let source = quoted(source);
        let keys = format!(
            "{{ {}, basis = \"calibrated\", source = {source} }}",
            change.columns
        );
        write(text, tree, &change.path, keys, &mut edits)?;
    }
    let is_changed = |path: &str| changes.iter().any(|(change, _)| change.path == path);
    assume(text, tree, "", about.base, &is_changed, &mut edits);
    let cautions: Vec<String> = about
        .cautions
        .iter()
        .map(|one| format!("  {},\n", quoted(one)))
        .collect();
    let cautions = format!("[\n{}]", cautions.concat());
    let mut head = String::new();
    for (key, value) in [
        (about.kind, quoted(about.id)),
        ("name", quoted(about.name)),
        ("manufacturer", quoted(about.manufacturer)),
        ("revision", quoted(about.revision)),
        ("description", quoted(about.description)),
        ("cautions", cautions),
    ] {
        match tree.get(key) {
            Some(old) => edits.replace(old.span(), value),
            None => head += &format!("{key} = {value}\n"),
        }
    }
    let first = "# Written by `wordline part fit`.\n";
    Ok(format!("{first}{head}{}", edits.apply(text).trim_start()))
}

/// Marks every figure that was not fitted as assumed.
fn assume(
    text: &str,
    table: &DeTable<'_>,
    path: &str,
    base: &str,
    is_changed: &dyn Fn(&str) -> bool,
    edits: &mut Edits,
) {
    if path == LIFECYCLE || !path.is_empty() && is_changed(path) {
        return;
    }
    let words = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    let reason = words("source").or(words("reason"));
    if let Some(reason) = reason {
        let reason = quoted(&format!("not fitted; as {base}: {reason}"));
        // Within braces keys are separated by commas, elsewhere by lines.
        let mut written = false;
        for (key, value) in table.iter() {
            let span = key.span().start..value.span().end;
            let inline = !text[span.end..].starts_with(['\n', '\r']);
            let between = if inline { ", " } else { "\n" };
            match key.get_ref().as_ref() {
                "source" | "reason" if !written => {
                    written = true;
                    edits.replace(span, format!("assumed = true{between}reason = {reason}"));
                }
                "assumed" | "basis" | "assumed_columns" => edits.remove(text, span),
                _ => {}
            }
        }
    }
    for (key, value) in table.iter() {
        let path = if path.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{path}.{}", key.get_ref())
        };
        match value.get_ref() {
            DeValue::Table(table) => assume(text, table, &path, base, is_changed, edits),
            DeValue::Array(array) => {
                for (index, element) in array.iter().enumerate() {
                    if let DeValue::Table(table) = element.get_ref() {
                        let path = format!("{path}.{index}");
                        assume(text, table, &path, base, is_changed, edits);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Writes the columns of a figure over those that the sheet has. A figure that a table may have stands behind its last
/// one where the sheet has none.
fn write(
    text: &str,
    tree: &DeTable<'_>,
    path: &str,
    keys: String,
    edits: &mut Edits,
) -> Result<(), SheetProblem> {
    let missing = || SheetProblem::Missing(path.to_owned());
    if let Some(span) = figure(tree, path) {
        if !text[span.clone()].starts_with('{') {
            return Err(missing());
        }
        edits.replace(span, keys);
        return Ok(());
    }
    let (table, name) = path.rsplit_once('.').ok_or_else(missing)?;
    if !AgeingSheet::OPTIONAL.contains(&name) {
        return Err(missing());
    }
    let end = last_figure(tree, text, table).ok_or_else(missing)?;
    edits.add(end, format!("\n{name} = {keys}"));
    Ok(())
}

/// Where the last figure of a table ends, which stands in a line of its own.
fn last_figure(tree: &DeTable<'_>, text: &str, path: &str) -> Option<usize> {
    let mut table = tree;
    for key in path.split('.') {
        let DeValue::Table(next) = table.get(key)?.get_ref() else {
            return None;
        };
        table = next;
    }
    let spans = table.iter().map(|(_, value)| value.span());
    let figures = spans.filter(|span| text[span.clone()].starts_with('{'));
    let end = figures.map(|span| span.end).max()?;
    let behind = text[end..].lines().next().unwrap_or_default().trim();
    (behind.is_empty() || behind.starts_with('#')).then_some(end)
}

/// Where the value of a dotted path stands.
fn figure(tree: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let mut keys = path.split('.');
    let mut value: &Spanned<DeValue<'_>> = tree.get(keys.next()?)?;
    for key in keys {
        value = match value.get_ref() {
            DeValue::Table(table) => table.get(key)?,
            DeValue::Array(array) => array.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value.span())
}

/// The key of a statement that is no figure.
const LIFECYCLE: &str = "lifecycle";

/// A text without the table that stands behind all others where a loader estimated figures: it does so again.
fn without_estimates(text: &str) -> &str {
    let end = text.find("\n[estimated]\n");
    end.map_or(text, |end| &text[..=end])
}

/// A text without the lines that are comments. Texts over several lines could hold such a line, so a sheet with
/// one keeps its comments.
fn without_comments(text: &str) -> String {
    if text.contains("\"\"\"") || text.contains("'''") {
        return text.to_owned();
    }
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// Replacements in a text.
#[derive(Default)]
struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    fn replace(&mut self, span: Range<usize>, with: String) {
        self.0.push((span, with));
    }

    /// Adds a text; what is added at the same place comes in order.
    fn add(&mut self, at: usize, what: String) {
        self.0.push((at..at, what));
    }

    /// Removes a key with its value and the comma or line end behind it, or the comma before it.
    fn remove(&mut self, text: &str, span: Range<usize>) {
        let behind = &text[span.end..];
        let spaces = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let next = &behind[spaces..];
        if let Some(rest) = next.strip_prefix([',', '\n']) {
            let spaces_after = rest.len() - rest.trim_start_matches(' ').len();
            self.replace(
                span.start..span.end + spaces + 1 + spaces_after,
                String::new(),
            );
            return;
        }
        let before = text[..span.start].trim_end();
        let start = before.strip_suffix(',').map_or(span.start, str::len);
        self.replace(start..span.end, String::new());
    }

    fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(span, _)| span.start);
        let mut out = String::new();
        let mut at = 0;
        for (span, with) in self.0 {
            if span.start < at {
                continue;
            }
            out += &text[at..span.start];
            out += &with;
            at = span.end;
        }
        out + &text[at..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = r#"# About the base.
part = "base"
name = "Base"
manufacturer = "Somebody"
revision = "A"
description = "a card"

[card]
program = { typ = "1 ms", max = "2 ms", source = "sheet, table 1" }
pages = { value = 64, basis = "calibrated", source = "fig. 3" }
# A comment.
guess = { typ = "3 us", assumed = true, reason = "as others" }
partly = { typ = "3 us", max = "6 us", assumed_columns = ["max"], source = "as others" }
turned = { reason = "as others", assumed = true, typ = "3 us" }
last = { typ = "3 us", source = "table 2", basis = "published" }

[[card.opcode]]
code = 1
source = "table 3"
name = "x"
"#;

    #[test]
    fn a_figure_that_a_table_may_have_is_added_behind_its_last_one() {
        let change = |name: &str| SheetChange {
            path: format!("card.{name}"),
            columns: "value = 0.5".to_owned(),
        };
        let both = ["erase_doubling", "erase_exponent"].map(change);
        let text = changed(BASE, &both).expect("the table is there");
        let added = "published\" }\n\
                     erase_doubling = { value = 0.5, basis = \"calibrated\", source = \"a fit\" }\n\
                     erase_exponent = { value = 0.5, basis = \"calibrated\", source = \"a fit\" }\n\n[[card.opcode]]";
        assert!(text.contains(added), "{text}");
        let nowhere = SheetChange {
            path: "nor.aging.erase_exponent".to_owned(),
            columns: String::new(),
        };
        assert!(changed(BASE, &[nowhere]).is_err());
    }

    fn about() -> About<'static> {
        About {
            kind: "part",
            id: "mine",
            name: "Mine \"new\"",
            manufacturer: "unknown",
            revision: "fit",
            description: "fitted",
            cautions: &[],
            base: "base",
        }
    }

    fn change(path: &str, columns: &str) -> SheetChange {
        SheetChange {
            path: path.to_owned(),
            columns: columns.to_owned(),
        }
    }

    #[test]
    fn figures_are_left_out_where_the_sheet_has_them() {
        let paths = ["card.guess", "card.last", "card.other", "other.guess"];
        let text = without(BASE, &paths).expect("a sheet");
        let tree: toml::Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        let card = tree["card"].as_table().expect("a card");
        let keys: Vec<_> = card.keys().map(String::as_str).collect();
        assert_eq!(keys, ["opcode", "pages", "partly", "program", "turned"]);
    }

    #[test]
    fn fitted_figures_are_calibrated_and_all_others_assumed() {
        let changes = [(
            change("card.program", "typ = \"1.5 ms\""),
            "card.log, 2000 writes".to_owned(),
        )];
        let text = fitted(BASE, &changes, &about()).expect("a sheet");
        let tree: toml::Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(tree["part"].as_str(), Some("mine"));
        assert_eq!(tree["name"].as_str(), Some("Mine \"new\""));
        assert_eq!(tree["cautions"].as_array().map(Vec::len), Some(0));
        let card = tree["card"].as_table().expect("a card");
        let program = card["program"].as_table().expect("a figure");
        assert_eq!(program["typ"].as_str(), Some("1.5 ms"));
        assert_eq!(program["basis"].as_str(), Some("calibrated"));
        assert_eq!(program["source"].as_str(), Some("card.log, 2000 writes"));
        assert_eq!(program.get("max"), None);
        let opcode = card["opcode"][0].clone();
        for one in ["pages", "guess", "partly", "turned", "last"]
            .map(|key| card[key].clone())
            .iter()
            .chain([&opcode])
        {
            assert_eq!(one["assumed"].as_bool(), Some(true), "{text}");
            let reason = one["reason"].as_str().expect("a reason");
            assert!(reason.starts_with("not fitted; as base: "), "{text}");
            assert_eq!(one.get("source"), None);
            assert_eq!(one.get("basis"), None);
            assert_eq!(one.get("assumed_columns"), None);
        }
        assert_eq!(card["pages"]["value"].as_integer(), Some(64));
        assert!(!text.contains("About the base"), "{text}");
    }

    #[test]
    fn a_changed_sheet_keeps_all_else_and_a_missing_figure_is_named() {
        let text = changed(BASE, &[change("card.pages", "value = 7")]).expect("a sheet");
        assert!(text.contains("pages = { value = 7, basis"), "{text}");
        assert_eq!(text.lines().count(), BASE.lines().count());
        let missing = changed(BASE, &[change("card.none", "value = 7")]);
        assert_eq!(missing, Err(SheetProblem::Missing("card.none".to_owned())));
        let table = changed(BASE, &[change("card", "value = 7")]);
        assert_eq!(table, Err(SheetProblem::Missing("card".to_owned())));
    }
}
