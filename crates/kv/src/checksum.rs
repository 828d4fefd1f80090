//! The two checks of a record, and which single bit is wrong where one is.
//!
//! A residue of 16 bits is read with every value: products and sums, which cost a quarter of a CRC's table lookups. A
//! CRC-32C is read when a table is opened. It goes through eight bytes at a time with tables of 8 KiB, which the compiler
//! makes ("slicing by 8", Kounavis and Berry, ISCC 2005). Parameters and check value: the catalogue of parametrised CRC
//! algorithms by Greg Cook, entry CRC-32/ISCSI.

use crate::few::few;

/// The residue's modulus, a prime, of which 2 has the order 32759.
///
/// It is that of Koopman's 16-bit checksum ("An Improved Modular Addition Checksum Algorithm", 2023, arXiv:2304.13496),
/// and has its guarantees. One wrong bit changes the number by a power of two, which no prime but 2 divides. Two wrong
/// bits change it by `2^a (2^d ± 1)`: 2^d is 1 first for 32759 bits between them, and never −1, because the order is odd.
const MODULUS: u64 = 65_519;

/// Bytes whose residue is taken at once.
const BLOCK: usize = 64;

/// `POWERS[n]` is 2^(8 n), reduced: what a byte counts that is `n` bytes from the first. A block has 64 of them; the others
/// are for what begins within it, and keep the checks of indices away.
const POWERS: [u64; BLOCK + 8] = {
    let mut powers = [1; BLOCK + 8];
    let mut place = 1;
    while place < powers.len() {
        powers[place] = (powers[place - 1] << 8) % MODULUS;
        place += 1;
    }
    powers
};

/// What the halves of each word of a block count.
const WEIGHTS: [[u64; 2]; BLOCK / 8 + 1] = {
    let mut weights = [[0; 2]; BLOCK / 8 + 1];
    let mut place = 0;
    while place < weights.len() {
        weights[place] = [POWERS[8 * place], POWERS[8 * place + 4]];
        place += 1;
    }
    weights
};

/// The residue of a number below 2^55, by a division of 32 bits, which cores of 32 bits have as well.
#[inline(always)]
const fn reduced(number: u64) -> u64 {
    const OF_HALF: u32 = (1 << 16) % MODULUS as u32;
    const OF_WORD: u32 = OF_HALF * OF_HALF;
    let (high, low) = ((number >> 32) as u32, number as u32);
    ((high * OF_WORD + (low >> 16) * OF_HALF + (low & 0xFFFF)) % MODULUS as u32) as u64
}

/// A word of 8 bytes whose halves count so much: less than 2^49.
#[inline(always)]
const fn weighed(word: u64, [low, high]: [u64; 2]) -> u64 {
    (word & 0xFFFF_FFFF) * low + (word >> 32) * high
}

/// The residue of three words with a key and a value of at most [`FEW`] bytes each behind them: what [`Residue`] comes
/// to, with one division.
#[inline(always)]
pub(crate) fn residue_of_few([a, b, c]: [u32; 3], key: &[u8], value: &[u8]) -> u16 {
    let head = a as u64 + b as u64 * POWERS[4] + c as u64 * POWERS[8];
    let sum = head + few_weighed(key, 12) + few_weighed(value, 12 + key.len());
    reduced(sum) as u16
}

/// A few bytes that begin so many bytes from the first: less than 2^51.
#[inline(always)]
fn few_weighed(bytes: &[u8], at: usize) -> u64 {
    let (word, powers) = (few(bytes), &POWERS[at..at + 13]);
    let low = weighed(word as u64, [powers[0], powers[4]]);
    if bytes.len() > 8 {
        low + weighed((word >> 64) as u64, [powers[8], powers[12]])
    } else {
        low
    }
}

/// The residue, in the making, of bytes that are one long number, the first byte lowest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residue {
    /// Not reduced: the first words are less than 2^50, each block adds less than 2^32, and records have less than 2^18
    /// bytes.
    sum: u64,
    /// What the next byte counts.
    weight: u64,
}

impl Residue {
    /// Of three words.
    #[inline(always)]
    pub(crate) const fn new([a, b, c]: [u32; 3]) -> Self {
        Self {
            sum: a as u64 + b as u64 * POWERS[4] + c as u64 * POWERS[8],
            weight: POWERS[12],
        }
    }

