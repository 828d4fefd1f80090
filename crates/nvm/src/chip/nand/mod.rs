//! NAND flash: pages that are programmed in order, blocks that are erased, on a serial bus with an
//! error correction on the die or on a parallel one without.
//!
//! A page reaches the host in two steps: a page-read command fetches it from the array into the
//! cache register, and the register is read over the bus. A program takes the same way back: load
//! the register, then execute. In a cache read the array works into a second register, the data
//! register, while the host reads the first; in a cache program it works from the second while the
//! host loads the first. A chip with several planes has a register for each, and works on one page
//! or block of each at the same time.
//!
//! The chip is as strict as its sheet: what a data sheet forbids is a
//! [`Misuse`](crate::Misuse) here, also where a real chip would obey and lose data. Not modelled:
//! block protection and one-time pages. A chip ages [on request](crate::CycledFlash::start_ageing).

mod ageing;
mod array;
mod bound;
mod commands;
mod compiled;
mod ecc;
mod faults;
mod fetch;
mod model;
mod sheet;
mod spec;

use std::ops::Range;
use std::sync::Arc;

use wordline_core::Resolver;
use wordline_core::quantity::Time;
use wordline_memory::{Ecc, Geometry};

use self::ageing::NandAgeing;
use self::array::{NandBlock, Spares};
pub use self::ecc::EccVerdict;
pub use self::faults::Faults;
use self::faults::factory_bad;
pub use self::sheet::{BitRange, EccSheet, NandSheet, SpareRange};
use self::spec::NandSpec;
use crate::chip::cycles_since;
use crate::content::{BlockContent, PageContent};
use crate::cost::Cause;
use crate::device::{CurrentGap, Pipeline, Pipelines, Wear};
use crate::error::NvmError;
use crate::link::Link;
use crate::pages::Pages;
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};
use crate::rules::{Rule, RuleSet};
use crate::wired::Chip;

/// A page in one of the chip's registers.
#[derive(Clone, Debug)]
struct Register {
    /// Shared with the array's page, until one of them changes.
    bytes: Arc<[u8]>,
    verdict: EccVerdict,
    /// The columns that an execute command would program.
    loaded: Range<u32>,
}

/// What the array does behind the host's back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    /// It fetches the next page of a cache read.
    Read,
    /// It programs the last page of a cache program.
    Program,
}

/// A NAND chip: its bytes, its registers, its wear and its account of energy. A clone is an
/// independent chip with the same content, made in microseconds.
#[derive(Clone, Debug)]
pub struct Nand {
    spec: Arc<NandSpec>,
    blocks: Pages<NandBlock>,
    /// What the host reads and loads: a register for each plane.
    cache: Vec<Option<Register>>,
    /// The page that the array was read into last, as long as a cache read may go on with it; with its bytes where
    /// they are not those in the cache register.
    data: Option<(u32, Option<Register>)>,
    spares: Spares,
    /// Pages, or blocks, of other planes that were kept for the next command of their kind.
    kept: Option<(PlaneQueue, Vec<u32>)>,
    meter: PowerMeter,
    booked: Time,
    ready: Time,
    busy_until: Time,
    /// Until when the array works behind the host's back, and at what.
    array_until: Time,
    behind: Behind,
    write_enabled: bool,
    /// Pages whose program failed, or first pages of blocks whose erase failed, in the last command.
    failed: Vec<u32>,
    /// The same of the program before the last, in a cache program.
    failed_before: Vec<u32>,
    ecc: bool,
    /// Whether reads go through the error correction of the host; as it ages where that is `None`.
    host_ecc: Option<bool>,
    /// Choices of the driver, kept here because only this chip has them.
    pipelines: Pipelines,
    faults: Faults,
    cycles_before: u64,
    /// How its oxide wears, where it ages.
    ageing: Option<Arc<NandAgeing>>,
    rules: RuleSet,
}

/// What was kept for a command on several planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaneQueue {
    Reads,
    Programs,
    Erases,
}

impl PlaneQueue {
    const fn state(self) -> PowerState {
        match self {
            Self::Reads => PowerState::Read,
            Self::Programs => PowerState::Write,
            Self::Erases => PowerState::Erase,
        }
    }
}

