//! FAT on sectors that are rewritten in place: it is not made for power cuts, and its verdict says so.

use wordline_crash::harness::{Harness, Recorded, Verdict};
use wordline_crash::{FlashContent, FlashTearing, Mode};
use wordline_engines::{Fat, FatOptions, FsError, RewrittenSectors};
use wordline_memory::Geometry;

use crate::crash::files::{Files, Setup};
use crate::crash::workload::workload;

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

struct OnRewritten;

impl Setup for OnRewritten {
    type Medium = FlashTearing;
    type Fs = Fat;

    fn format(&self, memory: Recorded<FlashTearing>) -> Result<(), FsError> {
        Fat::format(RewrittenSectors::new(memory)?, &FatOptions::default())
    }

    fn mount(&self, memory: Recorded<FlashTearing>) -> Result<Fat, FsError> {
        Fat::mount(RewrittenSectors::new(memory)?)
    }
}

fn harness(mode: Mode) -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(NOR), FlashTearing::raw());
    harness.mode = mode;
    harness.again = None;
    harness
}

/// So many images of all, drawn.
pub(crate) fn sampled(images: usize) -> Verdict {
    harness(Mode::Sample(images)).check(&Files::new(OnRewritten), &workload())
}

/// Cuts between two operations of the memory alone.
pub(crate) fn between() -> Verdict {
    harness(Mode::Linear).check(&Files::new(OnRewritten), &workload())
}
