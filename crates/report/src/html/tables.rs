//! A page of tables that are no result document.

use crate::grid::Grid;
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::plot::{PALETTE, Plot, PlotSpec};
use crate::text;

use super::{HtmlPage, PageData, TableData, script, unbroken};

/// A page of tables that are no result document: the answer in a sentence, values that are plotted by how far each is
/// from what was expected, and tables.
#[derive(Debug, Default)]
pub struct TablePage {
    /// What the page is about.
    pub title: String,
    /// The answer.
    pub sentence: String,
    /// What else to know at once, in sentences.
    pub points: Vec<String>,
    /// Name, expected value and found value of each thing that is plotted, in the same unit; those without a finite
    /// positive ratio are left out.
    pub compared: Vec<(String, f64, f64)>,
    /// The table of the first screen.
    pub short: Option<Grid>,
    /// All tables.
    pub tables: Vec<Grid>,
    /// The command that makes the page again.
    pub command: String,
    /// The same data as JSON text.
    pub json: String,
}

/// More things than this do not fit a plot; the tables hold the others.
const PLOTTED: usize = 60;

impl TablePage {
    /// The page. Everything in it is escaped; nothing is fetched.
    #[must_use]
    pub fn html(&self) -> String {
        let plots: Vec<Plot> = self.plot().into_iter().collect();
        let data = PageData {
            curves: plots,
            figures: TableData::all_of(&self.tables),
            file: "reproduce.json".to_owned(),
            ..PageData::default()
        };
        let wordline = env!("CARGO_PKG_VERSION");
        let page = HtmlPage {
            sentence: unbroken(&text::printable(&self.sentence)),
            points: self.points.iter().map(|one| text::printable(one)).collect(),
            short_html: self.short.as_ref().map(super::grid),
            drawn: !data.curves.is_empty(),
            has_figures: !data.figures.is_empty(),
            command: text::printable(&self.command),
            document: Some(script::packed_text(&self.json)),
            ..HtmlPage::new(text::printable(&self.title), wordline, &data)
        };
        page.fill()
    }

    /// The things by how far each is from what was expected, the farthest first.
    fn plot(&self) -> Option<Plot> {
        let ratio = |(name, expected, found): &(String, f64, f64)| {
            let ratio = found / expected;
            (ratio.is_finite() && ratio > 0.0).then(|| (text::printable(name), ratio))
        };
        let mut ratios: Vec<(String, f64)> = self.compared.iter().filter_map(ratio).collect();
        ratios.sort_by(|(_, one), (_, other)| other.ln().abs().total_cmp(&one.ln().abs()));
        let all = ratios.len();
        ratios.truncate(PLOTTED);
        let rows = ratios.into_iter().map(|(name, ratio)| PlotRow {
            name,
            marks: vec![RowMark {
                series: 0,
                value: ratio,
                text: text::factor(ratio),
                label: None,
                band: None,
            }],
            words: None,
        });
        let rows: Vec<PlotRow> = rows.collect();
        if rows.is_empty() {
            return None;
        }
        let spec = RowSpec {
            title: "ours, divided by the published value",
            unit: "1",
            logarithmic: true,
            ends: None,
            points: true,
            series: vec![("ours".to_owned(), PALETTE[0])],
            rows,
            rule: Some((1.0, "published".to_owned())),
        };
        let caption = format!(
            "Our value divided by the published one, the farthest first, on a logarithmic axis.{}",
            text::first_of(PLOTTED, all, "farthest")
        );
        Some(Plot::new(
            "plot-ratios".to_owned(),
            "Ours beside the published values".to_owned(),
            caption,
            PlotSpec::Rows(spec),
        ))
    }
}
