//! The answer of a document: what to take, what it costs, and what would change that, as fields and as sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::basis::Basis;
use crate::metric::Metric;
use crate::names::named;

/// What a document answers, computed from its rows and verdicts. Whoever reads a document makes it anew, so that it
/// never contradicts them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionCard {
    /// The answer, in a sentence or two.
    pub sentence: String,
    /// What to take: a target, or what was compared on it. Nothing where no candidate can be recommended.
    #[serde(default)]
    pub take: Option<String>,
    /// What that means, one subject after the other.
    #[serde(default)]
    pub points: Vec<CardPoint>,
    /// Everything that was compared, the best first.
    #[serde(default)]
    pub ranking: Vec<RankedChoice>,
    /// The document's warnings by kind, the most important first.
    #[serde(default)]
    pub cautions: Vec<CautionCount>,
}

/// One thing to know of a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardPoint {
    /// What it is about.
    pub subject: CardSubject,
    /// The same in words.
    pub text: String,
    /// What it is said of, where that is not what to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The metric whose value says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// That value, in the metric's unit; of several columns of the data sheet the worst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Unit of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Where the value comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
}

impl CardPoint {
    /// Words alone.
    #[must_use]
    pub fn words(subject: CardSubject, text: impl Into<String>) -> Self {
        Self {
            subject,
            text: text.into(),
            of: None,
            metric: None,
            value: None,
            unit: None,
            basis: None,
        }
    }

    /// Words with the value that they tell.
    #[must_use]
    pub fn of_value(
        subject: CardSubject,
        text: impl Into<String>,
        metric: Metric,
        value: Option<f64>,
        basis: Basis,
    ) -> Self {
        Self {
            metric: Some(metric),
            value,
            unit: Some(metric.unit().to_owned()),
            basis: Some(basis),
            ..Self::words(subject, text)
        }
    }

    /// The same, said of something else.
    #[must_use]
    pub fn about(self, of: impl Into<String>) -> Self {
        Self {
            of: Some(of.into()),
            ..self
        }
    }
}

named! {
    /// What a point of a decision card is about.
    pub enum CardSubject {
        /// RAM to set aside.
        Provision = "provision",
        /// What a power cut loses.
        PowerCut = "power_cut",
        /// How long it lasts.
        Life = "life",
        /// What it costs.
        Cost = "cost",
        /// Energy or power.
        Energy = "energy",
        /// How fast it is.
        Speed = "speed",
        /// The slowest access.
        WorstCase = "worst_case",
        /// Where the difference comes from.
        Cause = "cause",
        /// The second best, and why it is second.
        RunnerUp = "runner_up",
        /// The weakest figure that the answer rests on, and what would turn it.
        Weakest = "weakest",
        /// How many of the figures behind it no source states.
        Figures = "figures",
        /// What to set, and how to run it again.
        Settings = "settings",
        /// What would help.
        Advice = "advice",
        /// A further finding.
        Finding = "finding",
        /// Why a run came to no figures.
        Failure = "failure",
    }
}

impl CardSubject {
    /// As a line of the card begins.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::PowerCut => "power cut",
            Self::Life => "life",
            Self::Cost => "cost",
            Self::Energy => "energy",
            Self::Speed => "speed",
            Self::WorstCase => "worst case",
            Self::Cause => "why",
            Self::RunnerUp => "runner-up",
            Self::Weakest => "rests on",
            Self::Figures => "figures",
            Self::Settings => "settings",
            Self::Advice => "to improve",
            Self::Finding => "also",
            Self::Failure => "failed",
        }
    }
}

/// One of the things that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedChoice {
    /// A target, or what was compared on it.
    pub name: String,
    /// How it fared: `pass`, `depends`, `fail`, `unknown`; nothing where nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<ChoiceStanding>,
    /// The limit that decides, where it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The metric by which it is ranked, or that the limit is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Its value, in the metric's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Share of the limit that is left; negative when it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

named! {
    /// How a candidate fared against the limits.
    pub enum ChoiceStanding {
        /// It passes wherever its figures lie in their ranges.
        Pass = "pass",
        /// It passes with some values of a figure and fails with others.
        Depends = "depends",
        /// It fails.
        Fail = "fail",
        /// What the limit is about is not known.
        Unknown = "unknown",
    }
}

/// Warnings of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CautionCount {
    /// Their code.
    pub code: String,
    /// How many there are.
    pub count: usize,
    /// What they are about, in words.
    pub text: String,
}
