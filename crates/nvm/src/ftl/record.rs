//! What is stored with each page, byte by byte: the record in its spare area, the summary of a block, and
//! the mark of a formatted flash. `FTL.md` has the same as tables.

use std::ops::Range;

use wordline_memory::Geometry;

use super::media::{CellMode, PageKind, PageRecord};
use crate::chip::nand::NandSheet;

/// Bytes of a record.
pub(super) const RECORD_BYTES: usize = wordline_rtfs::RECORD_BYTES;

/// Bytes of a record that its check covers, beside the main area.
const CHECKED: usize = RECORD_BYTES - 4;

/// Sequence numbers have this many bits.
#[cfg(test)]
pub(super) const SEQUENCE_BITS: u32 = 48;

/// Sequence numbers of one mount count in this many bits; those above number the mounts.
const COUNTER_BITS: u32 = 24;

/// Bytes of one page's line in a summary: tag, logical page, sequence number.
const LINE_BYTES: usize = 11;

/// Bytes in front of the lines of a page of a summary: number of the first line, lines, erases.
const HEADER_BYTES: usize = 8;

/// High half of a record's first byte, so that no record is an erased one.
const TAG: u8 = 0x50;

/// The bit of a record's first byte that is set in a block of one bit a cell.
const SLC: u8 = 0x08;

/// What a page is used for, on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A page of the layer.
    Page(PageKind),
    /// Part of a block's summary; the record's logical page is its number.
    Summary,
    /// The mark of a formatted flash.
    Mark,
}

impl Role {
    const fn code(self) -> u8 {
        match self {
            Self::Page(PageKind::Data) => 0,
            Self::Page(PageKind::Filler) => 1,
            Self::Page(PageKind::Lost) => 2,
            Self::Page(PageKind::Recovered) => 3,
            Self::Summary => 4,
            Self::Mark => 5,
        }
    }

    const fn of(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Page(PageKind::Data),
            1 => Self::Page(PageKind::Filler),
            2 => Self::Page(PageKind::Lost),
            3 => Self::Page(PageKind::Recovered),
            4 => Self::Summary,
            5 => Self::Mark,
            _ => return None,
        })
    }
}

/// A record as it stands on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredRecord {
    pub(super) role: Role,
    pub(super) mode: CellMode,
    pub(super) logical: u32,
    pub(super) sequence: u64,
}

/// What a page was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchedPage {
    /// Nothing: every byte reads as erased.
    Erased,
    /// Something that is no whole page: the power was cut while it was programmed or erased, or it
    /// decayed.
    Torn,
    /// A page with its record.
    Whole(StoredRecord),
}

/// The first sequence number of the mount after the one that gave `last`.
pub(super) const fn next_epoch(last: u64) -> u64 {
    ((last >> COUNTER_BITS) + 1) << COUNTER_BITS
}

