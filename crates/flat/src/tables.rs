//! What the files keep in the caller's RAM, in words of 32 bits: a bit for each unit, a word for each slot of the records,
//! and the open files.

use crate::record::Extent;
use crate::shape::{FlatShape, FlatUse};

/// Words of an open file besides its extents.
pub(crate) const FILE_WORDS: usize = 8;

/// A slot that is free, and one that continues a record. All other words are of heads, and tell their names apart.
pub(crate) const FREE: u32 = 0;
pub(crate) const CONTINUES: u32 = 1;

/// Words that are compared together.
const GROUP_WORDS: usize = 16;

/// A word of an open file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpenWord {
    /// The slot of its head plus 1; 0 where nothing is open here.
    Slot,
    /// 1 where the second length is in force, 2 where the extents are not those of the record.
    Flags,
    Length,
    Extents,
    /// Units of all extents.
    Units,
    /// Counts the files that were open here.
    Generation,
    SerialLow,
    SerialHigh,
}

pub(crate) const SECOND: u32 = 1;
pub(crate) const STALE: u32 = 2;

/// The RAM, and where each part begins.
#[derive(Debug)]
pub(crate) struct FlatTables<R> {
    ram: R,
    units: u32,
    records: u32,
    open_files: u32,
    extents: u32,
    pub(crate) free_units: u32,
    pub(crate) free_records: u32,
    /// Where the next search for a free slot begins.
    next_slot: u32,
}

impl<R: AsMut<[u32]> + AsRef<[u32]>> FlatTables<R> {
    /// All units and slots free, and no file open. The RAM is long enough.
    pub(crate) fn new(mut ram: R, shape: &FlatShape, of_use: &FlatUse) -> Self {
        ram.as_mut().fill(0);
        Self {
            ram,
            units: shape.units(),
            records: shape.records,
            open_files: of_use.open_files,
            extents: shape.extents,
            free_units: shape.units(),
            free_records: shape.records,
            next_slot: 0,
        }
    }

    pub(crate) const fn records(&self) -> u32 {
        self.records
    }

    pub(crate) const fn units(&self) -> u32 {
        self.units
    }

    pub(crate) const fn open_files(&self) -> u32 {
        self.open_files
    }

    pub(crate) const fn extents_max(&self) -> u32 {
        self.extents
    }

    fn names_at(&self) -> usize {
        self.units.div_ceil(32) as usize
    }

    /// What a slot is in use for.
    pub(crate) fn slot(&self, slot: u32) -> u32 {
        self.ram.as_ref()[self.names_at() + slot as usize]
    }

    pub(crate) fn set_slot(&mut self, slot: u32, word: u32) {
        let at = self.names_at() + slot as usize;
        let old = core::mem::replace(&mut self.ram.as_mut()[at], word);
        self.free_records += u32::from(word == FREE);
        self.free_records -= u32::from(old == FREE);
    }

    /// The first slot from one on that is in use for this. Most names that are looked for are not there, so that the words
    /// are compared in groups, without a branch for each.
    pub(crate) fn slot_from(&self, first: u32, word: u32) -> Option<u32> {
        let words = &self.ram.as_ref()[self.names_at()..][..self.records as usize];
        let words = &words[first as usize..];
        let is_in = |group: &[u32]| group.iter().fold(false, |is, other| is | (*other == word));
        let (groups, _) = words.as_chunks::<GROUP_WORDS>();
        let before = groups.iter().position(|group| is_in(group));
        let before = before.unwrap_or(groups.len()) * GROUP_WORDS;
        let within = words[before..].iter().position(|other| *other == word)?;
        Some(first + (before + within) as u32)
    }

    /// A slot that is free, the last one that was handed out coming up again last.
    pub(crate) fn free_slot(&mut self) -> Option<u32> {
        let found = self.slot_from(self.next_slot, FREE);
        let found = found.or_else(|| self.slot_from(0, FREE))?;
        self.next_slot = (found + 1) % self.records;
        Some(found)
    }

    fn word_of(&self, unit: u32) -> u32 {
        self.ram.as_ref()[(unit / 32) as usize]
    }

    pub(crate) fn is_free(&self, unit: u32) -> bool {
        unit < self.units && self.word_of(unit) >> (unit % 32) & 1 == 0
    }

