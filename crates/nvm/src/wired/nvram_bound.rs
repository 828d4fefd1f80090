//! The longest accesses of a memory that is written byte by byte.
//!
//! A read is one transfer of the granules that it touches. A write is, for each page that it touches,
//! a write-enable command where each write needs one, a transfer, and the polled write cycle where
//! there is one; and before it a read of each granule that it covers in part.

use wordline_core::quantity::Time;
use wordline_memory::OutOfRange;

use super::Wired;
use crate::bound::TimeSpan;
use crate::bus::Action;
use crate::chip::nvram::{Nvram, WriteEnable};
use crate::error::NvmError;

/// A range of bytes, as its first byte and the byte after its last.
type Range = (u64, u64);

/// The whole granules around a range.
fn whole((from, to): Range, granule: u64) -> Range {
    (from - from % granule, to.next_multiple_of(granule))
}

impl Wired<Nvram> {
    fn one_read(&self, (from, to): Range) -> Result<TimeSpan, NvmError> {
        self.read_span(from, to - from, self.chip.capacity(), self.chip.rest())
    }

    /// The sum over the pages of a range that needs no widening.
    fn write_span(&self, (from, to): Range) -> Result<TimeSpan, NvmError> {
        let rest = self.chip.rest();
        let one = |from: u64, to: u64| {
            let mut span = self.transfer_span(Action::Write, from, to - from, rest)?;
            if self.chip.write_enable_rule() == WriteEnable::Each {
                span += self.command_span(Action::WriteEnable, rest)?;
            }
            if let Some(busy) = self.chip.longest_write_cycle() {
                span += self.polls(rest)?.after(busy.into());
            }
            Ok::<_, NvmError>(span)
        };
        let page = self.chip.page_bytes();
        let (first, last) = (from / page, (to - 1) / page);
        if first == last {
            return one(from, to);
        }
        let ends = one(from, (first + 1) * page)? + one(last * page, to)?;
        let between = match last - first - 1 {
            0 => TimeSpan::ZERO,
            pages => one((first + 1) * page, (first + 2) * page)? * pages,
        };
        Ok(ends + between)
    }

    /// The longest read; see [`Device::read_bound`](crate::Device::read_bound).
    pub(super) fn longest_read(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        self.one_read((at, at + bytes))?.time()
    }

    /// The longest write; see [`Device::write_bound`](crate::Device::write_bound).
    pub(super) fn longest_write(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        OutOfRange::check(at, bytes, self.chip.capacity())?;
        if bytes == 0 {
            return Ok(Time::ZERO);
        }
        let granule = self.write_granule();
        let (from, to) = (at, at + bytes);
        let mut span = self.write_span(whole((from, to), granule))?;
        // Granules of which bytes must be kept, each once though both ends may lie in it.
        let head = (from % granule != 0).then_some(from / granule);
        let tail = (to % granule != 0).then_some(to / granule);
        for kept in head
            .into_iter()
            .chain(tail.filter(|tail| head != Some(*tail)))
        {
            span += self.one_read((kept * granule, (kept + 1) * granule))?;
        }
        span.time()
    }
}
