//! What a memory holds, with blocks that go bad and blocks that a power cut left in doubt.

use std::collections::{BTreeMap, BTreeSet};

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_crash::FlashImage;
use wordline_memory::{ByteMemory, Ecc, Flash, Geometry};
use wordline_nvm::{Accounts, BlockContent, Device, FlashMemory, Memory, NvmError, PageContent};

use super::background::StartedWork;
use super::block_faults::{FaultSet, InjectedFault, Struck};
use super::fault::{FaultReason, ImposedFailure, MemoryFault};
use super::pages::EccFound;

/// What a page held; nothing where it was erased.
pub(super) struct KeptPage(pub(super) Option<PageContent>);

/// What a memory holds, and what goes wrong in it.
pub(super) struct Cells {
    pub(super) memory: Memory,
    /// A handle of the memory's clock, which is read around every operation.
    clock: SimClock,
    pub(super) faults: FaultSet,
    /// Blocks that a power cut left in doubt, until they are erased: each a memory of one block. The chip's own block
    /// then keeps time, order and number of programs, and one reading of the bytes.
    pub(super) torn: BTreeMap<u32, FlashImage>,
    /// Main bytes of a page and pages of a block; 0 of a byte memory.
    layout: (u64, u32),
    /// Whether a program that would set a bit is refused.
    pub(super) strict: bool,
    /// Blocks whose last erase a fault let come to nothing: their driver knows them as erased.
    unerased: BTreeSet<u32>,
    /// An erase that was started and not waited for.
    pub(super) work: Option<Box<StartedWork>>,
}

impl Cells {
    pub(super) fn new(memory: Memory) -> Self {
        let layout = match &memory {
            Memory::Flash(flash) => {
                let geometry = flash.geometry();
                (u64::from(geometry.page_bytes), geometry.pages_per_block)
            }
            Memory::Bytes(_) => (0, 0),
        };
        Self {
            clock: memory.accounts().clock().clone(),
            memory,
            layout,
            faults: FaultSet::default(),
            torn: BTreeMap::new(),
            strict: false,
            unerased: BTreeSet::new(),
            work: None,
        }
    }

    /// Independent cells in the same state, on a clock of their own.
    pub(super) fn fork(&self) -> Self {
        Self {
            faults: self.faults.clone(),
            torn: self.torn.clone(),
            strict: self.strict,
            unerased: self.unerased.clone(),
            work: self.work.clone(),
            ..Self::new(self.memory.fork())
        }
    }

    pub(super) fn accounts(&self) -> &dyn Accounts {
        self.memory.accounts()
    }

    pub(super) const fn clock(&self) -> &SimClock {
        &self.clock
    }

    #[inline(always)]
    pub(super) fn bytes(&mut self) -> Result<&mut dyn Device, MemoryFault> {
        match &mut self.memory {
            Memory::Bytes(device) => Ok(&mut **device),
            Memory::Flash(_) => Err(no_bytes()),
        }
    }

    #[inline(always)]
    pub(super) fn flash(&mut self) -> Result<&mut dyn FlashMemory, MemoryFault> {
        match &mut self.memory {
            Memory::Flash(flash) => Ok(&mut **flash),
            Memory::Bytes(_) => Err(FaultReason::Unsupported(
                "this memory has no pages and blocks: its bytes are overwritten where they are",
            )
            .into()),
        }
    }

    /// Whether a block does what the chip does.
    #[inline(always)]
    fn is_plain_block(&self, block: u32) -> bool {
        (self.faults.is_empty() || !self.faults.touches(block..=block))
            && (self.torn.is_empty() || !self.torn.contains_key(&block))
    }

    /// The same of the block of a page.
    #[inline(always)]
    fn is_plain_page(&self, page: u32) -> bool {
        let known = self.faults.is_empty() && self.torn.is_empty();
        known || self.is_plain_block(page / self.layout.1.max(1))
    }

