//! Two results side by side: what was asked differently, which verdicts turned, and which values moved beyond chance.
//!
//! Rows are matched by what identifies them. Where each document has one target and the two differ, the one is compared
//! with the other. Of the same seed and as many samples, a simulated value has no chance in it: whatever differs has
//! changed. Otherwise a value has changed when it moved by more than a tolerance, which the caller gives, and
//! its interval lies apart from the other's, where the document tells one:
//!
//! * of a mean, three standard errors of its distribution; of a quantile, the values at ranks three standard deviations of
//!   the binomial around it; of the longest, from the tenth longest on and as far beyond. Accesses are taken to be
//!   independent, so that intervals of correlated ones are too short;
//! * of repeats, the interval that the document states.
//!
//! A second result that lacks values of the first one, though it was asked the same, is worse than it.

mod chance;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;
use wordline_core::results::{AxisValue, NoValue, ResultSet, Row, Verdict};
use wordline_core::{Basis, Better, Metric, Property};

use chance::{interval, is_sampling};

use crate::card::FirstScreen;
use crate::format::{Detail, Format, Style};
use crate::grid::{Column, Grid};
use crate::html::{ComparedValue, TablePage};
use crate::{table, text};
use wordline_core::results::{CardPoint, CardSubject, DecisionCard};

/// The most of what was asked differently, and of what turned, that the first screen lists.
const LISTED: usize = 3;

/// What two values of one seed may differ by: the last digits that a document writes.
const DIGITS_LOST: f64 = 1e-9;

/// What changed from one result to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultDiff {
    /// The same in words.
    pub sentence: String,
    /// Whether something became worse beyond chance, or a verdict fails that passed.
    pub worse: bool,
    /// Whether anything changed beyond chance.
    pub changed: bool,
    /// Whether the second result was cut short.
    pub incomplete: bool,
    /// What was asked differently: settings and sheets.
    pub asked: Vec<AskedChange>,
    /// Verdicts that turned.
    pub verdicts: Vec<VerdictChange>,
    /// Verdicts of the first document that the second one lacks.
    pub verdicts_lost: usize,
    /// Values that changed beyond chance: those of which one way is better before others, of the metrics that people ask
    /// for before others, the largest change first.
    pub values: Vec<ValueChange>,
    /// Values that moved within chance.
    pub within_chance: usize,
    /// Values that are the same.
    pub same: usize,
    /// Values of the first document that the second one lacks.
    pub only_before: usize,
    /// Values of the second document that the first one lacks.
    pub only_after: usize,
    /// The largest move that counts as chance, as a share; none where nothing moved so.
    pub chance_most: Option<f64>,
}

/// A setting of the experiment, or a figure of a sheet, that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedChange {
    /// Dotted path of the setting, or `SHEET: FIGURE`.
    pub what: String,
    /// Before; none where it was not set.
    pub before: Option<String>,
    /// After; none where it is no longer set.
    pub after: Option<String>,
}

/// A verdict that turned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictChange {
    /// What was judged.
    pub target: String,
    /// Column of the data sheet.
    pub timing: String,
    /// Whether it passed before.
    pub before: bool,
    /// Whether it passes now.
    pub after: bool,
    /// The limit that decides now.
    pub limit: String,
}

/// A value that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueChange {
    /// What it is of: target, operation, axes, timing.
    pub of: String,
    /// The metric.
    pub metric: Metric,
    /// Before, in the unit; none where it was unbounded or unknown.
    pub before: Option<f64>,
    /// After.
    pub after: Option<f64>,
    /// Unit of both.
    pub unit: String,
    /// Relative change; none where one of them has no number.
    pub change: Option<f64>,
    /// Whether it became better; none for metrics of which neither is better.
    pub better: Option<bool>,
}

/// Rows of the two documents by what identifies them.
struct Matched<'a> {
    before: HashMap<String, &'a Row>,
    after: HashMap<String, &'a Row>,
}

