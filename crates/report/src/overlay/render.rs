//! Several documents in every format.

use serde::Serialize;
use wordline_core::results::{CardPoint, DecisionCard, Row};

use super::Overlay;
use super::curve::OverlayCurve;
use crate::card::{self, FirstScreen};
use crate::format::{Detail, Style};
use crate::grid::{Column, Grid};
use crate::html::{self, OverlayPage};
use crate::view::Shown;
use crate::{markdown, table, text};

/// What the documents say together, for scripts. It is no result document: that has one experiment.
#[derive(Serialize)]
struct OverlayJson<'a> {
    answer: DecisionCard,
    documents: Vec<DocumentJson<'a>>,
    curves: Vec<CurveJson<'a>>,
    rows: Vec<RowJson<'a>>,
}

#[derive(Serialize)]
struct DocumentJson<'a> {
    document: &'a str,
    wordline: &'a str,
    schema_version: u32,
    command: String,
    complete: bool,
    sentence: String,
}

#[derive(Serialize)]
struct CurveJson<'a> {
    kind: &'static str,
    document: &'a str,
    #[serde(flatten)]
    curve: &'a OverlayCurve,
}

#[derive(Serialize)]
struct RowJson<'a> {
    document: &'a str,
    #[serde(flatten)]
    row: &'a Row,
}

