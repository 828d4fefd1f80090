//! How writes are made safe from a power cut.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How each write is made safe from a power cut before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteSync {
    /// By a flush behind it, which is part of the access.
    Flush,
    /// By the reliable write of an eMMC.
    Reliable,
}

impl WriteSync {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Flush, Self::Reliable];

    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flush => "flush",
            Self::Reliable => "reliable",
        }
    }
}

impl fmt::Display for WriteSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for WriteSync {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("allowed: {}", Self::ALL.map(Self::name).join(", ")))
    }
}
