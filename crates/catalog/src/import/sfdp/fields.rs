//! A table of DWORDs and the fields in it.

use crate::import::Field;

/// A parameter table.
pub(super) struct SfdpTable {
    /// Short name, for places.
    pub(super) name: &'static str,
    /// Name and revision, as sheets cite the table.
    pub(super) title: String,
    /// Where it stands in the dump.
    pub(super) offset: usize,
    pub(super) words: Vec<u32>,
}

/// Bits of a DWORD, from high to low, as the standard counts: DWORDs from 1, bits from 0.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub(super) word: usize,
    pub(super) high: u32,
    pub(super) low: u32,
}

/// Names bits of a DWORD.
pub(super) const fn bits(word: usize, high: u32, low: u32) -> Bits {
    Bits { word, high, low }
}

impl Bits {
    pub(super) const fn width(self) -> u32 {
        self.high - self.low + 1
    }
}

impl SfdpTable {
    /// Whether the table is long enough to hold a DWORD.
    pub(super) fn has(&self, word: usize) -> bool {
        word <= self.words.len()
    }

    /// The value of bits; 0 where the table is too short to hold them.
    pub(super) fn get(&self, at: Bits) -> u32 {
        let word = self.words.get(at.word - 1).copied().unwrap_or(0);
        (word >> at.low) & (u32::MAX >> (32 - at.width()))
    }

    /// Whether a single bit is set.
    pub(super) fn is_set(&self, word: usize, bit: u32) -> bool {
        self.get(bits(word, bit, bit)) == 1
    }

    /// The byte of the dump in which bits begin.
    pub(super) fn offset(&self, at: Bits) -> usize {
        self.offset + 4 * (at.word - 1) + at.low as usize / 8
    }

    pub(super) fn place(&self, at: Bits) -> String {
        let Bits { word, high, low } = at;
        match at.width() {
            32 => format!("{} DWORD {word}", self.name),
            1 => format!("{} DWORD {word} bit {low}", self.name),
            _ => format!("{} DWORD {word} bits {high}:{low}", self.name),
        }
    }

    pub(super) fn field(&self, at: Bits, name: &str, meaning: impl Into<String>) -> Field {
        Field {
            offset: self.offset(at),
            place: self.place(at),
            name: name.to_owned(),
            raw: hex(self.get(at), at.width()),
            meaning: meaning.into(),
        }
    }

    /// How a sheet cites DWORDs of this table: `SFDP, basic table 1.6, 10th and 11th words`.
    pub(super) fn source(&self, words: &[usize]) -> String {
        let names: Vec<_> = words.iter().map(|word| ordinal(*word)).collect();
        let plural = if words.len() > 1 { "s" } else { "" };
        format!("SFDP, {}, {} word{plural}", self.title, names.join(" and "))
    }
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A value with as many hexadecimal digits as its bits need.
pub(super) fn hex(value: u32, bits: u32) -> String {
    format!("{value:0digits$X}h", digits = bits.div_ceil(4) as usize)
}
