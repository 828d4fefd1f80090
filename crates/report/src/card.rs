//! The first screen: the answer, what it costs, the runner-up, what it rests on, and a short table, in 24 lines of 100
//! columns.
//!
//! A [`FirstScreen`] is data: its [`DecisionCard`] goes into JSON as it is, the terminal, Markdown and HTML lay it out. A view makes
//! its own; of a view that has none the first sentences and the first table stand for it.

use std::collections::HashMap;

use wordline_core::results::{
    CardPoint, CardSubject, CautionCount, DecisionCard, RankedChoice, Warning, WarningCode,
};
use wordline_core::{Basis, Metric, ResultSet};

use crate::curve::TerminalPlot;
use crate::format::{Detail, Style};
use crate::grid::Grid;
use crate::view::Shown;
use crate::{notes, table, text};

/// Lines and columns of the first screen.
const LINES: usize = 24;
const COLUMNS: u16 = 100;

/// The most lines of the table, and the fewest that are worth one.
const ROWS_MOST: usize = 8;
const ROWS_LEAST: usize = 2;

/// Lines of a table beside its rows: names, a rule, and an empty one after it.
const TABLE_HEADING: usize = 3;

/// The most kinds of caution that get a line of their own.
const CAUTIONS: usize = 3;

/// Sentences that stand below the first one where a view makes no card.
const FINDINGS: usize = 4;

/// What people see first of a document.
#[derive(Default)]
pub struct FirstScreen {
    /// The answer with its points, ranking and cautions.
    pub(crate) answer: DecisionCard,
    /// Columns that decide, the most important first; those that do not fit are left out from the right.
    pub(crate) table: Option<Grid>,
    /// What the lines of the table are, where it does not hold all: "candidates".
    pub(crate) of: &'static str,
    /// Curves in characters, for a terminal.
    pub(crate) plot: Option<TerminalPlot>,
}

impl FirstScreen {
    /// A screen without curves.
    #[must_use]
    pub fn new(answer: DecisionCard, table: Option<Grid>, of: &'static str) -> Self {
        Self {
            answer,
            table,
            of,
            plot: None,
        }
    }

    pub(crate) fn of(shown: &Shown<'_>) -> Self {
        let document = shown.pivot.document;
        let own = shown.view.card.map(|card| card(&shown.pivot));
        let mut card = own.unwrap_or_else(|| Self::of_sentences(shown));
        card.answer.cautions = cautions(document.warnings.iter());
        if card.answer.take.is_none() {
            card.answer.points.splice(0..0, failure(document));
        }
        clean(&mut card.answer);
        if !document.complete {
            // What is missing may turn it.
            card.answer.take = None;
            let sentence = &mut card.answer.sentence;
            let so_far = sentence.strip_prefix("Take ").unwrap_or(sentence);
            *sentence = format!("Not decided yet; so far: {so_far}");
        }
        card
    }

    /// The first sentences and the first table of a view.
    fn of_sentences(shown: &Shown<'_>) -> Self {
        let mut sentences = shown.findings().into_iter();
        let sentence = sentences.next().unwrap_or_default();
        let points = sentences.take(FINDINGS);
        let points = points.map(|one| CardPoint::words(CardSubject::Finding, one));
        let tables = shown.lead(Some(COLUMNS)).into_iter();
        let mut tables = tables.chain(shown.tables(Some(COLUMNS)));
        Self {
            answer: DecisionCard {
                sentence,
                points: points.collect(),
                ..DecisionCard::default()
            },
            table: tables.next(),
            of: "lines",
            plot: None,
        }
    }
}

/// One of the things that were compared, by the value of a metric.
pub(crate) fn choice(name: impl Into<String>, metric: Metric, value: Option<f64>) -> RankedChoice {
    RankedChoice {
        name: name.into(),
        standing: None,
        limit: None,
        metric: Some(metric),
        value,
        margin: None,
    }
}

/// How many figures behind a document no source states, and the first of the weakest.
pub(crate) fn foundation(document: &ResultSet) -> Option<CardPoint> {
    let weakest_first = [Basis::Assumed, Basis::Estimated, Basis::Calibrated];
    let of = |basis: Basis| {
        document
            .figures
            .iter()
            .filter(move |one| one.basis == basis)
    };
    let counts = weakest_first
        .iter()
        .map(|basis| (*basis, of(*basis).count()));
    let counts: Vec<_> = counts.filter(|(_, count)| *count > 0).collect();
    let (basis, _) = counts.first()?;
    let first = of(*basis).next()?;
    let words = counts
        .iter()
        .map(|(basis, count)| format!("{count} {basis}"));
    let words = text::list(&words.collect::<Vec<_>>());
    let all = document.figures.len();
    let text = format!("{words} of {all} figures, such as {}", first.figure);
    Some(CardPoint {
        basis: Some(*basis),
        ..CardPoint::words(CardSubject::Figures, text)
    })
}

