//! Open files: read, written in place, grown and cut. None of these reads the memory but for bytes of the file.

use wordline_memory::ByteMemory;

use crate::barrier::FlatBarrier;
use crate::record::{Extent, FlatRecord, SlotState};
use crate::tables::{OpenWord, SECOND, STALE};
use crate::{FlatError, FlatFile, FlatFiles};

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatOpen {
    /// It must be there.
    Existing,
    /// An empty one is made where there is none.
    Create,
    /// It is emptied, or made where there is none.
    Replace,
}

/// What is to be done with the bytes of a file.
enum Transfer<'a> {
    Read(&'a mut [u8]),
    Write(&'a [u8]),
    Zeros(u32),
}

impl<M: ByteMemory, R: AsMut<[u32]> + AsRef<[u32]>> FlatFiles<M, R> {
    /// Opens a file. It is open once at a time.
    ///
    /// # Errors
    /// [`FlatError::NotFound`], [`FlatError::IsADirectory`], [`FlatError::Busy`], [`FlatError::TooManyOpen`]; where one is
    /// made, also those of [`make_directory`](Self::make_directory).
    pub fn open(&mut self, path: &str, how: FlatOpen) -> Result<FlatFile, FlatError<M::Error>> {
        let open_files = self.tables.open_files();
        let free = (0..open_files).find(|file| self.tables.file(*file, OpenWord::Slot) == 0);
        let index = free.ok_or(FlatError::TooManyOpen { open_files })?;
        let place = self.place(path)?.ok_or(FlatError::IsADirectory)?;
        let record = match self.find(place.parent, place.name)? {
            Some(record) if record.is_dir => return Err(FlatError::IsADirectory),
            Some(record) if self.opened(&record).is_some() => return Err(FlatError::Busy),
            Some(record) => record,
            None if how == FlatOpen::Existing => return Err(FlatError::NotFound),
            None => self.create(false, &place)?,
        };
        self.take_file(index, &record);
        let generation = self
            .tables
            .file(index, OpenWord::Generation)
            .wrapping_add(1);
        self.tables
            .set_file(index, OpenWord::Generation, generation);
        let file = FlatFile { index, generation };
        if how == FlatOpen::Replace {
            self.truncate(file, 0)?;
        }
        Ok(file)
    }

    /// Notes a record as open, with the units of its extents that it has: those that its length covers, and those behind
    /// them that are still free.
    fn take_file(&mut self, index: u32, record: &FlatRecord) {
        self.note_record(index, record);
        let used = self.disk.units_of(record.length);
        let mut units = 0;
        let mut count = 0;
        for mut extent in record.extents() {
            let covered = extent.units.min(used - units.min(used));
            let behind = match self.keeps(FlatBarrier::RetakeFree) {
                true => {
                    let first = extent.first + covered;
                    self.tables.free_from(first, extent.units - covered)
                }
                false => extent.units - covered,
            };
            let is_whole = covered + behind == extent.units;
            extent.units = covered + behind;
            if extent.units > 0 {
                self.tables.take(extent);
                self.tables.set_extent(index, count, extent);
                count += 1;
                units += extent.units;
            }
            if !is_whole {
                break;
            }
        }
        self.tables.set_file(index, OpenWord::Extents, count);
        self.tables.set_file(index, OpenWord::Units, units);
    }

    /// Notes which record an open file has, whose extents are those in RAM or begin with them.
    fn note_record(&mut self, index: u32, record: &FlatRecord) {
        let flags = if record.second { SECOND } else { 0 };
        let serial = record.serial;
        for (word, value) in [
            (OpenWord::Slot, record.slots()[0] + 1),
            (OpenWord::Flags, flags),
            (OpenWord::Length, record.length),
            (OpenWord::SerialLow, serial as u32),
            (OpenWord::SerialHigh, (serial >> 32) as u32),
        ] {
            self.tables.set_file(index, word, value);
        }
    }

    /// As which open file a record is open.
    pub(crate) fn opened(&self, record: &FlatRecord) -> Option<u32> {
        let slot = record.slots()[0] + 1;
        let mut open = 0..self.tables.open_files();
        open.find(|file| self.tables.file(*file, OpenWord::Slot) == slot)
    }

    /// Lets an open file have the record that took the place of its own.
    pub(crate) fn follow(&mut self, index: u32, record: &FlatRecord) {
        let stale = self.tables.file(index, OpenWord::Flags) & STALE;
        self.note_record(index, record);
        let flags = self.tables.file(index, OpenWord::Flags) | stale;
        self.tables.set_file(index, OpenWord::Flags, flags);
    }

    fn index(&self, file: FlatFile) -> Result<u32, FlatError<M::Error>> {
        let index = file.index;
        let is_open = index < self.tables.open_files()
            && self.tables.file(index, OpenWord::Slot) != 0
            && self.tables.file(index, OpenWord::Generation) == file.generation;
        match is_open {
            true => Ok(index),
            false => Err(FlatError::NotOpen),
        }
    }

    /// The length of an open file in bytes.
    ///
    /// # Errors
    /// [`FlatError::NotOpen`].
    pub fn length(&self, file: FlatFile) -> Result<u32, FlatError<M::Error>> {
        Ok(self.tables.file(self.index(file)?, OpenWord::Length))
    }

    /// Fills `out` with bytes of a file from `at` on, and says how many there were before its end.
    ///
    /// # Errors
    /// [`FlatError::NotOpen`], or the memory fails.
    pub fn read(
        &mut self,
        file: FlatFile,
        at: u64,
        out: &mut [u8],
    ) -> Result<usize, FlatError<M::Error>> {
        let index = self.index(file)?;
        let length = u64::from(self.tables.file(index, OpenWord::Length));
        let bytes = length.saturating_sub(at).min(out.len() as u64) as usize;
        if bytes > 0 {
            self.transfer(index, at as u32, Transfer::Read(&mut out[..bytes]))?;
        }
        Ok(bytes)
    }

    /// Stores bytes in a file from `at` on, which is at most its length. Bytes within the length are overwritten in place:
    /// a power cut before the next sync leaves each atom of them old or new. Bytes behind it are there together with the
    /// length, or not at all.
    ///
    /// # Errors
    /// [`FlatError::NotOpen`], [`FlatError::PastEnd`], [`FlatError::TooLong`], [`FlatError::NoSpace`],
    /// [`FlatError::Fragmented`], or the memory fails.
    pub fn write(
        &mut self,
        file: FlatFile,
        at: u64,
        data: &[u8],
    ) -> Result<(), FlatError<M::Error>> {
        let index = self.index(file)?;
        let length = self.tables.file(index, OpenWord::Length);
        if at > u64::from(length) {
            let bytes = u64::from(length);
            return Err(FlatError::PastEnd { at, bytes });
        }
        let end = u32::try_from(at + data.len() as u64).map_err(|_| FlatError::TooLong)?;
        if end <= length {
            return self.transfer(index, at as u32, Transfer::Write(data));
        }
        self.make_room(index, end)?;
        let data_first = self.keeps(FlatBarrier::DataBeforeLength);
        if !data_first {
            self.set_length(index, end)?;
        }
        self.transfer(index, at as u32, Transfer::Write(data))?;
        match data_first {
            true => self.set_length(index, end),
            false => Ok(()),
        }
    }

    /// Cuts a file to so many bytes, or extends it with zeros, which are written. A shorter length lasts when this returns.
    /// The file keeps its units until it is closed.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn truncate(&mut self, file: FlatFile, bytes: u64) -> Result<(), FlatError<M::Error>> {
        let index = self.index(file)?;
        let length = self.tables.file(index, OpenWord::Length);
        let bytes = u32::try_from(bytes).map_err(|_| FlatError::TooLong)?;
        if bytes == length {
            return Ok(());
        }
        self.make_room(index, bytes)?;
        if bytes > length {
            if self.keeps(FlatBarrier::ZeroExtension) {
                self.transfer(index, length, Transfer::Zeros(bytes - length))?;
            }
            return self.set_length(index, bytes);
        }
        self.set_length(index, bytes)?;
        match self.keeps(FlatBarrier::PersistShrink) {
            true => self.disk.persist(),
            false => Ok(()),
        }
    }

    /// Returns when everything that was written to the files survives a power cut.
    ///
    /// # Errors
    /// [`FlatError::NotOpen`], or the memory fails.
    pub fn sync(&mut self, file: FlatFile) -> Result<(), FlatError<M::Error>> {
        self.index(file)?;
        match self.disk.is_pending && self.keeps(FlatBarrier::Sync) {
            true => self.disk.persist(),
            false => Ok(()),
        }
    }

    /// Closes a file, which gives back what it had reserved. It does not sync.
    ///
    /// # Errors
    /// [`FlatError::NotOpen`].
    pub fn close(&mut self, file: FlatFile) -> Result<(), FlatError<M::Error>> {
        let index = self.index(file)?;
        self.give_back(index);
        self.tables.set_file(index, OpenWord::Slot, 0);
        Ok(())
    }

    /// Leaves an open file the units that its length covers.
    fn give_back(&mut self, index: u32) {
        let length = self.tables.file(index, OpenWord::Length);
        self.tables.keep_units(index, self.disk.units_of(length));
    }

    /// Reads or writes bytes that lie in the units of an open file.
    fn transfer(
        &mut self,
        index: u32,
        at: u32,
        mut transfer: Transfer<'_>,
    ) -> Result<(), FlatError<M::Error>> {
        let total = match &transfer {
            Transfer::Read(out) => out.len() as u64,
            Transfer::Write(data) => data.len() as u64,
            Transfer::Zeros(bytes) => u64::from(*bytes),
        };
        let (unit, mut skipped, mut done) = (u64::from(self.disk.shape.unit_bytes), 0, 0);
        for number in 0..self.tables.file(index, OpenWord::Extents) {
            if done == total {
                break;
            }
            let extent = self.tables.extent(index, number);
            let bytes = u64::from(extent.units) * unit;
            let from = u64::from(at) + done;
            if from < skipped + bytes {
                let place = self.disk.unit_at(extent.first) + from - skipped;
                let count = (skipped + bytes - from).min(total - done);
                let range = done as usize..(done + count) as usize;
                match &mut transfer {
                    Transfer::Read(out) => self.disk.memory.read(place, &mut out[range])?,
                    Transfer::Write(data) => self.disk.write(place, &data[range])?,
                    Transfer::Zeros(_) => self.disk.write_zeros(place, count)?,
                }
                done += count;
            }
            skipped += bytes;
        }
        Ok(())
    }

    /// Puts a length in force. Where the extents are not those of the record, a new record does it. Else the length itself
    /// does where an atom holds it, and one byte that chooses between two lengths where none does.
    fn set_length(&mut self, index: u32, length: u32) -> Result<(), FlatError<M::Error>> {
        let flags = self.tables.file(index, OpenWord::Flags);
        let slot = self.tables.file(index, OpenWord::Slot) - 1;
        if flags & STALE != 0 {
            let old = self.disk.load(slot)?;
            let mut record = old.clone();
            record.set_extents(self.tables.extents(index));
            record.length = length;
            self.put_in_force(&mut record, &[&old], 0)?;
            self.note_record(index, &record);
            return Ok(());
        }
        let low = u64::from(self.tables.file(index, OpenWord::SerialLow));
        let serial = low | u64::from(self.tables.file(index, OpenWord::SerialHigh)) << 32;
        let second = flags & SECOND != 0;
        let whole = self.disk.lands_lengths_whole();
        let in_place = whole || !self.keeps(FlatBarrier::IdleLength);
        if whole && self.keeps(FlatBarrier::PersistBeforeLength) {
            self.disk.persist()?;
        }
        self.disk
            .write_length(slot, serial, second ^ !in_place, length)?;
        if !in_place {
            if self.keeps(FlatBarrier::PersistBeforeLength) {
                self.disk.persist()?;
            }
            self.disk.set_state(slot, SlotState::with(!second))?;
            self.tables.set_file(index, OpenWord::Flags, flags ^ SECOND);
        }
        self.tables.set_file(index, OpenWord::Length, length);
        Ok(())
    }

    /// Makes a change of length to so many bytes possible: the length in force lasts, and there are units for the new one.
    fn make_room(&mut self, index: u32, bytes: u32) -> Result<(), FlatError<M::Error>> {
        let may_tear = self.disk.is_pending && !self.disk.lands_lengths_whole();
        if may_tear && self.keeps(FlatBarrier::PersistLength) {
            self.disk.persist()?;
        }
        let has = self.tables.file(index, OpenWord::Units);
        let needed = self.disk.units_of(bytes).saturating_sub(has);
        if needed == 0 || self.grow(index, needed) {
            return Ok(());
        }
        // What other files have reserved is theirs only as long as there is room.
        for other in 0..self.tables.open_files() {
            if other != index && self.tables.file(other, OpenWord::Slot) != 0 {
                self.give_back(other);
            }
        }
        match self.grow(index, needed) {
            true => Ok(()),
            false if self.tables.free_units < needed => Err(FlatError::NoSpace),
            false => Err(FlatError::Fragmented {
                extents: self.tables.extents_max(),
            }),
        }
    }

    /// Units that a file of so many takes in reserve.
    pub(crate) fn reserve(&self, has: u32) -> u32 {
        let least = self.disk.units_of(self.reserve_bytes);
        least.max(has / 2).min(self.tables.free_units / 8)
    }

    /// Gives an open file so many units more, and some in reserve: behind its last one as far as these are free, then
    /// elsewhere. Says whether it could.
    fn grow(&mut self, index: u32, needed: u32) -> bool {
        let has = self.tables.file(index, OpenWord::Units);
        if self.tables.free_units < needed {
            return false;
        }
        let wanted = needed.max(self.reserve(has));
        loop {
            let more = self.tables.file(index, OpenWord::Units) - has;
            if more >= needed {
                break;
            }
            let count = self.tables.file(index, OpenWord::Extents);
            let last = count
                .checked_sub(1)
                .map(|last| self.tables.extent(index, last));
            let behind = last.map(|last| {
                let first = last.first + last.units;
                let units = self.tables.free_from(first, wanted - more);
                Extent { first, units }
            });
            let run = match behind {
                Some(run) if run.units > 0 => run,
                _ if count < self.tables.extents_max() => self.tables.free_run(wanted - more),
                _ => Extent::default(),
            };
            if run.units == 0 {
                self.tables.keep_units(index, has);
                return false;
            }
            self.tables.add_units(index, run);
        }
        let flags = self.tables.file(index, OpenWord::Flags) | STALE;
        self.tables.set_file(index, OpenWord::Flags, flags);
        true
    }
}
