//! A page of tables that are no result document.

use crate::grid::Grid;
use crate::html::bars::{PlotRow, RowMark, RowSpec};
use crate::html::plot::{PALETTE, Plot, PlotSpec};
use crate::pivot::each;
use crate::text;

use super::{HtmlPage, HtmlPoint, PageData, TableData, script};

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
    /// What is plotted; values without a finite positive ratio are left out.
    pub compared: Vec<ComparedValue>,
    /// The table of the first screen.
    pub short: Option<Grid>,
    /// All tables.
    pub tables: Vec<Grid>,
    /// The command that makes the page again.
    pub command: String,
    /// The same data as JSON text.
    pub json: String,
}

/// A value beside the one that was expected, in the same unit.
#[derive(Debug)]
pub struct ComparedValue {
    /// What it is of.
    pub name: String,
    /// Values of a group have one colour.
    pub group: &'static str,
    /// What was expected.
    pub expected: f64,
    /// What was found.
    pub found: f64,
}

/// More things than this do not fit the first screen; the tables hold the others.
const PLOTTED: usize = 12;

/// The axis reaches this far at least on both sides.
const RATIO_LEAST: f64 = 2.0;

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
            sentence: text::unbroken(&text::printable(&self.sentence)),
            points: self
                .points
                .iter()
                .map(|one| HtmlPoint::plain(one))
                .collect(),
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
        let ratio = |one: &ComparedValue| {
            let ratio = one.found / one.expected;
            (ratio.is_finite() && ratio > 0.0).then_some(ratio)
        };
        let all = self.compared.iter();
        let mut ratios: Vec<(&ComparedValue, f64)> =
            all.filter_map(|one| Some((one, ratio(one)?))).collect();
        let groups = each(&ratios, |(one, _)| one.group);
        let group = |one: &ComparedValue| groups.iter().position(|group| *group == one.group);
        ratios.sort_by(|(_, one), (_, other)| other.ln().abs().total_cmp(&one.ln().abs()));
        let all = ratios.len();
        ratios.truncate(PLOTTED);
        let far = ratios.iter().map(|(_, ratio)| ratio.max(1.0 / ratio));
        let most = far.fold(RATIO_LEAST, f64::max);
        let rows = ratios.into_iter().map(|(one, ratio)| PlotRow {
            name: text::printable(&one.name),
            marks: vec![RowMark {
                series: group(one).unwrap_or(0),
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
            hollow: Vec::new(),
            title: "ours, divided by the published value",
            unit: "1",
            logarithmic: true,
            ends: Some((1.0 / most, most)),
            points: true,
            series: groups
                .iter()
                .zip(PALETTE.iter().cycle())
                .map(|(group, color)| (text::printable(group), *color))
                .collect(),
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
