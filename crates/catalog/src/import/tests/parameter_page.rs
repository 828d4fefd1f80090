//! The parameter page of ONFI.

use super::*;

#[test]
fn the_crc_of_published_onfi_pages_is_right() {
    for page in [MT29F1G08ABBDA, MT29F2G08ABBEA, MT29F32G08ABCDB] {
        assert_eq!(onfi::crc(&onfi_page(page)), page.1);
    }
}

#[test]
fn an_slc_nand_reads_as_its_data_sheet_says() {
    let page = read(&onfi_page(MT29F2G08ABBEA));
    assert_eq!(page.title, "ONFI 1.0: MICRON MT29F2G08ABBEAHC, 256 MiB");
    says(&page, "data bytes per page", "2 KiB");
    says(&page, "spare bytes per page", "64 B");
    says(&page, "pages per block", "64");
    says(&page, "blocks per LUN", "2048");
    says(&page, "LUNs", "1, 256 MiB in all");
    says(&page, "address cycles", "2 of column, 3 of row");
    says(&page, "bits per cell", "1");
    says(&page, "bad blocks per LUN", "max 40");
    says(&page, "block endurance", "program and erase: 100000 cycles");
    says(&page, "programs per page (NOP)", "4");
    says(&page, "ECC", "4 bits in 512 bytes of data and their spare");
    says(&page, "planes", "1 address bits, 2 planes");
    says(&page, "tPROG", "max 600 us");
    says(&page, "tBERS", "max 3 ms");
    says(&page, "tR", "max 25 us");
    says(&page, "tCCS", "min 100 ns");
    says(&page, "SDR timing modes", "modes 0; 1; 2; 3; 4");
    says(&page, "I/O pin capacitance", "max 10 pF");
    says(&page, "JEDEC manufacturer id", "2Ch");
}

#[test]
fn a_page_of_onfi_3_reads_as_it_states() {
    let page = read(&onfi_page(MT29F32G08ABCDB));
    says(&page, "data bytes per page", "16 KiB");
    says(&page, "bits per cell", "1");
    says(&page, "tPROG", "max 660 us");
    says(&page, "tBERS", "max 8 ms");
    says(&page, "NV-DDR timing modes", "modes 0; 1; 2; 3; 4; 5");
    says(
        &page,
        "ECC",
        "stated in the extended parameter page, which is not decoded",
    );
    assert!(page.title.starts_with("ONFI 3.0"), "{}", page.title);
}

#[test]
fn the_first_good_copy_is_used_and_named() {
    let good = onfi_page(MT29F1G08ABBDA);
    let mut dump = good.repeat(3);
    dump[0] = 0;
    dump[256 + 133] ^= 0x10;
    let page = import(&dump, None).expect("the third copy is good");
    assert_eq!(page.fields[0].offset, 512);
    assert!(page.notes[0].starts_with("copy 3"), "{:?}", page.notes);
    assert!(
        page.notes[1].contains("copy 2 at 0x100: CRC stored 0936h, computed"),
        "{:?}",
        page.notes
    );
    dump[512 + 100] ^= 1;
    let computed = |copy: usize| format!("computed {:04X}h", onfi::crc(&dump[256 * copy..]));
    let words = [computed(0), computed(1), computed(2)];
    refused(&dump, 254, &words.each_ref().map(String::as_str));
}

#[test]
fn a_page_larger_than_the_chip_is_refused() {
    let mut bytes = with_word(MT25QU01G, 0x34, 0xFFFF);
    bytes[0x4E..0x54].fill(0);
    says(&read(&bytes), "density", "8 KiB (65536 bits)");
    bytes[0x58] = 0xEB;
    refused(
        &bytes,
        0x58,
        &["page size", "found 16 KiB", "the chip's 8 KiB"],
    );
}

#[test]
fn a_right_crc_does_not_excuse_a_wrong_signature() {
    let mut page = onfi_page(MT29F1G08ABBDA);
    page[3] = b'X';
    let crc = onfi::crc(&page);
    page[254..].copy_from_slice(&crc.to_le_bytes());
    refused(&page, 254, &["copy 1 at 0x0: signature 4F 4E 46 58"]);
}

#[test]
fn impossible_geometries_are_refused() {
    let with = |at: usize, value: u32| {
        let mut page = onfi_page(MT29F1G08ABBDA);
        page[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let crc = onfi::crc(&page);
        page[254..].copy_from_slice(&crc.to_le_bytes());
        page
    };
    refused(&with(80, 0), 80, &["data bytes of a page", "0 bytes"]);
    refused(&with(80, 2049), 80, &["2049 bytes", "power of two"]);
    refused(&with(92, 0), 92, &["pages of a block"]);
    refused(&with(96, u32::MAX), 80, &["size of the chip"]);
    refused(
        &onfi_page(MT29F1G08ABBDA)[..200],
        254,
        &["ends after 200 bytes"],
    );
}
