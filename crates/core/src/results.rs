//! The result document: long-form rows, with the experiment that made them and the figures that
//! they rest on. Measured and simulated memories share it, so that their curves lie in one plot.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

mod card;
mod warning;

pub use card::{CardPoint, CardSubject, CautionCount, ChoiceStanding, DecisionCard, RankedChoice};
pub use warning::{Warning, WarningCode};

use crate::axis::Axis;
use crate::basis::Basis;
use crate::experiment::{Experiment, Workload};
use crate::histogram::LatencyHistogram;
use crate::metric::{Better, Metric};
use crate::names::named;
use crate::nearest::nearest;
use crate::operation::RowOperation;
use crate::quantity::Quantity;
use crate::timing::Timing;

/// Version of the document's layout. Version 2 renamed some metrics and an axis, which the registries list with their
/// old names; documents of [`OLDEST_VERSION`] and later are read, and are of this version from then on.
pub const SCHEMA_VERSION: u32 = 2;

/// Oldest version of the document's layout that is read.
pub const OLDEST_VERSION: u32 = 1;

/// Everything that a run produced. A simulated document holds no wall-clock time, host name or
/// path: two runs of the same experiment are byte-identical.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultSet {
    /// Layout of the document.
    pub schema_version: u32,
    /// Version of the program that made it.
    pub wordline: String,
    /// What was run.
    pub experiment: Experiment,
    /// False when the run was interrupted; the rows that are present are finished ones.
    pub complete: bool,
    /// What the rows and verdicts answer. Scripts read it from the document; it is made anew from the
    /// rows whenever a document is rendered, and never read back.
    #[serde(
        default,
        deserialize_with = "never_read",
        skip_serializing_if = "Option::is_none"
    )]
    pub answer: Option<Box<DecisionCard>>,
    /// What the reader should know before trusting the rows.
    pub warnings: Vec<Warning>,
    /// The results.
    pub rows: Vec<Row>,
    /// Which targets met the experiment's limits.
    #[serde(default)]
    pub verdicts: Vec<Verdict>,
    /// Distributions that rows point to with their column `distribution`.
    #[serde(default)]
    pub histograms: BTreeMap<String, Vec<HistogramBucket>>,
    /// The sheets of parts and boards that were used.
    #[serde(default)]
    pub sheets: Vec<SheetUse>,
    /// The figures of parts and boards that the rows rest on, each with its source.
    #[serde(default)]
    pub figures: Vec<FigureUse>,
    /// The machine that measured; absent from simulated documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<BTreeMap<String, String>>,
}

/// What a document says of itself is not believed.
fn never_read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<DecisionCard>>, D::Error> {
    serde::de::IgnoredAny::deserialize(from)?;
    Ok(None)
}

/// One value. All columns but `value`, `no_value`, `unit`, `basis` and `distribution` identify it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// What was run, part and board.
    pub target: String,
    /// Part of the catalogue.
    pub part: String,
    /// Board of the catalogue.
    pub board: String,
    /// Kind of workload.
    pub workload: String,
    /// What the accesses did.
    pub operation: RowOperation,
    /// Further axes, each with its unit in its name: `access_bytes`, `cause`.
    #[serde(flatten, deserialize_with = "distinct_axes")]
    pub axes: BTreeMap<Axis, AxisValue>,
    /// Column of the data sheet that applied.
    pub timing: Timing,
    /// Fraction of rated life used before the run.
    pub age: f64,
    /// What the value is.
    pub metric: Metric,
    /// The value in the metric's unit; null when `no_value` says why there is none.
    pub value: Option<f64>,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_value: Option<NoValue>,
    /// Unit of the value, as the registry states it for the metric.
    pub unit: String,
    /// Where the value comes from.
    pub basis: Basis,
    /// Name of the histogram that the value summarises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
}

/// A coordinate of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AxisValue {
    /// A whole number, such as a size in bytes.
    Count(u64),
    /// A real number.
    Number(f64),
    /// A name, such as a cause.
    Text(String),
}

