//! littlefs: nothing that was synced is lost, wherever the power fails.

use wordline_crash::harness::{Again, Harness, Outcome, Recorded, Subject, Verdict};
use wordline_crash::{
    ByteTearing, Content, EccStrength, FlashContent, FlashTearing, Mode, Weakness,
};
use wordline_engines::crash::{FileCall, FileNode, FileSubject, FileTree, OpenedVolume};
use wordline_engines::{Contract, FILE_SYSTEMS, FileSystemEngine, FlashBlocks, FsOptions, named};
use wordline_memory::Geometry;

use crate::crash::broken::{Broken, Fault};
use crate::crash::workload::{after, workload};

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

fn littlefs() -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, "littlefs").expect("it is in the list")
}

/// Metadata moves within the workload.
fn options() -> FsOptions {
    FsOptions::from([("cycles", 8)])
}

/// littlefs on a flash memory, with a driver that may be broken.
fn on_flash(fault: Option<Fault>) -> FileSubject<'static, FlashTearing> {
    let contract = move |memory, formats: bool| {
        // What is broken is the driver of the workload.
        let fault = fault.filter(|_| !formats);
        let blocks = Broken::new(FlashBlocks::new(memory)?, fault);
        Ok(Contract::Blocks(Box::new(blocks)))
    };
    FileSubject {
        after: after(),
        ..littlefs().subject(options(), contract)
    }
}

/// littlefs on a memory of bytes.
pub(crate) fn on_bytes() -> FileSubject<'static, ByteTearing> {
    let contract = |memory, _| littlefs().on_bytes(memory, &options());
    FileSubject {
        after: after(),
        ..littlefs().subject(options(), contract)
    }
}

/// The same below a driver that gives the first page of a file for its second.
struct NeighbouringPage(FileSubject<'static, FlashTearing>);

impl Subject for NeighbouringPage {
    type Medium = FlashTearing;
    type Store = OpenedVolume<FlashTearing>;
    type Call = FileCall;
    type State = FileTree;

    fn prepare(&self, memory: Recorded<FlashTearing>) -> Outcome<()> {
        self.0.prepare(memory)
    }

    fn open(&self, memory: Recorded<FlashTearing>) -> Outcome<Self::Store> {
        self.0.open(memory)
    }

    fn apply(&self, store: &mut Self::Store, call: &FileCall) -> Outcome<()> {
        self.0.apply(store, call)
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<FileTree> {
        let mut tree = self.0.read(store)?;
        let page = NOR.page_bytes as usize;
        for node in tree.values_mut() {
            if let FileNode::File(bytes) = node
                && bytes.0.len() >= 2 * page
            {
                bytes.0.copy_within(..page, page);
            }
        }
        Ok(tree)
    }

    fn next(&self, tree: &FileTree, call: &FileCall) -> FileTree {
        self.0.next(tree, call)
    }

    fn after(&self) -> Vec<FileCall> {
        self.0.after()
    }

    fn judge(&self, found: &FileTree, allowed: &[FileTree]) -> Result<(), String> {
        self.0.judge(found, allowed)
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
    let files = on_flash(fault);
    let verdict = harness.check(&files, &workload());
    (verdict, files.unexcused.take())
}

/// What is found where a page of a file is taken for its neighbour.
pub(crate) fn neighbouring_page() -> Verdict {
    let mut harness = on_nor();
    harness.again = None;
    harness.check(&NeighbouringPage(on_flash(None)), &workload())
}