impl ResultDiff {
    /// Compares two documents. `tolerance` is the share that a value may move by chance where seeds differ and the
    /// documents do not tell.
    #[must_use]
    pub fn between(before: &ResultSet, after: &ResultSet, tolerance: f64) -> Self {
        let replaced = replaced(before, after);
        let mut asked = asked(before, after);
        if replaced.is_some() {
            // The sentence names them.
            asked.retain(|one| one.what != "targets");
        }
        let is_sheet = |one: &AskedChange| one.what == "wordline" || one.what.contains(": ");
        let same_question = asked.iter().all(is_sheet);
        // Other settings change a simulated value for a reason; other samples change it by chance as well.
        let same_draws = !asked.iter().any(|one| is_sampling(&one.what));
        let seed_alone =
            !same_question && asked.iter().all(|one| is_sheet(one) || one.what == "seed");
        let measured = |row: &Row| row.basis == Basis::Measured;
        let matched = Matched {
            before: by_identity(before, replaced.as_ref().map(|(from, _)| from.as_str())),
            after: by_identity(after, replaced.as_ref().map(|(_, to)| to.as_str())),
        };
        let mut diff = Self {
            sentence: String::new(),
            worse: false,
            changed: false,
            incomplete: before.complete && !after.complete,
            asked,
            verdicts: verdicts(before, after, replaced.as_ref()),
            verdicts_lost: 0,
            values: Vec::new(),
            within_chance: 0,
            same: 0,
            only_before: 0,
            only_after: 0,
            chance_most: None,
        };
        // In the order of the first document, so that equal changes keep it.
        let from = replaced.as_ref().map(|(from, _)| from.as_str());
        for row in &before.rows {
            let Some(other) = matched.after.get(&key(row, from)) else {
                diff.only_before += 1;
                continue;
            };
            if row.value == other.value && row.no_value == other.no_value {
                diff.same += 1;
                continue;
            }
            let change = relative(row.value, other.value);
            let exact = same_draws && !measured(row) && !measured(other);
            let is_chance = match (row.value, other.value) {
                (Some(a), Some(b)) if exact => (a - b).abs() <= DIGITS_LOST * a.abs().max(b.abs()),
                (Some(a), Some(b)) if (a - b).abs() <= tolerance * a.abs().max(b.abs()) => true,
                (Some(_), Some(_)) => {
                    let to = replaced.as_ref().map(|(_, to)| to.as_str());
                    let own = interval(before, &matched.before, row, from);
                    let others = interval(after, &matched.after, other, to);
                    let pair = own.zip(others);
                    pair.is_some_and(|(own, others)| own.0 <= others.1 && others.0 <= own.1)
                }
                _ => false,
            };
            if is_chance {
                diff.within_chance += 1;
                let most = change.map_or(0.0, f64::abs);
                diff.chance_most = Some(diff.chance_most.map_or(most, |other| other.max(most)));
                continue;
            }
            diff.values.push(ValueChange {
                of: words(row, replaced.as_ref().map(|(from, _)| from.as_str())),
                metric: row.metric,
                before: row.value,
                after: other.value,
                unit: row.unit.clone(),
                change,
                better: better(row, other),
            });
        }
        let keys = matched.after.keys();
        diff.only_after = keys
            .filter(|key| !matched.before.contains_key(*key))
            .count();
        let size = |change: &ValueChange| change.change.map_or(f64::INFINITY, f64::abs);
        diff.values.sort_by(|a, b| {
            let place = |one: &ValueChange| (one.better.is_none(), !is_headline(one.metric));
            let first = place(a).cmp(&place(b));
            first.then_with(|| size(b).total_cmp(&size(a)))
        });
        let compared = diff.same + diff.within_chance + diff.values.len();
        let judged = |document: &ResultSet| document.verdicts.len();
        diff.verdicts_lost = judged(before).saturating_sub(judged(after));
        let lost = diff.incomplete
            || (compared == 0 && !before.rows.is_empty())
            || (same_question && (diff.only_before > 0 || diff.verdicts_lost > 0));
        diff.changed = lost
            || diff.only_before + diff.only_after > 0
            || !diff.values.is_empty()
            || !diff.verdicts.is_empty();
        diff.worse = lost
            || diff.verdicts.iter().any(|one| one.before && !one.after)
            || diff.values.iter().any(|one| one.better == Some(false));
        diff.sentence = diff.sentence(replaced.as_ref(), seed_alone);
        diff
    }

