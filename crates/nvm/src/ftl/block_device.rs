//! Sectors on the layer: a device that file systems take.

use wordline_memory::{BlockDevice, BlockMisuse, Flash};

use super::barrier::Barrier;
use super::config::FtlConfig;
use super::flash_media::{FlashMedia, MediaError};
use super::health::LayerHealth;
use super::mark::Mark;
use super::media::{CellMode, Media, MediaFault};
use super::translation::{FtlError, Translation};
use super::work::LayerWork;

/// Why a layer cannot be formatted or mounted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MountError<E> {
    /// The flash cannot carry the layer.
    #[error(transparent)]
    Media(#[from] MediaError<E>),
    /// It holds nothing.
    #[error("the flash is not formatted: it is blank where the mark of the layer should be")]
    NotFormatted,
    /// It holds something else.
    #[error("the flash holds something else than this layer; formatting it would lose that")]
    Foreign,
    /// It was formatted with another value of something that cannot change later.
    #[error(
        "the flash was formatted with another value of the {what}: {stored}, and now it is {asked}"
    )]
    Differs {
        /// Which value.
        what: &'static str,
        /// With which it was formatted.
        stored: u32,
        /// With which it was to be mounted.
        asked: u32,
    },
    /// The layer failed.
    #[error(transparent)]
    Layer(#[from] FtlError<E>),
}

/// What can go wrong with sectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectorError<E> {
    /// The caller left the device, or gave a part of a sector.
    #[error("{0}")]
    Misuse(BlockMisuse),
    /// The layer failed.
    #[error(transparent)]
    Layer(#[from] FtlError<E>),
}

impl<E> From<BlockMisuse> for SectorError<E> {
    fn from(misuse: BlockMisuse) -> Self {
        Self::Misuse(misuse)
    }
}

/// Sectors that can be overwritten, on flash that cannot: a [`BlockDevice`] of 512-byte sectors on any
/// memory that meets the contract [`Flash`] and has a spare area.
///
/// The page that is being written is kept in RAM until another page is, all of it was written, or the device
/// is [flushed](BlockDevice::flush). A sector that was never written reads as zeros.
///
/// # What a trimmed sector reads as
/// Zeros, until it is written or the power is cut. After a power cut: zeros, or any one version that was written to it
/// before the trim, whole, or an error; the same at each read until it is written, trimmed or cut again. A flush does not
/// change that: a trim leaves no record. Only pages that a trim covers whole are trimmed; other sectors stay as they are.
///
/// ```
/// use wordline_memory::{BlockDevice, Geometry, RamFlash};
/// use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media, SpareLayout};
///
/// let geometry = Geometry {
///     page_bytes: 512,
///     spare_bytes: 64,
///     pages_per_block: 16,
///     blocks: 32,
///     program_bytes: 1,
///     programs_per_page: Some(1),
///     once_bytes: None,
///     in_order: true,
/// };
/// # std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
/// let flash = Box::new(RamFlash::<576, 16, 32>::new(geometry).expect("the sizes fit"));
/// # struct Boxed;
/// # let flash = *flash;
/// let media = FlashMedia::new(flash, SpareLayout::behind_mark(&geometry)?)?;
/// let config = FtlConfig::page_mapped(media.shape());
/// let mut disk = Ftl::format(media, config)?;
/// disk.write(7, &[0x5A; 512])?;
/// disk.flush()?;
///
/// let media = FlashMedia::new(disk.into_flash(), SpareLayout::behind_mark(&geometry)?)?;
/// let mut disk = Ftl::mount(media, config)?;
/// let mut sector = [0; 512];
/// disk.read(7, &mut sector)?;
/// assert_eq!(sector, [0x5A; 512]);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// # })?.join().expect("no panic").expect("no error");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ftl<F: Flash> {
    layer: Translation<FlashMedia<F>>,
    sector_bytes: usize,
    page_bytes: usize,
    buffer: Option<SectorBuffer>,
    /// A page that was read.
    page: Vec<u8>,
}

/// A page that is being written.
#[derive(Clone, Debug)]
struct SectorBuffer {
    logical: u32,
    main: Vec<u8>,
    /// Which of its sectors were written.
    written: Vec<bool>,
}

/// Some sectors of one page.
struct PageSectors {
    logical: u32,
    /// The first of them within the page.
    first: usize,
    /// The caller's bytes.
    range: std::ops::Range<usize>,
}

