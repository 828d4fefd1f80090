//! Which slots are taken, and by which keys: a few bits of every key's hash.
//!
//! Buckets have seven slots. Beside the marks of these a bucket counts the records that passed it because it was full:
//! a search ends at the first bucket that none has passed. The directory is made anew from the slots whenever a table
//! is opened, so that it needs no care when the power fails.

use wordline_memory::ByteMemory;

use crate::Error;
use crate::layout::{Geometry, SLOTS_PER_BUCKET};

/// Mark of a free slot.
pub(crate) const FREE: u16 = 0;
/// Mark of a slot with more of a record.
pub(crate) const TAKEN: u16 = 1;

/// The seven marks of a bucket and its count: lanes of 16 bits, the first lowest.
pub type Lanes = u128;

/// A place for the directory: [`RamDirectory`] or [`ResidentDirectory`].
///
/// Marks are 0 for a free slot, 1 for a slot that continues a record, and from 2 on for the head of one.
pub trait Directory<M: ByteMemory> {
    /// The highest count that it can hold. A bucket that comes to it keeps it until the table is opened again.
    const COUNT_MAX: u16;

    /// Accesses in which a bucket is read: 1, or 2 where each costs something and the first is often enough.
    const PARTS: u32;

    /// Whether it is large enough; all marks and counts become 0.
    ///
    /// # Errors
    /// [`Error::Directory`], [`Error::NoDirectory`], or the memory's own.
    fn attach(&mut self, memory: &mut M, geometry: &Geometry) -> Result<(), Error<M::Error>>;

    /// The mark of a key with 16 bits of hash, at least 2.
    fn mark(tag: u16) -> u16;

    /// One of the parts of a bucket: all its lanes, or of two parts lanes 0 to 3 and lanes 4 to 7. The other lanes are
    /// 1, which no search looks for.
    ///
    /// # Errors
    /// The memory's.
    fn part(&mut self, memory: &mut M, bucket: u32, part: u32) -> Result<Lanes, M::Error>;

    /// Sets a mark (`lane` 0 to 6) or the count (7) of a bucket.
    ///
    /// # Errors
    /// The memory's.
    fn set(&mut self, memory: &mut M, bucket: u32, lane: u32, to: u16) -> Result<(), M::Error>;
}

/// The directory in RAM: 16 bytes a bucket, 2.3 bytes a slot. Searches read nothing from the memory.
#[derive(Debug)]
pub struct RamDirectory<W> {
    words: W,
}

impl<W: AsMut<[u64]>> RamDirectory<W> {
    /// Uses [`Geometry::directory_words`] words (of an array, a borrowed slice, a vector), whatever they hold.
    #[must_use]
    pub const fn new(words: W) -> Self {
        Self { words }
    }
}

impl<M: ByteMemory, W: AsMut<[u64]>> Directory<M> for RamDirectory<W> {
    const COUNT_MAX: u16 = u16::MAX;
    const PARTS: u32 = 1;

    fn attach(&mut self, _: &mut M, geometry: &Geometry) -> Result<(), Error<M::Error>> {
        let needed = geometry.directory_words();
        let words = self.words.as_mut();
        let found = words.len() as u64;
        let Some(used) = words.get_mut(..needed) else {
            return Err(Error::Directory {
                needed: needed as u64,
                words: found,
            });
        };
        used.fill(0);
        Ok(())
    }

    #[inline]
    fn mark(tag: u16) -> u16 {
        if tag < 2 { tag + 2 } else { tag }
    }

    #[inline]
    fn part(&mut self, _: &mut M, bucket: u32, _: u32) -> Result<Lanes, M::Error> {
        let (buckets, _) = self.words.as_mut().as_chunks::<2>();
        let [low, high] = buckets[bucket as usize];
        Ok(Lanes::from(low) | Lanes::from(high) << 64)
    }

    #[inline]
    fn set(&mut self, _: &mut M, bucket: u32, lane: u32, to: u16) -> Result<(), M::Error> {
        let word = &mut self.words.as_mut()[(bucket * 2 + lane / 4) as usize];
        let shift = lane % 4 * 16;
        *word = *word & !(0xFFFF << shift) | u64::from(to) << shift;
        Ok(())
    }
}

/// The directory in the table's own memory, where [`Options::resident`](crate::Options::resident) made room for it: 8
/// bytes a bucket, and no RAM.
#[derive(Debug, Default)]
pub struct ResidentDirectory {
    at: u64,
}

impl ResidentDirectory {
    /// Of whatever table is opened with it.
    #[must_use]
    pub const fn new() -> Self {
        Self { at: 0 }
    }

    const fn bucket(&self, bucket: u32) -> u64 {
        self.at + bucket as u64 * 8
    }
}

