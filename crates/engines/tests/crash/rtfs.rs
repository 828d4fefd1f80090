//! rtfs: every write lasts when it returns, and is done or not, wherever the power fails.

use wordline_crash::harness::{Again, Harness, Recorded, Verdict};
use wordline_crash::{EccStrength, FlashContent, FlashTearing, Mode, Weakness};
use wordline_engines::crash::{FileCall, FileSubject};
use wordline_engines::{
    Contract, FILE_SYSTEMS, FileSystem, FileSystemEngine, FlashBox, FsError, FsOptions, Open,
    SpareFlash, named,
};
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_rtfs::PacedGround;

use crate::crash::workload::{after, workload};

/// A NAND flash whose pages are programmed once, in order.
const NAND: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 24,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

/// Rounds of writes before the workload: every block was opened, and is emptied from then on.
const ROUNDS: u8 = 150;

fn rtfs() -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, "rtfs").expect("it is in the list")
}

/// A driver that loses one program in so many.
struct Forgetful<F> {
    flash: F,
    every: Option<u32>,
    programs: u32,
}

impl<F: Flash> Flash for Forgetful<F> {
    type Error = F::Error;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, F::Error> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), F::Error> {
        self.programs += 1;
        match self.every {
            Some(every) if self.programs.is_multiple_of(every) => Ok(()),
            _ => self.flash.program(page, column, data),
        }
    }

    fn erase(&mut self, block: u32) -> Result<(), F::Error> {
        self.flash.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, F::Error> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), F::Error> {
        self.flash.mark_bad(block)
    }
}

/// rtfs on a flash memory, with a driver that may forget one program in so many of the workload.
fn on_flash(forgets: Option<u32>) -> FileSubject<'static, FlashTearing> {
    let options = FsOptions::from([("spare", 80)]);
    let contract = move |memory: Recorded<FlashTearing>, formats: bool| {
        let flash = Forgetful {
            flash: memory,
            every: forgets.filter(|_| !formats),
            programs: 0,
        };
        let ground = PacedGround {
            geometry: flash.geometry(),
            bad_blocks: 5,
        };
        Ok(Contract::SpareFlash(SpareFlash {
            flash: FlashBox::new(flash),
            columns: std::array::from_fn(|byte| 1 + byte as u32),
            ground,
        }))
    };
    let wear_in = |fs: &mut dyn FileSystem, _: &Recorded<FlashTearing>| {
        let write = |fs: &mut dyn FileSystem| -> Result<(), FsError> {
            for round in 0..ROUNDS {
                let file = fs.open("/old", Open::Replace)?;
                fs.write(file, 0, &[round; 700])?;
                fs.close(file)?;
            }
            fs.remove("/old")
        };
        Ok(write(fs)?)
    };
    FileSubject {
        after: single_changes(after()),
        prepare: Box::new(wear_in),
        ..rtfs().subject(options, contract)
    }
}

fn single_changes(calls: Vec<FileCall>) -> Vec<FileCall> {
    rtfs().single_changes(calls, NAND.page_bytes)
}

fn harness(start: FlashContent, tearing: FlashTearing) -> Harness<FlashTearing> {
    Harness {
        again: Some(Again {
            every: 64,
            mode: Mode::Exhaustive,
        }),
        ..Harness::new(start, tearing)
    }
}

pub(crate) fn on_nand() -> Harness<FlashTearing> {
    harness(FlashContent::erased(NAND), FlashTearing::raw())
}

/// The same with blocks that were bad from the factory, or fail when they are used.
pub(crate) fn on_worn_nand() -> Harness<FlashTearing> {
    let start = FlashContent::erased(NAND)
        .with_bad_block(0)
        .with_bad_block(22)
        .with_weak_block(5, Weakness::FailsErases)
        .with_weak_block(23, Weakness::FailsErases);
    harness(start, FlashTearing::raw())
}

/// NAND behind an ECC that may correct a torn page in one read and give up in the next.
pub(crate) fn on_ecc_nand() -> Harness<FlashTearing> {
    let strength = EccStrength {
        sector_bytes: 256,
        bits: 4,
        refresh_from: 3,
    };
    harness(FlashContent::erased(NAND), FlashTearing::with_ecc(strength))
}

/// The verdict, and the calls whose failing nothing excuses.
pub(crate) fn check(
    harness: &Harness<FlashTearing>,
    forgets: Option<u32>,
) -> (Verdict, Vec<String>) {
    let files = on_flash(forgets);
    let verdict = harness.check(&files, &single_changes(workload()));
    (verdict, files.unexcused.take())
}
