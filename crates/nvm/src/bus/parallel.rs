//! An asynchronous parallel bus, as a microcontroller's memory controller drives an SRAM-like chip:
//! address, data and strobes on wires of their own, one word a cycle.
//!
//! A cycle is counted in clocks of the controller: address set-up, then data set-up, then one clock
//! that ends it (STM32 FMC, mode 1: RM0399 rev. 4, tables 175 and 176). A change from writing to
//! reading adds the turnaround.

use serde::Deserialize;
use wordline_core::quantity::{Cycles, Frequency, Time};
use wordline_core::{Figure, Sourced};

use crate::link::LinkError;

/// The parallel memory controller of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParallelBus {
    /// Data lines: 8, 16 or 32.
    pub width_bits: Sourced<u8>,
    /// Clock of the controller.
    pub clock: Figure<Frequency>,
    /// Clocks from address to strobe.
    pub address_setup: Figure<Cycles>,
    /// Clocks of the strobe.
    pub data_setup: Figure<Cycles>,
    /// Clocks that end a cycle.
    pub hold: Figure<Cycles>,
    /// Clocks between a write and the read after it.
    pub turnaround: Figure<Cycles>,
}

/// What a chip asks of the bus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) width_bits: u8,
    /// From address to data of a read.
    pub(crate) read_access: Time,
    /// Shortest strobe of a write.
    pub(crate) write_pulse: Time,
}

impl ParallelBus {
    /// Bytes of one word.
    #[must_use]
    pub fn word_bytes(&self) -> u64 {
        u64::from(*self.width_bits.value() / 8)
    }

    /// Clocks of one cycle.
    #[must_use]
    pub fn cycle_clocks(&self) -> u64 {
        let stated = [&self.address_setup, &self.data_setup, &self.hold];
        stated.iter().map(|figure| figure.nominal().count()).sum()
    }

    /// How long an access keeps the bus busy. A word that is touched in part takes a whole cycle:
    /// the other bytes are masked.
    #[must_use]
    pub fn duration(&self, at: u64, bytes: u64) -> Time {
        if bytes == 0 {
            return Time::ZERO;
        }
        let word = self.word_bytes();
        let words = (at + bytes).div_ceil(word) - at / word;
        let clocks = words.saturating_mul(self.cycle_clocks());
        self.clock.nominal().duration_of(clocks)
    }

    /// The pause between a write and the read after it.
    #[must_use]
    pub fn turnaround(&self) -> Time {
        let clocks = self.turnaround.nominal().count();
        self.clock.nominal().duration_of(clocks)
    }

    /// Whether a chip keeps up with the bus.
    pub(crate) fn check(&self, demand: Demand) -> Result<(), LinkError> {
        let has = *self.width_bits.value();
        if has != demand.width_bits {
            return Err(LinkError::Width {
                needs: demand.width_bits,
                has,
            });
        }
        let after = |figures: &[&Figure<Cycles>]| {
            let clocks = figures.iter().map(|figure| figure.nominal().count()).sum();
            self.clock.nominal().duration_of(clocks)
        };
        let read = after(&[&self.address_setup, &self.data_setup]);
        let write = after(&[&self.data_setup]);
        for (what, needs, has) in [
            ("address to data of a read", demand.read_access, read),
            ("strobe of a write", demand.write_pulse, write),
        ] {
            if has < needs {
                return Err(LinkError::TooFast { what, needs, has });
            }
        }
        Ok(())
    }

    /// What contradicts itself or physics, below the key `parallel`.
    pub(crate) fn check_sheet(&self, problems: &mut crate::problem::Problems) {
        problems.positive("parallel.clock", &self.clock);
        problems.positive("parallel.data_setup", &self.data_setup);
        problems.ordered("parallel.address_setup", &self.address_setup);
        problems.ordered("parallel.hold", &self.hold);
        problems.ordered("parallel.turnaround", &self.turnaround);
        if !matches!(self.width_bits.value(), 8 | 16 | 32) {
            problems.add("parallel.width_bits", "allowed: 8, 16 or 32");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus() -> ParallelBus {
        toml::from_str(
            "width_bits = { value = 16, source = 's' }\nclock = { typ = '240 MHz', source = 's' }\n\
             address_setup = { typ = '1 cycles', source = 's' }\n\
             data_setup = { typ = '10 cycles', source = 's' }\n\
             hold = { typ = '1 cycles', source = 's' }\n\
             turnaround = { typ = '5 cycles', source = 's' }\n",
        )
        .expect("well-formed")
    }

    /// 1 + 10 + 1 clocks at 240 MHz are 50 ns for two bytes: 40 MB/s.
    #[test]
    fn a_word_takes_its_clocks() {
        assert_eq!(bus().cycle_clocks(), 12);
        assert_eq!(bus().duration(0, 2), Time::from_ps(50_000));
        assert_eq!(bus().duration(0, 2000), Time::from_ps(50_000_000));
        assert_eq!(bus().duration(1, 2), Time::from_ps(100_000));
        assert_eq!(bus().duration(3, 1), Time::from_ps(50_000));
        assert_eq!(bus().duration(3, 0), Time::ZERO);
    }

    #[test]
    fn a_chip_that_is_too_slow_or_too_narrow_is_refused() {
        let demand = |width_bits, read_ns: u64, write_ns: u64| Demand {
            width_bits,
            read_access: Time::from_ps(read_ns * 1000),
            write_pulse: Time::from_ps(write_ns * 1000),
        };
        assert_eq!(bus().check(demand(16, 45, 25)), Ok(()));
        let error = |demand| bus().check(demand).expect_err("refused").to_string();
        assert_eq!(
            error(demand(16, 46, 25)),
            "the bus is too fast: for address to data of a read the chip needs 46 ns, the board \
             allows 45.833 ns"
        );
        assert!(error(demand(16, 45, 42)).contains("strobe of a write"));
        assert_eq!(
            error(demand(8, 45, 25)),
            "the bus does not fit: the chip has 8 data lines, the board 16"
        );
    }
}
