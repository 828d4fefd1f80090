//! Memories that are read and written in sectors: SD cards, eMMC, SSDs, disk images.

use core::fmt;

/// A memory of numbered sectors, each of which can be written again without an erase.
///
/// One call moves any number of neighbouring sectors; the length of its buffer is a whole number
/// of them. A write is visible to later reads at once.
///
/// # Power cuts
/// A write that returned survives a power cut after the next [`flush`](BlockDevice::flush) that
/// succeeds. Until then, and during the write, each of its sectors is on its own and in any order
/// old, new, or unreadable until it is written again; it is never a mixture. Sectors that were not
/// written are as they were.
pub trait BlockDevice {
    /// What can go wrong.
    type Error;

    /// Bytes in a sector; not 0.
    fn sector_bytes(&self) -> usize;

    /// Sectors in the device.
    fn sectors(&self) -> u64;

    /// Capacity in bytes.
    fn capacity_bytes(&self) -> u64 {
        self.sectors().saturating_mul(self.sector_bytes() as u64)
    }

    /// Fills `out` with the sectors from `sector` on.
    ///
    /// # Errors
    /// When `out` is no whole number of sectors or they leave the device, or the device cannot
    /// read one of them. `out` is then unspecified.
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), Self::Error>;

    /// Stores `data` in the sectors from `sector` on.
    ///
    /// # Errors
    /// When `data` is no whole number of sectors or they leave the device (nothing is written
    /// then), or the device fails: each sector of the write is then as after a power cut.
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), Self::Error>;

    /// Informs the device that `count` sectors from `sector` on hold nothing of use. Until a sector is
    /// written again, a read of it returns zeros or any one version that was written to it before, whole;
    /// never another sector's bytes. A power cut may change which, and may leave a sector that cannot be
    /// read; a flush promises nothing of it. A device may do nothing, also to a part of the range alone.
    ///
    /// # Errors
    /// When the sectors leave the device (nothing is trimmed then), or the device fails: the
    /// sectors are then as if trimmed.
    fn trim(&mut self, sector: u64, count: u64) -> Result<(), Self::Error>;

    /// Returns when every earlier write survives a power cut. Of a trim nothing is promised.
    ///
    /// # Errors
    /// When the device fails. Every write since the last flush that succeeded is then in doubt,
    /// also after a later flush that succeeds: write it again.
    fn flush(&mut self) -> Result<(), Self::Error>;
}

/// How a caller broke the rules of a block device. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMisuse {
    /// The buffer is no whole number of sectors.
    PartSector {
        /// Length of the buffer in bytes.
        bytes: u64,
        /// Bytes in a sector.
        sector_bytes: u64,
    },
    /// The access leaves the device.
    OutOfRange {
        /// First sector of the access.
        sector: u64,
        /// Length of the access in sectors.
        count: u64,
        /// Sectors in the device.
        sectors: u64,
    },
}

impl BlockMisuse {
    /// Checks an access against a number of sectors.
    ///
    /// # Errors
    /// [`BlockMisuse::OutOfRange`].
    pub fn check(sector: u64, count: u64, sectors: u64) -> Result<(), Self> {
        match sector.checked_add(count) {
            Some(end) if end <= sectors => Ok(()),
            _ => Err(Self::OutOfRange {
                sector,
                count,
                sectors,
            }),
        }
    }

    /// How many sectors a buffer holds; both lengths are in bytes, and `sector_bytes` is not 0.
    ///
    /// # Errors
    /// [`BlockMisuse::PartSector`].
    pub fn count(bytes: usize, sector_bytes: usize) -> Result<u64, Self> {
        if bytes.is_multiple_of(sector_bytes) {
            Ok((bytes / sector_bytes) as u64)
        } else {
            Err(Self::PartSector {
                bytes: bytes as u64,
                sector_bytes: sector_bytes as u64,
            })
        }
    }
}

impl fmt::Display for BlockMisuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartSector {
                bytes,
                sector_bytes,
            } => write!(
                f,
                "{bytes} bytes are no whole number of sectors of {sector_bytes} bytes"
            ),
            Self::OutOfRange {
                sector,
                count,
                sectors,
            } => write!(
                f,
                "{count} sectors at sector {sector} leave a device of {sectors} sectors"
            ),
        }
    }
}

impl core::error::Error for BlockMisuse {}

/// `SECTORS` sectors of `SECTOR_BYTES` bytes in plain RAM behind the contract: the reference that
/// simulated devices are compared with, and a home for engines in tests. A trim sets zeros.
#[derive(Clone, Debug)]
pub struct RamBlockDevice<const SECTOR_BYTES: usize, const SECTORS: usize> {
    sectors: [[u8; SECTOR_BYTES]; SECTORS],
}

