//! Memories without a data sheet: any geometry, and the times that the caller states, zero among them.
//!
//! They are what emulators of block devices are, with the rules of real chips where a geometry asks for them. Nothing is
//! drawn, no bit goes wrong by itself, and energy is unknown. A bus or a driver takes no time of its own.

mod bytes;
mod flash;

use wordline_core::SimClock;
use wordline_core::quantity::{Quantity as _, Time, Voltage};

pub use self::bytes::{IdealBytes, IdealBytesSpec};
pub use self::flash::{IdealFlash, IdealFlashSpec};
use crate::cost::{AccessCost, Cause};
use crate::device::Notes;
use crate::error::{NvmError, after};
use crate::power::{PowerDraw, PowerMeter, PowerState, Residence};

/// What the operations of an ideal memory take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdealTimes {
    /// Of a read, whatever its length; of flash, of each page that it touches.
    pub read: Time,
    /// Of each byte that is read.
    pub read_byte: Time,
    /// Of a program or a write, whatever its length.
    pub program: Time,
    /// Of each byte that is programmed or written.
    pub program_byte: Time,
    /// Of an erase of a block.
    pub erase: Time,
}

impl IdealTimes {
    /// So much, and so much more for each byte.
    fn of(operation: Time, byte: Time, bytes: u64) -> Result<Time, NvmError> {
        let all = byte.ps().checked_mul(bytes);
        let all = all.and_then(|bytes| bytes.checked_add(operation.ps()));
        all.map(Time::from_ps).ok_or(NvmError::TimeExhausted)
    }

    pub(crate) fn read_of(&self, bytes: u64) -> Result<Time, NvmError> {
        Self::of(self.read, self.read_byte, bytes)
    }

    pub(crate) fn program_of(&self, bytes: u64) -> Result<Time, NvmError> {
        Self::of(self.program, self.program_byte, bytes)
    }
}

/// Clock and accounts of an ideal memory.
#[derive(Debug)]
struct IdealAccounts {
    clock: SimClock,
    last: AccessCost,
    draw: PowerDraw,
    notes: Notes,
}

const CAUSES: [Cause; 3] = [Cause::ArrayRead, Cause::Program, Cause::Erase];

impl IdealAccounts {
    fn new() -> Self {
        Self {
            clock: SimClock::new(),
            last: AccessCost::NONE,
            draw: PowerDraw {
                voltage: Voltage::from_si(0.0),
                current: [None; PowerState::ALL.len()],
            },
            notes: Notes::default(),
        }
    }

    fn fork(&self) -> Self {
        Self {
            clock: self.clock.fork(),
            last: self.last,
            draw: self.draw,
            notes: self.notes.clone(),
        }
    }

    /// Lets an access take its time.
    fn take(&mut self, cause: Cause, duration: Time) -> Result<(), NvmError> {
        let end = after(self.clock.now(), duration)?;
        self.last = AccessCost::NONE;
        self.last.add(cause, duration);
        self.clock.advance_to(end);
        Ok(())
    }

    /// All of it is idle time: nothing is known of currents.
    fn residence(&self) -> Residence {
        PowerMeter::new().residence(self.clock.now())
    }
}

#[cfg(test)]
mod tests;