    /// The same of several blocks.
    #[inline(always)]
    fn is_plain_blocks(&self, block: u32, blocks: u32) -> bool {
        let all = block..=block.saturating_add(blocks.saturating_sub(1));
        self.is_plain()
            || !self.faults.touches(all.clone()) && self.torn.range(all).next().is_none()
    }

    /// The same of all blocks of a range of main bytes.
    #[inline(always)]
    fn is_plain_range(&self, at: u64, bytes: u64) -> bool {
        self.faults.is_empty() && self.torn.is_empty() || self.is_plain_among(at, bytes)
    }

    #[inline(never)]
    fn is_plain_among(&self, at: u64, bytes: u64) -> bool {
        let block_bytes = (self.layout.0 * u64::from(self.layout.1)).max(1);
        let last = at.saturating_add(bytes.max(1) - 1) / block_bytes;
        let blocks = (at / block_bytes) as u32..=last as u32;
        !self.faults.touches(blocks.clone()) && self.torn.range(blocks).next().is_none()
    }

    /// Programs whole pages in a row, as many as cost the same and do what the chip does; returns how many, and how long
    /// each took.
    #[inline(always)]
    pub(super) fn program_pages(&mut self, page: u32, data: &[u8]) -> (u32, Time) {
        let at = u64::from(page) * self.layout.0;
        let plain = self.is_plain_range(at, data.len() as u64);
        let plain = plain && !self.strict && self.work.is_none();
        match &mut self.memory {
            Memory::Flash(flash) if plain => flash.program_pages(page, data),
            _ => (0, Time::ZERO),
        }
    }

    /// Whether every block does what the chip does.
    pub(super) fn is_plain(&self) -> bool {
        self.faults.is_empty() && self.torn.is_empty()
    }

    /// Whether an operation on a block may do something else than the chip does.
    #[inline]
    fn is_odd(&self, block: u32, struck: Struck) -> bool {
        self.torn.contains_key(&block) || self.faults.threatens(block, struck)
    }

    /// Reads bytes, of flash those of main areas. Returns what the ECC found in the worst page: a number, which goes
    /// through registers.
    #[inline(always)]
    pub(super) fn read(&mut self, at: u64, out: &mut [u8]) -> Result<EccFound, MemoryFault> {
        let flash = match &mut self.memory {
            Memory::Bytes(device) => {
                device.read(at, out)?;
                if !self.faults.is_empty() {
                    self.spoil_read(at, out)?;
                }
                return Ok(EccFound::default());
            }
            Memory::Flash(flash) => flash,
        };
        if self.faults.spares_reads() && self.torn.is_empty() {
            return Ok(EccFound::of(flash.read_through(at, out)?));
        }
        Ok(EccFound::of(self.read_pages(at, out)?))
    }

    #[inline(never)]
    fn read_pages(&mut self, mut at: u64, mut out: &mut [u8]) -> Result<Ecc, MemoryFault> {
        let flash = self.flash()?;
        let geometry = flash.geometry();
        let block = geometry.block_bytes();
        let last = (at + (out.len() as u64).max(1) - 1) / block;
        let mut touched = (at / block) as u32..=last as u32;
        if !touched.any(|block| self.is_odd(block, Struck::Read)) {
            return Ok(self.flash()?.read_through(at, out)?);
        }
        let page_bytes = u64::from(geometry.page_bytes);
        let mut worst = Ecc::Clean;
        while !out.is_empty() {
            let (page, column) = (at / page_bytes, at % page_bytes);
            let length = out.len().min((page_bytes - column) as usize);
            let (part, behind) = out.split_at_mut(length);
            let found = self.read_page(page as u32, column as u32, part)?;
            worst = worst.worse(found);
            (at, out) = (at + length as u64, behind);
        }
        Ok(worst)
    }