impl From<u64> for AxisValue {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<f64> for AxisValue {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for AxisValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl std::fmt::Display for AxisValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Why a row holds no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoValue {
    /// There is no finite value.
    Unbounded,
    /// The value lies outside what was examined.
    BeyondRange,
    /// The question makes no sense, or a figure that it needs is unknown.
    NotApplicable,
    /// The run failed.
    Failed,
}

/// Whether a target met the limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What was judged.
    pub target: String,
    /// Column of the data sheet that applied.
    pub timing: Timing,
    /// Whether it passed.
    pub pass: bool,
    /// The limit that decided.
    pub limit: String,
    /// The metric that the limit is about.
    pub metric: Metric,
    /// What the target reached.
    pub value: Option<f64>,
    /// What the limit allows.
    pub allowed: f64,
    /// Share of the limit that is left: 1 - value / allowed where less is better, 1 - allowed / value where more is;
    /// negative when it fails.
    pub margin: Option<f64>,
    /// Whether it holds wherever the figures lie in their ranges.
    #[serde(default)]
    pub certainty: Certainty,
    /// What decides whether it passes, as `SHEET: FIGURE`, where that depends on a figure, or on something that no source
    /// states: the firmware of a card, a current of a host.
    #[serde(default)]
    pub deciding_figure: Option<String>,
    /// The value of that figure, in its SI unit, beyond which the verdict is the other one; nothing where it has no value.
    #[serde(default)]
    pub flips_at: Option<f64>,
    /// What is known of that figure; nothing where it has no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deciding: Option<DecidingFigure>,
    /// What the metric is bounded by for certain, where a bound is proven: every access takes the longest that it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Limits that the target passes as simulated, and by its proven bound does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproven: Vec<UnprovenLimit>,
    /// What the reader should know of it: why there is no value, what stood in for a figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Verdict {
    /// What it contradicts itself in.
    fn problem(&self) -> Option<String> {
        let deciding = self.deciding.iter();
        let deciding = deciding.flat_map(|one| [one.value, one.low, one.high]);
        let mut numbers = [self.value, self.margin, self.flips_at, self.bound]
            .into_iter()
            .flatten()
            .chain(deciding)
            .chain([self.allowed]);
        if numbers.any(|number| !number.is_finite()) {
            return Some("a number is not finite".to_owned());
        }
        if self.allowed < 0.0 {
            return Some(format!("no limit allows {}, below zero", self.allowed));
        }
        let word = if self.pass { "passes" } else { "fails" };
        // What is met exactly has a margin of 0.
        let contradicts = |margin: f64| margin != 0.0 && self.pass != (margin > 0.0);
        if let Some(margin) = self.margin.filter(|margin| contradicts(*margin)) {
            return Some(format!("it {word} with a margin of {margin}"));
        }
        let meets = |value: f64| match self.metric.info().better {
            Better::Higher => Some(value >= self.allowed),
            Better::Lower => Some(value <= self.allowed),
            Better::Neither => None,
        };
        if let Some(value) = self.value
            && meets(value).is_some_and(|meets| meets != self.pass)
        {
            let (metric, allowed) = (self.metric, self.allowed);
            return Some(format!(
                "it {word} with {metric} {value}, and {allowed} is allowed"
            ));
        }
        let is_decided = self.deciding_figure.is_some() || self.flips_at.is_some();
        if self.certainty == Certainty::Certain && (is_decided || self.deciding.is_some()) {
            return Some("it is certain, and a figure decides it".to_owned());
        }
        None
    }
}

named! {
    /// Whether a verdict holds wherever the figures that it rests on lie in their ranges.
    pub enum Certainty {
        /// It does.
        Certain = "certain",
        /// It passes with some of their values and fails with others.
        Depends = "depends",
    }
}

impl Default for Certainty {
    /// Documents of old knew no other.
    fn default() -> Self {
        Self::Certain
    }
}

/// The figure that decides whether a target passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecidingFigure {
    /// What kind of figure it is.
    pub kind: String,
    /// Where its value comes from.
    pub basis: Basis,
    /// The parts that it was found in, where it is estimated: `page program of 54 serial NOR parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// Its value, as the verdict takes it.
    pub value: f64,
    /// The least value that it may have.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Unit of the three, and of `flips_at`.
    pub unit: String,
    /// The limit that decides beyond the value at which the verdict flips.
    pub limit: String,
    /// Other figures that must lie at the ends of their ranges besides, because none flips the verdict alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together_with: Vec<String>,
}

