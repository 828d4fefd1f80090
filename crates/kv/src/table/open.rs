//! Opening: one pass over all slots, which finds the records and removes what a power cut left.

use wordline_memory::ByteMemory;

use super::body::Body;
use super::damage::Nameless;
use super::{Table, keeps};
use crate::Error;
use crate::barrier::StoreBarrier;
use crate::checksum::Residue;
use crate::directory::{Directory, FREE, Lanes, TAKEN, count, first_slot, slots_with};
use crate::hash::{Hash, Hasher, hash};
use crate::layout::Geometry;
use crate::proof::{SlotFault, fault_of};
use crate::slot::{Head, Record, SlotContent, inspect};

/// What opening a table found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Whether a power cut had spoilt a word in the middle of a commit, which is proven. It was removed.
    pub torn: bool,
    /// Whether there were two versions of a record. The older one was removed.
    pub superseded: bool,
    /// Records with a wrong bit, or with up to three in their state, which are read as what they were.
    pub mended: u32,
    /// Records of several slots whose later slots are known to be damaged: reading one is [`Error::Corrupt`]. Where the
    /// damage may be in the key, so is a search for any key that begins like it.
    pub damaged: u32,
}

/// Slots without a valid record that opening came to.
#[derive(Clone, Copy, Debug, Default)]
struct FirstLook {
    torn: Option<u32>,
    damaged: Option<u32>,
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Opens a table that [`format`](crate::format) made, and mends what a power cut left.
    ///
    /// It reads every slot once, one scratch buffer but one slot at a time, and of a record of several slots the links
    /// once more; it writes at most one word for each of the two things that [`Recovery`] names, once all slots were
    /// judged: a table that is not opened holds what it held, but for a directory in its memory. A longer `scratch` takes
    /// fewer accesses; it has at least [`Geometry::scratch_bytes`].
    ///
    /// # Errors
    /// [`Error::Foreign`], [`Error::Version`], [`Error::Truncated`], [`Error::BadHeader`], [`Error::Atom`],
    /// [`Error::Directory`], [`Error::NoDirectory`], [`Error::Scratch`]; [`Error::Corrupt`] where more is damaged than a
    /// power cut and a few bits explain; or the memory's own.
    pub fn open(memory: M, directory: D, scratch: S) -> Result<Self, Error<M::Error>> {
        Self::open_lacking(memory, directory, scratch, None)
    }

    /// The same without one of its barriers.
    pub(crate) fn open_lacking(
        mut memory: M,
        mut directory: D,
        mut scratch: S,
        lacking: Option<StoreBarrier>,
    ) -> Result<Self, Error<M::Error>> {
        let geometry = Geometry::read(&mut memory)?;
        let needed = geometry.scratch_bytes();
        let bytes = scratch.as_mut().len();
        if bytes < needed {
            return Err(Error::Scratch { needed, bytes });
        }
        directory.attach(&mut memory, &geometry)?;
        let mut table = Self {
            memory,
            directory,
            scratch,
            geometry,
            slots_at: geometry.at(0),
            free: geometry.slots(),
            records: 0,
            cursor: 0,
            recovery: Recovery::default(),
            nameless: Nameless::default(),
            older: None,
            lacking,
        };
        table.scan()?;
        Ok(table)
    }

    fn scan(&mut self) -> Result<(), Error<M::Error>> {
        let bytes = self.geometry.slot_bytes as usize;
        let slots = self.geometry.slots();
        // One slot's worth stays behind, for a second look at other slots.
        let step = (self.scratch.as_mut().len() / bytes - 1).min(slots as usize) as u32;
        let mut found = FirstLook::default();
        for first in (0..slots).step_by(step as usize) {
            let count = step.min(slots - first);
            let at = self.at(first);
            let window = &mut self.scratch.as_mut()[bytes..][..count as usize * bytes];
            self.memory.read(at, window)?;
            for place in 0..count {
                self.scan_slot(first + place, place as usize, &mut found)?;
            }
        }
        // A slot that a record turned out to go on in is that record's, damaged or not. Up to here nothing was written but
        // the directory.
        if let Some(slot) = found.damaged
            && !self.nameless.is_link(slot)
        {
            return Err(Error::Corrupt { slot });
        }
        if let Some(slot) = self.older.take() {
            self.recovery.superseded = true;
            if self.keeps(StoreBarrier::RemoveOlder) {
                self.write_dead(slot, true)?;
            }
        }
        if let Some(slot) = found.torn
            && self.marked(slot)? == FREE
        {
            self.recovery.torn = true;
            if self.keeps(StoreBarrier::RemoveTorn) {
                self.write_dead(slot, true)?;
            }
        }
        Ok(())
    }

