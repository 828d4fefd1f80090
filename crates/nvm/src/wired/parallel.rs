//! A parallel MRAM on a board: the processor moves the words itself.

use wordline_core::quantity::Time;
use wordline_core::{Resolver, SimClock};
use wordline_memory::{ByteMemory, OutOfRange};

use super::{Chip, Conditions, Named};
use crate::board::{Board, DriverCost};
use crate::bus::parallel::ParallelBus;
use crate::bus::serial::Transaction;
use crate::chip::mram::Mram;
use crate::chip::parallel_mram::ParallelMramSheet;
use crate::cost::{AccessCost, Cause};
use crate::device::{Accounts, Device, Notes, Wear};
use crate::error::NvmError;
use crate::link::LinkError;
use crate::power::{PowerDraw, Residence};

/// A parallel MRAM on a board. It forks instead of cloning, because a clone would share the clock.
#[derive(Debug)]
pub struct WiredParallel {
    chip: Mram,
    bus: ParallelBus,
    driver: DriverCost,
    clock: SimClock,
    last: AccessCost,
    wrote: bool,
    notes: Notes,
}

impl WiredParallel {
    /// Connects a chip to a board and waits for power-up.
    ///
    /// # Errors
    /// When rail, bus, width or timing do not fit.
    pub fn connect(
        part: Named<'_, ParallelMramSheet>,
        board: Named<'_, Board>,
        conditions: Conditions,
    ) -> Result<Self, NvmError> {
        part.sheet.check_link(board.sheet)?;
        let rail = board.sheet.rail_for(&part.sheet.supply);
        let (Some(rail), Some(bus)) = (rail, board.sheet.parallel.clone()) else {
            return Err(LinkError::no_rail(board.sheet, &part.sheet.supply).into());
        };
        let Conditions { timing, age, seed } = conditions;
        let mut of_board = Resolver::new(timing, seed, board.id);
        let driver = board.sheet.driver_cost(&mut of_board);
        of_board.read(&format!("rail[{}].voltage", rail.name));
        for figure in [
            "width_bits",
            "clock",
            "address_setup",
            "data_setup",
            "hold",
            "turnaround",
        ] {
            of_board.read(&format!("parallel.{figure}"));
        }
        let mut of_part = Resolver::new(timing, seed, part.id);
        let voltage = rail.voltage.nominal();
        let (chip, currents) = Mram::parallel(part.sheet, voltage, &mut of_part, age);
        let clock = SimClock::new();
        clock.advance_to(chip.ready());
        Ok(Self {
            chip,
            bus,
            driver,
            clock,
            last: AccessCost::NONE,
            wrote: false,
            notes: Notes {
                part: of_part.readings().clone(),
                board: of_board.readings().clone(),
                currents,
            },
        })
    }

    /// An independent device in the same state, on a clock of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            chip: self.chip.clone(),
            bus: self.bus.clone(),
            driver: self.driver,
            clock: self.clock.fork(),
            last: self.last,
            wrote: self.wrote,
            notes: self.notes.clone(),
        }
    }

    /// Runs one access: the driver's call, the turnaround after a write, then word after word.
    fn access(
        &mut self,
        at: u64,
        bytes: usize,
        writes: bool,
        run: impl FnOnce(&mut Mram, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        OutOfRange::check(at, bytes as u64, self.chip.capacity())?;
        self.last = AccessCost::NONE;
        if bytes == 0 {
            return Ok(());
        }
        let driver = self.driver.dma_setup;
        let turnaround = if self.wrote && !writes {
            self.bus.turnaround()
        } else {
            Time::ZERO
        };
        let start = self
            .clock
            .now()
            .checked_plus(driver)
            .and_then(|instant| instant.checked_plus(turnaround))
            .ok_or(NvmError::TimeExhausted)?;
        let bus = Transaction {
            command: Time::ZERO,
            data: self.bus.duration(at, bytes as u64),
        };
        let end = run(&mut self.chip, start, &bus)?;
        self.last.add(Cause::Driver, driver);
        self.last.add(Cause::Recovery, turnaround);
        self.last.add(Cause::BusData, bus.data);
        self.clock.advance_to(end);
        self.wrote = writes;
        Ok(())
    }
}

impl ByteMemory for WiredParallel {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.chip.capacity()
    }

    fn atom(&self) -> usize {
        self.chip.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.access(at, out.len(), false, |chip, start, bus| {
            chip.read(start, bus, at, out)
        })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.access(at, data.len(), true, |chip, start, bus| {
            chip.write(start, bus, at, data)
        })
    }

    /// Every word is in the array when its cycle ends: there is nothing to wait for.
    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

