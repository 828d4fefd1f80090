//! A memory that is written byte by byte, on a board.

use wordline_core::Resolver;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, OutOfRange};

use super::{ChipSheet, Wired};
use crate::bus::{Action, BusCommand};
use crate::chip::nvram::{Nvram, NvramSheet, WriteEnable};
use crate::cost::Cause;
use crate::device::{CurrentGap, Device};
use crate::error::NvmError;
use crate::link::Link;
use crate::model::PartSetup;
use crate::wired::Chip;

impl ChipSheet for NvramSheet {
    type Chip = Nvram;

    fn chip(
        &self,
        setup: PartSetup<'_>,
        link: &Link,
        resolver: &mut Resolver,
    ) -> (Nvram, Vec<CurrentGap>) {
        Nvram::new(self, link, resolver, setup.conditions.age)
    }

    /// Where one write-enable command is enough, it is sent now, as a driver does once.
    fn start(wired: &mut Wired<Nvram>) -> Result<(), NvmError> {
        wired.begin();
        if wired.chip.write_enable_rule() == WriteEnable::Once {
            return wired.command(Action::WriteEnable, Nvram::write_enable);
        }
        wired.clock.advance_to(wired.chip.ready());
        Ok(())
    }
}

impl Wired<Nvram> {
    /// Puts the chip into deep power-down. Content is kept; until [`wake`](Self::wake) every access
    /// is refused.
    ///
    /// # Errors
    /// When the chip sleeps already, or has no opcode for it that the board drives.
    pub fn sleep(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.command(Action::PowerDown, Nvram::sleep)
    }

    /// Wakes the chip from deep power-down. The next access waits until it is ready.
    ///
    /// # Errors
    /// When the chip has no opcode for it that the board drives.
    pub fn wake(&mut self) -> Result<(), NvmError> {
        self.begin();
        self.command(Action::WakeUp, Nvram::wake)
    }

    /// An access of the software itself where the memory is mapped; elsewhere one of the driver.
    fn without_driver<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let setup = self.driver.dma_setup;
        if self.is_mapped() {
            self.driver.dma_setup = Time::ZERO;
        }
        let done = run(self);
        self.driver.dma_setup = setup;
        done
    }

    /// Bytes that address and length of a write must be multiples of.
    pub(super) fn write_granule(&self) -> u64 {
        let command = self.link.command(Action::Write);
        u64::from(command.map_or(1, BusCommand::granule))
    }

    fn read_at(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.read_array(self.chip.capacity(), at, out, Nvram::read)
    }

    /// Writes page by page: each with a write-enable command where the chip asks for one, and a wait
    /// where it is busy afterwards.
    fn write_aligned(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let mut done = 0;
        while done < data.len() {
            let start = at + done as u64;
            let room = self.chip.page_room(start);
            let length = (data.len() - done).min(usize::try_from(room).unwrap_or(usize::MAX));
            let part = &data[done..done + length];
            if self.chip.write_enable_rule() == WriteEnable::Each {
                self.command(Action::WriteEnable, Nvram::write_enable)?;
            }
            self.transfer(Action::Write, start, length as u64, |chip, now, bus| {
                chip.write(now, bus, start, part)
            })?;
            let busy_until = self.chip.busy_until();
            if busy_until > self.clock.now() {
                self.wait(busy_until, Cause::Program)?;
            }
            done += length;
        }
        Ok(())
    }

    /// Writes what an opcode with a granule cannot address: the granules at its ends are read first,
    /// and written back with their other bytes unchanged.
    fn write_widened(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let granule = self.write_granule();
        let wide = at - at % granule..(at + data.len() as u64).next_multiple_of(granule);
        let mut buffer = vec![0; (wide.end - wide.start) as usize];
        let end = at + data.len() as u64;
        let last = wide.end - granule;
        if at != wide.start {
            let first = &mut buffer[..granule as usize];
            self.read_at(wide.start, first)?;
        }
        if end != wide.end && (last != wide.start || at == wide.start) {
            let offset = (last - wide.start) as usize;
            let tail = &mut buffer[offset..];
            self.read_at(last, tail)?;
        }
        let offset = (at - wide.start) as usize;
        buffer[offset..offset + data.len()].copy_from_slice(data);
        self.write_aligned(wide.start, &buffer)
    }
}

impl ByteMemory for Wired<Nvram> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.chip.capacity()
    }

    fn atom(&self) -> usize {
        self.chip.atom()
    }

    /// Reads with the link's read opcode. Nothing is put on the bus for no bytes.
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        if let Some(again) = self.again(Action::Read, at, out.len(), 1) {
            self.chip.read_cells(at, out);
            self.count(&again);
            return Ok(());
        }
        let whole = (at | out.len() as u64).is_multiple_of(self.link.granule_of(Action::Read));
        let by_model = |wired: &mut Self, out: &mut [u8]| {
            wired.begin();
            wired.read_at(at, out)
        };
        let start = self.steady_start(Action::Read, at, out.len());
        let Some(start) = start.filter(|_| whole) else {
            return by_model(self, out);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, |wired| by_model(wired, out));
        };
        self.chip.read_cells(at, out);
        self.add_costs(&start, &repeats);
        Ok(())
    }

    /// Writes with the link's write opcode, page by page. Nothing is put on the bus for no bytes.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        if data.is_empty() {
            self.begin();
            return Ok(());
        }
        if let Some(again) = self.again(Action::Write, at, data.len(), 1) {
            self.chip.write_cells(at, data);
            self.count(&again);
            return Ok(());
        }
        let whole = (at | data.len() as u64).is_multiple_of(self.link.granule_of(Action::Write));
        let start = self.steady_start(Action::Write, at, data.len());
        let Some(start) = start.filter(|_| whole && self.chip.has_no_pages()) else {
            return self.write_by_model(at, data);
        };
        let Some(repeats) = self.steady_repeats(&start, 1) else {
            return self.compile(&start, |wired| wired.write_by_model(at, data));
        };
        self.chip.write_cells(at, data);
        self.add_costs(&start, &repeats);
        Ok(())
    }

    /// On a parallel bus whose controller maps the memory. On a serial one it maps reads alone.
    fn is_mapped(&self) -> bool {
        let parallel = matches!(
            self.link.command(Action::Read),
            Some(BusCommand::Parallel(_))
        );
        parallel && self.link.memory_mapped.is_some()
    }

    fn load(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.without_driver(|wired| wired.read(at, out))
    }

    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.without_driver(|wired| wired.write(at, data))
    }

    /// Every write is in the array when it returns: there is nothing to wait for.
    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

impl Wired<Nvram> {
    fn write_by_model(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.begin();
        let granule = self.write_granule();
        if at.is_multiple_of(granule) && (data.len() as u64).is_multiple_of(granule) {
            self.write_aligned(at, data)
        } else {
            self.write_widened(at, data)
        }
    }
}

impl Device for Wired<Nvram> {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    fn map_reads(&mut self) -> bool {
        self.use_mapped_reads()
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_write(at, bytes)
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_read(at, bytes)
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(at, data)
    }

    fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.chip.peek(at, out)
    }

    fn cycles_at(&self, at: u64) -> Option<u64> {
        self.chip.cycles_at(at)
    }

    fn set_cycles_at(&mut self, at: u64, cycles: u64) -> Result<(), NvmError> {
        self.chip.set_cycles_at(at, cycles)
    }

    fn compile_costs(&mut self, on: bool) {
        self.use_compiled_costs(on);
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(self.fork())
    }
}

#[cfg(test)]
#[path = "nvram_tests.rs"]
mod tests;
