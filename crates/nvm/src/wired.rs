//! A chip on a board, with its clock: what meets the memory contracts.

use wordline_core::quantity::Time;
use wordline_core::{Fallback, Resolver, SimClock, Timing};
use wordline_memory::{ByteMemory, OutOfRange};

use crate::board::{Board, DriverCost};
use crate::bus::serial::Transaction;
use crate::chip::mram::{Mram, MramSheet};
use crate::cost::{AccessCost, Cause};
use crate::error::NvmError;
use crate::link::Link;

/// Conditions under which a device is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Column of the data sheets.
    pub timing: Timing,
    /// Fraction of rated life already used, 0 to 1.
    pub age: f64,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// A chip on a board. Every access lets simulated time pass on its clock.
#[derive(Debug)]
pub struct Wired<C> {
    chip: C,
    link: Link,
    driver: DriverCost,
    clock: SimClock,
    last: AccessCost,
    fallbacks: Vec<Fallback>,
}

impl Wired<Mram> {
    /// Connects an MRAM to a board, waits for power-up and permits writes, as a driver does once.
    ///
    /// # Errors
    /// When rail or bus mode do not fit.
    pub fn connect(
        sheet: &MramSheet,
        board: &Board,
        conditions: Conditions,
    ) -> Result<Self, NvmError> {
        let link = Link::new(board, &sheet.supply, &sheet.opcode)?;
        let mut resolver = Resolver::new(conditions.timing, conditions.seed);
        let chip = Mram::new(sheet, &link, &mut resolver, conditions.age);
        let driver = board.driver_cost(&mut resolver);
        let mut wired = Self {
            chip,
            link,
            driver,
            clock: SimClock::new(),
            last: AccessCost::default(),
            fallbacks: resolver.fallbacks().to_vec(),
        };
        let bus = wired.link.write_enable.transaction(0);
        wired.transact(wired.driver.command, &bus, |chip, start| {
            chip.write_enable(start, &bus)
        })?;
        Ok(wired)
    }

    /// The simulated clock; a handle of it shows the same time.
    #[must_use]
    pub const fn clock(&self) -> &SimClock {
        &self.clock
    }

    /// The chip.
    #[must_use]
    pub const fn chip(&self) -> &Mram {
        &self.chip
    }

    /// The chip, to preload content or to put it to sleep.
    pub const fn chip_mut(&mut self) -> &mut Mram {
        &mut self.chip
    }

    /// Rail, opcodes and clocks in use.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// What the last access consisted of. Its total is the access's duration.
    #[must_use]
    pub const fn last_cost(&self) -> &AccessCost {
        &self.last
    }

    /// Columns that a sheet lacked, and what stood in for them.
    #[must_use]
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.fallbacks
    }

    /// An independent device in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            chip: self.chip.clone(),
            link: self.link.clone(),
            driver: self.driver,
            clock: self.clock.fork(),
            last: self.last,
            fallbacks: self.fallbacks.clone(),
        }
    }

    /// Runs one transaction after `driver` of host work: asks the chip for it once the chip is
    /// ready, books its cost and moves the clock to its end.
    fn transact(
        &mut self,
        driver: Time,
        bus: &Transaction,
        run: impl FnOnce(&mut Mram, Time) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let issued = self
            .clock
            .now()
            .checked_plus(driver)
            .ok_or(NvmError::TimeExhausted)?;
        let start = issued.later(self.chip.ready());
        let end = run(&mut self.chip, start)?;
        self.last = AccessCost::default();
        self.last.add(Cause::Driver, driver);
        self.last.add(Cause::Array, start.since(issued));
        self.last.add(Cause::BusCommand, bus.command);
        self.last.add(Cause::BusData, bus.data);
        self.clock.advance_to(end);
        Ok(())
    }
}

impl ByteMemory for Wired<Mram> {
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
        if out.is_empty() {
            return Ok(());
        }
        let bus = self.link.read.transaction(out.len() as u64);
        self.transact(self.driver.dma_setup, &bus, |chip, start| {
            chip.read(start, &bus, at, out)
        })
    }

    /// Writes with the link's write opcode. Nothing is put on the bus for no bytes.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let bus = self.link.write.transaction(data.len() as u64);
        self.transact(self.driver.dma_setup, &bus, |chip, start| {
            chip.write(start, &bus, at, data)
        })
    }

    /// Every write is in the array when its transaction ends: there is nothing to wait for.
    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "wired_tests.rs"]
mod tests;
