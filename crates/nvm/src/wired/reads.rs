//! Reads of an array byte by byte: by the driver, or through the address space of the processor.
//!
//! The driver sets each read up. A mapped read has none: the lines that it touches are fetched in one
//! transaction, or with data alone where they follow the last fetch and chip select is still low. What
//! the controller has fetched ahead by then is there at once. It counts as read when it is taken.

use std::ops::Range;
use std::sync::Arc;

use wordline_core::quantity::Time;

use super::{Chip, Wired};
use crate::bus::mapped::AddressWindow;
use crate::bus::{Action, BusCommand, Transaction};
use crate::cost::Cause;
use crate::error::{NvmError, after};

/// Reads through the address space, where they are in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedReads {
    window: AddressWindow,
    /// The last fetch, while chip select is low behind it.
    pub(super) selected: Option<SelectedRead>,
}

/// A fetch that goes on with the next address.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectedRead {
    next: u64,
    end: Time,
}

impl<C: Chip> Wired<C> {
    /// Lets reads go through the address space of the processor. Returns whether the board maps the memory.
    ///
    /// A processor that waits for a line does not sleep.
    pub(super) fn use_mapped_reads(&mut self) -> bool {
        self.fold();
        let Some(mapped) = &self.link.memory_mapped else {
            return false;
        };
        if self.mapped.is_some() {
            return true;
        }
        let window = mapped.window();
        self.mapped = Some(MappedReads {
            window,
            selected: None,
        });
        let notes = Arc::make_mut(&mut self.notes);
        let bus = match self.link.command(Action::Read) {
            Some(BusCommand::Parallel(_)) => "parallel",
            _ => "serial",
        };
        notes.board.figures.extend(mapped.figures(bus));
        if let Some(host) = &mut notes.host {
            host.sleeps_in_transfers = false;
        }
        true
    }

    /// The range that is moved for a read, of whole granules of the opcode and, where reads are mapped, of whole lines.
    pub(super) fn moved(&self, at: u64, bytes: u64, capacity: u64) -> Range<u64> {
        let granule = self
            .link
            .command(Action::Read)
            .map_or(1, BusCommand::granule);
        let line = self.mapped.map_or(1, |mapped| mapped.window.fetch_bytes);
        let unit = line.next_multiple_of(u64::from(granule));
        let end = (at + bytes).next_multiple_of(unit);
        at - at % unit..end.min(capacity)
    }

    /// Reads from `at` into `out`, as part of an access: the range [that is moved](Self::moved), with what the chip does
    /// for it. Nothing is put on the bus for no bytes.
    #[inline(always)]
    pub(super) fn read_array(
        &mut self,
        capacity: u64,
        at: u64,
        out: &mut [u8],
        read: impl FnOnce(&mut C, Time, &Transaction, u64, &mut [u8]) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        if out.is_empty() {
            return Ok(());
        }
        let moved = self.moved(at, out.len() as u64, capacity);
        let bytes = moved.end - moved.start;
        if bytes == out.len() as u64 {
            return self.move_in(&moved, |chip, start, bus| read(chip, start, bus, at, out));
        }
        let mut wide = vec![0; bytes as usize];
        self.move_in(&moved, |chip, start, bus| {
            read(chip, start, bus, moved.start, &mut wide)
        })?;
        let offset = (at - moved.start) as usize;
        out.copy_from_slice(&wide[offset..offset + out.len()]);
        Ok(())
    }

    #[inline(always)]
    fn move_in(
        &mut self,
        moved: &Range<u64>,
        run: impl FnOnce(&mut C, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        let bytes = moved.end - moved.start;
        let Some(MappedReads { window, selected }) = self.mapped else {
            return self.transfer(Action::Read, moved.start, bytes, run);
        };
        let bus = self.bus(Action::Read, moved.start, bytes)?;
        match selected.filter(|last| last.next == moved.start) {
            None => self.transact(Time::ZERO, true, &bus, run)?,
            Some(last) => {
                let ahead = bytes.min(window.prefetch_bytes);
                let ahead = self.bus(Action::Read, moved.start, ahead)?.data;
                self.go_on(last.end, ahead, bus.data, run)?;
            }
        }
        self.mapped = Some(MappedReads {
            window,
            selected: Some(SelectedRead {
                next: moved.end,
                end: self.clock.now(),
            }),
        });
        Ok(())
    }

    /// Goes on with a transaction that ended at `since`, for `data`. The part `ahead` of it went on at once; then the bus
    /// stood still until now.
    fn go_on(
        &mut self,
        since: Time,
        ahead: Time,
        data: Time,
        run: impl FnOnce(&mut C, Time, &Transaction) -> Result<Time, NvmError>,
    ) -> Result<(), NvmError> {
        self.deselect();
        let now = self.clock.now();
        let end = after(now.later(after(since, ahead)?), data.since(ahead))?;
        self.chip.keep_selected(since);
        let bus = Transaction {
            command: Time::ZERO,
            data,
        };
        run(&mut self.chip, Time::from_ps(end.ps() - data.ps()), &bus)?;
        self.last.add(Cause::BusData, end.since(now));
        self.clock.advance_to(end);
        Ok(())
    }

    /// Notes that chip select rises: the next mapped read begins anew.
    #[inline(always)]
    pub(super) const fn deselect(&mut self) {
        if let Some(mapped) = &mut self.mapped {
            mapped.selected = None;
        }
    }
}

#[cfg(test)]
#[path = "reads_tests.rs"]
mod tests;
