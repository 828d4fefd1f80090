//! Flash that fails: blocks that fail in a row, pages that decay.

use std::collections::BTreeSet;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedError, PacedLayer};

use crate::model::{GEOMETRY, PAGE, content};
use crate::rules::{COLUMNS, blank};

/// A flash that fails when it is told to.
#[derive(Clone, Debug)]
struct Faulty {
    flash: FlashImage,
    /// Erases that are to fail, the next ones.
    erases: u32,
    /// Programs that are to fail, the next ones.
    programs: u32,
    /// Pages that decayed.
    decayed: BTreeSet<u32>,
}

impl Flash for Faulty {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        if self.decayed.contains(&page) {
            return Err(NvmError::Uncorrectable { page });
        }
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        if self.programs > 0 {
            self.programs -= 1;
            return Err(NvmError::ProgramFailed { page });
        }
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        if self.erases > 0 {
            self.erases -= 1;
            return Err(NvmError::EraseFailed { block });
        }
        let pages = self.geometry().pages_of(block);
        self.decayed.retain(|page| !pages.contains(page));
        self.flash.erase(block)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.flash.mark_bad(block)
    }
}

const CONFIG: PacedConfig = PacedConfig {
    logical_pages: 300,
    bad_blocks: 4,
    log_entries: 96,
};

/// No page is lost.
const NONE: [u32; 0] = [];

type Layer = PacedLayer<Faulty, Vec<u8>>;

fn memory() -> Vec<u8> {
    let bound = CONFIG.bound::<()>(&GEOMETRY).expect("it suits");
    vec![0; bound.ram_bytes]
}

/// A layer each of whose pages holds its version, after so many calls.
fn used(calls: u64) -> (Layer, Vec<u64>) {
    let flash = Faulty {
        flash: blank(GEOMETRY),
        erases: 0,
        programs: 0,
        decayed: BTreeSet::new(),
    };
    let layer = PacedLayer::format(flash, COLUMNS, CONFIG, memory()).expect("a format");
    let mut used = (layer, vec![0; CONFIG.logical_pages as usize]);
    for logical in 0..CONFIG.logical_pages {
        write(&mut used, logical).expect("a write");
    }
    for call in 0..calls {
        write(&mut used, place(call)).expect("a write");
    }
    used
}

/// Where a call writes to.
fn place(call: u64) -> u32 {
    (draw(9, call, 0, Purpose::Address) % u64::from(CONFIG.logical_pages)) as u32
}

fn write(
    (layer, versions): &mut (Layer, Vec<u64>),
    logical: u32,
) -> Result<(), PacedError<NvmError>> {
    let version = versions[logical as usize] + 1;
    layer.write(logical, &content(logical, version))?;
    versions[logical as usize] = version;
    Ok(())
}

fn mount(flash: Faulty) -> Result<Layer, PacedError<NvmError>> {
    PacedLayer::mount(flash, COLUMNS, CONFIG, memory())
}

/// The pages that read as lost; all others hold what they must.
fn check(layer: &mut Layer, versions: &[u64]) -> Vec<u32> {
    let mut page = [0; PAGE];
    let mut lost = Vec::new();
    for (logical, version) in (0..).zip(versions) {
        match layer.read(logical, &mut page) {
            Ok(written) => {
                assert!(written || *version == 0, "logical page {logical}");
                assert_eq!(page, content(logical, *version), "logical page {logical}");
            }
            Err(PacedError::Lost { .. }) => lost.push(logical),
            Err(error) => panic!("logical page {logical}: {error}"),
        }
    }
    lost
}

#[test]
fn erases_that_fail_in_a_row_are_made_up_for() {
    for (after, erases) in (500..520).flat_map(|after| (3..8).map(move |erases| (after, erases))) {
        let mut used = used(after);
        used.0.flash_mut().erases = erases;
        for call in 0..2_000 {
            write(&mut used, place(call))
                .unwrap_or_else(|error| panic!("{after}, {call}: {error}"));
        }
        let (mut layer, versions) = used;
        assert_eq!(layer.flash().erases, 0);
        assert_eq!(check(&mut layer, &versions), NONE);
        let mut layer = mount(layer.into_flash()).expect("a mount");
        assert_eq!(check(&mut layer, &versions), NONE);
    }
}

#[test]
fn flash_without_a_free_block_mounts_and_is_read_only() {
    for after in 500..520 {
        let mut used = used(after);
        used.0.flash_mut().erases = u32::MAX;
        let mut call = 0;
        let failed = loop {
            if let Err(error) = write(&mut used, place(call)) {
                break error;
            }
            call += 1;
        };
        assert_eq!(failed, PacedError::WornOut);
        assert_eq!(write(&mut used, 0), Err(PacedError::WornOut));
        let (mut layer, versions) = used;
        assert_eq!(check(&mut layer, &versions), NONE);
        for _ in 0..2 {
            layer = mount(layer.into_flash()).expect("a mount");
            assert_eq!(check(&mut layer, &versions), NONE);
            let mut read_only = (layer, versions.clone());
            assert_eq!(write(&mut read_only, 1), Err(PacedError::WornOut));
            layer = read_only.0;
            assert_eq!(layer.discard(1), Err(PacedError::WornOut));
            assert_eq!(layer.work_ahead(true), Ok(false));
        }
    }
}

#[test]
fn programs_that_fail_in_a_row_leave_what_was_written() {
    for after in 500..520 {
        for programs in 1..12 {
            let mut used = used(after);
            used.0.flash_mut().programs = programs;
            for call in 0..200 {
                if let Err(error) = write(&mut used, place(call)) {
                    assert_eq!(error, PacedError::WornOut, "{after}, {programs}");
                }
            }
            let (mut layer, versions) = used;
            assert_eq!(check(&mut layer, &versions), NONE, "{after}, {programs}");
            let mut layer = mount(layer.into_flash()).expect("a mount");
            assert_eq!(check(&mut layer, &versions), NONE, "{after}, {programs}");
        }
    }
}
