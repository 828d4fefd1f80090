//! The mark of a formatted flash: which layer wrote it, and with which sizes and choices.

use wordline_memory::Flash;

use super::config::{FtlConfig, Mapping};
use super::flash_media::FlashMedia;
use super::record::{crc32, number};
use crate::pairing::Pairing;

/// What the mark states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    values: [u32; FIELDS.len()],
}

/// What was found where the mark should be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MarkFound {
    /// Pages that hold anything.
    pub(super) pages: u32,
    /// What the first whole copy states.
    pub(super) mark: Option<Mark>,
}

const MAGIC: &[u8; 8] = b"wordline";

/// The field that a mount takes over, because it follows from the bad blocks at the time of the format.
const LOGICAL: usize = 7;

/// The version of the format that `FTL.md` describes.
const VERSION: u32 = 1;

/// What the mark states, in its order.
const FIELDS: [&str; 12] = [
    "version of the format",
    "bytes of a page",
    "spare bytes of a page",
    "pages of a block",
    "blocks",
    "pairing of pages (0: none)",
    "spare blocks",
    "logical pages",
    "mapping (0: pages, 1: log blocks)",
    "blocks of the SLC cache",
    "bytes of a sector",
    "place of records in the spare area (a check of their columns)",
];

impl Mark {
    /// Bytes at the start of a page.
    pub(super) const BYTES: usize = 64;

    /// Pages of its block that hold it, as far as the block has so many.
    pub(super) const COPIES: u32 = 8;

    /// What the mark of a layer states, but for its logical pages.
    pub(super) fn new<F: Flash>(
        media: &FlashMedia<F>,
        config: &FtlConfig,
        sector_bytes: u32,
    ) -> Self {
        let geometry = media.geometry();
        let pairing = match media.pairing() {
            None => 0,
            Some(Pairing::Distance3) => 3,
            Some(Pairing::Distance6) => 6,
        };
        let mapping = match config.mapping {
            Mapping::Page => 0,
            Mapping::LogBlock { .. } => 1,
        };
        Self {
            values: [
                VERSION,
                geometry.page_bytes,
                geometry.spare_bytes,
                geometry.pages_per_block,
                geometry.blocks,
                pairing,
                config.spare_blocks,
                0,
                mapping,
                config.slc.map_or(0, |slc| slc.blocks),
                sector_bytes,
                media.layout().check_of_columns(),
            ],
        }
    }

    /// The main area of its page.
    pub(super) fn encode(&self, page_bytes: usize) -> Vec<u8> {
        let mut main = vec![0xFF; page_bytes];
        main[..8].copy_from_slice(MAGIC);
        for (place, value) in main[8..].chunks_exact_mut(4).zip(self.values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        let check = crc32(&[&main[..Self::BYTES - 4]]);
        main[Self::BYTES - 4..Self::BYTES].copy_from_slice(&check.to_le_bytes());
        main
    }

    pub(super) fn decode(main: &[u8]) -> Option<Self> {
        let (stated, check) = main.get(..Self::BYTES)?.split_at(Self::BYTES - 4);
        if !stated.starts_with(MAGIC) || check != crc32(&[stated]).to_le_bytes() {
            return None;
        }
        let mut values = [0; FIELDS.len()];
        for (value, bytes) in values.iter_mut().zip(stated[8..].chunks_exact(4)) {
            *value = number(bytes) as u32;
        }
        Some(Self { values })
    }

    /// Logical pages of the layer.
    pub(super) const fn logical(&self) -> u32 {
        self.values[LOGICAL]
    }

    /// The same for a layer of so many logical pages.
    pub(super) const fn with_logical(mut self, logical: u32) -> Self {
        self.values[LOGICAL] = logical;
        self
    }

    /// The first field in which two marks differ, with what this one and the other one state.
    pub(super) fn differs(&self, other: &Self) -> Option<(&'static str, u32, u32)> {
        let pairs = self.values.into_iter().zip(other.values);
        let mut fields = FIELDS.into_iter().zip(pairs);
        fields
            .find(|(_, (stored, asked))| stored != asked)
            .map(|(field, (stored, asked))| (field, stored, asked))
    }
}
