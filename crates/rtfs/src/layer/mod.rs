//! Logical pages on flash, with bounded calls.
//!
//! `format` and `mount` make a layer. `read`, `write` and `discard` are what callers ask for, and `ahead` what they leave time
//! for. `steps` move pages and store the map, `blocks` opens and erases blocks, and `header_io` stands at the front of each.

mod ahead;
mod blocks;
mod decayed;
mod discard;
mod format;
mod group;
mod header_io;
#[cfg(test)]
mod miniature;
mod mount;
mod read;
mod steps;
mod unwritten;
mod write;

pub(crate) use group::{EditedPage, PageEdit, PageFill};

use wordline_memory::Flash;

use group::BegunGroup;

use crate::bound::{ERASE_MILLIONTHS, PacedBound};
use crate::error::{PacedError, PacedSetupError};
use crate::pages::RecordedPages;
use crate::rule::PacedRules;
use crate::shape::{PacedConfig, PacedRam, PacedShape};
use crate::tables::PacedTables;

/// Blocks in which a program failed, and which hold pages yet.
const FAILING_MAX: usize = 4;

/// Logical pages on raw NAND, each of which can be overwritten. Every call has a bound: see [`PacedConfig::bound`].
///
/// A write that returned survives a power cut, and so does everything before it. A write that a power cut interrupts is
/// there or not, a group of pages as a whole. After [`PacedError::Flash`] mount the flash again.
#[derive(Clone, Debug)]
pub struct PacedLayer<F, M> {
    pages: RecordedPages<F>,
    tables: PacedTables<M>,
    bound: PacedBound,
    /// The block that is being filled.
    head: u32,
    /// The block that was filled before it.
    previous: u32,
    /// Pages of the head that were programmed behind its header.
    used: u32,
    /// Openings of blocks since the format.
    sequence: u32,
    /// A free block that was erased ahead.
    erased: Option<u32>,
    /// A free block whose erase was begun and has not ended.
    erasing: Option<u32>,
    /// Pages of this call that have not paid for the erase.
    unpaid_pages: u32,
    /// Blocks without a live page that are neither bad, failing, nor the head; the erased one included.
    free: u32,
    /// The block that is being emptied.
    victim: Option<u32>,
    failing: [Option<u32>; FAILING_MAX],
    /// A block whose pages move although few of them are dead.
    resting: Option<u32>,
    /// Pages of it that may move before another block is emptied.
    level_moves: u32,
    /// Pages of the group that is being written, until their changes are noted.
    coming: u32,
    /// The part of a step that pages still owe, which paid whole ones.
    share: u32,
    /// Stores that the call needed before its first page; they count as steps of it.
    stored_before: u32,
    /// A block that the ECC advised to move.
    advised: Option<u32>,
    group: BegunGroup,
    work: PacedWork,
    /// The flash failed in a way that only a mount gets over.
    broken: bool,
    /// No block is left that could be opened: the layer can only be read.
    worn_out: bool,
    /// A page of the map was lost, so that pages count as live which it named and a later change made dead.
    map_lost: bool,
    rules: PacedRules,
}

/// What a layer did since it was mounted, beside what its caller wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedWork {
    /// Pages that the caller wrote.
    pub written: u64,
    /// Pages moved.
    pub moved: u64,
    /// Pages of the map stored.
    pub stored: u64,
    /// Pages of headers.
    pub headers: u64,
    /// Blocks erased.
    pub erased: u64,
    /// Steps: pages moved, found dead, or stored.
    pub steps: u64,
}

/// How often blocks were erased, as far as headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedWear {
    /// Blocks that are not bad.
    pub blocks: u32,
    /// Their erases.
    pub erases: u64,
    /// Those of the one with the fewest.
    pub least: u32,
    /// Those of the one with the most.
    pub most: u32,
}

/// Parts in which an erase is counted.
const ERASE_PARTS: u32 = ERASE_MILLIONTHS as u32;

type Result<T, E> = core::result::Result<T, PacedError<E>>;
type SetupResult<T, E> = core::result::Result<T, PacedSetupError<E>>;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    pub(crate) fn shape(&self) -> &PacedShape {
        &self.tables.shape
    }

    /// Logical pages.
    pub const fn logical_pages(&self) -> u32 {
        self.tables.shape.config.logical_pages
    }

    /// Bytes of a page.
    pub const fn page_bytes(&self) -> u32 {
        self.tables.shape.geometry.page_bytes
    }

    /// What it was formatted with.
    pub const fn config(&self) -> &PacedConfig {
        &self.tables.shape.config
    }

    /// What calls cost at most.
    pub const fn bound(&self) -> &PacedBound {
        &self.bound
    }

    /// The parts of the RAM that the caller gives.
    pub fn ram(&self) -> PacedRam {
        self.shape().places().ram()
    }

    /// What the layer did since it was mounted.
    pub const fn work(&self) -> &PacedWork {
        &self.work
    }

    /// The flash.
    pub const fn flash(&self) -> &F {
        &self.pages.flash
    }

    /// The flash, to watch it. What is changed on it the layer does not know of.
    pub const fn flash_mut(&mut self) -> &mut F {
        &mut self.pages.flash
    }

    /// The flash, as after a power cut: nothing is written.
    pub fn into_flash(self) -> F {
        self.pages.flash
    }

    /// The flash and the memory.
    pub fn into_parts(self) -> (F, M) {
        (self.pages.flash, self.tables.into_memory())
    }

    fn check(&self, logical: u32) -> Result<(), F::Error> {
        if logical < self.logical_pages() {
            Ok(())
        } else {
            Err(PacedError::OutOfRange { logical })
        }
    }

    /// Notes an error of the flash after which only a mount knows what is stored.
    fn fatal(&mut self, error: F::Error) -> PacedError<F::Error> {
        self.broken = true;
        PacedError::Flash(error)
    }

    /// Whether something can be written.
    const fn check_writable(&self) -> Result<(), F::Error> {
        match (self.worn_out, self.broken) {
            (true, _) => Err(PacedError::WornOut),
            (false, true) => Err(PacedError::NeedsMount),
            (false, false) => Ok(()),
        }
    }

    /// How often blocks that are not bad were erased.
    pub fn wear(&self) -> PacedWear {
        let blocks = 0..self.shape().geometry.blocks;
        let good = blocks.filter(|block| !self.tables.is_bad(*block));
        let (mut blocks, mut sum, mut least, mut most) = (0, 0, u32::MAX, 0);
        for block in good {
            let erases = self.tables.erases(block);
            blocks += 1;
            sum += u64::from(erases);
            least = least.min(erases);
            most = most.max(erases);
        }
        PacedWear {
            blocks,
            erases: sum,
            least,
            most,
        }
    }
}
