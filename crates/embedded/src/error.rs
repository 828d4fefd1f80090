//! What can go wrong in a view.

use core::fmt;

use embedded_storage::nor_flash::{NorFlashError, NorFlashErrorKind};

/// Why a memory cannot be shown with these sizes. All sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuitable {
    /// The geometry of the memory contradicts itself.
    Geometry,
    /// A size of the view is 0, or the write size does not divide the erase size.
    Sizes {
        /// The write size of the view.
        write: u64,
        /// The erase size of the view.
        erase: u64,
    },
    /// The write size is no multiple of what the memory programs at once.
    WriteSize {
        /// The write size of the view.
        write: u64,
        /// What it must be a multiple of.
        unit: u64,
    },
    /// The write size neither divides the memory's page nor is a multiple of it.
    AcrossPages {
        /// The write size of the view.
        write: u64,
        /// Bytes of a page.
        page: u64,
    },
    /// A page takes few programs, and a power cut within one may spoil the bytes beside it, which a NOR flash
    /// promises not to do: the write size must be a multiple of the page.
    Neighbours {
        /// Bytes of a page.
        page: u64,
    },
    /// Pages must be programmed in order, which software for NOR flash does not expect.
    InOrder,
    /// The erase size is no multiple of the memory's block, or does not divide the memory.
    EraseSize {
        /// The erase size of the view.
        erase: u64,
        /// Bytes of a block.
        block: u64,
        /// Bytes of the memory.
        capacity: u64,
    },
    /// Offsets of these traits have 32 bits, and the memory is larger.
    TooLarge {
        /// Bytes of the memory.
        capacity: u64,
    },
    /// A block is bad, and a NOR flash has no bad blocks.
    BadBlock {
        /// The block.
        block: u32,
    },
    /// What was programmed must not be programmed again before an erase, so that this is no `MultiwriteNorFlash`.
    OneProgram,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Geometry => f.write_str("the geometry of the memory contradicts itself"),
            Self::Sizes { write, erase } => write!(
                f,
                "a write size of {write} bytes and an erase size of {erase}: neither may be 0, and the first must \
                 divide the second"
            ),
            Self::WriteSize { write, unit } => write!(
                f,
                "a write size of {write} bytes: the memory programs {unit} bytes at once, so take a multiple"
            ),
            Self::AcrossPages { write, page } => write!(
                f,
                "a write size of {write} bytes: take a divisor or a multiple of the page, which has {page}"
            ),
            Self::Neighbours { page } => write!(
                f,
                "a page of this memory takes few programs, and a power cut may spoil the bytes beside one: take a \
                 multiple of the page, {page} bytes, as write size, or a translation layer"
            ),
            Self::InOrder => f.write_str(
                "the pages of a block must be programmed in order, as NAND's must: put a translation layer between",
            ),
            Self::EraseSize {
                erase,
                block,
                capacity,
            } => write!(
                f,
                "an erase size of {erase} bytes: take a multiple of the block, {block} bytes, that divides the \
                 memory, {capacity} bytes"
            ),
            Self::TooLarge { capacity } => write!(
                f,
                "a memory of {capacity} bytes: offsets of embedded-storage reach 4 GiB"
            ),
            Self::BadBlock { block } => {
                write!(f, "block {block} is bad: put a translation layer between")
            }
            Self::OneProgram => f.write_str(
                "what was programmed must not be programmed again before an erase: use NorView instead",
            ),
        }
    }
}

impl core::error::Error for Unsuitable {}

/// Why no view was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewError<E> {
    /// The memory and the sizes do not fit.
    Unsuitable(Unsuitable),
    /// The memory failed.
    Device(E),
}

impl<E: fmt::Debug> fmt::Display for ViewError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsuitable(why) => why.fmt(f),
            Self::Device(error) => write!(f, "the memory failed: {error:?}"),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for ViewError<E> {}

/// What goes wrong on a view of a flash memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NorError<E> {
    /// The offset or the length is no multiple of the view's size. Nothing changed.
    NotAligned,
    /// The range leaves the memory. Nothing changed.
    OutOfBounds,
    /// The memory failed; what came before the failure is done.
    Device(E),
}

impl<E: fmt::Debug> fmt::Display for NorError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAligned => f.write_str("offset or length is no multiple of the view's size"),
            Self::OutOfBounds => f.write_str("the range leaves the memory"),
            Self::Device(error) => write!(f, "the memory failed: {error:?}"),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for NorError<E> {}

impl<E: fmt::Debug> NorFlashError for NorError<E> {
    fn kind(&self) -> NorFlashErrorKind {
        match self {
            Self::NotAligned => NorFlashErrorKind::NotAligned,
            Self::OutOfBounds => NorFlashErrorKind::OutOfBounds,
            Self::Device(_) => NorFlashErrorKind::Other,
        }
    }
}

/// What goes wrong on a [`Stream`](crate::Stream).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError<E> {
    /// A write at the end of the memory.
    End,
    /// A place before the first byte, or past the end.
    Seek,
    /// The memory failed.
    Device(E),
}

impl<E: fmt::Debug> fmt::Display for StreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("the memory ends here"),
            Self::Seek => f.write_str("the place lies outside the memory"),
            Self::Device(error) => write!(f, "the memory failed: {error:?}"),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for StreamError<E> {}

impl<E: fmt::Debug> embedded_io::Error for StreamError<E> {
    fn kind(&self) -> embedded_io::ErrorKind {
        match self {
            Self::End => embedded_io::ErrorKind::WriteZero,
            Self::Seek => embedded_io::ErrorKind::InvalidInput,
            Self::Device(_) => embedded_io::ErrorKind::Other,
        }
    }
}
