//! What is asked of memory modules: rows of a test, and what curves of latency over bandwidth say of two of them.

use serde::{Deserialize, Serialize};
use wordline_core::Mix;

/// A test of `wordline dram` on one target, with every setting at its default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ModuleRun {
    /// `MODULE@SYSTEM`.
    pub target: String,
    /// What is run.
    #[serde(flatten)]
    pub test: ModuleTest,
}

/// A test whose rows are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "test", rename_all = "lowercase")]
pub enum ModuleTest {
    /// Latency without load.
    Idle,
    /// What sequential streams of all cores carry.
    Bandwidth {
        /// Reads for each write.
        mix: Mix,
    },
}

/// A question to the curves of two targets under read-only load, latency over delivered bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
    /// What is asked.
    #[serde(flatten)]
    pub question: Question,
    /// `MODULE@SYSTEM` that is asked about.
    pub target: String,
    /// `MODULE@SYSTEM` that it is compared with.
    pub against: String,
}

/// What is asked of two curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "curve", rename_all = "lowercase")]
pub enum Question {
    /// The least bandwidth from which on the target's latency is below the other's, in B/s.
    Crossover,
    /// By which fraction the target's latency is below the other's, at a bandwidth.
    Reduction {
        /// It is the one at which the other's latency is so many times its own without load.
        idle_multiple: f64,
    },
    /// The target's share of latencies that are no longer than a time, at a bandwidth.
    Share {
        /// The time in picoseconds.
        within_ps: u64,
        /// The bandwidth is the one at which this is the other's share.
        against_share: f64,
    },
}

impl Question {
    /// SI unit of the answer; `1` for a fraction.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Crossover => "B/s",
            Self::Reduction { .. } | Self::Share { .. } => "1",
        }
    }
}

/// A test as the file writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TestName {
    Idle,
    Bandwidth,
}

/// A question as the file writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum QuestionName {
    Crossover,
    Reduction,
    Share,
}
