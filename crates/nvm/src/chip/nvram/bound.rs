//! The longest times of a chip, from its resolved figures.

use wordline_core::quantity::Time;

use super::Nvram;
use crate::bound::longest;

impl Nvram {
    /// The longest pause between two transactions.
    pub(crate) fn rest(&self) -> Time {
        self.spec
            .deselect_after_read
            .later(self.spec.deselect_after_write)
    }

    /// The longest that the chip is busy after a write; `None` where its array keeps up with the bus.
    pub(crate) fn longest_write_cycle(&self) -> Option<Time> {
        self.spec.write_cycle.as_ref().map(longest)
    }
}
