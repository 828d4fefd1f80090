//! The common case, by the shortest way: a record of the short form in the first slot that a directory in RAM names.
//!
//! It does what a search and a put do, with the same accesses and the same checks, in a fraction of the instructions.
//! Whatever is not as expected is left to these, which go on with what was read.

use wordline_memory::ByteMemory;

use super::{Table, commit, next_version};
use crate::Error;
use crate::barrier::StoreBarrier;
use crate::directory::{Directory, FREE, next_lane, slots_with};
use crate::few::few;
use crate::hash::Hash;
use crate::layout::SLOTS_PER_BUCKET;
use crate::short_form::{HEAD_BYTES, ShortForm, ShortHead, fits};

/// The longest key that lies with a short head in the smallest slot, in bytes.
const KEY_BYTES: usize = 12;

/// The first bytes of a slot, read already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    slot: u32,
    length: usize,
    bytes: [u8; HEAD_BYTES + KEY_BYTES],
}

impl Seen {
    /// What is known of a slot.
    pub(super) fn of(&self, slot: u32) -> &[u8] {
        if self.slot == slot {
            &self.bytes[..self.length]
        } else {
            &[]
        }
    }
}

/// What the short way found, in the bucket where the key belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    bucket: u32,
    lane: u32,
    mark: u16,
    pub(super) head: ShortHead,
    /// Of a free slot of the bucket.
    vacant: Option<u32>,
}

impl Short {
    pub(super) const fn slot(&self) -> u32 {
        self.bucket * SLOTS_PER_BUCKET + self.lane
    }

    pub(super) fn vacant(&self) -> Option<u32> {
        self.vacant
            .map(|lane| self.bucket * SLOTS_PER_BUCKET + lane)
    }
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// The record of a key, its check proven and its value, which is likely to have so many bytes, copied to the start of
    /// `out`; `None` where the long way has to be gone, with what was `seen`.
    #[inline(always)]
    pub(super) fn short(
        &mut self,
        hash: Hash,
        key: &[u8],
        out: &mut [u8],
        likely: usize,
        seen: &mut Seen,
    ) -> Result<Option<Short>, Error<M::Error>> {
        if self.directory.parts() > 1 || key.len() > KEY_BYTES {
            return Ok(None);
        }
        let bucket = hash.bucket(self.geometry.buckets);
        let (mark, preferred) = (self.directory.mark(hash.tag()), hash.lane(SLOTS_PER_BUCKET));
        // A record that was updated lies in the slot that it prefers or in the next: both are fetched while the directory
        // is waited for.
        let likely_at = self.at(bucket * SLOTS_PER_BUCKET + preferred);
        self.memory
            .prefetch(likely_at, 2 * u64::from(self.geometry.slot_bytes));
        let lanes = self.directory.part(&mut self.memory, bucket, 0)?;
        let Some(lane) = next_lane(slots_with(lanes, mark), preferred) else {
            return Ok(None);
        };
        let slot = bucket * SLOTS_PER_BUCKET + lane;
        let at = self.at(slot);
        let mut bytes = [0; HEAD_BYTES + KEY_BYTES];
        let length = HEAD_BYTES + key.len();
        let read = &mut bytes[..length];
        self.memory.read(at, read)?;
        if let Some(head) = ShortHead::parse(read, self.geometry.slot_bytes as usize)
            && head.key == key.len()
            && few(&read[HEAD_BYTES..]) == few(key)
            && head.value <= out.len()
        {
            let at = at + length as u64;
            // Lengths that are known when this is compiled make it quicker.
            let is_proven = if head.value == likely {
                self.is_short_proven(slot, &head, key, at, &mut out[..likely])?
            } else {
                self.is_short_proven(slot, &head, key, at, &mut out[..head.value])?
            };
            if is_proven {
                return Ok(Some(Short {
                    bucket,
                    lane,
                    mark,
                    head,
                    vacant: next_lane(slots_with(lanes, FREE), preferred),
                }));
            }
        }
        *seen = Seen {
            slot,
            length,
            bytes,
        };
        Ok(None)
    }

    #[inline(always)]
    fn is_short_proven(
        &mut self,
        slot: u32,
        head: &ShortHead,
        key: &[u8],
        at: u64,
        value: &mut [u8],
    ) -> Result<bool, M::Error> {
        self.memory.read(at, value)?;
        Ok(head.is_proven(slot, key, value) || !self.keeps(StoreBarrier::RecordCheck))
    }

    /// Writes the next version of a record to a free slot of its bucket; returns whether there was one, and whether the
    /// new version has the short form as well.
    #[inline(always)]
    pub(super) fn replace_short(
        &mut self,
        old: &Short,
        key: &[u8],
        value: &[u8],
    ) -> Result<bool, Error<M::Error>> {
        let Some(lane) = old.vacant else {
            return Ok(false);
        };
        let is_short = fits(key.len(), value.len(), self.geometry.slot_bytes as usize);
        if !is_short || !self.keeps(StoreBarrier::NewBeforeOld) {
            return Ok(false);
        }
        let slot = old.bucket * SLOTS_PER_BUCKET + lane;
        let version = next_version(old.head.version, self.lacking);
        let form = ShortForm::new(slot, version, key, value);
        self.directory
            .set(&mut self.memory, old.bucket, lane, old.mark)?;
        self.free -= 1;
        self.records += 1;
        let at = self.at(slot);
        commit(&mut self.memory, at, form.bytes(), self.lacking)?;
        let lasts = self.keeps(StoreBarrier::PersistOld);
        self.write_dead(old.slot(), lasts)?;
        self.directory
            .set(&mut self.memory, old.bucket, old.lane, FREE)?;
        self.free += 1;
        self.records -= 1;
        Ok(true)
    }
}
