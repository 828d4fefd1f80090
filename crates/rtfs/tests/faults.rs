//! Flash that fails: blocks that fail in a row, pages that decay.

use std::collections::BTreeSet;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{Ecc, Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedError, PacedLayer, PacedSetupError};

use crate::model::{GEOMETRY, PAGE, content};
use crate::rules::{COLUMNS, blank};

/// A flash with planned failures.
#[derive(Clone, Debug)]
struct Faulty {
    flash: FlashImage,
    /// Erases that are to fail, the next ones.
    erases: u32,
    /// Programs that are to fail, the next ones.
    programs: u32,
    /// Pages whose main area decayed.
    decayed: BTreeSet<u32>,
}

impl Flash for Faulty {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        if self.decayed.contains(&page) && column < self.geometry().page_bytes {
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
    let bound = CONFIG.bound(&GEOMETRY).expect("it suits");
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

fn mount(flash: Faulty) -> Result<Layer, PacedSetupError<NvmError>> {
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
    for (after, erases) in
        (3_000..3_030).flat_map(|after| (3..8).map(move |erases| (after, erases)))
    {
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
    for after in 3_000..3_020 {
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

/// What the record of a page says that is read as it stands: its kind, its logical page, and its opening.
fn record(flash: &mut Faulty, page: u32) -> (u8, u32, u32) {
    let mut spare = [0; 16];
    let main = flash.geometry().page_bytes;
    flash.flash.read(page, main, &mut spare).expect("a read");
    let number = |at: usize| u32::from_le_bytes(spare[at..at + 4].try_into().expect("4 bytes"));
    match spare[1] {
        0xFF => (u8::MAX, 0, 0),
        first => (first & 3, number(2), number(6)),
    }
}

/// The pages of the newest block, behind its header, that hold something.
fn newest(flash: &mut Faulty) -> Vec<u32> {
    let pages = GEOMETRY.blocks * GEOMETRY.pages_per_block;
    let newest = (0..pages).max_by_key(|page| record(flash, *page).2);
    let block = newest.expect("there are pages") / GEOMETRY.pages_per_block;
    let held = GEOMETRY.pages_of(block);
    held.filter(|page| record(flash, *page).0 != u8::MAX && record(flash, *page).0 != HEADER)
        .collect()
}

const MAP: u8 = 1;
const HEADER: u8 = 2;

/// Entries of a page of the map.
const ENTRIES: u32 = PAGE as u32 / 2;

/// Goes on after a fault by which pages were lost: those that are not written again stay so.
fn go_on(layer: Layer, versions: Vec<u64>, lost: &[u32], what: &str) {
    let mut used = (layer, versions);
    let mut left: BTreeSet<u32> = lost.iter().copied().collect();
    for call in 0..600 {
        let logical = place(call ^ 0x5555) / 2;
        write(&mut used, logical).unwrap_or_else(|error| panic!("{what}, {call}: {error}"));
        left.remove(&logical);
    }
    let (mut layer, versions) = used;
    let left: Vec<u32> = left.into_iter().collect();
    assert!(left.is_empty() || lost.len() > 1 || left == lost, "{what}");
    let found = check(&mut layer, &versions);
    assert!(
        found.iter().all(|page| left.contains(page)),
        "{what}: {found:?}, {left:?}"
    );
    let mut layer = mount(layer.into_flash()).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(check(&mut layer, &versions), found, "{what}");
}

#[test]
fn a_page_of_the_newest_block_that_decays_hides_no_other() {
    let mut maps = 0;
    for after in 500..530 {
        let (layer, versions) = used(after);
        let whole = layer.into_flash();
        let pages = newest(&mut whole.clone());
        // The last page may be torn.
        for page in pages.iter().rev().skip(1) {
            let mut flash = whole.clone();
            let (kind, number, _) = record(&mut flash, *page);
            flash.decayed.insert(*page);
            let what = format!("{after}: page {page} of {pages:?}, kind {kind}");
            let mut layer = mount(flash).unwrap_or_else(|error| panic!("{what}: {error}"));
            let lost = check(&mut layer, &versions);
            if kind == MAP {
                maps += 1;
                assert!(
                    lost.iter().all(|logical| logical / ENTRIES == number),
                    "{what}: {lost:?}"
                );
            } else {
                assert!(lost.is_empty() || lost == [number], "{what}: {lost:?}");
            }
            go_on(layer, versions.clone(), &lost, &what);
        }
    }
    assert!(maps > 0);
}

/// The newest page of the map with a number.
fn map_page(flash: &mut Faulty, number: u32) -> u32 {
    let pages = 0..GEOMETRY.blocks * GEOMETRY.pages_per_block;
    let of = pages.filter_map(|page| {
        let (kind, found, sequence) = record(flash, page);
        (kind == MAP && found == number).then_some((sequence, page))
    });
    of.max().expect("it was stored").1
}

#[test]
fn a_page_of_the_map_that_decays_loses_what_it_alone_names() {
    let mut all = 0;
    for after in 500..520 {
        for number in 0..CONFIG.logical_pages.div_ceil(ENTRIES) {
            for mounts in [true, false] {
                let (mut layer, versions) = used(after);
                let page = map_page(layer.flash_mut(), number);
                layer.flash_mut().decayed.insert(page);
                let what = format!("{after}: map page {number} at {page}, mounts {mounts}");
                if mounts {
                    layer =
                        mount(layer.into_flash()).unwrap_or_else(|error| panic!("{what}: {error}"));
                }
                let lost = check(&mut layer, &versions);
                assert!(
                    lost.iter().all(|logical| logical / ENTRIES == number),
                    "{what}: {lost:?}"
                );
                all += lost.len();
                go_on(layer, versions, &lost, &what);
            }
        }
    }
    assert!(all > 0);
}

#[test]
fn a_header_names_a_block_before_whose_header_is_whole() {
    let mut failed = 0;
    for after in 500..560 {
        let mut used = used(after);
        let headers = used.0.work().headers;
        used.0.flash_mut().programs = 2;
        write(&mut used, 7).expect("a write");
        if used.0.work().headers == headers {
            continue;
        }
        failed += 1;
        let mut flash = used.0.into_flash();
        let head = newest(&mut flash)[0] / GEOMETRY.pages_per_block;
        let mut page = [0; PAGE];
        let mut first_of = |block: u32| {
            let first = block * GEOMETRY.pages_per_block;
            flash.flash.read(first, 0, &mut page).expect("a read");
            page
        };
        let named = first_of(head)[44..48].try_into().expect("4 bytes");
        let before = u32::from_le_bytes(named);
        assert_eq!(
            first_of(before)[..8],
            *b"wl-paced",
            "{after}: block {before}"
        );
    }
    assert!(failed > 0);
}

#[test]
fn a_block_that_failed_before_the_last_header_is_refused_after_a_mount() {
    for after in 500..530 {
        let mut used = used(after);
        used.0.flash_mut().erases = 1;
        let mut calls = 0;
        while used.0.flash().erases > 0 {
            write(&mut used, place(calls)).expect("a write");
            calls += 1;
        }
        // Power fails before a header names it.
        let (layer, versions) = used;
        let layer = mount(layer.into_flash()).expect("a mount");
        go_on(layer, versions, &[], "a block that failed");
    }
}

#[test]
fn what_a_torn_header_says_of_erases_does_not_count() {
    let (layer, versions) = used(100);
    let wear = layer.wear();
    let mut flash = layer.into_flash();
    // A block that was never opened: its header was begun, and its record belongs to nothing.
    let block = GEOMETRY.blocks - 1;
    let mut image = [0; PAGE + 16];
    image[PAGE] = 0xFF;
    image[PAGE + 1] = 0xA0 | 0x08 | HEADER;
    image[PAGE + 2..PAGE + 6].copy_from_slice(&1_000_000u32.to_le_bytes());
    image[PAGE + 6..PAGE + 10].copy_from_slice(&1_000u32.to_le_bytes());
    let first = block * GEOMETRY.pages_per_block;
    assert_eq!(record(&mut flash, first).0, u8::MAX);
    flash.program(first, 0, &image).expect("a program");
    let mut layer = mount(flash).expect("a mount");
    assert!(layer.wear().most <= wear.most + 2, "{:?}", layer.wear());
    assert_eq!(check(&mut layer, &versions), NONE);
}

#[test]
fn a_decayed_page_of_files_leaves_the_other_files() {
    use wordline_rtfs::{PacedFiles, PacedOpen};
    let flash = Faulty {
        flash: blank(GEOMETRY),
        erases: 0,
        programs: 0,
        decayed: BTreeSet::new(),
    };
    let page = PAGE;
    let files = PacedFiles::format(flash, COLUMNS, CONFIG, 1, memory());
    let mut files = files.expect("a format");
    for path in ["/log", "/gone"] {
        let mut file = files.open(path, PacedOpen::CREATE).expect("a file");
        files
            .write(&mut file, 0, &vec![5; page * 6 - 7])
            .expect("a write");
    }
    let mut fill = files.open("/fill", PacedOpen::CREATE).expect("a file");
    while files.room().free > 40 {
        files.append(&mut fill, &vec![6; page]).expect("an append");
    }
    files.remove("/gone").expect("a removal");
    let [mut mounts, mut opens, mut removals, mut appends] = [0; 4];
    for decayed in 0..GEOMETRY.pages() as u32 {
        let mut files = files.clone();
        files.layer_mut().flash_mut().decayed.insert(decayed);
        let Ok(mut files) = PacedFiles::on_layer(files.into_layer()) else {
            mounts += 1;
            continue;
        };
        opens += usize::from(files.open("/log", PacedOpen::READ).is_err());
        let appended = files
            .open("/fill", PacedOpen::READ)
            .and_then(|mut file| files.append(&mut file, &[1; 300]));
        appends += usize::from(appended.is_err());
        removals += usize::from(files.remove("/log").is_err());
    }
    // One page holds the start of everything, one the directory, and one the root of each file; the map takes the others.
    let map = files.layer().bound().map_pages as usize;
    assert!(mounts <= 1 + map, "{mounts} mounts");
    assert!(opens <= 2 + map, "{opens} openings");
    assert!(removals <= 1 + map, "{removals} removals");
    assert!(appends <= 4 + map, "{appends} appends");
}
