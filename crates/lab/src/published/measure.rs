//! What of ours stands beside a published value.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use wordline_core::{Axis, Experiment, Metric, RowOperation, Timing};

use super::experiment::{ExperimentBook, from_table, plain};
use super::{RowSelector, Sequence};

/// Something that the laboratory can compute or look up.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measure {
    /// A row of an experiment's result.
    Row {
        /// Which row.
        #[serde(flatten)]
        row: RowSelector,
        /// The experiment.
        experiment: Box<Experiment>,
    },
    /// What the theory of buffers says of stated accesses.
    Theory {
        /// Which figure of the theory, at which input.
        #[serde(flatten)]
        row: RowSelector,
        /// The accesses.
        sequence: Sequence,
    },
    /// What two curves of latency over bandwidth say.
    Curves(Curves),
    /// A figure of a part's or board's sheet.
    Figure(SheetFigure),
}

/// A figure of a part's or board's sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetFigure {
    /// Id of the part or board.
    pub sheet: String,
    /// Dotted path of the figure, as `wordline part show` lists it; `capacity` of a part follows from its figures.
    pub figure: String,
    /// `min`, `typ` or `max`.
    #[serde(default = "typical")]
    pub column: String,
}

fn typical() -> String {
    Timing::Typ.name().to_owned()
}

/// A question to the curves of two memory modules in one loaded test, latency over delivered bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
    /// What is asked.
    #[serde(flatten)]
    pub question: Question,
    /// `MODULE@SYSTEM` that is asked about.
    pub target: String,
    /// `MODULE@SYSTEM` that it is compared with; itself where nothing is compared.
    pub against: String,
    /// The loaded test of both.
    pub experiment: Box<Experiment>,
}

/// What is asked of two curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "curve", rename_all = "lowercase", deny_unknown_fields)]
pub enum Question {
    /// The least bandwidth from which on the target's latency is below the other's, in B/s.
    Crossover {},
    /// By which fraction the target's latency is below the other's, at a bandwidth.
    Reduction {
        /// It is the one at which the other's latency is so many times its own without load.
        idle_multiple: f64,
    },
    /// By how much the target's latency is above its own without load, at a bandwidth, in seconds.
    Rise {
        /// Delivered bandwidth in B/s.
        at_bytes_per_s: f64,
    },
    /// The target's share of latencies that are no longer than a time, at a bandwidth.
    Share {
        /// The time in picoseconds.
        within_ps: u64,
        /// The bandwidth is the one at which this is the other's share.
        against_share: f64,
    },
}

/// A row as the file writes it.
#[derive(Deserialize)]
struct WrittenRow {
    experiment: Option<String>,
    sequence: Option<String>,
    target: Option<String>,
    timing: Option<Timing>,
    with: Option<Table>,
    metric: Metric,
    operation: Option<RowOperation>,
    #[serde(flatten)]
    axes: Table,
}

/// Keys that say where a measure comes from; the others say which row of it.
const SOURCES: [&str; 5] = ["experiment", "sequence", "target", "timing", "with"];

/// The keys of a divisor. What it leaves out it takes from the dividend, unless it is a figure of a sheet; with a metric
/// of its own it says in full which row it is.
pub(super) fn divisor(over: Table, of: &Table) -> Result<Table, String> {
    if over.contains_key("figure") {
        return Ok(over);
    }
    let mut whole = of.clone();
    if over.contains_key("metric") {
        whole.retain(|key, _| SOURCES.contains(&key));
    }
    super::experiment::overlay(&mut whole, over)?;
    Ok(whole)
}

impl Measure {
    pub(super) fn read(
        table: Table,
        book: &ExperimentBook<'_>,
        sequences: &[Sequence],
    ) -> Result<Self, String> {
        if table.contains_key("figure") {
            return from_table(table).map(Self::Figure);
        }
        if table.contains_key("curve") {
            return Curves::read(table, book).map(Self::Curves);
        }
        let written: WrittenRow = from_table(table)?;
        let row = RowSelector::read(written.metric, written.operation, written.axes)?;
        let (timing, with) = (written.timing, written.with);
        match (&written.experiment, &written.sequence) {
            (Some(name), None) => {
                let target = written.target.as_deref();
                let experiment = book.experiment(name, target, timing, with.unwrap_or_default())?;
                let experiment = Box::new(experiment);
                Ok(Self::Row { row, experiment })
            }
            (None, Some(name)) => {
                let sequence = sequences.iter().find(|sequence| sequence.name == *name);
                let sequence = sequence
                    .ok_or_else(|| format!("no sequence {name:?}"))?
                    .clone();
                let input = [Axis::Arrival, Axis::RamBytes, Axis::RateBytesPerS];
                let runs = written.target.is_some() || timing.is_some() || with.is_some();
                if runs || row.operation.is_some() {
                    return Err("a sequence is not run".to_owned());
                }
                match row.axes.keys().find(|axis| !input.contains(axis)) {
                    Some(axis) => Err(format!("the theory has no {axis}")),
                    None => Ok(Self::Theory { row, sequence }),
                }
            }
            _ => Err("a measure names an experiment, a sequence or a figure of a sheet".to_owned()),
        }
    }

    /// What is run for it.
    #[must_use]
    pub fn experiment(&self) -> Option<&Experiment> {
        match self {
            Self::Row { experiment, .. } | Self::Curves(Curves { experiment, .. }) => {
                Some(experiment)
            }
            Self::Theory { .. } | Self::Figure(_) => None,
        }
    }

    /// SI unit of it; a sheet says the unit of its figures.
    pub(super) const fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Row { row, .. } | Self::Theory { row, .. } => Some(row.metric.unit()),
            Self::Curves(Curves {
                question: Question::Crossover {},
                ..
            }) => Some("B/s"),
            Self::Curves(Curves {
                question: Question::Rise { .. },
                ..
            }) => Some("s"),
            Self::Curves(_) => Some("1"),
            Self::Figure(_) => None,
        }
    }
}

impl Curves {
    fn read(mut table: Table, book: &ExperimentBook<'_>) -> Result<Self, String> {
        // One question is about a memory alone.
        let alone = table.get("curve").and_then(Value::as_str) == Some("rise");
        let mut word = |key: &str| match table.remove(key) {
            Some(Value::String(word)) => Ok(word),
            _ => Err(format!("{key} is missing")),
        };
        let (name, target) = (word("experiment")?, word("target")?);
        let against = match alone {
            true => target.clone(),
            false => word("against")?,
        };
        if target == against && !alone {
            return Err(format!("{target} is compared with itself"));
        }
        let Value::Table(table) = plain("", Value::Table(table))? else {
            unreachable!("a table stays one");
        };
        let question = from_table(table)?;
        match question {
            Question::Rise { at_bytes_per_s: at } if !(at > 0.0 && at.is_finite()) => {
                return Err(format!("an at_bytes_per_s of {at}"));
            }
            Question::Reduction {
                idle_multiple: times,
            } if !(times > 1.0 && times.is_finite()) => {
                return Err(format!("an idle_multiple of {times}"));
            }
            Question::Share {
                against_share: share,
                ..
            } if !(share > 0.0 && share < 1.0) => {
                return Err(format!("an against_share of {share}"));
            }
            _ => {}
        }
        let mut experiment = book.experiment(&name, None, None, Table::new())?;
        experiment.targets = vec![target.clone(), against.clone()];
        experiment.targets.dedup();
        Ok(Self {
            question,
            target,
            against,
            experiment: Box::new(experiment),
        })
    }
}
