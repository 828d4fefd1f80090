//! The translation layer that raw flash is run behind.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{Fraction, Quantity as _};

/// A flash translation layer between the workload and raw flash: sectors that can be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslationLayer {
    /// How logical pages find their places.
    pub mapping: FtlMapping,
    /// Share of the blocks that the workload does not see: over-provisioning.
    #[schemars(with = "String")]
    pub spare: Fraction,
}

impl TranslationLayer {
    /// Share of the blocks that is spare, unless the user says otherwise.
    pub const SPARE: f64 = 0.12;

    /// A layer with the usual spare blocks.
    #[must_use]
    pub fn of(mapping: FtlMapping) -> Self {
        Self {
            mapping,
            spare: Fraction::from_si(Self::SPARE),
        }
    }
}

/// As the column `ftl` of result rows spells it: `page, 12 % spare`.
impl fmt::Display for TranslationLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} spare", self.mapping.name(), self.spare)
    }
}

/// How the logical pages of a translation layer find their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FtlMapping {
    /// Every page anywhere: fast, with a table of all pages in RAM.
    Page,
    /// Blocks at whole places, and a few log blocks that are merged with them: a small table.
    LogBlock,
}

impl FtlMapping {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Page, Self::LogBlock];

    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::LogBlock => "log-block",
        }
    }
}

impl FromStr for FtlMapping {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("allowed: {}", Self::ALL.map(Self::name).join(", ")))
    }
}
