//! An ideal flash: the contract, and nothing that a sheet would have to say.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use wordline_core::SimClock;
use wordline_core::quantity::Time;
use wordline_memory::{Ecc, EraseMode, Flash, FlashMisuse, Geometry, OutOfRange};

use super::{CAUSES, IdealAccounts, IdealTimes};
use crate::background::NoSuspend;
use crate::bus::Action;
use crate::chip::cycles_since;
use crate::content::{BlockContent, PageContent};
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Notes, Wear};
use crate::error::{Misuse, NvmError, after};
use crate::flash_control::{ErasePhase, FlashControl, StartedErase, block_at};
use crate::memory::FlashMemory;
use crate::pages::{Pages, spans};
use crate::power::{PowerDraw, Residence};
use crate::programming::{ProgramHistory, clear_bits, is_righted};
use crate::wired::SuspendedRead;

/// What an ideal flash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdealFlashSpec {
    /// Sizes and programming rules, which are [valid](Geometry::is_valid).
    pub geometry: Geometry,
    /// Whether it keeps marks of bad blocks, as NAND does: in the first byte of the spare area of a block's page 0. It
    /// has a spare area then.
    pub marks: bool,
    /// Whether it moves pages within itself.
    pub moves: bool,
    /// Equal parts of its blocks, of which one can be read while another one is erased; 1: a busy flash cannot be read.
    pub banks: u32,
    /// Rated cycles of a block; [`Wear::UNLIMITED`] for any number.
    pub endurance: u64,
    /// What its operations take.
    pub times: IdealTimes,
}

/// A block. Its default is erased and was never cycled.
#[derive(Clone, Debug, Default)]
struct IdealBlock {
    erases: u64,
    pages: BTreeMap<u32, Arc<PageContent>>,
}

/// An erase that was started.
#[derive(Clone, Copy, Debug)]
struct IdealErase {
    block: u32,
    /// When it ends, or what is left of it while it stands still.
    ends: Result<Time, Time>,
}

/// A flash without a sheet: erased and without bad blocks when it is made. It forks instead of cloning.
#[derive(Debug)]
pub struct IdealFlash {
    spec: Arc<IdealFlashSpec>,
    blocks: Pages<IdealBlock>,
    erase: Option<IdealErase>,
    accounts: IdealAccounts,
}

impl IdealFlash {
    /// An erased flash.
    ///
    /// # Panics
    /// When the geometry is not [valid](Geometry::is_valid).
    #[must_use]
    pub fn new(spec: IdealFlashSpec) -> Self {
        assert!(spec.geometry.is_valid(), "{:?}", spec.geometry);
        Self {
            blocks: Pages::new(spec.geometry.blocks as usize),
            erase: None,
            accounts: IdealAccounts::new(),
            spec: Arc::new(spec),
        }
    }

    fn now(&self) -> Time {
        self.accounts.clock.now()
    }

    /// The block of a page, and the page's number within it.
    fn place(&self, page: u32) -> (u32, u32) {
        let geometry = &self.spec.geometry;
        (geometry.block_of(page), page % geometry.pages_per_block)
    }

    fn page(&self, block: u32, within: u32) -> Option<&PageContent> {
        let block = self.blocks.get(block as usize)?;
        block.pages.get(&within).map(|page| &**page)
    }

    fn page_mut(&mut self, block: u32, within: u32) -> &mut PageContent {
        let erased = || Arc::new(PageContent::erased(&self.spec.geometry));
        let pages = &mut self.blocks.get_mut(block as usize).pages;
        Arc::make_mut(pages.entry(within).or_insert_with(erased))
    }

    /// Whether blocks can be used while the erase that was started runs or stands still. Reads of other banks can.
    fn check_free(&self, blocks: Range<u32>, reads: bool) -> Result<(), NvmError> {
        let Some(erase) = self.erase else {
            return Ok(());
        };
        match erase.ends {
            Ok(until) if until > self.now() => {
                if reads && self.is_beside(&blocks) {
                    return Ok(());
                }
                Err(Misuse::Busy { until }.into())
            }
            Ok(_) => Ok(()),
            Err(_) if blocks.contains(&erase.block) => Err(Misuse::InSuspended {
                at: u64::from(erase.block) * self.spec.geometry.block_bytes(),
                work: "erase",
            }
            .into()),
            Err(_) => Ok(()),
        }
    }

    /// Whether blocks lie in other banks than the erase that was started.
    fn is_beside(&self, blocks: &Range<u32>) -> bool {
        let (Some(erase), Some(last)) = (self.erase, blocks.end.checked_sub(1)) else {
            return false;
        };
        let bank = self.spec.geometry.blocks / self.spec.banks.max(1);
        let bank = |block: u32| block / bank.max(1);
        bank(last) < bank(erase.block) || bank(erase.block) < bank(blocks.start)
    }