    #[inline(always)]
    pub(super) fn read_page(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<Ecc, MemoryFault> {
        let spared = self.faults.spares_reads() && self.torn.is_empty();
        if spared || self.is_plain_page(page) {
            return Ok(self.flash()?.read(page, column, out)?);
        }
        self.read_faulty(page, column, out)
    }

    /// The same where some blocks do not do what the chip does.
    #[inline(never)]
    fn read_faulty(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, MemoryFault> {
        let found = self.flash()?.read(page, column, out);
        self.overlay(page, column, out, found)
    }

    /// What a read of a page gives, where the chip itself gave this.
    pub(super) fn overlay(
        &mut self,
        page: u32,
        column: u32,
        out: &mut [u8],
        found: Result<Ecc, NvmError>,
    ) -> Result<Ecc, MemoryFault> {
        let (block, within) = place(self.flash()?.geometry(), page);
        if self.faults.threatens(block, Struck::Read) {
            if let Err(error) = found.clone().or_else(only_uncorrectable) {
                return Err(error.into());
            }
            if self.faults.strike_block(block, Struck::Read).is_some() {
                out.fill(0);
                return Err(ImposedFailure::injected(NvmError::Uncorrectable { page }).into());
            }
        }
        let Some(image) = self.torn.get_mut(&block) else {
            return Ok(found?);
        };
        found.or_else(only_uncorrectable)?;
        let found = image.read(within, column, out);
        let found = found.map_err(|error| in_memory(error, page, block))?;
        Ok(self.flash()?.reported(found))
    }

    #[inline(always)]
    pub(super) fn program_page(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        if self.is_plain_page(page) {
            return Ok(self.flash()?.program(page, column, data)?);
        }
        self.program_faulty(page, column, data)
    }

    /// The same where some blocks do not do what the chip does.
    #[inline(never)]
    fn program_faulty(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        let geometry = flash.geometry();
        geometry
            .check_program(page, column, data.len() as u64)
            .map_err(NvmError::from)?;
        if data.is_empty() {
            return Ok(self.flash()?.program(page, column, data)?);
        }
        let (block, within) = place(geometry, page);
        let kept = self.kept_page(page)?;
        self.flash()?.program(page, column, data)?;
        if self.undo_program(page, kept)? {
            return Ok(());
        }
        if let Some(image) = self.torn.get_mut(&block) {
            let done = image.program_taken(within, column, data);
            done.map_err(|error| in_memory(error, page, block))?;
        }
        Ok(())
    }

    /// What a page holds, if a fault may be about to let a program of it come to nothing.
    pub(super) fn kept_page(&mut self, page: u32) -> Result<Option<KeptPage>, MemoryFault> {
        let block = self.flash()?.geometry().block_of(page);
        if !self.faults.threatens(block, Struck::Program) {
            return Ok(None);
        }
        Ok(Some(KeptPage(self.flash()?.page_content(page)?)))
    }

    /// Lets the faults of a page's block strike a program that the chip has done. Says whether it came to nothing.
    pub(super) fn undo_program(
        &mut self,
        page: u32,
        kept: Option<KeptPage>,
    ) -> Result<bool, MemoryFault> {
        let Some(kept) = kept else {
            return Ok(false);
        };
        let (block, _) = place(self.flash()?.geometry(), page);
        let Some(fault) = self.faults.strike_block(block, Struck::Program) else {
            return Ok(false);
        };
        self.put_back(page, &kept)?;
        match fault {
            InjectedFault::ProgramError => {
                Err(ImposedFailure::injected(NvmError::ProgramFailed { page }).into())
            }
            _ => Ok(true),
        }
    }

    /// Lets a page hold what it did before.
    pub(super) fn put_back(&mut self, page: u32, kept: &KeptPage) -> Result<(), MemoryFault> {
        Ok(self.flash()?.set_page_content(page, kept.0.as_ref())?)
    }

    /// Erases blocks by one erase of the chip.
    pub(super) fn erase(&mut self, block: u32, blocks: u32) -> Result<(), MemoryFault> {
        if self.is_plain_blocks(block, blocks) {
            self.erase_cells(block, blocks)?;
            if !self.unerased.is_empty() {
                let erased = block..block.saturating_add(blocks);
                self.unerased.retain(|block| !erased.contains(block));
            }
            return Ok(());
        }
        let kept = self.kept_of_blocks(block, blocks)?;
        self.erase_cells(block, blocks)?;
        let failed = self.undo_erase(block, blocks, kept)?;
        failed.map_or(Ok(()), |failure| Err(failure.into()))
    }

    fn erase_cells(&mut self, block: u32, blocks: u32) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        if blocks == 1 {
            return Ok(flash.erase(block)?);
        }
        let bytes = flash.geometry().block_bytes();
        Ok(flash.erase_range(u64::from(block) * bytes, u64::from(blocks) * bytes)?)
    }

    /// What blocks hold whose erase a fault may be about to let come to nothing.
    pub(super) fn kept_of_blocks(
        &mut self,
        block: u32,
        blocks: u32,
    ) -> Result<Vec<(u32, BlockContent)>, MemoryFault> {
        let mut kept = Vec::new();
        for block in block..block.saturating_add(blocks) {
            if self.faults.threatens(block, Struck::Erase) {
                kept.push((block, self.flash()?.content(block)?));
            }
        }
        Ok(kept)
    }

    /// Lets the faults of blocks strike an erase that the chip has done. Says how it fails, if it does.
    pub(super) fn undo_erase(
        &mut self,
        block: u32,
        blocks: u32,
        kept: Vec<(u32, BlockContent)>,
    ) -> Result<Option<ImposedFailure>, MemoryFault> {
        let mut failed = None;
        let mut kept = kept.into_iter().peekable();
        for block in block..block.saturating_add(blocks) {
            let kept = kept.next_if(|(number, _)| *number == block);
            let fault = self.faults.strike_block(block, Struck::Erase);
            if let (Some(fault), Some((_, mut content))) = (fault, kept) {
                if fault == InjectedFault::EraseError {
                    let error = NvmError::EraseFailed { block };
                    failed = failed.or(Some(ImposedFailure::injected(error)));
                } else {
                    count_as_erased(&mut content);
                    self.unerased.insert(block);
                    let stale = fault == InjectedFault::EraseStale;
                    self.faults
                        .set_stale(block, stale || self.faults.stale().contains(&block));
                }
                self.flash()?.set_content(block, &content)?;
                continue;
            }
            self.faults.set_stale(block, false);
            self.unerased.remove(&block);
            if let Some(image) = self.torn.get_mut(&block) {
                match image.erase(0) {
                    Ok(()) => {
                        self.torn.remove(&block);
                    }
                    Err(error) => failed = failed.or(Some(in_memory(error, 0, block))),
                }
            }
        }
        Ok(failed)
    }

    /// Overwrites bytes of a memory that can be.
    #[inline(always)]
    pub(super) fn write(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryFault> {
        if self.faults.is_empty() {
            return Ok(self.bytes()?.write(at, data)?);
        }
        self.write_faulty(at, data)
    }

    #[inline(never)]
    fn write_faulty(&mut self, at: u64, data: &[u8]) -> Result<(), MemoryFault> {
        let bytes = data.len() as u64;
        if !self.faults.threatens_range(at, bytes, Struck::Program) {
            return Ok(self.bytes()?.write(at, data)?);
        }
        let mut kept = vec![0; data.len()];
        self.peek_bytes(at, &mut kept)?;
        self.bytes()?.write(at, data)?;
        let Some(fault) = self.faults.strike_range(at, bytes, Struck::Program) else {
            return Ok(());
        };
        self.bytes()?.preload(at, &kept)?;
        match fault {
            InjectedFault::ProgramError => Err(FaultReason::WriteStruck { at, bytes }.into()),
            _ => Ok(()),
        }
    }

    /// Lets the faults of a range strike a read of it.
    #[inline(never)]
    fn spoil_read(&mut self, at: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        let bytes = out.len() as u64;
        if self.faults.strike_range(at, bytes, Struck::Read).is_some() {
            out.fill(0);
            return Err(FaultReason::ReadStruck { at, bytes }.into());
        }
        Ok(())
    }

    /// Refuses a program that would set a bit, where that is asked for.
    #[inline(always)]
    pub(super) fn check_strict(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<(), MemoryFault> {
        match self.strict {
            true => self.check_clears(page, column, data),
            false => Ok(()),
        }
    }

    #[inline(never)]
    fn check_clears(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), MemoryFault> {
        // What the driver erased is free to it, even where a fault has kept the cells: it could not know.
        let block = self.flash()?.geometry().block_of(page);
        if self.unerased.contains(&block) || self.faults.stale().contains(&block) {
            return Ok(());
        }
        // A few bytes at a time, which the stack has room for.
        let mut held = [0; 256];
        let mut from = column;
        for part in data.chunks(held.len()) {
            let held = &mut held[..part.len()];
            self.peek_page(page, from, held)?;
            let sets = |(held, new): (&u8, &u8)| new & !held != 0;
            // Leaked bits do not count: whoever reads through an ECC does not see them.
            if held.iter().zip(part).any(sets) && !self.torn.contains_key(&block) {
                let content = self.flash()?.page_content(page)?;
                let cells = content.map(|content| content.cells());
                if let Some(cells) = cells {
                    held.copy_from_slice(&cells[from as usize..][..part.len()]);
                }
            }
            if let Some(index) = held.iter().zip(part).position(sets) {
                return Err(FaultReason::SetsBits {
                    page,
                    column: u64::from(from) + index as u64,
                    held: held[index],
                    new: part[index],
                }
                .into());
            }
            from += part.len() as u32;
        }
        Ok(())
    }

    /// Flips a stored bit of a page.
    pub(super) fn flip(&mut self, page: u32, column: u32, bit: u8) -> Result<(), MemoryFault> {
        let flash = self.flash()?;
        let geometry = flash.geometry();
        geometry
            .check_read(page, column, 1)
            .map_err(NvmError::from)?;
        let content = flash.page_content(page)?;
        let mut content = content.unwrap_or_else(|| PageContent::erased(&geometry));
        let wrong = &mut content.wrong;
        let place_of_bit = column * 8 + u32::from(bit);
        match wrong.iter().position(|known| *known == place_of_bit) {
            Some(index) => {
                wrong.swap_remove(index);
            }
            None => wrong.push(place_of_bit),
        }
        flash.set_page_content(page, Some(&content))?;
        let (block, within) = place(geometry, page);
        if let Some(image) = self.torn.get_mut(&block) {
            image.flip(within, column, bit)?;
        }
        Ok(())
    }
}

/// Why flash does not do what bytes that can be overwritten do.
#[cold]
pub(super) fn no_bytes() -> MemoryFault {
    FaultReason::Unsupported("this is flash: program pages and erase blocks").into()
}

/// The block of a page, and the page's number within it.
pub(super) const fn place(geometry: Geometry, page: u32) -> (u32, u32) {
    (geometry.block_of(page), page % geometry.pages_per_block)
}

/// Lets pages be programmed as if they had been erased, whatever they hold.
pub(super) fn count_as_erased(content: &mut BlockContent) {
    for page in content.pages.values_mut() {
        page.programs = 0;
        page.units = 0;
    }
}

/// What the chip's own ECC says of a block in doubt is not what counts.
fn only_uncorrectable(error: NvmError) -> Result<Ecc, NvmError> {
    match error {
        NvmError::Uncorrectable { .. } => Ok(Ecc::Clean),
        other => Err(other),
    }
}

/// An error of a block that a power cut left in doubt, which is a memory of its own, as that of the memory that it lies
/// in.
pub(super) fn in_memory(error: NvmError, page: u32, block: u32) -> ImposedFailure {
    ImposedFailure::left_by_cut(match error {
        NvmError::Uncorrectable { .. } => NvmError::Uncorrectable { page },
        NvmError::ProgramFailed { .. } => NvmError::ProgramFailed { page },
        NvmError::EraseFailed { .. } => NvmError::EraseFailed { block },
        NvmError::BadBlock { .. } => NvmError::BadBlock { block },
        other => other,
    })
}
