//! What the layer does with what the ECC tells it: pages that are to be moved soon, and pages that are lost.

use wordline_crash::{EccStrength, FlashContent, FlashImage, FlashTearing, Mode, Recording};
use wordline_memory::{BlockDevice, Geometry};
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Mapping, Media, SpareLayout};

const SECTOR: usize = 512;

const GEOMETRY: Geometry = Geometry {
    page_bytes: 1024,
    spare_bytes: 32,
    pages_per_block: 16,
    blocks: 32,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

fn blank() -> FlashImage {
    let tearing = FlashTearing::with_ecc(EccStrength {
        sector_bytes: SECTOR as u32,
        bits: 4,
        refresh_from: 3,
    });
    let recording = Recording::new(FlashContent::erased(GEOMETRY), tearing);
    let mut images = recording.images(Mode::Linear, 0);
    images.next().expect("a cut before everything")
}

fn media(flash: FlashImage) -> FlashMedia<FlashImage> {
    let layout = SpareLayout::behind_mark(&GEOMETRY).expect("room for a record");
    FlashMedia::new(flash, layout).expect("a flash that carries the layer")
}

fn config(mapping: Mapping) -> FtlConfig {
    let mut config = FtlConfig::page_mapped(media(blank()).shape());
    config.mapping = mapping;
    if mapping != Mapping::Page {
        config.cleaning.start_below = 0;
        config.cleaning.stop_at = 0;
    }
    config
}

fn content(sector: u64) -> [u8; SECTOR] {
    let mut content = [0x5A; SECTOR];
    content[..8].copy_from_slice(&sector.to_le_bytes());
    content
}

/// A disk of which every sector was written, and the page of its flash that holds the first of them.
fn full(config: FtlConfig) -> (Ftl<FlashImage>, u32) {
    let mut disk = Ftl::format(media(blank()), config).expect("a good flash");
    for sector in 0..disk.sectors() {
        disk.write(sector, &content(sector)).expect("room");
    }
    disk.flush().expect("a good flash");
    let geometry = GEOMETRY;
    let flash = disk.layer().media().flash().clone();
    let holds = |page: &u32| flash.content().page_bytes(*page)[..SECTOR] == content(0);
    let pages = geometry.pages() as u32;
    let page = (0..pages)
        .rev()
        .find(holds)
        .expect("the first sector is somewhere");
    (disk, page)
}

fn flip(
    disk: Ftl<FlashImage>,
    config: FtlConfig,
    page: u32,
    bits: std::ops::Range<u32>,
) -> Ftl<FlashImage> {
    let mut flash = disk.into_flash();
    for column in bits {
        flash.flip(page, 7 * column, 0).expect("a bit of the page");
    }
    Ftl::mount(media(flash), config).expect("a formatted flash")
}

fn check(disk: &mut Ftl<FlashImage>) {
    for sector in 0..disk.sectors() {
        let mut found = [0; SECTOR];
        disk.read(sector, &mut found)
            .expect("a sector that can be read");
        assert_eq!(found, content(sector), "sector {sector}");
    }
}

/// Three wrong bits of the four that the ECC corrects: the page is moved before there are five.
#[test]
fn a_page_that_the_ecc_advises_to_move_is_moved() {
    for mapping in [
        Mapping::Page,
        Mapping::LogBlock {
            logs: 2,
            shared_by: 1,
        },
    ] {
        let config = config(mapping);
        let (disk, page) = full(config);
        let mut disk = flip(disk, config, page, 0..3);
        // Only a read finds it.
        check(&mut disk);
        while disk.idle_step().expect("a good flash") {}
        disk.flush().expect("a good flash");
        let mut disk = flip(disk, config, page, 10..20);
        check(&mut disk);
    }
}

/// Without advice nothing is moved, so that the test above shows what it says.
#[test]
fn a_page_with_fewer_wrong_bits_stays_where_it_is() {
    let config = config(Mapping::Page);
    let (disk, page) = full(config);
    let mut disk = flip(disk, config, page, 0..2);
    check(&mut disk);
    while disk.idle_step().expect("a good flash") {}
    let mut disk = flip(disk, config, page, 10..20);
    let mut found = [0; SECTOR];
    disk.read(0, &mut found)
        .expect_err("more bits are wrong than the ECC corrects");
}

/// A sector that was acknowledged and cannot be programmed, because what lies beside it is lost, is not dropped.
#[test]
fn a_flush_fails_until_everything_that_was_acknowledged_is_safe() {
    let config = config(Mapping::Page);
    let (disk, page) = full(config);
    let mut disk = flip(disk, config, page, 0..20);
    let other = disk.sectors() - 1;
    disk.write(0, &[1; SECTOR]).expect("a buffer in RAM");
    disk.write(other, &[2; SECTOR])
        .expect_err("the page beside it is lost");
    disk.flush().expect_err("sector 0 is not on the flash");
    disk.flush().expect_err("and still is not");
    let mut found = [0; SECTOR];
    disk.read(0, &mut found).expect("it is in RAM");
    assert_eq!(found, [1; SECTOR]);
    // Written whole, the page needs nothing of what was lost.
    disk.write(1, &[3; SECTOR]).expect("room");
    disk.flush().expect("a good flash");
    let mut disk = Ftl::mount(media(disk.into_flash()), config).expect("a formatted flash");
    for (sector, byte) in [(0, 1), (1, 3)] {
        disk.read(sector, &mut found).expect("a sector");
        assert_eq!(found, [byte; SECTOR]);
    }
}
