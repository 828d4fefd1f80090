//! A hash of content that a change updates in the time of the change.
//!
//! The hash of a whole is the wrapping sum of the hashes of its words, each mixed with its place. A
//! word that was never written counts 0, so that equal contents have equal hashes whatever was
//! written before. 64 bits: among 10⁶ different images, two share a hash with a probability of
//! 3 · 10⁻⁸.

/// Bytes of a word.
pub(super) const WORD: usize = 8;

/// The hash of one word at its place.
pub(super) const fn of_word(place: u64, word: u64) -> u64 {
    mix(mix(place ^ 0x6a09_e667_f3bc_c908) ^ word)
}

/// The hash of bytes that start at a word, where words of `fill` count 0.
pub(super) fn of_bytes(first_word: u64, bytes: &[u8], fill: u8) -> u64 {
    let blank = u64::from_le_bytes([fill; WORD]);
    let mut sum = 0u64;
    for (place, chunk) in (first_word..).zip(bytes.chunks(WORD)) {
        let word = word_of(chunk, fill);
        if word != blank {
            sum = sum.wrapping_add(of_word(place, word));
        }
    }
    sum
}

/// The hash of bytes that start at a word, where words that `like` holds as well count 0.
pub(super) fn of_difference(first_word: u64, bytes: &[u8], like: &[u8]) -> u64 {
    let mut sum = 0u64;
    let pairs = bytes.chunks(WORD).zip(like.chunks(WORD));
    for (place, (chunk, like)) in (first_word..).zip(pairs) {
        let (word, like) = (word_of(chunk, 0), word_of(like, 0));
        if word != like {
            sum = sum.wrapping_add(of_word(place, word));
        }
    }
    sum
}

/// A word of up to eight bytes, filled up.
fn word_of(bytes: &[u8], fill: u8) -> u64 {
    bytes.try_into().map_or_else(
        |_| {
            let mut word = [fill; WORD];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        },
        u64::from_le_bytes,
    )
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
