//! What calls on files cost at most, counted in operations of the flash.

use wordline_memory::{EraseMode, Geometry};

use super::form::FileShape;
use super::index::DATA_PAGES;
use crate::bound::{PacedBound, PacedCounts};
use crate::error::PacedUnsuitable;
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
    pub fn files_bound(&self, geometry: &Geometry) -> Result<PacedFilesBound, PacedUnsuitable> {
        let shape = PacedShape::new(geometry, self)?;
        let page = u64::from(geometry.page_bytes);
        if !(128..=32_768).contains(&page) {
            return Err(PacedUnsuitable {
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
    /// With erases of a mode: see [`PacedBound::with_erases`].
    #[must_use]
    pub fn with_erases(self, mode: EraseMode) -> Self {
        Self {
            layer: self.layer.with_erases(mode),
            ..self
        }
    }

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

    /// Pages of the groups that a call writes: of data, beside them, and of a group of its own.
    fn groups(&self, call: PacedCall) -> CallGroups {
        // A bucket is cut: its two parts, a new node, and the one above.
        let cut = 4;
        let page = self.form.page as u64;
        // Data that does not begin where a page does touches one page more.
        let touched = |bytes: u64| bytes.div_ceil(page) + 1;
        let (data, beside, before) = match call {
            PacedCall::Open | PacedCall::Read { .. } => (0, 0, 0),
            PacedCall::Overwrite { bytes } => (touched(bytes), 0, 0),
            // The page of pointers, and the root; a short file becomes one of pages with its root and its entry.
            PacedCall::Append { bytes } => (touched(bytes), 2, 0),
            PacedCall::Create => (0, cut, 0),
            PacedCall::MakeDirectory => (0, cut + 1, 0),
            // The root of a file that is replaced, the entry before, and the super page. In small pages a short file with a
            // long name first becomes one of pages.
            PacedCall::Rename => (0, cut + 3, if self.form.has_room_for_all() { 0 } else { 3 }),
            // The root of the file, the entry or the node above it, and the super page.
            PacedCall::Remove => (0, 3, 0),
            // The last page, a page of pointers in two, the root in two, and the super page. A short file first becomes one
            // of pages.
            PacedCall::Truncate => (0, 6, 3),
            PacedCall::DiscardFront => (0, 5, 0),
            PacedCall::Free => (0, 2, 0),
        };
        CallGroups {
            data,
            beside,
            before,
        }
    }

    /// Reads of a call whose path has so many names, beside those of its steps.
    fn reads(&self, call: PacedCall, names: u64) -> u64 {
        let walk = LOAD * (u64::from(self.form.levels) + 1);
        // The root of a file, a child of it, and its last page.
        let look = 3 * LOAD;
        let page = self.form.page as u64;
        let touched = |bytes: u64| bytes.div_ceil(page) + 1;
        // Pointers are read a few at a time, by the root and a child of it.
        let pointers = |bytes: u64| 2 * LOAD * (touched(bytes).div_ceil(8) + 1);
        let pages: u64 = self.groups(call).pages().sum();
        // Each page of a group starts from what it held or another one holds; each that is taken may be of a page of the map
        // of its own; and the list of pages that wait is looked at.
        let of_groups = (LOAD + 1) * pages;
        of_groups
            + match call {
                PacedCall::Open => walk * names + look,
                PacedCall::Read { bytes } => look + pointers(bytes) + LOAD * touched(bytes),
                PacedCall::Overwrite { bytes } => look + pointers(bytes),
                PacedCall::Append { bytes } => look + walk + pointers(bytes) + 2 * LOAD,
                // The bucket again, and the node above it.
                PacedCall::Create | PacedCall::MakeDirectory => walk * names + 2 * LOAD,
                // Both paths, and the bucket of each again.
                PacedCall::Rename => 2 * walk * (names + 1) + 2 * LOAD,
                // The bucket, and the nodes above it one after the other.
                PacedCall::Remove => walk * (names + 2),
                PacedCall::Truncate | PacedCall::DiscardFront => {
                    look + 2 * walk + pointers(1) + 2 * LOAD
                }
                // The page of pointers, that of the map before, and what is dead by it.
                PacedCall::Free => 3 * LOAD + 3,
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
                .pages()
                .map(|pages| self.layer.write_counts(pages)[which])
                .fold(reads, |sum, group| sum + group)
        })
    }
}

/// Pages of the groups that a call writes.
#[derive(Clone, Copy, Debug)]
struct CallGroups {
    /// Pages of data, a few in each group.
    data: u64,
    /// Pages beside them in each group.
    beside: u64,
    /// Pages of a group before.
    before: u64,
}

impl CallGroups {
    /// Pages of one group after another.
    fn pages(self) -> impl Iterator<Item = u64> {
        let most = DATA_PAGES as u64;
        let groups = u64::from(self.beside > 0).max(self.data.div_ceil(most));
        let each = (0..groups).map(move |group| (self.data - group * most).min(most) + self.beside);
        each.chain((self.before > 0).then_some(self.before))
    }
}