    /// Takes units; says whether all were free.
    pub(crate) fn take(&mut self, extent: Extent) -> bool {
        let mut all_free = true;
        for unit in extent.first..extent.first + extent.units {
            all_free &= self.is_free(unit);
            self.free_units -= u32::from(self.is_free(unit));
            self.ram.as_mut()[(unit / 32) as usize] |= 1 << (unit % 32);
        }
        all_free
    }

    /// Gives units back.
    pub(crate) fn give(&mut self, extent: Extent) {
        for unit in extent.first..extent.first + extent.units {
            self.free_units += u32::from(!self.is_free(unit));
            self.ram.as_mut()[(unit / 32) as usize] &= !(1 << (unit % 32));
        }
    }

    /// How many units from one on are free, of so many.
    pub(crate) fn free_from(&self, first: u32, most: u32) -> u32 {
        let end = self.units.min(first.saturating_add(most));
        let taken = (first..end).find(|unit| !self.is_free(*unit));
        taken.unwrap_or(end).saturating_sub(first)
    }

    /// The first run of so many free units, or the longest one there is: one pass over all units.
    pub(crate) fn free_run(&self, wanted: u32) -> Extent {
        let (mut best, mut unit) = (Extent::default(), 0);
        while unit < self.units {
            if unit % 32 == 0 && self.word_of(unit) == u32::MAX {
                unit += 32;
                continue;
            }
            let units = self.free_from(unit, wanted);
            if units > best.units {
                best = Extent { first: unit, units };
            }
            if units == wanted {
                break;
            }
            unit += units + 1;
        }
        best
    }

    fn file_at(&self, file: u32) -> usize {
        let words = FILE_WORDS + 2 * self.extents as usize;
        self.names_at() + self.records as usize + file as usize * words
    }

    pub(crate) fn file(&self, file: u32, word: OpenWord) -> u32 {
        self.ram.as_ref()[self.file_at(file) + word as usize]
    }

    pub(crate) fn set_file(&mut self, file: u32, word: OpenWord, value: u32) {
        let at = self.file_at(file) + word as usize;
        self.ram.as_mut()[at] = value;
    }

    pub(crate) fn extent(&self, file: u32, number: u32) -> Extent {
        let at = self.file_at(file) + FILE_WORDS + 2 * number as usize;
        let ram = self.ram.as_ref();
        Extent {
            first: ram[at],
            units: ram[at + 1],
        }
    }

    pub(crate) fn set_extent(&mut self, file: u32, number: u32, extent: Extent) {
        let at = self.file_at(file) + FILE_WORDS + 2 * number as usize;
        self.ram.as_mut()[at] = extent.first;
        self.ram.as_mut()[at + 1] = extent.units;
    }

    /// The extents of an open file.
    pub(crate) fn extents(&self, file: u32) -> impl Iterator<Item = Extent> {
        let count = self.file(file, OpenWord::Extents);
        (0..count).map(move |number| self.extent(file, number))
    }

    /// Adds free units behind the last of an open file, which has room for them in its list.
    pub(crate) fn add_units(&mut self, file: u32, extent: Extent) {
        self.take(extent);
        let count = self.file(file, OpenWord::Extents);
        let last = count.checked_sub(1).map(|last| self.extent(file, last));
        match last {
            Some(last) if last.first + last.units == extent.first => {
                let units = last.units + extent.units;
                let first = last.first;
                self.set_extent(file, count - 1, Extent { first, units });
            }
            _ => {
                self.set_extent(file, count, extent);
                self.set_file(file, OpenWord::Extents, count + 1);
            }
        }
        let units = self.file(file, OpenWord::Units) + extent.units;
        self.set_file(file, OpenWord::Units, units);
    }

    /// Leaves an open file so many units, and gives the others back.
    pub(crate) fn keep_units(&mut self, file: u32, units: u32) {
        while self.file(file, OpenWord::Units) > units {
            let over = self.file(file, OpenWord::Units) - units;
            let number = self.file(file, OpenWord::Extents) - 1;
            let mut last = self.extent(file, number);
            let given = over.min(last.units);
            last.units -= given;
            self.give(Extent {
                first: last.first + last.units,
                units: given,
            });
            self.set_extent(file, number, last);
            if last.units == 0 {
                self.set_file(file, OpenWord::Extents, number);
            }
            let left = self.file(file, OpenWord::Units) - given;
            self.set_file(file, OpenWord::Units, left);
        }
    }
}
