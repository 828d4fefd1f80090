//! How a memory is divided, and the RAM that its files need.

use wordline_memory::ByteMemory;

use crate::FlatError;
use crate::checksum::crc32;
use crate::record::{EXTENTS_MAX, SLOT_BYTES};
use crate::tables::FILE_WORDS;

/// The version of the written format.
pub const VERSION: u16 = 1;

/// Bytes of a unit, at least and at most.
pub(crate) const UNIT_BYTES_MIN: u32 = 64;
pub(crate) const UNIT_BYTES_MAX: u32 = 1 << 20;

/// Records, at least.
pub(crate) const RECORDS_MIN: u32 = 16;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 64;

/// The first bytes of a memory that holds files.
const MAGIC: [u8; 8] = *b"WL-FLAT\0";

/// How a memory is divided: chosen when it is formatted, and stored in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatShape {
    /// Bytes of the memory that the files have.
    pub bytes: u64,
    /// Bytes of a unit: files take whole units. A power of two, 64 bytes to 1 MiB.
    pub unit_bytes: u32,
    /// Slots of 128 bytes. A file or directory takes one, and one more for every 104 bytes by which its name and its
    /// extents of 8 bytes exceed 56 bytes. Seven are kept free. At least 16.
    pub records: u32,
    /// The most extents of a file, 1 to 48.
    pub extents: u32,
}

impl FlatShape {
    /// What suits most uses of a memory of some bytes: at most 32768 units of at least 256 bytes, a record for every
    /// 2 KiB but 16 to 1024, and 32 extents.
    #[must_use]
    pub fn usual(bytes: u64) -> Self {
        let unit = (bytes / 32_768).next_power_of_two();
        Self {
            bytes,
            unit_bytes: unit.clamp(256, u64::from(UNIT_BYTES_MAX)) as u32,
            records: (bytes / 2048).clamp(u64::from(RECORDS_MIN), 1024) as u32,
            extents: 32,
        }
    }

    /// Where the first unit begins, in bytes: at a multiple of units, so that no atom lies in two.
    pub(crate) fn data_at(&self) -> u64 {
        let records = HEADER_BYTES as u64 + u64::from(self.records) * SLOT_BYTES;
        records.next_multiple_of(u64::from(self.unit_bytes.max(1)))
    }

    /// How many units there are.
    #[must_use]
    pub fn units(&self) -> u32 {
        let data = self.bytes.saturating_sub(self.data_at());
        u32::try_from(data / u64::from(self.unit_bytes.max(1))).unwrap_or(u32::MAX)
    }

    /// Words of 32 bits of RAM: a bit for each unit, a word for each record, and 8 words and two for each extent for each
    /// file that can be open at a time. Of a shape that [`check`](Self::check) refuses the number has no meaning.
    #[must_use]
    pub fn ram_words(&self, use_of_ram: &FlatUse) -> u64 {
        let of_file = FILE_WORDS as u64 + 2 * u64::from(self.extents);
        let of_files = u64::from(use_of_ram.open_files).saturating_mul(of_file);
        (u64::from(self.units().div_ceil(32)) + u64::from(self.records)).saturating_add(of_files)
    }

    /// Checks that a memory can be divided so, as a format and a mount do.
    ///
    /// # Errors
    /// [`FlatError::Shape`] or [`FlatError::Capacity`].
    pub fn check<E>(&self) -> Result<(), FlatError<E>> {
        let unit = self.unit_bytes;
        let fits = (UNIT_BYTES_MIN..=UNIT_BYTES_MAX).contains(&unit) && unit.is_power_of_two();
        let records = RECORDS_MIN..=u32::MAX / SLOT_BYTES as u32;
        if !fits || !records.contains(&self.records) || !(1..=EXTENTS_MAX).contains(&self.extents) {
            return Err(FlatError::Shape {
                unit_bytes: unit,
                records: self.records,
                extents: self.extents,
            });
        }
        let needed = self.data_at() + u64::from(unit);
        match self.bytes < needed || self.bytes > 1 << 32 {
            true => Err(FlatError::Capacity {
                needed,
                bytes: self.bytes,
            }),
            false => Ok(()),
        }
    }

    /// The header.
    pub(crate) fn encoded(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..10].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&self.unit_bytes.to_le_bytes());
        header[16..20].copy_from_slice(&self.records.to_le_bytes());
        header[20..24].copy_from_slice(&self.extents.to_le_bytes());
        header[24..32].copy_from_slice(&self.bytes.to_le_bytes());
        let check = crc32(&[&header[..60]]);
        header[60..].copy_from_slice(&check.to_le_bytes());
        header
    }

    /// Reads the header of a memory that holds files.
    ///
    /// # Errors
    /// [`FlatError::Foreign`] where it holds none, [`FlatError::DamagedHeader`], [`FlatError::Version`],
    /// [`FlatError::Truncated`], or the memory fails.
    pub fn of<M: ByteMemory>(memory: &mut M) -> Result<Self, FlatError<M::Error>> {
        Self::read(memory, true)
    }

    pub(crate) fn read<M: ByteMemory>(
        memory: &mut M,
        checks: bool,
    ) -> Result<Self, FlatError<M::Error>> {
        let mut header = [0; HEADER_BYTES];
        if memory.len() < HEADER_BYTES as u64 {
            return Err(FlatError::Foreign);
        }
        memory.read(0, &mut header)?;
        if header[..8] != MAGIC {
            return Err(FlatError::Foreign);
        }
        if checks && crc32(&[&header[..60]]).to_le_bytes() != header[60..] {
            return Err(FlatError::DamagedHeader);
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
        let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        if half(8) != VERSION || half(10) != 0 {
            return Err(FlatError::Version {
                version: half(8),
                features: half(10),
            });
        }
        let shape = Self {
            bytes: u64::from(word(24)) | u64::from(word(28)) << 32,
            unit_bytes: word(12),
            records: word(16),
            extents: word(20),
        };
        shape
            .check::<M::Error>()
            .map_err(|_| FlatError::DamagedHeader)?;
        match shape.bytes > memory.len() {
            true => Err(FlatError::Truncated {
                needed: shape.bytes,
                bytes: memory.len(),
            }),
            false => Ok(shape),
        }
    }
}

/// How files are used: chosen at each mount, and not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatUse {
    /// Files that can be open at a time.
    pub open_files: u32,
    /// Bytes that a file which grows takes at least, while it is open: half of what it has, but this much at least, and an
    /// eighth of the free space at most.
    pub reserve_bytes: u32,
}

impl Default for FlatUse {
    /// Eight open files, and 4 KiB.
    fn default() -> Self {
        Self {
            open_files: 8,
            reserve_bytes: 4096,
        }
    }
}
