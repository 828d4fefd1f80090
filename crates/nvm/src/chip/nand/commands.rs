//! The commands of a NAND: the rules that each obeys, and how long it keeps the chip busy.
//!
//! All commands are on the bus from `start`, which must not be before [`ready`](Chip::ready), and
//! return when they have ended there.

use std::ops::Range;
use std::sync::Arc;

use wordline_core::draw::Purpose;
use wordline_core::quantity::Time;
use wordline_memory::{Ecc, FlashMisuse};

use super::ecc::EccVerdict;
use super::faults::{happens, wrong_bits};
use super::{Behind, Nand, PlaneQueue, Register};
use crate::bus::Transaction;
use crate::error::{Misuse, NvmError, after};
use crate::power::PowerState;
use crate::programming::ProgramHistory;
use crate::rules::Rule;
#[cfg(doc)]
use crate::wired::Chip;

impl Nand {
    /// Permits one program or erase.
    ///
    /// Like every command it is on the bus from `start`, which must not be before
    /// [`ready`](Chip::ready), and returns when it has ended there.
    ///
    /// # Errors
    /// When the chip is busy or not ready.
    #[inline(always)]
    pub fn write_enable(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        // The sheet states no current for single commands: they count as standby.
        let end = self.begin(start, bus)?;
        self.check_read_behind(start)?;
        self.occupy(end)?;
        self.write_enabled = true;
        Ok(end)
    }

    /// Keeps a page of one plane to be fetched together with that of the next
    /// [`page_read`](Self::page_read).
    ///
    /// # Errors
    /// When there is no such page, its plane is kept already or another command was, the chip works
    /// on one plane at a time, or is busy or not ready.
    pub fn page_read_plane(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        self.keep(start, bus, PlaneQueue::Reads, page)
    }

    /// Fetches a page from the array into both registers, with the pages of other planes that were
    /// [kept](Self::page_read_plane) into theirs.
    ///
    /// # Errors
    /// When there is no such page, its plane was kept already, or the chip is busy or not ready.
    #[inline(always)]
    pub fn page_read(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        self.check_page(page, 0, 0)?;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.check_kept(PlaneQueue::Reads, page)?;
        let time = match self.rules.keep(Rule::ReadTime) {
            true => self.spec.page_read(self.ecc),
            false => Time::ZERO,
        };
        let done = after(end, time)?;
        self.occupy(end)?;
        for page in self.take_kept() {
            self.fetch_to_cache(page, done);
        }
        self.fetch_to_cache(page, done);
        self.data = Some((page, None));
        self.busy_until = done;
        self.book(PowerState::Read, end, done);
        Ok(end)
    }

    /// Moves the page in the data register to the cache register, waiting for the array where it is
    /// still read, and starts to read another page into the data register.
    ///
    /// # Errors
    /// When there is no such page, no page read to go on with, or no cache read at all; or when the
    /// chip is busy or not ready.
    pub fn page_read_cache(
        &mut self,
        start: Time,
        bus: &Transaction,
        next: u32,
    ) -> Result<Time, NvmError> {
        self.check_page(next, 0, 0)?;
        if let Some((page, _)) = self.data {
            let follows = self.cache_read_follows(page, next);
            if self.rules.broken(Rule::CacheReadOrder, !follows) {
                return Err(Misuse::CacheReadOrder { page, next }.into());
            }
        }
        let (end, moved) = self.move_register(start, bus)?;
        let time = match self.rules.keep(Rule::ReadTime) {
            true => self.spec.page_read(self.ecc),
            false => Time::ZERO,
        };
        let done = after(moved, time)?;
        self.data = Some((next, Some(self.fetch(next, done))));
        self.array_until = done;
        self.behind = Behind::Read;
        self.book(PowerState::Read, moved, done);
        Ok(end)
    }

    /// Moves the last page of a cache read to the cache register.
    ///
    /// # Errors
    /// As [`page_read_cache`](Self::page_read_cache).
    pub fn page_read_last(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let (end, _) = self.move_register(start, bus)?;
        self.data = None;
        Ok(end)
    }