    fn sentence(&self, replaced: Option<&(String, String)>, seed_alone: bool) -> String {
        let compared = self.same + self.within_chance + self.values.len();
        let chance = self.chance_most.map_or_else(String::new, |most| {
            format!(", by up to {}", text::percent(most, 2))
        });
        if self.incomplete {
            return format!(
                "The second result was cut short: {} of {} values are missing.",
                self.only_before,
                self.only_before + compared
            );
        }
        if compared == 0 {
            return "The two results have no value in common.".to_owned();
        }
        let seed = match seed_alone {
            true => "only the seed differs, and ",
            false => "",
        };
        if self.values.is_empty() && self.verdicts.is_empty() {
            let mut missing = String::new();
            for (count, what) in [
                (
                    self.only_before,
                    "values of the first result are missing in the second",
                ),
                (
                    self.verdicts_lost,
                    "verdicts of the first result are missing in the second",
                ),
                (self.only_after, "values are new"),
            ] {
                if count > 0 {
                    missing += &format!(" {count} {what}.");
                }
            }
            let told = match self.within_chance {
                0 => format!("No change: all {compared} values are the same."),
                some => format!(
                    "No change beyond chance: {seed}{some} of {compared} values moved{chance}."
                ),
            };
            return told + &missing;
        }
        let whom = replaced.map_or_else(String::new, |(from, to)| format!("{to} against {from}: "));
        let count = |better: bool| {
            let values = self.values.iter();
            values.filter(|one| one.better == Some(better)).count()
        };
        let turned = match self.verdicts.len() {
            0 => String::new(),
            1 => " 1 verdict turned.".to_owned(),
            some => format!(" {some} verdicts turned."),
        };
        format!(
            "{whom}{} of {compared} values changed beyond chance: {} worse, {} better.{turned}",
            self.values.len(),
            count(false),
            count(true)
        )
    }

    /// Every change as a line.
    #[must_use]
    pub fn grid(&self) -> Grid {
        let mut columns = vec![Column::left("metric")];
        columns.extend(["before", "after", "change"].map(Column::right));
        columns.extend(["", "of"].map(Column::left));
        let mut grid = Grid::new("", columns);
        for one in &self.values {
            let told = |value: Option<f64>| {
                value.map_or_else(
                    || "no value".to_owned(),
                    |value| text::number(one.metric, value, text::DIGITS),
                )
            };
            let change = one.change.map_or_else(String::new, |change| {
                let sign = if change > 0.0 { "+" } else { "" };
                format!("{sign}{}", text::percent(change, 2))
            });
            let verdict = match one.better {
                Some(true) => "better",
                Some(false) => "WORSE",
                None => "",
            };
            grid.push([
                text::words(one.metric.name()),
                told(one.before),
                told(one.after),
                change,
                verdict.to_owned(),
                one.of.clone(),
            ]);
        }
        grid
    }

    /// Every change with numbers in SI units, for scripts.
    fn rows(&self) -> Grid {
        let columns = [
            "metric", "unit", "before", "after", "change", "better", "of",
        ];
        let mut grid = Grid::new("", columns.map(Column::left).into());
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for one in &self.values {
            grid.push([
                one.metric.name().to_owned(),
                one.unit.clone(),
                number(one.before),
                number(one.after),
                number(one.change),
                one.better
                    .map_or_else(String::new, |better| better.to_string()),
                one.of.clone(),
            ]);
        }
        grid
    }

    /// Renders it. `command` is what makes it again, for a page.
    #[must_use]
    pub fn render(&self, format: Format, style: &Style, command: &str) -> String {
        match format {
            Format::Json => self.json(),
            Format::Csv => self.rows().csv(),
            Format::Markdown => {
                let head = format!("{}\n\n", text::printable(&self.sentence));
                head + &self.grid().render(Format::Markdown, style)
            }
            Format::Html => self.page(command),
            Format::Table => match style.detail {
                Detail::All => {
                    let sentence = text::printable(&self.sentence);
                    let points = self.points(usize::MAX);
                    let points: String = points
                        .iter()
                        .map(|point| format!("{}: {}\n", point.subject.label(), point.text))
                        .collect();
                    format!("{sentence}\n{points}\n{}", table::grid(&self.grid(), style))
                }
                Detail::Explain => self.screen(usize::MAX).lay_out(None, "", style),
                Detail::Answer => self.screen(LISTED).lay_out(None, "", style),
            },
        }
    }

