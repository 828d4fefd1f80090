//! How littlefs is set up for a memory.

use crate::blocks::BlockShape;
use crate::{FsError, FsErrorKind};

/// How littlefs is set up; sizes are in bytes, and what is `None` follows from the memory. The words of its own
/// configuration (`struct lfs_config` of `lfs.h`, 2.9) are in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LittleFsOptions {
    /// The granule of reading (`read_size`): what is worth a transfer.
    pub read_bytes: Option<u32>,
    /// The granule of programming (`prog_size`): what is worth a transfer, and a multiple of what the memory demands.
    pub program_bytes: Option<u32>,
    /// Each of the caches: one for reading, one for programming, and one an open file (`cache_size`); 256 B, or a
    /// granule where that is more.
    pub cache_bytes: Option<u32>,
    /// The map of free blocks, 8 blocks a byte (`lookahead_size`): a bit for every block, and at most 128 B.
    pub lookahead_bytes: Option<u32>,
    /// Erases of a block of metadata until its content moves to another (`block_cycles`); `None` never moves it.
    pub block_cycles: Option<u32>,
    /// The longest file that is stored in its directory (`inline_max`): the cache or an eighth of a block, whichever
    /// is less; 0 for none.
    pub inline_bytes: Option<u32>,
    /// How much of a block of metadata is used (`metadata_max`), which bounds the time of a compaction: all of it.
    pub metadata_bytes: Option<u32>,
}

impl Default for LittleFsOptions {
    /// What the memory suggests, and 500 cycles, as littlefs's own example has.
    fn default() -> Self {
        Self {
            read_bytes: None,
            program_bytes: None,
            cache_bytes: None,
            lookahead_bytes: None,
            block_cycles: Some(500),
            inline_bytes: None,
            metadata_bytes: None,
        }
    }
}

/// Sizes in bytes that littlefs takes: it checks none of them itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub shape: BlockShape,
    pub read: u32,
    pub program: u32,
    pub cache: u32,
    pub lookahead: u32,
    pub cycles: i32,
    pub inline: u32,
    pub metadata: u32,
}

/// The least block that takes all pointers of a file's list (`lfs_init` of `lfs.c`).
const LEAST_BLOCK: u32 = 128;

/// The longest attribute, which also bounds a file in its directory (`LFS_ATTR_MAX`).
const ATTRIBUTE_MAX: u32 = 1022;

impl LittleFsOptions {
    /// The sizes for a memory.
    pub(super) fn sizes(&self, shape: BlockShape) -> Result<Sizes, FsError> {
        let read = self.read_bytes.unwrap_or(shape.unit_bytes);
        let program = self.program_bytes.unwrap_or(shape.unit_bytes);
        let granule = read.max(program);
        let cache = granule.max(shape.block_bytes.min(256));
        let map = shape.blocks.div_ceil(64).saturating_mul(8).min(128);
        let cycles = self.block_cycles.map_or(Ok(-1), i32::try_from);
        let sizes = Sizes {
            shape,
            read,
            program,
            cache: self.cache_bytes.unwrap_or(cache),
            lookahead: self.lookahead_bytes.unwrap_or(map),
            cycles: cycles.unwrap_or(0),
            // littlefs takes 0 for its default, and -1 for none.
            inline: match self.inline_bytes {
                None => 0,
                Some(0) => u32::MAX,
                Some(bytes) => bytes,
            },
            metadata: self.metadata_bytes.unwrap_or(0),
        };
        sizes.check()?;
        Ok(sizes)
    }
}