    /// Judges the slot at a place of the window.
    fn scan_slot(
        &mut self,
        slot: u32,
        place: usize,
        found: &mut FirstLook,
    ) -> Result<(), Error<M::Error>> {
        let bytes = self.geometry.slot_bytes as usize;
        let lacking = self.lacking;
        let window = &mut self.scratch.as_mut()[bytes..][place * bytes..][..bytes];
        let record = match judged(window, slot, &self.geometry, lacking) {
            SlotContent::Dead | SlotContent::Continuation => return Ok(()),
            SlotContent::Unknown => {
                let fault = match keeps(lacking, StoreBarrier::MendBit) {
                    true => fault_of(window, slot, &self.geometry, self.memory.atom()),
                    false => SlotFault::Torn,
                };
                let place = match fault {
                    SlotFault::Torn => &mut found.torn,
                    SlotFault::Damaged => &mut found.damaged,
                };
                // One commit is cut at a time: a second one was not torn but damaged.
                return match place.replace(slot) {
                    Some(_) => Err(Error::Corrupt { slot }),
                    None => Ok(()),
                };
            }
            SlotContent::Live(record) => record,
        };
        let head = &record.head;
        let in_slot = window.get(head.body..head.end.min(head.body + head.key));
        let whole = in_slot.filter(|key| key.len() == head.key && record.flip.is_none());
        let hash = match whole {
            Some(key) => hash(self.geometry.seed, key),
            None => match self.hash_of(&record) {
                Err(Error::Corrupt { .. }) => return self.admit_nameless(&record),
                hash => hash?,
            },
        };
        self.recovery.mended += u32::from(record.flip.is_some());
        self.admit(record, hash)
    }

    /// The hash of a key that is read from the memory. Where it lies in several slots, the whole record is checked:
    /// the slot's own check knows nothing of the others, and a key with a wrong bit would never be found.
    pub(super) fn hash_of(&mut self, record: &Record) -> Result<Hash, Error<M::Error>> {
        let mut hasher = Hasher::new(self.geometry.seed, record.head.key);
        let mut check = record.head.begin_check(record.slot);
        let mut body = Body::of(record);
        let mut buffer = [0; 64];
        let mut left = record.head.key;
        while left > 0 {
            let part = &mut buffer[..left.min(64)];
            self.read_body(record, &mut body, part)?;
            (hasher, check) = (hasher.with(part), check.with(part));
            left -= part.len();
        }
        let is_proven =
            record.head.key <= record.head.first() || self.is_value_proven(record, body, check)?;
        if is_proven || !self.keeps(StoreBarrier::RecordCheck) {
            Ok(hasher.finish())
        } else {
            Err(Error::Corrupt { slot: record.slot })
        }
    }

    fn is_value_proven(
        &mut self,
        record: &Record,
        mut body: Body,
        mut check: Residue,
    ) -> Result<bool, Error<M::Error>> {
        let mut buffer = [0; 64];
        let mut left = record.head.value;
        while left > 0 {
            let part = &mut buffer[..left.min(64)];
            self.read_body(record, &mut body, part)?;
            check = check.with(part);
            left -= part.len();
        }
        Ok(check.value() == record.head.check)
    }

