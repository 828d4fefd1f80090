//! The header of a block: everything that a mount needs to know of what was before it.

use crate::shape::{GROUP_PAGES, PacedShape};
use crate::{PacedSetupError, VERSION};

/// Bytes in front of the tables.
const FIXED: usize = 64;

/// First bytes of a header.
const MAGIC: [u8; 8] = *b"wl-paced";

/// Bytes of a header.
pub(crate) fn bytes(width: usize, blocks: u32, map_pages: u32, log_entries: u32) -> u64 {
    let group = GROUP_PAGES * 2 * width;
    let map = u64::from(map_pages) * width as u64;
    let log = u64::from(log_entries) * 2 * width as u64;
    let bits = u64::from(log_entries.div_ceil(8)) + u64::from(blocks.div_ceil(8));
    (FIXED + group) as u64 + map + log + bits
}

/// What stands in front of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// Entries of the change log.
    pub(crate) log_entries: u32,
    /// Pages of a group that was begun before the block.
    pub(crate) group: u8,
    /// A mount opened the block, which does not count before a page that says that the mount ended.
    pub(crate) mounted: bool,
    /// The block that was filled before.
    pub(crate) previous: u32,
}

impl Fixed {
    pub(crate) fn encode(&self, shape: &PacedShape, out: &mut [u8]) {
        out[..FIXED].fill(0);
        out[..8].copy_from_slice(&MAGIC);
        let geometry = &shape.geometry;
        let words = [
            VERSION,
            geometry.page_bytes,
            geometry.spare_bytes,
            geometry.pages_per_block,
            geometry.blocks,
            shape.config.logical_pages,
            shape.config.log_entries,
            self.log_entries,
        ];
        for (place, word) in out[8..40].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        out[40] = self.group;
        out[41] = self.mounted.into();
        out[44..48].copy_from_slice(&self.previous.to_le_bytes());
    }

    /// Reads the front of a header whose page is whole.
    pub(crate) fn decode<E>(shape: &PacedShape, main: &[u8]) -> Result<Self, PacedSetupError<E>> {
        if main.len() < FIXED || main[..8] != MAGIC {
            return Err(PacedSetupError::NotFormatted);
        }
        let word =
            |at: usize| u32::from_le_bytes([main[at], main[at + 1], main[at + 2], main[at + 3]]);
        if word(8) != VERSION {
            return Err(PacedSetupError::Version { found: word(8) });
        }
        let geometry = &shape.geometry;
        let named = [
            ("bytes in a page", geometry.page_bytes),
            ("spare bytes in a page", geometry.spare_bytes),
            ("pages in a block", geometry.pages_per_block),
            ("blocks", geometry.blocks),
            ("logical pages", shape.config.logical_pages),
            ("places in the change log", shape.config.log_entries),
        ];
        for (index, (what, asked)) in named.into_iter().enumerate() {
            let stored = word(12 + 4 * index);
            if stored != asked {
                return Err(PacedSetupError::Differs {
                    what,
                    stored,
                    asked,
                });
            }
        }
        Ok(Self {
            log_entries: word(36),
            group: main[40],
            mounted: main[41] != 0,
            previous: word(44),
        })
    }
}

/// Where the tables of a header begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// First byte of the pages of the begun group.
    pub(crate) group: usize,
    /// First byte of the places of the map's pages.
    pub(crate) map: usize,
    /// First byte of the change log.
    pub(crate) log: usize,
    /// First byte of its bits.
    pub(crate) gone: usize,
    /// First byte of the bits of bad blocks.
    pub(crate) bad: usize,
}

impl Layout {
    pub(crate) const fn of(shape: &PacedShape) -> Self {
        let group = FIXED;
        let map = group + GROUP_PAGES * 2 * shape.width;
        let log = map + shape.map_pages as usize * shape.width;
        let gone = log + shape.config.log_entries as usize * 2 * shape.width;
        let bad = gone + (shape.config.log_entries as usize).div_ceil(8);
        Self {
            group,
            map,
            log,
            gone,
            bad,
        }
    }
}

/// Copies the part of `table`, which starts at byte `start` of the header, that lies in the page whose bytes start at
/// `page_start`.
pub(crate) fn put_part(page: &mut [u8], page_start: usize, start: usize, table: &[u8]) {
    if let Some((in_page, in_table)) = overlap(page.len(), page_start, start, table.len()) {
        page[in_page].copy_from_slice(&table[in_table]);
    }
}

/// The reverse of [`put_part`].
pub(crate) fn get_part(page: &[u8], page_start: usize, start: usize, table: &mut [u8]) {
    if let Some((in_page, in_table)) = overlap(page.len(), page_start, start, table.len()) {
        table[in_table].copy_from_slice(&page[in_page]);
    }
}

type Part = core::ops::Range<usize>;

fn overlap(page: usize, page_start: usize, start: usize, table: usize) -> Option<(Part, Part)> {
    let first = start.max(page_start);
    let end = (start + table).min(page_start + page);
    (first < end).then(|| {
        (
            first - page_start..end - page_start,
            first - start..end - start,
        )
    })
}
