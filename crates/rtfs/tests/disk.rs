//! The disk against a plain vector of sectors.

use std::collections::BTreeMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{BlockDevice, BlockMisuse, Geometry};
use wordline_rtfs::{PacedConfig, PacedDisk, PacedDiskError};

use crate::rules::{COLUMNS, blank};

type Disk = PacedDisk<FlashImage, Vec<u8>>;

const CONFIG: PacedConfig = PacedConfig {
    logical_pages: 120,
    bad_blocks: 1,
    log_entries: 32,
};

const fn geometry(page_bytes: u32) -> Geometry {
    Geometry {
        page_bytes,
        spare_bytes: 16,
        pages_per_block: 32,
        blocks: 24,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    }
}

fn disk(page_bytes: u32) -> Disk {
    let geometry = geometry(page_bytes);
    let bytes = Disk::memory_bytes(&CONFIG, &geometry).expect("it suits");
    PacedDisk::format(blank(geometry), COLUMNS, CONFIG, vec![0; bytes]).expect("a format")
}

fn remounted(disk: Disk) -> Disk {
    let (flash, memory) = disk.into_layer().into_parts();
    PacedDisk::mount(flash, COLUMNS, CONFIG, memory).expect("a mount")
}

/// Writes, trims and reads ranges at random, with mounts in between. A mount may bring back what a page held before it was
/// trimmed.
fn agrees(page_bytes: u32, sector_bytes: usize, seed: u64) {
    let mut disk = disk(page_bytes);
    assert_eq!(disk.sector_bytes(), sector_bytes);
    let sectors = disk.sectors() as usize;
    assert_eq!(sectors * sector_bytes, 120 * page_bytes as usize);
    let mut model = vec![0; sectors * sector_bytes];
    let page = page_bytes as usize;
    let mut trimmed: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for call in 0..1500 {
        let random = |number| draw(seed, call, number, Purpose::Address) as usize;
        let first = random(0) % sectors;
        let count = (1 + random(1) % 40).min(sectors - first);
        let range = first * sector_bytes..(first + count) * sector_bytes;
        match random(2) % 16 {
            0 => {
                disk = remounted(disk);
                for (number, before) in std::mem::take(&mut trimmed) {
                    let mut found = vec![1; page];
                    let sector = number * page / sector_bytes;
                    disk.read(sector as u64, &mut found)
                        .expect("a trimmed page");
                    let now = &mut model[number * page..][..page];
                    assert!(
                        found == before || found == now,
                        "page {number}, call {call}"
                    );
                    now.copy_from_slice(&found);
                }
            }
            1 => {
                disk.trim(first as u64, count as u64).expect("a trim");
                for number in range.start.div_ceil(page)..range.end / page {
                    let now = &mut model[number * page..][..page];
                    trimmed.entry(number).or_insert_with(|| now.to_vec());
                    now.fill(0);
                }
            }
            2..7 => {
                let mut out = vec![0; range.len()];
                disk.read(first as u64, &mut out).expect("a read");
                assert_eq!(out, model[range], "sectors {first} and on, call {call}");
            }
            _ => {
                for (word, place) in (0..).zip(model[range.clone()].chunks_mut(8)) {
                    let drawn = draw(seed, call, word, Purpose::Payload).to_le_bytes();
                    place.copy_from_slice(&drawn[..place.len()]);
                }
                disk.write(first as u64, &model[range.clone()])
                    .expect("a write");
                for number in range.start / page..range.end.div_ceil(page) {
                    trimmed.remove(&number);
                }
                disk.flush().expect("nothing to do");
            }
        }
    }
    let mut out = vec![0; model.len()];
    disk.read(0, &mut out).expect("a read");
    assert_eq!(out, model);
}

#[test]
fn sectors_that_are_pages_agree_with_a_vector() {
    agrees(256, 256, 1);
}

#[test]
fn sectors_within_pages_agree_with_a_vector() {
    agrees(2048, 512, 2);
}

#[test]
fn trimmed_pages_read_as_zeros_and_their_neighbours_stay() {
    let mut disk = disk(2048);
    disk.write(0, &[7; 12 * 512]).expect("a write");
    // Sectors 3 to 8: the second page whole, and parts of two others.
    disk.trim(3, 6).expect("a trim");
    let mut out = [1; 12 * 512];
    disk.read(0, &mut out).expect("a read");
    let (before, rest) = out.split_at(4 * 512);
    let (trimmed, after) = rest.split_at(4 * 512);
    assert!(before.iter().chain(after).all(|byte| *byte == 7));
    assert!(trimmed.iter().all(|byte| *byte == 0));
}

#[test]
fn misuse_changes_nothing() {
    let mut disk = disk(2048);
    let sectors = disk.sectors();
    let part = disk.write(0, &[0; 511]);
    let left = disk.write(sectors - 1, &[0; 1024]);
    let trim = disk.trim(sectors, 1);
    assert!(matches!(
        part,
        Err(PacedDiskError::Misuse(BlockMisuse::PartSector { .. }))
    ));
    for outside in [left, trim] {
        assert!(matches!(
            outside,
            Err(PacedDiskError::Misuse(BlockMisuse::OutOfRange { .. }))
        ));
    }
    assert_eq!(disk.layer().work().written, 0);
}

#[test]
fn the_memory_is_what_its_parts_sum_to() {
    let ram = disk(2048).layer().ram();
    let sum = ram.map + ram.changes + ram.live_pages + ram.blocks + ram.page;
    assert_eq!(Disk::memory_bytes(&CONFIG, &geometry(2048)), Ok(sum));
}
