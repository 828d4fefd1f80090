//! The two checks of a record, and which single bit is wrong where one is.
//!
//! CRC-16/X-25's polynomial 0x1021 is read with every value; CRC-32C's 0x1EDC6F41 is read when a table is opened. Both
//! are reflected (least significant bit first) and go through eight bytes at a time with tables of 4 KiB and 8 KiB, which
//! the compiler makes ("slicing by 8", Kounavis and Berry, ISCC 2005). Parameters and check values: the catalogue of
//! parametrised CRC algorithms by Greg Cook, entries CRC-16/IBM-SDLC and CRC-32/ISCSI.

/// A reflected CRC as wide as a type of word: from all ones, inverted at the end. A generic type could not do: constant
/// functions, which make the tables, know no traits.
macro_rules! crc {
    ($(#[$meta:meta])* $name:ident, $word:ty, $polynomial:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name($word);

        impl $name {
            /// `TABLES[n][b]`: what byte `b` does to the remainder once `n` more bytes have followed.
            #[inline]
            fn tables() -> &'static [[$word; 256]; 8] {
                static TABLES: [[$word; 256]; 8] = $name::make_tables();
                &TABLES
            }

            const fn make_tables() -> [[$word; 256]; 8] {
                let mut tables = [[0; 256]; 8];
                let mut byte = 0;
                while byte < 256 {
                    let mut rest = byte as $word;
                    let mut bit = 0;
                    while bit < 8 {
                        rest = (rest >> 1) ^ if rest & 1 == 1 { $polynomial } else { 0 };
                        bit += 1;
                    }
                    let mut after = 0;
                    while after < 8 {
                        tables[after][byte] = rest;
                        // One more byte, of zero.
                        let mut bit = 0;
                        while bit < 8 {
                            rest = (rest >> 1) ^ if rest & 1 == 1 { $polynomial } else { 0 };
                            bit += 1;
                        }
                        after += 1;
                    }
                    byte += 1;
                }
                tables
            }

            /// Of no bytes.
            #[inline]
            pub(crate) const fn new() -> Self {
                Self(<$word>::MAX)
            }

            /// Goes on with these bytes.
            #[must_use]
            pub(crate) fn with(self, bytes: &[u8]) -> Self {
                self.with_inline(bytes)
            }

            /// The same where every call counts.
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
                let tables = Self::tables();
                let before = self.0.to_le_bytes();
                // What of the remainder these bytes do not shift out.
                let mut rest = u64::from(self.0).unbounded_shr(8 * N as u32) as $word;
                for (place, byte) in bytes.iter().enumerate() {
                    let with = before.get(place).copied().unwrap_or(0);
                    rest ^= tables[N - 1 - place][usize::from(byte ^ with)];
                }
                Self(rest)
            }

            /// The check of all bytes so far.
            #[inline]
            pub(crate) const fn value(self) -> $word {
                !self.0
            }
        }
    };
}

crc!(
    /// A CRC-16 in the making.
    Crc16,
    u16,
    0x8408
);
crc!(
    /// A CRC-32C in the making.
    Crc32,
    u32,
    0x82F6_3B78
);

/// The CRC-32C of bytes.
#[inline]
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    Crc32::new().with(bytes).value()
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
    let mut effects: [u32; 8] = core::array::from_fn(|bit| Crc32::tables()[0][1 << bit]);
    for at in (0..bytes.len()).rev() {
        if let Some(bit) = effects.iter().position(|effect| *effect == syndrome) {
            return Some(Flip { at, mask: 1 << bit });
        }
        for effect in &mut effects {
            *effect = (*effect >> 8) ^ Crc32::tables()[0][(*effect & 0xFF) as usize];
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const NINE: &[u8] = b"123456789";

    #[test]
    fn the_check_values_are_those_of_the_catalogue() {
        assert_eq!(Crc16::new().with(NINE).value(), 0x906E);
        assert_eq!(crc32(NINE), 0xE306_9283);
        assert_eq!(crc8(NINE), 0xF4);
    }

    #[test]
    fn pieces_give_the_check_of_the_whole() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = Crc16::new().with(&bytes).value();
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(
                Crc16::new().with(head).with(tail).value(),
                whole,
                "at {cut}"
            );
        }
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
