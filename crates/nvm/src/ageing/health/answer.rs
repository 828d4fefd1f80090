//! The prediction for a block as an answer: what to do with it, and what may be said of its life.

use super::history::LatencyHistory;
use super::law::LawBand;
use super::predict::{Kin, Prediction, Trained, predict};
use super::trend::NoTrend;

/// Share of life from which on a block should no longer hold data.
pub const WORN: f64 = 0.8;

/// Share of life from which on the predictor was scored. Below it bands do not hold: the first steps of a latency say
/// little.
pub const SCORED_FROM: f64 = 0.1;

/// What to do with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthVerdict {
    /// One of its operations failed.
    Failed,
    /// It has probably used [`WORN`] of its life or more.
    Retire,
    /// It may have, within the band.
    Watch,
    /// It has not, within the band.
    Healthy,
    /// Its latency says nothing.
    Unknown,
}

impl HealthVerdict {
    /// As rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Retire => "retire",
            Self::Watch => "watch",
            Self::Healthy => "healthy",
            Self::Unknown => "unknown",
        }
    }

    const fn of(share: &LawBand) -> Self {
        if share.median >= WORN {
            Self::Retire
        } else if share.high >= WORN {
            Self::Watch
        } else {
            Self::Healthy
        }
    }
}

/// What the predictor answers of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockHealth {
    /// What to do with the block.
    pub verdict: HealthVerdict,
    /// What its latency says, or why it says nothing. Of a block that failed, too.
    pub found: Result<Prediction, NoTrend>,
}

impl BlockHealth {
    /// The answer for a block, beside what is known of others of its part.
    #[must_use]
    pub fn of(trained: &Trained, history: &LatencyHistory, kin: &Kin) -> Self {
        let found = predict(trained, history, history.cycles, kin);
        let verdict = match &found {
            _ if history.failed => HealthVerdict::Failed,
            Ok(found) => HealthVerdict::of(&found.share),
            Err(_) => HealthVerdict::Unknown,
        };
        Self { verdict, found }
    }

    /// Whether the block has used too little of its life to show how little: no share is stated then.
    #[must_use]
    pub fn is_young(&self) -> bool {
        self.found
            .is_ok_and(|found| found.share.median < SCORED_FROM)
    }
}
