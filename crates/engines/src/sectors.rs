//! A byte memory as sectors, and any memory of sectors as one type.

use std::fmt::Display;

use wordline_memory::{BlockDevice, BlockMisuse, ByteMemory};

/// A byte memory as sectors that can be overwritten: MRAM, FRAM, EEPROM, a card. A flush is a
/// [persist](ByteMemory::persist); a trim does nothing.
///
/// # Power cuts
/// A sector that is being written when the power goes is a mixture where the memory's
/// [atom](ByteMemory::atom) is smaller than a sector: weaker than [`BlockDevice`] promises, and what a driver of such
/// a memory gives.
#[derive(Clone, Debug)]
pub struct Sectors<M> {
    memory: M,
    sector_bytes: usize,
}

impl<M: ByteMemory> Sectors<M> {
    /// Sectors of 512 bytes; what is left of a last one is not used.
    pub const fn new(memory: M) -> Self {
        Self {
            memory,
            sector_bytes: 512,
        }
    }

    /// Sectors of another size in bytes; `None` for sectors of no bytes.
    pub fn of_bytes(memory: M, sector_bytes: usize) -> Option<Self> {
        if sector_bytes == 0 {
            return None;
        }
        Some(Self {
            memory,
            sector_bytes,
        })
    }

    /// The memory.
    pub const fn memory(&self) -> &M {
        &self.memory
    }

    /// Where an access begins in bytes.
    fn place(&self, sector: u64, bytes: usize) -> Result<u64, BlockMisuse> {
        let count = BlockMisuse::count(bytes, self.sector_bytes)?;
        BlockMisuse::check(sector, count, self.sectors())?;
        Ok(sector * self.sector_bytes as u64)
    }
}

/// What can go wrong with [`Sectors`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectorsError<E> {
    /// The caller left the device, or gave a part of a sector.
    #[error("{0}")]
    Misuse(BlockMisuse),
    /// The memory failed.
    #[error("{0}")]
    Memory(E),
}

impl<E> From<BlockMisuse> for SectorsError<E> {
    fn from(misuse: BlockMisuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl<M: ByteMemory> BlockDevice for Sectors<M> {
    type Error = SectorsError<M::Error>;

    fn sector_bytes(&self) -> usize {
        self.sector_bytes
    }

    fn sectors(&self) -> u64 {
        self.memory.len() / self.sector_bytes as u64
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), Self::Error> {
        let at = self.place(sector, out.len())?;
        self.memory.read(at, out).map_err(SectorsError::Memory)
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), Self::Error> {
        let at = self.place(sector, data.len())?;
        self.memory.write(at, data).map_err(SectorsError::Memory)
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), Self::Error> {
        Ok(BlockMisuse::check(sector, count, self.sectors())?)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.memory.persist().map_err(SectorsError::Memory)
    }
}

struct WordedSectors<D>(D);

impl<D: BlockDevice<Error: Display>> BlockDevice for WordedSectors<D> {
    type Error = String;

    fn sector_bytes(&self) -> usize {
        self.0.sector_bytes()
    }

    fn sectors(&self) -> u64 {
        self.0.sectors()
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), String> {
        let read = self.0.read(sector, out);
        read.map_err(|error| error.to_string())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), String> {
        let written = self.0.write(sector, data);
        written.map_err(|error| error.to_string())
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), String> {
        let trimmed = self.0.trim(sector, count);
        trimmed.map_err(|error| error.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.0.flush().map_err(|error| error.to_string())
    }
}

/// A block device of any type, whose errors are words.
pub struct SectorBox(pub(crate) Box<dyn BlockDevice<Error = String> + Send>);

impl SectorBox {
    /// Bytes in a sector.
    #[must_use]
    pub fn sector_bytes(&self) -> usize {
        self.0.sector_bytes()
    }

    /// Sectors of the device.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        self.0.sectors()
    }
}

impl<D: BlockDevice<Error: Display> + Send + 'static> From<D> for SectorBox {
    fn from(device: D) -> Self {
        Self(Box::new(WordedSectors(device)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_memory::RamMemory;

    #[test]
    fn sectors_lie_one_behind_the_other() {
        let mut sectors = Sectors::of_bytes(RamMemory::<11>::new(), 4).expect("bytes");
        assert_eq!(sectors.sectors(), 2);
        sectors.write(1, &[1, 2, 3, 4]).expect("inside");
        sectors.flush().expect("RAM");
        sectors.trim(0, 2).expect("inside");
        let mut out = [9; 8];
        sectors.read(0, &mut out).expect("inside");
        assert_eq!(out, [0, 0, 0, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn parts_of_sectors_and_the_rest_of_the_memory_are_refused() {
        let mut sectors = Sectors::of_bytes(RamMemory::<11>::new(), 4).expect("bytes");
        assert!(sectors.write(0, &[1; 3]).is_err());
        assert!(sectors.write(1, &[1; 8]).is_err());
        assert!(sectors.read(2, &mut [0; 4]).is_err());
        assert!(sectors.trim(1, 2).is_err());
        assert_eq!(sectors.read(2, &mut []), Ok(()));
        assert!(Sectors::of_bytes(RamMemory::<11>::new(), 0).is_none());
        let mut all = [9; 8];
        sectors.read(0, &mut all).expect("inside");
        assert_eq!(all, [0; 8]);
    }
}