/// Why the first run that failed did.
fn failure(document: &ResultSet) -> Option<CardPoint> {
    let mut warnings = document.warnings.iter();
    let first = warnings.find(|warning| warning.code == WarningCode::RunFailed.to_string())?;
    Some(CardPoint::words(CardSubject::Failure, &first.advice))
}

/// The answer of a document, as its JSON carries it.
#[must_use]
pub fn decision_card(document: &ResultSet) -> DecisionCard {
    FirstScreen::of(&Shown::of(document)).answer
}

/// Texts of a document are hostile: what drives a terminal is spelled out.
fn clean(answer: &mut DecisionCard) {
    answer.sentence = text::printable(&answer.sentence);
    for point in &mut answer.points {
        point.text = text::printable(&point.text);
    }
}

/// The warnings by kind: those that can turn the answer first, then the most frequent.
pub(crate) fn cautions<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Vec<CautionCount> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for warning in warnings {
        *counts.entry(&warning.code).or_default() += 1;
    }
    let kind_of = |code: &str| code.parse::<WarningCode>().ok();
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(code, count)| {
        let grave = kind_of(code).is_some_and(WarningCode::is_grave);
        (!grave, std::cmp::Reverse(*count), *code)
    });
    let kinds = all.into_iter().map(|(code, count)| CautionCount {
        code: text::printable(code),
        count,
        text: kind_of(code).map_or_else(|| text::printable(code), |kind| kind.counted().to_owned()),
    });
    kinds.collect()
}

/// The first screen of a document.
pub(crate) fn screen(shown: &Shown<'_>, style: &Style) -> String {
    let document = shown.pivot.document;
    let incomplete = notes::incomplete(document);
    let page = "   page with plots: --export page.html";
    FirstScreen::of(shown).lay_out(incomplete.as_deref(), page, style)
}

impl FirstScreen {
    /// Lays it out in 24 lines of at most 100 columns; fewer where the style says so. `incomplete` says that a run was cut
    /// short, `page` where else to look, after the flags that show more.
    #[must_use]
    pub fn lay_out(&self, incomplete: Option<&str>, page: &str, style: &Style) -> String {
        let width = style.width.map_or(COLUMNS, |width| width.min(COLUMNS));
        let style = &Style {
            width: Some(width),
            ..*style
        };
        let sentence = Some(self.answer.sentence.as_str()).filter(|text| !text.is_empty());
        let head = incomplete.into_iter().chain(sentence);
        let head = head.map(|text| table::bold(&text::wrap(text, style.width), style));
        let head = head.collect::<Vec<_>>().join("\n");
        let mut blocks = vec![head, points(&self.answer.points, width).join("\n")];
        blocks.retain(|block| !block.is_empty());
        let mut tail = cautions_lines(&self.answer.cautions, width);
        let lines = |blocks: &[String]| -> usize {
            let lines = blocks.iter().map(|block| block.lines().count());
            lines.sum()
        };
        // An empty line follows each block; the last line says where to read more.
        let taken = lines(&blocks) + blocks.len() + lines(&tail) + 1;
        let mut rest = LINES.saturating_sub(taken);
        let table = self.table.as_ref().filter(|grid| !grid.rows().is_empty());
        let least = table.map_or(0, |grid| match grid.rows().len() {
            // One line tells nothing that the points do not.
            1 => 0,
            _ => TABLE_HEADING + ROWS_LEAST,
        });
        let plot = self.plot.as_ref().filter(|_| style.plots);
        let plot = plot.and_then(|plot| plot.draw(width));
        let mut is_full = false;
        if let Some(plot) = plot.filter(|plot| plot.lines().count() + 1 + least <= rest) {
            rest -= plot.lines().count() + 1;
            is_full = rest <= TABLE_HEADING;
            blocks.push(plot);
        }
        let mut left_out = 0;
        if let Some(grid) = table.filter(|_| !is_full) {
            let all = grid.rows().len();
            // Without points the table is the answer.
            let most = if self.answer.points.is_empty() {
                LINES
            } else {
                ROWS_MOST
            };
            let rows = all.min(most).min(rest.saturating_sub(TABLE_HEADING));
            let rows = rows.max(ROWS_LEAST.min(all));
            left_out = all - rows;
            blocks.push(table::short(grid, rows, width, style));
        }
        let rest = match left_out {
            0 => "everything".to_owned(),
            some => format!("{some} more {}", self.of),
        };
        let reasons = match (style.detail, self.answer.cautions.is_empty()) {
            (Detail::Explain, _) => "",
            (_, true) => "reasons: --explain   ",
            (_, false) => "reasons and warnings: --explain   ",
        };
        let more = format!("{reasons}{rest}: --all{page}");
        tail.push(text::wrap(&more, style.width));
        blocks.push(tail.join("\n"));
        blocks.join("\n\n") + "\n"
    }
}

