//! What a page needs to move the question that a comparison answers, and judge its candidates again:
//! the question, what is allowed, and what each candidate does by rate, kept data and number of chips.
//!
//! The limits come as the table [`LIMIT_RULES`](wordline_core::LIMIT_RULES) that the lab judges by; `judge.js` moves the
//! figures, and the test of the browser holds its verdicts against those of the command.

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
    /// Every limit that is a number.
    pub(crate) rules: Vec<ExploredRule>,
    /// What is allowed of each figure in the SI unit, by its key: at most, or at least where more is better.
    pub(crate) allowed: BTreeMap<&'static str, Option<f64>>,
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

/// A limit: the figure that it is about, and where it applies.
#[derive(Serialize)]
pub(crate) struct ExploredRule {
    /// As documents spell it.
    pub(crate) name: &'static str,
    /// Key of the figure.
    pub(crate) figure: &'static str,
    /// Whether more is better.
    pub(crate) more: bool,
    /// Whether it applies only where the rate is sustained.
    pub(crate) needs_rate: bool,
    /// Whether the study states nothing, so that a default holds of what is known.
    pub(crate) is_default: bool,
}

/// A figure that candidates are plotted by.
#[derive(Serialize)]
pub(crate) struct PlottedFigure {
    /// Key of the figure.
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
    /// Whether what it does depends on the data that it holds, as behind a translation layer.
    pub(crate) is_layered: bool,
    /// Whether it also works in the pauses that the rate leaves, so that the RAM of one rate says nothing of another.
    pub(crate) works_in_pauses: bool,
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
    pub(crate) margin: Option<f64>,
    /// What it reaches at best by its bounds, by the keys of figures, where one of them excluded it without a run.
    pub(crate) at_best: Option<BTreeMap<&'static str, f64>>,
    /// Bytes of a chip.
    pub(crate) chip: Option<f64>,
    /// Sizes of RAM and the highest rate that each carries.
    pub(crate) staircase: Vec<(f64, f64)>,
    /// Joules of a day in which all chips stand by: what of the energy does not follow the rate. The rest does, since each
    /// access adds its own energy and ends its time in standby.
    pub(crate) standby: ExploredFigure,
    /// Bytes programmed for each that is written, behind a translation layer.
    pub(crate) amplification: ExploredFigure,
    /// The figures that limits are about, by their keys.
    #[serde(flatten)]
    pub(crate) figures: BTreeMap<&'static str, ExploredFigure>,
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
