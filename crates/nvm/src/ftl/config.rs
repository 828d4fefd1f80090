//! What users of the layer choose.

use super::media::Shape;

/// How logical pages find their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mapping {
    /// Every page anywhere: a table of all pages.
    Page,
    /// Blocks at whole places, and a few log blocks of pages that changed since, which are merged with them.
    LogBlock {
        /// Log blocks.
        logs: u32,
        /// Logical blocks that may share a log block: 1 as in BAST, many as in FAST.
        shared_by: u32,
    },
}

/// Which block is cleaned first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Victim {
    /// The one with the fewest live pages.
    Greedy,
    /// The greatest (1 − u)/(2u) · age, u being its share of live pages (Rosenblum and Ousterhout, "The
    /// Design and Implementation of a Log-Structured File System", 1992).
    CostBenefit,
}

/// When and how blocks are cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cleaning {
    /// Which block is next.
    pub victim: Victim,
    /// Free blocks below which writes clean.
    pub start_below: u32,
    /// Free blocks at which they stop.
    pub stop_at: u32,
    /// Steps (page copies and erases) that a write does at most while there is a free page for it;
    /// `None` cleans to the end at once.
    pub steps_per_write: Option<u32>,
    /// Free blocks up to which idle time is used for cleaning; 0 leaves it unused.
    pub idle_until: u32,
}

/// How wear is kept even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leveling {
    /// Whether the free block with the fewest erases is taken, rather than the one that is free longest.
    pub dynamic: bool,
    /// Spread of erases between the least and the most worn block from which resting data are moved;
    /// `None` leaves them alone.
    pub static_above: Option<u32>,
}

/// A cache of blocks with one bit a cell, which writes go to first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slc {
    /// Blocks of the cache.
    pub blocks: u32,
    /// Whether idle time moves its pages to native blocks.
    pub folds_when_idle: bool,
}

/// All choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FtlConfig {
    /// How logical pages find their places.
    pub mapping: Mapping,
    /// Blocks that logical pages do not count on: over-provisioning, with those that may go bad.
    pub spare_blocks: u32,
    /// When and how blocks are cleaned.
    pub cleaning: Cleaning,
    /// How wear is kept even.
    pub leveling: Leveling,
    /// A cache of one bit a cell.
    pub slc: Option<Slc>,
}

/// Why a configuration cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}; allowed: {allowed}")]
pub struct FtlConfigError {
    /// Which choice.
    pub what: &'static str,
    /// What it says.
    pub found: u64,
    /// What it may say.
    pub allowed: String,
}

impl FtlConfig {
    /// A page-mapped layer that cleans greedily, with an eighth of the blocks to spare.
    #[must_use]
    pub fn page_mapped(shape: Shape) -> Self {
        Self {
            mapping: Mapping::Page,
            spare_blocks: (shape.blocks / 8).max(4),
            cleaning: Cleaning {
                victim: Victim::Greedy,
                start_below: 3,
                stop_at: 3,
                steps_per_write: None,
                idle_until: 8,
            },
            leveling: Leveling {
                dynamic: true,
                static_above: Some(64),
            },
            slc: None,
        }
    }
}
