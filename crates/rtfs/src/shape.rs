//! Sizes of a layer, and how the caller's memory is shared out.

use core::ops::Range;

use wordline_memory::Geometry;

use crate::error::PacedUnsuitable;
use crate::header;

/// Free blocks that there are when a block is full: the one that is opened next, one for a mount, and one that the mount
/// goes on with when its own block is full.
pub(crate) const FREE_BLOCKS: u32 = 3;

/// Pages of a block that a mount takes beside those that it moves: the last unit, and the page that says that it ended.
pub(crate) const MOUNT_PAGES: u32 = GROUP_PAGES as u32 + 1;

/// Pages that a group may have.
pub const GROUP_PAGES: usize = 8;

/// What a layer is formatted with.
///
/// ```
/// use wordline_memory::Geometry;
/// use wordline_rtfs::PacedConfig;
///
/// // 1 Gb of SLC NAND, 70 % of it for data.
/// let geometry = Geometry {
///     page_bytes: 2048,
///     spare_bytes: 128,
///     pages_per_block: 64,
///     blocks: 1024,
///     program_bytes: 1,
///     programs_per_page: Some(4),
///     once_bytes: Some(512),
///     in_order: true,
/// };
/// let config = PacedConfig { logical_pages: 45_875, bad_blocks: 20, log_entries: 872 };
/// let bound = config.bound(&geometry)?;
/// assert!(bound.ram_bytes <= 16 << 10);
/// // A 4 KiB overwrite: two programs, and one erase or ten steps at most.
/// assert_eq!(2 * bound.steps_per_page, 10);
/// # Ok::<(), wordline_rtfs::PacedUnsuitable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedConfig {
    /// Logical pages.
    pub logical_pages: u32,
    /// Blocks that may be bad, those from the factory included.
    pub bad_blocks: u32,
    /// Changed places that RAM holds until the map on flash has them. More of them make rarer stores of the map.
    pub log_entries: u32,
}

/// Changed places that a store of a page of the map retires at least, unless the caller says otherwise. More of them cost
/// RAM, and save little: a store is a twentieth of a step for each change then.
const RETIRED: u32 = 20;

impl PacedConfig {
    /// A layer with the usual log: its stores of the map cost a twentieth of a step for each page written or moved.
    ///
    /// The log is the shortest one that does so. Of 19 · m + 1 changes in m pages of the map, one page has 20; with one
    /// change fewer, each may have 19. Further places, up to 20 · m, would cost RAM and retire no more.
    #[must_use]
    pub fn usual(geometry: &Geometry, logical_pages: u32, bad_blocks: u32) -> Self {
        let map_entries = geometry.page_bytes / number_bytes(geometry) as u32;
        let map_pages = logical_pages.div_ceil(map_entries.max(1));
        let changes = (RETIRED - 1).saturating_mul(map_pages).saturating_add(1);
        Self {
            logical_pages,
            bad_blocks,
            // Behind them the places of a group that is being written, and those that the log keeps free for the next.
            log_entries: changes.saturating_add(2 * GROUP_PAGES as u32),
        }
    }
}

/// The part that is to carry a layer, of whose blocks the layer may get the first ones alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedGround {
    /// All of it.
    pub geometry: Geometry,
    /// Blocks of it that may be bad.
    pub bad_blocks: u32,
}

impl PacedGround {
    /// A layer with the usual log on the first blocks of the part, for the logical pages that are asked for of some pages. On
    /// so few blocks that its bound would be worse than that of the whole part it gets fewer.
    #[must_use]
    pub fn usual(&self, geometry: &Geometry, logical_of: impl Fn(u64) -> u32) -> PacedConfig {
        let whole = &self.geometry;
        let usual = |geometry: &Geometry| {
            let bad = u64::from(self.bad_blocks) * u64::from(geometry.blocks);
            let bad = bad.div_ceil(u64::from(whole.blocks.max(1)));
            PacedConfig::usual(geometry, logical_of(geometry.pages()), bad as u32)
        };
        let mut config = usual(geometry);
        if let Ok(bound) = usual(whole).bound(whole)
            && let Some(most) = config.largest(geometry, bound.steps_per_page)
        {
            config.logical_pages = config.logical_pages.min(most);
        }
        config
    }
}

/// Bytes that the number of a page takes.
const fn number_bytes(geometry: &Geometry) -> usize {
    if geometry.pages() <= 1 << 16 {
        2
    } else if geometry.pages() <= 1 << 24 {
        3
    } else {
        4
    }
}

/// Every size that follows from the geometry and the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacedShape {
    pub(crate) geometry: Geometry,
    pub(crate) config: PacedConfig,
    /// Bytes of the number of a page.
    pub(crate) width: usize,
    /// Entries of a page of the map.
    pub(crate) map_entries: u32,
    /// Pages of the map.
    pub(crate) map_pages: u32,
    /// Pages of a block's header.
    pub(crate) header_pages: u32,
    /// Pages of a block behind its header.
    pub(crate) data_pages: u32,
}

/// Where each table stands in the caller's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TablePlaces {
    /// For each page of the map, two bytes: its logical pages that hold nothing.
    pub(crate) unwritten: Range<usize>,
    /// A bit for each page that may be needed.
    pub(crate) live: Range<usize>,
    /// A bit for each changed place: the caller discarded the logical page.
    pub(crate) discarded: Range<usize>,
    /// Changed places: logical page and page, ordered by logical page.
    pub(crate) log: Range<usize>,
    /// A bit for each of them: the page that the stored map names does not count any more.
    pub(crate) gone: Range<usize>,
    /// A byte for each block.
    pub(crate) wear: Range<usize>,
    /// Where each page of the map is.
    pub(crate) map: Range<usize>,
    /// One page, main and spare area.
    pub(crate) image: Range<usize>,
    pub(crate) bytes: usize,
}

