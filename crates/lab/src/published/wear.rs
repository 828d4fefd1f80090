//! What is asked of chips that wear: rows of `wordline wear`.

use serde::{Deserialize, Serialize};
use wordline_core::{Metric, Pattern, WearUsage};

/// A test of `wordline wear` on one target, with every other setting at its default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct WearRun {
    /// `PART@BOARD`, or `PART` on its default board.
    pub target: String,
    /// What is programmed before each erase.
    pub usage: WearUsage,
    /// Temperature of the chip in degrees Celsius.
    pub temperature_celsius: i32,
    /// Order of the cycles across blocks.
    pub order: Pattern,
    /// Blocks that are worn.
    pub blocks: u32,
}

/// A row of such a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WearMeasure {
    /// The test.
    #[serde(flatten)]
    pub run: WearRun,
    /// The row's operation.
    pub operation: WearOperation,
    /// The row's metric.
    pub metric: Metric,
    /// Which of the blocks' values: `least`, `median`, `most` and so on; none of a row that has no statistic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<String>,
    /// Cycles that went before, of a latency at a point of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_cycles: Option<u64>,
}

/// What a row of wear is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WearOperation {
    /// Whole cycles.
    Cycle,
    /// The program of a page.
    Program,
    /// The erase of a block.
    Erase,
    /// The read of a page.
    Read,
}

impl WearOperation {
    /// As rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Program => "program",
            Self::Erase => "erase",
            Self::Read => "read",
        }
    }
}

/// A measure as the file writes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWear {
    target: Option<String>,
    usage: Option<WearUsage>,
    celsius: Option<i32>,
    order: Option<Pattern>,
    operation: WearOperation,
    metric: Metric,
    statistic: Option<String>,
    after_cycles: Option<u64>,
}

/// As many as the published table of the laboratory is asked for.
const BLOCKS: u32 = 100;

impl WrittenWear {
    /// On `target`, where it names no other.
    pub(super) fn measure(self, target: &str) -> WearMeasure {
        WearMeasure {
            run: WearRun {
                target: self.target.unwrap_or_else(|| target.to_owned()),
                usage: self.usage.unwrap_or(WearUsage::FirstPage),
                temperature_celsius: self.celsius.unwrap_or(25),
                order: self.order.unwrap_or(Pattern::Sequential),
                blocks: BLOCKS,
            },
            operation: self.operation,
            metric: self.metric,
            statistic: self.statistic,
            after_cycles: self.after_cycles,
        }
    }
}
