//! A memory on a board as storage software takes it: bytes that can be overwritten, or flash.
//!
//! Engines are written against the contracts of `wordline-memory`, and targets are data: what a target is comes out
//! of the catalogue as one of two objects, [`Memory::Bytes`] or [`Memory::Flash`].

use std::ops::Range;

use wordline_core::quantity::{Period, Time};
use wordline_memory::{ByteMemory, Ecc, EraseMode, Flash, Geometry, OutOfRange};

use crate::ageing::{AgeingError, Environment};
use crate::chip::nand::Nand;
use crate::chip::nor::Nor;
use crate::content::{BlockContent, PageContent};
use crate::device::{Accounts, Device, FlashDevice, InFront};
use crate::error::NvmError;
use crate::flash_control::{FlashControl, StartedErase};
use crate::model::CycledFlash;
use crate::pages::spans;
use crate::wired::Wired;

/// A flash memory on a board, as an object: the contract [`Flash`], what drivers do besides, a clock and accounts.
pub trait FlashMemory: Flash<Error = NvmError> + FlashControl + Accounts + Send {
    /// Stores bytes in a page, spare area excluded, without time, energy or wear, and without erasing.
    ///
    /// # Errors
    /// When the range leaves the main area of the page, or the memory.
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError>;

    /// Reads main areas across pages, the way that drivers do: a NOR flash in one transaction, a NAND flash page by
    /// page. `at` counts the bytes of main areas alone. Returns the worst that the ECC found in any page.
    ///
    /// # Errors
    /// As [`Flash::read`].
    fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<Ecc, NvmError>;

    /// Programs whole pages in a row, from a page on, as single [programs](Flash::program) would: as many as cost the same
    /// and can neither fail nor be refused. Returns how many these are and how long each takes; none where that is not
    /// known before.
    fn program_pages(&mut self, _page: u32, _data: &[u8]) -> (u32, Time) {
        (0, Time::ZERO)
    }

    /// The longest time of a read of so many bytes, of a program within a page, of a mark and of an erase, whatever came
    /// before; `None` where no bound is known. As [`Device::read_bound`] says, it holds in the memory's own timing class.
    fn longest_operation(&self, _bytes: u64) -> Option<Time> {
        None
    }

    /// Lets the chip age from now on, as [`CycledFlash::start_ageing`](crate::CycledFlash::start_ageing). Called again, it
    /// changes the environment.
    ///
    /// # Errors
    /// When the sheet lacks the figures, or the environment is none of a chip.
    fn start_ageing(&mut self, _environment: Environment) -> Result<(), AgeingError> {
        Err(AgeingError::NoFigures)
    }

    /// Lets a chip that ages lie without power for a period, at a temperature in degrees Celsius: it loses charge, and no
    /// time passes on its clock.
    ///
    /// # Errors
    /// When the temperature or the period is none of a chip.
    fn keep(&mut self, _period: Period, _celsius: f64) -> Result<(), AgeingError> {
        Err(AgeingError::NoFigures)
    }

    /// Lets reads go through the error correction that the sheet asks of the host, or gives the bits as they are. Where
    /// neither was asked for, reads of a chip that ages go through it, and those of others do not. Returns whether the
    /// sheet asks the host for one: elsewhere nothing changes.
    fn use_host_ecc(&mut self, _on: bool) -> bool {
        false
    }

    /// The columns that the ECC on the die keeps for its parity: those that programs have to leave at 0xFF. None where the
    /// chip has no such ECC.
    fn parity(&self) -> Vec<Range<u32>> {
        Vec::new()
    }

    /// What a read reports where the ECC found this in a page: in the steps of the chip's status, where it has steps.
    fn reported(&self, found: Ecc) -> Ecc {
        found
    }

    /// Lets costs that are constants be compiled, which is so from the start, or runs every operation through the model.
    /// Either gives the same bytes, times, energies and wear.
    fn compile_costs(&mut self, _on: bool) {}

