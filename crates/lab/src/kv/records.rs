//! Keys and values by number.

use wordline_core::draw::{Purpose, draw};
use wordline_core::{KvSizes, KvWork};

use super::pools::pool;

/// Makes the keys and values of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkingSet {
    /// Bytes of all of them, or the usual ones where they have sizes of their own.
    pub(super) sizes: KvSizes,
    /// What is done with them, which may give each a size of its own.
    pub(super) work: KvWork,
    pub(super) seed: u64,
}

impl WorkingSet {
    /// Bytes of the key and the value of a record.
    pub(super) fn sizes_of(&self, number: u64) -> KvSizes {
        let Some(pool) = pool(self.work) else {
            return self.sizes;
        };
        let bits = |what| draw(self.seed, number, what, Purpose::Mix);
        KvSizes {
            key_bytes: pool.key.bytes(bits(1)),
            value_bytes: pool.value.bytes(bits(2)),
        }
    }

    /// Number of different keys of this length, at most 2^64 - 1. No key is all zeros, which the CLHT reads as an empty
    /// place.
    pub(super) const fn keys(&self) -> u64 {
        match self.sizes.key_bytes {
            bytes @ 0..=7 => (1 << (8 * bytes)) - 1,
            _ => u64::MAX,
        }
    }

    /// The key of a number below [`keys`](Self::keys); no other number has it.
    pub(super) fn key(&self, number: u64, out: &mut Vec<u8>) {
        let bytes = self.sizes_of(number).key_bytes as usize;
        let word = scattered(number + 1, 8 * bytes.min(8) as u32, self.seed);
        out.clear();
        out.extend(word.to_le_bytes().iter().take(bytes));
        self.extend(!number, 0, bytes, out);
    }

    /// The value of a record the `pass`th time that it is put, in `bytes` bytes.
    pub(super) fn value(&self, number: u64, pass: u64, bytes: usize, out: &mut Vec<u8>) {
        out.clear();
        self.extend(number, pass + 1, bytes, out);
    }

    /// Draws bytes until there are so many.
    fn extend(&self, number: u64, pass: u64, bytes: usize, out: &mut Vec<u8>) {
        let seed = draw(self.seed, pass, 0, Purpose::Payload);
        for word in 0.. {
            if out.len() >= bytes {
                break;
            }
            let drawn = draw(seed, number, word, Purpose::Payload).to_le_bytes();
            let left = bytes - out.len();
            out.extend(drawn.iter().take(left));
        }
    }
}

/// Another number of so many bits for each number of so many bits, and zero for zero: products with odd numbers and
/// shifts to the right, both of which can be undone.
fn scattered(number: u64, bits: u32, seed: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits.max(1));
    let mut word = number & mask;
    for round in 0..3 {
        let odd = draw(seed, round, 0, Purpose::Address) | 1;
        word = word.wrapping_mul(odd) & mask;
        word ^= word >> bits.div_ceil(2);
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn records(work: KvWork, bytes: u64, seed: u64) -> WorkingSet {
        WorkingSet {
            sizes: KvSizes::equal(bytes),
            work,
            seed,
        }
    }

    /// Sizes are a record's own, whatever else is asked for.
    #[test]
    fn records_of_a_pool_keep_their_sizes_and_have_different_keys() {
        let pool = records(KvWork::Up2x, 8, 3);
        let (mut key, mut seen) = (Vec::new(), HashSet::new());
        for number in 0..2000 {
            pool.key(number, &mut key);
            assert_eq!(key.len() as u64, pool.sizes_of(number).key_bytes);
            assert!(seen.insert(key.clone()), "{number}");
        }
    }

    #[test]
    fn every_short_key_comes_once_and_zeros_never() {
        for (bytes, seed) in [(1, 0), (2, 0), (2, 9)] {
            let records = records(KvWork::Sweep, bytes, seed);
            let mut key = Vec::new();
            let mut seen = HashSet::new();
            for number in 0..records.keys() {
                records.key(number, &mut key);
                assert_eq!(key.len() as u64, bytes);
                assert!(key.iter().any(|byte| *byte != 0));
                assert!(seen.insert(key.clone()), "{number}");
            }
        }
    }

    #[test]
    fn long_keys_have_their_length_and_differ() {
        let records = records(KvWork::Sweep, 37, 1);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        records.key(7, &mut one);
        records.key(8, &mut other);
        assert_eq!((one.len(), other.len()), (37, 37));
        assert_ne!(one[..8], other[..8]);
        assert_ne!(one[8..], other[8..]);
        records.value(7, 0, 5, &mut one);
        records.value(7, 1, 5, &mut other);
        assert_ne!(one, other);
    }
}
