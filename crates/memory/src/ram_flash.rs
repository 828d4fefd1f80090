//! Flash in plain RAM, as strict as its geometry.

use core::fmt;

use crate::{
    Ecc, EraseMode, EraseProgress, Flash, FlashError, FlashErrorKind, FlashMisuse, Geometry,
};

/// `BLOCKS` blocks of `PAGES` pages of `PAGE_BYTES` bytes (main and spare area together) in plain
/// RAM behind the [`Flash`] contract: the reference that simulated devices are compared with, and
/// a home for engines in tests.
///
/// It refuses every program that breaks a rule of its geometry, corrects and loses no bits, and
/// keeps its marks beside the bytes. It takes two bytes of RAM for each byte that it holds.
#[derive(Clone, Debug)]
pub struct RamFlash<const PAGE_BYTES: usize, const PAGES: usize, const BLOCKS: usize> {
    geometry: Geometry,
    erase_mode: EraseMode,
    erasing: Option<EraseProgress>,
    blocks: [RamBlock<PAGE_BYTES, PAGES>; BLOCKS],
}

#[derive(Clone, Copy, Debug)]
struct RamBlock<const PAGE_BYTES: usize, const PAGES: usize> {
    bad: bool,
    pages: [RamPage<PAGE_BYTES>; PAGES],
}

/// A byte is `None` from the erase to its first program, because a byte that was programmed with
/// 0xFF is not an erased one.
#[derive(Clone, Copy, Debug)]
struct RamPage<const PAGE_BYTES: usize> {
    programs: u32,
    bytes: [Option<u8>; PAGE_BYTES],
}

impl<const PAGE_BYTES: usize> RamPage<PAGE_BYTES> {
    const ERASED: Self = Self {
        programs: 0,
        bytes: [None; PAGE_BYTES],
    };
}

impl<const PAGE_BYTES: usize, const PAGES: usize, const BLOCKS: usize>
    RamFlash<PAGE_BYTES, PAGES, BLOCKS>
{
    /// An erased flash with no bad block; `None` when the geometry is not
    /// [valid](Geometry::is_valid), or its sizes are not those of the type.
    #[must_use]
    pub const fn new(geometry: Geometry) -> Option<Self> {
        if geometry.is_valid()
            && geometry.columns() == PAGE_BYTES as u64
            && geometry.pages_per_block as u64 == PAGES as u64
            && geometry.blocks as u64 == BLOCKS as u64
        {
            let block = RamBlock {
                bad: false,
                pages: [RamPage::ERASED; PAGES],
            };
            Some(Self {
                geometry,
                erase_mode: EraseMode::Awaited,
                erasing: None,
                blocks: [block; BLOCKS],
            })
        } else {
            None
        }
    }

    /// An erased flash with the rules of NOR: no spare area, a granule of one byte, and programs
    /// of any byte in any order and number. `None` when a size of the type is 0 or leaves 32 bits.
    #[must_use]
    pub const fn nor() -> Option<Self> {
        if PAGE_BYTES as u64 > u32::MAX as u64
            || PAGES as u64 > u32::MAX as u64
            || BLOCKS as u64 > u32::MAX as u64
        {
            return None;
        }
        Self::new(Geometry {
            page_bytes: PAGE_BYTES as u32,
            spare_bytes: 0,
            pages_per_block: PAGES as u32,
            blocks: BLOCKS as u32,
            program_bytes: 1,
            programs_per_page: None,
            once_bytes: None,
            in_order: false,
        })
    }

    /// The same, with erases that can be begun and left running.
    #[must_use]
    pub const fn with_erases(mut self, mode: EraseMode) -> Self {
        self.erase_mode = mode;
        self
    }

    /// Checks that no erase of a block is under way.
    fn check_still(&self, block: u32) -> Result<(), FlashMisuse> {
        match self.erasing {
            Some(EraseProgress { block: erasing, .. }) if erasing == block => {
                Err(FlashMisuse::InErase { block })
            }
            _ => Ok(()),
        }
    }

    /// Checks the rules that depend on what was programmed before.
    fn check_history(&self, page: u32, column: u32, bytes: usize) -> Result<(), FlashMisuse> {
        let (block, within) = place(page, PAGES);
        let pages = &self.blocks[block].pages;
        if self.geometry.in_order
            && let Some(ahead) = pages[within + 1..].iter().position(|p| p.programs > 0)
        {
            return Err(FlashMisuse::OutOfOrder {
                page,
                later: page + 1 + ahead as u32,
            });
        }
        if let Some(allowed) = self.geometry.programs_per_page
            && pages[within].programs >= allowed
        {
            return Err(FlashMisuse::TooManyPrograms { page, allowed });
        }
        let old = &pages[within].bytes;
        let starts = |unit| self.geometry.once_unit_start(unit);
        let is_taken = |unit: &u32| {
            let unit = starts(*unit) as usize..(starts(*unit + 1) as usize).min(PAGE_BYTES);
            old[unit].iter().any(Option::is_some)
        };
        if let Some(mut units) = self.geometry.once_units(column, bytes as u32)
            && let Some(taken) = units.find(is_taken)
        {
            return Err(FlashMisuse::Reprogram {
                page,
                column: starts(taken).max(column),
            });
        }
        Ok(())
    }

    fn check_good(&self, block: u32) -> Result<(), RamFlashError> {
        if self.blocks[block as usize].bad {
            Err(RamFlashError::BadBlock { block })
        } else {
            Ok(())
        }
    }
}

