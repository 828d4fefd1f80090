//! What users of the layer choose.

use wordline_core::quantity::Quantity as _;
use wordline_core::{FtlMapping, TranslationLayer};

use super::media::{Media, Shape};
use super::translation::RESERVE;

/// Log blocks of a layer that maps blocks: half of what is spare, up to so many.
const LOGS_MAX: u32 = 64;

/// Logical blocks that may share a log block of such a layer.
const SHARED_BY: u32 = 8;

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
    /// The greatest (1 − u)/(2u) · age, u being its share of live pages (Kawaguchi, Nishioka and
    /// Motoda, "A Flash-Memory Based File System", USENIX 1995).
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

/// Which free block is erased and written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextBlock {
    /// The one that is free longest.
    Oldest,
    /// The one with the fewest erases: dynamic wear levelling.
    FewestErases,
    /// The one whose last erase was the quickest, so that those rest whose erases have become slow. How long an erase
    /// takes shows how much of its life a block has used (Desnoyers, HotStorage 2009, section 4).
    QuickestErase,
    /// The one with the most erases: blocks are used until they fail, one after the other.
    MostErases,
}

/// How wear is kept even, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leveling {
    /// Which free block is written next.
    pub next: NextBlock,
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

/// Pages of flash that a layer can number; its tables take 8 B for each.
const MAX_PAGES: u64 = 1 << 28;

/// Refuses a choice that is not in a range.
fn within(
    what: &'static str,
    found: u32,
    allowed: std::ops::RangeInclusive<u64>,
) -> Result<(), FtlConfigError> {
    let found = u64::from(found);
    if allowed.contains(&found) {
        return Ok(());
    }
    let allowed = match (allowed.start(), allowed.end()) {
        (least, most) if least > most => "nothing, with the other choices as they are".to_owned(),
        (least, most) => format!("{least} to {most}"),
    };
    Err(FtlConfigError {
        what,
        found,
        allowed,
    })
}

/// Refuses blocks of so few pages that fillers could take what cleaning brings: a victim with few live pages may
/// cost as many fillers as it takes to be sure of its last page.
pub(super) fn check_pages<M: Media>(media: &M) -> Result<(), FtlConfigError> {
    let shape = media.shape();
    if shape.summary_pages == 0 {
        return Ok(());
    }
    let pages = 0..shape.pages_per_block;
    let later = pages.filter_map(|page| media.safe_after(page)?.checked_sub(page));
    let distance = u64::from(later.max().unwrap_or(0));
    let least = 2 * (distance + 2) + 1 + u64::from(shape.summary_pages);
    let most = MAX_PAGES.max(least);
    within("pages_per_block", shape.pages_per_block, least..=most)
}

impl Shape {
    fn check(self) -> Result<(), FtlConfigError> {
        let most = u64::from(u32::MAX);
        within("blocks", self.blocks, 1..=MAX_PAGES)?;
        let pages = MAX_PAGES / u64::from(self.blocks);
        within("pages_per_block", self.pages_per_block, 1..=pages)?;
        let per_block = u64::from(self.pages_per_block);
        within("summary_pages", self.summary_pages, 0..=per_block - 1)?;
        let least = u64::from(self.summary_pages) + 1;
        let slc = self.slc_pages_per_block;
        within("slc_pages_per_block", slc, least.min(most)..=per_block)
    }
}

impl FtlConfig {
    /// A page-mapped layer that cleans greedily, with an eighth of the blocks to spare.
    #[must_use]
    pub fn page_mapped(shape: Shape) -> Self {
        Self {
            mapping: Mapping::Page,
            spare_blocks: (shape.blocks / 8).max(8),
            cleaning: Cleaning {
                victim: Victim::Greedy,
                start_below: 3,
                stop_at: 3,
                steps_per_write: None,
                idle_until: 8,
            },
            leveling: Leveling {
                next: NextBlock::FewestErases,
                static_above: Some(64),
            },
            slc: None,
        }
    }

    /// Logical pages that this configuration leaves of a flash with so many bad blocks.
    ///
    /// # Errors
    /// When it cannot work there.
    pub fn logical_pages(&self, shape: Shape, bad: u32) -> Result<u32, FtlConfigError> {
        shape.check()?;
        let needed = self.working_blocks() + u64::from(bad);
        let blocks = u64::from(shape.blocks);
        within("spare_blocks", self.spare_blocks, needed..=blocks - 1)?;
        let cleaning = self.cleaning;
        let spare = u64::from(self.spare_blocks);
        let mut attainable = spare + u64::from(RESERVE) - needed;
        let mut cache = 1..=blocks;
        if let Mapping::LogBlock { logs, shared_by } = self.mapping {
            let least = 1 + u64::from(shared_by > 1);
            within("shared_by", shared_by, 1..=u64::from(u32::MAX))?;
            within("logs", logs, least..=blocks)?;
            // Logs can be merged until none is left.
            attainable = spare - u64::from(bad) - 1;
            cache = 0..=0;
        }
        within("stop_at", cleaning.stop_at, 0..=attainable)?;
        let stop_at = u64::from(cleaning.stop_at);
        within("start_below", cleaning.start_below, 0..=stop_at)?;
        if let Some(slc) = self.slc {
            within("slc.blocks", slc.blocks, cache)?;
        }
        let usable = shape.pages_per_block - shape.summary_pages;
        Ok((shape.blocks - self.spare_blocks) * usable)
    }

    /// The configuration of a layer that users ask for, by the sizes that a flash leaves it; `None` for a layer of
    /// another kind, the real-time one.
    pub fn of_layer(layer: &TranslationLayer) -> Option<impl Fn(Shape) -> Self + use<>> {
        let is_log = match layer.mapping {
            FtlMapping::Page => false,
            FtlMapping::LogBlock => true,
            FtlMapping::RealTime => return None,
        };
        let spare = layer.spare.si();
        Some(move |shape: Shape| {
            let mut config = Self::page_mapped(shape);
            config.spare_blocks = (f64::from(shape.blocks) * spare).round() as u32;
            if is_log {
                config.mapping = Mapping::LogBlock {
                    logs: (config.spare_blocks / 2).clamp(2, LOGS_MAX),
                    shared_by: SHARED_BY,
                };
                config.cleaning.start_below = 0;
                config.cleaning.stop_at = 0;
            }
            config
        })
    }

    /// Bad blocks that the layer is sure to work with, those from the factory included.
    #[must_use]
    pub fn bad_blocks_max(&self) -> u32 {
        let beyond = u64::from(self.spare_blocks).saturating_sub(self.working_blocks());
        u32::try_from(beyond).unwrap_or(u32::MAX)
    }

    /// Blocks that can be without a page of the host's when all others are full of them: those that are open,
    /// the reserve, the cache, the logs, and one that makes cleaning worth while.
    fn working_blocks(&self) -> u64 {
        let own = match self.mapping {
            Mapping::Page => 2 + u64::from(self.leveling.static_above.is_some()),
            Mapping::LogBlock { logs, .. } => u64::from(logs) + 1,
        };
        let cache = self.slc.map_or(0, |slc| u64::from(slc.blocks));
        own + cache + u64::from(RESERVE)
    }
}
