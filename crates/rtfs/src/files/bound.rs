//! What calls on files cost at most, counted in operations of the flash.

use wordline_memory::Geometry;

use super::form::FileShape;
use super::index::DATA_PAGES;
use crate::bound::{PacedBound, PacedCounts};
use crate::error::PacedError;
use crate::shape::{PacedConfig, PacedShape};

/// A call on files, of which [`PacedFilesBound::counts`] says what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacedCall {
    /// A file is opened that is there.
    Open,
    /// Bytes are read.
    Read {
        /// How many.
        bytes: u64,
    },
    /// Bytes are stored in pages that a file has.
    Overwrite {
        /// How many.
        bytes: u64,
    },
    /// Bytes are stored behind the end of a file.
    Append {
        /// How many.
        bytes: u64,
    },
    /// A file is made.
    Create,
    /// A directory is made.
    MakeDirectory,
    /// A file or a directory gets another name, in place of another or not.
    Rename,
    /// A file or an empty directory is removed, however long it is.
    Remove,
    /// A file is cut to a length, however much goes.
    Truncate,
    /// A file loses its front, however much that is.
    DiscardFront,
    /// What was removed becomes free, a piece of it: calls do one where few pages are free.
    Free,
}

impl PacedCall {
    /// Every call, those with bytes for so many.
    #[must_use]
    pub const fn all(bytes: u64) -> [Self; 11] {
        [
            Self::Open,
            Self::Read { bytes },
            Self::Overwrite { bytes },
            Self::Append { bytes },
            Self::Create,
            Self::MakeDirectory,
            Self::Rename,
            Self::Remove,
            Self::Truncate,
            Self::DiscardFront,
            Self::Free,
        ]
    }
}

/// What calls on files cost at most, by count. `DESIGN.md` derives each term.
///
/// A call is one group of pages, with the bound of the layer's write of as many, and reads beside. Long data is written in
/// several groups. Where fewer than 72 pages are free, a call that takes pages does a piece of freeing before, and where
/// too few are free, as many as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedFilesBound {
    layer: PacedBound,
    form: FileShape,
}

impl PacedConfig {
    /// What calls on files cost at most.
    ///
    /// # Errors
    /// As [`bound`](Self::bound), and where pages do not take files.
    pub fn files_bound<E>(&self, geometry: &Geometry) -> Result<PacedFilesBound, PacedError<E>> {
        let shape = PacedShape::new(geometry, self)?;
        let page = u64::from(geometry.page_bytes);
        if !(128..=32_768).contains(&page) {
            return Err(PacedError::Unsuitable {
                what: "bytes of a page of files",
                found: page,
                least: 128,
                most: 32_768,
            });
        }
        Ok(PacedFilesBound {
            layer: shape.bound()?,
            form: FileShape::new(page as usize, shape.width, self.logical_pages),
        })
    }
}

/// Reads of a logical page: its place in the map, and the page.
const LOAD: u64 = 2;

impl PacedFilesBound {
    /// The bound of the layer below.
    #[must_use]
    pub const fn layer(&self) -> &PacedBound {
        &self.layer
    }

    /// Nodes above the entries of a directory at most: as many as the bits of a hash are for.
    #[must_use]
    pub const fn levels(&self) -> u32 {
        self.form.levels
    }

    /// Pages of the groups that a call writes, one number for each group.
    fn groups(&self, call: PacedCall) -> impl Iterator<Item = u64> {
        let page = self.form.page as u64;
        let cut = 4;
        // Data that does not begin where a page does touches one page more.
        let touched = |bytes: u64| bytes.div_ceil(page) + 1;
        let most = DATA_PAGES as u64;
        let (data, beside) = match call {
            PacedCall::Open | PacedCall::Read { .. } => (0, 0),
            PacedCall::Overwrite { bytes } => (touched(bytes), 0),
            // The page of pointers, and the root; a short file becomes one of pages with its root and its entry.
            PacedCall::Append { bytes } => (touched(bytes), 2),
            // The entries of a bucket are cut, below a new node.
            PacedCall::Create => (0, cut),
            PacedCall::MakeDirectory => (0, cut + 1),
            // The root of a file that is replaced, the entry before, and the super page.
            PacedCall::Rename => (0, cut + 3),
            // The root of the file, the entry or the node above it, and the super page.
            PacedCall::Remove => (0, 3),
            // The last page, a page of pointers in two, the root in two, and the super page.
            PacedCall::Truncate => (0, 6),
            PacedCall::DiscardFront => (0, 5),
            PacedCall::Free => (0, 2),
        };
        let groups = u64::from(beside > 0).max(data.div_ceil(most));
        (0..groups).map(move |group| (data - group * most).min(most) + beside)
    }

    /// Reads of a call whose path has so many names, beside those of its steps.
    fn reads(&self, call: PacedCall, names: u64) -> u64 {
        let levels = u64::from(self.form.levels);
        let walk = LOAD * (levels + 1);
        // The root of a file, a child of it, and its last page.
        let look = 3 * LOAD;
        let page = self.form.page as u64;
        // Pointers are read a few at a time, by the root and a child of it.
        let pointers = |pages: u64| 2 * LOAD * (pages.div_ceil(8) + 1);
        let touched = |bytes: u64| bytes.div_ceil(page) + 1;
        // Each page of a group starts from what it held, or from another.
        let written: u64 = self.groups(call).map(|pages| LOAD * pages).sum();
        // Each page that is taken may be of another page of the map.
        let taken: u64 = self.groups(call).sum();
        // A full list of pages that wait makes room first.
        written
            + match call {
                PacedCall::Open => walk * names + look,
                PacedCall::Read { bytes } => {
                    look + pointers(touched(bytes)) + LOAD * touched(bytes)
                }
                PacedCall::Overwrite { bytes } => look + pointers(touched(bytes)),
                PacedCall::Append { bytes } => {
                    look + walk + pointers(touched(bytes)) + taken + LOAD
                }
                PacedCall::Create => walk * names + 2 * LOAD + taken,
                PacedCall::MakeDirectory => walk * names + 2 * LOAD + taken,
                PacedCall::Rename => 2 * walk * names + 2 * walk + 2 * LOAD + taken,
                PacedCall::Remove => walk * names + walk + LOAD * (levels + 1),
                PacedCall::Truncate | PacedCall::DiscardFront => {
                    look + walk + pointers(1) + 2 * LOAD + taken
                }
                PacedCall::Free => 3 * LOAD + 2,
            }
    }

    /// What a call costs at most whose path has so many names: one of these, whichever takes longer.
    #[must_use]
    pub fn counts(&self, call: PacedCall, names: u64) -> [PacedCounts; 2] {
        let reads = PacedCounts {
            reads: self.reads(call, names),
            ..PacedCounts::default()
        };
        [0, 1].map(|which| {
            self.groups(call)
                .map(|pages| self.layer.write_counts(pages)[which])
                .fold(reads, |sum, group| sum + group)
        })
    }
}
