//! A memory behind banks with row buffers, on a board with a DDR bus.

use wordline_core::Resolver;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, OutOfRange};

use super::{ChipSheet, Wired};
use crate::chip::ddr_mram::{DdrMram, DdrMramSheet};
use crate::cost::{AccessCost, Cause};
use crate::device::{CurrentGap, Device};
use crate::error::NvmError;
use crate::link::Link;
use crate::model::PartSetup;

impl ChipSheet for DdrMramSheet {
    type Chip = DdrMram;

    fn chip(
        &self,
        setup: PartSetup<'_>,
        link: &Link,
        resolver: &mut Resolver,
    ) -> (DdrMram, Vec<CurrentGap>) {
        let Some(bus) = &setup.board.sheet.ddr else {
            unreachable!("there is a link, and so a DDR bus")
        };
        DdrMram::new(self, link, bus, resolver, setup.conditions.age)
    }
}

impl Wired<DdrMram> {
    /// Lets the driver run for `driver` and the controller take the access, and then the chip do it.
    fn access(
        &mut self,
        driver: Time,
        run: impl FnOnce(&mut DdrMram, Time) -> Result<AccessCost, NvmError>,
    ) -> Result<(), NvmError> {
        let controller = self.chip.controller();
        let start = self
            .clock
            .now()
            .checked_plus(driver)
            .and_then(|issued| issued.checked_plus(controller))
            .ok_or(NvmError::TimeExhausted)?;
        let cost = run(&mut self.chip, start)?;
        self.last.add(Cause::Driver, driver);
        self.last.add(Cause::BusCommand, controller);
        self.last.add_all(&cost);
        self.clock.advance_to(start.plus(cost.total()));
        Ok(())
    }
}

impl ByteMemory for Wired<DdrMram> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.chip.capacity()
    }

    /// A burst.
    fn atom(&self) -> usize {
        self.chip.burst_bytes()
    }

    /// Reads whole bursts. Nothing is put on the bus for no bytes.
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        self.begin();
        if out.is_empty() {
            return Ok(());
        }
        self.access(self.driver.dma_setup, |chip, start| {
            chip.read(start, at, out)
        })
    }

    /// Writes whole bursts, of which the bytes that are not meant are masked. Nothing is put on the
    /// bus for no bytes. What was written is safe after [`persist`](Self::persist).
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.begin();
        if data.is_empty() {
            return Ok(());
        }
        self.access(self.driver.dma_setup, |chip, start| {
            chip.write(start, at, data)
        })
    }

    /// Closes the open rows and waits until the chip has stored what was written. Costs nothing when
    /// nothing was.
    fn persist(&mut self) -> Result<(), NvmError> {
        self.begin();
        if !self.chip.has_unstored() {
            return Ok(());
        }
        self.access(self.driver.command, |chip, start| {
            let mut cost = AccessCost::NONE;
            cost.add(Cause::Program, chip.store(start)?.since(start));
            Ok(cost)
        })
    }
}

impl Device for Wired<DdrMram> {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_write(at, bytes)
    }

    fn read_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        self.longest_read(at, bytes)
    }

    fn persist_bound(&self) -> Result<Time, NvmError> {
        self.longest_persist()
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(at, data)
    }

    fn peek(&self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.chip.peek(at, out)
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(self.fork())
    }
}

#[cfg(test)]
#[path = "ddr_mram_tests.rs"]
mod tests;