impl<M: ByteMemory> Directory<M> for ResidentDirectory {
    const COUNT_MAX: u16 = 0xFF;
    const PARTS: u32 = 2;

    fn attach(&mut self, memory: &mut M, geometry: &Geometry) -> Result<(), Error<M::Error>> {
        if !geometry.resident_directory {
            return Err(Error::NoDirectory);
        }
        self.at = geometry.directory_at();
        let zeros = [0; 256];
        let (mut at, end) = (self.at, self.bucket(geometry.buckets));
        while at < end {
            let part = (end - at).min(zeros.len() as u64) as usize;
            memory.write(at, &zeros[..part])?;
            at += part as u64;
        }
        Ok(())
    }

    fn mark(tag: u16) -> u16 {
        2 + (((tag >> 8) * 254) >> 8)
    }

    fn part(&mut self, memory: &mut M, bucket: u32, part: u32) -> Result<Lanes, M::Error> {
        let mut bytes = [0; 4];
        memory.read(self.bucket(bucket) + u64::from(part) * 4, &mut bytes)?;
        let lanes = bytes.iter().enumerate();
        let read = lanes.fold(0, |all, (lane, byte)| all | u64::from(*byte) << (lane * 16));
        let other = ONES as u64 * u64::from(TAKEN);
        let [low, high] = if part == 0 {
            [read, other]
        } else {
            [other, read]
        };
        Ok(Lanes::from(low) | Lanes::from(high) << 64)
    }

    fn set(&mut self, memory: &mut M, bucket: u32, lane: u32, to: u16) -> Result<(), M::Error> {
        memory.write(self.bucket(bucket) + u64::from(lane), &[to as u8])
    }
}

/// A one in each lane.
const ONES: Lanes = 0x0001_0001_0001_0001_0001_0001_0001_0001;

/// The slots of a bucket that have a mark: the highest bit of the lane of each.
#[inline]
pub(crate) const fn slots_with(lanes: Lanes, mark: u16) -> Lanes {
    // The lane of the count is none of a slot.
    const TOP: Lanes = (ONES << 15) & (Lanes::MAX >> 16);
    const LOW: Lanes = !(ONES << 15);
    // No carry leaves a lane, so that each is judged on its own.
    let rest = lanes ^ (mark as Lanes * ONES);
    !(((rest & LOW) + LOW) | rest) & TOP
}

/// The first slot among those of a bucket, of which there is one.
#[inline]
pub(crate) const fn first_slot(bucket: u32, slots: Lanes) -> u32 {
    bucket * SLOTS_PER_BUCKET + slots.trailing_zeros() / 16
}

/// The mark in a lane, 0 to 6, or the count, in lane 7.
#[inline]
pub(crate) const fn lane_of(lanes: Lanes, lane: u32) -> u16 {
    let half = if lane < 4 { lanes } else { lanes >> 64 } as u64;
    (half >> (lane % 4 * 16)) as u16
}

/// The count of a bucket, from its last part.
#[inline]
pub(crate) const fn count(lanes: Lanes) -> u16 {
    lane_of(lanes, 7)
}

/// A free slot of a bucket, of which a part is given: the preferred one, or the first.
#[inline]
pub(crate) fn free_slot(bucket: u32, lanes: Lanes, preferred: u32) -> Option<u32> {
    if lane_of(lanes, preferred) == FREE {
        return Some(bucket * SLOTS_PER_BUCKET + preferred);
    }
    let free = slots_with(lanes, FREE);
    (free != 0).then(|| first_slot(bucket, free))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_is_judged_on_its_own() {
        for (lanes, mark, expected) in [
            (0x0001_0000_0001_0000_0001_0000_0001_0000, 0, 0b101_0101),
            (0x0001_0000_0001_0000_0001_0000_0001_0000, 1, 0b010_1010),
            (
                0x8000_7FFF_FFFF_8000_8000_7FFF_FFFF_8000,
                0x8000,
                0b001_1001,
            ),
            (Lanes::MAX, 0xFFFF, 0b111_1111),
            (Lanes::MAX, 0x7FFF, 0),
        ] {
            let found = slots_with(lanes, mark);
            let bits = (0..8).fold(0, |bits, lane| {
                bits | (found >> (lane * 16 + 15) & 1) << lane
            });
            assert_eq!(bits, expected, "{lanes:x} {mark:x}");
            assert_eq!(found.count_ones(), bits.count_ones());
        }
    }

    #[test]
    fn marks_of_hashes_are_never_those_of_free_and_taken_slots() {
        type Memory = wordline_memory::RamMemory<8>;
        for tag in 0..=u16::MAX {
            assert!(<RamDirectory<[u64; 2]> as Directory<Memory>>::mark(tag) > TAKEN);
            let mark = <ResidentDirectory as Directory<Memory>>::mark(tag);
            assert!(mark > TAKEN && mark < 256);
        }
    }
}
