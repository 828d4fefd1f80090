//! What a memory holds, with blocks that go bad and blocks that a power cut left in doubt.

use std::collections::BTreeMap;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_crash::FlashImage;
use wordline_memory::{ByteMemory, Ecc, Flash, Geometry};
use wordline_nvm::{Accounts, BlockContent, Device, FlashMemory, Memory, NvmError, PageContent};

use super::fault::{FaultReason, MemoryFault};

/// How a block goes bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InjectedFault {
    ProgramError,
    EraseError,
    ReadError,
    ProgramNoop,
    EraseNoop,
}

impl InjectedFault {
    const ALL: [Self; 5] = [
        Self::ProgramError,
        Self::EraseError,
        Self::ReadError,
        Self::ProgramNoop,
        Self::EraseNoop,
    ];

    /// By the header's number; none for a good block.
    pub(super) fn of(number: u32) -> Result<Option<Self>, MemoryFault> {
        match number {
            0 => Ok(None),
            fault => {
                let known = Self::ALL.get(fault as usize - 1).copied();
                Ok(Some(known.ok_or(FaultReason::Value {
                    what: "fault",
                    found: u64::from(fault),
                    allowed: "WL_MEMORY_GOOD to WL_MEMORY_ERASE_NOOP, 0 to 5",
                })?))
            }
        }
    }

