//! `wordline reproduce`.

mod card;
mod page;
mod words;

use std::time::Duration;

use serde::Serialize;
use wordline_catalog::Catalog;
use wordline_core::quantity::{Quantity as _, human};
use wordline_lab::Control;
use wordline_lab::published::{Allowed, Kind, Published, Use, Value, keys, published};
use wordline_lab::reproduce::{
    Comparison, ExplainedShare, Headline, Options, Reproduced, ReproducedBand, Reproduction, Score,
    Tally, Verdict,
};
use wordline_report::{Column, Detail, Format, Grid, Style};

use crate::args::{Global, Reproduce};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::progress::Bar;
use words::{allowed, compared};

/// The tables, each with the kind and the uses of its values: a calibration that is met must never pass for a
/// prediction, nor what could hardly miss.
const TABLES: [(Kind, &[Use], &str); 7] = [
    (Kind::Predicted, &[Use::Predicted], "Predictions"),
    (
        Kind::Assumed,
        &[Use::Assumed],
        "Computed from assumed figures",
    ),
    (Kind::Calibrated, &[Use::Calibrated], "Calibrations"),
    (
        Kind::Consistency,
        &[Use::Predicted, Use::Assumed],
        "Consistency: identities, arithmetic and wide bands",
    ),
    (
        Kind::Consistency,
        &[Use::Datasheet],
        "Data-sheet figures, copied by both",
    ),
    (
        Kind::Consistency,
        &[Use::Copied],
        "Figures that our sheets have from this document",
    ),
    (
        Kind::Consistency,
        &[Use::Theory],
        "The theory of buffers on stated accesses, without a model of a memory",
    ),
];

pub(crate) fn run(reproduce: &Reproduce, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::new(&reproduce.export)?;
    let catalog = super::catalog(global)?;
    let read = |key: &str| document(&catalog, key);
    let mut documents: Vec<_> = match &reproduce.key {
        Some(key) => vec![read(key)?],
        None => keys().map(read).collect::<Result<_, _>>()?,
    };
    keep(&mut documents, &reproduce.only)?;
    if reproduce.list {
        let grid = match (&reproduce.key, documents.as_slice()) {
            (Some(_), [document]) => values(document),
            _ => list(&documents),
        };
        exports.write_text(global, |format, style| match format {
            Format::Html => page::list(&grid, reproduce),
            _ => grid.render(format, style),
        })?;
        return Ok(Outcome::Done);
    }
    if let Some(budget) = reproduce.budget {
        interrupt::stop_after(Duration::from_secs_f64(budget.si()));
    }
    let format = Format::from(global.format);
    let mut printed = PrintedDocuments::new(format, reproduce.export.detail());
    let reproduction = {
        let bar = Bar::new(global.quiet);
        let show = |progress: wordline_lab::Progress<'_>| bar.show(&progress);
        let stop = interrupt::listen();
        let control = Control {
            stop: Some(&stop),
            progress: Some(&show),
            budget: reproduce
                .budget
                .map(|time| Duration::from_secs_f64(time.si())),
            ..Control::default()
        };
        let options = Options {
            bands: !reproduce.no_band,
        };
        let several = documents.len() > 1;
        let mut ended = |document: &Reproduced| {
            if printed.is_streamed() {
                bar.beside(|| printed.print(document));
            } else if several && !global.quiet {
                let headline = headline(&document.headline);
                bar.say(&format!("{}: {headline}", document.document));
            }
        };
        wordline_lab::reproduce(&catalog, &documents, options, &control, &mut ended)
    };
    let written = exports.write_files(global, |format, style| match format {
        Format::Html => page::page(&reproduction, reproduce),
        _ => render(&reproduction, format, style),
    });
    printed.finish(&reproduction)?;
    written?;
    Ok(outcome(&reproduction, interrupt::heard()))
}

/// What is on stdout already: text is printed document by document, as each ends. Data are one object, and printed last.
struct PrintedDocuments {
    format: Format,
    style: Style,
    count: usize,
    failure: Option<Failure>,
}

impl PrintedDocuments {
    fn new(format: Format, detail: Detail) -> Self {
        Self {
            format,
            style: Style {
                detail,
                ..output::style()
            },
            count: 0,
            failure: None,
        }
    }