/// A limit that was kept in simulation, and beyond which the proven bound lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnprovenLimit {
    /// The limit.
    pub limit: String,
    /// The metric that it is about.
    pub metric: Metric,
    /// What is proven of the metric; nothing where no bound is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// One step of a distribution of durations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistogramBucket {
    /// Longest duration in the bucket, in seconds.
    pub upper_s: f64,
    /// Accesses in the bucket.
    pub count: u64,
}

/// A sheet of a part or board that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SheetUse {
    /// Its id in targets.
    pub id: String,
    /// Name as its maker writes it.
    pub name: String,
    /// Who makes it.
    pub manufacturer: String,
    /// Die, data-sheet revision and date: what the sources of its figures refer to.
    pub revision: String,
    /// Whether the sheet came with the program; otherwise it was the user's own.
    pub embedded: bool,
}

/// A figure of a part or board that the rows rest on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FigureUse {
    /// Part or board whose sheet states it.
    pub sheet: String,
    /// Dotted path of the figure in the sheet.
    pub figure: String,
    /// Its columns as the sheet writes them.
    pub value: String,
    /// Where it comes from.
    pub basis: Basis,
    /// Document and place, or the reason for an assumption.
    pub source: String,
}

impl HistogramBucket {
    /// The occupied buckets of a histogram, for a document.
    #[must_use]
    pub fn all_of(histogram: &LatencyHistogram) -> Vec<Self> {
        histogram
            .buckets()
            .map(|bucket| Self {
                upper_s: bucket.upper.si(),
                count: bucket.count,
            })
            .collect()
    }
}

/// Why a document cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text is no JSON, or not of the expected shape.
    #[error("line {line}, column {column}: {message}")]
    Malformed {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The document was written in another layout.
    #[error("schema_version is {found}; this version reads {OLDEST_VERSION} to {SCHEMA_VERSION}")]
    Version {
        /// What the document says.
        found: u64,
    },
    /// A row contradicts the rules of the document.
    #[error("row {row}: {message}")]
    Row {
        /// Index of the row, from 0.
        row: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A verdict contradicts itself or another one.
    #[error("verdict {verdict}: {message}")]
    Verdict {
        /// Index of the verdict, from 0.
        verdict: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl DocumentError {
    /// Where the fault is: a line and a column, or a field.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Malformed { line, column, .. } => format!("line {line}, column {column}"),
            Self::Row { row, .. } => format!("rows[{row}]"),
            Self::Verdict { verdict, .. } => format!("verdicts[{verdict}]"),
            Self::Version { .. } => "schema_version".to_owned(),
        }
    }

    pub(crate) fn malformed(error: serde_json::Error) -> Self {
        Self::Malformed {
            line: error.line(),
            column: error.column(),
            message: without_place(&error),
        }
    }
}

impl Experiment {
    /// Reads an experiment, or the one inside a result document. What an experiment leaves out is as its command has it
    /// without a flag; see [`usual`](crate::Workload::usual).
    ///
    /// # Errors
    /// When the text is neither.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        /// What only a result document has.
        #[derive(Deserialize)]
        struct Header {
            experiment: Option<serde::de::IgnoredAny>,
        }
        let header: Header = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        match header.experiment {
            Some(_) => ResultSet::from_json(text).map(|document| document.experiment),
            None => match serde_json::from_str(text) {
                Err(error) if error.to_string().starts_with("missing field") => {
                    Self::filled(text, error)
                }
                read => read.map_err(DocumentError::malformed),
            },
        }
    }

    /// An experiment whose text leaves something out, and what that is.
    fn filled(text: &str, missing: serde_json::Error) -> Result<Self, DocumentError> {
        let mut stated: Value = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        let (line, column) = (missing.line(), missing.column());
        fill_usual(&mut stated);
        serde_json::from_value(stated).map_err(|error| DocumentError::Malformed {
            // What was filled in has no place in the text.
            line,
            column,
            message: without_place(&error),
        })
    }

    /// The experiment that a value states. What it leaves out is as its command has it without a flag.
    ///
    /// # Errors
    /// With what is wrong, and what is allowed.
    pub fn from_value(mut stated: Value) -> Result<Self, String> {
        fill_usual(&mut stated);
        serde_json::from_value(stated).map_err(|error| without_place(&error))
    }

    /// The experiment as indented JSON with a final line feed.
    #[must_use]
    pub fn to_json(&self) -> String {
        match serde_json::to_string_pretty(self) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("plain data with text keys serialises: {error}"),
        }
    }
}

