//! Memories of erase blocks: flash, and bytes in blocks of a chosen size.

use std::fmt::Display;

use wordline_memory::{ByteMemory, Flash, FlashError, FlashErrorKind};

use crate::{FsError, FsErrorKind};

/// A memory of blocks that are erased, programmed from their start on, and read.
pub trait Blocks {
    /// Its sizes, which never change.
    fn shape(&self) -> BlockShape;

    /// Fills `out` with the bytes of a block from `at` on.
    ///
    /// # Errors
    /// When the block is damaged, or the memory fails.
    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault>;

    /// Programs bytes of a block that was erased, from `at` on.
    ///
    /// # Errors
    /// When the block is damaged, or the memory fails.
    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault>;

    /// Makes a block ready to be programmed; what it holds then is unspecified.
    ///
    /// # Errors
    /// When the block is damaged, or the memory fails.
    fn erase(&mut self, block: u32) -> Result<(), BlockFault>;

    /// Returns when everything that was programmed survives a power cut.
    ///
    /// # Errors
    /// When the memory fails.
    fn sync(&mut self) -> Result<(), BlockFault>;
}

impl<B: Blocks + ?Sized> Blocks for Box<B> {
    fn shape(&self) -> BlockShape {
        (**self).shape()
    }

    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault> {
        (**self).read(block, at, out)
    }

    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault> {
        (**self).program(block, at, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), BlockFault> {
        (**self).erase(block)
    }

    fn sync(&mut self) -> Result<(), BlockFault> {
        (**self).sync()
    }
}

/// Sizes of a memory of blocks, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Bytes in a block.
    pub block_bytes: u32,
    /// Blocks in the memory, bad ones included.
    pub blocks: u32,
    /// The granule of programming that the memory demands.
    pub program_bytes: u32,
    /// A multiple of it that is worth a transfer: the granule of reading and programming where none is chosen.
    pub unit_bytes: u32,
}

/// Why a memory of blocks failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// The block is damaged: another one has to be taken.
    #[error("{0}")]
    Block(String),
    /// The memory failed.
    #[error("{0}")]
    Memory(String),
}

/// The unit where the memory has none of its own: what littlefs's own example takes (`README.md`, 2.9).
const UNIT: u32 = 16;

/// Flash as blocks: NOR, or NAND whose bad blocks littlefs works around. A block that fails is marked bad where the
/// flash keeps marks.
#[derive(Clone, Debug)]
pub struct FlashBlocks<F> {
    flash: F,
    shape: BlockShape,
}

impl<F: Flash> FlashBlocks<F> {
    /// The flash as blocks of one erase.
    ///
    /// It is programmed in whole pages where a page takes a limited number of programs, as on NAND, in the units that
    /// one ECC covers where those are programmed once, and in its granule elsewhere. Spare areas are not used.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where the geometry is not valid.
    pub fn new(flash: F) -> Result<Self, FsError> {
        let geometry = flash.geometry();
        let block_bytes = u32::try_from(geometry.block_bytes());
        let (true, Ok(block_bytes)) = (geometry.is_valid(), block_bytes) else {
            let why = "the sizes of the flash do not agree";
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        };
        let program_bytes = match (geometry.programs_per_page, geometry.once_bytes) {
            (Some(_), _) => geometry.page_bytes,
            (None, Some(unit)) => unit,
            (None, None) => geometry.program_bytes,
        };
        Ok(Self {
            flash,
            shape: BlockShape {
                block_bytes,
                blocks: geometry.blocks,
                program_bytes,
                unit_bytes: unit(program_bytes),
            },
        })
    }

    /// The flash.
    pub const fn flash(&self) -> &F {
        &self.flash
    }

    /// The page and the column of a byte of a block, and how many bytes of the page there are from it on.
    fn place(&self, block: u32, at: usize) -> (u32, u32, usize) {
        let geometry = self.flash.geometry();
        let (page, column) = (
            at / geometry.page_bytes as usize,
            at % geometry.page_bytes as usize,
        );
        let left = geometry.page_bytes as usize - column;
        (
            block * geometry.pages_per_block + page as u32,
            column as u32,
            left,
        )
    }