/// The RAM that a layer needs, in bytes by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedRam {
    /// Where the pages of the map are, and how many logical pages of each hold nothing.
    pub map: usize,
    /// Pages whose places changed since their page of the map was stored.
    pub changes: usize,
    /// Which pages may be needed: a bit for each.
    pub live_pages: usize,
    /// Erases of blocks, and which are bad: a byte for each.
    pub blocks: usize,
    /// One page with its spare area.
    pub page: usize,
}

impl TablePlaces {
    pub(crate) fn ram(&self) -> PacedRam {
        PacedRam {
            map: self.map.len() + self.unwritten.len(),
            changes: self.log.len() + self.gone.len() + self.discarded.len(),
            live_pages: self.live.len(),
            blocks: self.wear.len(),
            page: self.image.len(),
        }
    }
}

impl PacedShape {
    pub(crate) fn new(geometry: &Geometry, config: &PacedConfig) -> Result<Self, PacedUnsuitable> {
        let unsuitable = |what, found: u64, least: u64, most: u64| {
            if found < least || found > most {
                Err(PacedUnsuitable {
                    what,
                    found,
                    least,
                    most,
                })
            } else {
                Ok(())
            }
        };
        unsuitable("bytes of a page", geometry.page_bytes.into(), 64, 1 << 16)?;
        unsuitable(
            "bytes of a page's spare area",
            geometry.spare_bytes.into(),
            16,
            1 << 16,
        )?;
        unsuitable("pages of a block", geometry.pages_per_block.into(), 4, 1024)?;
        unsuitable(
            "bad blocks",
            config.bad_blocks.into(),
            0,
            geometry.blocks.saturating_sub(4).into(),
        )?;
        unsuitable(
            "logical pages",
            config.logical_pages.into(),
            1,
            geometry.pages(),
        )?;
        unsuitable(
            "places of the change log",
            config.log_entries.into(),
            2 * GROUP_PAGES as u64,
            1 << 16,
        )?;
        let width = number_bytes(geometry);
        let map_entries = geometry.page_bytes / width as u32;
        let map_pages = config.logical_pages.div_ceil(map_entries);
        let header_bytes = header::bytes(width, geometry.blocks, map_pages, config.log_entries);
        // Two at least: a header that was begun and not finished is then never taken for one.
        let header_pages = header_bytes.div_ceil(u64::from(geometry.page_bytes)).max(2) as u32;
        unsuitable(
            "pages of a block's header",
            header_pages.into(),
            2,
            u64::from(geometry.pages_per_block / 2),
        )?;
        let data_pages = geometry.pages_per_block - header_pages;
        unsuitable(
            "pages of a block behind its header",
            data_pages.into(),
            GROUP_PAGES as u64 + 2,
            1024,
        )?;
        Ok(Self {
            geometry: *geometry,
            config: *config,
            width,
            map_entries,
            map_pages,
            header_pages,
            data_pages,
        })
    }

    /// Changed places that the log keeps free for the next group.
    pub(crate) const fn log_threshold(&self) -> u32 {
        self.config.log_entries - GROUP_PAGES as u32
    }

    /// Changed places that a store of a page of the map retires at least, when the log is at its threshold: that page has
    /// most of them. The [usual](PacedConfig::usual) log is long enough for as many with a group under way.
    pub(crate) const fn retired(&self) -> u32 {
        self.log_threshold().div_ceil(self.map_pages)
    }

    /// The same where the log keeps places free for the pages of a group that is being written.
    pub(crate) fn retired_in_call(&self) -> u32 {
        (self.log_threshold() - GROUP_PAGES as u32)
            .div_ceil(self.map_pages)
            .max(1)
    }

    /// Stores of map pages that can fall due while so many pages are programmed, when the log takes `room` changes before
    /// the first. Each page is a change or a store.
    pub(crate) fn stores(&self, pages: u32, room: u32) -> u32 {
        let of_changes = |changes: u32| {
            if changes <= room {
                0
            } else {
                1 + (changes - room - 1) / self.retired()
            }
        };
        let mut stores = of_changes(pages);
        while stores > of_changes(pages.saturating_sub(stores)) {
            stores -= 1;
        }
        stores
    }

    pub(crate) fn places(&self) -> TablePlaces {
        let mut end = 0;
        let mut take = |bytes: usize| {
            let start = end;
            end += bytes;
            start..end
        };
        let entries = self.config.log_entries as usize;
        let geometry = &self.geometry;
        TablePlaces {
            unwritten: take(self.map_pages as usize * 2),
            live: take(geometry.pages().div_ceil(8) as usize),
            discarded: take(entries.div_ceil(8)),
            log: take(entries * 2 * self.width),
            gone: take(entries.div_ceil(8)),
            wear: take(geometry.blocks as usize),
            map: take(self.map_pages as usize * self.width),
            image: take(geometry.columns() as usize),
            bytes: end,
        }
    }

    /// The page of the map that a logical page is in, and its place there.
    pub(crate) const fn map_place(&self, logical: u32) -> (u32, u32) {
        (logical / self.map_entries, logical % self.map_entries)
    }

    /// Logical pages of a page of the map.
    pub(crate) const fn logical_pages_of(&self, number: u32) -> u32 {
        let first = number * self.map_entries;
        let rest = self.config.logical_pages - first;
        if rest < self.map_entries {
            rest
        } else {
            self.map_entries
        }
    }

    /// The page of a block behind its header.
    pub(crate) const fn data_page(&self, block: u32, place: u32) -> u32 {
        block * self.geometry.pages_per_block + self.header_pages + place
    }
}
