//! The workload of `wordline wear health`: how much of its life a block of flash has used, from its latency.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Remaining life of blocks of flash from how long their programs and erases take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
pub enum HealthWorkload {
    /// The blocks of a cycling log.
    Trace {
        /// The log's last name.
        file: String,
    },
    /// Virtual chips of families that the predictor was not trained on: how well it predicts.
    Score {
        /// Families of each kind, drawn from the seed.
        families: u32,
    },
}

impl HealthWorkload {
    /// Families of a score unless somebody says otherwise.
    pub const FAMILIES: u32 = 40;
}