    fn json(&self) -> String {
        match serde_json::to_string_pretty(self) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("plain data serialises: {error}"),
        }
    }

    fn page(&self, command: &str) -> String {
        let compared = self.values.iter().filter_map(|one| {
            Some(ComparedValue {
                name: format!("{}: {}", text::words(one.metric.name()), one.of),
                group: match one.better {
                    Some(true) => "better",
                    Some(false) => "worse",
                    None => "changed",
                },
                expected: one.before?,
                found: one.after?,
            })
        });
        let points = self.points(usize::MAX);
        let page = TablePage {
            title: "wordline diff".to_owned(),
            sentence: self.sentence.clone(),
            points: points.into_iter().map(|point| point.text).collect(),
            compared: compared.collect(),
            short: Some(self.grid()),
            tables: Vec::new(),
            command: command.to_owned(),
            json: self.json(),
        };
        page.html()
    }

    /// What was asked differently, what turned, and what is missing, so many of each.
    fn points(&self, most: usize) -> Vec<CardPoint> {
        let mut points = Vec::new();
        let mut say = |subject, all: Vec<String>| {
            let more = all.len().saturating_sub(most);
            let mut shown: Vec<String> = all.into_iter().take(most).collect();
            if let Some(last) = shown.last_mut().filter(|_| more > 0) {
                *last += &format!(", and {more} more");
            }
            let words = shown.iter().map(|one| text::printable(one));
            points.extend(words.map(|one| CardPoint::words(subject, one)));
        };
        let asked = self.asked.iter().map(|one| {
            let value =
                |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
            format!(
                "{}: {} before, {} now",
                one.what,
                value(&one.before),
                value(&one.after)
            )
        });
        say(CardSubject::Cause, asked.collect());
        let turned = self.verdicts.iter().map(|one| {
            let (now, then) = match one.after {
                true => ("passes", "failed"),
                false => ("fails", "passed"),
            };
            let (target, timing, limit) = (&one.target, &one.timing, text::words(&one.limit));
            format!("{target} ({timing}) {now} now and {then} before, by {limit}")
        });
        say(CardSubject::Finding, turned.collect());
        if self.only_before + self.only_after > 0 {
            let text = format!(
                "{} values are in the first result alone, {} in the second",
                self.only_before, self.only_after
            );
            points.push(CardPoint::words(CardSubject::Finding, text));
        }
        points
    }

    fn screen(&self, most: usize) -> FirstScreen {
        let answer = DecisionCard {
            sentence: text::printable(&self.sentence),
            points: self.points(most),
            ..DecisionCard::default()
        };
        FirstScreen::new(answer, Some(self.grid()), "changes")
    }
}

/// The target of each document, where each has one and the two differ.
fn replaced(before: &ResultSet, after: &ResultSet) -> Option<(String, String)> {
    let only = |document: &ResultSet| {
        let mut rows = document.rows.iter().map(|row| &row.target);
        let first = rows.next()?;
        rows.all(|other| other == first).then(|| first.clone())
    };
    let pair = (only(before)?, only(after)?);
    (pair.0 != pair.1).then_some(pair)
}

/// What identifies a row; of a target that another one replaces without its names.
fn key(row: &Row, replaced: Option<&str>) -> String {
    match replaced {
        Some(target) if row.target == target => Row {
            target: String::new(),
            part: String::new(),
            board: String::new(),
            ..row.clone()
        }
        .identity(),
        _ => row.identity(),
    }
}

fn by_identity<'a>(document: &'a ResultSet, replaced: Option<&str>) -> HashMap<String, &'a Row> {
    let rows = document.rows.iter();
    rows.map(|row| (key(row, replaced), row)).collect()
}

/// Whether people ask for a metric first.
fn is_headline(metric: Metric) -> bool {
    let properties = metric.info().properties.iter();
    let mut headlines = properties.filter(|one| matches!(one, Property::Headline(..)));
    headlines.next().is_some()
}

/// What a row is of, in words.
fn words(row: &Row, replaced: Option<&str>) -> String {
    let mut words = Vec::new();
    if replaced.is_none() {
        words.push(row.target.clone());
    }
    words.push(text::words(row.operation.name()));
    for (axis, value) in &row.axes {
        words.push(match value {
            AxisValue::Text(text) => text::words(text),
            value => format!(
                "{} {}",
                text::axis_label(*axis),
                text::coordinate(*axis, value)
            ),
        });
    }
    words.push(row.timing.name().to_owned());
    words.join(", ")
}

fn relative(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    let (before, after) = before.zip(after)?;
    (before != 0.0).then(|| after / before - 1.0)
}

