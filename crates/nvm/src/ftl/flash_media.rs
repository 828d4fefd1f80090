//! Pages and records on any memory that meets the contract [`Flash`].

use std::collections::BTreeSet;

use wordline_memory::{Flash, FlashError, FlashErrorKind, Geometry};

use super::barrier::{Barrier, Barriers};
use super::mark::Mark;
use super::media::{CellMode, Media, MediaFault, PageKind, PageRecord, Shape};
use super::record::{
    FetchedPage, LayoutError, Role, SpareLayout, StoredRecord, encode_summary, summary_pages,
};
use crate::model::FlashModel;
use crate::pairing::Pairing;

/// Bytes of a sector, where pages are no smaller.
const SECTOR_BYTES: u32 = 512;

/// Why a flash cannot carry the layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediaError<E> {
    /// Its spare area cannot hold records.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Its pages or blocks are too small or too large, or not in the order of their pairs.
    #[error("{what} is {found}; allowed: {allowed}")]
    Geometry {
        /// Which size.
        what: &'static str,
        /// What it is.
        found: u64,
        /// What it may be.
        allowed: &'static str,
    },
    /// Every block is marked bad.
    #[error("every block is marked bad")]
    NoGoodBlock,
    /// The flash failed otherwise.
    #[error("the flash failed")]
    Device(E),
}

/// Pages and records on any memory that meets the contract [`Flash`]. A page and its record are
/// programmed at once.
///
/// The first good block holds the mark of a formatted flash, and the layer's blocks are those behind it.
/// Where the cells of two pages are [paired](FlashMedia::with_pairing), a block of one bit a cell is one
/// of which the lower pages alone are programmed.
#[derive(Clone, Debug)]
pub struct FlashMedia<F> {
    pub(super) flash: F,
    pub(super) geometry: Geometry,
    pub(super) layout: SpareLayout,
    pairing: Option<Pairing>,
    /// Pages of a block that are programmed where it has one bit a cell.
    lower: Vec<u32>,
    pub(super) shape: Shape,
    /// The block with the mark.
    pub(super) mark_block: u32,
    pub(super) blocks: Vec<BlockMode>,
    /// The greatest sequence number that was programmed.
    last: u64,
    /// Main and spare area of one page.
    pub(super) image: Vec<u8>,
    /// Blocks of the layer that the ECC advised to move, not yet collected.
    pub(super) advised: BTreeSet<u32>,
    /// Bytes of a sector.
    pub(super) sector_bytes: u32,
    pub(super) barriers: Barriers,
}

/// What a block is used for.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockMode {
    pub(super) mode: CellMode,
    pub(super) erases: u32,
}

impl<F: Flash> FlashMedia<F> {
    /// Carries pages on a flash whose pages share no cells.
    ///
    /// # Errors
    /// When the flash cannot carry the layer, or fails while it is asked for bad blocks.
    pub fn new(mut flash: F, layout: SpareLayout) -> Result<Self, MediaError<F::Error>> {
        let geometry = flash.geometry();
        layout.check(&geometry)?;
        check(&geometry)?;
        let mut mark_block = 0;
        loop {
            if mark_block == geometry.blocks {
                return Err(MediaError::NoGoodBlock);
            }
            if !flash.is_bad(mark_block).map_err(MediaError::Device)? {
                break;
            }
            mark_block += 1;
        }
        let mut media = Self {
            flash,
            geometry,
            layout,
            pairing: None,
            lower: Vec::new(),
            shape: Shape {
                blocks: 0,
                pages_per_block: geometry.pages_per_block,
                slc_pages_per_block: geometry.pages_per_block,
                summary_pages: summary_pages(geometry.page_bytes, geometry.pages_per_block),
            },
            mark_block: 0,
            blocks: Vec::new(),
            last: 0,
            image: vec![0xFF; geometry.columns() as usize],
            sector_bytes: geometry.page_bytes.min(SECTOR_BYTES),
            advised: BTreeSet::new(),
            barriers: Barriers::ALL,
        };
        media.begin_behind(mark_block);
        Ok(media)
    }

    /// The same on flash of whose pages some share their cells.
    ///
    /// # Errors
    /// When blocks of that many pages know no such pairs.
    pub fn with_pairing(mut self, pairing: Pairing) -> Result<Self, MediaError<F::Error>> {
        let pages = self.geometry.pages_per_block;
        if pairing.upper_of(0, pages).is_none() {
            return Err(MediaError::Geometry {
                what: "pages of a block",
                found: u64::from(pages),
                allowed: "as many as the pairing knows",
            });
        }
        let is_lower = |page: &u32| pairing.upper_of(*page, pages).is_some();
        self.lower = (0..pages).filter(is_lower).collect();
        self.shape.slc_pages_per_block = self.lower.len() as u32;
        self.pairing = Some(pairing);
        Ok(self)
    }

