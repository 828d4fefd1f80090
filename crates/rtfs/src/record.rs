//! What is stored beside each page: its record.

/// Bytes of a record.
pub const RECORD_BYTES: usize = 15;

/// Bytes of a record that its check covers, beside the main area.
const CHECKED: usize = RECORD_BYTES - 4;

/// Upper bits of a record's first byte, so that no record is an erased one.
const MAGIC: u8 = 0xA0;
const MAGIC_MASK: u8 = 0xE0;
const MOVED: u8 = 0x10;
const FIRST: u8 = 0x08;
const LAST: u8 = 0x04;

/// Tables of 1 KiB for the check. What ships has one, and so has all firmware, which has no room; tests on a host check
/// gigabytes, and have the sixteen that take sixteen bytes at a time.
const CRC_TABLES: usize = if cfg!(all(debug_assertions, not(target_os = "none"))) {
    16
} else {
    1
};

/// CRC-32 of ISO/IEC 8802-3.
const CRC: crc::Crc<u32, crc::Table<CRC_TABLES>> =
    crc::Crc::<u32, crc::Table<CRC_TABLES>>::new(&crc::CRC_32_ISO_HDLC);

/// The number of the part of a header that says that a mount ended. It stands where pages do.
pub(crate) const MOUNTED: u16 = u16::MAX;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageUse {
    /// A logical page.
    Data,
    /// A page of the map; its logical page is its number.
    Map,
    /// A part of the header of its block; its logical page is how often the block was erased.
    Header,
    /// The place of a logical page that cannot be read any more.
    Lost,
}

/// The record of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacedRecord {
    pub(crate) page_use: PageUse,
    /// The page was moved from a block that was being emptied.
    pub(crate) moved: bool,
    /// The page begins a group.
    pub(crate) first: bool,
    /// The page ends a group, which counts from then on.
    pub(crate) last: bool,
    pub(crate) logical: u32,
    /// Which opening of a block the page belongs to.
    pub(crate) sequence: u32,
    /// The number of the part of a header, or [`MOUNTED`]; of data what its writer notes, and 0 of other pages.
    pub(crate) part: u16,
}

impl PacedRecord {
    /// The bytes of the record of a page with this main area.
    pub(crate) fn encode(&self, main: &[u8]) -> [u8; RECORD_BYTES] {
        let mut bytes = self.fields();
        let check = check(&bytes[..CHECKED], main);
        bytes[CHECKED..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The same without the check.
    fn fields(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        let code = match self.page_use {
            PageUse::Data => 0,
            PageUse::Map => 1,
            PageUse::Header => 2,
            PageUse::Lost => 3,
        };
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        bytes[0] = MAGIC
            | code
            | flag(self.moved, MOVED)
            | flag(self.first, FIRST)
            | flag(self.last, LAST);
        bytes[1..5].copy_from_slice(&self.logical.to_le_bytes());
        bytes[5..9].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[9..CHECKED].copy_from_slice(&self.part.to_le_bytes());
        bytes
    }

    /// The record, if its bytes look like one. Whether they belong to the main area is not looked at.
    pub(crate) fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        if bytes[0] & MAGIC_MASK != MAGIC {
            return None;
        }
        let page_use = match bytes[0] & 3 {
            0 => PageUse::Data,
            1 => PageUse::Map,
            2 => PageUse::Header,
            _ => PageUse::Lost,
        };
        Some(Self {
            page_use,
            moved: bytes[0] & MOVED != 0,
            first: bytes[0] & FIRST != 0,
            last: bytes[0] & LAST != 0,
            logical: u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]),
            sequence: u32::from_le_bytes([bytes[5], bytes[6], bytes[7], bytes[8]]),
            part: u16::from_le_bytes([bytes[9], bytes[10]]),
        })
    }

    /// The record, if its bytes and those of the main area belong together.
    pub(crate) fn decode_checked(bytes: &[u8; RECORD_BYTES], main: &[u8]) -> Option<Self> {
        let stored = &bytes[CHECKED..];
        (check(&bytes[..CHECKED], main).to_le_bytes() == stored)
            .then(|| Self::decode(bytes))
            .flatten()
    }
}

/// The records of pages that are moved without a look at their main areas.
///
/// The check is linear: what a change of the record does to it does not depend on the main area, but on its length. So a
/// page whose old check did not fit has a new one that does not fit either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedRecords {
    /// What a main area of zeros does to a check: a factor, modulo the polynomial.
    over_main: u32,
}

