//! The first screen: the answer, what it costs, the runner-up, what it rests on, and a short table, in 24 lines of 100
//! columns.
//!
//! A [`FirstScreen`] is data: its [`DecisionCard`] goes into JSON as it is, the terminal, Markdown and HTML lay it out. A view makes
//! its own; of a view that has none the first sentences and the first table stand for it.

use std::collections::HashMap;

use wordline_core::ResultSet;
use wordline_core::results::{CardPoint, CardSubject, CautionCount, DecisionCard, WarningCode};

use crate::format::Style;
use crate::grid::Grid;
use crate::view::Shown;
use crate::{notes, table, text};

/// Lines and columns of the first screen.
const LINES: usize = 24;
const COLUMNS: u16 = 100;

/// The most lines of the table, and the fewest that are worth one.
const ROWS_MOST: usize = 8;
const ROWS_LEAST: usize = 2;

/// The most kinds of caution that get a line of their own.
const CAUTIONS: usize = 3;

/// Sentences that stand below the first one where a view makes no card.
const FINDINGS: usize = 4;

/// What people see first of a document.
#[derive(Debug, Default)]
pub struct FirstScreen {
    /// The answer with its points, ranking and cautions.
    pub answer: DecisionCard,
    /// Columns that decide, the most important first; those that do not fit are left out from the right.
    pub table: Option<Grid>,
    /// What the lines of the table are, where it does not hold all: "candidates".
    pub of: &'static str,
    /// A curve in characters, for a terminal.
    pub plot: Option<String>,
}

impl FirstScreen {
    pub(crate) fn of(shown: &Shown<'_>) -> Self {
        let document = shown.pivot.document;
        let own = shown.view.card.map(|card| card(&shown.pivot));
        let mut card = own.unwrap_or_else(|| Self::of_sentences(shown));
        card.answer.cautions = cautions(document);
        clean(&mut card.answer);
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
fn cautions(document: &ResultSet) -> Vec<CautionCount> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for warning in &document.warnings {
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
    let incomplete = notes::incomplete(shown.pivot.document);
    let page = "   page with plots: --export page.html";
    FirstScreen::of(shown).lay_out(incomplete.as_deref(), page, style)
}

impl FirstScreen {
    /// Lays it out in 24 lines of at most 100 columns; fewer where the style says so. `incomplete` says that a run was cut
    /// short, `page` where else to look, after the flags that show more.
    #[must_use]
    pub fn lay_out(self, incomplete: Option<&str>, page: &str, style: &Style) -> String {
        let width = style.width.map_or(COLUMNS, |width| width.min(COLUMNS));
        let style = &Style {
            width: Some(width),
            ..*style
        };
        let sentence = Some(self.answer.sentence.as_str()).filter(|text| !text.is_empty());
        let head = incomplete.into_iter().chain(sentence);
        let head = head.map(|text| table::bold(&text::wrap(text, style.width), style));
        let head = head.collect::<Vec<_>>().join("\n");
        let points = points(&self.answer.points, width).join("\n");
        let tail = cautions_lines(&self.answer.cautions, width).join("\n");
        let mut blocks = vec![head, points];
        blocks.retain(|block| !block.is_empty());
        let lines = |block: &str| block.lines().count() + usize::from(!block.is_empty());
        // The last line says where to read more.
        let taken: usize = blocks.iter().map(|block| lines(block)).sum();
        let mut rest = LINES.saturating_sub(taken + lines(&tail) + 1);
        if let Some(plot) = self.plot.filter(|plot| lines(plot) < rest) {
            rest -= lines(&plot);
            blocks.push(plot);
        }
        let mut left_out = 0;
        if let Some(grid) = self.table.filter(|grid| !grid.rows().is_empty()) {
            // The heading, its rule, and the line that sets the table apart.
            let room = rest.saturating_sub(3);
            let all = grid.rows().len();
            let rows = all.min(ROWS_MOST).min(room).max(ROWS_LEAST.min(all));
            left_out = all - rows;
            blocks.push(table::short(&grid, rows, width, style));
        }
        blocks.extend((!tail.is_empty()).then_some(tail));
        let rest = match left_out {
            0 => "everything".to_owned(),
            some => format!("{some} more {}", self.of),
        };
        let more = format!("reasons: --explain   {rest}: --all{page}");
        blocks.push(text::wrap(&more, style.width));
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
        let line = format!("caution: {} x {}", one.count, one.text);
        text::wrap(&line, Some(width))
    });
    let others = &cautions[shown..];
    let more: usize = others.iter().map(|one| one.count).sum();
    let rest = (!others.is_empty())
        .then(|| format!("caution: {more} more of {} other kinds", others.len()));
    lines.chain(rest).collect()
}