impl<const SECTOR_BYTES: usize, const SECTORS: usize> RamBlockDevice<SECTOR_BYTES, SECTORS> {
    /// A device of zeros. A type whose sectors have no bytes does not compile.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(SECTOR_BYTES > 0, "a sector has at least one byte") }
        Self {
            sectors: [[0; SECTOR_BYTES]; SECTORS],
        }
    }

    /// The bytes of `count` sectors from `sector` on.
    fn span(&mut self, sector: u64, count: u64) -> Result<&mut [u8], BlockMisuse> {
        BlockMisuse::check(sector, count, SECTORS as u64)?;
        let start = sector as usize;
        Ok(self.sectors[start..start + count as usize].as_flattened_mut())
    }
}

impl<const SECTOR_BYTES: usize, const SECTORS: usize> Default
    for RamBlockDevice<SECTOR_BYTES, SECTORS>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const SECTOR_BYTES: usize, const SECTORS: usize> BlockDevice
    for RamBlockDevice<SECTOR_BYTES, SECTORS>
{
    type Error = BlockMisuse;

    fn sector_bytes(&self) -> usize {
        SECTOR_BYTES
    }

    fn sectors(&self) -> u64 {
        SECTORS as u64
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockMisuse> {
        let count = BlockMisuse::count(out.len(), SECTOR_BYTES)?;
        out.copy_from_slice(self.span(sector, count)?);
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockMisuse> {
        let count = BlockMisuse::count(data.len(), SECTOR_BYTES)?;
        self.span(sector, count)?.copy_from_slice(data);
        Ok(())
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), BlockMisuse> {
        self.span(sector, count)?.fill(0);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BlockMisuse> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xorshift::Xorshift;
    use std::collections::BTreeMap;

    type Device = RamBlockDevice<4, 6>;

    #[test]
    fn sectors_are_written_together_and_their_neighbours_stay() {
        let mut device = Device::new();
        device
            .write(2, &[1, 2, 3, 4, 5, 6, 7, 8])
            .expect("two sectors");
        device.flush().expect("RAM");
        let mut out = [9; 16];
        device.read(1, &mut out).expect("four sectors");
        assert_eq!(out, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0]);
        assert_eq!(device.capacity_bytes(), 24);
    }

    #[test]
    fn part_of_a_sector_and_an_access_across_the_end_change_nothing() {
        let mut device = Device::new();
        let part = BlockMisuse::PartSector {
            bytes: 5,
            sector_bytes: 4,
        };
        assert_eq!(device.write(0, &[1; 5]), Err(part));
        assert_eq!(device.read(0, &mut [0; 5]), Err(part));
        let outside = BlockMisuse::OutOfRange {
            sector: 5,
            count: 2,
            sectors: 6,
        };
        assert_eq!(device.write(5, &[1; 8]), Err(outside));
        assert_eq!(device.read(5, &mut [0; 8]), Err(outside));
        assert_eq!(device.trim(5, 2), Err(outside));
        assert!(device.trim(u64::MAX, 2).is_err());
        let mut all = [9; 24];
        device.read(0, &mut all).expect("inside");
        assert_eq!(all, [0; 24]);
    }

    #[test]
    fn an_empty_access_may_stand_at_the_end() {
        let mut device = Device::new();
        assert_eq!(device.read(6, &mut []), Ok(()));
        assert_eq!(device.write(6, &[]), Ok(()));
        assert_eq!(device.trim(6, 0), Ok(()));
        assert!(device.write(7, &[]).is_err());
    }

    #[test]
    fn random_calls_agree_with_a_map_of_sectors() {
        let (mut met_inside, mut met_outside) = (0, 0);
        for seed in 1..=50 {
            let mut random = Xorshift::new(seed);
            let mut device = Device::new();
            let mut map = BTreeMap::new();
            for step in 0..200 {
                let (sector, count) = (random.below(7), random.below(4));
                let touched = sector..sector + count;
                let done = if random.below(4) == 0 {
                    device.trim(sector, count).map(|()| {
                        touched.for_each(|sector| {
                            map.remove(&sector);
                        });
                    })
                } else {
                    let data: Vec<[u8; 4]> = (0..count)
                        .map(|_| (random.next() as u32).to_le_bytes())
                        .collect();
                    device.write(sector, data.as_flattened()).map(|()| {
                        map.extend(touched.zip(data));
                    })
                };
                assert_eq!(
                    done.is_ok(),
                    sector + count <= 6,
                    "seed {seed}, step {step}"
                );
                if done.is_ok() {
                    met_inside += 1;
                } else {
                    met_outside += 1;
                }
                for sector in 0..6 {
                    let mut out = [9; 4];
                    device.read(sector, &mut out).expect("inside");
                    let expected = map.get(&sector).copied().unwrap_or_default();
                    assert_eq!(out, expected, "seed {seed}, step {step}, sector {sector}");
                }
            }
        }
        assert!(met_inside > 1000 && met_outside > 1000);
    }
}