/// Adds what the command of its workload has without a flag to a stated experiment. A workload without usual settings states
/// its own.
fn fill_usual(stated: &mut Value) {
    let kind = |value: &Value| value.get("kind")?.as_str().map(str::to_owned);
    let workload = stated.get("workload");
    let test = workload.and_then(|of| of.get("test"));
    let test = test.and_then(|of| kind(of).or_else(|| only_name(of).map(str::to_owned)));
    let usual = workload
        .and_then(kind)
        .and_then(|kind| Workload::usual(&kind, test.as_deref()));
    let conditions =
        serde_json::json!({"targets": [], "timing": Timing::Typ, "age": 0.0, "seed": 0});
    fill(stated, conditions);
    if let Some(workload) = usual {
        let workload = serde_json::to_value(workload).unwrap_or_default();
        fill(stated, serde_json::json!({"workload": workload}));
    }
}

/// The name of a value that has a single one.
fn only_name(of: &Value) -> Option<&str> {
    let fields = of.as_object().filter(|fields| fields.len() == 1)?;
    fields.keys().next().map(String::as_str)
}

/// Adds what a value does not state, at any depth. What is of another kind has other fields.
fn fill(stated: &mut Value, usual: Value) {
    let (Value::Object(stated), Value::Object(usual)) = (stated, usual) else {
        return;
    };
    if stated.contains_key("kind") && stated.get("kind") != usual.get("kind") {
        return;
    }
    // Or its only name tells it apart.
    let is_variant = |of: &Map<String, Value>| of.len() == 1 && of.values().all(Value::is_object);
    if is_variant(stated) && is_variant(&usual) && stated.keys().ne(usual.keys()) {
        return;
    }
    for (name, value) in usual {
        match stated.get_mut(&name) {
            Some(known) => fill(known, value),
            None => {
                stated.insert(name, value);
            }
        }
    }
}