impl Overlay<'_> {
    /// What people see first.
    fn first(&self) -> FirstScreen {
        let sentence = self.shared.first().map(|shared| shared.sentence(self));
        let points = self.points().into_iter();
        let points =
            points.map(|(subject, words)| CardPoint::words(subject, text::printable(&words)));
        let answer = DecisionCard {
            sentence: sentence.unwrap_or_default(),
            points: points.collect(),
            cautions: card::cautions(self.documents.iter().flat_map(|one| &one.document.warnings)),
            ..DecisionCard::default()
        };
        FirstScreen {
            plot: self.shared.first().and_then(|shared| shared.terminal(self)),
            ..FirstScreen::new(answer, self.tables().into_iter().next(), "curves")
        }
    }

    pub(super) fn screen(&self, style: &Style) -> String {
        let incomplete = self.incomplete();
        match style.detail {
            Detail::Answer | Detail::Explain => {
                let page = "   page with plots: --export page.html";
                let screen = self.first().lay_out(incomplete.as_deref(), page, style);
                match style.detail {
                    Detail::Explain => screen + "\n" + &self.reasons(style),
                    _ => screen,
                }
            }
            Detail::All => self.everything(incomplete.as_deref(), style),
        }
    }

    /// The sentences of each document.
    fn reasons(&self, style: &Style) -> String {
        let lines = self.documents.iter().map(|one| {
            let sentence = card::decision_card(&one.document).sentence;
            text::wrap(
                &format!("{}: {sentence}", text::printable(&one.name)),
                style.width,
            ) + "\n"
        });
        lines.collect()
    }

    /// All tables, then the first screen of each document.
    fn everything(&self, incomplete: Option<&str>, style: &Style) -> String {
        let first = self.first();
        let points = first.answer.points.iter().map(|point| point.text.as_str());
        let words = incomplete
            .into_iter()
            .chain([first.answer.sentence.as_str()])
            .chain(points);
        let words: Vec<String> = words.map(|one| text::wrap(one, style.width)).collect();
        let mut blocks = vec![words.join("\n") + "\n"];
        blocks.extend(self.tables().iter().map(|grid| table::grid(grid, style)));
        let documents = self.documents_table();
        blocks.push(table::grid(&documents, style));
        for one in self.documents {
            let name = text::wrap(&text::printable(&one.name), style.width);
            let shown = Shown::of(&one.document);
            let answer = Style {
                detail: Detail::Explain,
                ..*style
            };
            blocks.push(table::bold(&name, style) + "\n\n" + &card::screen(&shown, &answer));
        }
        blocks.join("\n")
    }

    /// Which documents there are, and how each is made again.
    fn documents_table(&self) -> Grid {
        let mut grid = Grid::new(
            "Documents",
            ["document", "complete", "wordline", "made by"]
                .map(Column::left)
                .into(),
        );
        for one in self.documents {
            let complete = if one.document.complete { "yes" } else { "no" };
            grid.push([
                one.name.clone(),
                complete.to_owned(),
                one.document.wordline.clone(),
                one.document.command_line(),
            ]);
        }
        grid
    }

    pub(super) fn markdown(&self, command: &str) -> String {
        let first = self.first();
        let mut blocks: Vec<String> = Vec::new();
        blocks.extend(
            self.incomplete()
                .map(|words| format!("> **{}**\n", markdown::escape(&words))),
        );
        let points = first.answer.points.iter().map(|point| &point.text);
        let lines = [&first.answer.sentence].into_iter().chain(points);
        blocks.push(
            lines
                .map(|line| format!("- {}\n", markdown::escape(line)))
                .collect(),
        );
        blocks.extend(self.tables().iter().map(markdown::grid));
        blocks.push(markdown::grid(&self.documents_table()));
        let tables = self.first_tables(&self.screens());
        blocks.extend(tables.iter().map(markdown::grid));
        blocks.push(markdown::fenced(command));
        blocks.join("\n")
    }

    /// The table of a document's own first screen, under its name and its answer.
    fn first_tables(&self, screens: &[FirstScreen]) -> Vec<Grid> {
        let documents = self.documents.iter().zip(screens);
        let tables = documents.filter_map(|(one, screen)| {
            let title = format!("{}: {}", one.name, screen.answer.sentence);
            Some(screen.table.as_ref()?.titled(title))
        });
        tables.collect()
    }

    /// The first screen of each document.
    fn screens(&self) -> Vec<FirstScreen> {
        let documents = self.documents.iter();
        documents
            .map(|one| FirstScreen::of(&Shown::of(&one.document)))
            .collect()
    }

    pub(super) fn json(&self) -> String {
        self.json_with(&self.screens())
    }

    fn json_with(&self, screens: &[FirstScreen]) -> String {
        let documents = self.documents.iter();
        let curves = self.shared.iter().flat_map(|shared| {
            shared.curves.iter().map(|curve| CurveJson {
                kind: shared.kind.id,
                document: self.name(curve.document),
                curve,
            })
        });
        let rows = documents.clone().flat_map(|one| {
            one.document.rows.iter().map(|row| RowJson {
                document: &one.name,
                row,
            })
        });
        let json = OverlayJson {
            answer: self.first().answer,
            documents: documents
                .zip(screens)
                .map(|(one, screen)| DocumentJson {
                    document: &one.name,
                    wordline: &one.document.wordline,
                    schema_version: one.document.schema_version,
                    command: one.document.command_line(),
                    complete: one.document.complete,
                    sentence: screen.answer.sentence.clone(),
                })
                .collect(),
            curves: curves.collect(),
            rows: rows.collect(),
        };
        match serde_json::to_string_pretty(&json) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("plain data serialises: {error}"),
        }
    }

    pub(super) fn page(&self, command: &str) -> String {
        let mut figures = self.tables();
        let short = figures.first().cloned();
        figures.push(self.documents_table());
        let screens = self.screens();
        figures.extend(self.first_tables(&screens));
        let words = self.documents.iter().zip(&screens);
        let words = words.map(|(one, screen)| format!("{}: {}", one.name, screen.answer.sentence));
        let plots = self.shared.iter().filter_map(|shared| shared.plot(self));
        let first = self.first();
        let page = OverlayPage {
            title: format!("wordline report: {} documents", self.documents.len()),
            answer: first.answer,
            incomplete: self.incomplete(),
            words: words.collect(),
            plots: plots.collect(),
            short,
            tables: figures,
            command: command.to_owned(),
            json: self.json_with(&screens),
        };
        html::overlay(page)
    }
}