    /// Program and erase cycles that a block has used, the chip's age included.
    ///
    /// # Errors
    /// When there is no such block.
    fn cycles(&self, block: u32) -> Result<u64, NvmError>;

    /// Lets a block have used so many program and erase cycles, the chip's age included.
    ///
    /// # Errors
    /// When there is no such block, the chip's age alone is more, or they exceed 2^62.
    fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError>;

    /// What a block holds.
    ///
    /// # Errors
    /// When there is no such block.
    fn content(&self, block: u32) -> Result<BlockContent, NvmError>;

    /// Lets a block hold what another one held, without time, energy or wear.
    ///
    /// # Errors
    /// When there is no such block, or the content does not fit it.
    fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError>;

    /// What a page holds; `None` where it is erased.
    ///
    /// # Errors
    /// When there is no such page.
    fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError>;

    /// Lets what has leaked from a page be wrong for good, as if it had been programmed so, and its charge be new. Nothing
    /// changes where pages keep no charge of their own, as in NOR flash.
    ///
    /// # Errors
    /// When there is no such page.
    fn renew_charge(&mut self, page: u32) -> Result<(), NvmError> {
        Ok(self.geometry().check_read(page, 0, 0)?)
    }

    /// Lets a page hold what another one held, or be erased, without time, energy or wear. Its charge stays as old as it
    /// was, unless it is erased and keeps one of its own.
    ///
    /// # Errors
    /// When there is no such page, or the content does not fit it.
    fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError>;

    /// An independent memory in the same state, on a clock of its own.
    fn fork_memory(&self) -> Box<dyn FlashMemory>;
}

impl FlashMemory for Wired<Nand> {
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.preload_page(page, column, data)
    }

    fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let geometry = self.geometry();
        OutOfRange::check(at, out.len() as u64, geometry.capacity_bytes())?;
        let page_bytes = geometry.page_bytes as usize;
        let mut worst = Ecc::Clean;
        for (page, inside, part) in spans(at, out.len(), page_bytes) {
            let found = self.read(page as u32, inside.start as u32, &mut out[part])?;
            worst = worst.worse(found);
        }
        Ok(worst)
    }

    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        CycledFlash::start_ageing(self, environment)
    }

    fn keep(&mut self, period: Period, celsius: f64) -> Result<(), AgeingError> {
        self.chip_mut().store(period, celsius)
    }

    fn use_host_ecc(&mut self, on: bool) -> bool {
        self.chip_mut().use_host_ecc(on)
    }

    fn parity(&self) -> Vec<Range<u32>> {
        self.chip().parity()
    }

    fn reported(&self, found: Ecc) -> Ecc {
        self.chip().reported(found)
    }

    fn longest_operation(&self, bytes: u64) -> Option<Time> {
        let geometry = self.geometry();
        longest_of(self, bytes, geometry.capacity_bytes(), geometry.page_bytes)
    }

    fn compile_costs(&mut self, on: bool) {
        self.use_compiled_costs(on);
    }

    fn cycles(&self, block: u32) -> Result<u64, NvmError> {
        self.geometry().check_block(block)?;
        Ok(self.chip().cycles_of(block).unwrap_or(0))
    }

    fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError> {
        self.chip_mut().set_cycles(block, cycles)
    }

    fn content(&self, block: u32) -> Result<BlockContent, NvmError> {
        self.chip().content(block)
    }

    fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError> {
        self.chip_mut().set_content(block, content)
    }

    fn renew_charge(&mut self, page: u32) -> Result<(), NvmError> {
        let now = self.clock().now();
        self.chip_mut().renew_charge(now, page)
    }

    fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError> {
        self.chip().page_content(page)
    }

    fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        self.chip_mut().set_page_content(page, content)
    }

    fn fork_memory(&self) -> Box<dyn FlashMemory> {
        Box::new(self.fork_flash())
    }
}