impl ResultSet {
    /// An empty document for an experiment.
    #[must_use]
    pub fn new(experiment: Experiment) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            wordline: env!("CARGO_PKG_VERSION").to_owned(),
            experiment,
            complete: true,
            answer: None,
            warnings: Vec::new(),
            rows: Vec::new(),
            verdicts: Vec::new(),
            histograms: BTreeMap::new(),
            sheets: Vec::new(),
            figures: Vec::new(),
            environment: None,
        }
    }

    /// Reads a document and checks it.
    ///
    /// # Errors
    /// When the text is no document of this version, or a row breaks a rule.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        /// Read first, so that a document of another version is named as such.
        #[derive(Deserialize)]
        struct Header {
            schema_version: u64,
        }
        let header: Header = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        let readable = u64::from(OLDEST_VERSION)..=u64::from(SCHEMA_VERSION);
        if !readable.contains(&header.schema_version) {
            return Err(DocumentError::Version {
                found: header.schema_version,
            });
        }
        let mut document: Self = serde_json::from_str(text).map_err(DocumentError::malformed)?;
        document.schema_version = SCHEMA_VERSION;
        document.check()?;
        Ok(document)
    }

    /// The document as indented JSON with a final line feed. JSON has no infinity: a number that is
    /// not finite would become null, which [`check`](Self::check) rules out.
    #[must_use]
    pub fn to_json(&self) -> String {
        match serde_json::to_string_pretty(self) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("plain data with text keys serialises: {error}"),
        }
    }

    /// Checks the rules that the types cannot hold: units as registered, a reason wherever a value
    /// is missing, histograms that exist, no two rows for one thing, and verdicts that agree with their own numbers.
    ///
    /// # Errors
    /// Names the first row, or the first verdict, that breaks a rule.
    pub fn check(&self) -> Result<(), DocumentError> {
        let mut seen = HashSet::new();
        for (index, row) in self.rows.iter().enumerate() {
            let fail = |message: String| {
                Err(DocumentError::Row {
                    row: index,
                    message,
                })
            };
            if row.unit != row.metric.unit() {
                let (metric, unit) = (row.metric, row.metric.unit());
                return fail(format!("{metric} is in {unit}, not in {:?}", row.unit));
            }
            if row.value.is_some() == row.no_value.is_some() {
                return fail("exactly one of value and no_value must be given".into());
            }
            if row.value.is_some_and(|value| !value.is_finite()) || !row.age.is_finite() {
                return fail("a number is not finite".into());
            }
            let is_of_files = ["fs", "io"].contains(&&*row.workload);
            if let Some(value) = row.value
                && !(row.metric.allows(value)
                    && (!is_of_files || row.metric.allows_of_files(value)))
            {
                return fail(format!("{} cannot be {value}", row.metric));
            }
            if let Some(name) = &row.distribution
                && !self.histograms.contains_key(name)
            {
                return fail(format!("there is no histogram {name:?}"));
            }
            if !seen.insert(row.identity()) {
                return fail(format!("another row has the same {}", row.identity()));
            }
        }
        let mut judged = HashSet::new();
        for (index, verdict) in self.verdicts.iter().enumerate() {
            let twice = !judged.insert((&verdict.target, verdict.timing));
            let again = || {
                let (target, timing) = (&verdict.target, verdict.timing.name());
                format!("another verdict is on {target} at {timing}")
            };
            let problem = verdict.problem().or_else(|| twice.then(again));
            if let Some(message) = problem {
                return Err(DocumentError::Verdict {
                    verdict: index,
                    message,
                });
            }
        }
        Ok(())
    }

    /// The command that makes the document again. Where sheets of the user's own were used, `DIR`
    /// stands for the folder that holds them: documents hold no paths.
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut command = self.experiment.command_line();
        if self.sheets.iter().any(|sheet| !sheet.embedded) {
            command.push_str(" --catalog DIR");
        }
        command
    }

    /// Adds a warning, unless the document has it already.
    pub fn warn(&mut self, warning: impl Into<Warning>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds what another part of the same experiment found, behind what is there. Warnings, sheets and figures stand once.
    pub fn absorb(&mut self, part: Self) {
        fn once<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
            for one in more {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        self.complete &= part.complete;
        once(&mut self.warnings, part.warnings);
        self.rows.extend(part.rows);
        self.verdicts.extend(part.verdicts);
        self.histograms.extend(part.histograms);
        once(&mut self.sheets, part.sheets);
        once(&mut self.figures, part.figures);
        if let Some(environment) = part.environment {
            self.environment.get_or_insert_default().extend(environment);
        }
    }

    /// Whether any run failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.no_value == Some(NoValue::Failed))
    }

    /// The rows of one metric.
    pub fn of(&self, metric: Metric) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.metric == metric)
    }
}

/// Characters of a document's text that a message repeats, and of a list of names.
const SHOWN: usize = 120;

