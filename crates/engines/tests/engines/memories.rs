//! Memories in RAM that fail on demand.

use wordline_engines::{FlashBox, SpareFlash};
use wordline_memory::{
    BlockDevice, ByteMemory, Ecc, Flash, FlashErrorKind, Geometry, RamBlockDevice, RamFlash,
    RamMemory,
};
use wordline_rtfs::PacedGround;

/// 128 KiB of NOR flash with erase blocks of 4 KiB.
pub(crate) type Nor = Failing<RamFlash<256, 16, 32>>;
/// 192 KiB of NAND flash with pages of 512 + 16 bytes.
#[cfg(feature = "littlefs")]
pub(crate) type Nand = Failing<RamFlash<528, 16, 24>>;
/// 640 KiB of NAND flash with pages of 512 + 16 bytes, in larger blocks.
pub(crate) type PagedNand = Failing<RamFlash<528, 32, 40>>;
/// 128 KiB of bytes.
pub(crate) type Bytes = Failing<RamMemory<{ 128 << 10 }>>;
/// 256 sectors of 512 bytes.
pub(crate) type Disk = Failing<RamBlockDevice<512, 256>>;

/// Which accesses fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    Nothing,
    /// Every access after so many.
    Everything(u64),
    /// A panic instead of the access after so many.
    Panic(u64),
    /// One program after so many of them.
    #[allow(dead_code, reason = "each file system uses some")]
    Program(u64),
    /// Every erase and program of one block.
    Block(u32),
    /// Every read of one block.
    Reads(u32),
}

/// A memory that fails.
#[derive(Clone)]
pub(crate) struct Failing<D> {
    pub memory: D,
    pub fails: Fails,
    /// Accesses that were asked for.
    pub accesses: u64,
}

impl<D> Failing<D> {
    pub(crate) fn new(memory: D) -> Self {
        Self {
            memory,
            fails: Fails::Nothing,
            accesses: 0,
        }
    }

    fn access(&mut self) -> Result<(), FlashErrorKind> {
        self.accesses += 1;
        match &mut self.fails {
            Fails::Panic(0) => panic!("the memory's own panic"),
            Fails::Everything(0) => Err(FlashErrorKind::Other),
            Fails::Panic(left) | Fails::Everything(left) => {
                *left -= 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn program(&mut self) -> Result<(), FlashErrorKind> {
        match &mut self.fails {
            Fails::Program(0) => {
                self.fails = Fails::Nothing;
                Err(FlashErrorKind::ProgramFailed)
            }
            Fails::Program(left) => {
                *left -= 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn nor() -> Nor {
    Failing::new(RamFlash::nor().expect("sizes"))
}

#[cfg(feature = "littlefs")]
pub(crate) fn nand() -> Nand {
    let geometry = Geometry {
        page_bytes: 512,
        spare_bytes: 16,
        pages_per_block: 16,
        blocks: 24,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    };
    Failing::new(RamFlash::new(geometry).expect("sizes"))
}

pub(crate) fn paged_nand() -> PagedNand {
    let geometry = Geometry {
        page_bytes: 512,
        spare_bytes: 16,
        pages_per_block: 32,
        blocks: 40,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    };
    Failing::new(RamFlash::new(geometry).expect("sizes"))
}

/// NAND with the spare bytes behind the first one free, of which two blocks may go bad.
pub(crate) fn spare_flash<F>(flash: F) -> SpareFlash
where
    F: Flash<Error: std::fmt::Display> + Send + 'static,
{
    let ground = PacedGround {
        geometry: flash.geometry(),
        bad_blocks: 2,
    };
    SpareFlash {
        flash: FlashBox::new(flash),
        columns: std::array::from_fn(|byte| 1 + byte as u32),
        ground,
    }
}

pub(crate) fn bytes() -> Bytes {
    Failing::new(RamMemory::new())
}

pub(crate) fn disk() -> Disk {
    Failing::new(RamBlockDevice::new())
}

fn other<T, E>(result: Result<T, E>) -> Result<T, FlashErrorKind> {
    result.map_err(|_| FlashErrorKind::Misuse)
}

impl<D: Flash<Error: wordline_memory::FlashError>> Flash for Failing<D> {
    type Error = FlashErrorKind;

    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashErrorKind> {
        self.access()?;
        if self.fails == Fails::Reads(self.geometry().block_of(page)) {
            return Err(FlashErrorKind::Uncorrectable);
        }
        other(self.memory.read(page, column, out))
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashErrorKind> {
        self.access()?;
        Failing::program(self)?;
        if self.fails == Fails::Block(self.geometry().block_of(page)) {
            return Err(FlashErrorKind::ProgramFailed);
        }
        let done = self.memory.program(page, column, data);
        done.map_err(|error| wordline_memory::FlashError::kind(&error))
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashErrorKind> {
        self.access()?;
        if self.fails == Fails::Block(block) {
            return Err(FlashErrorKind::EraseFailed);
        }
        let done = self.memory.erase(block);
        done.map_err(|error| wordline_memory::FlashError::kind(&error))
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, FlashErrorKind> {
        other(self.memory.is_bad(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), FlashErrorKind> {
        other(self.memory.mark_bad(block))
    }
}

impl<D: ByteMemory> ByteMemory for Failing<D> {
    type Error = FlashErrorKind;

    fn len(&self) -> u64 {
        self.memory.len()
    }

    fn atom(&self) -> usize {
        self.memory.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), FlashErrorKind> {
        self.access()?;
        other(self.memory.read(at, out))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), FlashErrorKind> {
        self.access()?;
        other(self.memory.write(at, data))
    }

    fn persist(&mut self) -> Result<(), FlashErrorKind> {
        self.access()
    }
}

impl<D: BlockDevice> BlockDevice for Failing<D> {
    type Error = FlashErrorKind;

    fn sector_bytes(&self) -> usize {
        self.memory.sector_bytes()
    }

    fn sectors(&self) -> u64 {
        self.memory.sectors()
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), FlashErrorKind> {
        self.access()?;
        other(self.memory.read(sector, out))
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), FlashErrorKind> {
        self.access()?;
        other(self.memory.write(sector, data))
    }

    fn trim(&mut self, sector: u64, count: u64) -> Result<(), FlashErrorKind> {
        other(self.memory.trim(sector, count))
    }

    fn flush(&mut self) -> Result<(), FlashErrorKind> {
        self.access()
    }
}

/// Runs a test where large memories may lie on the stack.
pub(crate) fn with_room(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let done = thread.spawn(test).expect("a thread").join();
    if let Err(panic) = done {
        std::panic::resume_unwind(panic);
    }
}