/// The block of a page, and the page's number within it.
fn place(page: u32, pages_per_block: usize) -> (usize, usize) {
    (
        page as usize / pages_per_block,
        page as usize % pages_per_block,
    )
}

impl<const PAGE_BYTES: usize, const PAGES: usize, const BLOCKS: usize> Flash
    for RamFlash<PAGE_BYTES, PAGES, BLOCKS>
{
    type Error = RamFlashError;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, RamFlashError> {
        self.geometry.check_read(page, column, out.len() as u64)?;
        self.check_still(self.geometry.block_of(page))?;
        let (block, within) = place(page, PAGES);
        let stored = &self.blocks[block].pages[within].bytes[column as usize..];
        for (out, stored) in out.iter_mut().zip(stored) {
            *out = stored.unwrap_or(0xFF);
        }
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), RamFlashError> {
        self.geometry
            .check_program(page, column, data.len() as u64)?;
        self.check_still(self.geometry.block_of(page))?;
        self.check_good(self.geometry.block_of(page))?;
        if data.is_empty() {
            return Ok(());
        }
        self.check_history(page, column, data.len())?;
        let (block, within) = place(page, PAGES);
        let page = &mut self.blocks[block].pages[within];
        page.programs = page.programs.saturating_add(1);
        for (stored, new) in page.bytes[column as usize..].iter_mut().zip(data) {
            *stored = Some(stored.unwrap_or(0xFF) & new);
        }
        Ok(())
    }

    fn erase(&mut self, block: u32) -> Result<(), RamFlashError> {
        self.geometry.check_block(block)?;
        self.check_still(block)?;
        self.check_good(block)?;
        self.blocks[block as usize].pages.fill(RamPage::ERASED);
        Ok(())
    }

    fn erase_mode(&self) -> EraseMode {
        self.erase_mode
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), RamFlashError> {
        if self.erase_mode == EraseMode::Awaited {
            return self.erase(block);
        }
        self.geometry.check_block(block)?;
        self.check_good(block)?;
        if let Some(EraseProgress { block, .. }) = self.erasing {
            return Err(FlashMisuse::InErase { block }.into());
        }
        self.erasing = Some(EraseProgress::new(block));
        Ok(())
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, RamFlashError> {
        let Some(erase) = &mut self.erasing else {
            return Ok(true);
        };
        let ended = erase.advance(parts, of);
        if ended {
            let block = erase.block;
            self.erasing = None;
            self.erase(block)?;
        }
        Ok(ended)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, RamFlashError> {
        self.geometry.check_block(block)?;
        Ok(self.blocks[block as usize].bad)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), RamFlashError> {
        self.geometry.check_block(block)?;
        self.blocks[block as usize].bad = true;
        Ok(())
    }
}

/// Why a [`RamFlash`] refused an access. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RamFlashError {
    /// The access breaks a rule of the geometry.
    Misuse(FlashMisuse),
    /// The block is marked bad.
    BadBlock {
        /// The block asked for.
        block: u32,
    },
}

impl From<FlashMisuse> for RamFlashError {
    fn from(misuse: FlashMisuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl FlashError for RamFlashError {
    fn kind(&self) -> FlashErrorKind {
        match self {
            Self::Misuse(misuse) => misuse.kind(),
            Self::BadBlock { .. } => FlashErrorKind::BadBlock,
        }
    }
}

impl fmt::Display for RamFlashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(misuse) => misuse.fmt(f),
            Self::BadBlock { block } => write!(f, "block {block} is marked bad"),
        }
    }
}

impl core::error::Error for RamFlashError {}

#[cfg(test)]
mod tests;