/// The message of a JSON error without its place, which is reported beside it, and without a long list of names.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let Some((fault, names)) = message.split_once(", expected one of ") else {
        return shortened(message);
    };
    if names.len() <= SHOWN {
        return shortened(message);
    }
    let all = "docs/reference/ lists all names";
    let found = fault.split('`').nth(1).unwrap_or_default();
    let names: Vec<&str> = names.split('`').skip(1).step_by(2).collect();
    match nearest(found, names).as_slice() {
        [] => format!("{}; {all}", shortened(fault)),
        nearest => format!(
            "{fault}; did you mean `{}`? ({all})",
            nearest.join("` or `")
        ),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(2 * SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads axes, each of which may stand once, under its old name or its new one.
fn distinct_axes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Axis, AxisValue>, D::Error> {
    struct AxesVisitor;

    impl<'de> Visitor<'de> for AxesVisitor {
        type Value = BTreeMap<Axis, AxisValue>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the axes of a row")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut axes = BTreeMap::new();
            while let Some((axis, value)) = map.next_entry::<Axis, _>()? {
                if axes.insert(axis, value).is_some() {
                    let problem = format!("the axis {axis} stands twice in a row");
                    return Err(serde::de::Error::custom(problem));
                }
            }
            Ok(axes)
        }
    }

    deserializer.deserialize_map(AxesVisitor)
}

impl Row {
    /// The columns that identify the row, as text.
    #[must_use]
    pub fn identity(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!(
            "target {}, part {}, board {}, workload {}, operation {}, timing {}, age {}, metric {}",
            self.target,
            self.part,
            self.board,
            self.workload,
            self.operation,
            self.timing,
            self.age,
            self.metric
        );
        for (axis, value) in &self.axes {
            let _ = write!(text, ", {axis} {value}");
        }
        text
    }

    /// Whether it is the figure itself: no part of it by cause, and no estimate.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let parts = [Axis::Cause, Axis::Estimate];
        !parts.iter().any(|axis| self.axes.contains_key(axis))
    }

    /// An axis as a whole number.
    #[must_use]
    pub fn count(&self, axis: Axis) -> Option<u64> {
        match self.axes.get(&axis)? {
            AxisValue::Count(value) => Some(*value),
            AxisValue::Number(_) | AxisValue::Text(_) => None,
        }
    }

    /// An axis as text.
    #[must_use]
    pub fn text(&self, axis: Axis) -> Option<&str> {
        match self.axes.get(&axis)? {
            AxisValue::Text(text) => Some(text),
            AxisValue::Count(_) | AxisValue::Number(_) => None,
        }
    }
}