impl MovedRecords {
    pub(crate) fn new(page_bytes: u32) -> Self {
        // x to the power of the bits of the main area, by squares.
        let (mut over_main, mut power) = (ONE, X);
        let mut bits = u64::from(page_bytes) * 8;
        while bits > 0 {
            if bits & 1 == 1 {
                over_main = times(over_main, power);
            }
            power = times(power, power);
            bits >>= 1;
        }
        Self { over_main }
    }

    /// The bytes of the record that a page gets which had another one.
    pub(crate) fn encode(
        self,
        old: &[u8; RECORD_BYTES],
        record: &PacedRecord,
    ) -> [u8; RECORD_BYTES] {
        let mut bytes = record.fields();
        let of = |record: &[u8; RECORD_BYTES]| CRC.checksum(&record[..CHECKED]);
        let change = times(of(old) ^ of(&bytes), self.over_main);
        for ((byte, old), change) in bytes[CHECKED..]
            .iter_mut()
            .zip(&old[CHECKED..])
            .zip(change.to_le_bytes())
        {
            *byte = old ^ change;
        }
        bytes
    }
}

/// Polynomials as the check has them: the highest bit is the factor of 1.
const ONE: u32 = 1 << 31;
const X: u32 = 1 << 30;
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// The product of two polynomials, modulo that of the check.
const fn times(mut a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    while a != 0 {
        if a & ONE != 0 {
            product ^= b;
        }
        a <<= 1;
        b = if b & 1 == 1 {
            b >> 1 ^ POLYNOMIAL
        } else {
            b >> 1
        };
    }
    product
}

fn check(record: &[u8], main: &[u8]) -> u32 {
    let mut digest = CRC.digest();
    digest.update(record);
    digest.update(main);
    digest.finalize()
}

/// The hash of a name.
pub(crate) fn name_hash(seed: u32, name: &[u8]) -> u32 {
    let mut digest = CRC.digest();
    digest.update(&seed.to_le_bytes());
    digest.update(name);
    digest.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_and_a_wrong_bit_is_noticed() {
        let main = [0x5A; 64];
        for page_use in [PageUse::Data, PageUse::Map, PageUse::Header, PageUse::Lost] {
            for flags in 0..8 {
                let record = PacedRecord {
                    page_use,
                    moved: flags & 1 != 0,
                    first: flags & 2 != 0,
                    last: flags & 4 != 0,
                    logical: 0x0102_0304,
                    sequence: 0xA0B0_C0D0,
                    part: 0x1234,
                };
                let bytes = record.encode(&main);
                assert_eq!(PacedRecord::decode_checked(&bytes, &main), Some(record));
                for bit in 0..8 * RECORD_BYTES {
                    let mut wrong = bytes;
                    wrong[bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(PacedRecord::decode_checked(&wrong, &main), None);
                }
                let mut other = main;
                other[63] ^= 1;
                assert_eq!(PacedRecord::decode_checked(&bytes, &other), None);
            }
        }
    }

    #[test]
    fn a_page_that_is_moved_gets_the_record_that_its_content_asks_for() {
        for page_bytes in [64, 128, 2048, 4096] {
            let moved = MovedRecords::new(page_bytes);
            let mut main = [0; 4096];
            let main = &mut main[..page_bytes as usize];
            for (at, byte) in main.iter_mut().enumerate() {
                *byte = ((at * 37) >> 3) as u8;
            }
            let old = PacedRecord {
                page_use: PageUse::Data,
                moved: false,
                first: true,
                last: false,
                logical: 4711,
                sequence: 17,
                part: 512,
            };
            let new = PacedRecord {
                moved: true,
                last: true,
                sequence: 0x0102_0304,
                ..old
            };
            assert_eq!(moved.encode(&old.encode(main), &new), new.encode(main));
            // A page that its record does not fit goes on so.
            let mut wrong = old.encode(main);
            wrong[12] ^= 1;
            let bytes = moved.encode(&wrong, &new);
            assert_eq!(PacedRecord::decode_checked(&bytes, main), None);
        }
    }

    #[test]
    fn an_erased_page_has_no_record() {
        assert_eq!(PacedRecord::decode(&[0xFF; RECORD_BYTES]), None);
        assert_eq!(PacedRecord::decode(&[0; RECORD_BYTES]), None);
    }
}
