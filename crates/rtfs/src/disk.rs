//! The layer as a memory of sectors, for file systems such as FAT.

use core::fmt;

use wordline_memory::{BlockDevice, BlockMisuse, Flash, Geometry};

use crate::error::{PacedError, PacedSetupError, PacedUnsuitable};
use crate::layer::PacedLayer;
use crate::record::RECORD_BYTES;
use crate::shape::{GROUP_PAGES, PacedConfig};

/// Bytes of a sector, where they divide a page.
const SECTOR_BYTES: u32 = 512;

/// Sectors of 512 bytes that can be overwritten, on a [`PacedLayer`]; a page that 512 does not divide is one sector.
///
/// A write that returned survives a power cut without a flush. Whole pages of one write become valid in groups of up to
/// [`GROUP_PAGES`]. A page that is written in part is read first, and costs up to two reads more than the bound of the
/// layer's writes. The disk needs no RAM beside the layer's.
///
/// ```
/// use wordline_memory::{BlockDevice as _, Geometry, RamFlash};
/// use wordline_rtfs::{PacedConfig, PacedDisk};
///
/// let geometry = Geometry {
///     page_bytes: 128,
///     spare_bytes: 16,
///     pages_per_block: 32,
///     blocks: 24,
///     program_bytes: 1,
///     programs_per_page: Some(1),
///     once_bytes: None,
///     in_order: true,
/// };
/// let flash = RamFlash::<144, 32, 24>::new(geometry).expect("the sizes fit");
/// let config = PacedConfig { logical_pages: 128, bad_blocks: 1, log_entries: 32 };
/// let columns = core::array::from_fn(|byte| 1 + byte as u32);
/// let mut disk = PacedDisk::format(flash, columns, config, [0; 1024])?;
/// disk.write(7, &[0x5A; 128])?;
/// let mut sector = [0; 128];
/// disk.read(7, &mut sector)?;
/// assert_eq!(sector, [0x5A; 128]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PacedDisk<F, M> {
    layer: PacedLayer<F, M>,
}

/// What can go wrong with sectors of a [`PacedDisk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacedDiskError<E> {
    /// The caller left the device, or gave a part of a sector.
    Misuse(BlockMisuse),
    /// The layer failed.
    Layer(PacedError<E>),
}

impl<E> From<BlockMisuse> for PacedDiskError<E> {
    fn from(misuse: BlockMisuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl<E> From<PacedError<E>> for PacedDiskError<E> {
    fn from(error: PacedError<E>) -> Self {
        Self::Layer(error)
    }
}

impl<E: fmt::Display> fmt::Display for PacedDiskError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(misuse) => misuse.fmt(f),
            Self::Layer(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for PacedDiskError<E> {}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedDisk<F, M> {
    /// Erases the flash, and makes it hold sectors of zeros: [`PacedLayer::format`].
    ///
    /// # Errors
    /// As there.
    pub fn format(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> Result<Self, PacedSetupError<F::Error>> {
        let layer = PacedLayer::format(flash, columns, config, memory)?;
        Ok(Self { layer })
    }

    /// Finds what a flash holds, also after a power cut at any time: [`PacedLayer::mount`].
    ///
    /// # Errors
    /// As there.
    pub fn mount(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> Result<Self, PacedSetupError<F::Error>> {
        let layer = PacedLayer::mount(flash, columns, config, memory)?;
        Ok(Self { layer })
    }

    /// The bytes of RAM that the disk needs: those of the layer.
    ///
    /// # Errors
    /// As [`PacedConfig::bound`].
    pub fn memory_bytes(
        config: &PacedConfig,
        geometry: &Geometry,
    ) -> Result<usize, PacedUnsuitable> {
        Ok(config.bound(geometry)?.ram_bytes)
    }

    /// The layer.
    pub const fn layer(&self) -> &PacedLayer<F, M> {
        &self.layer
    }

    /// The layer, to work ahead.
    pub const fn layer_mut(&mut self) -> &mut PacedLayer<F, M> {
        &mut self.layer
    }

    /// The layer without the disk.
    pub fn into_layer(self) -> PacedLayer<F, M> {
        self.layer
    }

    const fn page_bytes(&self) -> usize {
        self.layer.page_bytes() as usize
    }

    fn sectors_per_page(&self) -> u64 {
        (self.page_bytes() / self.sector_bytes()) as u64
    }

    fn check(&self, sector: u64, bytes: usize) -> Result<(), BlockMisuse> {
        let count = BlockMisuse::count(bytes, self.sector_bytes())?;
        BlockMisuse::check(sector, count, self.sectors())
    }

    /// The logical page of a sector, which the device has, and its first byte there.
    fn place(&self, sector: u64) -> (u32, usize) {
        let per_page = self.sectors_per_page();
        let first = (sector % per_page) as usize * self.sector_bytes();
        ((sector / per_page) as u32, first)
    }
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> BlockDevice for PacedDisk<F, M> {
    type Error = PacedDiskError<F::Error>;

    fn sector_bytes(&self) -> usize {
        let page = self.layer.page_bytes();
        (if page.is_multiple_of(SECTOR_BYTES) {
            SECTOR_BYTES
        } else {
            page
        }) as usize
    }

    fn sectors(&self) -> u64 {
        u64::from(self.layer.logical_pages()) * self.sectors_per_page()
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), Self::Error> {
        self.check(sector, out.len())?;
        let (mut logical, mut first) = self.place(sector);
        let mut rest = out;
        while !rest.is_empty() {
            let (part, after) = rest.split_at_mut((self.page_bytes() - first).min(rest.len()));
            self.layer.read_part(logical, first, part)?;
            (logical, first, rest) = (logical + 1, 0, after);
        }
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), Self::Error> {
        self.check(sector, data.len())?;
        let (mut logical, mut first) = self.place(sector);
        let (page, mut rest) = (self.page_bytes(), data);
        while !rest.is_empty() {
            let whole = if first == 0 { rest.len() / page } else { 0 };
            let after;
            if whole == 0 {
                let part;
                (part, after) = rest.split_at((page - first).min(rest.len()));
                self.layer.write_part(logical, first, part)?;
                logical += 1;
            } else {
                let pages;
                (pages, after) = rest.split_at(whole.min(GROUP_PAGES) * page);
                let mut group = [(0, &[][..]); GROUP_PAGES];
                let mut len = 0;
                for (place, data) in group.iter_mut().zip(pages.chunks_exact(page)) {
                    *place = (logical, data);
                    logical += 1;
                    len += 1;
                }
                self.layer.write_group(&group[..len])?;
            }
            (first, rest) = (0, after);
        }
        Ok(())
    }

    /// Forgets the pages that lie in the range whole; sectors beside them stay as they are.
    fn trim(&mut self, sector: u64, count: u64) -> Result<(), Self::Error> {
        BlockMisuse::check(sector, count, self.sectors())?;
        let per_page = self.sectors_per_page();
        for logical in sector.div_ceil(per_page)..(sector + count) / per_page {
            self.layer.discard(logical as u32)?;
        }
        Ok(())
    }

    /// Nothing: a write that returned survives a power cut.
    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
