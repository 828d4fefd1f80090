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

/// The seven marks of a bucket and its count: lanes of 16 bits, four in each word, the first lowest.
pub type Lanes = [u64; 2];

/// A place for the directory: [`RamDirectory`] or [`ResidentDirectory`].
///
/// Marks are 0 for a free slot, 1 for a slot that continues a record, and from 2 on for the head of one.
pub trait Directory<M: ByteMemory> {
    /// The highest count that it can hold. A bucket that comes to it keeps it until the table is opened again.
    fn count_max(&self) -> u16;

    /// Accesses in which a bucket is read: 1, or 2 where each costs something and the first is often enough.
    fn parts(&self) -> u32;

    /// Whether it is large enough; all marks and counts become 0.
    ///
    /// # Errors
    /// [`Error::Directory`], [`Error::NoDirectory`], or the memory's own.
    fn attach(&mut self, memory: &mut M, geometry: &Geometry) -> Result<(), Error<M::Error>>;

    /// The mark of a key with 16 bits of hash, at least 2.
    fn mark(&self, tag: u16) -> u16;

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
    #[inline]
    fn count_max(&self) -> u16 {
        u16::MAX
    }

    #[inline]
    fn parts(&self) -> u32 {
        1
    }

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
    fn mark(&self, tag: u16) -> u16 {
        if tag < 2 { tag + 2 } else { tag }
    }

    #[inline]
    fn part(&mut self, _: &mut M, bucket: u32, _: u32) -> Result<Lanes, M::Error> {
        let (buckets, _) = self.words.as_mut().as_chunks::<2>();
        Ok(buckets[bucket as usize])
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
    #[inline]
    fn count_max(&self) -> u16 {
        0xFF
    }

    #[inline]
    fn parts(&self) -> u32 {
        2
    }

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

    fn mark(&self, tag: u16) -> u16 {
        2 + (((tag >> 8) * 254) >> 8)
    }

    fn part(&mut self, memory: &mut M, bucket: u32, part: u32) -> Result<Lanes, M::Error> {
        let mut bytes = [0; 4];
        memory.read(self.bucket(bucket) + u64::from(part) * 4, &mut bytes)?;
        let lanes = bytes.iter().enumerate();
        let read = lanes.fold(0, |all, (lane, byte)| all | u64::from(*byte) << (lane * 16));
        let other = ONES * u64::from(TAKEN);
        Ok(if part == 0 {
            [read, other]
        } else {
            [other, read]
        })
    }

    fn set(&mut self, memory: &mut M, bucket: u32, lane: u32, to: u16) -> Result<(), M::Error> {
        memory.write(self.bucket(bucket) + u64::from(lane), &[to as u8])
    }
}

/// A one in each lane of a word.
const ONES: u64 = 0x0001_0001_0001_0001;

/// Some slots of a bucket, a bit for each lane.
pub(crate) type Slots = u32;

/// The slots of a bucket that have a mark.
#[inline(always)]
pub(crate) const fn slots_with([low, high]: Lanes, mark: u16) -> Slots {
    // Brings bits 0, 16, 32 and 48 together from bit 48 on, and 4, 20, 36 and 52 behind them: no two products of a bit
    // and a term meet.
    const GATHER: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
    // The lane of the count is none of a slot.
    const SLOTS: Slots = (1 << SLOTS_PER_BUCKET) - 1;
    let equal = equal(low, mark) | equal(high, mark) << 4;
    (equal.wrapping_mul(GATHER) >> 48) as Slots & SLOTS
}

/// The lanes of a word that are so much, a bit at the foot of each.
#[inline(always)]
const fn equal(word: u64, mark: u16) -> u64 {
    const LOW: u64 = !(ONES << 15);
    // No carry leaves a lane, so that each is judged on its own.
    let rest = word ^ (mark as u64 * ONES);
    (!(((rest & LOW) + LOW) | rest) >> 15) & ONES
}

/// The lane of one of some slots: the preferred one, or the next after it, where the last is followed by the first.
#[inline(always)]
pub(crate) const fn next_lane(slots: Slots, preferred: u32) -> Option<u32> {
    if slots == 0 {
        return None;
    }
    let ring = (slots | slots << SLOTS_PER_BUCKET) >> preferred;
    let lane = preferred + ring.trailing_zeros();
    Some(if lane < SLOTS_PER_BUCKET {
        lane
    } else {
        lane - SLOTS_PER_BUCKET
    })
}

/// The first of some slots of a bucket, of which there is one.
pub(crate) const fn first_slot(bucket: u32, slots: Slots) -> u32 {
    bucket * SLOTS_PER_BUCKET + slots.trailing_zeros()
}

/// The mark in a lane, 0 to 6, or the count, in lane 7.
#[inline(always)]
pub(crate) const fn lane_of([low, high]: Lanes, lane: u32) -> u16 {
    let half = if lane < 4 { low } else { high };
    (half >> (lane % 4 * 16)) as u16
}

/// The count of a bucket, from its last part.
#[inline]
pub(crate) const fn count(lanes: Lanes) -> u16 {
    lane_of(lanes, 7)
}

/// A free slot of a bucket, of which a part is given: the preferred one, or the next.
pub(crate) fn free_slot(bucket: u32, lanes: Lanes, preferred: u32) -> Option<u32> {
    let lane = next_lane(slots_with(lanes, FREE), preferred);
    lane.map(|lane| bucket * SLOTS_PER_BUCKET + lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_is_judged_on_its_own() {
        for (lanes, mark, expected) in [
            (
                [0x0001_0000_0001_0000, 0x0001_0000_0001_0000],
                0,
                0b101_0101,
            ),
            (
                [0x0001_0000_0001_0000, 0x0001_0000_0001_0000],
                1,
                0b010_1010,
            ),
            (
                [0xFFFF_8000_7FFE_8001, 0x8000_7FFF_0000_8000],
                0x8000,
                0b001_0100,
            ),
            (
                [0xFFFF_8000_7FFE_8001, 0x8000_7FFF_0000_8000],
                0x7FFF,
                0b100_0000,
            ),
            ([u64::MAX; 2], 0xFFFF, 0b111_1111),
            ([u64::MAX; 2], 0x7FFF, 0),
        ] {
            let found = slots_with(lanes, mark);
            let by_lane = (0..7).filter(|lane| lane_of(lanes, *lane) == mark);
            assert_eq!(by_lane.fold(0, |slots, lane| slots | 1 << lane), expected);
            assert_eq!(found, expected, "{lanes:x?} {mark:x}");
        }
    }

    #[test]
    fn the_next_lane_is_the_first_from_the_preferred_one_around() {
        for slots in 0..1 << 7 {
            for preferred in 0..7 {
                let mut around = (preferred..7).chain(0..preferred);
                let expected = around.find(|lane| slots >> lane & 1 == 1);
                assert_eq!(next_lane(slots, preferred), expected);
            }
        }
    }

    #[test]
    fn marks_of_hashes_are_never_those_of_free_and_taken_slots() {
        type Memory = wordline_memory::RamMemory<8>;
        for tag in 0..=u16::MAX {
            let ram = RamDirectory::new([0; 2]);
            assert!(Directory::<Memory>::mark(&ram, tag) > TAKEN);
            let mark = Directory::<Memory>::mark(&ResidentDirectory::new(), tag);
            assert!(mark > TAKEN && mark < 256);
        }
    }
}