    /// The header's number.
    pub(super) const fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// What a memory holds, and what goes wrong in it.
pub(super) struct Cells {
    pub(super) memory: Memory,
    /// A handle of the memory's clock, which is read around every operation.
    clock: SimClock,
    pub(super) faults: BTreeMap<u32, InjectedFault>,
    /// Blocks that a power cut left in doubt, until they are erased: each a memory of one block. The chip's own block
    /// then keeps time, order and number of programs, and one reading of the bytes.
    pub(super) torn: BTreeMap<u32, FlashImage>,
    /// Main bytes of a page and pages of a block; 0 of a byte memory.
    layout: (u64, u32),
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
            faults: BTreeMap::new(),
            torn: BTreeMap::new(),
        }
    }

    /// Independent cells in the same state, on a clock of their own.
    pub(super) fn fork(&self) -> Self {
        Self {
            faults: self.faults.clone(),
            torn: self.torn.clone(),
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
            Memory::Flash(_) => Err(FaultReason::Unsupported(
                "this is flash: program pages and erase blocks",
            )
            .into()),
        }
    }

    #[inline(always)]
    pub(super) fn flash(&mut self) -> Result<&mut dyn FlashMemory, MemoryFault> {
        match &mut self.memory {
            Memory::Flash(flash) => Ok(&mut **flash),
            Memory::Bytes(_) => Err(FaultReason::Unsupported(
                "this memory has no pages and blocks: write it",
            )
            .into()),
        }
    }

    /// Whether a block does what the chip does.
    #[inline(always)]
    fn is_plain_block(&self, block: u32) -> bool {
        (self.faults.is_empty() || !self.faults.contains_key(&block))
            && (self.torn.is_empty() || !self.torn.contains_key(&block))
    }

    /// The same of the block of a page.
    #[inline(always)]
    fn is_plain_page(&self, page: u32) -> bool {
        let known = self.faults.is_empty() && self.torn.is_empty();
        known || self.is_plain_block(page / self.layout.1.max(1))
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
        let fault = self.faults.range(blocks.clone()).next();
        fault.is_none() && self.torn.range(blocks).next().is_none()
    }

    /// Programs whole pages in a row, as many as cost the same and do what the chip does; returns how many, and how long
    /// each took.
    #[inline(always)]
    pub(super) fn program_pages(&mut self, page: u32, data: &[u8]) -> (u32, Time) {
        let at = u64::from(page) * self.layout.0;
        let plain = self.is_plain_range(at, data.len() as u64);
        match &mut self.memory {
            Memory::Flash(flash) if plain => flash.program_pages(page, data),
            _ => (0, Time::ZERO),
        }
    }

    /// Reads bytes, of flash those of main areas. Returns how many bits the ECC corrected, in the worst page: a number,
    /// which goes through registers.
    #[inline(always)]
    pub(super) fn read(&mut self, at: u64, out: &mut [u8]) -> Result<u64, MemoryFault> {
        let plain = self.is_plain_range(at, out.len() as u64);
        let found = match &mut self.memory {
            Memory::Bytes(device) => {
                device.read(at, out)?;
                return Ok(0);
            }
            Memory::Flash(flash) if plain => flash.read_through(at, out)?,
            Memory::Flash(_) => self.read_pages(at, out)?,
        };
        Ok(corrected(found))
    }

    #[inline(never)]
    fn read_pages(&mut self, mut at: u64, mut out: &mut [u8]) -> Result<Ecc, MemoryFault> {
        let page_bytes = u64::from(self.flash()?.geometry().page_bytes);
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
        if self.is_plain_page(page) {
            return Ok(self.flash()?.read(page, column, out)?);
        }
        self.read_faulty(page, column, out)
    }

    /// The same where some blocks do not do what the chip does.
    #[inline(never)]
    fn read_faulty(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, MemoryFault> {
        let flash = self.flash()?;
        let (block, within) = place(flash.geometry(), page);
        let found = flash.read(page, column, out);
        if self.faults.get(&block) == Some(&InjectedFault::ReadError) {
            found.or_else(only_uncorrectable)?;
            out.fill(0);
            return Err(NvmError::Uncorrectable { page }.into());
        }
        let Some(image) = self.torn.get_mut(&block) else {
            return Ok(found?);
        };
        found.or_else(only_uncorrectable)?;
        let found = image.read(within, column, out);
        Ok(found.map_err(|error| in_memory(error, page, block))?)
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
        let (block, within) = place(geometry, page);
        let kept = flash.content(block)?;
        flash.program(page, column, data)?;
        match self.faults.get(&block) {
            Some(InjectedFault::ProgramError) => {
                self.flash()?.set_content(block, &kept)?;
                return Err(NvmError::ProgramFailed { page }.into());
            }
            Some(InjectedFault::ProgramNoop) => {
                return Ok(self.flash()?.set_content(block, &kept)?);
            }
            _ => {}
        }
        if let Some(image) = self.torn.get_mut(&block) {
            let done = image.program(within, column, data);
            done.map_err(|error| in_memory(error, page, block))?;
        }
        Ok(())
    }

    pub(super) fn erase(&mut self, block: u32) -> Result<(), MemoryFault> {
        let plain = self.is_plain_block(block);
        let flash = self.flash()?;
        if plain {
            return Ok(flash.erase(block)?);
        }
        let mut kept = flash.content(block)?;
        flash.erase(block)?;
        match self.faults.get(&block) {
            Some(InjectedFault::EraseError) => {
                self.flash()?.set_content(block, &kept)?;
                return Err(NvmError::EraseFailed { block }.into());
            }
            Some(InjectedFault::EraseNoop) => {
                count_as_erased(&mut kept);
                return Ok(self.flash()?.set_content(block, &kept)?);
            }
            _ => {}
        }
        if let Some(image) = self.torn.get_mut(&block) {
            image.erase(0).map_err(|error| in_memory(error, 0, block))?;
            self.torn.remove(&block);
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
        let (block, within) = place(geometry, page);
        let mut content = flash.content(block)?;
        let erased = || erased_page(geometry);
        let wrong = &mut content.pages.entry(within).or_insert_with(erased).wrong;
        let place = column * 8 + u32::from(bit);
        match wrong.iter().position(|known| *known == place) {
            Some(index) => {
                wrong.swap_remove(index);
            }
            None => wrong.push(place),
        }
        flash.set_content(block, &content)?;
        if let Some(image) = self.torn.get_mut(&block) {
            image.flip(within, column, bit)?;
        }
        Ok(())
    }
}

/// How many bits an ECC corrected.
pub(super) fn corrected(found: Ecc) -> u64 {
    match found {
        Ecc::Clean => 0,
        Ecc::Corrected { bits, .. } => u64::from(bits),
    }
}

/// The block of a page, and the page's number within it.
pub(super) const fn place(geometry: Geometry, page: u32) -> (u32, u32) {
    (geometry.block_of(page), page % geometry.pages_per_block)
}

/// A page that nothing was programmed in.
pub(super) fn erased_page(geometry: Geometry) -> PageContent {
    PageContent {
        bytes: vec![0xFF; geometry.columns() as usize],
        programs: 0,
        units: 0,
        wrong: Vec::new(),
        given_up: false,
    }
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

/// An error of a memory of one block, as that of the memory that the block lies in.
fn in_memory(error: NvmError, page: u32, block: u32) -> NvmError {
    match error {
        NvmError::Uncorrectable { .. } => NvmError::Uncorrectable { page },
        NvmError::ProgramFailed { .. } => NvmError::ProgramFailed { page },
        NvmError::EraseFailed { .. } => NvmError::EraseFailed { block },
        NvmError::BadBlock { .. } => NvmError::BadBlock { block },
        other => other,
    }
}