impl Sizes {
    /// What littlefs asserts, where it is built with assertions (`lfs_init` of `lfs.c`), and what the memory demands.
    fn check(&self) -> Result<(), FsError> {
        let block = self.shape.block_bytes;
        let metadata = match self.metadata {
            0 => block,
            bytes => bytes,
        };
        let rules = [
            (block >= LEAST_BLOCK, "a block has at least 128 B"),
            (self.shape.blocks >= 2, "there are at least two blocks"),
            (self.read > 0 && self.program > 0, "granules are not 0"),
            (
                divides(self.shape.program_bytes, self.program),
                "the granule of programming is a multiple of the memory's",
            ),
            (
                divides(self.read, self.cache) && divides(self.program, self.cache),
                "a cache is a multiple of the granules",
            ),
            (
                divides(self.cache, block),
                "a block is a multiple of the cache",
            ),
            (self.lookahead > 0, "the map of free blocks is not empty"),
            (
                self.lookahead <= self.shape.blocks.div_ceil(64).saturating_mul(8),
                "the map of free blocks has a bit for each block, rounded up to 8 B, and no more",
            ),
            (
                self.cycles != 0,
                "a block of metadata stays for 1 to 2147483647 cycles",
            ),
            (self.metadata <= block, "metadata fits a block"),
            (
                self.inline == u32::MAX
                    || self.inline <= self.cache.min(ATTRIBUTE_MAX).min(metadata / 8),
                "a file in its directory fits the cache, 1022 B and an eighth of the metadata of a block",
            ),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, rule)) => Err(FsError::new(
                FsErrorKind::Unsuitable,
                format_args!(
                    "{rule}: {} blocks of {block} B, read {} B, program {} B, cache {} B",
                    self.shape.blocks, self.read, self.program, self.cache
                ),
            )),
        }
    }
}

const fn divides(part: u32, whole: u32) -> bool {
    part > 0 && whole.is_multiple_of(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOR: BlockShape = BlockShape {
        block_bytes: 4096,
        blocks: 4096,
        program_bytes: 1,
        unit_bytes: 16,
    };

    fn sizes(options: LittleFsOptions, shape: BlockShape) -> Option<Sizes> {
        match options.sizes(shape) {
            Ok(sizes) => Some(sizes),
            Err(error) => {
                assert_eq!(error.kind, FsErrorKind::Unsuitable);
                None
            }
        }
    }

    #[test]
    fn defaults_follow_from_the_memory() {
        let nor = sizes(LittleFsOptions::default(), NOR).expect("a common memory");
        assert_eq!((nor.read, nor.program, nor.cache), (16, 16, 256));
        assert_eq!((nor.lookahead, nor.cycles), (128, 500));
        let nand = BlockShape {
            block_bytes: 128 << 10,
            blocks: 100,
            program_bytes: 2048,
            unit_bytes: 2048,
        };
        let nand = sizes(LittleFsOptions::default(), nand).expect("a common memory");
        assert_eq!(
            (nand.read, nand.program, nand.cache, nand.lookahead),
            (2048, 2048, 2048, 16)
        );
        let small = BlockShape {
            block_bytes: 128,
            ..NOR
        };
        assert_eq!(
            sizes(LittleFsOptions::default(), small).map(|small| small.cache),
            Some(128)
        );
    }

    #[test]
    fn what_littlefs_would_assert_is_refused() {
        let good = LittleFsOptions::default();
        assert!(
            sizes(
                LittleFsOptions {
                    read_bytes: Some(4),
                    program_bytes: Some(4),
                    ..good
                },
                NOR
            )
            .is_some()
        );
        for bad in [
            LittleFsOptions {
                read_bytes: Some(0),
                ..good
            },
            LittleFsOptions {
                program_bytes: Some(0),
                ..good
            },
            LittleFsOptions {
                program_bytes: Some(48),
                ..good
            },
            LittleFsOptions {
                cache_bytes: Some(0),
                ..good
            },
            LittleFsOptions {
                cache_bytes: Some(100),
                ..good
            },
            LittleFsOptions {
                cache_bytes: Some(8192),
                ..good
            },
            LittleFsOptions {
                lookahead_bytes: Some(0),
                ..good
            },
            LittleFsOptions {
                block_cycles: Some(0),
                ..good
            },
            LittleFsOptions {
                block_cycles: Some(u32::MAX),
                ..good
            },
            LittleFsOptions {
                inline_bytes: Some(512),
                ..good
            },
            LittleFsOptions {
                metadata_bytes: Some(4097),
                ..good
            },
        ] {
            assert_eq!(sizes(bad, NOR), None, "{bad:?}");
        }
        for bad in [
            BlockShape {
                block_bytes: 64,
                ..NOR
            },
            BlockShape { blocks: 1, ..NOR },
            BlockShape {
                program_bytes: 512,
                ..NOR
            },
        ] {
            assert_eq!(sizes(good, bad), None, "{bad:?}");
        }
    }
}
