//! One self-contained HTML page, which works without a network: the answer, a plot and a short table on
//! the first screen; everything else in tabs, which the page's script builds when they are opened.
//!
//! Everything from a document is hostile text. The templates escape it, the script sets it as text, data
//! go into the page deflated and in base64, and a content security policy lets only the page's own script
//! run, by the hash of its text.

pub(crate) mod bars;
pub(crate) mod chart;
pub(crate) mod explore;
pub(crate) mod heat;
mod origin;
mod overlay;
pub(crate) mod plot;
mod script;
mod tables;
mod values;
pub(crate) mod why;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use wordline_core::ResultSet;
use wordline_core::results::CardPoint;

use crate::card::FirstScreen;
use crate::grid::{Align, Column, Grid};
use crate::view::{self, Shown};
use crate::{notes, text};
use explore::Exploration;
pub(crate) use overlay::{OverlayPage, overlay};
use plot::Plot;
use script::PageScript;
pub use tables::{ComparedValue, TablePage};

/// Lines of the short table where it is a table of a view; the tab of the figures has all.
const SHORT: usize = 40;

/// What the page's template shows. Fields that end in `_html` are escaped already.
#[derive(Serialize)]
struct HtmlPage {
    title: String,
    policy: &'static str,
    style: &'static str,
    wordline: String,
    /// The answer.
    sentence: String,
    question: String,
    /// What else to know at once.
    points: Vec<HtmlPoint>,
    incomplete: Option<String>,
    warnings: Vec<HtmlWarning>,
    /// How many there are in all.
    warned: usize,
    /// Whether its question can be moved.
    explores: bool,
    short_html: Option<String>,
    /// How many lines the short table leaves out, in words.
    short_more: Option<String>,
    drawn: bool,
    why: why::TimeBreakdown,
    /// The sentences that do not stand beside the plot.
    words: Vec<String>,
    has_figures: bool,
    has_values: bool,
    origin: Option<origin::FigureOrigin>,
    command: String,
    /// What besides the command identifies the run.
    facts: Vec<(&'static str, String)>,
    data: String,
    document: Option<String>,
    script: &'static str,
}

/// What the page's script builds plots and tables from.
#[derive(Default, Serialize)]
struct PageData {
    curves: Vec<Plot>,
    causes: Vec<Plot>,
    figures: Vec<TableData>,
    evidence: Vec<TableData>,
    values: Vec<TableData>,
    exploration: Option<Exploration>,
    /// Name of the file in which the document is saved.
    file: String,
}

/// A grid as data.
#[derive(Serialize)]
struct TableData {
    title: String,
    columns: Vec<String>,
    /// Which of them lean right.
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl TableData {
    fn of(grid: &Grid) -> Self {
        let columns = grid.columns().iter();
        let rows = grid.rows().iter();
        Self {
            title: text::printable(grid.title()),
            columns: columns
                .clone()
                .map(|one| text::printable(&one.name))
                .collect(),
            right: columns.map(|one| one.align == Align::Right).collect(),
            rows: rows
                .map(|row| row.iter().map(|cell| text::printable(cell)).collect())
                .collect(),
        }
    }

    fn all_of(grids: &[Grid]) -> Vec<Self> {
        grids.iter().map(Self::of).collect()
    }
}

/// Warnings of a kind: one, or several that fold.
#[derive(Serialize)]
struct HtmlWarning {
    code: String,
    first: String,
    /// All of them, where there are several.
    advice: Vec<String>,
}

pub(crate) fn results(document: &ResultSet) -> String {
    let shown = Shown::of(document);
    let why = shown.why();
    let values = match shown.view.by_series {
        true => values::by_series(&shown.pivot),
        false => vec![values::grid(document)],
    };
    let exploration = shown.view.explore.and_then(|of| of(&shown.pivot));
    let mut figures = shown.lead(None);
    figures.extend(shown.tables(None));
    let short = match &exploration {
        Some(exploration) => Some(exploration.table.clone()),
        None => figures.first().map(|first| first.first_rows(SHORT)),
    };
    let all = figures.first().map_or(0, |first| first.rows().len());
    let more = exploration.is_none() && all > SHORT;
    let first = FirstScreen::of(&shown);
    let (evidence, origin) = origin::section(document);
    let data = PageData {
        curves: shown.plots(),
        causes: why.plots.clone(),
        figures: TableData::all_of(&figures),
        evidence: TableData::all_of(&evidence),
        values: TableData::all_of(&values),
        exploration,
        file: format!("{}.json", document.experiment.workload.name()),
    };
    let page = HtmlPage {
        question: data
            .exploration
            .as_ref()
            .map_or_else(String::new, |one| one.words.clone()),
        sentence: match first.answer.sentence.as_str() {
            "" => "The document holds no results.".to_owned(),
            sentence => text::unbroken(sentence),
        },
        points: HtmlPoint::all_of(&first.answer.points),
        words: shown
            .sentences()
            .iter()
            .map(|one| text::unbroken(one))
            .collect(),
        incomplete: notes::incomplete(document),
        warnings: warnings(document),
        warned: document.warnings.len(),
        explores: data.exploration.is_some(),
        short_html: short.map(|short| grid(&short)),
        short_more: more
            .then(|| format!("The first {SHORT} of {all} lines; the tab Figures has all.")),
        drawn: !data.curves.is_empty(),
        why,
        has_figures: true,
        has_values: true,
        origin: Some(origin),
        command: text::printable(&document.command_line()),
        facts: vec![
            ("seed", document.experiment.seed.to_string()),
            ("timing", timings(document)),
            (
                "age",
                format!("{} of the rated life used", document.experiment.age),
            ),
        ],
        document: Some(script::packed(document)),
        ..HtmlPage::new(title(document), &document.wordline, &data)
    };
    page.fill()
}

/// A point of the answer, its subject before it.
#[derive(Serialize)]
struct HtmlPoint {
    label: String,
    text: String,
}

impl HtmlPoint {
    /// Words without a subject.
    fn plain(words: &str) -> Self {
        Self {
            label: String::new(),
            text: text::printable(words),
        }
    }

