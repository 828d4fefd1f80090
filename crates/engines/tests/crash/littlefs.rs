//! littlefs: nothing that was synced is lost, wherever the power fails.

use wordline_crash::harness::{Again, Harness, Recorded, Verdict};
use wordline_crash::{
    ByteTearing, Content, EccStrength, FlashContent, FlashTearing, Mode, Weakness,
};
use wordline_engines::{
    Blocks, ByteBlocks, FileSystem, FlashBlocks, FsError, FsErrorKind, Handle, LittleFs,
    LittleFsOptions,
};
use wordline_memory::{Flash, Geometry};

use crate::crash::broken::{Broken, Fault};
use crate::crash::files::{Files, Setup};
use crate::crash::workload::workload;

/// A NOR flash with erase blocks of 512 bytes.
pub(crate) const NOR: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 0,
    pages_per_block: 2,
    blocks: 32,
    program_bytes: 1,
    programs_per_page: None,
    once_bytes: None,
    in_order: false,
};

/// A NAND flash whose pages take few programs, in order.
pub(crate) const NAND: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 16,
    pages_per_block: 8,
    blocks: 24,
    program_bytes: 1,
    programs_per_page: Some(4),
    once_bytes: None,
    in_order: true,
};

/// littlefs on a flash memory, with a driver that may be broken.
pub(crate) struct OnFlash(pub(crate) Option<Fault>);

impl OnFlash {
    fn options() -> LittleFsOptions {
        LittleFsOptions {
            // Metadata moves within the workload.
            block_cycles: Some(8),
            ..LittleFsOptions::default()
        }
    }

    fn blocks(
        &self,
        memory: Recorded<FlashTearing>,
    ) -> Result<impl Blocks + Send + use<>, FsError> {
        Ok(Broken::new(FlashBlocks::new(memory)?, self.0))
    }
}

impl Setup for OnFlash {
    type Medium = FlashTearing;
    type Fs = LittleFs;

    fn format(&self, memory: Recorded<FlashTearing>) -> Result<(), FsError> {
        // What is broken is the driver of the workload.
        LittleFs::format(FlashBlocks::new(memory)?, &Self::options())
    }

    fn mount(&self, memory: Recorded<FlashTearing>) -> Result<LittleFs, FsError> {
        LittleFs::mount(self.blocks(memory)?, &Self::options())
    }

    /// littlefs replaces every block but the two that hold its superblock and its root.
    fn excuses(&self, error: &FsError, mut memory: Recorded<FlashTearing>) -> bool {
        error.kind == FsErrorKind::Full && (0..2).any(|block| memory.erase(block).is_err())
    }
}

/// The same below a driver that gives the first page of a file for its second.
struct NeighbouringPage;

impl Setup for NeighbouringPage {
    type Medium = FlashTearing;
    type Fs = LittleFs;

    fn format(&self, memory: Recorded<FlashTearing>) -> Result<(), FsError> {
        OnFlash(None).format(memory)
    }

    fn mount(&self, memory: Recorded<FlashTearing>) -> Result<LittleFs, FsError> {
        OnFlash(None).mount(memory)
    }

    fn read(&self, fs: &mut LittleFs, file: Handle, out: &mut [u8]) -> Result<usize, FsError> {
        let count = fs.read(file, 0, out)?;
        let page = NOR.page_bytes as usize;
        if count >= 2 * page {
            out.copy_within(..page, page);
        }
        Ok(count)
    }
}

/// littlefs on a memory of bytes.
pub(crate) struct OnBytes;

impl Setup for OnBytes {
    type Medium = ByteTearing;
    type Fs = LittleFs;

    fn format(&self, memory: Recorded<ByteTearing>) -> Result<(), FsError> {
        LittleFs::format(ByteBlocks::new(memory)?, &OnFlash::options())
    }

    fn mount(&self, memory: Recorded<ByteTearing>) -> Result<LittleFs, FsError> {
        LittleFs::mount(ByteBlocks::new(memory)?, &OnFlash::options())
    }
}

const AGAIN: Option<Again> = Some(Again {
    every: 64,
    mode: Mode::Exhaustive,
});

pub(crate) fn on_nor() -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(NOR), FlashTearing::raw());
    harness.again = AGAIN;
    harness
}

pub(crate) fn on_nand() -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(NAND), FlashTearing::raw());
    harness.again = AGAIN;
    harness
}

/// The same with blocks that were bad from the factory, or fail when they are used: where the workload comes along.
pub(crate) fn on_worn_nand() -> Harness<FlashTearing> {
    let mut harness = on_nand();
    harness.start = FlashContent::erased(NAND)
        .with_bad_block(22)
        .with_weak_block(23, Weakness::FailsErases)
        .with_weak_block(3, Weakness::FailsErases)
        .with_bad_block(4);
    harness
}

/// NAND behind an ECC, whose pages are programmed once.
pub(crate) fn on_ecc_nand() -> Harness<FlashTearing> {
    let geometry = Geometry {
        programs_per_page: Some(1),
        ..NAND
    };
    let strength = EccStrength {
        sector_bytes: 256,
        bits: 4,
        refresh_from: 3,
    };
    let tearing = FlashTearing::with_ecc(strength);
    let mut harness = Harness::new(FlashContent::erased(geometry), tearing);
    harness.again = None;
    harness
}

pub(crate) fn on_mram() -> Harness<ByteTearing> {
    let mut harness = Harness::new(Content::zeros(16 << 10, 2), ByteTearing::bus(2).spoiling(8));
    harness.again = AGAIN;
    harness
}

/// The verdict, and the calls whose failing nothing excuses.
pub(crate) fn check(
    harness: &Harness<FlashTearing>,
    fault: Option<Fault>,
) -> (Verdict, Vec<String>) {
    let files = Files::new(OnFlash(fault));
    (harness.check(&files, &workload()), files.unexcused())
}

/// What is found where a page of a file is taken for its neighbour.
pub(crate) fn neighbouring_page() -> Verdict {
    let mut harness = on_nor();
    harness.again = None;
    harness.check(&Files::new(NeighbouringPage), &workload())
}
