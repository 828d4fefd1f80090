//! Where a key begins to look for its place.

use crate::few::few;

/// The hash of a key, in pieces of eight bytes: multiplication and shifts alone, which every core has.
///
/// It is no part of the written format: a table that is opened takes the place of each record as it finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hasher(u64);

impl Hasher {
    #[inline]
    pub(crate) const fn new(seed: u64, bytes: usize) -> Self {
        // Mixed with the seed: otherwise the first word of a key could make up for another length, under every seed.
        Self((seed ^ bytes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Adds bytes; all pieces but the last are a whole number of eight bytes.
    #[must_use]
    #[inline]
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        let mut state = self.0;
        let (words, tail) = bytes.as_chunks::<8>();
        for word in words {
            state = step(state, u64::from_le_bytes(*word));
        }
        if !tail.is_empty() {
            state = step(state, few(tail) as u64);
        }
        Self(state)
    }

    #[inline]
    pub(crate) const fn finish(self) -> Hash {
        Hash(self.0)
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) over both.
const fn step(state: u64, word: u64) -> u64 {
    let value = state ^ word;
    let z = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 64 bits that stand for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u64);

impl Hash {
    /// The bucket where the search begins, of so many.
    #[inline]
    pub(crate) const fn bucket(self, buckets: u32) -> u32 {
        (((self.0 & 0xFFFF_FFFF) * buckets as u64) >> 32) as u32
    }

    /// The slot of a bucket that is taken before others, of so many.
    #[inline]
    pub(crate) const fn lane(self, slots: u32) -> u32 {
        ((self.0 >> 32 & 0xFFFF) as u32 * slots) >> 16
    }

    /// Sixteen other bits, of which the directory keeps as many as it has room for.
    #[inline]
    pub(crate) const fn tag(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

#[inline]
pub(crate) fn hash(seed: u64, key: &[u8]) -> Hash {
    Hasher::new(seed, key.len()).with(key).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_eight_bytes_give_the_hash_of_the_whole() {
        let key: [u8; 61] = core::array::from_fn(|place| place as u8);
        for cut in (0..=56).step_by(8) {
            let pieces = Hasher::new(3, 61).with(&key[..cut]).with(&key[cut..]);
            assert_eq!(pieces.finish(), hash(3, &key));
        }
    }

    #[test]
    fn zeros_of_another_length_and_other_seeds_have_other_hashes() {
        assert_ne!(hash(0, &[0; 7]), hash(0, &[0; 8]));
        assert_ne!(hash(0, &[0; 8]), hash(1, &[0; 8]));
    }

    #[test]
    fn consecutive_keys_fill_buckets_evenly() {
        let mut counts = [0u32; 64];
        for key in 0..6400u32 {
            counts[hash(0, &key.to_le_bytes()).bucket(64) as usize] += 1;
        }
        // Of 64 Poisson counts around 100, none is six standard deviations off.
        assert!(
            counts.iter().all(|count| (40..=160).contains(count)),
            "{counts:?}"
        );
    }
}
