//! Randomness that depends on a seed and on how often it was asked for.

use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of bytes that look random.
#[derive(Debug)]
pub(crate) struct RandomStream {
    seed: u64,
    words: AtomicU64,
}

impl RandomStream {
    pub(crate) const fn new(seed: u64) -> Self {
        Self {
            seed,
            words: AtomicU64::new(0),
        }
    }

    /// Fills `out` with the next bytes.
    pub(crate) fn fill(&self, out: &mut [u8]) {
        for part in out.chunks_mut(8) {
            let word = self.words.fetch_add(1, Ordering::Relaxed);
            let drawn = mix(mix(self.seed).wrapping_add(word)).to_le_bytes();
            part.copy_from_slice(&drawn[..part.len()]);
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
