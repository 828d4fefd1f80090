//! What a page needs to move the question that a comparison answers, and judge its candidates again:
//! the question, what is allowed, and what each candidate does by rate, kept data and number of chips.
//!
//! The page's script `judge.js` holds the rules; they are those of `crates/lab/src/compare/judge.rs`, and the test of the
//! browser holds both against each other.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_core::results::NoValue;

use crate::grid::Grid;

/// A comparison as data of the page.
#[derive(Serialize)]
pub(crate) struct Exploration {
    /// The question in words.
    #[serde(skip)]
    pub(crate) words: String,
    pub(crate) question: AskedWork,
    pub(crate) allowed: AllowedFigures,
    /// What people plot candidates by.
    pub(crate) figures: Vec<PlottedFigure>,
    pub(crate) candidates: Vec<ExploredCandidate>,
    /// Each limit with its name in words.
    pub(crate) limits: BTreeMap<&'static str, &'static str>,
    /// The candidates in a short table, a line each in the order of `candidates`.
    #[serde(skip)]
    pub(crate) table: Grid,
    /// What each column of that table shows: `typ`, `max`, `decides`, or a figure's key.
    pub(crate) columns: Vec<&'static str>,
}

/// The work as it was asked.
#[derive(Serialize)]
pub(crate) struct AskedWork {
    /// Bytes a second.
    pub(crate) rate: f64,
    /// Bytes of a record.
    pub(crate) record: f64,
    /// Data to keep: seconds at the rate, or bytes.
    pub(crate) keep: f64,
    pub(crate) keeps_time: bool,
    /// Share of the memory that may be filled.
    pub(crate) utilization: f64,
    /// Whether wear follows the data to keep instead of the whole memory.
    pub(crate) wears_kept: bool,
    /// Price of a KiB of RAM in EUR.
    pub(crate) ram_price: Option<f64>,
}

/// What is allowed at most, of the life at least, in SI units.
#[derive(Serialize)]
pub(crate) struct AllowedFigures {
    pub(crate) ram: Option<f64>,
    pub(crate) latency: Option<f64>,
    pub(crate) life: Option<f64>,
    pub(crate) energy: Option<f64>,
    pub(crate) risk: Option<f64>,
    pub(crate) holdup: Option<f64>,
    pub(crate) cost: Option<f64>,
    /// Chips.
    pub(crate) parts: f64,
    /// Whether the study says how many.
    pub(crate) parts_stated: bool,
}

/// A figure that candidates are plotted by.
#[derive(Serialize)]
pub(crate) struct PlottedFigure {
    /// Name of the field of [`ExploredTiming`].
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) more_is_better: bool,
}

/// A candidate.
#[derive(Serialize)]
pub(crate) struct ExploredCandidate {
    pub(crate) target: String,
    /// Chips that work together.
    pub(crate) chips: f64,
    /// Whether nothing is known of it at other rates and other data to keep, as of what was measured.
    pub(crate) is_fixed: bool,
    /// Whether what it does depends on the pauses that the rate leaves, so that its figures at another rate are estimates.
    pub(crate) is_paced: bool,
    pub(crate) timings: Vec<ExploredTiming>,
}

/// A candidate in a column of the data sheet.
#[derive(Serialize)]
pub(crate) struct ExploredTiming {
    pub(crate) timing: &'static str,
    /// The verdict of the document in a word, and whether it passes.
    pub(crate) word: &'static str,
    pub(crate) pass: bool,
    /// What it depends on.
    pub(crate) depends: Option<String>,
    pub(crate) limit: String,
    pub(crate) value: Option<f64>,
    pub(crate) margin: Option<f64>,
    /// Whether a bound excluded it without a run.
    pub(crate) is_excluded: bool,
    /// Bytes of a chip.
    pub(crate) chip: Option<f64>,
    pub(crate) parts: ExploredFigure,
    pub(crate) throughput: ExploredFigure,
    pub(crate) ram: ExploredFigure,
    /// Sizes of RAM and the highest rate that each carries.
    pub(crate) staircase: Vec<(f64, f64)>,
    pub(crate) latency: ExploredFigure,
    pub(crate) life: ExploredFigure,
    pub(crate) energy: ExploredFigure,
    /// What of the energy does not follow the rate.
    pub(crate) standby: ExploredFigure,
    pub(crate) risk: ExploredFigure,
    pub(crate) holdup: ExploredFigure,
    pub(crate) cost: ExploredFigure,
}

/// A number, `"unbounded"`, or nothing where it is unknown.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub(crate) enum ExploredFigure {
    Number(f64),
    Unbounded(&'static str),
    Unknown(Option<f64>),
}

impl ExploredFigure {
    pub(crate) const UNKNOWN: Self = Self::Unknown(None);

    /// A value, or the reason for none.
    pub(crate) fn of(value: Option<f64>, reason: Option<NoValue>) -> Self {
        match (value, reason) {
            (Some(value), _) if value.is_finite() => Self::Number(value),
            (_, Some(NoValue::Unbounded)) => Self::Unbounded("unbounded"),
            _ => Self::UNKNOWN,
        }
    }
}
