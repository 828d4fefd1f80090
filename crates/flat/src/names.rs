//! Directories and names.

use wordline_memory::ByteMemory;

use crate::files::SPARE_RECORDS;
use crate::path::{ROOT, directory_half, entry_word, parts};
use crate::record::{FlatRecord, NAME_BYTES_MAX};
use crate::tables::{CONTINUES, FREE};
use crate::{FlatEntry, FlatError, FlatFiles};

/// A directory that is being listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatDirectory {
    id: u64,
    next: u32,
}

/// Where a path leads to: a name in a directory.
pub(crate) struct FlatPlace<'a> {
    pub(crate) parent: u64,
    pub(crate) name: &'a str,
    /// The first directories on the way, as far as they are looked for.
    passes: bool,
}

impl<M: ByteMemory, R: AsMut<[u32]> + AsRef<[u32]>> FlatFiles<M, R> {
    /// The directory and the name of a path; `None` for the root.
    pub(crate) fn place<'a>(
        &mut self,
        path: &'a str,
    ) -> Result<Option<FlatPlace<'a>>, FlatError<M::Error>> {
        self.place_passing(path, ROOT)
    }

    /// The same, with whether the path leads through a directory.
    fn place_passing<'a>(
        &mut self,
        path: &'a str,
        through: u64,
    ) -> Result<Option<FlatPlace<'a>>, FlatError<M::Error>> {
        let mut place: Option<FlatPlace<'a>> = None;
        for name in parts(path)? {
            let (parent, passes) = match place {
                None => (ROOT, false),
                Some(above) => {
                    let record = self.find(above.parent, above.name)?;
                    let record = record.ok_or(FlatError::NotFound)?;
                    if !record.is_dir {
                        return Err(FlatError::NotADirectory);
                    }
                    (record.id, above.passes || record.id == through)
                }
            };
            place = Some(FlatPlace {
                parent,
                name,
                passes,
            });
        }
        Ok(place)
    }

    /// The record of a name in a directory.
    pub(crate) fn find(
        &mut self,
        parent: u64,
        name: &str,
    ) -> Result<Option<FlatRecord>, FlatError<M::Error>> {
        let word = entry_word(parent, name.as_bytes());
        let mut next = 0;
        while let Some(slot) = self.tables.slot_from(next, word) {
            let record = self.disk.load(slot)?;
            if record.parent == parent && record.name() == name.as_bytes() {
                return Ok(Some(record));
            }
            next = slot + 1;
        }
        Ok(None)
    }

    /// The first record from a slot on that lies in a directory.
    fn child(&mut self, parent: u64, from: u32) -> Result<Option<FlatRecord>, FlatError<M::Error>> {
        let half = directory_half(parent);
        for slot in from..self.tables.records() {
            let word = self.tables.slot(slot);
            if !matches!(word, FREE | CONTINUES) && word & 0xFFFF_0000 == half {
                let record = self.disk.load(slot)?;
                if record.parent == parent {
                    return Ok(Some(record));
                }
            }
        }
        Ok(None)
    }

    /// Makes an empty file or directory. The record of a file names units in reserve, so that its first bytes need no other
    /// record.
    pub(crate) fn create(
        &mut self,
        is_dir: bool,
        place: &FlatPlace<'_>,
    ) -> Result<FlatRecord, FlatError<M::Error>> {
        let mut record = FlatRecord::new(is_dir, place.parent, place.name);
        let reserve = if is_dir { 0 } else { self.reserve(0) };
        let run = self.tables.free_run(reserve);
        record.set_extents(Some(run).filter(|run| run.units > 0).into_iter());
        self.put_in_force(&mut record, &[], SPARE_RECORDS)?;
        Ok(record)
    }

    /// Makes a directory. It lasts when this returns.
    ///
    /// # Errors
    /// [`FlatError::BadName`], [`FlatError::NotFound`] where there is no directory above it,
    /// [`FlatError::NotADirectory`], [`FlatError::Exists`], [`FlatError::NoRecords`], [`FlatError::Corrupt`], or the memory
    /// fails.
    pub fn make_directory(&mut self, path: &str) -> Result<(), FlatError<M::Error>> {
        let place = self.place(path)?.ok_or(FlatError::Exists)?;
        match self.find(place.parent, place.name)? {
            Some(_) => Err(FlatError::Exists),
            None => self.create(true, &place).map(drop),
        }
    }

    /// Removes a file, or a directory that is empty. It lasts when this returns.
    ///
    /// # Errors
    /// [`FlatError::NotFound`], [`FlatError::NotEmpty`], [`FlatError::Busy`], or as
    /// [`make_directory`](Self::make_directory).
    pub fn remove(&mut self, path: &str) -> Result<(), FlatError<M::Error>> {
        let place = self.place(path)?.ok_or(FlatError::Busy)?;
        let record = self.find(place.parent, place.name)?;
        let record = record.ok_or(FlatError::NotFound)?;
        self.check_idle(&record)?;
        self.kill(&[&record])?;
        self.give_units(&record);
        Ok(())
    }

    /// Checks that a record may die.
    fn check_idle(&mut self, record: &FlatRecord) -> Result<(), FlatError<M::Error>> {
        if self.opened(record).is_some() {
            return Err(FlatError::Busy);
        }
        if record.is_dir && self.child(record.id, 0)?.is_some() {
            return Err(FlatError::NotEmpty);
        }
        Ok(())
    }

    /// Gives back the units of a record that is dead.
    fn give_units(&mut self, record: &FlatRecord) {
        let units = self.covered_units(record);
        for extent in record.covered(units) {
            self.tables.give(extent);
        }
    }

    /// Gives a file or directory another name, in another directory where the path says so. A file takes the place of a
    /// file, a directory that of an empty one. It is done or not done, and lasts when this returns. A file may be open.
    ///
    /// # Errors
    /// [`FlatError::NotFound`], [`FlatError::IsADirectory`] and [`FlatError::NotADirectory`] where the two differ,
    /// [`FlatError::NotEmpty`], [`FlatError::IntoItself`], [`FlatError::Busy`] where what is replaced is open, or as
    /// [`make_directory`](Self::make_directory).
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), FlatError<M::Error>> {
        let place = self.place(from)?.ok_or(FlatError::IntoItself)?;
        let old = self.find(place.parent, place.name)?;
        let old = old.ok_or(FlatError::NotFound)?;
        let through = if old.is_dir { old.id } else { ROOT };
        let place = self.place_passing(to, through)?;
        let place = place.ok_or(FlatError::NotEmpty)?;
        if place.passes {
            return Err(FlatError::IntoItself);
        }
        let target = self.find(place.parent, place.name)?;
        if let Some(target) = &target {
            match (old.is_dir, target.is_dir) {
                _ if target.slots()[0] == old.slots()[0] => return Ok(()),
                (false, true) => return Err(FlatError::IsADirectory),
                (true, false) => return Err(FlatError::NotADirectory),
                _ => self.check_idle(target)?,
            }
        }
        let mut record = old.clone();
        record.rename(place.parent, place.name);
        let gives = old.slots_needed() as u32;
        let spare = SPARE_RECORDS.saturating_sub(gives);
        match &target {
            Some(target) => self.put_in_force(&mut record, &[&old, target], spare)?,
            None => self.put_in_force(&mut record, &[&old], spare)?,
        }
        if let Some(index) = self.opened(&old) {
            self.follow(index, &record);
        }
        if let Some(target) = &target {
            self.give_units(target);
        }
        Ok(())
    }

    /// What is at a path.
    ///
    /// # Errors
    /// [`FlatError::NotFound`], [`FlatError::NotADirectory`], [`FlatError::BadName`], [`FlatError::Corrupt`], or the memory
    /// fails.
    pub fn entry(&mut self, path: &str) -> Result<FlatEntry, FlatError<M::Error>> {
        let Some(place) = self.place(path)? else {
            return Ok(FlatEntry {
                is_directory: true,
                bytes: 0,
            });
        };
        let record = self.find(place.parent, place.name)?;
        record
            .map(|record| FlatEntry::of(&record))
            .ok_or(FlatError::NotFound)
    }

    /// Begins to list a directory, which may not change meanwhile.
    ///
    /// # Errors
    /// As [`entry`](Self::entry).
    pub fn open_directory(&mut self, path: &str) -> Result<FlatDirectory, FlatError<M::Error>> {
        let id = match self.place(path)? {
            None => ROOT,
            Some(place) => {
                let record = self.find(place.parent, place.name)?;
                let record = record.ok_or(FlatError::NotFound)?;
                if !record.is_dir {
                    return Err(FlatError::NotADirectory);
                }
                record.id
            }
        };
        Ok(FlatDirectory { id, next: 0 })
    }

    /// The next entry of a directory, in the order of its records, with its name.
    ///
    /// # Errors
    /// [`FlatError::Corrupt`], or the memory fails.
    pub fn next_entry<'a>(
        &mut self,
        directory: &mut FlatDirectory,
        name: &'a mut [u8; NAME_BYTES_MAX],
    ) -> Result<Option<(&'a str, FlatEntry)>, FlatError<M::Error>> {
        let Some(record) = self.child(directory.id, directory.next)? else {
            return Ok(None);
        };
        let slot = record.slots()[0];
        directory.next = slot + 1;
        let bytes = record.name();
        let name = &mut name[..bytes.len()];
        name.copy_from_slice(bytes);
        let name = core::str::from_utf8(name).map_err(|_| FlatError::Corrupt { slot })?;
        Ok(Some((name, FlatEntry::of(&record))))
    }
}