impl Flash for Box<dyn FlashMemory> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        (**self).geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        (**self).read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        (**self).program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        (**self).erase(block)
    }

    fn can_move(&self, from: u32, to: u32) -> bool {
        (**self).can_move(from, to)
    }

    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        (**self).move_page(from, to, column, data)
    }

    fn erase_mode(&self) -> EraseMode {
        (**self).erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        (**self).begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        (**self).advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        (**self).is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        (**self).mark_bad(block)
    }
}

impl ByteMemory for Box<dyn Device> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        (**self).len()
    }

    fn atom(&self) -> usize {
        (**self).atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        (**self).read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        (**self).write(at, data)
    }

    fn is_mapped(&self) -> bool {
        (**self).is_mapped()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        (**self).load(at, out)
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        (**self).store(at, data)
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        (**self).persist()
    }
}

impl<A: Accounts + ?Sized> InFront for Box<A> {
    type Behind = A;

    fn behind(&self) -> &A {
        self
    }
}

/// The longest operation of a flash, by its bounds.
fn longest_of<F: FlashDevice>(flash: &F, bytes: u64, capacity: u64, page: u32) -> Option<Time> {
    let read = flash.read_bound(0, bytes.min(capacity), 1).ok()?;
    let program = flash.program_bound(0, u64::from(page), 1).ok()?;
    Some(read.later(program).later(flash.erase_bound(1).ok()?))
}

/// What a target is for storage software. It forks instead of cloning.
pub enum Memory {
    /// Any byte, or any sector, can be overwritten: MRAM, FRAM, EEPROM, cards, flash behind a translation layer.
    Bytes(Box<dyn Device>),
    /// Pages are programmed, and blocks erased.
    Flash(Box<dyn FlashMemory>),
}

impl Memory {
    /// An independent memory in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        match self {
            Self::Bytes(device) => Self::Bytes(device.fork_device()),
            Self::Flash(flash) => Self::Flash(flash.fork_memory()),
        }
    }

    /// Its clock, and its accounts of time, energy and wear.
    #[must_use]
    pub fn accounts(&self) -> &dyn Accounts {
        match self {
            Self::Bytes(device) => &**device,
            Self::Flash(flash) => &**flash,
        }
    }

    /// The longest time of a read or a write of so many bytes, of a program within a page, of a mark, of an erase and of a
    /// sync, whatever came before; `None` where no bound is known.
    #[must_use]
    pub fn longest_operation(&self, bytes: u64) -> Option<Time> {
        match self {
            Self::Flash(flash) => flash.longest_operation(bytes),
            Self::Bytes(device) => {
                let bytes = bytes.min(device.len());
                let read = device.read_bound(0, bytes).ok()?;
                let write = device.write_bound(0, bytes).ok()?;
                Some(read.later(write).later(device.persist_bound().ok()?))
            }
        }
    }

    /// Bytes that it holds, the main areas of bad blocks included.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            Self::Bytes(device) => device.len(),
            Self::Flash(flash) => flash.geometry().capacity_bytes(),
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::Bytes(_) => "Bytes",
            Self::Flash(_) => "Flash",
        };
        f.debug_struct(name)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish_non_exhaustive()
    }
}

/// A NOR flash whose blocks are one of its smaller [erases](Nor::erase_sizes): what file systems are set up for.
#[derive(Debug)]
pub struct FinerNor {
    pub(crate) flash: Wired<Nor>,
    geometry: Geometry,
    /// An erase that was started and not waited for.
    pub(crate) started: Option<StartedErase>,
}

impl FinerNor {
    /// The flash with its smallest erase as its block.
    #[must_use]
    pub fn smallest(flash: Wired<Nor>) -> Self {
        let smallest = flash.chip().erase_sizes().next();
        Self::in_blocks(flash, smallest.map(|(bytes, _)| bytes))
    }

    /// The flash with the erase of so many bytes as its block; `None` where the chip has no such erase that the board
    /// drives.
    #[must_use]
    pub fn of_bytes(flash: Wired<Nor>, bytes: u64) -> Option<Self> {
        let found = flash.chip().erase_sizes().any(|(size, _)| size == bytes);
        found.then(|| Self::in_blocks(flash, Some(bytes)))
    }

