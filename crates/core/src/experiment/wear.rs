//! The workload of `wordline wear`: blocks that are cycled until they fail.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pattern;

/// Blocks of flash chips that are programmed and erased until they fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WearWorkload {
    /// Blocks of each chip: the first good ones.
    pub blocks: u32,
    /// Chips of each target; the first is the one that the seed gives elsewhere, too.
    pub samples: u32,
    /// What is programmed in a cycle, each run by itself.
    pub usages: Vec<WearUsage>,
    /// Order of the cycles across blocks: each block until it fails, or one drawn from the seed after the other.
    pub order: Pattern,
    /// Temperatures of the chips in degrees Celsius, each run by itself.
    pub temperatures_celsius: Vec<f64>,
    /// Times in seconds that a programmed block keeps its charge before it is erased, each run by itself.
    pub dwells_s: Vec<f64>,
    /// Cycles after which a block that has not failed is given up.
    pub most_cycles: u64,
}

impl Default for WearWorkload {
    /// As `nand-characterisation` did: one page is programmed with zeros and the block erased at once, at 25 °C.
    fn default() -> Self {
        Self {
            blocks: 10,
            samples: 1,
            usages: vec![WearUsage::FirstPage],
            order: Pattern::Sequential,
            temperatures_celsius: vec![25.0],
            dwells_s: vec![0.0],
            most_cycles: 1_000_000_000,
        }
    }
}

/// What is programmed before each erase.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WearUsage {
    /// The first page of the block.
    FirstPage,
    /// All of its pages.
    WholeBlock,
    /// None.
    EraseOnly,
}

impl WearUsage {
    /// All.
    pub const ALL: [Self; 3] = [Self::FirstPage, Self::WholeBlock, Self::EraseOnly];

    /// As the command line and the column `usage` of result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstPage => "first-page",
            Self::WholeBlock => "whole-block",
            Self::EraseOnly => "erase-only",
        }
    }

    /// Pages that are programmed, of so many in a block.
    #[must_use]
    pub const fn pages(self, in_block: u32) -> u32 {
        match self {
            Self::FirstPage => 1,
            Self::WholeBlock => in_block,
            Self::EraseOnly => 0,
        }
    }
}

impl FromStr for WearUsage {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|usage| usage.name() == text);
        found.ok_or_else(|| {
            format!("unknown usage {text:?}; allowed: first-page, whole-block, erase-only")
        })
    }
}