    /// The same with sectors of another size, for tests on pages of less than 512 B.
    #[must_use]
    pub const fn with_sector_bytes(mut self, bytes: u32) -> Self {
        self.sector_bytes = bytes;
        self
    }

    /// The same with some of the barriers disabled, for tests that must notice it.
    #[must_use]
    pub const fn with_barriers(mut self, barriers: Barriers) -> Self {
        self.barriers = barriers;
        self
    }

    /// Carries pages on a flash of which the model is known: where its spare area has room, and which
    /// pages share their cells.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(flash: F, model: &dyn FlashModel) -> Result<Self, MediaError<F::Error>> {
        let media = Self::new(flash, model.spare_layout()?)?;
        match model.pairing() {
            Some(pairing) => media.with_pairing(pairing),
            None => Ok(media),
        }
    }

    /// The flash memory.
    #[must_use]
    pub const fn flash(&self) -> &F {
        &self.flash
    }

    /// The flash memory, to damage or to watch it.
    pub const fn flash_mut(&mut self) -> &mut F {
        &mut self.flash
    }

    /// The flash memory itself.
    #[must_use]
    pub fn into_flash(self) -> F {
        self.flash
    }

    /// Sizes and programming rules of the flash.
    #[must_use]
    pub const fn geometry(&self) -> Geometry {
        self.geometry
    }

    pub(super) const fn layout(&self) -> &SpareLayout {
        &self.layout
    }

    pub(super) const fn pairing(&self) -> Option<Pairing> {
        self.pairing
    }

    /// Takes the blocks behind one for the layer.
    pub(super) fn begin_behind(&mut self, mark_block: u32) {
        let blocks = self.geometry.blocks - mark_block - 1;
        let new = BlockMode {
            mode: CellMode::Native,
            erases: 0,
        };
        self.mark_block = mark_block;
        self.shape.blocks = blocks;
        self.blocks = vec![new; blocks as usize];
    }

    /// How the cells of a block are used.
    pub(super) fn mode(&self, block: u32) -> CellMode {
        self.blocks[block as usize].mode
    }

    /// How often a block was erased, as far as is known.
    pub(super) fn erases(&self, block: u32) -> u32 {
        self.blocks[block as usize].erases
    }

    /// A page of the layer in the flash.
    pub(super) fn place(&self, page: u32) -> u32 {
        let (block, index) = (
            page / self.shape.pages_per_block,
            page % self.shape.pages_per_block,
        );
        let index = self.index(self.blocks[block as usize].mode, index);
        (self.mark_block + 1 + block) * self.geometry.pages_per_block + index
    }

    /// A page within a block of some mode, within the block of the flash.
    pub(super) fn index(&self, mode: CellMode, index: u32) -> u32 {
        match mode {
            CellMode::Slc if self.pairing.is_some() => {
                self.lower.get(index as usize).copied().unwrap_or(index)
            }
            _ => index,
        }
    }

    /// Pages of a block of some mode.
    pub(super) fn pages_in(&self, mode: CellMode) -> u32 {
        match mode {
            CellMode::Native => self.shape.pages_per_block,
            CellMode::Slc => self.shape.slc_pages_per_block,
        }
    }

    /// Programs a page of the flash with its record, at once.
    pub(super) fn put(
        &mut self,
        page: u32,
        stored: StoredRecord,
        main: Option<&[u8]>,
    ) -> Result<(), MediaFault<F::Error>> {
        let page_bytes = self.geometry.page_bytes as usize;
        match main {
            Some(main) => self.image[..page_bytes].copy_from_slice(main),
            None => self.image[..page_bytes].fill(0xFF),
        }
        self.image[page_bytes..].fill(0xFF);
        let record = stored.encode(&self.image[..page_bytes]);
        self.layout.put(&mut self.image[page_bytes..], record);
        self.last = self.last.max(stored.sequence);
        self.flash.program(page, 0, &self.image).map_err(fault)
    }

    fn stored(&self, page: u32, record: PageRecord) -> StoredRecord {
        let block = page / self.shape.pages_per_block;
        StoredRecord {
            role: Role::Page(record.kind),
            mode: self.blocks[block as usize].mode,
            logical: record.logical,
            sequence: record.sequence,
        }
    }
}