    /// What an error means; a block that has failed is marked.
    fn fault(&mut self, block: u32, error: &F::Error) -> BlockFault {
        match error.kind() {
            kind @ (FlashErrorKind::BadBlock | FlashErrorKind::Uncorrectable) => {
                BlockFault::Block(kind.to_string())
            }
            kind @ (FlashErrorKind::ProgramFailed | FlashErrorKind::EraseFailed) => {
                match self.flash.mark_bad(block).map_err(|error| error.kind()) {
                    // Most NOR flash keeps no marks.
                    Ok(()) | Err(FlashErrorKind::Misuse) => BlockFault::Block(kind.to_string()),
                    Err(kind) => BlockFault::Memory(kind.to_string()),
                }
            }
            kind => BlockFault::Memory(kind.to_string()),
        }
    }
}

impl<F: Flash> Blocks for FlashBlocks<F> {
    fn shape(&self) -> BlockShape {
        self.shape
    }

    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault> {
        let mut done = 0;
        while done < out.len() {
            let (page, column, left) = self.place(block, at as usize + done);
            let end = out.len().min(done + left);
            let read = self.flash.read(page, column, &mut out[done..end]);
            read.map_err(|error| self.fault(block, &error))?;
            done = end;
        }
        Ok(())
    }

    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault> {
        let mut done = 0;
        while done < data.len() {
            let (page, column, left) = self.place(block, at as usize + done);
            let end = data.len().min(done + left);
            let programmed = self.flash.program(page, column, &data[done..end]);
            programmed.map_err(|error| match error.kind() {
                // The place is in the memory, so that it is one that takes no other program before an erase: a power
                // cut began it, and it reads as erased. A chip that does not refuse would be found out when the data are
                // read back.
                FlashErrorKind::Misuse => {
                    BlockFault::Block("a page was programmed before".to_owned())
                }
                _ => self.fault(block, &error),
            })?;
            done = end;
        }
        Ok(())
    }

    fn erase(&mut self, block: u32) -> Result<(), BlockFault> {
        let erased = self.flash.erase(block);
        erased.map_err(|error| self.fault(block, &error))
    }

    fn sync(&mut self) -> Result<(), BlockFault> {
        Ok(())
    }
}

/// A byte memory as blocks that need no erase: MRAM, FRAM, EEPROM, a card.
#[derive(Clone, Debug)]
pub struct ByteBlocks<M> {
    memory: M,
    shape: BlockShape,
}

/// Blocks of a byte memory at most, where their size is not chosen: littlefs looks through all of them for free ones.
const BLOCKS_MAX: u64 = 1 << 16;

impl<M: ByteMemory> ByteBlocks<M> {
    /// The memory as blocks of 512 bytes, or of the power of two that makes at most 65,536 of them.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where the memory is too large.
    pub fn new(memory: M) -> Result<Self, FsError> {
        let least = memory.len().div_ceil(BLOCKS_MAX).max(512);
        match u32::try_from(least.next_power_of_two()) {
            Ok(bytes) => Self::of_bytes(memory, bytes),
            Err(_) => Err(FsErrorKind::Unsuitable.into()),
        }
    }

    /// The memory as blocks of a size in bytes.
    ///
    /// Its [atom](ByteMemory::atom) is worth a transfer, or 16 bytes where that is less. What is left of a last block is
    /// not used.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where there are no blocks, or too many to count.
    pub fn of_bytes(memory: M, block_bytes: u32) -> Result<Self, FsError> {
        let blocks = memory.len().checked_div(block_bytes.into());
        let blocks = blocks.and_then(|blocks| u32::try_from(blocks).ok());
        let atom = u32::try_from(memory.atom()).ok();
        let (Some(blocks @ 1..), Some(atom @ 1..)) = (blocks, atom) else {
            let why = format_args!("{} B in blocks of {block_bytes} B", memory.len());
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        };
        let shape = BlockShape {
            block_bytes,
            blocks,
            program_bytes: 1,
            unit_bytes: unit(atom),
        };
        Ok(Self { memory, shape })
    }

    /// The memory.
    pub const fn memory(&self) -> &M {
        &self.memory
    }

    fn address(&self, block: u32, at: u32) -> u64 {
        u64::from(block) * u64::from(self.shape.block_bytes) + u64::from(at)
    }
}

