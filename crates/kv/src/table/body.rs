//! The payload of a record, read in pieces: the key, then the value, across all slots.

use wordline_memory::ByteMemory;

use super::Table;
use crate::Error;
use crate::directory::Directory;
use crate::slot::{LINK_BYTES, Record};

/// A place in the payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    slot: u32,
    /// The next byte of the slot, and where its payload ends.
    at: usize,
    end: usize,
    /// The slot after it.
    next: u32,
}

impl Body {
    /// The start of a record's payload.
    #[inline]
    pub(super) const fn of(record: &Record) -> Self {
        Self {
            slot: record.slot,
            at: record.head.body,
            end: record.head.end,
            next: record.head.next,
        }
    }

    /// The same, some bytes further within the head's slot.
    #[inline]
    pub(super) const fn skipped(self, bytes: usize) -> Self {
        Self {
            at: self.at + bytes,
            ..self
        }
    }
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Fills `out` with what follows in the payload.
    #[inline]
    pub(super) fn read_body(
        &mut self,
        record: &Record,
        body: &mut Body,
        out: &mut [u8],
    ) -> Result<(), Error<M::Error>> {
        if record.flip.is_some() || out.len() > body.end - body.at {
            return self.read_parts(record, body, out);
        }
        let at = self.at(body.slot) + body.at as u64;
        body.at += out.len();
        Ok(self.memory.read(at, out)?)
    }

    /// The same from several slots, or from one with a wrong bit.
    fn read_parts(
        &mut self,
        record: &Record,
        body: &mut Body,
        mut out: &mut [u8],
    ) -> Result<(), Error<M::Error>> {
        while !out.is_empty() {
            if body.at == body.end {
                let slot = body.next;
                body.next = self.link_of(record, slot)?;
                (body.slot, body.at) = (slot, LINK_BYTES);
                body.end = self.geometry.slot_bytes as usize;
            }
            let (part, rest) = out.split_at_mut(out.len().min(body.end - body.at));
            self.memory
                .read(self.at(body.slot) + body.at as u64, part)?;
            if let Some(flip) = record.flip.filter(|_| body.slot == record.slot)
                && let Some(byte) = flip.at.checked_sub(body.at).and_then(|at| part.get_mut(at))
            {
                *byte ^= flip.mask;
            }
            body.at += part.len();
            out = rest;
        }
        Ok(())
    }
}