    /// Whether a block is marked bad.
    fn is_marked(&self, block: u32) -> bool {
        let mark = self.spec.geometry.page_bytes as usize;
        let first = self.page(block, 0).filter(|_| self.spec.marks);
        first.is_some_and(|page| page.bytes.get(mark).is_some_and(|mark| *mark != 0xFF))
    }

    fn check_good(&self, block: u32) -> Result<(), NvmError> {
        match self.is_marked(block) {
            true => Err(NvmError::BadBlock { block }),
            false => Ok(()),
        }
    }

    fn check_program(&self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = &self.spec.geometry;
        geometry.check_program(page, column, data.len() as u64)?;
        let (block, within) = self.place(page);
        self.check_good(block)?;
        if data.is_empty() {
            return Ok(());
        }
        self.check_free(block..block + 1, false)?;
        let held = self.page(block, within);
        let ahead = self.blocks.get(block as usize).and_then(|block| {
            let mut later = block.pages.range(within + 1..);
            later.find(|(_, page)| page.programs > 0)
        });
        let history = ProgramHistory {
            later: ahead.map(|(later, _)| page - within + later),
            programs: held.map_or(0, |held| held.programs),
            reprogrammed: || {
                let mut units = geometry.once_units(column, data.len() as u32)?;
                let taken =
                    |unit: &u32| held.is_some_and(|held| held.units >> unit.min(&63) & 1 == 1);
                let taken = units.find(taken)?;
                Some(geometry.once_unit_start(taken).max(column))
            },
        };
        Ok(history.check(geometry, page)?)
    }

    /// Clears the bits that are 0 in `data`, which counts as a program.
    fn clear(&mut self, page: u32, column: u32, data: &[u8]) {
        let units = self.spec.geometry.once_units(column, data.len() as u32);
        let (block, within) = self.place(page);
        let held = self.page_mut(block, within);
        held.programs = held.programs.saturating_add(1);
        held.units |= units
            .into_iter()
            .flatten()
            .fold(0, |all, unit| all | 1 << unit.min(63));
        let bytes = &held.bytes;
        held.wrong
            .retain(|bit| !is_righted(bytes, *bit, column, data));
        clear_bits(&mut held.bytes[column as usize..], data);
    }

    fn renew(&mut self, block: u32) {
        let block = self.blocks.get_mut(block as usize);
        block.erases = block.erases.saturating_add(1);
        block.pages.clear();
    }

    /// Whether an erase may begin.
    fn check_erase(&self, block: u32) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        self.check_good(block)?;
        match self.erase {
            Some(IdealErase { block, .. }) => Err(FlashMisuse::InErase { block }.into()),
            None => Ok(()),
        }
    }

    /// The blocks that a range of bytes touches.
    fn blocks_of(&self, at: u64, bytes: u64) -> Range<u32> {
        let block = self.spec.geometry.block_bytes();
        (at / block) as u32..(at + bytes.max(1)).div_ceil(block) as u32
    }
}