impl<M: ByteMemory<Error: Display>> Blocks for ByteBlocks<M> {
    fn shape(&self) -> BlockShape {
        self.shape
    }

    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault> {
        let read = self.memory.read(self.address(block, at), out);
        read.map_err(|error| BlockFault::Memory(error.to_string()))
    }

    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault> {
        let written = self.memory.write(self.address(block, at), data);
        written.map_err(|error| BlockFault::Memory(error.to_string()))
    }

    fn erase(&mut self, _block: u32) -> Result<(), BlockFault> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), BlockFault> {
        let done = self.memory.persist();
        done.map_err(|error| BlockFault::Memory(error.to_string()))
    }
}

/// The granule of a memory, raised to one that is worth a transfer.
const fn unit(own: u32) -> u32 {
    if UNIT.is_multiple_of(own) { UNIT } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_memory::{RamFlash, RamMemory};

    #[test]
    fn granules_follow_the_rules_of_the_flash() {
        let mut geometry = RamFlash::<1024, 2, 2>::nor().expect("sizes").geometry();
        let units = |geometry| {
            let flash = RamFlash::<1024, 2, 2>::new(geometry).expect("sizes");
            let shape = FlashBlocks::new(flash).expect("valid").shape();
            (shape.program_bytes, shape.unit_bytes)
        };
        assert_eq!(units(geometry), (1, 16));
        geometry.program_bytes = 64;
        assert_eq!(units(geometry), (64, 64));
        geometry.once_bytes = Some(256);
        assert_eq!(units(geometry), (256, 256));
        geometry.programs_per_page = Some(4);
        assert_eq!(units(geometry), (1024, 1024));
    }

    #[test]
    fn accesses_cross_pages_and_stay_in_their_block() {
        let flash = RamFlash::<32, 4, 3>::nor().expect("sizes");
        let mut blocks = FlashBlocks::new(flash).expect("valid");
        let data: Vec<u8> = (0..64).collect();
        blocks.program(1, 16, &data).expect("erased");
        let mut out = [0; 128];
        blocks.read(1, 0, &mut out).expect("whole");
        assert_eq!((out[15], &out[16..80], out[80]), (0xFF, &data[..], 0xFF));
        blocks.read(0, 0, &mut out).expect("whole");
        assert_eq!(out, [0xFF; 128]);
    }

    #[test]
    fn a_block_that_fails_is_marked_and_refused_from_then_on() {
        let mut flash = RamFlash::<32, 4, 3>::nor().expect("sizes");
        flash.mark_bad(2).expect("a block");
        let mut blocks = FlashBlocks::new(flash).expect("valid");
        assert!(matches!(blocks.erase(2), Err(BlockFault::Block(_))));
        assert!(matches!(
            blocks.program(2, 0, &[0; 16]),
            Err(BlockFault::Block(_))
        ));
        assert_eq!(blocks.erase(1), Ok(()));
    }

    #[test]
    fn blocks_of_bytes_grow_with_the_memory() {
        let shape = ByteBlocks::new(RamMemory::<5000>::new())
            .expect("blocks")
            .shape();
        assert_eq!(
            (shape.block_bytes, shape.blocks, shape.unit_bytes),
            (512, 9, 16)
        );
        struct Large(u64);
        impl ByteMemory for Large {
            type Error = String;
            fn len(&self) -> u64 {
                self.0
            }
            fn atom(&self) -> usize {
                512
            }
            fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), String> {
                Ok(())
            }
            fn write(&mut self, _: u64, _: &[u8]) -> Result<(), String> {
                Ok(())
            }
            fn persist(&mut self) -> Result<(), String> {
                Ok(())
            }
        }
        let shape = ByteBlocks::new(Large(4 << 30)).expect("blocks").shape();
        assert_eq!(
            (shape.block_bytes, shape.blocks, shape.unit_bytes),
            (64 << 10, 1 << 16, 512)
        );
        assert!(ByteBlocks::new(Large(0)).is_err());
        assert!(ByteBlocks::new(Large(u64::MAX)).is_err());
        assert!(ByteBlocks::of_bytes(Large(512), 0).is_err());
    }
}