    /// Reads the cache register of a plane from `column` into `out`.
    ///
    /// # Errors
    /// When the range leaves the page, the register is empty, or the chip is busy or not ready.
    #[inline(always)]
    pub fn read_register(
        &mut self,
        start: Time,
        bus: &Transaction,
        plane: u32,
        column: u32,
        out: &mut [u8],
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_read(0, column, out.len() as u64)?;
        let end = self.begin(start, bus)?;
        let register = self.cache.get(plane as usize).and_then(Option::as_ref);
        match register {
            Some(register) => {
                out.copy_from_slice(&register.bytes[column as usize..][..out.len()]);
            }
            None if self.rules.keep(Rule::Register) => return Err(Misuse::RegisterEmpty.into()),
            None => out.fill(0xff),
        }
        self.occupy(end)?;
        self.book(PowerState::Read, start, end);
        Ok(end)
    }

    /// Loads `data` into the cache register of a plane from `column` on; its other bytes become
    /// 0xFF. A cache program in the array goes on behind it.
    ///
    /// # Errors
    /// When the range leaves the page, or the chip is busy or not ready.
    #[inline(always)]
    pub fn load(
        &mut self,
        start: Time,
        bus: &Transaction,
        plane: u32,
        column: u32,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        self.spec
            .geometry
            .check_read(0, column, data.len() as u64)?;
        let end = self.begin(start, bus)?;
        self.check_read_behind(start)?;
        self.occupy(end)?;
        let bytes = self.spares.page(&self.spec.erased, column, data);
        let register = self.cache.get_mut(plane as usize);
        *register.ok_or(Misuse::NoSuchPlane { plane })? = Some(Register {
            bytes,
            verdict: EccVerdict::Good(Ecc::Clean),
            loaded: column..column + data.len() as u32,
        });
        self.data = None;
        self.book(PowerState::Write, start, end);
        Ok(end)
    }

    /// Loads `data` into the cache register of a plane from `column` on; its other bytes stay, but for the check bits of the
    /// ECC, which the next program makes anew.
    ///
    /// # Errors
    /// When the range leaves the page, the register is empty, or the chip is busy or not ready.
    pub fn load_more(
        &mut self,
        start: Time,
        bus: &Transaction,
        plane: u32,
        column: u32,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        self.spec
            .geometry
            .check_read(0, column, data.len() as u64)?;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        let register = self.cache.get_mut(plane as usize);
        let register = register.ok_or(Misuse::NoSuchPlane { plane })?;
        match register {
            Some(register) => {
                let bytes = Arc::make_mut(&mut register.bytes);
                if !self.rules.keep(Rule::RegisterKept) {
                    bytes.fill(0xff);
                }
                bytes[column as usize..][..data.len()].copy_from_slice(data);
                register.loaded = 0..self.spec.geometry.columns() as u32;
            }
            None if self.rules.keep(Rule::Register) => return Err(Misuse::RegisterEmpty.into()),
            None => {}
        }
        self.occupy(end)?;
        self.data = None;
        self.book(PowerState::Write, start, end);
        Ok(end)
    }

    /// Checks what [`execute`](Self::execute) would check of a page and of `data` loaded at `column`.
    ///
    /// # Errors
    /// When the range leaves the page or the memory, or breaks a rule of programming.
    pub fn check_program(&self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.spec.geometry;
        geometry.check_program(page, column, data.len() as u64)?;
        let code = self.spec.code.as_ref().filter(|_| self.ecc);
        if let Some(column) = code.and_then(|code| code.first_parity(column, data))
            && self.rules.keep(Rule::Parity)
        {
            return Err(Misuse::EccParity { column }.into());
        }
        let (block, index) = self.place(page);
        let Some(block) = self.blocks.get(block) else {
            return Ok(());
        };
        let old = block.page(index);
        let highest = block.highest.filter(|highest| *highest > index);
        let range = column..column + data.len() as u32;
        let history = ProgramHistory {
            later: highest.map(|highest| page - index + highest),
            programs: old.map_or(0, |old| old.programs),
            reprogrammed: || {
                let (code, old) = (code?, old?);
                let taken = old.sectors & code.touched(&range);
                (taken != 0).then(|| code.first_in(&range, taken))
            },
        };
        Ok(history.check_rules(&geometry, page, self.rules)?)
    }