    /// Takes a record into the directory, or the newer one of two.
    fn admit(&mut self, record: Record, hash: Hash) -> Result<(), Error<M::Error>> {
        if let Some(other) = self.same_key(&record, hash)? {
            let ahead = record.head.version.wrapping_sub(other.head.version) % 4;
            let is_newer = match ahead {
                1 => true,
                3 => false,
                _ => return Err(Error::Corrupt { slot: record.slot }),
            };
            // It dies once all slots were judged. One put is cut at a time.
            let older = if is_newer { other.slot } else { record.slot };
            if self.older.replace(older).is_some() {
                return Err(Error::Corrupt { slot: record.slot });
            }
            if !is_newer {
                return Ok(());
            }
            self.release(&other, hash)?;
        }
        if self.marked(record.slot)? != FREE {
            return Err(Error::Corrupt { slot: record.slot });
        }
        self.mark(record.slot, self.directory.mark(hash.tag()))?;
        self.pass(hash, record.slot, true)?;
        self.free -= 1;
        self.records += 1;
        if self.keeps(StoreBarrier::TakeContinuations) && !self.take_continuations(&record)? {
            self.recovery.damaged += 1;
        }
        Ok(())
    }

    /// Takes the slots that continue a record; returns whether all links are sound.
    pub(super) fn take_continuations(&mut self, record: &Record) -> Result<bool, Error<M::Error>> {
        let mut next = record.head.next;
        for _ in 1..self.geometry.slots_of(record.head.key, record.head.value) {
            let after = match self.link_of(record, next) {
                Ok(after) => after,
                Err(Error::Corrupt { .. }) => {
                    self.nameless.add_link(next);
                    return Ok(false);
                }
                Err(error) => return Err(error),
            };
            if self.marked(next)? != FREE {
                return Err(Error::Corrupt { slot: next });
            }
            self.mark(next, TAKEN)?;
            self.free -= 1;
            next = after;
        }
        Ok(true)
    }

    /// A record of the same key that was found before.
    fn same_key(&mut self, record: &Record, hash: Hash) -> Result<Option<Record>, Error<M::Error>> {
        let mark = self.directory.mark(hash.tag());
        let mut bucket = hash.bucket(self.geometry.buckets);
        for _ in 0..self.geometry.buckets {
            let mut lanes = Lanes::default();
            for part in 0..self.directory.parts() {
                lanes = self.directory.part(&mut self.memory, bucket, part)?;
                let mut found = slots_with(lanes, mark);
                while found != 0 {
                    let slot = first_slot(bucket, found);
                    if let SlotContent::Live(other) = self.load(slot)?
                        && self.are_same(record, &other)?
                    {
                        return Ok(Some(other));
                    }
                    found &= found - 1;
                }
            }
            if count(lanes) == 0 {
                break;
            }
            bucket = self.bucket_after(bucket);
        }
        Ok(None)
    }

    fn are_same(&mut self, one: &Record, other: &Record) -> Result<bool, Error<M::Error>> {
        if one.head.key != other.head.key {
            return Ok(false);
        }
        let (mut left, mut body) = (one.head.key, Body::of(one));
        let mut body_of_other = Body::of(other);
        let (mut here, mut there) = ([0; 64], [0; 64]);
        while left > 0 {
            let part = left.min(64);
            self.read_body(one, &mut body, &mut here[..part])?;
            self.read_body(other, &mut body_of_other, &mut there[..part])?;
            if here[..part] != there[..part] {
                return Ok(false);
            }
            left -= part;
        }
        Ok(true)
    }
}

/// What a slot holds, to a table that may lack a barrier.
fn judged(
    bytes: &mut [u8],
    slot: u32,
    geometry: &Geometry,
    lacking: Option<StoreBarrier>,
) -> SlotContent {
    let unchecked =
        Head::parse(bytes, geometry).filter(|_| lacking == Some(StoreBarrier::SlotCheck));
    if let Some(head) = unchecked {
        return SlotContent::Live(Record {
            slot,
            head,
            flip: None,
        });
    }
    match inspect(bytes, slot, geometry) {
        SlotContent::Live(record)
            if record.flip.is_some() && lacking == Some(StoreBarrier::MendBit) =>
        {
            SlotContent::Unknown
        }
        content => content,
    }
}
