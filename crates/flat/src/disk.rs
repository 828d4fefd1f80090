//! The memory, and the records in it.

use wordline_memory::ByteMemory;

use crate::FlatError;
use crate::barrier::FlatBarrier;
use crate::record::{
    FlatRecord, LENGTHS_AT, NEXT_MAX, NO_SLOT, SLOT_BYTES, SlotState, length_bytes,
};
use crate::shape::{FlatShape, HEADER_BYTES};

/// Zeros that a file is extended with, at a time.
const ZEROS: [u8; 256] = [0; 256];

/// Writes an empty root, whatever the memory held. The header comes last: until it is there, the memory holds no files.
///
/// # Errors
/// [`FlatError::Atom`], [`FlatError::Shape`], [`FlatError::Capacity`], [`FlatError::Truncated`], or the memory fails.
pub fn format<M: ByteMemory>(memory: &mut M, shape: &FlatShape) -> Result<(), FlatError<M::Error>> {
    shape.check()?;
    let (atom, unit_bytes) = (memory.atom() as u64, shape.unit_bytes);
    if !atom.is_power_of_two() || atom > u64::from(unit_bytes) {
        return Err(FlatError::Atom { atom, unit_bytes });
    }
    if shape.bytes > memory.len() {
        return Err(FlatError::Truncated {
            needed: shape.bytes,
            bytes: memory.len(),
        });
    }
    memory.write(0, &[0; HEADER_BYTES])?;
    memory.persist()?;
    for slot in 0..shape.records {
        memory.write(slot_at(slot), &[SlotState::Dead as u8])?;
    }
    memory.persist()?;
    memory.write(0, &shape.encoded())?;
    Ok(memory.persist()?)
}

/// Where a slot lies.
fn slot_at(slot: u32) -> u64 {
    HEADER_BYTES as u64 + u64::from(slot) * SLOT_BYTES
}

/// A memory with files.
#[derive(Debug)]
pub(crate) struct FlatDisk<M> {
    pub(crate) memory: M,
    pub(crate) shape: FlatShape,
    /// Something written may not last yet.
    pub(crate) is_pending: bool,
    pub(crate) lacking: Option<FlatBarrier>,
}

impl<M: ByteMemory> FlatDisk<M> {
    pub(crate) fn keeps(&self, barrier: FlatBarrier) -> bool {
        self.lacking != Some(barrier)
    }

    /// Where a unit lies.
    pub(crate) fn unit_at(&self, unit: u32) -> u64 {
        self.shape.data_at() + u64::from(unit) * u64::from(self.shape.unit_bytes)
    }

    /// Everything that was written lasts from here on.
    pub(crate) fn persist(&mut self) -> Result<(), FlatError<M::Error>> {
        self.memory.persist()?;
        self.is_pending = false;
        Ok(())
    }

    pub(crate) fn write(&mut self, at: u64, data: &[u8]) -> Result<(), FlatError<M::Error>> {
        self.is_pending = true;
        Ok(self.memory.write(at, data)?)
    }

    pub(crate) fn write_zeros(&mut self, at: u64, bytes: u64) -> Result<(), FlatError<M::Error>> {
        let (mut at, end) = (at, at + bytes);
        while at < end {
            let piece = (end - at).min(ZEROS.len() as u64);
            self.write(at, &ZEROS[..piece as usize])?;
            at += piece;
        }
        Ok(())
    }

    /// The state of a slot.
    pub(crate) fn state(&mut self, slot: u32) -> Result<SlotState, FlatError<M::Error>> {
        let mut byte = [0];
        self.memory.read(slot_at(slot), &mut byte)?;
        SlotState::parse(byte[0]).ok_or(FlatError::Corrupt { slot })
    }

    /// The one byte that makes a record valid, chooses its length, or kills it.
    pub(crate) fn set_state(
        &mut self,
        slot: u32,
        state: SlotState,
    ) -> Result<(), FlatError<M::Error>> {
        self.write(slot_at(slot), &[state as u8])
    }

    /// Whether a power cut leaves a length old or new: it lies in one atom.
    pub(crate) fn lands_lengths_whole(&self) -> bool {
        self.memory.atom() >= 8
    }

    /// Writes one of the two lengths.
    pub(crate) fn write_length(
        &mut self,
        slot: u32,
        serial: u64,
        second: bool,
        length: u32,
    ) -> Result<(), FlatError<M::Error>> {
        let at = LENGTHS_AT as u64 + if second { 8 } else { 0 };
        let bytes = length_bytes(serial, second, length);
        self.write(slot_at(slot) + at, &bytes)
    }

    /// The serial of a record in force.
    pub(crate) fn serial(&mut self, slot: u32) -> Result<u64, FlatError<M::Error>> {
        let mut bytes = [0; 8];
        self.memory.read(slot_at(slot) + 32, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a record in force, every check included.
    pub(crate) fn load(&mut self, slot: u32) -> Result<FlatRecord, FlatError<M::Error>> {
        let damaged = FlatError::Corrupt { slot };
        let mut bytes = [0; SLOT_BYTES as usize];
        self.memory.read(slot_at(slot), &mut bytes)?;
        let checks = self.keeps(FlatBarrier::CheckRecord);
        let lengths = self.keeps(FlatBarrier::CheckLength);
        let extents = self.shape.extents;
        let parsed = FlatRecord::parse(slot, &bytes, extents, [checks, lengths]);
        let Some(parsed) = parsed else {
            return Err(damaged);
        };
        let (mut record, mut next) = (parsed.record, parsed.next);
        for number in 1..record.slots_needed() {
            if next >= self.shape.records || number > NEXT_MAX {
                return Err(damaged);
            }
            self.memory.read(slot_at(next), &mut bytes)?;
            let after = record.continue_with(number, next, &bytes, checks);
            let Some(after) = after else {
                return Err(damaged);
            };
            next = after;
        }
        if next != NO_SLOT {
            return Err(damaged);
        }
        let units = self.shape.units();
        let mut covered = 0;
        for extent in record.extents() {
            let end = extent.first.checked_add(extent.units);
            if extent.units == 0 || end.is_none_or(|end| end > units) {
                return Err(damaged);
            }
            covered += u64::from(extent.units);
        }
        let bytes = covered * u64::from(self.shape.unit_bytes);
        match u64::from(record.length) > bytes {
            true => Err(damaged),
            false => Ok(record),
        }
    }

    /// Writes a record into its slots, and puts it in force.
    pub(crate) fn commit(&mut self, record: &FlatRecord) -> Result<(), FlatError<M::Error>> {
        let head = record.slots()[0];
        let last = self.keeps(FlatBarrier::CommitLast);
        if !last {
            self.set_state(head, SlotState::First)?;
        }
        for (number, slot) in record.slots().iter().enumerate().skip(1) {
            let (bytes, end) = record.continuation(number);
            self.write(slot_at(*slot) + 8, &bytes[8..end])?;
        }
        let (bytes, end) = record.head();
        self.write(slot_at(head) + LENGTHS_AT as u64, &bytes[LENGTHS_AT..end])?;
        if self.keeps(FlatBarrier::PersistRecord) {
            self.persist()?;
        }
        if last {
            self.set_state(head, SlotState::First)?;
        }
        Ok(())
    }

    /// Units that bytes take.
    pub(crate) fn units_of(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.shape.unit_bytes)
    }
}