    /// Goes on with these bytes.
    #[must_use]
    pub(crate) fn with(mut self, bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            self = self.with_block(block);
        }
        self.with_block(rest)
    }

    /// Goes on with a block at most.
    #[inline(always)]
    fn with_block(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<8>();
        let pairs = words.iter().zip(WEIGHTS);
        let mut block = pairs.fold(0, |sum, (word, weights)| {
            sum + weighed(u64::from_le_bytes(*word), weights)
        });
        if !rest.is_empty() {
            block += weighed(few(rest) as u64, WEIGHTS[words.len()]);
        }
        Self {
            sum: self.sum + reduced(block) * self.weight,
            weight: reduced(POWERS[bytes.len()] * self.weight),
        }
    }

    /// The residue of all bytes so far.
    #[inline]
    pub(crate) const fn value(self) -> u16 {
        reduced(self.sum) as u16
    }
}

/// `TABLES[n][b]`: what byte `b` does to a CRC-32C's remainder once `n` more bytes have followed.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut after = 0;
        while after < 8 {
            // One more byte, of zero.
            let mut bit = 0;
            while bit < 8 {
                rest = crc32_step(rest);
                bit += 1;
            }
            tables[after][byte] = rest;
            after += 1;
        }
        byte += 1;
    }
    tables
};

/// A CRC-32C in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crc32(u32);

impl Crc32 {
    /// Of no bytes.
    #[inline]
    pub(crate) const fn new() -> Self {
        Self(u32::MAX)
    }

    /// Goes on with these bytes.
    #[must_use]
    #[inline(always)]
    pub(crate) fn with_inline(mut self, bytes: &[u8]) -> Self {
        let (eights, rest) = bytes.as_chunks::<8>();
        for word in eights {
            self = self.at_once(*word);
        }
        let (fours, rest) = rest.as_chunks::<4>();
        if let [word] = fours {
            self = self.at_once(*word);
        }
        for byte in rest {
            self = self.at_once([*byte]);
        }
        self
    }

    /// Goes on with 1 to 8 bytes, each by a table of its own, so that none waits for another.
    #[must_use]
    #[inline(always)]
    pub(crate) fn at_once<const N: usize>(self, bytes: [u8; N]) -> Self {
        let before = self.0.to_le_bytes();
        // What of the remainder these bytes do not shift out.
        let mut rest = u64::from(self.0).unbounded_shr(8 * N as u32) as u32;
        for (place, byte) in bytes.iter().enumerate() {
            let with = before.get(place).copied().unwrap_or(0);
            rest ^= TABLES[N - 1 - place][usize::from(byte ^ with)];
        }
        Self(rest)
    }

    /// The check of all bytes so far.
    #[inline]
    pub(crate) const fn value(self) -> u32 {
        !self.0
    }
}

/// The CRC-32C of bytes.
#[inline]
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    Crc32::new().with_inline(bytes).value()
}

/// The polynomial of the CRC-32C, reflected.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// A remainder of the CRC-32C after one more bit, of zero.
pub(crate) const fn crc32_step(rest: u32) -> u32 {
    (rest >> 1) ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 }
}

/// The remainder before such a bit.
pub(crate) const fn crc32_before(rest: u32) -> u32 {
    match rest >> 31 {
        0 => rest << 1,
        _ => (rest ^ POLYNOMIAL) << 1 | 1,
    }
}

/// The 8-bit check of a link: CRC-8 with polynomial 0x07 (CRC-8/SMBUS), which is nowhere in a hurry.
pub(crate) fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |rest, byte| {
        (0..8).fold(rest ^ byte, |rest, _| {
            (rest << 1) ^ if rest & 0x80 == 0 { 0 } else { 0x07 }
        })
    })
}

/// One bit of a slot that reads wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    /// Which byte of the slot.
    pub(crate) at: usize,
    /// The bit of that byte, as a mask.
    pub(crate) mask: u8,
}

