//! From result document to text: a table for the terminal, JSON, CSV, Markdown, and one
//! self-contained HTML page with plots.
//!
//! Nothing here does input or output. [`render`] takes a [`ResultSet`] and a [`Format`] and returns
//! a `String`; the caller decides where it goes. A document holds long-form rows, one metric each.
//! People want one line for each thing that was run, so the rows are first pivoted into lines; the
//! lines become a [`Grid`], which the terminal table, Markdown and HTML share. A `Grid` also serves
//! commands that list things other than results. [`answer`] says in words what the rows say.
//!
//! The workloads `buffer`, `compare`, `dram`, `fit`, `fs`, `health`, `kv` and `wear` answer questions of their own, so each has a module that says
//! what people see of it; the rows show which workload a document is about.
//!
//! Text from a document is never trusted: terminal control characters are spelled out, spreadsheet
//! formulas are disarmed, and Markdown and HTML are escaped.
//!
//! ```
//! use std::collections::BTreeMap;
//! use wordline_core::results::{AxisValue, ResultSet, Row};
//! use wordline_core::{Axis, Basis, Experiment, Metric, RawWorkload, RowOperation, Timing, Workload};
//! use wordline_report::{Format, Style, render};
//!
//! let mut document = ResultSet::new(Experiment {
//!     targets: vec!["em064lx@stm32h755-qspi".into()],
//!     workload: Workload::Raw(RawWorkload::default()),
//!     timings: vec![Timing::Typ],
//!     age: 0.0,
//!     seed: 0,
//!     ftl: None,
//! });
//! document.rows.push(Row {
//!     target: "em064lx@stm32h755-qspi".into(),
//!     part: "em064lx".into(),
//!     board: "stm32h755-qspi".into(),
//!     workload: "raw".into(),
//!     operation: RowOperation::Write,
//!     axes: BTreeMap::from([(Axis::AccessBytes, AxisValue::Count(2048))]),
//!     timing: Timing::Typ,
//!     age: 0.0,
//!     metric: Metric::ThroughputMean,
//!     value: Some(39.4e6),
//!     no_value: None,
//!     unit: "B/s".into(),
//!     basis: Basis::Simulated,
//!     distribution: None,
//! });
//! let text = render(&document, Format::Table, &Style::default());
//! assert_eq!(
//!     text.lines().next(),
//!     Some("em064lx@stm32h755-qspi writes 39.4 MB/s in accesses of 2 KiB.")
//! );
//! ```

mod answer;
mod card;
mod cause;
mod csv;
mod curve;
mod diff;
mod explore;
mod format;
mod grid;
mod html;
mod json;
mod markdown;
mod mess;
mod notes;
mod overlay;
mod pivot;
mod sweep;
mod table;
mod tabulate;
mod text;
mod vega_lite;
mod view;
mod views;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod tests;

pub use answer::answer;
pub use card::{FirstScreen, decision_card};
pub use diff::{AskedChange, ResultDiff, ValueChange, VerdictChange};
pub use explore::render_exploration;
pub use format::{Detail, Format, Style, UnknownFormat};
pub use grid::{Align, Column, Grid};
pub use html::{ComparedValue, TablePage};
pub use mess::{mess_curves, mess_pairs};
pub use overlay::{NamedDocument, Overlay, OverlayError};
pub use sweep::render_sweep;
pub use text::printable;
pub use vega_lite::{VegaLiteChart, vega_lite};
use wordline_core::ResultSet;

/// Renders a document. JSON and CSV carry every row; the other formats are for people: sentences,
/// warnings, and a table of the metrics that matter most. The same document and style give the
/// same text, byte for byte.
#[must_use]
pub fn render(document: &ResultSet, format: Format, style: &Style) -> String {
    match format {
        Format::Table => table::results(document, style),
        Format::Json => json::results(document),
        Format::Csv => csv::results(document),
        Format::Markdown => markdown::results(document),
        Format::Html => html::results(document),
    }
}
