//! The commands of a SPI NAND: the rules that each obeys, and how long it keeps the chip busy.
//!
//! All commands are on the bus from `start`, which must not be before [`ready`](Chip::ready), and
//! return when they have ended there.

use std::ops::Range;
use std::sync::Arc;

use wordline_core::draw::Purpose;
use wordline_core::quantity::Time;
use wordline_memory::{Ecc, FlashMisuse};

use super::ecc::Verdict;
use super::faults::{happens, wrong_bits};
use super::{Nand, Register};
use crate::bus::serial::Transaction;
use crate::error::{Misuse, NvmError};
use crate::power::PowerState;
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
    pub fn write_enable(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        // The sheet states no current for single commands: they count as standby.
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.occupy(end)?;
        self.write_enabled = true;
        Ok(end)
    }

    /// Fetches a page from the array into both registers.
    ///
    /// # Errors
    /// When there is no such page, or the chip is busy or not ready.
    pub fn page_read(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_read(page, 0, 0)?;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        let done = after(end, self.spec.page_read(self.ecc))?;
        self.occupy(end)?;
        let register = Arc::new(self.fetch(page));
        self.cache = Some(Arc::clone(&register));
        self.data = Some(register);
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
        self.spec.geometry.check_read(next, 0, 0)?;
        let (end, moved) = self.move_register(start, bus)?;
        let done = after(moved, self.spec.page_read(self.ecc))?;
        self.data = Some(Arc::new(self.fetch(next)));
        self.array_until = done;
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

    /// Reads the cache register from `column` into `out`.
    ///
    /// # Errors
    /// When the range leaves the page, the register is empty, or the chip is busy or not ready.
    pub fn read_register(
        &mut self,
        start: Time,
        bus: &Transaction,
        column: u32,
        out: &mut [u8],
    ) -> Result<Time, NvmError> {
        self.spec.geometry.check_read(0, column, out.len() as u64)?;
        let end = self.begin(start, bus)?;
        let register = self.cache.as_ref().ok_or(Misuse::RegisterEmpty)?;
        out.copy_from_slice(&register.bytes[column as usize..][..out.len()]);
        self.occupy(end)?;
        self.book(PowerState::Read, start, end);
        Ok(end)
    }

    /// Loads `data` into the cache register from `column` on; its other bytes become 0xFF.
    ///
    /// # Errors
    /// When the range leaves the page, or the chip is busy or not ready.
    pub fn load(
        &mut self,
        start: Time,
        bus: &Transaction,
        column: u32,
        data: &[u8],
    ) -> Result<Time, NvmError> {
        self.spec
            .geometry
            .check_read(0, column, data.len() as u64)?;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.occupy(end)?;
        let mut bytes = vec![0xff; self.spec.geometry.columns() as usize];
        bytes[column as usize..][..data.len()].copy_from_slice(data);
        self.cache = Some(Arc::new(Register {
            bytes,
            verdict: Verdict::Good(Ecc::Clean),
            loaded: column..column + data.len() as u32,
        }));
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
        if self.ecc
            && let Some(column) = self.spec.code.first_parity(column, data)
        {
            return Err(Misuse::EccParity { column }.into());
        }
        let (block, index) = self.place(page);
        let Some(block) = self.blocks.get(block) else {
            return Ok(());
        };
        if geometry.in_order
            && let Some(later) = block.highest.filter(|highest| *highest > index)
        {
            let later = page - index + later;
            return Err(FlashMisuse::OutOfOrder { page, later }.into());
        }
        let Some(old) = block.page(index) else {
            return Ok(());
        };
        if let Some(allowed) = geometry.programs_per_page
            && old.programs >= allowed
        {
            return Err(FlashMisuse::TooManyPrograms { page, allowed }.into());
        }
        let range = column..column + data.len() as u32;
        let taken = old.sectors & self.spec.code.touched(&range);
        if self.ecc && taken != 0 {
            let column = self.spec.code.first_in(&range, taken);
            return Err(FlashMisuse::Reprogram { page, column }.into());
        }
        Ok(())
    }

    /// Programs the cache register into a page.
    ///
    /// # Errors
    /// When it was not permitted, the register is empty, or a rule of programming is broken; or when
    /// the chip is busy or not ready. Nothing is programmed then.
    pub fn execute(&mut self, start: Time, bus: &Transaction, page: u32) -> Result<Time, NvmError> {
        let register = self.cache.clone().ok_or(Misuse::RegisterEmpty)?;
        let Range { start: column, end } = register.loaded.clone();
        let data = &register.bytes[column as usize..end as usize];
        self.check_program(page, column, data)?;
        let (end, cycle) = self.begin_program(start, bus, page)?;
        let (key, faults) = (self.spec.key, self.faults);
        let ecc = self.ecc;
        let sectors = self.spec.code.touched(&register.loaded);
        let columns = self.spec.geometry.columns() as usize;
        let (block, index) = self.place(page);
        let block = self.blocks.get_mut(block);
        let fails = block.failed
            || happens(
                faults.program_failure,
                key,
                page,
                cycle,
                Purpose::ProgramFailure,
            );
        block.failed = fails;
        block.programmed(index);
        let cells = block.page_mut(index, columns);
        cells.programs += 1;
        cells.sectors |= if ecc { sectors } else { 0 };
        if fails {
            cells.program(column, &data[..data.len() / 2]);
            cells.tear();
        } else {
            cells.program(column, data);
            let bits = data.len() as u32 * 8;
            for bit in wrong_bits(faults.bit_errors, key, page, cycle, bits) {
                cells.flip(column * 8 + bit);
            }
        }
        self.failed = fails;
        Ok(end)
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
        let (end, _) = self.begin_program(start, bus, page)?;
        self.mark(block);
        self.failed = false;
        Ok(end)
    }

    /// Erases a block.
    ///
    /// # Errors
    /// When there is no such block, it was not permitted, or the chip is busy or not ready.
    pub fn erase(&mut self, start: Time, bus: &Transaction, block: u32) -> Result<Time, NvmError> {
        self.spec.geometry.check_block(block)?;
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.check_enabled()?;
        let cycle = self.erases(block as usize);
        let done = after(end, self.spec.erase.at(u64::from(block), cycle))?;
        self.occupy(end)?;
        self.write_enabled = false;
        self.data = None;
        let (key, faults) = (self.spec.key, self.faults);
        let cells = self.blocks.get_mut(block as usize);
        let fails = cells.failed
            || happens(
                faults.erase_failure,
                key,
                block,
                cycle,
                Purpose::EraseFailure,
            );
        cells.erase(fails);
        self.failed = fails;
        self.busy_until = done;
        self.book(PowerState::Erase, end, done);
        Ok(end)
    }

    /// Starts a program of a page: returns when its command ends, and the cycle that its draws are
    /// keyed by, which differs between the programs of one page.
    fn begin_program(
        &mut self,
        start: Time,
        bus: &Transaction,
        page: u32,
    ) -> Result<(Time, u64), NvmError> {
        let end = self.begin(start, bus)?;
        self.check_array(start)?;
        self.check_enabled()?;
        let (block, index) = self.place(page);
        let erases = self.erases(block);
        let done = after(
            end,
            self.spec.page_program(self.ecc).at(u64::from(page), erases),
        )?;
        self.occupy(end)?;
        self.write_enabled = false;
        self.data = None;
        self.busy_until = done;
        self.book(PowerState::Write, end, done);
        let cells = self.blocks.get(block).and_then(|block| block.page(index));
        let programs = cells.map_or(0, |page| u64::from(page.programs));
        Ok((end, erases << 16 | programs))
    }

    /// Moves the data register to the cache register; returns when the command ends and when the
    /// move does.
    fn move_register(&mut self, start: Time, bus: &Transaction) -> Result<(Time, Time), NvmError> {
        let busy = self.spec.cache_busy.ok_or(Misuse::NoCacheRead)?;
        let end = self.begin(start, bus)?;
        let data = self.data.clone().ok_or(Misuse::NoPageRead)?;
        let moved = after(end.later(self.array_until), busy)?;
        self.occupy(end)?;
        self.cache = Some(data);
        self.busy_until = moved;
        self.book(PowerState::Read, end, moved);
        Ok((end, moved))
    }

    /// Checks that a command may begin, and returns when it leaves the bus.
    fn begin(&self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        if start < self.ready {
            let ready = self.ready;
            return Err(Misuse::NotReady { start, ready }.into());
        }
        let until = self.busy_until;
        if start < until {
            return Err(Misuse::Busy { until }.into());
        }
        after(start, bus.total())
    }

    /// Checks that the array does not work behind the host's back.
    fn check_array(&self, start: Time) -> Result<(), Misuse> {
        let until = self.array_until;
        if start < until {
            return Err(Misuse::Busy { until });
        }
        Ok(())
    }

    const fn check_enabled(&self) -> Result<(), Misuse> {
        if self.write_enabled {
            Ok(())
        } else {
            Err(Misuse::WriteNotEnabled)
        }
    }

    /// Notes that a transaction ends, after which chip select must be high for a while.
    fn occupy(&mut self, end: Time) -> Result<(), NvmError> {
        self.ready = after(end, self.spec.deselect)?;
        Ok(())
    }

    /// Books an activity. What the array does behind a transfer is booked once.
    fn book(&mut self, state: PowerState, start: Time, end: Time) {
        let start = start.later(self.booked);
        if end > start {
            self.meter.book(state, start, end);
            self.booked = end;
        }
    }
}

fn after(start: Time, duration: Time) -> Result<Time, NvmError> {
    start.checked_plus(duration).ok_or(NvmError::TimeExhausted)
}
