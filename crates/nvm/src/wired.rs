//! A chip on a board, with its clock: what meets the memory contracts.

use wordline_core::quantity::Time;
use wordline_core::{Resolver, SimClock, Timing};
use wordline_memory::{ByteMemory, OutOfRange};

use crate::board::{Board, DriverCost};
use crate::bus::serial::{Action, Command, Transaction};
use crate::chip::mram::{Mram, MramSheet};
use crate::cost::{AccessCost, Cause};
use crate::device::{Device, Notes, Wear};
use crate::error::NvmError;
use crate::link::Link;
use crate::power::{PowerDraw, Residence};

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

/// A sheet with its id, which keys what is drawn for it.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a, S> {
    /// The id.
    pub id: &'a str,
    /// The sheet.
    pub sheet: &'a S,
}

/// A chip on a board. Every access lets simulated time pass on its clock. It forks instead of
/// cloning, because a clone would share the clock.
#[derive(Debug)]
pub struct Wired<C> {
    chip: C,
    link: Link,
    read: Command,
    write: Command,
    driver: DriverCost,
    clock: SimClock,
    last: AccessCost,
    notes: Notes,
}

impl Wired<Mram> {
    /// Connects an MRAM to a board, waits for power-up and permits writes, as a driver does once.
    ///
    /// # Errors
    /// When rail or bus mode do not fit.
    pub fn connect(
        part: Named<'_, MramSheet>,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Self, NvmError> {
        let link = part.sheet.link(board.sheet)?;
        let Conditions { timing, age, seed } = conditions;
        let mut of_board = Resolver::new(timing, seed, board.id);
        let driver = board.sheet.driver_cost(&mut of_board);
        board.sheet.note_link(&link, &mut of_board);
        let mut of_part = Resolver::new(timing, seed, part.id);
        let (chip, currents) = Mram::new(part.sheet, &link, &mut of_part, age);
        let mut wired = Self {
            read: find(&link, Action::Read)?,
            write: find(&link, Action::Write)?,
            chip,
            link,
            driver,
            clock: SimClock::new(),
            last: AccessCost::default(),
            notes: Notes {
                part: of_part.readings().clone(),
                board: of_board.readings().clone(),
                currents,
            },
        };
        wired.command(Action::WriteEnable, Mram::write_enable)?;
        Ok(wired)
    }

    /// The chip.
    #[must_use]
    pub const fn chip(&self) -> &Mram {
        &self.chip
    }