impl Nand {
    /// A chip that was just supplied with power: erased, but for the bad blocks that `key` draws.
    /// `age` is the fraction of its endurance, 0 to 1, that every block has used.
    ///
    /// Returned with it is what the sheet does not say of the currents on this link.
    #[must_use]
    pub fn new(
        sheet: &NandSheet,
        link: &Link,
        resolver: &mut Resolver,
        age: f64,
        key: u64,
    ) -> (Self, Vec<CurrentGap>) {
        let mut gaps = Vec::new();
        let spec = NandSpec::new(sheet, link, resolver, key, &mut gaps);
        let mut chip = Self {
            blocks: Pages::new(spec.geometry.blocks as usize),
            cache: vec![None; spec.planes as usize],
            data: None,
            spares: Spares::default(),
            kept: None,
            meter: PowerMeter::new(),
            booked: Time::ZERO,
            ready: spec.wake_up,
            busy_until: Time::ZERO,
            array_until: Time::ZERO,
            behind: Behind::Read,
            write_enabled: !spec.write_enable,
            failed: Vec::new(),
            failed_before: Vec::new(),
            ecc: spec.code.is_some(),
            host_ecc: None,
            pipelines: Pipelines::default(),
            faults: Faults::default(),
            cycles_before: Wear::cycles_at_age(spec.endurance, age),
            ageing: None,
            rules: RuleSet::ALL,
            spec: Arc::new(spec),
        };
        let geometry = chip.spec.geometry;
        let (good, most) = (
            *sheet.good_blocks_first.value(),
            *sheet.bad_blocks_max.value(),
        );
        for block in factory_bad(key, geometry.blocks, good, most) {
            chip.mark(block);
        }
        (chip, gaps)
    }