impl Flash for IdealFlash {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.spec.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.spec
            .geometry
            .check_read(page, column, out.len() as u64)?;
        let (block, _) = self.place(page);
        self.check_free(block..block + 1, true)?;
        let time = self.spec.times.read_of(out.len() as u64)?;
        self.accounts.take(Cause::ArrayRead, time)?;
        self.peek(page, column, out)?;
        let (block, within) = self.place(page);
        match self.page(block, within) {
            Some(held) if held.given_up => Err(NvmError::Uncorrectable { page }),
            _ => Ok(Ecc::Clean),
        }
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.check_program(page, column, data)?;
        if data.is_empty() {
            return Ok(());
        }
        let time = self.spec.times.program_of(data.len() as u64)?;
        self.accounts.take(Cause::Program, time)?;
        self.clear(page, column, data);
        Ok(())
    }

    fn can_move(&self, _: u32, _: u32) -> bool {
        self.spec.moves
    }

    /// A read and a program of the array: the bytes that change pass the bus alone.
    fn move_page(
        &mut self,
        from: u32,
        to: u32,
        column: u32,
        data: &[u8],
    ) -> Result<bool, NvmError> {
        if !self.spec.moves {
            return Ok(false);
        }
        let geometry = self.spec.geometry;
        let columns = geometry.columns();
        geometry.check_read(from, 0, columns)?;
        geometry.check_read(to, column, data.len() as u64)?;
        let mut bytes = vec![0; columns as usize];
        self.peek(from, 0, &mut bytes)?;
        bytes[column as usize..][..data.len()].copy_from_slice(data);
        let (block, within) = self.place(from);
        self.check_free(block..block + 1, true)?;
        self.check_program(to, 0, &bytes)?;
        if self.page(block, within).is_some_and(|held| held.given_up) {
            return Err(NvmError::Uncorrectable { page: from });
        }
        let read = self.spec.times.read_of(0)?;
        let time = after(read, self.spec.times.program_of(data.len() as u64)?)?;
        self.accounts.take(Cause::Program, time)?;
        self.clear(to, 0, &bytes);
        Ok(true)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.check_erase(block)?;
        self.accounts.take(Cause::Erase, self.spec.times.erase)?;
        self.renew(block);
        Ok(())
    }

    fn erase_mode(&self) -> EraseMode {
        EraseMode::Awaited
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.spec.geometry.check_block(block)?;
        if self.spec.marks {
            self.check_free(block..block + 1, true)?;
            let time = self.spec.times.read_of(1)?;
            self.accounts.take(Cause::ArrayRead, time)?;
        }
        Ok(self.is_marked(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        if !self.spec.marks {
            return Err(Misuse::NoMarks.into());
        }
        self.check_free(block..block + 1, false)?;
        let time = self.spec.times.program_of(1)?;
        self.accounts.take(Cause::Program, time)?;
        let mark = self.spec.geometry.page_bytes as usize;
        if let Some(mark) = self.page_mut(block, 0).bytes.get_mut(mark) {
            *mark = 0;
        }
        Ok(())
    }
}

impl Accounts for IdealFlash {
    fn clock(&self) -> &SimClock {
        &self.accounts.clock
    }

    fn causes(&self) -> &'static [Cause] {
        &CAUSES
    }

    fn last_cost(&self) -> &AccessCost {
        &self.accounts.last
    }

    fn residence(&self) -> Residence {
        self.accounts.residence()
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.accounts.draw
    }

    fn wear(&self) -> Wear {
        let cycles = self.blocks.written().map(|block| block.erases);
        let unit = self.spec.geometry.block_bytes();
        Wear::of_units(self.spec.endurance, 0, unit, cycles)
    }

    fn notes(&self) -> &Notes {
        &self.accounts.notes
    }
}

impl FlashControl for IdealFlash {
    fn start_erase(&mut self, at: u64, bytes: u64) -> Result<(), NvmError> {
        let block = block_at(self.spec.geometry, at, bytes)?;
        self.check_erase(block)?;
        let until = after(self.now(), self.spec.times.erase)?;
        self.accounts.take(Cause::Erase, Time::ZERO)?;
        self.renew(block);
        self.erase = Some(IdealErase {
            block,
            ends: Ok(until),
        });
        Ok(())
    }

    fn started_erase(&self) -> Option<StartedErase> {
        let bytes = self.spec.geometry.block_bytes();
        let erase = self.erase?;
        Some(StartedErase {
            at: u64::from(erase.block) * bytes,
            bytes,
            fails: false,
        })
    }

    fn erase_phase(&self) -> Option<ErasePhase> {
        Some(match self.erase?.ends {
            Ok(until) if until > self.now() => ErasePhase::Running { until },
            Ok(_) => ErasePhase::Ended,
            Err(_) => ErasePhase::Suspended,
        })
    }

    fn check_suspend(&self) -> Result<(), NoSuspend> {
        Ok(())
    }

    fn programs_during_erase(&self) -> bool {
        true
    }

    fn suspend_erase(&mut self) -> Result<(), NvmError> {
        self.accounts.take(Cause::Erase, Time::ZERO)?;
        let now = self.now();
        let Some(erase) = &mut self.erase else {
            return Ok(());
        };
        match erase.ends {
            Ok(until) if until > now => erase.ends = Err(until.since(now)),
            Ok(_) => {}
            Err(_) => {
                let (suspended, action) = ("erase", Action::Suspend);
                return Err(Misuse::WhileSuspended { suspended, action }.into());
            }
        }
        Ok(())
    }

    fn resume_erase(&mut self) -> Result<(), NvmError> {
        let now = self.now();
        let Some(IdealErase { ends, .. }) = &mut self.erase else {
            return Err(Misuse::NothingSuspended.into());
        };
        let Err(left) = *ends else {
            return Err(Misuse::NothingSuspended.into());
        };
        *ends = Ok(after(now, left)?);
        self.accounts.take(Cause::Erase, Time::ZERO)
    }

    fn finish_erase(&mut self) -> Result<(), NvmError> {
        let Some(erase) = self.erase else {
            return Ok(());
        };
        let left = match erase.ends {
            Ok(until) => until.since(self.now()),
            Err(left) => left,
        };
        self.accounts.take(Cause::Erase, left)?;
        self.erase = None;
        Ok(())
    }

    fn drop_erase(&mut self) {
        self.erase = None;
    }

    fn banks(&self) -> u32 {
        self.spec.banks.max(1)
    }