impl<F: Flash> Ftl<F> {
    /// Erases the flash, and makes it hold sectors none of which is written.
    ///
    /// # Errors
    /// When the configuration cannot work on this flash, or the flash fails.
    pub fn format(
        mut media: FlashMedia<F>,
        config: FtlConfig,
    ) -> Result<Self, MountError<F::Error>> {
        let sector_bytes = media.sector_bytes;
        let mut bad = 0;
        for block in 0..media.shape().blocks {
            bad += u32::from(media.is_bad_block(block).map_err(MediaError::Device)?);
        }
        config
            .logical_pages(media.shape(), bad)
            .map_err(FtlError::from)?;
        // Without its mark the flash is not formatted: the power may be cut from here on.
        media.erase_mark()?;
        for block in 0..media.shape().blocks {
            erase(&mut media, block).map_err(MediaError::Device)?;
        }
        let mut layer = Translation::format(media, config)?;
        layer.barriers = layer.media().barriers;
        let free: Vec<u32> = layer.space.free().collect();
        for block in free {
            layer.space.block_mut(block).blank = true;
        }
        let logical = layer.pages();
        let mark = Mark::new(layer.media(), &config, sector_bytes).with_logical(logical);
        layer
            .media_mut()
            .write_mark(&mark, 0)
            .map_err(MediaError::Device)?;
        Ok(Self::on(layer, sector_bytes))
    }

    /// Finds what a flash holds, also after a power cut at any time: every sector as it was when it was
    /// flushed, or was written later. What was open at the power cut is moved and erased before this
    /// returns.
    ///
    /// # Errors
    /// [`MountError::NotFormatted`], [`MountError::Foreign`], [`MountError::Differs`]: nothing changed.
    /// [`MountError::Layer`] when no block is left, or the flash fails.
    pub fn mount(
        mut media: FlashMedia<F>,
        config: FtlConfig,
    ) -> Result<Self, MountError<F::Error>> {
        let sector_bytes = media.sector_bytes;
        let asked = Mark::new(&media, &config, sector_bytes);
        let found = media.find_mark().map_err(MediaError::Device)?;
        let stored = match found.mark {
            Some(stored) => stored,
            None if found.pages == 0 => return Err(MountError::NotFormatted),
            None => return Err(MountError::Foreign),
        };
        let logical = stored.logical();
        if let Some((what, stored, asked)) = stored.differs(&asked.with_logical(logical)) {
            return Err(MountError::Differs {
                what,
                stored,
                asked,
            });
        }
        // The page behind the last copy may have been begun although it reads as erased.
        if media.barriers.keep(Barrier::CompleteMark) {
            media
                .write_mark(&stored, found.pages + 1)
                .map_err(MediaError::Device)?;
        }
        let scan = media.scan().map_err(MediaError::Device)?;
        let barriers = media.barriers;
        let layer = Translation::restore_with(media, config, scan, barriers)?;
        Ok(Self::on(layer, sector_bytes))
    }

    fn on(layer: Translation<FlashMedia<F>>, sector_bytes: u32) -> Self {
        let page_bytes = layer.media().geometry().page_bytes as usize;
        Self {
            layer,
            sector_bytes: sector_bytes as usize,
            page_bytes,
            buffer: None,
            page: vec![0; page_bytes],
        }
    }

    /// The layer.
    #[must_use]
    pub const fn layer(&self) -> &Translation<FlashMedia<F>> {
        &self.layer
    }

    /// What the layer did.
    pub fn work(&self) -> &LayerWork {
        self.layer.work()
    }

    /// How much life the layer has left.
    #[must_use]
    pub fn health(&self) -> LayerHealth {
        self.layer.health()
    }

    /// The flash memory. What was not flushed is lost, as in a power cut.
    #[must_use]
    pub fn into_flash(self) -> F {
        self.layer.into_media().into_flash()
    }

    /// One step of idle work: a page copied, or a block erased. Returns whether there was
    /// any.
    ///
    /// # Errors
    /// When no block is left, or the flash fails.
    pub fn idle_step(&mut self) -> Result<bool, SectorError<F::Error>> {
        Ok(self.layer.idle_step()?)
    }

    /// Splits an access at pages.
    fn parts(&self, sector: u64, bytes: usize) -> Result<Vec<PageSectors>, BlockMisuse> {
        let count = BlockMisuse::count(bytes, self.sector_bytes)?;
        BlockMisuse::check(sector, count, self.sectors())?;
        let per_page = self.page_bytes / self.sector_bytes;
        let mut parts = Vec::new();
        let mut done = 0;
        while done < bytes {
            let at = sector + (done / self.sector_bytes) as u64;
            let first = (at % per_page as u64) as usize;
            let length = ((per_page - first) * self.sector_bytes).min(bytes - done);
            parts.push(PageSectors {
                logical: (at / per_page as u64) as u32,
                first,
                range: done..done + length,
            });
            done += length;
        }
        Ok(parts)
    }

