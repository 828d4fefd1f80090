//! One self-contained HTML page: sentences, tables and plots, which works without a network.
//!
//! Everything from a document is hostile text. The templates escape it, data goes into the page as
//! JSON that cannot end its element, and a content security policy lets only the inlined scripts
//! run, each by the hash of its text. The plots' expressions are interpreted, so that nothing is
//! evaluated as code.

pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod chart;
mod origin;
pub(crate) mod plot;
mod script;
mod values;
pub(crate) mod why;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use wordline_core::ResultSet;

use crate::grid::{Align, Column, Grid};
use crate::view::{self, Shown};
use crate::{notes, text};
use plot::Plot;
use script::Scripts;

/// What the page's template shows. Fields that end in `_html` are escaped already.
#[derive(Serialize)]
struct HtmlPage {
    title: String,
    policy: &'static str,
    style: &'static str,
    /// Tables before the sentences.
    lead_html: Vec<String>,
    answers: Vec<String>,
    incomplete: Option<String>,
    warnings: Vec<HtmlWarning>,
    /// How many there are in all.
    warned: usize,
    results_html: Vec<String>,
    /// Whether plots show more than the tables, and come before them.
    plots_first: bool,
    plots: Vec<Plot>,
    why: why::TimeBreakdown,
    origin: origin::FigureOrigin,
    command: String,
    wordline: String,
    seed: u64,
    timing: String,
    age: String,
    /// Every value of the document.
    values_html: Vec<String>,
    document_json: String,
    plots_json: String,
    scripts: &'static [String],
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
    let (plots, why) = (shown.plots(), shown.why());
    let values = match shown.view.by_series {
        true => values::by_series(&shown.pivot),
        false => vec![values::grid(document)],
    };
    let specs: Vec<_> = plots.iter().chain(&why.plots).map(Plot::spec).collect();
    let scripts = Scripts::inlined();
    let page = HtmlPage {
        title: title(document),
        policy: scripts.policy(),
        style: include_str!("style.css"),
        lead_html: shown.lead(None).iter().map(grid).collect(),
        answers: shown.sentences().iter().map(|one| unbroken(one)).collect(),
        incomplete: notes::incomplete(document),
        warnings: warnings(document),
        warned: document.warnings.len(),
        results_html: shown.tables(None).iter().map(grid).collect(),
        plots_first: shown.view.plots_first,
        plots_json: script::json(&specs),
        plots,
        why,
        origin: origin::section(document),
        command: text::printable(&document.command_line()),
        wordline: text::printable(&document.wordline),
        seed: document.experiment.seed,
        timing: timings(document),
        age: document.experiment.age.to_string(),
        values_html: values.iter().map(grid).collect(),
        document_json: script::json(document),
        scripts: scripts.texts(),
    };
    fill("page.html", include_str!("page.html"), &page)
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

/// A sentence in which no line breaks between a number and its percent sign.
fn unbroken(sentence: &str) -> String {
    sentence.replace(" %", "\u{a0}%")
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