/// The JSON Schema of the document, generated from its types.
///
/// # Panics
/// Never: the schema is plain data.
#[must_use]
pub fn json_schema() -> String {
    match serde_json::to_string_pretty(&schemars::schema_for!(ResultSet)) {
        Ok(text) => text + "\n",
        Err(error) => unreachable!("a schema is plain JSON: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{RawWorkload, Workload};

    fn row(metric: Metric, value: Option<f64>) -> Row {
        Row {
            target: "p@b".into(),
            part: "p".into(),
            board: "b".into(),
            workload: "raw".into(),
            operation: RowOperation::Write,
            axes: BTreeMap::from([(Axis::AccessBytes, AxisValue::Count(2048))]),
            timing: Timing::Typ,
            age: 0.0,
            metric,
            value,
            no_value: None,
            unit: metric.unit().into(),
            basis: Basis::Simulated,
            distribution: None,
        }
    }

    fn document(rows: Vec<Row>) -> ResultSet {
        let mut document = ResultSet::new(Experiment {
            targets: vec!["p@b".into()],
            workload: Workload::Raw(RawWorkload::default()),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        });
        document.rows = rows;
        document
    }

    #[test]
    fn what_an_experiment_leaves_out_is_of_its_own_test_and_kind() {
        let text = r#"{"workload": {"kind": "kv", "test": {"crash": {"images": 4}}}}"#;
        let read = Experiment::from_json(text).expect("the rest is usual");
        let Workload::Kv(kv) = read.workload else {
            panic!("it is of another kind");
        };
        let usual = Workload::usual("kv", Some("crash"));
        let Some(Workload::Kv(mut usual)) = usual else {
            panic!("there is none");
        };
        if let crate::KvTest::Crash(crash) = &mut usual.test {
            crash.images = Some(4);
        }
        assert_eq!(kv, usual);
        let text = r#"{"workload": {"kind": "health", "of": "score", "families": 2}}"#;
        let read = Experiment::from_json(text).expect("it states all of its own");
        assert_eq!((read.timings, read.seed), (vec![Timing::Typ], 0));
        let text = r#"{"workload": {"kind": "health", "of": "score"}}"#;
        let missing = Experiment::from_json(text).expect_err("nothing is usual");
        assert!(missing.to_string().contains("families"), "{missing}");
    }

    #[test]
    fn a_document_survives_json() {
        let document = document(vec![row(Metric::LatencyMax, Some(5.2e-5))]);
        let json = document.to_json();
        assert!(json.contains(r#""access_bytes": 2048"#), "{json}");
        assert_eq!(ResultSet::from_json(&json), Ok(document));
    }

    #[test]
    fn broken_rows_are_named() {
        let good = row(Metric::LatencyMax, Some(1.0));
        let no_value = row(Metric::LatencyMax, None);
        let mut wrong_unit = good.clone();
        wrong_unit.unit = "us".into();
        let infinite = row(Metric::LatencyMax, Some(f64::INFINITY));
        let of_files = |metric, value| Row {
            workload: "fs".into(),
            ..row(metric, Some(value))
        };
        let negative = of_files(Metric::LatencyMax, -1.0);
        let half = of_files(Metric::CrashImages, 0.5);
        let mut lost = good.clone();
        lost.distribution = Some("nowhere".into());
        let cases = [
            (
                vec![good.clone(), good.clone()],
                "row 1: another row has the same",
            ),
            (vec![no_value], "row 0: exactly one of value and no_value"),
            (
                vec![wrong_unit],
                "row 0: latency_max is in s, not in \"us\"",
            ),
            (vec![infinite], "row 0: a number is not finite"),
            (vec![negative], "row 0: latency_max cannot be -1"),
            (vec![half], "row 0: crash_images cannot be 0.5"),
            (vec![lost], "row 0: there is no histogram"),
        ];
        for (rows, expected) in cases {
            let error = document(rows).check().expect_err(expected).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn verdicts_that_contradict_themselves_are_named() {
        let good = Verdict {
            target: "p@b".into(),
            timing: Timing::Typ,
            pass: true,
            limit: "ram".into(),
            metric: Metric::RamProvision,
            value: Some(4096.0),
            allowed: 16_384.0,
            unproven: Vec::new(),
            margin: Some(0.75),
            certainty: Certainty::Certain,
            deciding_figure: None,
            flips_at: None,
            deciding: None,
            bound: None,
            note: None,
        };
        let broken = |change: &dyn Fn(&mut Verdict)| {
            let mut document = document(Vec::new());
            let mut verdict = good.clone();
            change(&mut verdict);
            document.verdicts = vec![good.clone(), verdict];
            document.verdicts[1].timing = Timing::Max;
            document.check().map_err(|error| error.to_string())
        };
        assert_eq!(broken(&|_| {}), Ok(()));
        let exactly = |verdict: &mut Verdict| {
            (verdict.value, verdict.margin) = (Some(16_384.0), Some(0.0));
        };
        assert_eq!(broken(&exactly), Ok(()));
        type Change<'c> = (&'c dyn Fn(&mut Verdict), &'c str);
        let changes: [Change<'_>; 8] = [
            (&|one| one.allowed = -5.0, "no limit allows -5, below zero"),
            (&|one| one.allowed = f64::NAN, "a number is not finite"),
            (
                &|one| one.flips_at = Some(f64::INFINITY),
                "a number is not finite",
            ),
            (
                &|one| one.margin = Some(-0.5),
                "it passes with a margin of -0.5",
            ),
            (&|one| one.pass = false, "it fails with a margin of 0.75"),
            (
                &|one| one.value = Some(20_000.0),
                "it passes with ram_provision 20000, and 16384 is allowed",
            ),
            (
                &|one| {
                    (one.metric, one.margin) = (Metric::ThroughputMean, None);
                },
                "it passes with throughput_mean 4096, and 16384 is allowed",
            ),
            (
                &|one| one.deciding_figure = Some("p: nand.page_program".into()),
                "it is certain, and a figure decides it",
            ),
        ];
        for (change, words) in changes {
            let found = broken(change).expect_err(words);
            assert_eq!(found.strip_prefix("verdict 1: "), Some(words), "{found}");
        }
        let mut twice = document(Vec::new());
        twice.verdicts = vec![good.clone(), good];
        assert_eq!(
            twice.check().expect_err("twice").to_string(),
            "verdict 1: another verdict is on p@b at typ"
        );
    }

    #[test]
    fn other_versions_and_other_files_are_refused() {
        let other = ResultSet::from_json(r#"{"schema_version": 3}"#);
        assert_eq!(other, Err(DocumentError::Version { found: 3 }));
        for text in [
            "",
            "{",
            "[]",
            "null",
            "{\"schema_version\": 1}",
            "\u{0}\u{1}",
        ] {
            assert!(ResultSet::from_json(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn documents_of_version_1_are_read_with_their_old_names() {
        let mut now = row(Metric::IntervalAvailability, Some(0.5));
        now.axes.insert(Axis::Population, "block".into());
        let document = document(vec![now]);
        let new = document.to_json();
        let old = new
            .replace("\"schema_version\": 2", "\"schema_version\": 1")
            .replace("interval_availability", "band_told")
            .replace("\"population\"", "\"of\"");
        assert_ne!(new, old);
        assert_eq!(ResultSet::from_json(&old), Ok(document));
    }

    #[test]
    fn an_axis_that_stands_twice_and_a_name_that_does_not_exist_are_refused_in_a_line() {
        let one = row(Metric::LatencyMean, Some(1e-3));
        let json = serde_json::to_string(&one).expect("a row serialises");
        let twice = json.replace("\"access_bytes\":", "\"access_bytes\":1,\"access_bytes\":");
        let error = serde_json::from_str::<Row>(&twice).expect_err("it stands twice");
        assert!(
            error
                .to_string()
                .contains("the axis access_bytes stands twice"),
            "{error}"
        );
        let unknown = json.replace("latency_mean", &"x".repeat(1000));
        let error = serde_json::from_str::<Row>(&unknown).expect_err("no such metric");
        let message = without_place(&error);
        assert!(message.chars().count() < 300, "{message}");
        assert!(message.contains("docs/reference/"), "{message}");
    }

    #[test]
    fn axes_are_read_by_kind_and_written_as_columns() {
        let mut one = row(Metric::TimeShare, Some(0.5));
        one.axes.insert(Axis::Cause, AxisValue::Text("bus".into()));
        assert_eq!(one.text(Axis::Cause), Some("bus"));
        assert_eq!(one.count(Axis::AccessBytes), Some(2048));
        assert_eq!(one.count(Axis::Cause), None);
        let json = serde_json::to_value(&one).expect("plain data");
        assert_eq!(json["cause"], "bus");
        let columns = json.as_object().expect("a row is an object");
        for info in crate::AXES {
            let is_axis = one.axes.contains_key(&info.axis);
            assert_eq!(
                columns.contains_key(info.name),
                is_axis,
                "{} is a column of its own",
                info.name
            );
        }
        let mut unknown = json.clone();
        unknown["colour"] = "red".into();
        assert!(serde_json::from_value::<Row>(unknown).is_err());
    }
}
