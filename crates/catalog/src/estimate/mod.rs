//! Figures that no source states of a part, estimated from the parts of its family or kind.
//!
//! A sheet leaves such a figure out. When it is loaded, [`complete`] adds the figure to the text of the sheet, in a table
//! `[estimated]` whose keys are the figures' places; [`tree`] puts them there. Everything that reads a sheet
//! reads the completed text, so that an estimated figure is a figure like any other: with columns, a source that names its
//! sample, and a range. Which figures can be estimated, and from which population, stands in [`rules`]; the
//! distributions of the populations stand in `distributions.tsv`, which a test computes from the sourced figures of the
//! catalogue by the method in [`population`].

mod distribution;
#[cfg(test)]
mod leave_one_out;
#[cfg(test)]
mod population;
mod rules;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use distribution::spread;
pub(crate) use rules::can_be_estimated;
use rules::{FigureSlot, slots};

/// The table that holds the estimated figures of a sheet.
const ESTIMATED: &str = "estimated";

/// What is wrong with a text, and where.
pub(crate) type TreeFault = (Range<usize>, String);

/// The tree of a sheet's text, with the entries of `[estimated]` at the places that their keys name.
pub(crate) fn tree(text: &str) -> Result<DeTable<'_>, TreeFault> {
    let parsed = DeTable::parse(text);
    let parsed = parsed.map_err(|error| (error.span().unwrap_or(0..0), error.message().to_owned()));
    let mut tree = parsed?.into_inner();
    if let Some(entries) = tree.remove(ESTIMATED) {
        place(&mut tree, entries)?;
    }
    Ok(tree)
}

/// Puts the figures that were added to a text at its end to their places in the tree of the text.
pub(crate) fn extend<'i>(
    tree: &mut DeTable<'i>,
    completed: &'i str,
    start: usize,
) -> Result<(), TreeFault> {
    let added = DeTable::parse(&completed[start..]);
    let added = added.map_err(|error| (start..start, error.message().to_owned()));
    match added?.into_inner().remove(ESTIMATED) {
        Some(entries) => place(tree, moved(entries, start)),
        None => Ok(()),
    }
}

/// A value whose text stands so many bytes further on.
fn moved(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = |span: Range<usize>| span.start + by..span.end + by;
    let here = span(value.span());
    let value = match value.into_inner() {
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let at = span(key.span());
                (Spanned::new(at, key.into_inner()), moved(value, by))
            });
            DeValue::Table(entries.collect())
        }
        DeValue::Array(array) => {
            let elements = array.into_iter();
            DeValue::Array(elements.map(|element| moved(element, by)).collect())
        }
        other => other,
    };
    Spanned::new(here, value)
}

/// Moves the entries of a table `[estimated]` to their places.
fn place<'i>(tree: &mut DeTable<'i>, entries: Spanned<DeValue<'i>>) -> Result<(), TreeFault> {
    let span = entries.span();
    let DeValue::Table(entries) = entries.into_inner() else {
        let message = "estimated is a table of figures, such as \"nor.page_program\" = { … }";
        return Err((span, message.to_owned()));
    };
    let slots = slots(tree).into_iter();
    let allowed = slots.filter(FigureSlot::is_wanted).map(|slot| slot.path);
    let allowed: Vec<_> = allowed.collect();
    for (path, figure) in entries {
        let span = path.span();
        let basis = figure.get_ref().as_table().and_then(|it| it.get("basis"));
        if basis.and_then(|basis| basis.get_ref().as_str()) != Some("estimated") {
            let message = format!("estimated.{path}: allowed: a figure with basis = \"estimated\"");
            return Err((figure.span(), message));
        }
        let Some((table, key)) = path.get_ref().rsplit_once('.') else {
            let message =
                format!("{path}: allowed: the place of a figure, such as \"nor.page_program\"");
            return Err((span, message));
        };
        let Some(table) = table_at(tree, table) else {
            let message = format!("{path}: the sheet has no table {table}");
            return Err((span, message));
        };
        if table.contains_key(key) {
            let message = format!("{path}: the sheet states it itself; leave one of them out");
            return Err((span, message));
        }
        if !allowed.iter().any(|place| place == path.get_ref()) {
            let message = format!(
                "{path}: not a figure that is estimated of this part; allowed: {}",
                allowed.join(", ")
            );
            return Err((span, message));
        }
        table.insert(Spanned::new(span, key.to_owned().into()), figure);
    }
    Ok(())
}

