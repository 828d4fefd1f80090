//! Speed of the translation layer on the reference flash: sectors written in order and at random, and mounts.
//! The flash takes no time, so that this is the layer's own. Cleaning is part of it: the layer is full.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use wordline_core::draw::{Purpose, draw};
use wordline_crash::{FlashContent, FlashImage, FlashTearing, Mode, Recording};
use wordline_memory::{BlockDevice, Geometry};
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media, SpareLayout};

/// A serial NAND of 128 MiB.
const GEOMETRY: Geometry = Geometry {
    page_bytes: 2048,
    spare_bytes: 64,
    pages_per_block: 64,
    blocks: 1024,
    program_bytes: 1,
    programs_per_page: Some(4),
    once_bytes: None,
    in_order: true,
};

const WRITES: u64 = 1000;

fn media(flash: FlashImage) -> FlashMedia<FlashImage> {
    let layout = SpareLayout::behind_mark(&GEOMETRY).expect("room for a record");
    FlashMedia::new(flash, layout).expect("a flash that carries the layer")
}

/// A layer that is full, and was overwritten at random until it had to clean for every write.
fn steady() -> Ftl<FlashImage> {
    let blank = Recording::new(FlashContent::erased(GEOMETRY), FlashTearing::raw());
    let blank = blank.images(Mode::Linear, 0).next().expect("an image");
    let media = media(blank);
    let config = FtlConfig::page_mapped(media.shape());
    let mut disk = Ftl::format(media, config).expect("a good flash");
    let pages = disk.sectors() / 4;
    for page in 0..pages {
        disk.write(page * 4, &[page as u8; 2048]).expect("room");
    }
    for number in 0..pages {
        let page = draw(0, number, 0, Purpose::Address) % pages;
        disk.write(page * 4, &[number as u8; 2048]).expect("room");
    }
    assert!(disk.work().cleaned > 0, "it cleans by now");
    disk
}

fn bench(criterion: &mut Criterion) {
    let disk = steady();
    let pages = disk.sectors() / 4;
    let mut group = criterion.benchmark_group("ftl");
    group.sample_size(10);
    group.throughput(Throughput::Elements(WRITES));
    for (name, random) in [("pages-in-order", false), ("pages-at-random", true)] {
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || disk.clone(),
                |disk| {
                    for number in 0..WRITES {
                        let drawn = draw(1, number, 0, Purpose::Address);
                        let page = if random { drawn } else { number } % pages;
                        disk.write(page * 4, &[number as u8; 2048]).expect("room");
                    }
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.throughput(Throughput::Elements(1));
    let config = *disk.layer().config();
    let flash = disk.into_flash();
    group.bench_function("mount-128-MiB", |bencher| {
        bencher.iter_batched(
            || flash.clone(),
            |flash| black_box(Ftl::mount(media(flash), config).expect("a formatted flash")),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
