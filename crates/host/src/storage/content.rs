//! What is written, and where: drawn from a seed, fast, the same for the same seed.

use super::job::{AddressOrder, StorageJob, StorageOperation};

/// A sequence of words drawn from a seed: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(super) struct WordStream(u64);

impl WordStream {
    /// The sequence of a seed and a purpose, apart from those of other purposes.
    pub(super) fn of(seed: u64, purpose: u64) -> Self {
        let mut words = Self(seed ^ purpose.wrapping_mul(0xd134_2543_de82_ef95));
        words.next();
        words
    }

    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`, each as likely as any other to within 2⁻⁶⁴ of `bound`.
    #[inline]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Fills bytes with the next words.
    pub(super) fn fill(&mut self, out: &mut [u8]) {
        let mut chunks = out.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&self.next().to_le_bytes());
        }
        let rest = chunks.into_remainder();
        let word = self.next().to_le_bytes();
        rest.copy_from_slice(&word[..rest.len()]);
    }
}

/// Bytes of the piece of a write that is made unlike every other: the smallest sector.
const PIECE: usize = 512;

/// Gives each sector of a buffer of random bytes words of its own, so that no two sectors of a run are alike and storage
/// that folds equal blocks gains nothing.
#[inline]
pub(super) fn stamp(buffer: &mut [u8], words: &mut WordStream) {
    for piece in buffer.chunks_mut(PIECE) {
        match piece.first_chunk_mut::<8>() {
            Some(front) => *front = words.next().to_le_bytes(),
            None => piece.fill(words.next() as u8),
        }
    }
}

/// Chooses the next access of a job.
#[derive(Debug)]
pub(super) struct AccessPlan {
    places: u64,
    access_bytes: u64,
    order: AddressOrder,
    /// An access reads where the word drawn for it lies below this; `None` where all do, or none.
    threshold: Option<u64>,
    only: StorageOperation,
    words: WordStream,
    next_place: u64,
}

impl AccessPlan {
    pub(super) fn of(job: &StorageJob) -> Self {
        let mixed = job.read_share > 0.0 && job.read_share < 1.0;
        Self {
            places: job.places(),
            access_bytes: job.access_bytes,
            order: job.order,
            threshold: mixed.then_some((job.read_share * u64::MAX as f64) as u64),
            only: if job.writes() {
                StorageOperation::Write
            } else {
                StorageOperation::Read
            },
            words: WordStream::of(job.seed, 1),
            next_place: 0,
        }
    }

    /// What the next access does, and its first byte.
    #[inline]
    pub(super) fn next(&mut self) -> (StorageOperation, u64) {
        let operation = match self.threshold {
            None => self.only,
            Some(threshold) if self.words.next() < threshold => StorageOperation::Read,
            Some(_) => StorageOperation::Write,
        };
        let place = match self.order {
            AddressOrder::Random => self.words.below(self.places),
            AddressOrder::Sequential => {
                let place = self.next_place;
                self.next_place += 1;
                if self.next_place == self.places {
                    self.next_place = 0;
                }
                place
            }
        };
        (operation, place * self.access_bytes)
    }
}