    fn in_blocks(flash: Wired<Nor>, bytes: Option<u64>) -> Self {
        let mut geometry = flash.geometry();
        if let Some(bytes) = bytes {
            geometry.pages_per_block = (bytes / u64::from(geometry.page_bytes)) as u32;
            geometry.blocks = (flash.chip().capacity() / bytes) as u32;
        }
        Self {
            flash,
            geometry,
            started: None,
        }
    }

    /// Address and length of a block, in bytes.
    fn range(&self, block: u32) -> Result<(u64, u64), NvmError> {
        self.geometry.check_block(block)?;
        let bytes = self.geometry.block_bytes();
        Ok((u64::from(block) * bytes, bytes))
    }

    /// The address of a page.
    fn page_start(&self, page: u32) -> Result<u64, NvmError> {
        self.geometry.check_read(page, 0, 0)?;
        Ok(u64::from(page) * u64::from(self.geometry.page_bytes))
    }
}

impl Flash for FinerNor {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry.check_block(block)?;
        let bytes = self.geometry.block_bytes();
        self.flash.erase_unit(u64::from(block) * bytes, bytes)
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry.check_block(block)?;
        self.flash.leave_erase(block, self.geometry.block_bytes())
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.flash.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.geometry.check_block(block)?;
        Ok(false)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.geometry.check_block(block)?;
        self.flash.mark_bad(0)
    }
}

impl InFront for FinerNor {
    type Behind = Wired<Nor>;

    fn behind(&self) -> &Wired<Nor> {
        &self.flash
    }
}

impl FlashMemory for FinerNor {
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.flash.preload_page(page, column, data)
    }

    fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.flash.read_through(at, out)?;
        Ok(Ecc::Clean)
    }

    fn program_pages(&mut self, page: u32, data: &[u8]) -> (u32, Time) {
        self.flash.program_alike(page, data)
    }

    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        CycledFlash::start_ageing(&mut self.flash, environment)
    }

    fn keep(&mut self, period: Period, celsius: f64) -> Result<(), AgeingError> {
        self.flash.chip_mut().store(period, celsius)
    }

    /// Where its smaller erases take no longer than those of a block.
    fn longest_operation(&self, bytes: u64) -> Option<Time> {
        let geometry = self.flash.geometry();
        let longest = longest_of(
            &self.flash,
            bytes,
            geometry.capacity_bytes(),
            geometry.page_bytes,
        );
        let erase = |geometry: Geometry| {
            let (_, time) = self.flash.chip().longest_erase(geometry.block_bytes());
            time
        };
        longest.filter(|_| erase(self.geometry) <= erase(geometry))
    }

    fn compile_costs(&mut self, on: bool) {
        self.flash.use_compiled_costs(on);
    }

    fn cycles(&self, block: u32) -> Result<u64, NvmError> {
        let (at, _) = self.range(block)?;
        Ok(self.flash.chip().cycles_at(at).unwrap_or(0))
    }

    fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError> {
        let (at, bytes) = self.range(block)?;
        self.flash.chip_mut().set_cycles(at, bytes, cycles)
    }

    fn content(&self, block: u32) -> Result<BlockContent, NvmError> {
        let (at, bytes) = self.range(block)?;
        self.flash.chip().content(at, bytes)
    }

    fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError> {
        let (at, bytes) = self.range(block)?;
        self.flash.chip_mut().set_content(at, bytes, content)
    }

    fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError> {
        let at = self.page_start(page)?;
        self.flash.chip().page_content(at)
    }

    fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        let at = self.page_start(page)?;
        self.flash.chip_mut().set_page_content(at, content)
    }

    fn fork_memory(&self) -> Box<dyn FlashMemory> {
        Box::new(Self {
            flash: self.flash.fork(),
            geometry: self.geometry,
            started: self.started,
        })
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