    /// Whether each document is printed whole as it ends.
    fn is_streamed(&self) -> bool {
        match self.format {
            Format::Table => self.style.detail == Detail::All,
            format => format == Format::Markdown,
        }
    }

    fn print(&mut self, document: &Reproduced) {
        let apart = if self.count > 0 { "\n" } else { "" };
        self.count += 1;
        self.data(&(apart.to_owned() + &section(document, self.format, &self.style)));
    }

    fn data(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = output::data(text).err();
        }
    }

    /// Prints what is missing: a document that was interrupted, and the totals.
    fn finish(mut self, reproduction: &Reproduction) -> Result<(), Failure> {
        if !self.is_streamed() {
            return output::data(&render(reproduction, self.format, &self.style));
        }
        for document in reproduction.documents.iter().skip(self.count) {
            self.print(document);
        }
        let totals = totals(reproduction);
        let first = is_of_several(reproduction).then(|| headline(&reproduction.headline) + "\n");
        for block in first.into_iter().chain(totals) {
            self.data(&format!("\n{block}"));
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// A listed miss is known, and no failure.
fn outcome(reproduction: &Reproduction, interrupted: bool) -> Outcome {
    if !reproduction.complete && interrupted {
        Outcome::Interrupted
    } else if reproduction.pass {
        Outcome::Done
    } else {
        Outcome::CheckFailed
    }
}

fn document(catalog: &Catalog, key: &str) -> Result<Published, Failure> {
    published(catalog, key).ok_or_else(|| {
        let near = wordline_core::nearest(key, keys());
        let hint = match near.as_slice() {
            [] => "`wordline reproduce --list` names them".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        failure::message(format!("unknown document {key:?}; {hint}"))
    })
}

/// Keeps the values that are asked for, and the documents that have some.
fn keep(documents: &mut Vec<Published>, only: &[String]) -> Result<(), Failure> {
    if only.is_empty() {
        return Ok(());
    }
    let only: Vec<_> = only.iter().map(|text| text.to_lowercase()).collect();
    for document in &mut *documents {
        document.value.retain(|value| {
            let citation = value.citation.to_lowercase();
            only.iter().any(|text| citation.contains(text))
        });
    }
    documents.retain(|document| !document.value.is_empty());
    if documents.is_empty() {
        return Err(failure::message(format!(
            "--only {}: no citation has it; --list with a document's key shows them",
            only.join(", ")
        )));
    }
    Ok(())
}

/// The documents, with how many values each has.
fn list(documents: &[Published]) -> Grid {
    let mut columns = vec![Column::left("document"), Column::left("title")];
    let counts = [
        "values",
        "predicted",
        "assumed",
        "calibrated",
        "datasheet",
        "copied",
        "theory",
        "consistency",
    ];
    columns.extend(counts.map(Column::right));
    let mut grid = Grid::new("", columns);
    for document in documents {
        let count = |counts: &dyn Fn(&Value) -> bool| {
            let values = document.value.iter();
            values.filter(|value| counts(value)).count().to_string()
        };
        let kind = |kind: Kind| count(&|value| value.kind() == kind);
        let used = |r#use: Use| count(&|value| value.r#use == r#use);
        let mut row = vec![document.key.clone(), document.title.clone()];
        row.push(document.value.len().to_string());
        row.extend([Kind::Predicted, Kind::Assumed, Kind::Calibrated].map(kind));
        row.extend([Use::Datasheet, Use::Copied, Use::Theory].map(used));
        row.push(kind(Kind::Consistency));
        grid.push(row);
    }
    grid
}

/// What is known of a document's values before anything runs.
fn values(document: &Published) -> Grid {
    let columns = [
        "citation",
        "ours to compare",
        "published",
        "allowed",
        "use",
        "listed miss",
        "needs",
        "kind",
        "because",
    ];
    let mut grid = Grid::new("", columns.map(Column::left).into());
    for value in &document.value {
        grid.push([
            value.citation.clone(),
            compared(&value.of, value.over.as_ref(), &document.target),
            value.text.clone(),
            allowed(value.allowed, value.unit),
            value.r#use.name().to_owned(),
            value.miss.clone().unwrap_or_default(),
            value
                .needs
                .as_ref()
                .map_or_else(String::new, |needs| needs.what.clone()),
            value.kind().name().to_owned(),
            value.consistency().unwrap_or_default(),
        ]);
    }
    grid
}

fn render(reproduction: &Reproduction, format: Format, style: &Style) -> String {
    match format {
        Format::Json => json(reproduction),
        Format::Csv => rows(reproduction).csv(),
        Format::Table if style.detail != Detail::All => first_screen(reproduction, style),
        Format::Table | Format::Markdown | Format::Html => text(reproduction, format, style),
    }
}

fn json(reproduction: &Reproduction) -> String {
    /// What stands at the head of the document.
    #[derive(Serialize)]
    struct Document<'a> {
        wordline: &'a str,
        #[serde(flatten)]
        reproduction: &'a Reproduction,
    }
    let document = Document {
        wordline: env!("CARGO_PKG_VERSION"),
        reproduction,
    };
    match serde_json::to_string_pretty(&document) {
        Ok(text) => text + "\n",
        Err(error) => unreachable!("plain data with text keys serialises: {error}"),
    }
}

/// Every value as a row of numbers in SI units.
fn rows(reproduction: &Reproduction) -> Grid {
    let columns = [
        "document",
        "use",
        "citation",
        "compared",
        "published_text",
        "published",
        "tolerance",
        "at_least",
        "at_most",
        "value",
        "difference",
        "unit",
        "verdict",
        "reason",
        "problem",
        "band_low",
        "band_median",
        "band_high",
        "band_draws",
        "band_explained",
        "kind",
        "because",
        "relative_error",
    ];
    let mut grid = Grid::new("", columns.map(Column::left).into());
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    for document in &reproduction.documents {
        for row in &document.rows {
            let (tolerance, at_least, at_most) = match row.allowed {
                Allowed::Within { tolerance } => (Some(tolerance), None, None),
                Allowed::Between { at_least, at_most } => (None, at_least, at_most),
            };
            let band = row.band.as_ref();
            let of_band = |of: fn(&ReproducedBand) -> f64| number(band.map(of));
            let explained = band.map_or_else(String::new, |band| explained(&band.explained));
            grid.push([
                document.document.clone(),
                row.r#use.name().to_owned(),
                row.citation.clone(),
                compared(&row.of, row.over.as_ref(), &document.target),
                row.published_text.clone(),
                number(row.published),
                number(tolerance),
                number(at_least),
                number(at_most),
                number(row.value),
                number(row.difference),
                row.unit.to_owned(),
                row.verdict.words().to_owned(),
                row.reason.clone().unwrap_or_default(),
                row.problem.clone().unwrap_or_default(),
                of_band(|band| band.low),
                of_band(|band| band.median),
                of_band(|band| band.high),
                of_band(|band| band.draws as f64),
                explained,
                row.kind.name().to_owned(),
                row.because.clone().unwrap_or_default(),
                number(row.relative_error),
            ]);
        }
    }
    grid
}

/// Tables and lists for people, document by document. The three numbers come first, the score in full last.
fn text(reproduction: &Reproduction, format: Format, style: &Style) -> String {
    let first = is_of_several(reproduction).then(|| headline(&reproduction.headline) + "\n");
    let documents = reproduction.documents.iter();
    let sections = documents.map(|document| section(document, format, style));
    let blocks = first
        .into_iter()
        .chain(sections)
        .chain(totals(reproduction));
    blocks.collect::<Vec<_>>().join("\n")
}

/// The answer, and with its reasons what missed and what needs attention.
fn first_screen(reproduction: &Reproduction, style: &Style) -> String {
    let incomplete = (!reproduction.complete).then_some(
        "Incomplete: the run was interrupted, or its time was up; later values are missing.",
    );
    let mut text = card::card(reproduction).lay_out(incomplete, "", style);
    if style.detail == Detail::Explain {
        let lists = reproduction.documents.iter().flat_map(lists);
        for list in lists.filter(|list| !list.rows().is_empty()) {
            text += &format!("\n{}", list.table(style));
        }
    }
    text
}

/// One document.
fn section(document: &Reproduced, format: Format, style: &Style) -> String {
    let heading = format!("{}: {}", document.document, document.title);
    let mut blocks = vec![if format == Format::Markdown {
        format!("# {heading}\n")
    } else {
        format!("{heading}\n{}\n", "=".repeat(heading.chars().count()))
    }];
    blocks.push(format!("{}\n", headline(&document.headline)));
    let grids = tables(document).into_iter().chain(lists(document));
    let shown = grids.filter(|grid| !grid.rows().is_empty());
    blocks.extend(shown.map(|grid| grid.render(format, style)));
    blocks.push(score("Score", document.score));
    blocks.join("\n")
}

fn is_of_several(reproduction: &Reproduction) -> bool {
    reproduction.documents.len() > 1
}

/// What stands behind the documents.
fn totals(reproduction: &Reproduction) -> Vec<String> {
    let mut blocks = Vec::new();
    if !reproduction.complete {
        blocks.push("Incomplete: the run was interrupted; later values are missing.\n".to_owned());
    }
    if is_of_several(reproduction) {
        blocks.push(score("All documents", reproduction.score));
    }
    blocks
}

/// How far half of the sharp predictions lie from what is printed, at most.
fn median(headline: &Headline) -> String {
    match headline.relative_error_median {
        Some(error) => format!("{} %", human(error * 100.0, "1", 2)),
        None => "–".to_owned(),
    }
}

/// The three numbers to read first.
fn headline(headline: &Headline) -> String {
    let predictions = match (headline.predictions_hit, headline.predictions_made) {
        (_, 0) => "none".to_owned(),
        (hit, made) => format!(
            "{hit} of {made} hit; their median relative error: {}",
            median(headline)
        ),
    };
    format!(
        "Sharp predictions: {predictions}; consistency checks: {} of {} held.",
        headline.consistency_held, headline.consistency_made,
    )
}

/// What was computed, a table for each kind, and for each use of what could hardly miss.
fn tables(document: &Reproduced) -> Vec<Grid> {
    let table = |(kind, uses, title): (Kind, &[Use], &str)| {
        let words = ["citation", "ours to compare"].map(Column::left);
        let numbers = ["published", "allowed", "ours", "difference"].map(Column::right);
        let columns = words.into_iter().chain(numbers);
        let mut columns: Vec<_> = columns.chain([Column::left("verdict")]).collect();
        let rows = document.rows.iter();
        let of_kind = rows.filter(|row| row.kind == kind && uses.contains(&row.r#use));
        let ran: Vec<_> = of_kind
            .filter(|row| row.verdict != Verdict::Pending)
            .collect();
        let banded = ran.iter().any(|row| row.band.is_some());
        columns.extend(banded.then(|| Column::left("5 to 95 % over undisclosed choices")));
        // Of a copy and of a theory the title says it.
        let explained = kind == Kind::Consistency && uses.contains(&Use::Predicted);
        columns.extend(explained.then(|| Column::left("no sharp prediction because")));
        let mut grid = Grid::new(title, columns);
        for row in ran {
            let mut cells: Vec<_> = cells(row, &document.target).into();
            cells.extend(banded.then(|| band(row)));
            cells.extend(explained.then(|| row.because.clone().unwrap_or_default()));
            grid.push(cells);
        }
        grid
    };
    TABLES.map(table).into()
}

fn cells(row: &Comparison, target: &str) -> [String; 7] {
    let none = || "–".to_owned();
    let ours = match row.no_value {
        Some(_) => Some("unbounded".to_owned()),
        None => row.value.map(|ours| human(ours, row.unit, 4)),
    };
    let difference = row
        .difference
        .map(|share| format!("{:+.2} %", share * 100.0));
    [
        row.citation.clone(),
        compared(&row.of, row.over.as_ref(), target),
        row.published_text.clone(),
        allowed(row.allowed, row.unit),
        ours.unwrap_or_else(none),
        difference.unwrap_or_else(none),
        row.verdict.words().to_owned(),
    ]
}

/// A value's band from 5 to 95 % of the draws, its median, and the choices that explain it.
fn band(row: &Comparison) -> String {
    let Some(band) = &row.band else {
        return "–".to_owned();
    };
    let value = |value: f64| human(value, row.unit, 4);
    let explained = match explained(&band.explained) {
        none if none.is_empty() => none,
        some => format!("; {some}"),
    };
    format!(
        "{} … {}, median {}{explained}",
        value(band.low),
        value(band.high),
        value(band.median)
    )
}

/// "refresh 41 %, hash 12 %": shares of the variance.
fn explained(shares: &[ExplainedShare]) -> String {
    let one = |one: &ExplainedShare| format!("{} {:.0} %", one.choice, one.share * 100.0);
    shares.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What needs attention, what is known, and what is still to come.
fn lists(document: &Reproduced) -> [Grid; 4] {
    let grid = |title: &str, columns: &[&str]| {
        Grid::new(title, columns.iter().copied().map(Column::left).collect())
    };
    let mut problems = grid(
        "Needs attention",
        &["citation", "ours to compare", "problem"],
    );
    let mut misses = grid("Listed misses", &["citation", "reason"]);
    let mut errata = grid("Errata of the document", &["erratum"]);
    for row in &document.rows {
        if let Some(problem) = &row.problem {
            let ours = compared(&row.of, row.over.as_ref(), &document.target);
            problems.push([row.citation.clone(), ours, problem.clone()]);
        }
        if row.verdict == Verdict::ListedMiss {
            let reason = row.reason.clone().unwrap_or_default();
            misses.push([row.citation.clone(), reason]);
        }
    }
    for erratum in &document.errata {
        errata.push([erratum]);
    }
    [problems, misses, pending(document), errata]
}

/// What cannot be computed yet. One statement about several sizes is one line, with their count.
fn pending(document: &Reproduced) -> Grid {
    let mut columns: Vec<_> = ["citation", "published"].map(Column::left).into();
    columns.push(Column::right("values"));
    columns.extend(["use", "needs"].map(Column::left));
    let mut lines: Vec<([&str; 4], usize)> = Vec::new();
    for row in &document.rows {
        let (Verdict::Pending, Some(needs)) = (row.verdict, &row.reason) else {
            continue;
        };
        let line = [&row.citation, &row.published_text, row.r#use.name(), needs];
        match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, count)) => *count += 1,
            None => lines.push((line, 1)),
        }
    }
    let mut grid = Grid::new("Not yet", columns);
    for ([citation, published, r#use, needs], count) in lines {
        grid.push([citation, published, &count.to_string(), r#use, needs]);
    }
    grid
}

/// The score in a sentence for each kind and use; only the first one says how good the model is.
fn score(name: &str, score: Score) -> String {
    let rest = |tally: Tally| {
        let counts = [
            (tally.listed_miss, "listed miss", "listed misses"),
            (tally.new_miss, "new miss", "new misses"),
            (tally.failed, "failed", "failed"),
            (tally.pending, "not yet", "not yet"),
        ];
        let counted = counts.iter().filter(|(count, _, _)| *count > 0);
        let words: String = counted
            .map(|(count, one, many)| format!(", {count} {}", if *count == 1 { one } else { many }))
            .collect();
        words
    };
    let line = |what: &str, tally: Tally| {
        format!("{what}: {} of {} hit{}", tally.hit, tally.run, rest(tally))
    };
    format!(
        "{name}: {}. Counted apart: {}; {}; {}; among these {}; {}; {}.\n",
        line("predictions", score.predicted),
        line("from assumed figures", score.assumed),
        line("calibrations", score.calibrated),
        line("consistency", score.consistency),
        line("data-sheet figures", score.datasheet),
        line("figures from the document itself", score.copied),
        line("theory on stated accesses", score.theory),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `wordline reproduce` exits: 0, 1 for what needs attention, 130 for what was interrupted.
    #[test]
    fn attention_fails_the_command_and_an_interruption_is_none() {
        let mut reproduction = Reproduction {
            headline: Headline::default(),
            complete: true,
            pass: true,
            score: Score::default(),
            documents: Vec::new(),
        };
        assert_eq!(outcome(&reproduction, false), Outcome::Done);
        reproduction.pass = false;
        assert_eq!(outcome(&reproduction, false), Outcome::CheckFailed);
        reproduction.complete = false;
        assert_eq!(outcome(&reproduction, true), Outcome::Interrupted);
    }
}
