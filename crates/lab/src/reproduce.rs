//! Published values beside ours: what is run for each, and how it is judged.
//!
//! A value that cannot be computed yet says in `needs` what has to exist first, and in `fails_with` how it fails until
//! then; any other failure is reported. As soon as it can be computed it is run and judged like any other, and its `needs`
//! is reported as out of date. A listed miss that hits is reported too: the data must say what holds.

mod band;
mod bench;
mod curves;
mod headline;
mod runs;
mod statement;
mod theory;

use serde::Serialize;
use wordline_catalog::Catalog;
use wordline_core::results::NoValue;

use crate::control::Control;
use crate::published::{Allowed, Kind, Measure, Published, PublishedNeed, Use, Value};
pub use band::{ExplainedShare, ReproducedBand};
use bench::ReproductionBench;
pub use headline::Headline;
use statement::Statement;

/// How documents are reproduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether values of memory modules get a band: that takes a few minutes, and decides no verdict.
    pub bands: bool,
}

/// Documents reproduced.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduction {
    /// The numbers to read first.
    pub headline: Headline,
    /// False when the caller stopped it: later values are missing.
    pub complete: bool,
    /// Whether nothing needs attention.
    pub pass: bool,
    /// How many statements of all documents are met, each kind and use by itself.
    pub score: Score,
    /// One each, in the order asked for.
    pub documents: Vec<Reproduced>,
}

/// One document reproduced.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduced {
    /// The numbers to read first.
    pub headline: Headline,
    /// Short name of the document.
    pub document: String,
    /// Its title.
    pub title: String,
    /// Target that stands for its hardware, where a row names no other.
    pub target: String,
    /// What it says and what holds instead.
    pub errata: Vec<String>,
    /// How many statements are met, each kind and use by itself.
    pub score: Score,
    /// A row for each value.
    pub rows: Vec<Comparison>,
}

/// How many statements are met, each once, however many values stand for it. Only sharp predictions say how good the
/// model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Sharp predictions: a wrong model would have missed them.
    pub predicted: Tally,
    /// The same where they rest on a figure that we assumed.
    pub assumed: Tally,
    /// What the model was calibrated with.
    pub calibrated: Tally,
    /// What could hardly miss, the copies and the arithmetic of the next three among them.
    pub consistency: Tally,
    /// Data-sheet figures that document and sheet both copy.
    pub datasheet: Tally,
    /// Figures that our sheets have from the document itself.
    pub copied: Tally,
    /// What the theory gives for stated accesses, without a model of a memory.
    pub theory: Tally,
}

/// The verdicts on statements of one kind or use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Statements that were computed: hits and misses.
    pub run: usize,
    /// Of these, those whose values are all within what was allowed.
    pub hit: usize,
    /// Of these, missed as listed.
    pub listed_miss: usize,
    /// Of these, missed and not listed.
    pub new_miss: usize,
    /// Statements that cannot be computed yet, as their `needs` says.
    pub pending: usize,
    /// Statements that should have been computed, and could not be.
    pub failed: usize,
}

/// One value beside ours. Numbers are in SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Where the value stands, and how it was read.
    pub citation: String,
    /// What the value is to the model.
    pub r#use: Use,
    /// What a hit says of the model.
    pub kind: Kind,
    /// Why it could hardly miss, where it is a check of consistency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What of ours is compared.
    pub of: Measure,
    /// What that is divided by, where the document prints a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Measure>,
    /// The value as printed.
    pub published_text: String,
    /// The value; null for a statement without a number, and for one without limit.
    pub published: Option<f64>,
    /// What counts as a hit.
    #[serde(flatten)]
    pub allowed: Allowed,
    /// Ours; null where it could not be computed.
    pub value: Option<f64>,
    /// Where ours comes to lie when undisclosed choices are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<ReproducedBand>,
    /// Why ours has no number though it is known: it is `unbounded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_value: Option<NoValue>,
    /// Unit of the numbers; `1` for a ratio.
    pub unit: &'static str,
    /// Ours less the published value, as a fraction of the published value.
    pub difference: Option<f64>,
    /// By how much ours differs from the printed number, or from the nearer one of a printed range, as a fraction of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// How it went.
    pub verdict: Verdict,
    /// Why a miss is known, or what a pending value waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What needs attention, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How a comparison went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within what was allowed.
    Hit,
    /// Outside, and the data do not know it.
    NewMiss,
    /// Outside, as the data say with their reason.
    ListedMiss,
    /// It cannot be computed yet, as the data say.
    Pending,
    /// It should have been computed, and could not be.
    Failed,
}

impl Verdict {
    /// Whether the value was computed and judged.
    #[must_use]
    pub const fn ran(self) -> bool {
        matches!(self, Self::Hit | Self::NewMiss | Self::ListedMiss)
    }

    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::NewMiss => "new miss",
            Self::ListedMiss => "listed miss",
            Self::Pending => "not yet",
            Self::Failed => "failed",
        }
    }
}

