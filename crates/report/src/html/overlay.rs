//! The page of several documents: one plot and one table of what they share.

use wordline_core::results::DecisionCard;

use super::plot::Plot;
use super::{HtmlPage, HtmlPoint, PageData, SHORT, TableData, script};
use crate::grid::Grid;
use crate::text;

/// What such a page shows.
pub(crate) struct OverlayPage {
    pub(crate) title: String,
    pub(crate) answer: DecisionCard,
    pub(crate) incomplete: Option<String>,
    /// What each document says by itself.
    pub(crate) words: Vec<String>,
    pub(crate) plots: Vec<Plot>,
    pub(crate) short: Option<Grid>,
    pub(crate) tables: Vec<Grid>,
    pub(crate) command: String,
    /// The same data as JSON text.
    pub(crate) json: String,
}

/// The page. Everything in it is escaped; nothing is fetched.
pub(crate) fn overlay(page: OverlayPage) -> String {
    let data = PageData {
        curves: page.plots,
        figures: TableData::all_of(&page.tables),
        file: "report.json".to_owned(),
        ..PageData::default()
    };
    let rows = page.short.as_ref().map_or(0, |grid| grid.rows().len());
    let short = page.short.map(|grid| super::grid(&grid.first_rows(SHORT)));
    let page = HtmlPage {
        sentence: text::unbroken(&page.answer.sentence),
        points: HtmlPoint::all_of(&page.answer.points),
        incomplete: page.incomplete,
        short_html: short,
        short_more: (rows > SHORT)
            .then(|| format!("The first {SHORT} of {rows} lines; the tab Figures has all.")),
        drawn: !data.curves.is_empty(),
        words: page
            .words
            .iter()
            .map(|one| text::unbroken(&text::printable(one)))
            .collect(),
        has_figures: true,
        command: text::printable(&page.command),
        document: Some(script::packed_text(&page.json)),
        ..HtmlPage::new(
            text::printable(&page.title),
            env!("CARGO_PKG_VERSION"),
            &data,
        )
    };
    page.fill()
}
