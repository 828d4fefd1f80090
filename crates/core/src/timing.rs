//! Which of a data sheet's columns a simulation uses.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of a data sheet's columns a simulation uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Typical figures.
    #[default]
    Typ,
    /// The data sheet's worst case.
    Max,
    /// Drawn between the two, from the seed.
    Sampled,
}

impl Timing {
    /// Every timing class, as the command line spells it.
    pub const ALL: [Self; 3] = [Self::Typ, Self::Max, Self::Sampled];

    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typ => "typ",
            Self::Max => "max",
            Self::Sampled => "sampled",
        }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Timing {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|timing| timing.name() == text)
            .ok_or_else(|| format!("unknown timing class {text:?}; allowed: typ, max, sampled"))
    }
}