impl StoredRecord {
    /// The bytes of the record of a page with this main area.
    pub(super) fn encode(self, main: &[u8]) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[0] = tag(self.role, self.mode);
        bytes[1..5].copy_from_slice(&self.logical.to_le_bytes());
        bytes[5..CHECKED].copy_from_slice(&self.sequence.to_le_bytes()[..6]);
        let check = crc32(&[&bytes[..CHECKED], main]);
        bytes[CHECKED..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The record, if its bytes and those of the main area belong together, or if `checked` is false.
    pub(super) fn decode(bytes: [u8; RECORD_BYTES], main: &[u8], checked: bool) -> Option<Self> {
        let check = crc32(&[&bytes[..CHECKED], main]);
        if checked && bytes[CHECKED..] != check.to_le_bytes() {
            return None;
        }
        let (role, mode) = untag(bytes[0])?;
        Some(Self {
            role,
            mode,
            logical: number(&bytes[1..5]) as u32,
            sequence: number(&bytes[5..CHECKED]),
        })
    }
}

const fn tag(role: Role, mode: CellMode) -> u8 {
    let slc = match mode {
        CellMode::Native => 0,
        CellMode::Slc => SLC,
    };
    TAG | slc | role.code()
}

const fn untag(tag: u8) -> Option<(Role, CellMode)> {
    if tag & 0xF0 != TAG {
        return None;
    }
    let mode = if tag & SLC != 0 {
        CellMode::Slc
    } else {
        CellMode::Native
    };
    match Role::of(tag & 0x07) {
        Some(role) => Some((role, mode)),
        None => None,
    }
}

/// A number of up to eight bytes, the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev();
    digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// How many pages a summary of a block takes.
pub(super) const fn summary_pages(page_bytes: u32, pages_per_block: u32) -> u32 {
    let lines = lines_per_page(page_bytes as usize) as u32;
    let mut pages = 1;
    while pages * lines < pages_per_block.saturating_sub(pages) {
        pages += 1;
    }
    pages
}

/// Lines of a summary that fit in a page.
const fn lines_per_page(page_bytes: usize) -> usize {
    page_bytes.saturating_sub(HEADER_BYTES) / LINE_BYTES
}

/// The main areas of the pages of a summary of a block that was erased so often.
pub(super) fn encode_summary(
    records: &[PageRecord],
    erases: u32,
    page_bytes: usize,
    pages: u32,
) -> Vec<Vec<u8>> {
    let lines = lines_per_page(page_bytes).max(1);
    let part = |part: usize| {
        let first = (part * lines).min(records.len());
        let listed = &records[first..records.len().min(first + lines)];
        let mut main = vec![0xFF; page_bytes];
        main[..2].copy_from_slice(&(first as u16).to_le_bytes());
        main[2..4].copy_from_slice(&(listed.len() as u16).to_le_bytes());
        main[4..HEADER_BYTES].copy_from_slice(&erases.to_le_bytes());
        let places = main[HEADER_BYTES..].chunks_exact_mut(LINE_BYTES);
        for (line, record) in places.zip(listed) {
            line[0] = tag(Role::Page(record.kind), CellMode::Native);
            line[1..5].copy_from_slice(&record.logical.to_le_bytes());
            line[5..].copy_from_slice(&record.sequence.to_le_bytes()[..6]);
        }
        main
    };
    (0..pages as usize).map(part).collect()
}

/// Adds the lines of one page of a summary, and returns how often its block was erased; `None` where it does
/// not go on with the lines.
pub(super) fn decode_summary(main: &[u8], records: &mut Vec<PageRecord>) -> Option<u32> {
    let first = number(main.get(..2)?) as usize;
    let count = number(main.get(2..4)?) as usize;
    let erases = number(main.get(4..HEADER_BYTES)?) as u32;
    if first != records.len() || count > lines_per_page(main.len()) {
        return None;
    }
    for line in main[HEADER_BYTES..].chunks_exact(LINE_BYTES).take(count) {
        let (Role::Page(kind), _) = untag(line[0])? else {
            return None;
        };
        records.push(PageRecord {
            kind,
            logical: number(&line[1..5]) as u32,
            sequence: number(&line[5..]),
        });
    }
    Some(erases)
}

/// Which bytes of a page's spare area hold its record.
///
/// ```
/// use wordline_nvm::ftl::{LayoutError, SpareLayout};
/// // Four ranges that the ECC on the die covers.
/// assert!(SpareLayout::new([4..8, 20..24, 36..40, 52..56]).is_ok());
/// assert_eq!(SpareLayout::new([4..8]), Err(LayoutError::TooSmall { found: 4, needed: 15 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpareLayout {
    /// Counted from the start of the spare area.
    columns: [u32; RECORD_BYTES],
}

/// Why a spare area cannot hold records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// There is none, as in NOR flash.
    #[error(
        "the flash has no spare area, and the layer stores a record of {RECORD_BYTES} bytes beside each page: \
         take NAND, or a log for NOR flash"
    )]
    NoSpare,
    /// Too few of its bytes are left.
    #[error("a record takes {needed} bytes of the spare area, and {found} are left for it")]
    TooSmall {
        /// Bytes that are left by marks and check bits.
        found: u32,
        /// Bytes that a record takes.
        needed: u32,
    },
    /// A range leaves it, or comes twice.
    #[error(
        "byte {column} of the spare area is used twice, or lies outside its {spare_bytes} bytes"
    )]
    Column {
        /// The byte, counted from the start of the spare area.
        column: u32,
        /// Bytes of the spare area.
        spare_bytes: u32,
    },
}

impl SpareLayout {
    /// Records in the first bytes of ranges, which are counted from the start of the spare area.
    ///
    /// # Errors
    /// [`LayoutError::TooSmall`], or [`LayoutError::Column`] where a byte comes twice.
    pub fn new(ranges: impl IntoIterator<Item = Range<u32>>) -> Result<Self, LayoutError> {
        let mut columns = [0; RECORD_BYTES];
        let mut found = 0;
        for column in ranges.into_iter().flatten().take(RECORD_BYTES) {
            if columns[..found].contains(&column) {
                let spare_bytes = u32::MAX;
                return Err(LayoutError::Column {
                    column,
                    spare_bytes,
                });
            }
            columns[found] = column;
            found += 1;
        }
        if found < RECORD_BYTES {
            return Err(LayoutError::TooSmall {
                found: found as u32,
                needed: RECORD_BYTES as u32,
            });
        }
        Ok(Self { columns })
    }

