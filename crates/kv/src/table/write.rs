//! Puts and removes: what is written, and in which order.

use wordline_memory::ByteMemory;

use super::short::{Seen, Short};
use super::{Table, TableSearch, check_key, keeps, next_version};
use crate::Error;
use crate::barrier::StoreBarrier;
use crate::directory::{Directory, TAKEN, free_slot};
use crate::hash::Hash;
use crate::layout::{SLOTS_PER_BUCKET, VALUE_BYTES_MAX};
use crate::short_form::LONGEST_OF_SHORT;
use crate::slot::{DEAD, Head, LINK_BYTES, NONE, Record, copy_payload, link};

/// What a put did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The key is new.
    Inserted,
    /// The key has another value now.
    Updated,
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// Gives a key a value, whether or not it has one.
    ///
    /// A new key leaves one slot free, so that a record of one slot can always be updated.
    ///
    /// # Errors
    /// [`Error::NoRoom`], [`Error::EmptyKey`], [`Error::KeyTooLong`], [`Error::ValueTooLong`], and [`Error::Corrupt`]
    /// where the record that it replaces is damaged: nothing changed. Or the memory's own.
    // Where it is called with keys and values of fixed lengths, the short way is for these alone.
    #[inline(always)]
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<Put, Error<M::Error>> {
        check_key(key)?;
        let (hash, mut seen) = (self.hash(key), Seen::default());
        let mut old = [0; LONGEST_OF_SHORT];
        let short = self.short(hash, key, &mut old, value.len(), &mut seen)?;
        if let Some(old) = &short
            && self.replace_short(old, key, value)?
        {
            return Ok(Put::Updated);
        }
        self.put_found(hash, key, value, short, &seen)
    }

    /// Any other put, with what the short way came to.
    #[inline(never)]
    fn put_found(
        &mut self,
        hash: Hash,
        key: &[u8],
        value: &[u8],
        short: Option<Short>,
        seen: &Seen,
    ) -> Result<Put, Error<M::Error>> {
        if value.len() > VALUE_BYTES_MAX {
            return Err(Error::ValueTooLong { bytes: value.len() });
        }
        let found = match short {
            Some(short) => TableSearch {
                record: Some(self.record_of(&short)),
                vacant: short.vacant(),
            },
            None => self.find(hash, key, seen, None)?,
        };
        let needed = self.geometry.slots_of(key.len(), value.len());
        let kept = u32::from(found.record.is_none());
        let free = self.free.saturating_sub(kept);
        if needed > free {
            return Err(Error::NoRoom {
                needed: u64::from(needed),
                free: u64::from(free),
            });
        }
        let version = match &found.record {
            Some(old) => next_version(old.head.version, self.lacking),
            None => 0,
        };
        let slot = match found.vacant {
            Some(slot) => slot,
            None => self.vacant(hash)?,
        };
        let mut head = Head::new(&self.geometry, version, key.len(), value.len());
        head.check = head.begin_check(slot).with(key).with(value).value();
        self.mark(slot, self.directory.mark(hash.tag()))?;
        self.pass(hash, slot, true)?;
        self.free -= 1;
        self.records += 1;
        if !head.is_single() {
            head.next = self.write_continuations(slot, head.first(), key, value)?;
        }
        if let Some(old) = found
            .record
            .filter(|_| !self.keeps(StoreBarrier::NewBeforeOld))
        {
            self.kill(&old, hash, true)?;
            self.write_head(slot, &head, key, value)?;
            return Ok(Put::Updated);
        }
        self.write_head(slot, &head, key, value)?;
        let Some(old) = found.record else {
            return Ok(Put::Inserted);
        };
        // Without this persist the slot could come to be written again while its old record is still there.
        let lasts = self.keeps(StoreBarrier::PersistOld);
        self.kill(&old, hash, lasts)?;
        Ok(Put::Updated)
    }

    /// Removes a key and its value; returns whether there was one.
    ///
    /// # Errors
    /// [`Error::EmptyKey`], [`Error::KeyTooLong`], [`Error::Corrupt`] where the record is damaged (nothing changed then),
    /// or the memory's own.
    pub fn remove(&mut self, key: &[u8]) -> Result<bool, Error<M::Error>> {
        check_key(key)?;
        let hash = self.hash(key);
        let Some(record) = self.find(hash, key, &Seen::default(), None)?.record else {
            return Ok(false);
        };
        let lasts = self.keeps(StoreBarrier::PersistDelete);
        self.kill(&record, hash, lasts)?;
        Ok(true)
    }

    /// Ends a record for good, and gives its slots back.
    fn kill(&mut self, record: &Record, hash: Hash, lasts: bool) -> Result<(), Error<M::Error>> {
        self.write_dead(record.slot, lasts)?;
        self.release(record, hash)
    }

    /// Writes that a slot holds nothing.
    #[inline(always)]
    pub(super) fn write_dead(&mut self, slot: u32, lasts: bool) -> Result<(), M::Error> {
        let commit = commit_bytes(&self.memory);
        self.memory.write(self.at(slot), &[DEAD, 0][..commit])?;
        if lasts { self.memory.persist() } else { Ok(()) }
    }

    /// Writes a head with what of the record lies in its slot.
    fn write_head(
        &mut self,
        slot: u32,
        head: &Head,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), Error<M::Error>> {
        let at = self.at(slot);
        let bytes = self.scratch.as_mut();
        let length = head.compose(key, value, bytes);
        commit(&mut self.memory, at, &bytes[..length], self.lacking)?;
        Ok(())
    }

    /// Writes the payload that does not fit the head's slot, from its end on; returns the first slot of it.
    fn write_continuations(
        &mut self,
        head: u32,
        first: usize,
        key: &[u8],
        value: &[u8],
    ) -> Result<u32, Error<M::Error>> {
        let room = self.geometry.slot_bytes as usize - LINK_BYTES;
        let mut end = key.len() + value.len();
        let mut next = NONE;
        while end > first {
            let from = first + (end - first - 1) / room * room;
            let slot = self.take_any()?;
            let at = self.at(slot);
            let bytes = &mut self.scratch.as_mut()[..LINK_BYTES + end - from];
            bytes[..LINK_BYTES].copy_from_slice(&link(head, next));
            copy_payload(key, value, from, &mut bytes[LINK_BYTES..]);
            self.memory.write(at, bytes)?;
            (next, end) = (slot, from);
        }
        Ok(next)
    }

    /// Takes any free slot, of which there is one.
    fn take_any(&mut self) -> Result<u32, Error<M::Error>> {
        let mut bucket = self.cursor;
        for _ in 0..self.geometry.buckets {
            for part in 0..self.directory.parts() {
                let lanes = self.directory.part(&mut self.memory, bucket, part)?;
                if let Some(slot) = free_slot(bucket, lanes, 0) {
                    self.mark(slot, TAKEN)?;
                    self.free -= 1;
                    self.cursor = bucket;
                    return Ok(slot);
                }
            }
            bucket = self.bucket_after(bucket);
        }
        Err(self.full())
    }

    /// The free slot that is nearest to where a key belongs.
    pub(super) fn vacant(&mut self, hash: Hash) -> Result<u32, Error<M::Error>> {
        let mut bucket = hash.bucket(self.geometry.buckets);
        for _ in 0..self.geometry.buckets {
            for part in 0..self.directory.parts() {
                let lanes = self.directory.part(&mut self.memory, bucket, part)?;
                if let Some(slot) = free_slot(bucket, lanes, hash.lane(SLOTS_PER_BUCKET)) {
                    return Ok(slot);
                }
            }
            bucket = self.bucket_after(bucket);
        }
        Err(self.full())
    }

    /// For a count of free slots that the directory does not bear out, such as after an error of the memory.
    const fn full(&self) -> Error<M::Error> {
        Error::NoRoom { needed: 1, free: 0 }
    }
}

/// Bytes of a slot by which it lives or dies: never more than the memory leaves whole, and two at most, one word of a
/// 16-bit bus.
#[inline]
fn commit_bytes<M: ByteMemory>(memory: &M) -> usize {
    memory.atom().clamp(1, 2)
}

/// Writes a slot: first all but its state, then, once that lasts, the state.
#[inline(always)]
pub(super) fn commit<M: ByteMemory>(
    memory: &mut M,
    at: u64,
    slot: &[u8],
    lacking: Option<StoreBarrier>,
) -> Result<(), M::Error> {
    let (state, rest) = slot.split_at(commit_bytes(memory));
    let after = at + state.len() as u64;
    if !keeps(lacking, StoreBarrier::CommitLast) {
        memory.write(at, state)?;
        memory.persist()?;
        memory.write(after, rest)?;
        return memory.persist();
    }
    memory.write(after, rest)?;
    if keeps(lacking, StoreBarrier::PersistRecord) {
        memory.persist()?;
    }
    memory.write(at, state)?;
    if keeps(lacking, StoreBarrier::PersistCommit) {
        memory.persist()?;
    }
    Ok(())
}