    fn all_of(points: &[CardPoint]) -> Vec<Self> {
        let point = |one: &CardPoint| Self {
            label: one.subject.label().to_owned(),
            text: text::unbroken(&one.text),
        };
        points.iter().map(point).collect()
    }
}

impl HtmlPage {
    /// A page that says nothing yet.
    fn new(title: String, wordline: &str, data: &PageData) -> Self {
        let script = PageScript::inlined();
        Self {
            title,
            policy: &script.policy,
            style: include_str!("style.css"),
            wordline: text::printable(wordline),
            sentence: String::new(),
            question: String::new(),
            points: Vec::new(),
            incomplete: None,
            warnings: Vec::new(),
            warned: 0,
            explores: false,
            short_html: None,
            short_more: None,
            drawn: false,
            why: why::TimeBreakdown::default(),
            words: Vec::new(),
            has_figures: false,
            has_values: false,
            origin: None,
            command: String::new(),
            facts: Vec::new(),
            data: script::packed(data),
            document: None,
            script: &script.text,
        }
    }

    fn fill(&self) -> String {
        fill("page.html", include_str!("page.html"), self)
    }
}

/// A grid as a table that scrolls inside its own container on a narrow screen.
pub(crate) fn grid(grid: &Grid) -> String {
    #[derive(Serialize)]
    struct Context {
        title: String,
        columns: Vec<HtmlCell>,
        rows: Vec<Vec<HtmlCell>>,
    }
    let columns = grid.columns();
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().zip(columns).enumerate();
        let cells = cells.map(|(index, (text, column))| HtmlCell {
            whole: is_whole(text, index < grid.keys()),
            ..HtmlCell::new(text, column)
        });
        cells.collect()
    };
    let context = Context {
        title: text::printable(grid.title()),
        columns: columns
            .iter()
            .map(|column| HtmlCell::new(&column.name, column))
            .collect(),
        rows: grid.rows().iter().map(row).collect(),
    };
    fill("grid.html", include_str!("grid.html"), &context)
}

/// What stands between numbers side by side.
const BESIDE: &str = " / ";

/// Whether a text of a cell is so short that it stays on one line: a word, or what identifies a row, such as the name
/// of a module. Names of targets may break.
fn is_whole(text: &str, is_key: bool) -> bool {
    let most = if is_key { 24 } else { 12 };
    text.chars().count() <= most && !text.contains('@')
}

/// A cell of a table, and whether it leans right.
#[derive(Serialize)]
struct HtmlCell {
    text: String,
    /// Further lines: numbers that stand side by side elsewhere stand one above the other here.
    more: Vec<String>,
    right: bool,
    /// Whether it stays on one line.
    whole: bool,
}

impl HtmlCell {
    fn new(text: &str, column: &Column) -> Self {
        let right = column.align == Align::Right;
        let mut lines = match text.contains(BESIDE) && right {
            true => text.split_inclusive(BESIDE).map(text::printable).collect(),
            false => vec![text::printable(text)],
        };
        let more = lines.split_off(1.min(lines.len()));
        Self {
            text: lines.concat(),
            more,
            right,
            whole: false,
        }
    }
}

/// Fills a template; its name makes the engine escape for HTML.
fn fill(name: &str, template: &str, context: &impl Serialize) -> String {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    match syntax() {
        Ok(syntax) => engine.set_syntax(syntax),
        Err(error) => unreachable!("the usual delimiters are valid: {error}"),
    }
    match engine.render_named_str(name, template, Serde(context)) {
        Ok(text) => text,
        Err(error) => unreachable!("the template and its context are made for each other: {error}"),
    }
}

/// Lines that hold only a tag leave nothing behind.
fn syntax() -> Result<SyntaxConfig, minijinja::Error> {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
}

/// What was run on what, as far as a heading holds it.
fn title(document: &ResultSet) -> String {
    let of_rows = document.rows.iter().map(|row| row.target.as_str());
    // What did not even run was judged all the same.
    let judged = document.verdicts.iter();
    let of_rows = of_rows.chain(judged.map(|verdict| verdict.target.as_str()));
    let asked = document.experiment.targets.iter().map(String::as_str);
    let mut seen = HashSet::new();
    let mut targets: Vec<&str> = of_rows.filter(|target| seen.insert(*target)).collect();
    if targets.is_empty() {
        targets.extend(asked);
    }
    let workload = view::workload(document);
    let workload = workload.unwrap_or(document.experiment.workload.name());
    let what = match targets.as_slice() {
        [] => "no target".to_owned(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        many => format!("{} targets", many.len()),
    };
    text::printable(&format!("wordline {workload}: {what}"))
}

/// The timing classes that were run.
fn timings(document: &ResultSet) -> String {
    let timings = document.experiment.timings.iter();
    let names: Vec<_> = timings.map(|timing| timing.name()).collect();
    names.join(" and ")
}

fn warnings(document: &ResultSet) -> Vec<HtmlWarning> {
    let note = |warned: &notes::Warned<'_>| {
        let several = warned.advice.len() > 1;
        let all = warned.advice.iter().filter(|_| several);
        HtmlWarning {
            code: text::printable(warned.code),
            first: text::printable(&warned.first()),
            advice: all.map(|advice| text::printable(advice)).collect(),
        }
    };
    notes::warnings(document).iter().map(note).collect()
}
