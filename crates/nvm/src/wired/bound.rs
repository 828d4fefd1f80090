//! The longest that the steps of a blocking driver take: what the bounds of every wired chip are made
//! of.
//!
//! An access begins where the one before it ended. What came before can hold it up in two ways: the
//! chip select must have been high for long enough (`rest`), and the data lines may have to turn. Both
//! are counted in full with every step, because the step before is not always known.

use wordline_core::quantity::Time;

use super::{Chip, Wired};
use crate::bound::TimeSpan;
use crate::bus::{Action, Transaction};
use crate::error::NvmError;

/// How long a driver asks a busy chip for its status.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polls {
    /// From the end of a command to the end of the first question after it.
    first: TimeSpan,
    /// From one question to the next: a command of the driver, its pause, and the status on the bus.
    period: TimeSpan,
}

impl Polls {
    /// The longest from the end of a command to the question that finds the chip idle, for a chip that
    /// is busy for `busy` from then on:
    ///
    /// `max(first, busy + period)`
    ///
    /// The first question ends at `first`, and is the last where `busy` is not longer. Else the last
    /// one follows a question that ended before `busy` did, by a period: a driver that just missed
    /// the end asks one question more.
    pub(super) fn after(&self, busy: TimeSpan) -> TimeSpan {
        self.first.max(busy + self.period)
    }

    /// What the last question can add.
    #[cfg(test)]
    pub(super) const fn period(&self) -> TimeSpan {
        self.period
    }
}

/// One transaction: the driver's work, or what is left of a pause where that is longer, and the bus.
///
/// `max(driver, rest) + command + data`
fn transaction(driver: TimeSpan, rest: Time, bus: &Transaction) -> TimeSpan {
    driver.max(rest.into()) + bus.command.into() + bus.data.into()
}

impl<C: Chip> Wired<C> {
    /// A command without data. `rest` is how long chip select must stay high before it.
    pub(super) fn command_span(&self, action: Action, rest: Time) -> Result<TimeSpan, NvmError> {
        let bus = self.bus(action, 0, 0)?;
        Ok(self.command_on(&bus, rest))
    }

    /// The same for what is known to take the bus for `bus`.
    pub(super) fn command_on(&self, bus: &Transaction, rest: Time) -> TimeSpan {
        transaction(self.driver.command.into(), rest, bus)
    }

    /// A transfer of `bytes` bytes from `at` on by DMA. A read may find the data lines turned the other
    /// way.
    pub(super) fn transfer_span(
        &self,
        action: Action,
        at: u64,
        bytes: u64,
        rest: Time,
    ) -> Result<TimeSpan, NvmError> {
        let bus = self.bus(action, at, bytes)?;
        let mut driver = TimeSpan::from(self.driver.dma_setup);
        if action == Action::Read {
            driver += self.link.turnaround.into();
        }
        Ok(transaction(driver, rest, &bus))
    }

    /// A read of an array byte by byte, which begins anew where it is mapped: going on with the last one takes no longer.
    pub(super) fn read_span(
        &self,
        at: u64,
        bytes: u64,
        capacity: u64,
        rest: Time,
    ) -> Result<TimeSpan, NvmError> {
        let moved = self.moved(at, bytes, capacity);
        let bytes = moved.end - moved.start;
        if self.mapped.is_none() {
            return self.transfer_span(Action::Read, moved.start, bytes, rest);
        }
        let bus = self.bus(Action::Read, moved.start, bytes)?;
        Ok(transaction(self.link.turnaround.into(), rest, &bus))
    }

    /// Questions for the status, the first of them no sooner than `rest` after a command.
    pub(super) fn polls(&self, rest: Time) -> Result<Polls, NvmError> {
        let bus = self.bus(Action::Status, 0, 1)?;
        let status = TimeSpan::from(bus.command) + bus.data.into();
        let pause = TimeSpan::from(self.driver.command) + self.driver.poll_interval.into();
        Ok(Polls {
            first: pause.max(rest.into()) + status,
            period: pause + status,
        })
    }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
