//! Whole pages: main and spare area together, whether one is free, and moves within the chip.

use std::ops::Range;

use wordline_nvm::{FlashMemory, Memory, NvmError};

use super::abi::Ecc;
use super::block_faults::Struck;
use super::cells::{Cells, KeptPage, in_memory, place};
use super::device::{MemoryDevice, Op};
use super::fault::{FaultReason, ImposedFailure, MemoryFault};

/// What the ECC found in a read, in one number: bits corrected, whether it advises to move the data, whether it gave up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EccFound(u64);

impl EccFound {
    const REFRESH: u64 = 1 << 32;
    const LOST: u64 = 1 << 33;

    /// The ECC gave up.
    pub(super) const fn lost() -> Self {
        Self(Self::LOST)
    }

    pub(super) fn of(found: wordline_memory::Ecc) -> Self {
        match found {
            wordline_memory::Ecc::Clean => Self(0),
            wordline_memory::Ecc::Corrected { bits, refresh } => {
                Self(u64::from(bits) | (u64::from(refresh) * Self::REFRESH))
            }
        }
    }

    /// The most bits corrected in a codeword.
    pub(super) const fn corrected(self) -> u64 {
        self.0 & 0xFFFF_FFFF
    }

    /// The worse of what was found in two pages.
    pub(super) fn worse(self, other: Self) -> Self {
        let flags = (self.0 | other.0) & (Self::REFRESH | Self::LOST);
        Self(flags | self.corrected().max(other.corrected()))
    }

    fn told(self) -> Ecc {
        Ecc {
            size: size_of::<Ecc>() as u64,
            corrected: self.corrected(),
            refresh: u64::from(self.0 & Self::REFRESH != 0),
            lost: u64::from(self.0 & Self::LOST != 0),
        }
    }
}

impl Cells {
    /// Moves a page within the chip.
    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        let geometry = flash.geometry();
        if !flash.can_move(from, to) {
            return Err(FaultReason::Unsupported(
                "this part moves no such page within itself: read it and program it",
            )
            .into());
        }
        let ((source, _), (target, within)) = (place(geometry, from), place(geometry, to));
        let is_read_threatened = self.faults.threatens(source, Struck::Read);
        let kept = match is_read_threatened {
            true => Some(KeptPage(self.flash()?.page_content(to)?)),
            false => self.kept_page(to)?,
        };
        self.flash()?.move_page(from, to, column, data)?;
        if is_read_threatened && self.faults.strike_block(source, Struck::Read).is_some() {
            // The ECC gives up before anything is programmed.
            if let Some(kept) = &kept {
                self.put_back(to, kept)?;
            }
            let error = NvmError::Uncorrectable { page: from };
            return Err(ImposedFailure::injected(error).into());
        }
        if self.undo_program(to, kept)? {
            return Ok(());
        }
        if self.torn.contains_key(&target) {
            let bytes = self.intended(to)?;
            if let Some(image) = self.torn.get_mut(&target) {
                let done = image.program_taken(within, 0, &bytes);
                done.map_err(|error| in_memory(error, to, target))?;
            }
        }
        Ok(())
    }
}

/// What of a spare area is not the parity of the chip's ECC: columns of the spare area, ascending.
pub(super) fn free_ranges(flash: &dyn FlashMemory) -> Vec<Range<u32>> {
    let geometry = flash.geometry();
    let (first, end) = (geometry.page_bytes, geometry.columns() as u32);
    let mut parity = flash.parity();
    parity.sort_by_key(|range| range.start);
    let mut free = Vec::new();
    let mut next = first;
    for range in parity.into_iter().chain(std::iter::once(end..end)) {
        if range.start > next {
            free.push(next - first..range.start - first);
        }
        next = next.max(range.end);
    }
    free
}

impl MemoryDevice {
    /// The ranges of a spare area that callers may program.
    pub(super) fn free_ranges(&mut self) -> Result<Vec<Range<u32>>, MemoryFault> {
        Ok(free_ranges(self.cells.flash()?))
    }

    /// What the ECC found in the last read.
    pub(super) fn last_ecc(&self) -> Ecc {
        self.last_ecc.told()
    }

    /// The column in its page of a column of a spare area.
    pub(super) fn spare_column(&mut self, column: u32) -> Result<u32, MemoryFault> {
        let geometry = self.cells.flash()?.geometry();
        if geometry.spare_bytes == 0 {
            return Err(
                FaultReason::Unsupported("the pages of this part have no spare area").into(),
            );
        }
        Ok(geometry.page_bytes.saturating_add(column))
    }

    /// Bytes of main and spare area of a page.
    pub(super) fn areas(&mut self) -> Result<(u64, u64), MemoryFault> {
        let geometry = self.cells.flash()?.geometry();
        let (main, spare) = (geometry.page_bytes, geometry.spare_bytes);
        Ok((u64::from(main), u64::from(spare)))
    }

    /// Reads both areas of a page, with one fetch of it.
    pub(super) fn read_whole(
        &mut self,
        page: u32,
        main: &mut [u8],
        spare: &mut [u8],
    ) -> Result<(), MemoryFault> {
        let mut bytes = vec![0; main.len() + spare.len()];
        self.check_page(page, 0, bytes.len() as u32)?;
        let read = self.read_page(page, 0, &mut bytes);
        main.copy_from_slice(&bytes[..main.len()]);
        spare.copy_from_slice(&bytes[main.len()..]);
        read.map(drop)
    }

    /// Programs both areas of a page, in one go.
    pub(super) fn program_whole(
        &mut self,
        page: u32,
        main: &[u8],
        spare: &[u8],
    ) -> Result<(), MemoryFault> {
        let bytes = [main, spare].concat();
        self.check_page(page, 0, bytes.len() as u32)?;
        self.program_page(page, 0, &bytes)
    }

    /// Reads a page, and says whether it holds 0xFF alone.
    pub(super) fn is_free(&mut self, page: u32) -> Result<bool, MemoryFault> {
        let (main, spare) = self.areas()?;
        let mut bytes = vec![0; (main + spare) as usize];
        self.check_page(page, 0, bytes.len() as u32)?;
        match self.read_page(page, 0, &mut bytes) {
            Ok(_) => Ok(bytes.iter().all(|byte| *byte == 0xFF)),
            Err(fault) if fault.is_uncorrectable() => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Moves a page within the chip.
    pub(super) fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        let op = Op::Move { to, data };
        self.perform(op, |cells| cells.move_page(from, to, column, data))
    }

    /// Lets all blocks be good that the maker marked bad.
    pub(super) fn forget_factory_marks(&mut self) -> Result<(), MemoryFault> {
        let Memory::Flash(flash) = &mut self.cells.memory else {
            return Ok(());
        };
        let geometry = flash.geometry();
        // Makers mark bad blocks in the spare area.
        let marked = if geometry.spare_bytes > 0 {
            geometry.blocks
        } else {
            0
        };
        for block in 0..marked {
            // A new memory holds nothing else.
            if !flash.content(block)?.pages.is_empty() {
                flash.set_content(block, &wordline_nvm::BlockContent::default())?;
            }
        }
        Ok(())
    }
}