impl<F: Flash> Media for FlashMedia<F> {
    type Data = [u8];
    type Error = F::Error;

    fn shape(&self) -> Shape {
        self.shape
    }

    fn read(&mut self, page: u32, out: &mut [u8]) -> Result<(), MediaFault<F::Error>> {
        match self
            .fetch(self.place(page), true)
            .map_err(MediaFault::Device)?
        {
            FetchedPage::Whole(StoredRecord {
                role: Role::Page(PageKind::Data | PageKind::Recovered),
                ..
            }) => {
                out.copy_from_slice(&self.image[..out.len()]);
                Ok(())
            }
            _ => Err(MediaFault::Uncorrectable),
        }
    }

    fn program(
        &mut self,
        page: u32,
        record: PageRecord,
        data: &[u8],
    ) -> Result<(), MediaFault<F::Error>> {
        self.put(self.place(page), self.stored(page, record), Some(data))
    }

    fn copy(&mut self, from: u32, to: u32, record: PageRecord) -> Result<(), MediaFault<F::Error>> {
        let mut main = vec![0; self.geometry.page_bytes as usize];
        self.read(from, &mut main)?;
        self.program(to, record, &main)
    }

    fn fill(&mut self, page: u32, record: PageRecord) -> Result<(), MediaFault<F::Error>> {
        self.put(self.place(page), self.stored(page, record), None)
    }

    fn summarize(
        &mut self,
        block: u32,
        records: &[PageRecord],
    ) -> Result<(), MediaFault<F::Error>> {
        let BlockMode { mode, erases } = self.blocks[block as usize];
        let page_bytes = self.geometry.page_bytes as usize;
        let parts = encode_summary(records, erases, page_bytes, self.shape.summary_pages);
        let first =
            block * self.shape.pages_per_block + self.pages_in(mode) - self.shape.summary_pages;
        for (part, main) in (0..).zip(parts) {
            let stored = StoredRecord {
                role: Role::Summary,
                mode,
                logical: part,
                sequence: self.last,
            };
            self.put(self.place(first + part), stored, Some(&main))?;
        }
        Ok(())
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<F::Error>> {
        let used = &mut self.blocks[block as usize];
        used.mode = mode;
        used.erases = used.erases.saturating_add(1);
        let forgets = !self.barriers.keep(Barrier::EraseBlank);
        if forgets && matches!(self.fetch_at(block, mode, 0), Ok(FetchedPage::Erased)) {
            return Ok(());
        }
        self.flash.erase(self.mark_block + 1 + block).map_err(fault)
    }

    fn retire(&mut self, block: u32) -> Result<(), MediaFault<F::Error>> {
        let marked = self.flash.mark_bad(self.mark_block + 1 + block);
        marked.map_err(MediaFault::Device)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<F::Error>> {
        let marked = self.flash.is_bad(self.mark_block + 1 + block);
        marked.map_err(MediaFault::Device)
    }

    fn advised(&mut self) -> Option<u32> {
        self.advised.pop_first()
    }

    fn safe_after(&self, page: u32) -> Option<u32> {
        if !self.barriers.keep(Barrier::Pairs) {
            return None;
        }
        self.pairing?.upper_of(page, self.geometry.pages_per_block)
    }
}

/// What an error means to the layer.
fn fault<E: FlashError>(error: E) -> MediaFault<E> {
    match error.kind() {
        FlashErrorKind::ProgramFailed => MediaFault::ProgramFailed,
        FlashErrorKind::EraseFailed => MediaFault::EraseFailed,
        FlashErrorKind::Uncorrectable => MediaFault::Uncorrectable,
        _ => MediaFault::Device(error),
    }
}

/// Whether a geometry can carry the layer at all.
fn check<E>(geometry: &Geometry) -> Result<(), MediaError<E>> {
    let wrong = |what, found, allowed| {
        let found = u64::from(found);
        Err(MediaError::Geometry {
            what,
            found,
            allowed,
        })
    };
    if geometry.page_bytes < Mark::BYTES as u32 {
        return wrong("bytes of a page", geometry.page_bytes, "64 or more");
    }
    if !(4..=1 << 15).contains(&geometry.pages_per_block) {
        return wrong("pages of a block", geometry.pages_per_block, "4 to 32768");
    }
    if geometry.blocks < 4 {
        return wrong("blocks", geometry.blocks, "4 or more");
    }
    Ok(())
}
