//! What can go wrong.

use core::fmt;

/// Why a call did not do what it was asked to. What was written before is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacedError<E> {
    /// The flash failed. Mount it again before going on.
    Flash(E),
    /// The flash holds nothing that this layer wrote.
    NotFormatted,
    /// It was written by another version of the format.
    Version {
        /// The version found; this code knows only [`VERSION`](crate::VERSION).
        found: u32,
    },
    /// It was formatted with another value of something that cannot change later.
    Differs {
        /// Which value.
        what: &'static str,
        /// With which it was formatted.
        stored: u32,
        /// With which it was to be mounted.
        asked: u32,
    },
    /// The sizes do not suit the layer.
    Unsuitable {
        /// What does not suit.
        what: &'static str,
        /// Its value.
        found: u64,
        /// The least that would do.
        least: u64,
        /// The most that would do.
        most: u64,
    },
    /// The caller's memory is too short.
    Memory {
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that were given.
        given: usize,
    },
    /// A logical page is asked for that the layer does not have, or a part that leaves its page.
    OutOfRange {
        /// The logical page.
        logical: u32,
        /// Logical pages that there are.
        pages: u32,
    },
    /// A group has no page, more pages than a group may have, or one of them twice.
    Group {
        /// Pages given.
        pages: usize,
        /// Pages that a group may have.
        most: usize,
    },
    /// The page cannot be read any more: the flash lost more bits than its ECC corrects. Write it again.
    Lost {
        /// The logical page.
        logical: u32,
    },
    /// An earlier write failed, so that only a mount tells what the flash holds. What was written can be read.
    NeedsMount,
    /// More blocks failed than the layer was formatted for: what is written can be read, and nothing more be written.
    WornOut,
}

impl<E> From<E> for PacedError<E> {
    fn from(error: E) -> Self {
        Self::Flash(error)
    }
}

impl<E: fmt::Display> fmt::Display for PacedError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash(error) => write!(f, "the flash failed: {error}"),
            Self::NotFormatted => f.write_str("the flash holds no real-time layer; format it first"),
            Self::Version { found } => write!(
                f,
                "the flash has version {found} of the format, and this code knows version {}",
                crate::VERSION
            ),
            Self::Differs {
                what,
                stored,
                asked,
            } => write!(
                f,
                "the flash was formatted with {stored} {what}, and now {asked} are asked for"
            ),
            Self::Unsuitable {
                what,
                found,
                least,
                most,
            } => write!(f, "{what}: {found}; allowed: {least} to {most}"),
            Self::Memory { needed, given } => {
                write!(f, "the layer needs {needed} bytes of RAM, and got {given}")
            }
            Self::OutOfRange { logical, pages } => write!(
                f,
                "logical page {logical}, or a part of it, lies outside the {pages} pages of the layer"
            ),
            Self::Group { pages, most } => write!(
                f,
                "a group of {pages} pages; allowed: 1 to {most} pages, each once"
            ),
            Self::Lost { logical } => write!(
                f,
                "logical page {logical} lost more bits than the ECC corrects; write it again"
            ),
            Self::NeedsMount => f.write_str("an earlier write failed; mount the flash again"),
            Self::WornOut => f.write_str(
                "too many blocks failed: the layer can be read, and takes no more writes",
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for PacedError<E> {}