    /// Rail, opcodes and clocks in use.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// An independent device in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            chip: self.chip.clone(),
            link: self.link.clone(),
            read: self.read.clone(),
            write: self.write.clone(),
            driver: self.driver,
            clock: self.clock.fork(),
            last: self.last,
            notes: self.notes.clone(),
        }
    }

    /// Puts the chip into deep power-down. Content is kept; until [`wake`](Self::wake) every access
    /// is refused.
    ///
    /// # Errors
    /// When the chip sleeps already, or has no opcode for it that the board drives.
    pub fn sleep(&mut self) -> Result<(), NvmError> {
        self.command(Action::PowerDown, Mram::sleep)
    }

    /// Wakes the chip from deep power-down. The next access waits until it is ready.
    ///
    /// # Errors
    /// When the chip has no opcode for it that the board drives.
    pub fn wake(&mut self) -> Result<(), NvmError> {
        self.command(Action::WakeUp, Mram::wake)
    }

    /// An access that is one command without data.
    fn command(
        &mut self,
        action: Action,
        run: impl FnOnce(&mut Mram, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let bus = find(&self.link, action)?.transaction(0);
        self.last = AccessCost::default();
        self.transact(self.driver.command, &bus, |chip, start| {
            run(chip, start, &bus)
        })
    }

    /// Runs one transaction after `driver` of host work: asks the chip for it once the chip is
    /// ready, adds its cost to the access and moves the clock to its end.
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
        self.last.add(Cause::Driver, driver);
        self.last.add(Cause::Recovery, start.since(issued));
        self.last.add(Cause::BusCommand, bus.command);
        self.last.add(Cause::BusData, bus.data);
        self.clock.advance_to(end);
        Ok(())
    }

    fn read_aligned(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let bus = self.read.transaction(out.len() as u64);
        self.transact(self.driver.dma_setup, &bus, |chip, start| {
            chip.read(start, &bus, at, out)
        })
    }

    fn write_aligned(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let bus = self.write.transaction(data.len() as u64);
        self.transact(self.driver.dma_setup, &bus, |chip, start| {
            chip.write(start, &bus, at, data)
        })
    }

    /// Reads what an opcode with a granule cannot address: all granules that the range touches.
    fn read_widened(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        let wide = widen(at, out.len(), self.read.opcode.granule);
        let mut buffer = vec![0; (wide.end - wide.start) as usize];
        self.read_aligned(wide.start, &mut buffer)?;
        let offset = (at - wide.start) as usize;
        out.copy_from_slice(&buffer[offset..offset + out.len()]);
        Ok(())
    }

    /// Writes what an opcode with a granule cannot address: the granules at its ends are read first,
    /// and written back with their other bytes unchanged.
    fn write_widened(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let granule = u64::from(self.write.opcode.granule);
        let wide = widen(at, data.len(), self.write.opcode.granule);
        let mut buffer = vec![0; (wide.end - wide.start) as usize];
        let end = at + data.len() as u64;
        let last = wide.end - granule;
        if at != wide.start {
            let first = &mut buffer[..granule as usize];
            self.read_widened(wide.start, first)?;
        }
        if end != wide.end && (last != wide.start || at == wide.start) {
            let offset = (last - wide.start) as usize;
            let tail = &mut buffer[offset..];
            self.read_widened(last, tail)?;
        }
        let offset = (at - wide.start) as usize;
        buffer[offset..offset + data.len()].copy_from_slice(data);
        self.write_aligned(wide.start, &buffer)
    }
}

/// The smallest range of whole granules around an access.
fn widen(at: u64, bytes: usize, granule: u8) -> std::ops::Range<u64> {
    let granule = u64::from(granule);
    at / granule * granule..(at + bytes as u64).div_ceil(granule) * granule
}

fn is_aligned(at: u64, bytes: usize, granule: u8) -> bool {
    let granule = u64::from(granule);
    at.is_multiple_of(granule) && (bytes as u64).is_multiple_of(granule)
}

fn find(link: &Link, action: Action) -> Result<Command, NvmError> {
    let command = link.command(action).cloned();
    command.ok_or(NvmError::Unsupported(action))
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
        self.last = AccessCost::default();
        if out.is_empty() {
            return Ok(());
        }
        if is_aligned(at, out.len(), self.read.opcode.granule) {
            self.read_aligned(at, out)
        } else {
            self.read_widened(at, out)
        }
    }

    /// Writes with the link's write opcode. Nothing is put on the bus for no bytes.
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.last = AccessCost::default();
        if data.is_empty() {
            return Ok(());
        }
        if is_aligned(at, data.len(), self.write.opcode.granule) {
            self.write_aligned(at, data)
        } else {
            self.write_widened(at, data)
        }
    }

    /// Every write is in the array when its transaction ends: there is nothing to wait for.
    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

impl Device for Wired<Mram> {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn last_cost(&self) -> &AccessCost {
        &self.last
    }

    fn residence(&self) -> Residence {
        self.chip.residence(self.clock.now())
    }

    fn power_draw(&self) -> &PowerDraw {
        self.chip.power_draw()
    }

    fn wear(&self) -> Wear {
        self.chip.wear()
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(at, data)
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(self.fork())
    }
}

#[cfg(test)]
#[path = "wired_tests.rs"]
mod tests;
