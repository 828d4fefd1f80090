//! What the layer asks of flash.

/// Sizes, in the layer's own units. A page is what one record belongs to: a page of a chip, or as many
/// pages of several planes or dies as the controller programs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks, bad ones included.
    pub blocks: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Pages of a block that is used with one bit a cell; [`pages_per_block`](Self::pages_per_block) where
    /// that makes no difference.
    pub slc_pages_per_block: u32,
    /// Pages at the end of each block that the medium keeps for the block's summary.
    pub summary_pages: u32,
}

/// How the cells of a block are used until it is erased again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellMode {
    /// As the chip is sold.
    Native,
    /// One bit a cell: fewer pages, faster and more durable.
    Slc,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A logical page.
    Data,
    /// Nothing: it was programmed so that no cell behind it is at risk.
    Filler,
    /// A logical page that could not be read when it was to be moved: reads of it fail until it is written
    /// again. Programmed by [`Media::fill`].
    Lost,
    /// A logical page that a mount moved. It counts only in a block that was closed: until then the page that
    /// it was moved from is still there.
    Recovered,
}

/// Why flash is read, programmed or erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LayerPurpose {
    /// The host wrote or read.
    Host,
    /// A block is emptied for the sake of its dead pages, because it went bad, or because the ECC advised it.
    Cleaning,
    /// Resting data are moved to keep wear even.
    Leveling,
    /// The SLC cache is emptied.
    Folding,
    /// Log blocks are merged with data blocks.
    Merging,
    /// Fillers and summaries.
    Overhead,
    /// A mount empties the blocks that were open at the power cut.
    Recovery,
}

/// What is stored with a page, so that a mount finds it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageRecord {
    /// What the page holds.
    pub kind: PageKind,
    /// The logical page; 0 of a filler. Below 2²⁸.
    pub logical: u32,
    /// Order of all programs: of two pages that hold the same logical page the greater one counts.
    pub sequence: u64,
}

/// What went wrong, as the layer acts on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaFault<E> {
    /// A program failed: the block's other pages are to be moved, and the block retired.
    ProgramFailed,
    /// An erase failed: the block is to be retired.
    EraseFailed,
    /// The page cannot be read.
    Uncorrectable,
    /// Anything else.
    Device(E),
}

/// Flash, as the layer sees it. Pages are numbered through the whole memory.
pub trait Media {
    /// Content of a page: bytes, or `()` where only time counts.
    type Data: ?Sized;
    /// What else can go wrong.
    type Error;

    /// Sizes, which never change.
    fn shape(&self) -> Shape;

    /// What the operations from now on are for.
    fn purpose(&mut self, _purpose: LayerPurpose) {}

    /// Reads a page.
    ///
    /// # Errors
    /// [`MediaFault::Uncorrectable`], [`MediaFault::Device`].
    fn read(&mut self, page: u32, out: &mut Self::Data) -> Result<(), MediaFault<Self::Error>>;

    /// Programs a page; pages of a block come in rising order, and some may be left out.
    ///
    /// # Errors
    /// [`MediaFault::ProgramFailed`], [`MediaFault::Device`].
    fn program(
        &mut self,
        page: u32,
        record: PageRecord,
        data: &Self::Data,
    ) -> Result<(), MediaFault<Self::Error>>;

    /// Programs a page with what another holds.
    ///
    /// # Errors
    /// [`MediaFault::ProgramFailed`], [`MediaFault::Uncorrectable`] (nothing was programmed), [`MediaFault::Device`].
    fn copy(
        &mut self,
        from: u32,
        to: u32,
        record: PageRecord,
    ) -> Result<(), MediaFault<Self::Error>>;

    /// Programs a page that holds nothing.
    ///
    /// # Errors
    /// As [`program`](Self::program).
    fn fill(&mut self, page: u32, record: PageRecord) -> Result<(), MediaFault<Self::Error>>;

    /// Programs the summary of a block, after which none of its pages is programmed until it is erased: what the
    /// others hold, in their order, with fillers for those that were left out at the end. Called only where
    /// [`Shape::summary_pages`] is not 0.
    ///
    /// # Errors
    /// As [`program`](Self::program).
    fn summarize(
        &mut self,
        block: u32,
        records: &[PageRecord],
    ) -> Result<(), MediaFault<Self::Error>>;

    /// Erases a block, whose cells are used in a mode from then on.
    ///
    /// # Errors
    /// [`MediaFault::EraseFailed`], [`MediaFault::Device`].
    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<Self::Error>>;

    /// Marks a block bad for good.
    ///
    /// # Errors
    /// [`MediaFault::Device`].
    fn retire(&mut self, block: u32) -> Result<(), MediaFault<Self::Error>>;

    /// Whether a block is marked bad.
    ///
    /// # Errors
    /// [`MediaFault::Device`].
    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<Self::Error>>;

    /// The page that must be programmed before this one is safe from a power cut within a later program, both
    /// numbered within their block and of [`CellMode::Native`]; `None` where it is safe at once. A block that is
    /// closed is safe, and so is one of [`CellMode::Slc`].
    fn safe_after(&self, _page: u32) -> Option<u32> {
        None
    }

    /// How long the last erase took, in picoseconds; 0 where the medium does not measure it.
    fn erase_ps(&self) -> u64 {
        0
    }

    /// A block of which a read since the last answer came with the advice to move what it holds, before more bits
    /// are wrong than the ECC corrects; each is reported once.
    fn advised(&mut self) -> Option<u32>;
}

/// A medium that stays with its owner when the layer on it is gone.
impl<M: Media> Media for &mut M {
    type Data = M::Data;
    type Error = M::Error;

    fn shape(&self) -> Shape {
        (**self).shape()
    }

    fn purpose(&mut self, purpose: LayerPurpose) {
        (**self).purpose(purpose);
    }

    fn read(&mut self, page: u32, out: &mut M::Data) -> Result<(), MediaFault<M::Error>> {
        (**self).read(page, out)
    }

    fn program(
        &mut self,
        page: u32,
        record: PageRecord,
        data: &M::Data,
    ) -> Result<(), MediaFault<M::Error>> {
        (**self).program(page, record, data)
    }

    fn copy(&mut self, from: u32, to: u32, record: PageRecord) -> Result<(), MediaFault<M::Error>> {
        (**self).copy(from, to, record)
    }

    fn fill(&mut self, page: u32, record: PageRecord) -> Result<(), MediaFault<M::Error>> {
        (**self).fill(page, record)
    }

    fn summarize(
        &mut self,
        block: u32,
        records: &[PageRecord],
    ) -> Result<(), MediaFault<M::Error>> {
        (**self).summarize(block, records)
    }

    fn erase(&mut self, block: u32, mode: CellMode) -> Result<(), MediaFault<M::Error>> {
        (**self).erase(block, mode)
    }

    fn retire(&mut self, block: u32) -> Result<(), MediaFault<M::Error>> {
        (**self).retire(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MediaFault<M::Error>> {
        (**self).is_bad(block)
    }

    fn safe_after(&self, page: u32) -> Option<u32> {
        (**self).safe_after(page)
    }

    fn erase_ps(&self) -> u64 {
        (**self).erase_ps()
    }

    fn advised(&mut self) -> Option<u32> {
        (**self).advised()
    }
}
