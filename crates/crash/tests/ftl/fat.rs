//! FAT on the translation layer on flash whose power is cut: files that were closed and flushed are there.

use wordline_core::draw::{Purpose, draw};
use wordline_crash::{EccStrength, FlashContent, FlashTearing, Mode, Recorder, Recording};
use wordline_engines::{Fat, FatOptions, FileSystem, Open, Shared};
use wordline_memory::{Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_nvm::Pairing;
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media, SpareLayout};

const GEOMETRY: Geometry = Geometry {
    page_bytes: 1024,
    spare_bytes: 32,
    pages_per_block: 16,
    blocks: 40,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

const PAIRING: Pairing = Pairing::Distance3;

fn tearing() -> FlashTearing {
    FlashTearing::with_ecc(EccStrength {
        sector_bytes: 512,
        bits: 4,
        refresh_from: 3,
    })
    .with_pairing(PAIRING)
}

fn media<F: Flash<Error = NvmError>>(flash: F) -> FlashMedia<F> {
    let layout = SpareLayout::behind_mark(&GEOMETRY).expect("room for a record");
    let media = FlashMedia::new(flash, layout).expect("a flash that carries the layer");
    media.with_pairing(PAIRING).expect("16 pages")
}

fn content(file: u64, version: u64, bytes: usize) -> Vec<u8> {
    let words = 0..bytes.div_ceil(8) as u64;
    let words = words.flat_map(|word| draw(file, version, word, Purpose::Payload).to_le_bytes());
    words.take(bytes).collect()
}

#[test]
fn a_file_that_was_closed_and_flushed_survives_every_later_power_cut() {
    let blank = Recording::new(FlashContent::erased(GEOMETRY), tearing());
    let blank = blank
        .images(Mode::Linear, 0)
        .next()
        .expect("a cut before everything");
    let media_of = media(blank.record(tearing()));
    let config = FtlConfig::page_mapped(media_of.shape());
    let layer = Shared::new(Ftl::format(media_of, config).expect("a good flash"));
    Fat::format(layer.clone(), &FatOptions::default()).expect("room for a file system");

    // Files come and go; each of the `kept` ones is never touched again, and synced at an operation.
    let mut kept = Vec::new();
    for round in 0..12 {
        let mut files = Fat::mount(layer.clone()).expect("a file system");
        store(&mut files, "/scratch.bin", &content(99, round, 30_000));
        let name = format!("/keep{round}.bin");
        store(&mut files, &name, &content(round, 0, 5_000));
        files.unmount().expect("a file system");
        kept.push((operations(&layer.borrow()), name, round));
    }
    let layer = layer
        .into_inner()
        .unwrap_or_else(|_| panic!("the last handle"));
    let (_, recording) = layer.into_flash().finish();

    let mut read = 0;
    for image in recording.images(Mode::Sample(400), 5) {
        let id = image.id();
        let kept = kept.iter().filter(|(since, ..)| *since <= id.operation);
        if kept.clone().next().is_none() {
            continue;
        }
        let device = Ftl::mount(media(image), config);
        let device = device.unwrap_or_else(|error| panic!("image {id}: {error}"));
        let mut files = Fat::mount(device).expect("a file system");
        for (_, name, round) in kept {
            let file = files.open(name, Open::Read);
            let file = file.unwrap_or_else(|error| panic!("image {id}: {name}: {error}"));
            let mut bytes = vec![0; 6_000];
            let count = files.read(file, 0, &mut bytes);
            let count = count.unwrap_or_else(|error| panic!("image {id}: {error}"));
            assert!(
                bytes[..count] == content(*round, 0, 5_000),
                "image {id}: {name}"
            );
            files.close(file).expect("open");
            read += 1;
        }
    }
    assert!(read > 1000, "{read} files read back");
}

type Recorded = Recorder<wordline_crash::FlashImage, FlashTearing>;

fn operations(layer: &Ftl<Recorded>) -> usize {
    layer.layer().media().flash().operations()
}

fn store(files: &mut Fat, path: &str, data: &[u8]) {
    let file = files.open(path, Open::Replace).expect("room");
    files.write(file, 0, data).expect("room");
    files.close(file).expect("room");
}
