//! NOR flash as sectors, without a translation layer.

use wordline_memory::{BlockDevice, BlockMisuse, Flash};

use crate::{FsError, FsErrorKind};

/// Flash as sectors that are erased and programmed where they lie: each erase block is a sector. Simple products do so
/// with the 4 KiB erase of serial NOR.
///
/// Every write of a sector wears its block, and the table of a file system that lies in one place wears out first. A
/// trim does nothing. For NAND, with its bad blocks and its limits, take a translation layer instead.
///
/// # Power cuts
/// **It is not safe against them.** A sector whose rewrite is cut holds neither its old bytes nor its new ones, and
/// what it held is lost: with FAT that may be any file of the volume, or all of them. Other sectors are as they were.
#[derive(Clone, Debug)]
pub struct RewrittenSectors<F> {
    flash: F,
}

impl<F: Flash> RewrittenSectors<F> {
    /// The flash as sectors.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where its erase blocks are no power of two from 512 to 4096 bytes, which is what
    /// FAT takes for a sector, or where its spare areas say that it is NAND.
    pub fn new(flash: F) -> Result<Self, FsError> {
        let geometry = flash.geometry();
        let bytes = geometry.block_bytes();
        if geometry.spare_bytes > 0 {
            let why = "it has spare areas: NAND needs a translation layer";
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        if !bytes.is_power_of_two() || !(512..=4096).contains(&bytes) {
            let why = format_args!(
                "its erase blocks of {bytes} B are no sectors: 512, 1024, 2048 or 4096 B, or a translation layer"
            );
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        Ok(Self { flash })
    }

    /// The flash.
    pub const fn flash(&self) -> &F {
        &self.flash
    }

    /// How many sectors an access takes.
    fn check(&self, sector: u64, bytes: usize) -> Result<(), BlockMisuse> {
        let count = BlockMisuse::count(bytes, self.sector_bytes())?;
        BlockMisuse::check(sector, count, self.sectors())
    }
}

/// What can go wrong with [`RewrittenSectors`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError<E> {
    /// The caller left the device, or gave a part of a sector.
    #[error("{0}")]
    Misuse(BlockMisuse),
    /// The flash failed.
    #[error("{0}")]
    Flash(E),
}

impl<E> From<BlockMisuse> for RewriteError<E> {
    fn from(misuse: BlockMisuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl<F: Flash> BlockDevice for RewrittenSectors<F> {
    type Error = RewriteError<F::Error>;

    fn sector_bytes(&self) -> usize {
        self.flash.geometry().block_bytes() as usize
    }

    fn sectors(&self) -> u64 {
        u64::from(self.flash.geometry().blocks)
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), Self::Error> {
        self.check(sector, out.len())?;
        let geometry = self.flash.geometry();
        let first = sector as u32 * geometry.pages_per_block;
        for (page, out) in (first..).zip(out.chunks_mut(geometry.page_bytes as usize)) {
            self.flash.read(page, 0, out).map_err(RewriteError::Flash)?;
        }
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), Self::Error> {
        self.check(sector, data.len())?;
        let geometry = self.flash.geometry();
        let sectors = data.chunks(self.sector_bytes());
        for (block, data) in (sector as u32..).zip(sectors) {
            self.flash.erase(block).map_err(RewriteError::Flash)?;
            let first = block * geometry.pages_per_block;
            for (page, data) in (first..).zip(data.chunks(geometry.page_bytes as usize)) {
                let done = self.flash.program(page, 0, data);
                done.map_err(RewriteError::Flash)?;
            }
        }
        Ok(())
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), Self::Error> {
        Ok(BlockMisuse::check(sector, count, self.sectors())?)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_memory::RamFlash;

    #[test]
    fn a_sector_can_be_written_again_and_its_neighbours_stay() {
        let flash = RamFlash::<256, 4, 4>::nor().expect("sizes");
        let mut sectors = RewrittenSectors::new(flash).expect("blocks of 1 KiB");
        assert_eq!((sectors.sector_bytes(), sectors.sectors()), (1024, 4));
        sectors.write(1, &[0x55; 2048]).expect("two sectors");
        sectors.write(1, &[0xAA; 1024]).expect("one of them again");
        let mut out = vec![0; 4096];
        sectors.read(0, &mut out).expect("all");
        let expected = [0xFF, 0xAA, 0x55, 0xFF].map(|byte| [byte; 1024]);
        assert!(out == expected.as_flattened());
        assert!(sectors.write(3, &[0; 2048]).is_err());
        assert!(sectors.write(0, &[0; 100]).is_err());
    }

    #[test]
    fn large_blocks_and_nand_are_refused() {
        let large = RamFlash::<256, 32, 2>::nor().expect("sizes");
        let error = RewrittenSectors::new(large).expect_err("8 KiB");
        assert_eq!(error.kind, FsErrorKind::Unsuitable);
        let mut nand = RamFlash::<256, 4, 2>::nor().expect("sizes").geometry();
        (nand.page_bytes, nand.spare_bytes) = (240, 16);
        let nand = RamFlash::<256, 4, 2>::new(nand).expect("sizes");
        assert!(RewrittenSectors::new(nand).is_err());
    }
}