/// The table of a dotted path, with the numbers of elements of arrays.
fn table_at<'a, 'i>(tree: &'a mut DeTable<'i>, path: &str) -> Option<&'a mut DeTable<'i>> {
    let mut keys = path.split('.');
    let mut value = tree.get_mut(keys.next()?)?;
    for key in keys {
        value = match value.get_mut() {
            DeValue::Table(table) => table.get_mut(key)?,
            DeValue::Array(array) => array.get_mut(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match value.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// The text of a part's sheet with a table `[estimated]` of the figures that it lacks and that can be estimated; `None`
/// where there are none. A sheet that has such a table already is complete as it stands.
pub(crate) fn complete(text: &str, tree: &DeTable<'_>) -> Option<String> {
    if tree.contains_key(ESTIMATED) {
        return None;
    }
    let family = tree
        .get("family")
        .and_then(|family| family.get_ref().as_str());
    let mut lines = String::new();
    for slot in slots(tree) {
        if slot.is_wanted()
            && let Some(figure) = figure(&slot, family)
        {
            writeln!(lines, "{:?} = {figure}", slot.path).expect("a String takes everything");
        }
    }
    if lines.is_empty() {
        return None;
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Some(format!(
        "{text}{end}\n# No source states these of the part: they are what parts of its family or kind have.\n[{ESTIMATED}]\n{lines}"
    ))
}

/// Whether the text of a sheet has figures that were estimated.
pub(crate) fn is_completed(text: &str) -> bool {
    let heading = |line: &str| {
        line.strip_prefix('[')?
            .strip_suffix(']')
            .map(|name| name == ESTIMATED)
    };
    text.lines().any(|line| heading(line) == Some(true))
}

/// An estimated figure as TOML; `None` where too few parts state it.
fn figure(slot: &FigureSlot<'_, '_>, family: Option<&str>) -> Option<String> {
    let columns = slot.rule.columns.iter();
    let columns: Vec<_> = columns
        .filter_map(|column| Some((column.name(), slot.distribution(column.name(), family)?)))
        .collect();
    let (_, of_first) = columns.first()?;
    let mut text = String::from("{ ");
    let mut least = 0.0;
    let mut ranges = Vec::new();
    for (name, found) in &columns {
        let written = |value: f64| slot.rule.unit.written(value * slot.scale);
        // The columns have distributions of their own; no largest value lies below a typical one, nor does its range.
        let centre = found.centre.max(least);
        let low = (centre * found.low).max(least);
        let (low, high) = (written(low), written(centre * found.high));
        least = centre;
        write!(text, "{name} = \"{}\", ", written(centre)).expect("a String takes everything");
        let key = if ranges.is_empty() {
            "range"
        } else {
            "max_range"
        };
        write!(text, "{key} = [\"{low}\", \"{high}\"], ").expect("a String takes everything");
        ranges.push(format!("{name} {low} to {high}"));
    }
    // The class of what was found, which may be wider than that of the figure.
    let class = of_first.figure.split_once('[');
    let class = class.and_then(|(_, class)| Some(class.split_once(']')?.0));
    let class = class.map_or(String::new(), |class| format!(" of {class}"));
    let source = format!(
        "{}{class} of {}: {} in {}",
        slot.rule.words,
        of_first.sample(),
        ranges.join(", "),
        of_first.share()
    );
    write!(text, "basis = \"estimated\", source = {source:?} }}")
        .expect("a String takes everything");
    Some(text)
}
