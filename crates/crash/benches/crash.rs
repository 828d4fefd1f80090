//! Speed of crash images: deriving each from a recording of 1,000 operations, with the hash by which
//! distinct images are counted.

use std::collections::HashSet;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wordline_core::draw::{Purpose, draw};
use wordline_crash::{
    ByteTearing, Content, EccStrength, FlashContent, FlashTearing, Mode, Recording,
};
use wordline_memory::{ByteMemory, Flash, Geometry};
use wordline_nvm::Pairing;

const OPERATIONS: u64 = 1000;
const MIB: u64 = 1 << 20;

fn random(number: u64, cycle: u64) -> u64 {
    draw(1, number, cycle, Purpose::Payload)
}

/// A memory of `bytes` bytes that is full, and a run of 1,000 writes of 32 bytes and persists, of
/// which every fifth is a persist.
fn bytes(capacity: u64, tearing: ByteTearing) -> Recording<ByteTearing> {
    let mut content = Content::zeros(capacity, 8);
    for at in (0..capacity).step_by(4096) {
        content.write(at, &[at as u8 | 1; 4096]).expect("inside");
    }
    let image = Recording::new(content, tearing)
        .images(Mode::Linear, 0)
        .next()
        .expect("a cut before everything");
    let mut recorder = image.record(tearing);
    for number in 0..OPERATIONS {
        if number % 5 == 4 {
            recorder.persist().expect("plain RAM");
            continue;
        }
        let at = random(number, 0) % (capacity / 32) * 32;
        let data = [0, 1, 2, 3].map(|word| random(number, 1 + word).to_le_bytes());
        recorder.write(at, data.as_flattened()).expect("inside");
    }
    recorder.finish().1
}

/// A full flash memory, and a run of 1,000 erases and programs of whole pages, of which every 64th is
/// an erase.
fn flash(geometry: Geometry, tearing: FlashTearing) -> Recording<FlashTearing> {
    let mut image = Recording::new(FlashContent::erased(geometry), tearing)
        .images(Mode::Linear, 0)
        .next()
        .expect("a cut before everything");
    let data = |number: u64| -> Vec<u8> {
        let words = 0..geometry.columns() / 8;
        words
            .flat_map(|word| random(number, word).to_le_bytes())
            .collect()
    };
    for page in 0..geometry.pages() {
        image.program(page as u32, 0, &data(page)).expect("erased");
    }
    let mut recorder = image.record(tearing);
    for number in 0..OPERATIONS {
        let block = (number / 64 * 7) as u32 % geometry.blocks;
        let page = geometry.pages_of(block).start + (number % 64) as u32;
        if number % 64 == 0 {
            recorder.erase(block).expect("it is sound");
        } else {
            recorder.program(page, 0, &data(number)).expect("erased");
        }
    }
    recorder.finish().1
}

const NOR: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 0,
    pages_per_block: 256,
    blocks: 256,
    program_bytes: 1,
    programs_per_page: None,
    once_bytes: None,
    in_order: false,
};

const NAND: Geometry = Geometry {
    page_bytes: 2048,
    spare_bytes: 128,
    pages_per_block: 64,
    blocks: 1024,
    program_bytes: 16,
    programs_per_page: Some(4),
    once_bytes: Some(512),
    in_order: true,
};

const STRENGTH: EccStrength = EccStrength {
    sector_bytes: 512,
    bits: 8,
    refresh_from: 4,
};

/// Derives up to `most` images and counts the distinct ones: those of different hashes.
fn distinct(hashes: impl Iterator<Item = u64>, most: usize) -> (usize, usize) {
    let (mut images, mut seen) = (0, HashSet::new());
    for hash in hashes.take(most) {
        images += 1;
        seen.insert(hash);
    }
    (images, seen.len())
}

fn crash(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nvm/crash");
    let mut case = |name: &str, run: &dyn Fn(usize) -> (usize, usize)| {
        let (images, found) = run(100_000);
        let label = format!("{images} images, {found} distinct");
        group.throughput(Throughput::Elements(found as u64));
        group.bench_function(BenchmarkId::new(name, label), |bencher| {
            bencher.iter(|| black_box(run(100_000)));
        });
    };
    let contract = ByteTearing {
        samples: 100,
        ..ByteTearing::contract()
    };
    for (name, recording) in [
        ("contract-64KiB", bytes(MIB / 16, contract)),
        ("contract-8MiB", bytes(8 * MIB, contract)),
        ("bus-8MiB", bytes(8 * MIB, ByteTearing::bus(2).spoiling(8))),
    ] {
        case(name, &|most| {
            let images = recording.images(Mode::Exhaustive, 1);
            distinct(images.map(|image| image.hash()), most)
        });
    }
    let nand = FlashTearing::with_ecc(STRENGTH);
    let paired = nand.with_pairing(Pairing::Distance3);
    for (name, recording) in [
        ("nor-16MiB", flash(NOR, FlashTearing::raw())),
        ("nand-128MiB", flash(NAND, nand)),
        ("paired-nand-128MiB", flash(NAND, paired)),
    ] {
        case(name, &|most| {
            let images = recording.images(Mode::Exhaustive, 1);
            distinct(images.map(|image| image.hash()), most)
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = crash
}
criterion_main!(benches);
