//! What a reader must see before trusting a document.

use std::collections::{HashMap, HashSet};

use wordline_core::ResultSet;
use wordline_core::results::{Verdict, Warning, WarningCode};

use crate::answer::few;
use crate::grid::{Column, Grid};
use crate::text;

/// Says that the run was cut short, and what it lacks; `None` for a complete document.
pub(crate) fn incomplete(document: &ResultSet) -> Option<String> {
    if document.complete {
        return None;
    }
    let finished: HashSet<&str> = document.rows.iter().map(|row| &*row.target).collect();
    let asked = document.experiment.targets.iter().map(String::as_str);
    let missing: Vec<&str> = asked.filter(|target| !finished.contains(target)).collect();
    let lacks = match missing.as_slice() {
        [] => "Every target has rows, and some of them are missing.".to_owned(),
        missing => format!("No row is there of {}.", few(missing)),
    };
    Some(format!(
        "Incomplete: the run was interrupted, or its time was up. {lacks}"
    ))
}

/// More warnings than this flood a screen, and those of a kind are merged.
const WARNINGS: usize = 12;

/// Kinds of warning that are always shown whole: what was assumed about the question itself, and what
/// the field advises for it.
const WHOLE: [WarningCode; 2] = [WarningCode::Default, WarningCode::Advice];

/// Warnings of a kind that are shown together.
pub(crate) struct Warned<'a> {
    pub(crate) code: &'a str,
    /// At least one.
    pub(crate) advice: Vec<&'a str>,
}

/// The warnings of a document. Few stand one by one, in their order; of many, each kind stands once.
pub(crate) fn warnings(document: &ResultSet) -> Vec<Warned<'_>> {
    let many = document.warnings.len() > WARNINGS;
    let mut all: Vec<Warned<'_>> = Vec::new();
    let mut places = HashMap::new();
    for Warning { code, advice } in &document.warnings {
        let whole = !many || WHOLE.iter().any(|whole| whole.name() == code);
        let place = *places.entry(code).or_insert(all.len());
        match all.get_mut(place) {
            Some(one) if !whole => one.advice.push(advice),
            _ => all.push(Warned {
                code,
                advice: vec![advice],
            }),
        }
    }
    // Those that are about the question come first.
    all.sort_by_key(|one| many && !WHOLE.iter().any(|whole| whole.name() == one.code));
    all
}

/// Where the warnings are that "more" stands for.
pub(crate) fn grouped(warnings: &[Warned<'_>]) -> Option<&'static str> {
    let grouped = warnings.iter().any(|one| one.advice.len() > 1);
    grouped.then_some("JSON and HTML hold every warning.")
}

impl Warned<'_> {
    /// "caution" or, of several, "caution, 62 times".
    pub(crate) fn heading(&self) -> String {
        match self.advice.len() {
            1 => self.code.to_owned(),
            count => format!("{}, {count} times", self.code),
        }
    }

    /// The first advice, and how many more there are.
    pub(crate) fn first(&self) -> String {
        match self.advice.as_slice() {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [first, more @ ..] => format!("{first}; and {} more", more.len()),
        }
    }
}

/// Which targets met the experiment's limits; `None` when nothing was judged.
pub(crate) fn verdicts(document: &ResultSet) -> Option<Grid> {
    if document.verdicts.is_empty() {
        return None;
    }
    let mut columns: Vec<_> = ["target", "timing", "verdict", "limit", "metric"]
        .map(Column::left)
        .into();
    columns.extend(["value", "allowed", "margin"].map(Column::right));
    let noted = document.verdicts.iter().any(|one| one.note.is_some());
    columns.extend(noted.then(|| Column::left("note")));
    let mut grid = Grid::new("Verdicts", columns);
    for verdict in &document.verdicts {
        let note = noted.then(|| verdict.note.clone().unwrap_or_default());
        grid.push(cells(verdict).into_iter().chain(note));
    }
    Some(grid)
}

fn cells(verdict: &Verdict) -> [String; 8] {
    let number = |value| text::number(verdict.metric, value, text::DIGITS);
    let none = || "no value".to_owned();
    [
        verdict.target.clone(),
        verdict.timing.to_string(),
        if verdict.pass { "pass" } else { "fail" }.to_owned(),
        verdict.limit.clone(),
        verdict.metric.to_string(),
        verdict.value.map_or_else(none, number),
        number(verdict.allowed),
        verdict
            .margin
            .map_or_else(none, |margin| text::percent(margin, 2)),
    ]
}
