//! Mounted files: records that come into force and die, and what is open.

use core::fmt;

use wordline_memory::ByteMemory;

use crate::FlatError;
use crate::barrier::FlatBarrier;
use crate::disk::FlatDisk;
use crate::path::entry_word;
use crate::record::{FlatRecord, NEXT_MAX, NO_SLOT, SlotState};
use crate::shape::{FlatShape, FlatUse};
use crate::tables::{CONTINUES, FREE, FlatTables, OpenWord};

/// Slots that new names leave free, so that a file can be renamed and grow: those of the longest record.
pub(crate) const SPARE_RECORDS: u32 = 1 + NEXT_MAX as u32;

/// Files in a byte-addressable memory, mounted with RAM of the caller.
pub struct FlatFiles<M, R> {
    pub(crate) disk: FlatDisk<M>,
    pub(crate) tables: FlatTables<R>,
    pub(crate) next_serial: u64,
    pub(crate) reserve_bytes: u32,
}

/// An open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlatFile {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatEntry {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Length of a file in bytes; 0 of a directory.
    pub bytes: u32,
}

impl FlatEntry {
    pub(crate) const fn of(record: &FlatRecord) -> Self {
        Self {
            is_directory: record.is_dir,
            bytes: record.length,
        }
    }
}

/// Room, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatRoom {
    /// All units.
    pub total: u64,
    /// Units that no file has.
    pub free: u64,
    /// Slots that no record has.
    pub free_records: u32,
}

impl<M, R> fmt::Debug for FlatFiles<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatFiles")
            .field("shape", &self.disk.shape)
            .field("next_serial", &self.next_serial)
            .finish_non_exhaustive()
    }
}

impl<M: ByteMemory, R: AsMut<[u32]> + AsRef<[u32]>> FlatFiles<M, R> {
    /// Mounts the files that a memory holds: reads every record, and ends what a power cut interrupted. `ram` has
    /// [`FlatShape::ram_words`] words at least.
    ///
    /// # Errors
    /// Those of [`FlatShape::of`], [`FlatError::Ram`], and [`FlatError::Corrupt`] where a record is damaged.
    pub fn mount(memory: M, of_use: &FlatUse, ram: R) -> Result<Self, FlatError<M::Error>> {
        Self::mount_lacking(memory, of_use, ram, None)
    }

    /// How the memory is divided.
    pub const fn shape(&self) -> &FlatShape {
        &self.disk.shape
    }

    /// The memory, such as to read its clock.
    pub const fn memory(&mut self) -> &mut M {
        &mut self.disk.memory
    }

    /// The memory, which may hold what is not synced.
    pub fn into_memory(self) -> M {
        self.disk.memory
    }

    /// Room that there is. Units that open files have reserved behind their lengths count as free.
    pub fn room(&self) -> FlatRoom {
        let unit = u64::from(self.disk.shape.unit_bytes);
        let open = 0..self.tables.open_files();
        let open = open.filter(|file| self.tables.file(*file, OpenWord::Slot) != 0);
        let reserved = open.map(|file| {
            let used = self.disk.units_of(self.tables.file(file, OpenWord::Length));
            u64::from(self.tables.file(file, OpenWord::Units) - used)
        });
        let free = u64::from(self.tables.free_units) + reserved.sum::<u64>();
        FlatRoom {
            total: u64::from(self.tables.units()) * unit,
            free: free * unit,
            free_records: self.tables.free_records,
        }
    }

    pub(crate) fn keeps(&self, barrier: FlatBarrier) -> bool {
        self.disk.keeps(barrier)
    }

    /// Puts a record in force in the place of others: one byte does it. Leaves so many slots free.
    pub(crate) fn put_in_force(
        &mut self,
        record: &mut FlatRecord,
        replaced: &[&FlatRecord],
        spare: u32,
    ) -> Result<(), FlatError<M::Error>> {
        let needed = record.slots_needed();
        if u64::from(self.tables.free_records) < needed as u64 + u64::from(spare) {
            return Err(FlatError::NoRecords);
        }
        for number in 0..needed {
            let slot = self.tables.free_slot().ok_or(FlatError::NoRecords)?;
            self.tables.set_slot(slot, CONTINUES);
            record.set_slot(number, slot);
        }
        record.serial = self.next_serial;
        record.second = false;
        self.next_serial += 1;
        if record.is_dir && record.id == 0 {
            record.id = record.serial;
        }
        record.replaces = [NO_SLOT; 2];
        for (place, old) in record.replaces.iter_mut().zip(replaced) {
            *place = old.slots()[0];
        }
        if !self.keeps(FlatBarrier::ReplaceTarget) {
            record.replaces[1] = NO_SLOT;
        }
        let new_first = self.keeps(FlatBarrier::NewBeforeOld);
        if !new_first {
            self.kill(replaced)?;
        }
        self.disk.commit(record)?;
        if self.keeps(FlatBarrier::PersistCommit) {
            self.disk.persist()?;
        }
        let word = entry_word(record.parent, record.name());
        self.tables.set_slot(record.slots()[0], word);
        if new_first {
            self.kill(replaced)?;
        }
        Ok(())
    }

    /// Lets records die, and their slots be used again.
    pub(crate) fn kill(&mut self, records: &[&FlatRecord]) -> Result<(), FlatError<M::Error>> {
        for record in records {
            self.disk.set_state(record.slots()[0], SlotState::Dead)?;
        }
        if !records.is_empty() && self.keeps(FlatBarrier::PersistDeath) {
            self.disk.persist()?;
        }
        for slot in records.iter().flat_map(|record| record.slots()) {
            self.tables.set_slot(*slot, FREE);
        }
        Ok(())
    }

    /// Units of a record that no other has: those that its length covers.
    pub(crate) fn covered_units(&self, record: &FlatRecord) -> u32 {
        match self.keeps(FlatBarrier::ClipAtMount) {
            true => self.disk.units_of(record.length),
            false => u32::MAX,
        }
    }
}
