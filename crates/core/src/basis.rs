//! Where a number comes from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a number comes from. Every figure and every result row carries one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Taken from hardware by this program.
    Measured,
    /// Computed by a model of this program.
    Simulated,
    /// A bound that no run can exceed.
    Proven,
    /// Printed by the maker of the part.
    Datasheet,
    /// Printed by somebody else who measured.
    Published,
    /// Chosen so that a model meets a measurement; never a prediction.
    Calibrated,
    /// Nothing better is known; the reason stands beside it.
    Assumed,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Proven => "proven",
            Self::Datasheet => "datasheet",
            Self::Published => "published",
            Self::Calibrated => "calibrated",
            Self::Assumed => "assumed",
        })
    }
}
