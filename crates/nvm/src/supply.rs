//! The voltages that a chip and the host beside it sit on.

use wordline_core::Figure;
use wordline_core::quantity::{Quantity, Voltage};

use crate::board::{Board, Rail};

/// The voltages that a chip and the host beside it sit on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply {
    /// Nominal voltage of the rail that supplies the chip.
    pub rail: Voltage,
    /// The lowest voltage that the chip works at: the `min` column of its supply; `None` where its
    /// sheet states none. A supply that fails holds the chip up to here.
    pub lowest: Option<Voltage>,
    /// The highest voltage that the chip works at: the `max` column.
    pub highest: Option<Voltage>,
    /// Voltage of the host's pins on the memory's bus; `None` where the board's sheet does not say.
    pub io: Option<Voltage>,
    /// Supply voltage of the host; `None` where the board's sheet does not say.
    pub host: Option<Voltage>,
}

impl Supply {
    /// What a rail of a board gives a chip of some supply range.
    pub(crate) fn new(board: &Board, rail: &Rail, supply: &Figure<Voltage>) -> Self {
        let host = board.host.as_ref();
        Self {
            rail: rail.voltage.nominal(),
            lowest: supply.min(),
            highest: supply.max(),
            io: board.io_voltage.as_ref().map(Figure::nominal),
            host: host.map(|host| host.supply.nominal()),
        }
    }

    /// Whether something must shift the levels between the host's pins and the chip, whose own pins are
    /// taken to be at its supply; `None` where the board's sheet does not state the voltage of the pins.
    ///
    /// The levels are those of common CMOS inputs, of which no sheet here says otherwise: a high is
    /// at least 0.7 of the receiver's supply, and at most 0.3 V above it. Pins that stand more are
    /// left out.
    #[must_use]
    pub fn needs_level_shifter(&self) -> Option<bool> {
        const HIGH_FROM: f64 = 0.7;
        const ABOVE_SUPPLY_V: f64 = 0.3;
        // Voltages are sums of decimal fractions: 3.3 V is 0.3 V above 3 V.
        const ROUNDING_V: f64 = 1e-9;
        let (one, other) = (self.io?.si(), self.rail.si());
        let (low, high) = (one.min(other), one.max(other));
        Some(high > low + ABOVE_SUPPLY_V + ROUNDING_V || low < HIGH_FROM * high - ROUNDING_V)
    }

    /// Whether the chip needs another rail than the host: the host's supply lies outside what the chip
    /// works at. `None` where the board's sheet does not state what supplies the host.
    #[must_use]
    pub fn needs_second_rail(&self) -> Option<bool> {
        let host = self.host?.si();
        let low = self.lowest.unwrap_or(self.rail).si();
        let high = self.highest.unwrap_or(self.rail).si();
        Some(!(low..=high).contains(&host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(rail: f64, io: f64, host: f64) -> Supply {
        let volts = Voltage::from_si;
        Supply {
            rail: volts(rail),
            lowest: Some(volts(rail * 0.9)),
            highest: Some(volts(rail * 1.1)),
            io: Some(volts(io)),
            host: Some(volts(host)),
        }
    }

    #[test]
    fn pins_of_other_levels_need_a_shifter() {
        for (rail, io, needed) in [
            (1.8, 1.8, false),
            (1.8, 3.3, true),
            (3.3, 1.8, true),
            (3.0, 3.3, false),
            (3.3, 3.0, false),
            (3.3, 2.5, true),
            (1.2, 1.2, false),
            (1.2, 0.8, true),
        ] {
            let supply = supply(rail, io, 3.3);
            assert_eq!(supply.needs_level_shifter(), Some(needed), "{rail} {io}");
        }
        let silent = Supply {
            io: None,
            host: None,
            ..supply(1.8, 1.8, 1.8)
        };
        assert_eq!(silent.needs_level_shifter(), None);
        assert_eq!(silent.needs_second_rail(), None);
    }

    #[test]
    fn a_host_outside_the_range_needs_a_second_rail() {
        assert_eq!(supply(1.8, 1.8, 3.3).needs_second_rail(), Some(true));
        assert_eq!(supply(3.3, 3.3, 3.3).needs_second_rail(), Some(false));
        let narrow = Supply {
            lowest: None,
            highest: None,
            ..supply(3.3, 3.3, 3.0)
        };
        assert_eq!(narrow.needs_second_rail(), Some(true));
    }
}