    /// Sizes and programming rules.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        let mut geometry = self.spec.geometry;
        geometry.once_bytes = geometry.once_bytes.filter(|_| self.ecc);
        geometry
    }

    /// Whether the chip can work in a way, on the board that it is connected to.
    #[must_use]
    pub fn can(&self, pipeline: Pipeline) -> bool {
        match pipeline {
            Pipeline::CacheRead => self.spec.cache_busy.is_some(),
            Pipeline::CacheProgram => self.spec.cache_program_busy.is_some(),
            Pipeline::MultiPlane => self.spec.plane_busy.is_some(),
        }
    }

    /// The ways in which the driver works with the chip.
    #[must_use]
    pub const fn pipelines(&self) -> Pipelines {
        self.pipelines
    }

    pub(crate) const fn set_pipelines(&mut self, pipelines: Pipelines) {
        self.pipelines = pipelines;
    }

    /// Planes that can work at the same time.
    #[must_use]
    pub fn planes(&self) -> u32 {
        self.spec.planes
    }

    /// The plane of a page.
    #[must_use]
    pub fn plane_of(&self, page: u32) -> u32 {
        match self.spec.planes {
            1 => 0,
            planes => self.spec.geometry.block_of(page) % planes,
        }
    }

    /// Whether a page can be moved to another one within the chip: both lie in one plane, and the ECC corrects what is
    /// moved.
    #[must_use]
    pub fn can_move(&self, from: u32, to: u32) -> bool {
        self.spec.internal_move && self.ecc && self.plane_of(from) == self.plane_of(to)
    }

    /// The page whose bytes were read from the array into the cache register, where nothing was done with it since.
    pub(crate) const fn fetched(&self) -> Option<u32> {
        match self.data {
            Some((page, None)) => Some(page),
            _ => None,
        }
    }

    /// Whether programs and erases need a write-enable command.
    #[must_use]
    pub fn needs_write_enable(&self) -> bool {
        self.spec.write_enable
    }

    /// Switches the error correction on the die, which is on after power-up where there is one.
    /// Without it reads give the cells as they are, sectors may be programmed again, and the sheet's
    /// times without ECC apply, where it has them. Pages that were programmed without it hold no
    /// check bits on a real chip: switch before the first program.
    pub fn set_ecc(&mut self, on: bool) {
        self.ecc = on && self.spec.code.is_some();
    }

    /// The columns of a page that the error correction on the die keeps for its parity, while it is on.
    #[must_use]
    pub fn parity(&self) -> Vec<Range<u32>> {
        let code = self.spec.code.as_ref().filter(|_| self.ecc);
        code.map_or_else(Vec::new, |code| code.parity().to_vec())
    }

    /// How often things go wrong from now on.
    pub const fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    /// Makes every further program and erase of a block fail.
    ///
    /// # Errors
    /// When there is no such block.
    pub fn fail_block(&mut self, block: u32) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        self.blocks.get_mut(block as usize).failed = true;
        Ok(())
    }

    /// Flips a bit, 0 to 7, of a stored byte; flipping it again mends it, and so does an erase.
    ///
    /// # Errors
    /// When the column leaves the page, or the page the memory.
    ///
    /// # Panics
    /// When a byte has no such bit.
    pub fn flip_bit(&mut self, page: u32, column: u32, bit: u8) -> Result<(), NvmError> {
        assert!(bit < 8, "a byte has bits 0 to 7");
        let geometry = self.spec.geometry;
        geometry.check_read(page, column, 1)?;
        let (block, index) = self.place(page);
        let page = self.blocks.get_mut(block);
        let page = page.page_mut(index, &self.spec.erased);
        page.flip(column * 8 + u32::from(bit));
        Ok(())
    }

    /// Stores bytes in the main area of a page without time, energy or wear. The page counts as
    /// programmed from then on.
    ///
    /// # Errors
    /// When the range leaves the main area or the memory.
    pub fn preload(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = Geometry {
            spare_bytes: 0,
            ..self.spec.geometry
        };
        geometry.check_read(page, column, data.len() as u64)?;
        if data.is_empty() {
            return Ok(());
        }
        let range = column..column + data.len() as u32;
        let code = self.spec.code.as_ref();
        let sectors = code.map_or(0, |code| code.touched(&range));
        let (block, index) = self.place(page);
        let block = self.blocks.get_mut(block);
        block.programmed(index);
        let page = block.page_mut(index, &self.spec.erased);
        page.programs = page.programs.max(1);
        page.sectors |= sectors;
        page.replace(column, data);
        Ok(())
    }

    /// Whether the bad-block mark of a block is set: that byte of its page 0 is not 0xFF.
    #[must_use]
    pub fn is_marked(&self, block: u32) -> bool {
        let page = self.blocks.get(block as usize);
        let page = page.and_then(|block| block.page(0));
        page.is_some_and(|page| page.bytes[self.mark_column() as usize] != 0xff)
    }

    /// The column of the bad-block mark in page 0 of each block.
    #[must_use]
    pub fn mark_column(&self) -> u32 {
        self.spec.mark_column
    }

    /// Program and erase cycles that a block has used, the chip's age included; `None` where there
    /// is no such block.
    #[must_use]
    pub fn cycles_of(&self, block: u32) -> Option<u64> {
        self.spec.geometry.check_block(block).ok()?;
        Some(
            self.cycles_before
                .saturating_add(self.erases(block as usize)),
        )
    }

    /// Lets a block have used so many program and erase cycles, the chip's age included.
    ///
    /// # Errors
    /// When there is no such block, the chip's age alone is more, or they exceed 2^62.
    pub fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        let erases = cycles_since(cycles, self.cycles_before)?;
        let state = self.blocks.get_mut(block as usize);
        let charge = state
            .worn
            .as_ref()
            .map(|worn| worn.kept_charge(state.erases));
        state.erases = erases;
        // Its oxide has worn as much, however that came to be; what it keeps is as old as before.
        state.worn = None;
        if let Some(charge) = charge {
            self.with_worn(block, |_, worn| worn.set_charge(&charge));
        }
        Ok(())
    }

    /// What the cells of a page hold at an instant, without time and energy, and without the ECC.
    ///
    /// # Errors
    /// When the range leaves the page or the memory.
    pub fn peek(
        &self,
        instant: Time,
        page: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<(), NvmError> {
        self.spec
            .geometry
            .check_read(page, column, out.len() as u64)?;
        let (block, index) = self.place(page);
        let range = column as usize..column as usize + out.len();
        let Some(block) = self.blocks.get(block) else {
            out.fill(0xff);
            return Ok(());
        };
        let erased = &self.spec.erased;
        match block
            .intact(index, erased)
            .filter(|_| self.ageing.is_none())
        {
            Some(bytes) => out.copy_from_slice(&bytes[range]),
            None => {
                let wrong = self.gone_wrong(page, instant);
                let (bytes, _) = block.fetch(index, erased, None, &wrong, RuleSet::ALL);
                out.copy_from_slice(&bytes[range]);
            }
        }
        Ok(())
    }

    /// What a block holds.
    ///
    /// # Errors
    /// When there is no such block.
    pub fn content(&self, block: u32) -> Result<BlockContent, NvmError> {
        self.spec.geometry.check_block(block)?;
        let content = self.blocks.get(block as usize).map(NandBlock::content);
        Ok(content.unwrap_or_default())
    }

    /// Lets a block hold what another one held, without time, energy or wear.
    ///
    /// # Errors
    /// When there is no such block, or the content does not fit it.
    pub fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        content.check(&self.spec.geometry)?;
        let state = self.blocks.get_mut(block as usize);
        state.restore(content, &self.spec.erased);
        if let Some(charge) = content.charges.first() {
            self.with_worn(block, |_, worn| worn.set_charge(charge));
        }
        Ok(())
    }

    /// Lets what has leaked from a page by an instant be wrong for good, and its charge be new.
    ///
    /// # Errors
    /// When there is no such page.
    pub fn renew_charge(&mut self, instant: Time, page: u32) -> Result<(), NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        if self.ageing.is_some() {
            let leaked = self.gone_wrong(page, instant);
            let (block, index) = self.place(page);
            let block = self.blocks.get_mut(block);
            block.renew_charge(index, &leaked, &self.spec.erased);
        }
        Ok(())
    }

    /// What a page holds; `None` where it is erased.
    ///
    /// # Errors
    /// When there is no such page.
    pub fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        let (block, index) = self.place(page);
        let block = self.blocks.get(block);
        Ok(block.and_then(|block| block.page_content(index)))
    }

    /// Lets a page hold what another one held, or be erased, without time, energy or wear.
    ///
    /// # Errors
    /// When there is no such page, or the content does not fit it.
    pub fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        if let Some(content) = content {
            content.check(&self.spec.geometry)?;
        }
        let (block, index) = self.place(page);
        let block = self.blocks.get_mut(block);
        block.restore_page(index, content, &self.spec.erased);
        Ok(())
    }

    /// The power goes: what the array does ends.
    pub(crate) fn lose_power(&mut self, instant: Time) {
        self.meter.cut_short(instant);
        self.booked = self.booked.min(instant);
        self.busy_until = self.busy_until.min(instant);
        self.array_until = self.array_until.min(instant);
        self.failed.clear();
    }

    /// Until when the chip is busy with its last command.
    #[must_use]
    pub const fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// Until when the array works, in a cache read or program longer than the chip is busy for the
    /// host.
    #[must_use]
    pub fn array_until(&self) -> Time {
        self.busy_until.later(self.array_until)
    }

    /// Whether the last program or erase failed: the status bits P_FAIL and E_FAIL.
    #[must_use]
    pub const fn failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// The first page of the last command whose program, or whose block's erase, failed: what the
    /// status of each plane shows.
    #[must_use]
    pub fn failed_page(&self) -> Option<u32> {
        self.failed.first().copied()
    }

    /// The first page of the program before the last that failed, in a cache program: the status bit
    /// FAILC of each plane.
    #[must_use]
    pub fn failed_before(&self) -> Option<u32> {
        self.failed_before.first().copied()
    }

    /// Whether a cache read that reads a page can go on with another one.
    #[must_use]
    pub fn cache_read_follows(&self, page: u32, next: u32) -> bool {
        let pages = self.spec.geometry.pages_per_block;
        !self.spec.cache_read_sequential
            || page.checked_add(1) == Some(next) && !next.is_multiple_of(pages)
    }

    /// Whether a program or an erase is permitted: the status bit WEL.
    #[must_use]
    pub const fn write_enabled(&self) -> bool {
        self.write_enabled
    }

    /// What the ECC says of the page in the cache register of a plane; `Clean` while there is none.
    #[must_use]
    pub fn verdict(&self, plane: u32) -> EccVerdict {
        let register = self.cache.get(plane as usize).and_then(Option::as_ref);
        register.map_or(EccVerdict::Good(Ecc::Clean), |register| register.verdict)
    }

    /// The block of a page, and the page's number in it.
    #[inline(always)]
    fn place(&self, page: u32) -> (usize, u32) {
        let geometry = &self.spec.geometry;
        (
            geometry.block_of(page) as usize,
            page % geometry.pages_per_block,
        )
    }

    fn erases(&self, block: usize) -> u64 {
        self.blocks.get(block).map_or(0, |block| block.erases)
    }

    fn mark(&mut self, block: u32) {
        let column = self.mark_column();
        let page = self.blocks.get_mut(block as usize);
        let page = page.page_mut(0, &self.spec.erased);
        page.replace(column, &[0]);
    }
}

impl Chip for Nand {
    fn causes(&self) -> &'static [Cause] {
        &[
            Cause::Driver,
            Cause::BusCommand,
            Cause::BusData,
            Cause::Recovery,
            Cause::Poll,
            Cause::ArrayRead,
            Cause::Program,
            Cause::Erase,
        ]
    }

    fn wear(&self) -> Wear {
        Wear::of_units(
            self.spec.endurance,
            self.cycles_before,
            self.geometry().block_bytes(),
            self.blocks.written().map(|block| block.erases),
        )
    }

    fn ready(&self) -> Time {
        self.ready
    }

    fn polled(&mut self, end: Time) {
        let ready = end.checked_plus(self.spec.deselect).unwrap_or(end);
        self.ready = self.ready.later(ready);
    }

    fn residence(&self, instant: Time) -> Residence {
        self.meter.residence_so_far(instant)
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.spec.draw
    }

    fn power_up(&self) -> Option<Time> {
        Some(self.spec.wake_up)
    }

    fn forget(&mut self, rule: Rule) {
        self.rules.forget(rule);
        self.meter.be_lenient();
    }
}

#[cfg(test)]
mod tests;
