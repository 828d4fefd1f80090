//! FAT on sectors that are rewritten in place: it is not made for power cuts, and its verdict says so.

use wordline_crash::harness::{Harness, Verdict};
use wordline_crash::{FlashContent, FlashTearing, Mode};
use wordline_engines::crash::FileSubject;
use wordline_engines::{FILE_SYSTEMS, FsOptions, named};
use wordline_memory::Geometry;

use crate::crash::workload::{after, workload};

/// A NOR flash of 128 KiB with erase blocks of 512 bytes: each is a sector.
const NOR: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 0,
    pages_per_block: 2,
    blocks: 256,
    program_bytes: 1,
    programs_per_page: None,
    once_bytes: None,
    in_order: false,
};

fn check(harness: &Harness<FlashTearing>) -> Verdict {
    let fat = named(FILE_SYSTEMS, "fat").expect("it is in the list");
    let files = FileSubject {
        after: after(),
        ..fat.subject(FsOptions::new(), |memory, _| fat.on_flash(memory))
    };
    harness.check(&files, &workload())
}

fn harness(mode: Mode) -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(NOR), FlashTearing::raw());
    harness.mode = mode;
    harness.again = None;
    harness
}

/// So many images of all, drawn.
pub(crate) fn sampled(images: usize) -> Verdict {
    check(&harness(Mode::Sample(images)))
}

/// Cuts between two operations of the memory alone.
pub(crate) fn between() -> Verdict {
    check(&harness(Mode::Linear))
}
