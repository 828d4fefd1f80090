//! The RAM that firmware needs for the translation layer below FAT.
//!
//! The page-mapped and the log-block layer of this simulation keep more, for speed: which logical page each page holds,
//! and words of this host's width. What is counted is the least that the same decisions can be made from, by the sizes of
//! the flash. The real-time layer keeps all its tables in memory that the firmware gives it; those bytes are counted.

use wordline_memory::Geometry;
use wordline_nvm::ftl::{FtlConfig, Mapping, Shape};
use wordline_rtfs::PacedRam;

/// What is known of a block: state and kind of cells 1, live pages 2, erases 4, sequence numbers of the last program
/// and of the last page that died 6 each, place in the order of freeing 4, two links of the list of blocks with as many
/// live pages 4 each; in whole words.
const BLOCK_BYTES: u64 = 32;

/// The head of such a list: two links.
const LIST_BYTES: u64 = 8;

/// What the summary at the end of a block will say of a page: its tag, logical page and sequence number, as on flash
/// (`FTL.md`).
const LINE_BYTES: u64 = 11;

/// What is known of a log block: block, owner and sequence number of its last program, in whole words.
const LOG_BYTES: u64 = 16;

/// The parts in bytes, by name. `mapping_bytes` is the table that finds a logical page.
pub(super) fn parts(
    mapping_bytes: u64,
    config: &FtlConfig,
    shape: Shape,
    geometry: &Geometry,
) -> [(&'static str, u64); 5] {
    let (blocks, pages) = (u64::from(shape.blocks), u64::from(shape.pages_per_block));
    let (logs, open) = match config.mapping {
        Mapping::LogBlock { logs, .. } => (u64::from(logs), u64::from(logs) + 1),
        // The host's, the cleaner's, and where data rest that are seldom written.
        Mapping::Page => (0, 2 + u64::from(config.leveling.static_above.is_some())),
    };
    // One gathers sectors of a page; the other one, with its spare area, is on the way from or to the flash.
    let buffers = 2 * u64::from(geometry.page_bytes) + u64::from(geometry.spare_bytes);
    [
        ("translation-mapping", mapping_bytes),
        ("translation-live-pages", (blocks * pages).div_ceil(8)),
        (
            "translation-blocks",
            blocks * BLOCK_BYTES + (pages + 1) * LIST_BYTES,
        ),
        (
            "translation-open-blocks",
            open * pages * LINE_BYTES + logs * LOG_BYTES,
        ),
        ("translation-pages", buffers),
    ]
}

/// The parts in bytes of a real-time layer, by name: the memory that it is given.
pub(super) fn paced_parts(ram: PacedRam) -> [(&'static str, u64); 5] {
    [
        ("translation-mapping", ram.map),
        ("translation-changes", ram.changes),
        ("translation-live-pages", ram.live_pages),
        ("translation-blocks", ram.blocks),
        ("translation-pages", ram.page),
    ]
    .map(|(part, bytes)| (part, bytes as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_the_sizes_of_the_flash() {
        let shape = Shape {
            blocks: 1024,
            pages_per_block: 64,
            slc_pages_per_block: 64,
            summary_pages: 1,
        };
        let geometry = Geometry {
            page_bytes: 2048,
            spare_bytes: 64,
            pages_per_block: 64,
            blocks: 1024,
            program_bytes: 1,
            programs_per_page: Some(4),
            once_bytes: None,
            in_order: true,
        };
        let mut config = FtlConfig::page_mapped(shape);
        config.leveling.static_above = None;
        let bytes =
            |config: &FtlConfig| parts(4 * 56_000, config, shape, &geometry).map(|part| part.1);
        let page = [224_000, 8192, 32_768 + 520, 2 * 64 * 11, 4096 + 64];
        assert_eq!(bytes(&config), page);
        config.mapping = Mapping::LogBlock {
            logs: 8,
            shared_by: 1,
        };
        assert_eq!(bytes(&config)[3], 9 * 64 * 11 + 8 * 16);
    }
}