/// A line for each point, its subject before it.
fn points(points: &[CardPoint], width: u16) -> Vec<String> {
    let labels = points.iter().map(|point| point.subject.label());
    let widest = labels.map(|label| label.chars().count()).max();
    let indent = widest.unwrap_or(0) + 2;
    let lines = points.iter().map(|point| {
        let label = point.subject.label();
        let space = usize::from(width).saturating_sub(indent).max(20);
        let wrapped = text::wrap(&point.text, u16::try_from(space).ok());
        let text = wrapped.replace('\n', &format!("\n{:indent$}", ""));
        format!("{label:indent$}{text}")
    });
    lines.collect()
}

/// A line for each kind of caution, with its count.
fn cautions_lines(cautions: &[CautionCount], width: u16) -> Vec<String> {
    let shown = match cautions.len() {
        all if all <= CAUTIONS => all,
        _ => CAUTIONS - 1,
    };
    let lines = cautions[..shown].iter().map(|one| {
        let count = match one.count {
            1 => String::new(),
            count => format!(" ({count})"),
        };
        let line = format!("caution: {}{count}", one.text);
        text::wrap(&line, Some(width))
    });
    let others = &cautions[shown..];
    let more: usize = others.iter().map(|one| one.count).sum();
    let rest =
        (!others.is_empty()).then(|| format!("caution: {} other kinds ({more})", others.len()));
    lines.chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, fixture, render};

    fn told(document: &ResultSet, width: u16, plots: bool) -> String {
        let style = Style {
            width: Some(width),
            detail: Detail::Answer,
            plots,
            ..Style::default()
        };
        screen(&Shown::of(document), &style)
    }

    #[test]
    fn every_card_fits_24_lines_of_100_columns_and_begins_with_its_sentence() {
        for (name, document) in fixture::all() {
            for plots in [false, true] {
                let text = told(&document, COLUMNS, plots);
                let lines: Vec<&str> = text.lines().collect();
                assert!(
                    lines.len() <= LINES,
                    "{name}: {} lines\n{text}",
                    lines.len()
                );
                let widest = lines.iter().map(|line| line.chars().count()).max();
                assert!(widest <= Some(100), "{name}: {widest:?}\n{text}");
                let sentence = decision_card(&document).sentence;
                assert!(!sentence.is_empty(), "{name}");
                assert_eq!(
                    decision_card(&document).sentence,
                    text::printable(&sentence)
                );
                let first = text::wrap(&sentence, Some(COLUMNS));
                assert!(
                    first.lines().count() <= 3 && text.starts_with(&first),
                    "{name}\n{text}"
                );
            }
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_unless_a_single_word_is() {
        for (name, document) in fixture::all() {
            let card = FirstScreen::of(&Shown::of(&document));
            for width in (40..=200_u16).step_by(7) {
                for plots in [false, true] {
                    let style = Style {
                        width: Some(width),
                        plots,
                        ..Style::default()
                    };
                    let text = card.lay_out(None, "", &style);
                    let most = usize::from(width.min(COLUMNS));
                    for line in text.lines().filter(|line| line.chars().count() > most) {
                        // A point's label stands before its first word.
                        let label = CardSubject::ALL.iter().map(|one| one.label());
                        let label = label
                            .filter(|label| line.starts_with(label))
                            .max_by_key(|label| label.len());
                        let rest = line.trim_start_matches(label.unwrap_or_default()).trim();
                        assert!(!rest.contains(' '), "{name}, {width}: {line:?}\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_script_reads_the_answer_in_json() {
        for (name, document) in fixture::all() {
            let json = render(&document, Format::Json, &Style::default());
            let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            let answer = value.get("answer").cloned().expect("an answer");
            let read: DecisionCard = serde_json::from_value(answer).expect("a card");
            let own = decision_card(&document);
            assert_eq!(read.sentence, own.sentence, "{name}");
            assert_eq!(read.take, own.take, "{name}");
            assert_eq!(read.points.len(), own.points.len(), "{name}");
            assert_eq!(read.ranking.len(), own.ranking.len(), "{name}");
            for point in read.points.iter().filter(|point| point.metric.is_some()) {
                assert!(
                    point.unit.is_some() && point.basis.is_some(),
                    "{name}: {point:?}"
                );
            }
        }
    }

    #[test]
    fn plots_stand_where_the_terminal_shows_them_alone() {
        let document = fixture::dram_loaded();
        let is_dots = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
        assert!(told(&document, COLUMNS, true).contains(is_dots));
        assert!(!told(&document, COLUMNS, false).contains(is_dots));
    }
}