    fn reads_beside(&self, at: u64, bytes: u64) -> bool {
        self.is_beside(&self.blocks_of(at, bytes))
    }

    fn read_suspending(&mut self, at: u64, out: &mut [u8]) -> Result<SuspendedRead, NvmError> {
        let suspends = matches!(self.erase_phase(), Some(ErasePhase::Running { .. }));
        if suspends {
            self.suspend_erase()?;
        }
        let read = self.read_through(at, out);
        let latency = self.accounts.last;
        if suspends {
            self.resume_erase()?;
        }
        read?;
        Ok(SuspendedRead {
            latency,
            suspended: suspends,
        })
    }

    fn peek(&self, page: u32, column: u32, out: &mut [u8]) -> Result<(), NvmError> {
        self.spec
            .geometry
            .check_read(page, column, out.len() as u64)?;
        let (block, within) = self.place(page);
        let Some(held) = self.page(block, within) else {
            out.fill(0xFF);
            return Ok(());
        };
        let start = column as usize;
        out.copy_from_slice(&held.bytes[start..start + out.len()]);
        for bit in &held.wrong {
            if let Some(byte) = (*bit as usize / 8)
                .checked_sub(start)
                .and_then(|index| out.get_mut(index))
            {
                *byte ^= 1 << (bit % 8);
            }
        }
        Ok(())
    }
}

impl FlashMemory for IdealFlash {
    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = Geometry {
            spare_bytes: 0,
            ..self.spec.geometry
        };
        geometry.check_read(page, column, data.len() as u64)?;
        let units = self.spec.geometry.once_units(column, data.len() as u32);
        let (block, within) = self.place(page);
        let held = self.page_mut(block, within);
        held.programs = held.programs.max(1);
        held.units |= units
            .into_iter()
            .flatten()
            .fold(0, |all, unit| all | 1 << unit.min(63));
        held.bytes[column as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn read_through(&mut self, at: u64, out: &mut [u8]) -> Result<Ecc, NvmError> {
        let geometry = self.spec.geometry;
        OutOfRange::check(at, out.len() as u64, geometry.capacity_bytes())?;
        let mut worst = Ecc::Clean;
        let mut cost = AccessCost::NONE;
        for (page, inside, part) in spans(at, out.len(), geometry.page_bytes as usize) {
            let found = self.read(page as u32, inside.start as u32, &mut out[part])?;
            worst = worst.worse(found);
            cost.add_all(&self.accounts.last);
        }
        self.accounts.last = cost;
        Ok(worst)
    }

    fn cycles(&self, block: u32) -> Result<u64, NvmError> {
        self.spec.geometry.check_block(block)?;
        let found = self.blocks.get(block as usize);
        Ok(found.map_or(0, |found| found.erases))
    }

    fn set_cycles(&mut self, block: u32, cycles: u64) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        self.blocks.get_mut(block as usize).erases = cycles_since(cycles, 0)?;
        Ok(())
    }

    fn content(&self, block: u32) -> Result<BlockContent, NvmError> {
        self.spec.geometry.check_block(block)?;
        let found = self.blocks.get(block as usize);
        let pages = found.into_iter().flat_map(|found| &found.pages);
        Ok(BlockContent {
            pages: pages
                .map(|(number, page)| (*number, (**page).clone()))
                .collect(),
            charges: Vec::new(),
        })
    }

    fn set_content(&mut self, block: u32, content: &BlockContent) -> Result<(), NvmError> {
        let mut geometry = self.spec.geometry;
        geometry.check_block(block)?;
        geometry.blocks = 1;
        content.check(&geometry)?;
        let pages = content.pages.iter();
        self.blocks.get_mut(block as usize).pages = pages
            .map(|(number, page)| (*number, Arc::new(page.clone())))
            .collect();
        Ok(())
    }

    fn page_content(&self, page: u32) -> Result<Option<PageContent>, NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        let (block, within) = self.place(page);
        Ok(self.page(block, within).cloned())
    }

    fn set_page_content(
        &mut self,
        page: u32,
        content: Option<&PageContent>,
    ) -> Result<(), NvmError> {
        let geometry = &self.spec.geometry;
        geometry.check_read(page, 0, 0)?;
        if let Some(content) = content {
            content.check(geometry)?;
        }
        let (block, within) = self.place(page);
        let pages = &mut self.blocks.get_mut(block as usize).pages;
        match content {
            Some(content) => {
                pages.insert(within, Arc::new(content.clone()));
            }
            None => {
                pages.remove(&within);
            }
        }
        Ok(())
    }

    fn fork_memory(&self) -> Box<dyn FlashMemory> {
        Box::new(Self {
            spec: Arc::clone(&self.spec),
            blocks: self.blocks.clone(),
            erase: self.erase,
            accounts: self.accounts.fork(),
        })
    }
}