/// Whether a value became better; what has none counts as the worst that there is where it is unbounded.
fn better(before: &Row, after: &Row) -> Option<bool> {
    let worst = match before.metric.info().better {
        Better::Higher => f64::NEG_INFINITY,
        Better::Lower => f64::INFINITY,
        Better::Neither => return None,
    };
    let number = |row: &Row| match (row.value, row.no_value) {
        (Some(value), _) => Some(value),
        // A life without a bound is the best, RAM without one the worst.
        (None, Some(NoValue::Unbounded)) => Some(f64::INFINITY),
        // What failed is worse than what has no bound.
        (None, Some(NoValue::Failed)) => Some(f64::NAN),
        _ => None,
    };
    let before = number(before)?;
    // What is no longer known is worse than what was.
    let Some(after) = number(after).filter(|after| !after.is_nan()) else {
        return Some(false);
    };
    if before.is_nan() {
        return Some(true);
    }
    Some(match worst > 0.0 {
        true => after < before,
        false => after > before,
    })
}

fn verdicts(
    before: &ResultSet,
    after: &ResultSet,
    replaced: Option<&(String, String)>,
) -> Vec<VerdictChange> {
    let same = |a: &Verdict, b: &Verdict| {
        let targets = a.target == b.target
            || replaced.is_some_and(|(from, to)| a.target == *from && b.target == *to);
        targets && a.timing == b.timing
    };
    let turned = after.verdicts.iter().filter_map(|now| {
        let then = before.verdicts.iter().find(|then| same(then, now))?;
        (then.pass != now.pass).then(|| VerdictChange {
            target: now.target.clone(),
            timing: now.timing.name().to_owned(),
            before: then.pass,
            after: now.pass,
            limit: if now.pass { &then.limit } else { &now.limit }.clone(),
        })
    });
    turned.collect()
}

/// Settings and figures that differ.
fn asked(before: &ResultSet, after: &ResultSet) -> Vec<AskedChange> {
    let mut changes = Vec::new();
    if before.wordline != after.wordline {
        changes.push(AskedChange {
            what: "wordline".to_owned(),
            before: Some(before.wordline.clone()),
            after: Some(after.wordline.clone()),
        });
    }
    let settings = |document: &ResultSet| {
        let mut leaves = BTreeMap::new();
        if let Ok(value) = serde_json::to_value(&document.experiment) {
            collect(String::new(), &value, &mut leaves);
        }
        leaves
    };
    changes.extend(differing(&settings(before), &settings(after)));
    let figures = |document: &ResultSet| -> BTreeMap<String, String> {
        let figures = document.figures.iter();
        figures
            .map(|one| (format!("{}: {}", one.sheet, one.figure), one.value.clone()))
            .collect()
    };
    let (old, new) = (figures(before), figures(after));
    // A sheet that one document alone used is another target, which the settings say.
    let in_both = differing(&old, &new).filter(|one| one.before.is_some() && one.after.is_some());
    changes.extend(in_both);
    changes
}

fn differing<'a>(
    before: &'a BTreeMap<String, String>,
    after: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = AskedChange> + 'a {
    let gone_or_other = before.iter().filter_map(|(what, old)| {
        let new = after.get(what);
        (new != Some(old)).then(|| AskedChange {
            what: what.clone(),
            before: Some(old.clone()),
            after: new.cloned(),
        })
    });
    let new = after.iter().filter(|(what, _)| !before.contains_key(*what));
    gone_or_other.chain(new.map(|(what, new)| AskedChange {
        what: what.clone(),
        before: None,
        after: Some(new.clone()),
    }))
}

/// The leaves of a value, each by its dotted path.
fn collect(path: String, value: &Value, leaves: &mut BTreeMap<String, String>) {
    let below = |name: &str| match path.is_empty() {
        true => name.to_owned(),
        false => format!("{path}.{name}"),
    };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(below(name), value, leaves);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (index, item) in items.iter().enumerate() {
                collect(below(&index.to_string()), item, leaves);
            }
        }
        Value::Array(items) => {
            let words = items.iter().map(|item| match item {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            leaves.insert(path, words.collect::<Vec<_>>().join(", "));
        }
        Value::String(text) => {
            leaves.insert(path, text.clone());
        }
        other => {
            leaves.insert(path, other.to_string());
        }
    }
}

#[cfg(test)]
mod tests;
