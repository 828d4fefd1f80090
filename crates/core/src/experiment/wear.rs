//! The workload of `wordline wear`: blocks that are cycled until they fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pattern;
use crate::names::named;

/// Blocks of flash chips that are programmed and erased until they fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct WearWorkload {
    /// Blocks of each chip, the first good ones.
    #[cfg_attr(feature = "cli", arg(long))]
    pub blocks: u32,
    /// Chips of each target, each drawn by itself.
    #[cfg_attr(feature = "cli", arg(long))]
    pub samples: u32,
    /// What is programmed before each erase; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "usage"))]
    pub usages: Vec<WearUsage>,
    /// Order of the cycles across blocks: each block until it fails, or drawn from the seed.
    #[cfg_attr(feature = "cli", arg(long))]
    pub order: Pattern,
    /// Temperature of the chip in degrees Celsius, -40 to 125; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "temperature"))]
    pub temperatures_celsius: Vec<f64>,
    /// Time that a programmed block keeps its charge before it is erased; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "dwell"))]
    pub dwells_s: Vec<f64>,
    /// Cycles after which a block that has not failed is given up.
    #[cfg_attr(feature = "cli", arg(long = "max-cycles"))]
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

named! {
    /// What is programmed before each erase.
    pub enum WearUsage {
        /// The first page of the block.
        FirstPage = "first-page",
        /// All of its pages.
        WholeBlock = "whole-block",
        /// None.
        EraseOnly = "erase-only",
    }
}

impl WearUsage {
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

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Wear(WearWorkload::default())
}

/// `wordline wear`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["wear"],
    about: "Cycle blocks of flash until they fail: endurance, and latency over life",
    examples: "\
Examples:
  wordline wear --target nand08gw3b2c --blocks 100
  wordline wear --target nand08gw3b2c,mt29f8g08maawc --samples 5 --export wear.html
  wordline wear --target nand08gw3b2c --usage first-page,whole-block,erase-only
  wordline wear --target i29f16g08canc1 --temperature 5,25,80
  wordline wear --target hy27us08121a --order random --timing sampled
  wordline wear --target mt25ql128 --usage erase-only
  wordline wear --target nand08gw3b2c --blocks 100 --log life.csv
  wordline wear --target mtd:/dev/mtd3 --blocks 4 --destroy /dev/mtd3 --log life.csv \\
    --export life.html
  wordline wear health --trace cycling.csv

A simulated part needs figures of its wear: the table aging of its sheet. What endurance here is not: a lifetime. It counts cycles
until the chip reports a failure, whether or not data would still keep.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated. Or mtd:DEVICE by itself: raw flash of \
             this machine, which is worn for real",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: false,
    flags: <WearWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Wear),
    default: usual,
};