/// Finds the one bit that separates bytes from their CRC-32C, which follows them at `bytes.len()`; `None` where more
/// than one bit is wrong. Takes a time in proportion to the length.
pub(crate) fn flipped(bytes: &[u8], stored: u32) -> Option<Flip> {
    let syndrome = crc32(bytes) ^ stored;
    if syndrome.is_power_of_two() {
        let bit = syndrome.trailing_zeros();
        return Some(Flip {
            at: bytes.len() + (bit / 8) as usize,
            mask: 1 << (bit % 8),
        });
    }
    // What each bit of the last byte does to the remainder, then of the byte before it, and so on.
    let mut effects: [u32; 8] = core::array::from_fn(|bit| TABLES[0][1 << bit]);
    for at in (0..bytes.len()).rev() {
        if let Some(bit) = effects.iter().position(|effect| *effect == syndrome) {
            return Some(Flip { at, mask: 1 << bit });
        }
        for effect in &mut effects {
            *effect = (*effect >> 8) ^ TABLES[0][(*effect & 0xFF) as usize];
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::few::FEW;
    use std::vec::Vec;

    const NINE: &[u8] = b"123456789";

    /// The residue as it is defined, a bit at a time.
    fn long_division(bytes: impl DoubleEndedIterator<Item = u8>) -> u16 {
        let divided = bytes.rev().fold(0, |rest: u32, byte| {
            (0..8).rev().fold(rest, |rest, bit| {
                (rest * 2 + u32::from(byte >> bit & 1)) % 65_519
            })
        });
        divided as u16
    }

    #[test]
    fn the_check_values_are_those_of_the_catalogue() {
        assert_eq!(crc32(NINE), 0xE306_9283);
        assert_eq!(crc8(NINE), 0xF4);
    }

    #[test]
    fn the_residue_is_that_of_the_number_however_it_is_cut() {
        let bytes: Vec<u8> = (0..300u32).map(|place| (place * 167 + 13) as u8).collect();
        let head = [0x0102_0304, u32::MAX, 0xFFFF_FFFF];
        let in_front = head.iter().flat_map(|word| word.to_le_bytes());
        let in_front: Vec<u8> = in_front.collect();
        for length in [0, 1, 2, 3, 4, 5, 8, 16, 23, 32, 63, 64, 65, 128, 131, 300] {
            let bytes = &bytes[..length];
            let whole = long_division(in_front.iter().chain(bytes).copied());
            for cut in 0..=length {
                let (first, second) = bytes.split_at(cut);
                let residue = Residue::new(head).with(first).with(second);
                assert_eq!(residue.value(), whole, "{length} bytes, cut at {cut}");
                if first.len() <= FEW && second.len() <= FEW {
                    assert_eq!(residue_of_few(head, first, second), whole);
                }
            }
        }
    }

    #[test]
    fn the_residue_of_the_longest_record_does_not_overflow() {
        let ones = Residue::new([u32::MAX; 3]);
        let in_pieces = (0..131_070).fold(ones, |residue, _| residue.with(&[0xFF]));
        let whole = long_division(core::iter::repeat_n(0xFF, 12 + 131_070));
        assert_eq!(in_pieces.value(), whole);
        assert_eq!(ones.with(&[0xFF; 131_070]).value(), whole);
    }

    #[test]
    fn one_wrong_bit_and_two_within_4094_bytes_change_every_residue() {
        // Powers of two by the number of zeros behind them: a wrong bit adds one of them or takes it away.
        let mut power = 1;
        for apart in 1..=32_758 {
            power = power * 2 % MODULUS;
            assert!(
                power != 0 && power != 1 && power != MODULUS - 1,
                "bits {apart} apart"
            );
        }
        assert_eq!(power * 2 % MODULUS, 1, "where the guarantee ends");
    }

    #[test]
    fn every_single_flip_is_found_and_two_are_not_taken_for_one() {
        let bytes: Vec<u8> = (0..70u8).map(|byte| byte.wrapping_mul(37)).collect();
        let stored = crc32(&bytes);
        for at in 0..bytes.len() + 4 {
            for bit in 0..8 {
                let flip = Flip { at, mask: 1 << bit };
                let (mut bytes, mut stored) = (bytes.clone(), stored.to_le_bytes());
                match bytes.get_mut(at) {
                    Some(byte) => *byte ^= flip.mask,
                    None => stored[at - bytes.len()] ^= flip.mask,
                }
                assert_eq!(flipped(&bytes, u32::from_le_bytes(stored)), Some(flip));
                let other = (at + 7) % bytes.len();
                bytes[other] ^= 1;
                if other != at {
                    assert_eq!(flipped(&bytes, u32::from_le_bytes(stored)), None);
                }
            }
        }
    }
}
