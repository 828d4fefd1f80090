//! The longest accesses of a NOR flash.
//!
//! A read is one transfer of the granules that it touches, whatever its length. It comes behind another
//! read, or behind the question that found the chip idle or standing still. A program is, for each
//! page, a write-enable command on a serial bus, a transfer, and the polled program; an erase is the
//! same with a command in place of the transfer.

use wordline_core::BackgroundWork;
use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Wired;
use crate::background::BackgroundBounds;
use crate::bound::{TimeSpan, Touched};
use crate::bus::Action;
use crate::chip::nor::{Nor, NorWork};
use crate::error::NvmError;

impl Wired<Nor> {
    /// The longest read of the array; see [`FlashDevice::read_bound`](crate::FlashDevice::read_bound).
    pub(super) fn longest_read(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        self.read_span(at, bytes, self.chip.capacity(), self.chip.rest_after_read())?
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
        let bounds = self.longest_waits(BackgroundWork::Erase)?;
        (TimeSpan::from(bounds.begin) + bounds.finish.into()).time()
    }

    /// The longest waits for work in the background;
    /// see [`FlashDevice::background_bounds`](crate::FlashDevice::background_bounds).
    ///
    /// Suspending takes `progress + command + poll(latency)`: what was resumed has to run for a while, and the chip stands
    /// still after the latency.
    pub(super) fn longest_waits(&self, work: BackgroundWork) -> Result<BackgroundBounds, NvmError> {
        let rest = self.chip.rest();
        let (enable, polls) = (self.enable_span()?, self.polls(rest)?);
        let (of_chip, begin, busy) = match work {
            BackgroundWork::Erase => {
                let (code, busy) = self.chip.longest_block_erase();
                let command = self.link.erase_command(code);
                let command = command.ok_or(NvmError::Unsupported(Action::Erase))?;
                let erase = self.command_on(&command.transaction(0, 0), rest);
                (NorWork::Erase, enable + erase, busy)
            }
            BackgroundWork::Program => {
                let page = u64::from(self.chip.geometry().page_bytes);
                let moved = self.transfer_span(Action::Write, 0, page, rest)?;
                (
                    NorWork::Program,
                    enable + moved,
                    self.chip.longest_page_program(page),
                )
            }
        };
        let suspend = match self.chip.longest_suspend(of_chip) {
            Some((progress, latency)) if self.link.command(Action::Suspend).is_some() => {
                let command = self.command_span(Action::Suspend, rest)?;
                Some((command + TimeSpan::from(progress) + polls.after(latency.into())).time()?)
            }
            _ => None,
        };
        Ok(BackgroundBounds {
            begin: begin.time()?,
            finish: polls.after(busy.into()).time()?,
            notice: polls.after(TimeSpan::ZERO).time()?,
            suspend,
        })
    }

    /// The write-enable command before a program or an erase; nothing on a bus that has none.
    fn enable_span(&self) -> Result<TimeSpan, NvmError> {
        match self.link.command(Action::WriteEnable) {
            Some(_) => self.command_span(Action::WriteEnable, self.chip.rest()),
            None => Ok(TimeSpan::ZERO),
        }
    }
}
