//! The common case, by the shortest way: a record of the short form in the first slot that a directory in RAM names.
//!
//! It does what a search does, with the same accesses and the same checks, in a fraction of the instructions. Whatever
//! is not as expected is left to the search, which goes on with what was read.

use wordline_memory::ByteMemory;

use super::Table;
use crate::Error;
use crate::barrier::Barrier;
use crate::directory::{Directory, first_slot, free_slot, lane_of, slots_with};
use crate::hash::Hash;
use crate::layout::SLOTS_PER_BUCKET;
use crate::slot::{Head, Record};

/// The longest key that lies with a short head in the smallest slot, in bytes.
const KEY_BYTES: usize = 12;

/// Bytes of a short head.
const HEAD_BYTES: usize = 4;

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

/// What the short way found.
pub(super) struct Short {
    pub(super) record: Record,
    /// The first free slot of its bucket.
    pub(super) vacant: Option<u32>,
}

impl<M: ByteMemory, D: Directory<M>, S: AsMut<[u8]>> Table<M, D, S> {
    /// The record of a key, its check proven and its value copied to the start of `out`; `None` where the long way has
    /// to be gone, with what was `seen`.
    #[inline(always)]
    pub(super) fn short(
        &mut self,
        hash: Hash,
        key: &[u8],
        out: &mut [u8],
        likely: usize,
        seen: &mut Seen,
    ) -> Result<Option<Short>, Error<M::Error>> {
        if D::PARTS > 1 || key.len() > KEY_BYTES {
            return Ok(None);
        }
        let bucket = hash.bucket(self.geometry.buckets);
        let lanes = self.directory.part(&mut self.memory, bucket, 0)?;
        let (mark, preferred) = (D::mark(hash.tag()), hash.lane(SLOTS_PER_BUCKET));
        // The slot follows from the hash alone where that is right, so that a processor that guesses fetches it while
        // it still waits for the directory.
        let slot = if lane_of(lanes, preferred) == mark {
            bucket * SLOTS_PER_BUCKET + preferred
        } else {
            let found = slots_with(lanes, mark);
            if found == 0 {
                return Ok(None);
            }
            first_slot(bucket, found)
        };
        let at = self.at(slot);
        (seen.slot, seen.length) = (slot, HEAD_BYTES + key.len());
        let read = &mut seen.bytes[..HEAD_BYTES + key.len()];
        self.memory.read(at, read)?;
        let Some(head) = Head::parse_short(read, &self.geometry) else {
            return Ok(None);
        };
        if head.key != key.len() || !are_same(&read[HEAD_BYTES..], key) || out.len() < head.value {
            return Ok(None);
        }
        let after = at + (HEAD_BYTES + key.len()) as u64;
        // Lengths that are known when this is compiled make it quicker.
        let is_proven = if head.value == likely {
            self.is_short_proven(slot, &head, key, after, &mut out[..likely])?
        } else {
            self.is_short_proven(slot, &head, key, after, &mut out[..head.value])?
        };
        if !is_proven {
            return Ok(None);
        }
        let record = Record {
            slot,
            head,
            flip: None,
        };
        let vacant = free_slot(bucket, lanes, preferred);
        Ok(Some(Short { record, vacant }))
    }

    #[inline(always)]
    fn is_short_proven(
        &mut self,
        slot: u32,
        head: &Head,
        key: &[u8],
        at: u64,
        value: &mut [u8],
    ) -> Result<bool, M::Error> {
        self.memory.read(at, value)?;
        let check = head.begin_check(slot).with_inline(key).with_inline(value);
        Ok(check.value() == head.check || !self.keeps(Barrier::RecordCheck))
    }
}

/// Whether two keys are the same, in pieces of four bytes: the first is read again as it was stored a moment ago, and a
/// wider piece would have to wait until the parts of it have arrived.
#[inline(always)]
fn are_same(read: &[u8], key: &[u8]) -> bool {
    let ((reads, read_tail), (keys, key_tail)) = (read.as_chunks::<4>(), key.as_chunks::<4>());
    let pairs = reads.iter().zip(keys);
    let differing = pairs.fold(0, |bits, (read, key)| {
        bits | (u32::from_le_bytes(*read) ^ u32::from_le_bytes(*key))
    });
    differing == 0 && read_tail == key_tail
}