    fn read_part(&mut self, part: &PageSectors, out: &mut [u8]) -> Result<(), FtlError<F::Error>> {
        let sector = self.sector_bytes;
        let count = out.len() / sector;
        let buffer = self
            .buffer
            .as_ref()
            .filter(|buffer| buffer.logical == part.logical);
        let buffered = |index: &usize| buffer.is_some_and(|buffer| buffer.written[*index]);
        let within = part.first..part.first + count;
        if !within.clone().all(|index| buffered(&index)) {
            if !self.layer.read(part.logical, &mut self.page)? {
                self.page.fill(0);
            }
            let start = part.first * sector;
            out.copy_from_slice(&self.page[start..start + out.len()]);
        }
        if let Some(buffer) = buffer {
            let places = out.chunks_exact_mut(sector).zip(within);
            for (place, index) in places.filter(|(_, index)| buffer.written[*index]) {
                place.copy_from_slice(&buffer.main[index * sector..][..sector]);
            }
        }
        Ok(())
    }

    fn write_part(&mut self, part: &PageSectors, data: &[u8]) -> Result<(), FtlError<F::Error>> {
        if self
            .buffer
            .as_ref()
            .is_some_and(|buffer| buffer.logical != part.logical)
        {
            self.write_out()?;
        }
        let (sector, page_bytes) = (self.sector_bytes, self.page_bytes);
        let buffer = self.buffer.get_or_insert_with(|| SectorBuffer {
            logical: part.logical,
            main: vec![0; page_bytes],
            written: vec![false; page_bytes / sector],
        });
        buffer.main[part.first * sector..][..data.len()].copy_from_slice(data);
        buffer.written[part.first..][..data.len() / sector].fill(true);
        if buffer.written.iter().all(|written| *written) {
            self.write_out()?;
        }
        Ok(())
    }

    /// Programs the buffered page, with what the page held before where it was not written.
    fn write_out(&mut self) -> Result<(), FtlError<F::Error>> {
        let Some(mut buffer) = self.buffer.take() else {
            return Ok(());
        };
        let done = self
            .complete(&mut buffer)
            .and_then(|()| self.layer.write(buffer.logical, &buffer.main));
        if done.is_err() {
            // What was acknowledged is not dropped: every flush fails until it can be written.
            self.buffer = Some(buffer);
        }
        done
    }

    /// Takes those sectors of a buffered page that were not written from the flash.
    fn complete(&mut self, buffer: &mut SectorBuffer) -> Result<(), FtlError<F::Error>> {
        let whole = buffer.written.iter().all(|written| *written);
        if whole || !self.layer.media().barriers.keep(Barrier::ReadBeforeWrite) {
            return Ok(());
        }
        // Where the old page is lost, sectors of it would come back as something that they never held.
        if self.layer.read(buffer.logical, &mut self.page)? {
            let sector = self.sector_bytes;
            let old = self.page.chunks_exact(sector);
            let places = buffer.main.chunks_exact_mut(sector).zip(old);
            for ((place, old), written) in places.zip(&mut buffer.written) {
                if !*written {
                    place.copy_from_slice(old);
                    *written = true;
                }
            }
        }
        Ok(())
    }
}

impl<F: Flash> BlockDevice for Ftl<F> {
    type Error = SectorError<F::Error>;

    fn sector_bytes(&self) -> usize {
        self.sector_bytes
    }

    fn sectors(&self) -> u64 {
        u64::from(self.layer.pages()) * (self.page_bytes / self.sector_bytes) as u64
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), Self::Error> {
        for part in self.parts(sector, out.len())? {
            self.read_part(&part, &mut out[part.range.clone()])?;
        }
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), Self::Error> {
        for part in self.parts(sector, data.len())? {
            self.write_part(&part, &data[part.range.clone()])?;
        }
        Ok(())
    }

    /// Forgets the pages that lie in the range whole; sectors beside them stay as they are.
    fn trim(&mut self, sector: u64, count: u64) -> Result<(), Self::Error> {
        BlockMisuse::check(sector, count, self.sectors())?;
        let per_page = (self.page_bytes / self.sector_bytes) as u64;
        for logical in sector.div_ceil(per_page)..(sector + count) / per_page {
            let logical = logical as u32;
            self.buffer = self
                .buffer
                .take()
                .filter(|buffer| buffer.logical != logical);
            self.layer.trim(logical)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        if self.layer.media().barriers.keep(Barrier::FlushBuffer) {
            self.write_out()?;
        }
        Ok(self.layer.flush()?)
    }
}

/// Erases a block that is to hold nothing, or marks it bad.
fn erase<F: Flash>(media: &mut FlashMedia<F>, block: u32) -> Result<(), F::Error> {
    if media.is_bad_block(block)? {
        return Ok(());
    }
    let erased = match media.erase(block, CellMode::Native) {
        Err(MediaFault::EraseFailed) => media.retire(block),
        erased => erased,
    };
    match erased {
        Err(MediaFault::Device(error)) => Err(error),
        _ => Ok(()),
    }
}
