//! What an access consisted of.

use wordline_core::quantity::Time;

/// Where the time of an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Driver code and DMA set-up on the host.
    Driver,
    /// Opcode, address and dummy cycles on the bus.
    BusCommand,
    /// Data on the bus.
    BusData,
    /// The pause that the protocol asks for between transactions: chip select high.
    Recovery,
    /// Asking a busy chip for its status after it had finished: what polling finds out late.
    Poll,
    /// The chip fetches data from its array.
    ArrayRead,
    /// The chip programs a page.
    Program,
    /// The chip erases a block.
    Erase,
    /// A translation layer moves live pages out of a block that it cleans.
    Cleaning,
    /// A translation layer merges log blocks with the blocks that they change.
    Merging,
    /// A translation layer moves pages from a cache of one bit a cell to native cells.
    Folding,
    /// A translation layer moves resting data so that blocks wear evenly.
    Leveling,
    /// A translation layer looks up or stores where pages are.
    Mapping,
    /// The firmware of a card takes in a command, or ends one that wrote.
    Firmware,
    /// The controller of a card works for itself: refresh, tables of blocks, levelling of wear.
    Housekeeping,
}

impl Cause {
    /// Every cause, in the order in which an access meets them.
    pub const ALL: [Self; 15] = [
        Self::Driver,
        Self::BusCommand,
        Self::BusData,
        Self::Recovery,
        Self::Poll,
        Self::ArrayRead,
        Self::Program,
        Self::Erase,
        Self::Cleaning,
        Self::Merging,
        Self::Folding,
        Self::Leveling,
        Self::Mapping,
        Self::Firmware,
        Self::Housekeeping,
    ];

    /// As the column `cause` of result rows spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::BusCommand => "bus_command",
            Self::BusData => "bus_data",
            Self::Recovery => "recovery",
            Self::Poll => "poll",
            Self::ArrayRead => "array_read",
            Self::Program => "program",
            Self::Erase => "erase",
            Self::Cleaning => "cleaning",
            Self::Merging => "merging",
            Self::Folding => "folding",
            Self::Leveling => "leveling",
            Self::Mapping => "mapping",
            Self::Firmware => "firmware",
            Self::Housekeeping => "housekeeping",
        }
    }
}

/// The duration of an access, split by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessCost {
    time: [Time; Cause::ALL.len()],
}

impl AccessCost {
    /// Nothing yet.
    pub const NONE: Self = Self {
        time: [Time::ZERO; Cause::ALL.len()],
    };

    /// Adds to one cause.
    pub fn add(&mut self, cause: Cause, duration: Time) {
        let slot = &mut self.time[cause as usize];
        *slot = slot.plus(duration);
    }

    /// Adds another access, cause by cause.
    pub fn add_all(&mut self, other: &Self) {
        for (slot, duration) in self.time.iter_mut().zip(other.time) {
            *slot = slot.plus(duration);
        }
    }

    /// What one cause took.
    #[must_use]
    pub const fn of(&self, cause: Cause) -> Time {
        self.time[cause as usize]
    }

    /// What the array took: from the command to the ready signal.
    #[must_use]
    pub fn array_time(&self) -> Time {
        let busy = [Cause::ArrayRead, Cause::Program, Cause::Erase];
        let times = busy.map(|cause| self.of(cause));
        times.into_iter().fold(Time::ZERO, Time::plus)
    }

    /// All causes together.
    #[must_use]
    pub fn total(&self) -> Time {
        self.time.iter().copied().fold(Time::ZERO, Time::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up() {
        let mut cost = AccessCost::default();
        cost.add(Cause::Driver, Time::from_ps(3));
        cost.add(Cause::BusData, Time::from_ps(4));
        let mut sum = cost;
        sum.add_all(&cost);
        assert_eq!(sum.of(Cause::BusData), Time::from_ps(8));
        assert_eq!(sum.total(), Time::from_ps(14));
    }
}
