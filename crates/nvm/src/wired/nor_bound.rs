//! The longest accesses of a NOR flash.
//!
//! A read is one transfer of the granules that it touches, whatever its length. A program is, for each
//! page, a write-enable command on a serial bus, a transfer, and the polled program; an erase is the
//! same with a command in place of the transfer.

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Wired;
use crate::bound::{TimeSpan, Touched};
use crate::bus::Action;
use crate::chip::nor::Nor;
use crate::error::NvmError;

impl Wired<Nor> {
    /// The longest read of the array; see [`FlashDevice::read_bound`](crate::FlashDevice::read_bound).
    pub(super) fn longest_read(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        let command = self.link.command(Action::Read);
        let granule = command.map_or(1, |command| u64::from(command.granule()));
        let (from, to) = (at - at % granule, (at + bytes).next_multiple_of(granule));
        self.transfer_span(Action::Read, from, to - from, self.chip.rest())?
            .time()
    }

    /// The longest programs of every page of a range;
    /// see [`FlashDevice::program_bound`](crate::FlashDevice::program_bound).
    pub(super) fn longest_program(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        let page_bytes = self.chip.geometry().page_bytes;
        let Some(touched) = Touched::new(at, bytes, page_bytes) else {
            return Ok(Time::ZERO);
        };
        let (rest, enable) = (self.chip.rest(), self.enable_span()?);
        let polls = self.polls(rest)?;
        let page = |column, bytes| {
            let moved = self.transfer_span(Action::Write, column, bytes, rest)?;
            let busy = self.chip.longest_page_program(bytes);
            Ok(enable + moved + polls.after(busy.into()))
        };
        touched.sum(page)?.time()
    }

    /// The longest erase of a block; see [`FlashDevice::erase_bound`](crate::FlashDevice::erase_bound).
    pub(super) fn longest_erase(&self) -> Result<Time, NvmError> {
        let (_, busy) = self.chip.longest_block_erase();
        let busy = self.polls(self.chip.rest())?.after(busy.into());
        (self.longest_erase_start()? + busy).time()
    }

    /// The longest until an erase of a block runs.
    pub(super) fn longest_erase_start(&self) -> Result<TimeSpan, NvmError> {
        let (code, _) = self.chip.longest_block_erase();
        let command = self.link.erase_command(code);
        let command = command.ok_or(NvmError::Unsupported(Action::Erase))?;
        let erase = self.command_on(&command.transaction(0, 0), self.chip.rest());
        Ok(self.enable_span()? + erase)
    }

    /// The write-enable command before a program or an erase; nothing on a bus that has none.
    fn enable_span(&self) -> Result<TimeSpan, NvmError> {
        match self.link.command(Action::WriteEnable) {
            Some(_) => self.command_span(Action::WriteEnable, self.chip.rest()),
            None => Ok(TimeSpan::ZERO),
        }
    }
}
