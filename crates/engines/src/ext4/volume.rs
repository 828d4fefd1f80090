//! Blocks of the device, and where what lies.

use crate::{FsError, FsErrorKind, SectorBox};

/// Bytes of a block and of a page.
pub(super) const BLOCK: usize = 4096;

/// Blocks of a group.
const GROUP: u64 = 32768;

/// Bytes for which `mke2fs` makes an inode.
const BYTES_OF_INODE: u64 = 16384;

/// Inodes of a block of the table.
const INODES_OF_BLOCK: u64 = 16;

/// Blocks of the smallest device: what ext4 takes in blocks of 4096 B for one with a journal.
const BLOCKS_MIN: u64 = 1024;

/// Bytes of a request at most: of the host controllers of SD cards that the kernel has, most take 512 KiB or less.
pub(super) const REQUEST: usize = 512 << 10;

/// Where what lies, in blocks: as on ext4 in groups that share the first one's metadata (`flex_bg`), and at the end the
/// table of the emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ext4Layout {
    pub(super) blocks: u64,
    groups: u64,
    inodes_of_group: u64,
    block_bitmaps: u64,
    inode_bitmaps: u64,
    inode_table: u64,
    /// The first block behind the metadata.
    pub(super) first: u64,
    pub(super) journal: u64,
    pub(super) journal_blocks: u64,
    pub(super) table: u64,
}

impl Ext4Layout {
    /// Of a device of so many blocks.
    pub(super) fn of(blocks: u64) -> Result<Self, FsError> {
        if blocks < BLOCKS_MIN {
            let why = format_args!(
                "{blocks} blocks of 4 KiB; ext4 with a journal has {BLOCKS_MIN} at least"
            );
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        let groups = blocks.div_ceil(GROUP);
        let inodes = (blocks * BLOCK as u64 / BYTES_OF_INODE / groups).max(INODES_OF_BLOCK);
        let inodes_of_group = inodes.next_multiple_of(INODES_OF_BLOCK);
        let block_bitmaps = 1 + groups.div_ceil(64);
        let inode_bitmaps = block_bitmaps + groups;
        let inode_table = inode_bitmaps + groups;
        let first = inode_table + groups * inodes_of_group / INODES_OF_BLOCK;
        let journal_blocks = journal_blocks(blocks);
        Ok(Self {
            blocks,
            groups,
            inodes_of_group,
            block_bitmaps,
            inode_bitmaps,
            inode_table,
            first,
            journal: (blocks / 2).max(first),
            journal_blocks,
            table: blocks - (blocks / 64).clamp(16, 32768),
        })
    }

    /// Stretches for data: first block and count.
    pub(super) fn data(&self) -> [(u64, u64); 2] {
        let behind = self.journal + self.journal_blocks;
        [
            (self.first, self.journal - self.first),
            (behind, self.table - behind),
        ]
    }

    pub(super) const fn inodes(&self) -> u64 {
        self.groups * self.inodes_of_group
    }

    pub(super) const fn block_bitmap(&self, block: u64) -> u64 {
        self.block_bitmaps + block / GROUP
    }

    /// Inodes count from 1.
    pub(super) const fn inode_bitmap(&self, inode: u64) -> u64 {
        self.inode_bitmaps + (inode - 1) / self.inodes_of_group
    }

    pub(super) const fn inode(&self, inode: u64) -> u64 {
        self.inode_table + (inode - 1) / INODES_OF_BLOCK
    }
}

/// As `mke2fs` chooses (`ext2fs_default_journal_size`), and a quarter of a small device.
fn journal_blocks(blocks: u64) -> u64 {
    let usual = match blocks >> 15 {
        0 => 1024,
        1..8 => 4096,
        8..16 => 8192,
        16..128 => 16384,
        128..256 => 32768,
        256..512 => 65536,
        512..1024 => 131_072,
        _ => 262_144,
    };
    usual.min(blocks / 4)
}

/// The device in blocks.
pub(super) struct Ext4Device {
    sectors: SectorBox,
    sectors_of_block: u64,
    pub(super) blocks: u64,
}

impl Ext4Device {
    pub(super) fn new(sectors: SectorBox) -> Result<Self, FsError> {
        let bytes = sectors.sector_bytes();
        if bytes == 0 || !BLOCK.is_multiple_of(bytes) {
            let why = format_args!("sectors of {bytes} B; 4096 B have to be whole sectors");
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        let sectors_of_block = (BLOCK / bytes) as u64;
        Ok(Self {
            blocks: sectors.sectors() / sectors_of_block,
            sectors,
            sectors_of_block,
        })
    }

    pub(super) fn read(&mut self, block: u64, out: &mut [u8]) -> Result<(), FsError> {
        let sector = block * self.sectors_of_block;
        self.sectors.0.read(sector, out).map_err(failed)
    }

    /// Writes whole blocks, in requests of the greatest length.
    pub(super) fn write(&mut self, block: u64, data: &[u8]) -> Result<(), FsError> {
        for (request, data) in (0..).zip(data.chunks(REQUEST)) {
            let block = block + request * (REQUEST / BLOCK) as u64;
            let sector = block * self.sectors_of_block;
            self.sectors.0.write(sector, data).map_err(failed)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), FsError> {
        self.sectors.0.flush().map_err(failed)
    }
}

fn failed(why: String) -> FsError {
    FsError::new(FsErrorKind::Device, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps_on_any_size() {
        for blocks in [1024, 1025, 4096, 40_000, 262_144, 7_791_744, 100_000_000] {
            let layout = Ext4Layout::of(blocks).expect("it is large enough");
            let [(first, before), (behind, after)] = layout.data();
            assert!(before > 0 || after > 0, "{layout:?}");
            assert_eq!(first + before, layout.journal);
            assert_eq!(behind + after, layout.table);
            assert!(layout.inode(layout.inodes()) < first, "{layout:?}");
            assert!(layout.inode_bitmap(layout.inodes()) < layout.inode(1));
            assert!(layout.block_bitmap(blocks - 1) < layout.inode_bitmap(1));
        }
        assert!(Ext4Layout::of(1023).is_err());
    }

    #[test]
    fn a_gibibyte_has_the_journal_that_was_recorded() {
        let layout = Ext4Layout::of(262_144).expect("1 GiB");
        assert_eq!((layout.journal, layout.journal_blocks), (131_072, 8192));
    }
}