/// Runs what the documents' values ask for, each distinct run once, and judges every value. `ended` is called with every
/// document that is finished.
#[must_use]
pub fn reproduce(
    catalog: &Catalog,
    documents: &[Published],
    options: Options,
    control: &Control<'_>,
    ended: &mut dyn FnMut(&Reproduced),
) -> Reproduction {
    let mut bench = ReproductionBench::new(catalog, documents, options, control);
    let mut reproduction = Reproduction {
        headline: Headline::default(),
        complete: true,
        pass: true,
        score: Score::default(),
        documents: Vec::new(),
    };
    let mut statements = Vec::new();
    for document in documents {
        let mut reproduced = Reproduced {
            headline: Headline::default(),
            document: document.key.clone(),
            title: document.title.clone(),
            target: document.target.clone(),
            errata: document.errata.clone(),
            score: Score::default(),
            rows: Vec::new(),
        };
        bench.run(document);
        let mut of_document = Vec::new();
        for value in &document.value {
            let ours = bench.ours(value);
            let band = ours.as_ref().ok();
            let band = band.and_then(|&ours| bench.band(value, ours));
            if control.stopped() {
                reproduction.complete = false;
                break;
            }
            let mut row = judge(value, ours);
            row.band = band;
            Statement::add(&mut of_document, value.statement(), &row);
            reproduction.pass &= row.problem.is_none();
            reproduced.rows.push(row);
        }
        reproduced.headline = Headline::of(&of_document);
        reproduced.score = Score::of(&of_document);
        statements.extend(of_document);
        if reproduction.complete {
            ended(&reproduced);
        }
        reproduction.documents.push(reproduced);
        if !reproduction.complete {
            break;
        }
    }
    reproduction.headline = Headline::of(&statements);
    reproduction.score = Score::of(&statements);
    reproduction
}

/// Compares a value with ours, or with the reason why there is none.
fn judge(value: &Value, ours: Result<f64, String>) -> Comparison {
    let mut row = Comparison {
        citation: value.citation.clone(),
        r#use: value.r#use,
        kind: value.kind(),
        because: value.consistency(),
        of: value.of.clone(),
        over: value.over.clone(),
        published_text: value.text.clone(),
        published: value.published.filter(|published| published.is_finite()),
        allowed: value.allowed,
        value: None,
        band: None,
        no_value: None,
        unit: value.unit,
        difference: None,
        relative_error: None,
        verdict: Verdict::Failed,
        reason: None,
        problem: None,
    };
    let ours = match (ours, &value.needs) {
        (Ok(ours), _) => ours,
        (Err(why), Some(needs)) if why.contains(&needs.fails_with) => {
            row.verdict = Verdict::Pending;
            row.reason = Some(needs.what.clone());
            return row;
        }
        (Err(why), Some(needs)) => {
            let PublishedNeed { what, fails_with } = needs;
            row.problem = Some(format!(
                "it needs {what}, and would fail with {fails_with:?}, but fails otherwise: {why}"
            ));
            return row;
        }
        (Err(why), None) => {
            row.problem = Some(format!("it could not be computed: {why}"));
            return row;
        }
    };
    row.value = Some(ours).filter(|ours| ours.is_finite());
    row.no_value = ours.is_infinite().then_some(NoValue::Unbounded);
    let finite = value.published.filter(|published| published.is_finite());
    row.difference = finite.map(|published| ours / published - 1.0);
    row.difference = row.difference.filter(|difference| difference.is_finite());
    let error = value.relative_error(ours);
    row.relative_error = error.filter(|error| error.is_finite());
    let hit = match value.allowed {
        Allowed::Within { tolerance } => match row.difference {
            // The margin is for the rounding of this arithmetic.
            Some(difference) => difference.abs() <= tolerance * (1.0 + 1e-9),
            None => value.published == Some(ours),
        },
        Allowed::Between { at_least, at_most } => {
            at_least.is_none_or(|least| ours >= least) && at_most.is_none_or(|most| ours <= most)
        }
    };
    if let Some(awaits) = &value.awaits {
        if hit {
            row.verdict = Verdict::Pending;
            row.reason = Some(awaits.clone());
        } else {
            row.verdict = Verdict::NewMiss;
            row.problem = Some(
                "our prediction was recorded before anybody measured it, and is another now: a prediction that \
                 changes afterwards predicts nothing"
                    .to_owned(),
            );
        }
        return row;
    }
    let mut problems = Vec::new();
    row.verdict = match (hit, &value.miss) {
        (true, None) => Verdict::Hit,
        (true, Some(_)) => {
            problems.push("it is listed as a miss, but it hits now: remove its `miss`");
            Verdict::Hit
        }
        (false, None) => {
            problems.push("a new miss: mend the model, or list the miss with its reason");
            Verdict::NewMiss
        }
        (false, Some(reason)) => {
            row.reason = Some(reason.clone());
            Verdict::ListedMiss
        }
    };
    if value.needs.is_some() {
        problems.push("it is listed as not yet possible, but it runs now: remove its `needs`");
    }
    row.problem = (!problems.is_empty()).then(|| problems.join("; "));
    row
}

impl Score {
    fn of(statements: &[Statement<'_>]) -> Self {
        let mut score = Self::default();
        for statement in statements {
            let verdict = statement.verdict;
            let of_kind = match statement.kind {
                Kind::Predicted => &mut score.predicted,
                Kind::Assumed => &mut score.assumed,
                Kind::Calibrated => &mut score.calibrated,
                Kind::Consistency => &mut score.consistency,
            };
            of_kind.add(verdict);
            match statement.r#use {
                Use::Datasheet => score.datasheet.add(verdict),
                Use::Copied => score.copied.add(verdict),
                Use::Theory => score.theory.add(verdict),
                Use::Predicted | Use::Assumed | Use::Calibrated => {}
            }
        }
        score
    }
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        self.run += usize::from(verdict.ran());
        *match verdict {
            Verdict::Hit => &mut self.hit,
            Verdict::NewMiss => &mut self.new_miss,
            Verdict::ListedMiss => &mut self.listed_miss,
            Verdict::Pending => &mut self.pending,
            Verdict::Failed => &mut self.failed,
        } += 1;
    }
}

#[cfg(test)]
mod tests;
