//! Puts and removes: what is written, and in which order.

use wordline_memory::ByteMemory;

use super::{Table, check_key};
use crate::Error;
use crate::barrier::Barrier;
use crate::directory::{Directory, FREE, TAKEN, first_slot, lanes_of, marks};
use crate::hash::Hash;
use crate::layout::VALUE_BYTES_MAX;
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
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<Put, Error<M::Error>> {
        check_key(key)?;
        if value.len() > VALUE_BYTES_MAX {
            return Err(Error::ValueTooLong { bytes: value.len() });
        }
        let hash = self.hash(key);
        let found = self.find(hash, key, None)?;
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
            Some(old) if self.keeps(Barrier::NextVersion) => (old.head.version + 1) % 4,
            Some(old) => old.head.version,
            None => 0,
        };
        let slot = self.vacant(hash, found.vacant)?;
        let mut head = Head::new(&self.geometry, version, key.len(), value.len());
        head.check = head.begin_check(slot).with(key).with(value).value();
        self.mark(slot, D::mark(hash.tag()))?;
        self.pass(hash, slot, true)?;
        self.free -= 1;
        self.records += 1;
        if !head.is_single() {
            head.next = self.write_continuations(slot, head.first(), key, value)?;
        }
        if let Some(old) = found.record.filter(|_| !self.keeps(Barrier::NewBeforeOld)) {
            self.kill(&old, hash, true)?;
            self.write_head(slot, &head, key, value)?;
            return Ok(Put::Updated);
        }
        self.write_head(slot, &head, key, value)?;
        let Some(old) = found.record else {
            return Ok(Put::Inserted);
        };
        // Without this persist the slot could come to be written again while its old record is still there.
        let lasts = self.keeps(Barrier::PersistOld);
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
        let Some(record) = self.find(hash, key, None)?.record else {
            return Ok(false);
        };
        let lasts = self.keeps(Barrier::PersistDelete);
        self.kill(&record, hash, lasts)?;
        Ok(true)
    }

    /// Bytes of a slot by which it lives or dies: never more than the memory leaves whole, and two at most, one word of
    /// a 16-bit bus.
    fn commit_bytes(&self) -> usize {
        self.memory.atom().clamp(1, 2)
    }

    /// Ends a record for good, and gives its slots back.
    fn kill(&mut self, record: &Record, hash: Hash, lasts: bool) -> Result<(), Error<M::Error>> {
        self.write_dead(record.slot, lasts)?;
        self.release(record, hash)
    }

    /// Writes that a slot holds nothing.
    pub(super) fn write_dead(&mut self, slot: u32, lasts: bool) -> Result<(), M::Error> {
        let commit = self.commit_bytes();
        self.memory
            .write(self.geometry.at(slot), &[DEAD, 0][..commit])?;
        if lasts { self.memory.persist() } else { Ok(()) }
    }

    /// Writes a head: first all but its state, then, once that lasts, the state.
    fn write_head(
        &mut self,
        slot: u32,
        head: &Head,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), Error<M::Error>> {
        let (at, commit) = (self.geometry.at(slot), self.commit_bytes());
        let lacking = self.lacking;
        let scratch = self.scratch.as_mut();
        let bytes = head.compose(key, value, scratch);
        let (state, rest) = scratch[..bytes].split_at(commit);
        if lacking == Some(Barrier::CommitLast) {
            self.memory.write(at, state)?;
            self.memory.persist()?;
            self.memory.write(at + commit as u64, rest)?;
            return Ok(self.memory.persist()?);
        }
        self.memory.write(at + commit as u64, rest)?;
        if lacking != Some(Barrier::PersistRecord) {
            self.memory.persist()?;
        }
        self.memory.write(at, state)?;
        if lacking != Some(Barrier::PersistCommit) {
            self.memory.persist()?;
        }
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
            let bytes = &mut self.scratch.as_mut()[..LINK_BYTES + end - from];
            bytes[..LINK_BYTES].copy_from_slice(&link(head, next));
            copy_payload(key, value, from, &mut bytes[LINK_BYTES..]);
            self.memory.write(self.geometry.at(slot), bytes)?;
            (next, end) = (slot, from);
        }
        Ok(next)
    }

    /// Takes any free slot, of which there is one.
    fn take_any(&mut self) -> Result<u32, Error<M::Error>> {
        let mut bucket = self.cursor;
        for _ in 0..self.geometry.buckets {
            for half in 0..2 {
                let lanes = self.directory.half(&mut self.memory, bucket, half)?;
                let free = lanes_of(lanes, FREE) & marks(half);
                if free != 0 {
                    let slot = first_slot(bucket, half, free);
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

    /// The free slot that is nearest to where a key belongs; `known` where a search has passed it.
    pub(super) fn vacant(
        &mut self,
        hash: Hash,
        known: Option<u32>,
    ) -> Result<u32, Error<M::Error>> {
        if let Some(slot) = known {
            return Ok(slot);
        }
        let mut bucket = hash.bucket(self.geometry.buckets);
        for _ in 0..self.geometry.buckets {
            for half in 0..2 {
                let lanes = self.directory.half(&mut self.memory, bucket, half)?;
                let free = lanes_of(lanes, FREE) & marks(half);
                if free != 0 {
                    return Ok(first_slot(bucket, half, free));
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