impl Accounts for WiredParallel {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        &[Cause::Driver, Cause::BusData, Cause::Recovery]
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

    fn notes(&self) -> &Notes {
        &self.notes
    }
}

impl Device for WiredParallel {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.chip.preload(at, data)
    }

    fn fork_device(&self) -> Box<dyn Device> {
        Box::new(self.fork())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::TYPICAL;

    const SHEET: &str = r#"
capacity = { typ = "64 KiB", source = "invented" }
width_bits = { value = 16, source = "invented" }
wear_unit = { typ = "8 B", source = "invented" }
endurance = { min = "1000 cycles", source = "invented" }
ecc_unit = { typ = "2 B", source = "invented" }
supply = { typ = "3.3 V", source = "invented" }
wake_up = { min = "2 ms", source = "invented" }
read_access = { max = "35 ns", source = "invented" }
write_pulse = { min = "15 ns", source = "invented" }
standby = { typ = "1 mA", source = "invented" }
read_current = { typ = "20 mA", source = "invented" }
"#;

    /// A bus of 100 MHz whose cycle takes 5 clocks: 50 ns a word.
    const BOARD: &str = r#"
core_clock = { typ = "100 MHz", source = "invented" }
rail = [{ name = "VDD", voltage = { typ = "3.3 V", source = "invented" } }]
[parallel]
width_bits = { value = 16, source = "invented" }
clock = { typ = "100 MHz", source = "invented" }
address_setup = { typ = "1 cycles", source = "invented" }
data_setup = { typ = "3 cycles", source = "invented" }
hold = { typ = "1 cycles", source = "invented" }
turnaround = { typ = "2 cycles", source = "invented" }
[driver]
dma_setup = { typ = "10 cycles", source = "invented" }
command = { typ = "10 cycles", source = "invented" }
poll_interval = { typ = "0 us", source = "invented" }
"#;

    fn connect(from: &str, to: &str) -> Result<WiredParallel, NvmError> {
        let sheet: ParallelMramSheet = toml::from_str(SHEET).expect("well-formed");
        assert_eq!(sheet.problems(), []);
        let board: Board = toml::from_str(&BOARD.replace(from, to)).expect("well-formed");
        assert_eq!(board.problems(), []);
        let part = Named {
            id: "part",
            sheet: &sheet,
        };
        let board = Named {
            id: "board",
            sheet: &board,
        };
        WiredParallel::connect(part, board, TYPICAL)
    }

    #[test]
    fn words_take_cycles_and_a_read_after_a_write_turns_the_bus() {
        let mut device = connect("", "").expect("fits");
        assert_eq!(device.clock().now(), "2 ms".parse().expect("a time"));
        let ns = |device: &WiredParallel| device.last_cost().total().ps() / 1000;
        device.write(0, &[1, 2, 3]).expect("inside");
        assert_eq!(ns(&device), 100 + 2 * 50);
        let mut out = [0; 3];
        device.read(0, &mut out).expect("inside");
        assert_eq!((out, ns(&device)), ([1, 2, 3], 100 + 20 + 2 * 50));
        device.read(1, &mut out[..2]).expect("inside");
        assert_eq!(ns(&device), 100 + 2 * 50);
        assert_eq!(device.wear().most, 1);
        assert!(device.write(65_535, &[0; 2]).is_err());
    }

    #[test]
    fn unknown_currents_make_energy_unknown() {
        let mut device = connect("", "").expect("fits");
        let before = device.residence();
        device.read(0, &mut [0; 2]).expect("inside");
        let reading = device.residence().since(&before);
        let by_hand = 3.3 * (50e-9 * 0.020 + 100e-9 * 0.001);
        let energy = reading.energy_j(device.power_draw());
        assert!(energy.is_some_and(|energy| (energy - by_hand).abs() < 1e-18));
        device.write(0, &[1]).expect("inside");
        let all = device.residence().since(&before);
        assert_eq!(all.energy_j(device.power_draw()), None);
        assert_eq!(device.notes().currents.len(), 1);
    }

    #[test]
    fn a_board_that_does_not_fit_is_refused() {
        let error = |from, to| connect(from, to).expect_err("refused").to_string();
        assert!(error("3.3 V", "1.8 V").starts_with("no rail fits"));
        assert!(error("value = 16", "value = 8").contains("the chip has 16 data lines"));
        assert!(error("\"3 cycles\"", "\"2 cycles\"").contains("the chip needs 35 ns"));
    }
}