    /// Checks what [`execute`](Self::execute) would check of a page that is fetched from `from`, but for `data` at `column`,
    /// and programmed in `to`.
    ///
    /// # Errors
    /// When `from` or the range leaves the memory, or a rule of programming is broken.
    pub fn check_move(&self, from: u32, to: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        let geometry = self.spec.geometry;
        geometry.check_read(from, 0, geometry.columns())?;
        geometry.check_program(to, column, data.len() as u64)?;
        let (block, index) = self.place(from);
        let held = self.blocks.get(block).and_then(|block| block.page(index));
        let mut register = held.map_or(&self.spec.erased, |held| &held.bytes).to_vec();
        register[column as usize..][..data.len()].copy_from_slice(data);
        self.check_program(to, 0, &register)
    }

    /// Keeps the cache register of a plane to be programmed together with that of the next
    /// [`execute`](Self::execute).
    ///
    /// # Errors
    /// As [`execute`](Self::execute); or when the page's plane is kept already or another command
    /// was, or the chip works on one plane at a time.
    pub fn execute_plane(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        self.check_loaded(page)?;
        self.check_enabled()?;
        self.keep(start, bus, PlaneQueue::Programs, page)
    }

    /// Programs the cache register into a page, with those of other planes that were
    /// [kept](Self::execute_plane). A cache program before it ends first.
    ///
    /// # Errors
    /// When it was not permitted, the register is empty, or a rule of programming is broken; or when
    /// the chip is busy or not ready. Nothing is programmed then.
    pub fn execute(&mut self, start: Time, bus: &Transaction, page: u32) -> Result<Time, NvmError> {
        self.check_loaded(page)?;
        self.execute_checked(start, bus, page)
    }

    /// The same where [`check_program`](Self::check_program) has found nothing in what was loaded.
    #[inline(always)]
    pub(crate) fn execute_checked(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        let (end, from) = self.begin_execute(start, bus, page)?;
        let done = self.program_kept(page, from)?;
        self.busy_until = done;
        self.array_until = done;
        self.behind = Behind::Read;
        Ok(end)
    }

    /// Programs the cache register into a page behind the host's back: the chip is busy until the
    /// program before it has ended and the register has been moved, and takes the next load then.
    ///
    /// # Errors
    /// As [`execute`](Self::execute); or when the chip has no cache program.
    pub fn execute_cache(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        let moving = self.spec.cache_program_busy;
        let moving = moving.ok_or(Misuse::NoCacheProgram)?;
        self.check_loaded(page)?;
        let (end, from) = self.begin_execute(start, bus, page)?;
        let from = after(from, moving)?;
        self.book(PowerState::Write, end, from);
        self.busy_until = from;
        self.array_until = self.program_kept(page, from)?;
        self.behind = Behind::Program;
        Ok(end)
    }