    /// Records behind the first two bytes of the spare area, which most chips keep for marks of bad
    /// blocks. The flash corrects the spare area itself, or has nothing to correct.
    ///
    /// # Errors
    /// [`LayoutError::NoSpare`], [`LayoutError::TooSmall`].
    pub fn behind_mark(geometry: &Geometry) -> Result<Self, LayoutError> {
        if geometry.spare_bytes == 0 {
            return Err(LayoutError::NoSpare);
        }
        let behind = 2..geometry.spare_bytes.max(2);
        Self::new(std::iter::once(behind))
    }

    /// What a sheet leaves: with an ECC on the die the bytes that it covers; else those between the mark
    /// of bad blocks and the check bits of the driver's ECC, which are taken to lie at the end, 13 for
    /// each bit that is corrected in 512 bytes (BCH over GF(2¹³)) and 24 at least.
    ///
    /// # Errors
    /// [`LayoutError::NoSpare`], [`LayoutError::TooSmall`].
    pub fn of(sheet: &NandSheet) -> Result<Self, LayoutError> {
        let geometry = sheet.geometry();
        if geometry.spare_bytes == 0 {
            return Err(LayoutError::NoSpare);
        }
        let mark = sheet
            .bad_block_mark
            .as_ref()
            .map_or(0, |mark| *mark.value());
        if let Some(ecc) = &sheet.ecc {
            let protected = ecc.protected.as_ref().map(|list| list.value().as_slice());
            let ranges = protected.unwrap_or_default().iter();
            let columns = ranges.flat_map(|range| range.start..range.end);
            let free = columns.filter(|column| *column != mark);
            return Self::new(free.map(|column| column..column + 1));
        }
        let bits = sheet.host_ecc_bits.as_ref().map_or(0, |bits| *bits.value());
        let check = bits.saturating_mul(13).max(24).div_ceil(8);
        let checks = check.saturating_mul(geometry.page_bytes.div_ceil(512));
        let end = geometry.spare_bytes.saturating_sub(checks);
        Self::new([0..mark.min(end), mark + 1..end.max(mark + 1)])
    }

    /// The columns of a record's bytes, counted from the start of the spare area.
    #[must_use]
    pub const fn columns(&self) -> &[u32; RECORD_BYTES] {
        &self.columns
    }

    /// Checks the layout against the spare area of a flash.
    pub(super) fn check(&self, geometry: &Geometry) -> Result<(), LayoutError> {
        let spare_bytes = geometry.spare_bytes;
        if spare_bytes == 0 {
            return Err(LayoutError::NoSpare);
        }
        match self.columns.iter().find(|column| **column >= spare_bytes) {
            None => Ok(()),
            Some(column) => Err(LayoutError::Column {
                column: *column,
                spare_bytes,
            }),
        }
    }

    /// A number that differs where the columns do.
    pub(super) fn check_of_columns(&self) -> u32 {
        crc32(&[self.columns.map(u32::to_le_bytes).as_flattened()])
    }

    pub(super) fn put(&self, spare: &mut [u8], record: [u8; RECORD_BYTES]) {
        for (column, byte) in self.columns.iter().zip(record) {
            spare[*column as usize] = byte;
        }
    }

    pub(super) fn get(&self, spare: &[u8]) -> [u8; RECORD_BYTES] {
        self.columns.map(|column| spare[column as usize])
    }
}

/// CRC-32 of ISO/IEC 8802-3: polynomial 0x04C11DB7, reflected, inverted before and after.
pub(super) fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = u32::MAX;
    for part in parts {
        let mut words = part.chunks_exact(4);
        for word in &mut words {
            // Four bytes at a time, by tables of what each does behind the others.
            let [a, b, c, d] = (crc ^ number(word) as u32).to_le_bytes();
            crc = CRC[3][a as usize] ^ CRC[2][b as usize] ^ CRC[1][c as usize] ^ CRC[0][d as usize];
        }
        for byte in words.remainder() {
            crc = crc >> 8 ^ CRC[0][(crc as u8 ^ byte) as usize];
        }
    }
    !crc
}

static CRC: [[u32; 256]; 4] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut behind = 1;
    while behind < 4 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[behind - 1][byte];
            tables[behind][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        behind += 1;
    }
    tables
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
