//! How long an access of a card can take, whatever its controller does.
//!
//! The specification gives each block a limit of its own, and says nothing of how many blocks in a row
//! may take that long: an access of 4 KiB is eight blocks, and with 250 ms each takes two seconds. The command that
//! stops a write may find the card busy once more, be it that it was not before (SanDisk SD Card Product Manual
//! rev. 2.2, section 4.12, "Stop Transmission received after last data block: card becomes busy"): a quarter of a
//! second on top. The model's own cards are done before it.
//!
//! What a controller does for itself is cut at the limit of a block, and what is left of an access waits for the next: the
//! bound holds whatever the sheet says of housekeeping. A driver that moves few blocks with each command pays for each
//! command, and stops those of several.

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::device::{Card, Wire, edges};
use super::sheet::CardInterface;
use crate::bound::TimeSpan;
use crate::bus::sd::BLOCK_BYTES;
use crate::error::NvmError;

/// Why nothing bounds the wait for a card without a flush.
const UNTOLD: &str = "no limit says when a card without a flush has programmed what it holds";

impl Card {
    pub(super) fn longest_write(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.capacity)?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        let busy = self.limits.write_busy;
        let own = self.in_commands(blocks(at, bytes), |blocks| {
            let stop = match blocks {
                // A reliable write of one block is announced by a command more.
                1 if self.interface == CardInterface::Emmc => {
                    TimeSpan::from(self.driver.command) + self.write.bare().into()
                }
                1 => Time::ZERO.into(),
                _ => busy.into(),
            };
            self.longest(&self.write, blocks, busy) + stop
        });
        // Before most writes, which begin and end with whole blocks.
        match edges(at, bytes).len() as u64 {
            0 => own.time(),
            edges => (own + self.longest(&self.read, 1, self.limits.read_wait) * edges).time(),
        }
    }

    pub(super) fn longest_read(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.capacity)?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        let limit = self.limits.read_wait;
        let of_one = |blocks| self.longest(&self.read, blocks, limit);
        self.in_commands(blocks(at, bytes), of_one).time()
    }

    /// What commands for so many blocks take together, each for as many as the driver moves at once.
    fn in_commands(&self, blocks: u64, of_one: impl Fn(u64) -> TimeSpan) -> TimeSpan {
        let most = self.command_blocks;
        if blocks <= most {
            return of_one(blocks);
        }
        let full = of_one(most) * (blocks / most);
        match blocks % most {
            0 => full,
            rest => full + of_one(rest),
        }
    }

    pub(super) fn longest_flush(&self) -> Result<Time, NvmError> {
        let Some(limit) = self.limits.flush else {
            return match self.controller.writes_through() {
                true => Ok(Time::ZERO),
                false => Err(NvmError::Translation(UNTOLD.into())),
            };
        };
        let command = TimeSpan::from(self.driver.command) + self.write.bare().into();
        (command + limit.into() + self.question().into()).time()
    }

    fn longest(&self, command: &Wire, blocks: u64, limit: Time) -> TimeSpan {
        let stop = if blocks > 1 {
            self.driver.command
        } else {
            Time::ZERO
        };
        let driver = TimeSpan::from(self.driver.dma_setup) + stop.into();
        let block = TimeSpan::from(command.block()) + limit.into();
        driver + command.overhead(blocks).into() + block * blocks + self.question().into()
    }
}

/// Blocks that a range touches.
pub(super) const fn blocks(at: u64, bytes: u64) -> u64 {
    (at + bytes).div_ceil(BLOCK_BYTES) - at / BLOCK_BYTES
}