    /// Begins an execute command: returns when it ends, and from when the array is free for it.
    #[inline(always)]
    fn begin_execute(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<(Time, Time), NvmError> {
        let end = self.begin(start, bus)?;
        self.check_read_behind(start)?;
        self.check_enabled()?;
        self.check_kept(PlaneQueue::Programs, page)?;
        self.occupy(end)?;
        let from = match self.rules.keep(Rule::CacheProgram) {
            true => end.later(self.array_until),
            false => end,
        };
        self.failed_before = match self.behind {
            Behind::Program => std::mem::take(&mut self.failed),
            Behind::Read => Vec::new(),
        };
        self.write_enabled &= !(self.spec.write_enable && self.rules.keep(Rule::WriteEnableSpent));
        self.data = None;
        Ok((end, from))
    }

    /// Programs a page and those that were kept, from an instant on; returns when the last is done.
    fn program_kept(&mut self, page: u32, from: Time) -> Result<Time, NvmError> {
        let mut done = from;
        self.failed.clear();
        for page in self.take_kept().into_iter().chain([page]) {
            let (block, _) = self.place(page);
            let time = self.spec.page_program(self.ecc);
            let time = time.at_cycle(u64::from(page), || self.erases(block));
            let time = self.aged_program(page, time);
            let time = match self.rules.keep(Rule::ProgramTime) {
                true => time,
                false => Time::ZERO,
            };
            let end = after(from, time)?;
            done = done.later(end);
            if self.program_cells(page, end) {
                self.failed.push(page);
            }
        }
        self.book(PowerState::Write, from, done);
        Ok(done)
    }

    /// Ends a cache program once the array has come to its end and the status has reported it: the next
    /// program has none before it.
    pub const fn end_cache_program(&mut self) {
        self.behind = Behind::Read;
    }

    /// Checks that the register of a page's plane was loaded with something that the page takes.
    fn check_loaded(&self, page: u32) -> Result<(), NvmError> {
        self.check_page(page, 0, 0)?;
        let register = self.cache[self.plane_of(page) as usize].as_ref();
        let register = register.ok_or(Misuse::RegisterEmpty)?;
        let Range { start: column, end } = register.loaded.clone();
        self.check_program(page, column, &register.bytes[column as usize..end as usize])
    }

    /// Moves a register into the cells of a page, until `done`; returns whether that failed.
    pub(super) fn program_cells(&mut self, page: u32, done: Time) -> bool {
        let plane = self.plane_of(page) as usize;
        if self.cache[plane].is_none() {
            return false;
        }
        let spent = self.wear_by_program(page, done);
        let (block, index) = self.place(page);
        let erases = self.erases(block);
        let Some(register) = &self.cache[plane] else {
            return false;
        };
        let Range { start: column, end } = register.loaded.clone();
        let data = &register.bytes[column as usize..end as usize];
        let (key, faults, rules) = (self.spec.key, self.faults, self.rules);
        let code = self.spec.code.as_ref().filter(|_| self.ecc);
        let sectors = code.map_or(0, |code| code.touched(&register.loaded));
        let erased = &self.spec.erased;
        let block = self.blocks.get_mut(block);
        // The programs of one page draw apart.
        let programs = block.page(index).map_or(0, |page| u64::from(page.programs));
        let cycle = erases << 16 | programs;
        let worn = block.failed && rules.keep(Rule::FailedBlock);
        let fails = worn
            || spent
            || happens(
                faults.program_failure,
                key,
                page,
                cycle,
                Purpose::ProgramFailure,
            );
        block.failed |= fails;
        block.programmed(index);
        let cells = block.page_to_program(index, erased, &mut self.spares);
        cells.programs += 1;
        cells.sectors |= sectors;
        if fails {
            cells.program(column, &data[..data.len() / 2], rules);
            cells.tear();
        } else if rules.keep(Rule::Content) {
            cells.right_by_program(column, data);
            // The columns that were not loaded hold 0xFF in the register, and change nothing.
            if Arc::ptr_eq(&cells.bytes, erased) && rules.keep(Rule::ClearsOnly) {
                cells.hold(&register.bytes);
            } else {
                cells.program(column, data, rules);
            }
            let bits = data.len() as u32 * 8;
            for bit in wrong_bits(faults.bit_errors, key, page, cycle, bits) {
                cells.flip(column * 8 + bit);
            }
        }
        fails
    }

    /// Clears the bad-block mark of a block, whatever was programmed before, with a register that
    /// was loaded for it. The mark holds even where the block is worn out.
    ///
    /// # Errors
    /// When there is no such block, it was not permitted, or the chip is busy or not ready.
    pub fn execute_mark(
        &mut self,
        start: Time,
        bus: &Transaction,
        block: u32,
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_block(block)?;
        let page = block * self.spec.geometry.pages_per_block;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.check_enabled()?;
        let (place, _) = self.place(page);
        let time = self.spec.page_program(self.ecc);
        let done = after(end, time.at(u64::from(page), self.erases(place)))?;
        self.occupy(end)?;
        self.write_enabled = !self.spec.write_enable;
        self.data = None;
        self.busy_until = done;
        self.book(PowerState::Write, end, done);
        self.mark(block);
        self.behind = Behind::Read;
        self.failed.clear();
        Ok(end)
    }

    /// Keeps a block of one plane to be erased together with that of the next
    /// [`erase`](Self::erase).
    ///
    /// # Errors
    /// When there is no such block, its plane is kept already or another command was, the chip works
    /// on one plane at a time, or is busy or not ready.
    pub fn erase_plane(
        &mut self,
        start: Time,
        bus: &Transaction,
        block: u32,
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_block(block)?;
        self.check_enabled()?;
        let page = block * self.spec.geometry.pages_per_block;
        self.keep(start, bus, PlaneQueue::Erases, page)
    }

    /// Erases a block, with those of other planes that were [kept](Self::erase_plane).
    ///
    /// # Errors
    /// When there is no such block, it was not permitted, its plane was kept already, or the chip is
    /// busy or not ready.
    pub fn erase(&mut self, start: Time, bus: &Transaction, block: u32) -> Result<Time, NvmError> {
        let geometry = self.spec.geometry;
        let inside = geometry.check_block(block);
        if self.rules.keep(Rule::Range) {
            inside?;
        }
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.check_enabled()?;
        self.check_kept(
            PlaneQueue::Erases,
            block.saturating_mul(geometry.pages_per_block),
        )?;
        self.occupy(end)?;
        self.write_enabled &= !(self.spec.write_enable && self.rules.keep(Rule::WriteEnableSpent));
        self.data = None;
        self.behind = Behind::Read;
        self.failed.clear();
        self.failed_before.clear();
        let (mut done, first) = (end, self.take_kept());
        let first = first.iter().map(|page| geometry.block_of(*page));
        for block in first.chain([block]) {
            let cycle = self.erases(block as usize);
            let time = match self.rules.keep(Rule::EraseTime) {
                true => {
                    let stated = self.spec.erase.at(u64::from(block), cycle);
                    self.aged_erase(block, stated)
                }
                false => Time::ZERO,
            };
            done = done.later(after(end, time)?);
            if self.erase_cells(block, cycle) {
                self.failed.push(block * geometry.pages_per_block);
            }
        }
        self.busy_until = done;
        self.book(PowerState::Erase, end, done);
        Ok(end)
    }

    /// Erases the cells of a block; returns whether that failed.
    fn erase_cells(&mut self, block: u32, cycle: u64) -> bool {
        if block >= self.spec.geometry.blocks {
            return false;
        }
        let (key, faults, rules) = (self.spec.key, self.faults, self.rules);
        let spent = self.wear_by_erase(block);
        let cells = self.blocks.get_mut(block as usize);
        let fails = cells.failed && rules.keep(Rule::FailedBlock)
            || spent
            || happens(
                faults.erase_failure,
                key,
                block,
                cycle,
                Purpose::EraseFailure,
            );
        cells.erase(fails, rules, &mut self.spares, &self.spec.erased);
        fails
    }

    /// Keeps a page for a command on several planes.
    fn keep(
        &mut self,
        start: Time,
        bus: &Transaction,
        kind: PlaneQueue,
        page: u32,
    ) -> Result<Time, NvmError> {
        let busy = self.spec.plane_busy.ok_or(Misuse::OnePlane)?;
        let end = self.begin(start, bus)?;
        // A cache program goes on behind the loads of all planes.
        match kind {
            PlaneQueue::Programs => self.check_read_behind(start)?,
            PlaneQueue::Reads | PlaneQueue::Erases => self.check_array(start)?,
        }
        self.check_kept(kind, page)?;
        let done = after(end, busy)?;
        self.occupy(end)?;
        self.busy_until = done;
        self.book(kind.state(), end, done);
        let (_, pages) = self.kept.get_or_insert_with(|| (kind, Vec::new()));
        pages.push(page);
        Ok(end)
    }

    /// Pages that are kept must be of the same kind, of other planes, and, but for erases, have the
    /// same place in their blocks.
    /// What was kept is dropped where the next command does not go with it.
    #[inline]
    fn check_kept(&mut self, kind: PlaneQueue, page: u32) -> Result<(), Misuse> {
        let Some((other, pages)) = &self.kept else {
            return Ok(());
        };
        let inside = |page: u32| page % self.spec.geometry.pages_per_block;
        let fits =
            |one: &u32| self.plane_of(*one) != self.plane_of(page) && inside(*one) == inside(page);
        let wrong = *other != kind || !pages.iter().all(fits);
        if self.rules.broken(Rule::Planes, wrong) {
            self.kept = None;
            return Err(Misuse::Planes { page });
        }
        Ok(())
    }

    fn take_kept(&mut self) -> Vec<u32> {
        self.kept.take().map_or(Vec::new(), |(_, pages)| pages)
    }

    fn check_page(&self, page: u32, column: u32, bytes: u64) -> Result<(), FlashMisuse> {
        self.spec.geometry.check_read(page, column, bytes)
    }

    /// Moves the data register to the cache register; returns when the command ends and when the
    /// move does.
    fn move_register(&mut self, start: Time, bus: &Transaction) -> Result<(Time, Time), NvmError> {
        let busy = self.spec.cache_busy.ok_or(Misuse::NoCacheRead)?;
        let end = self.begin(start, bus)?;
        if self.rules.broken(Rule::CacheRead, self.data.is_none()) {
            return Err(Misuse::NoPageRead.into());
        }
        let from = match self.rules.keep(Rule::CacheRead) {
            true => end.later(self.array_until),
            false => end,
        };
        let moved = after(from, busy)?;
        self.occupy(end)?;
        let data = self.data.as_mut();
        if let Some((page, register)) = data.and_then(|(page, data)| Some((*page, data.take()?))) {
            let plane = self.plane_of(page);
            self.cache[plane as usize] = Some(register);
        }
        self.busy_until = moved;
        self.book(PowerState::Read, end, moved);
        Ok((end, moved))
    }

    /// Checks that a command may begin, and returns when it leaves the bus.
    #[inline(always)]
    fn begin(&self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let (ready, until) = (self.ready, self.busy_until);
        if self.rules.broken(Rule::Ready, start < ready) {
            return Err(Misuse::NotReady { start, ready }.into());
        }
        if self.rules.broken(Rule::Busy, start < until) {
            return Err(Misuse::Busy { until }.into());
        }
        after(start, bus.total())
    }

    /// Checks that the array does not fetch the next page of a cache read; a cache program lets the
    /// host go on.
    #[inline(always)]
    fn check_read_behind(&self, start: Time) -> Result<(), Misuse> {
        match self.behind {
            Behind::Read => self.check_array(start),
            Behind::Program => Ok(()),
        }
    }

    /// Checks that the array does not work behind the host's back.
    #[inline(always)]
    fn check_array(&self, start: Time) -> Result<(), Misuse> {
        let until = self.array_until;
        if self.rules.broken(Rule::ArrayBusy, start < until) {
            return Err(Misuse::Busy { until });
        }
        Ok(())
    }

    const fn check_enabled(&self) -> Result<(), Misuse> {
        if self.rules.broken(Rule::WriteEnable, !self.write_enabled) {
            return Err(Misuse::WriteNotEnabled);
        }
        Ok(())
    }

    /// Notes that a transaction ends, after which chip select must be high for a while.
    #[inline(always)]
    fn occupy(&mut self, end: Time) -> Result<(), NvmError> {
        self.ready = after(end, self.spec.deselect)?;
        Ok(())
    }

    /// Books an activity. What the array does behind a transfer is booked once.
    #[inline(always)]
    fn book(&mut self, state: PowerState, start: Time, end: Time) {
        let start = start.later(self.booked);
        if end > start {
            self.meter.book(state, start, end);
            self.booked = end;
        }
    }
}
