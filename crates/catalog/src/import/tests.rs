//! Real dumps, each with where it was published and what its reader said there; corrupt pages; laws.

mod parameter_page;
mod sheet;

use proptest::prelude::*;
use wordline_core::Figure;
use wordline_core::quantity::{ByteCount, Cycles, Frequency, Time, Voltage};

use self::sheet::check_sheet;
use super::{ChipClaims, DumpFormat, Page, dump_bytes, import, onfi};

/// Micron MT25QU01G. Fabio Estevam, linux-mtd, 30 November 2023, with the kernel's reading of it; SHA-256
/// e49dfee6eeb73c55e94c07a8c7d352dd7d8774b830a64ed1059ef6e7bc833668.
const MT25QU01G: &str = "
53464450060101ff00060110300000ff84000102800000ffffffffffffff
ffffffffffffffffffffffffffffffffffffe520fbffffffff3f29eb276b
273b27bbffffffffffff27bbffff29eb0c2010d80f520000244a99008b8e
03e1ac0127387a757a75fbbdd55c4a0f82ff81bd3d36ffffffffffffffff
ffffffffffffffffffe7ffff21dcffff";

/// Macronix MX25UW6345G, octal. Cheng Ming Lin, linux-mtd, with the kernel's reading; MD5
/// c6fb57b8fdd4c35b5f0dacc4a1f7d4f4.
const MX25UW6345G: &str = "
53464450080104fd00070114400000ff8701011c900000ff0a0001080001
00ff05000105200100ff84000102340100ff0000000000000000ffffffff
ffffffffe5208affffffff0300ff00ff00ff00ffeeffffffffff00ffffff
00ff0c2010d800ff00ff8b7901008f1200c4cc04674630b030b0f4bdd55c
000000ff101000200000000000007c234800000000008888000000000000
00400fd1fff30fd1fff300050090000500b1002b0095002b0096727103b8
727103b80000000090a3188200c069960000000000000000727100987271
00b8727100990000000072710098727100f872710099727100f900000000
00000000011501d0727106d8000086500000060100000000020001030002
00000000060100000000000072060002000000eec0697272717100d8f7f6
000a00001445988043060f0021dcffff";

/// Macronix MX25L3255E, first JESD216. Cheng Ming Lin, linux-mtd, with the kernel's reading; SHA-256
/// cf7b2e5b00388040786877de15f7594fcc064a1b7dbe34393a06d462cc1da9b0.
const MX25L3255E: &str = "
00000000  53 46 44 50 00 01 01 ff  00 00 01 09 30 00 00 ff  |SFDP........0...|
00000010  c2 00 01 04 60 00 00 ff  ff ff ff ff ff ff ff ff  |....`...........|
00000020  ff ff ff ff ff ff ff ff  ff ff ff ff ff ff ff ff  |................|
00000030  e5 20 f1 ff ff ff ff 01  44 eb 08 6b 08 3b 04 bb  |. ......D..k.;..|
00000040  ee ff ff ff ff ff 00 ff  ff ff 00 ff 0c 20 0f 52  |............. .R|
00000050  10 d8 00 ff ff ff ff ff  ff ff ff ff ff ff ff ff  |................|
00000060  00 36 00 27 9e 49 ff ff  d9 f8 ff ff ff ff ff ff  |.6.'.I..........|
00000070
";

/// Winbond W25Q01JV. Potin Lai, linux-mtd, 22 February 2022; MD5 a7b9dbf76e99a33db99e557b6676588a.
const W25Q01JV: &str = "
00000000  53 46 44 50 06 01 01 ff  00 06 01 10 80 00 00 ff  |SFDP............|
00000010  84 00 01 02 d0 00 00 ff  03 00 01 02 f0 00 00 ff  |................|
00000020  ff ff ff ff ff ff ff ff  ff ff ff ff ff ff ff ff  |................|
*
00000080  e5 20 fb ff ff ff ff 3f  44 eb 08 6b 08 3b 42 bb  |. .....?D..k.;B.|
00000090  fe ff ff ff ff ff 00 00  ff ff 40 eb 0c 20 0f 52  |..........@.. .R|
000000a0  10 d8 00 00 36 02 a6 00  82 ea 14 e2 e9 63 76 33  |....6........cv3|
000000b0  7a 75 7a 75 f7 a2 d5 5c  19 f7 4d ff e9 70 f9 a5  |zuzu...\\..M..p..|
000000c0  ff ff ff ff ff ff ff ff  ff ff ff ff ff ff ff ff  |................|
000000d0  ff 0a f0 ff 21 ff dc ff                           |....!...|
000000d8
";

/// Infineon S28HS02GT: octal, erase type of 256 KiB only beside 4 KiB. Takahiro Kuwano, linux-mtd; its
/// basic table, with a header that points at it.
const S28HS02GT_BASIC: &str = "
53464450 080100ff 00000114 100000ff
e7 20 fa ff ff ff ff 7f 00 00 00 00 00 00 00 00 ee ff ff ff ff ff 00 00
ff ff 00 00 0c 21 00 ff 00 ff 12 dc 23 fa ff 8b 82 e7 ff ec ec 23 19 49
7a b0 7a b0 f7 66 80 5c 00 00 00 ff f9 10 c0 a0 00 00 00 00 00 00 bc 02
00 00 00 00 ff ff 7e 7e";

/// The basic table of a Macronix MX25R8035F that Zephyr prints in the documentation of its sample
/// jesd216, with what Zephyr reads in it.
const MX25R8035F_BASIC: &str = "
53 46 44 50 06 01 00 ff 00 06 01 10 10 00 00 ff
e5 20 f1 ff ff ff 7f 00 44 eb 08 6b 08 3b 04 bb ee ff ff ff ff ff 00 ff
ff ff 00 ff 0c 20 0f 52 10 d8 00 ff 23 72 f5 00 82 ed 04 b7 44 83 38 44
30 b0 30 b0 f7 c4 d5 5c 00 be 29 ff f0 d0 ff ff";

/// Micron NAND parameter pages in Xilinx's QEMU (hw/block/nand.c), up to byte 179; zeros follow up to the
/// CRC, which is the one stored there.
const MT29F1G08ABBDA: (&str, u16) = (
    "
4F4E464902000100 3F00000000000000 0000000000000000 0000000000000000
4D4943524F4E2020 202020204D543239 4631473038414242 4441335720202020
2c00000000000000 0000000000000000 0008000040000020 0000100040000000
0004000001220114 0001050100000400 0400000000000000 0000000000000000
0A1F001F005802B8 0B19006400000000 0000000000000000 0000000000000000
0000000001000100 0002048001810401 02010A00",
    0x0936,
);
const MT29F2G08ABBEA: (&str, u16) = (
    "
4F4E464902000000 3F00000000000000 0000000000000000 0000000000000000
4D4943524F4E2020 202020204D543239 4632473038414242 4541484320202020
2C00000000000000 0000000000000000 0008000040000002 0000100040000000
0008000001230128 0001050100000400 04010E0000000000 0000000000000000
0A1F001F005802B8 0B19006400000000 0000000000000000 0000000000000000
0000000001000100 0002048001810401 02010A00",
    0x1E57,
);
/// The last byte before the CRC of this one is 01h.
const MT29F32G08ABCDB: (&str, u16) = (
    "
4F4E46497E00F81D FF0F0F0003000300 0000000000000000 0000000000000000
4D4943524F4E2020 202020204D543239 4633324730384142 4344424A34202020
2C00000000000000 0000000000000000 00400000C0040000 0000000000010000
1804000001230131 0006040100000200 FF011E0000000000 0000000000000000
053F000000940240 1F2D00C8003F7F02 28002D0028000507 2D00460000001FFF
0000000001000100 0000041001810402 02011E900A000000",
    0x8A63,
);

fn sfdp(text: &str) -> Vec<u8> {
    dump_bytes(text.as_bytes()).expect("a hex dump")
}

/// A page as it is stored: zeros after the text, and the stored CRC.
fn onfi_page((text, crc): (&str, u16)) -> Vec<u8> {
    let mut page = sfdp(text);
    page.resize(254, 0);
    if crc == MT29F32G08ABCDB.1 {
        page[253] = 1;
    }
    page.extend(crc.to_le_bytes());
    page
}

fn read(bytes: &[u8]) -> Page {
    import(bytes, None).expect("a sound page")
}

#[track_caller]
fn says(page: &Page, name: &str, meaning: &str) {
    let found: Vec<_> = page
        .fields
        .iter()
        .filter(|field| field.name == name)
        .map(|field| field.meaning.as_str())
        .collect();
    assert!(found.contains(&meaning), "{name}: {found:?}, not {meaning}");
}

#[track_caller]
fn refused(bytes: &[u8], offset: usize, words: &[&str]) {
    let errors = import(bytes, None).expect_err("a corrupt page");
    let found = errors.0.iter().find(|error| error.offset == offset);
    let error = found.unwrap_or_else(|| panic!("no fault at {offset:X}: {errors}"));
    for word in words {
        assert!(error.to_string().contains(word), "{word} in {error}");
    }
}

/// Wait states and opcodes as the kernel's debugfs printed them for this very chip.
#[test]
fn a_quad_nor_reads_as_the_kernel_reads_it() {
    let page = read(&sfdp(MT25QU01G));
    says(&page, "density", "128 MiB (1073741824 bits)");
    let fast = |opcode, waits| {
        format!(
            "opcode {opcode}h, 1 mode clocks + {waits} wait states = {} dummy cycles",
            waits + 1
        )
    };
    says(&page, "fast read 1S-1S-2S", &fast("3B", 7));
    says(&page, "fast read 1S-2S-2S", &fast("BB", 7));
    says(&page, "fast read 2S-2S-2S", &fast("BB", 7));
    says(&page, "fast read 1S-1S-4S", &fast("6B", 7));
    says(&page, "fast read 1S-4S-4S", &fast("EB", 9));
    says(&page, "fast read 4S-4S-4S", &fast("EB", 9));
    says(&page, "page size", "256 B");
    says(
        &page,
        "erase type 1 with 4 address bytes",
        "4 KiB, opcode 21h",
    );
    says(
        &page,
        "erase type 2 with 4 address bytes",
        "64 KiB, opcode DCh",
    );
    says(&page, "Page Program 1S-4S-4S", "opcode 3Eh");
    says(&page, "page program time", "typ 120 us, max 2.88 ms");
    says(&page, "erase suspend latency", "max 25 us");
    says(
        &page,
        "4S-4S-4S enable",
        "opcode 35h; clear bit 7 of the enhanced configuration register (65h, 61h)",
    );
    // Reserved bits of its 4-byte table are ones, and no octal reads.
    assert!(
        !page
            .fields
            .iter()
            .any(|field| field.meaning == "opcode 7Ch")
    );
}

#[test]
fn an_octal_nor_reads_as_the_kernel_reads_it() {
    let page = read(&sfdp(MX25UW6345G));
    says(&page, "density", "8 MiB (67108864 bits)");
    says(&page, "fast read 8D-8D-8D", "opcode EEh");
    says(&page, "8D-8D-8D read at 200 MHz", "20 dummy cycles");
    says(&page, "8D-8D-8D opcode extension", "opcode inverted");
    says(&page, "8D-8D-8D byte order", "as in 1S-1S-1S");
    says(&page, "8D-8D-8D clock, with strobe", "max 200 MHz");
    says(&page, "fast read 1S-1S-8S", "not supported");
    says(
        &page,
        "erase type 1 with 4 address bytes",
        "4 KiB, opcode 21h",
    );
    says(&page, "Page Program 1S-1S-1S", "opcode 12h");
    says(&page, "sequence 1 to 8D-8D-8D", "06h");
    says(&page, "sequence 4 to 8D-8D-8D", "72h 00h 00h 00h 00h 02h");
    says(
        &page,
        "write in progress",
        "bit 0 at address 00h, read 05h, write 00h",
    );
    says(
        &page,
        "commands in 8D-8D-8D",
        "soft reset and enter default protocol; reset enable; exit deep power-down; enter deep power-down; \
         write non-volatile register; write volatile register; write register; \
         write status and configuration register; read non-volatile register; read volatile register; \
         read register; read configuration register; erase chip; erase 4 KiB; set up read wrap; \
         read fast wrap; read SFDP",
    );
    assert!(page.contradictions.is_empty(), "{:?}", page.contradictions);
    let page = read(&sfdp(S28HS02GT_BASIC));
    says(&page, "density", "256 MiB (2147483648 bits)");
    says(&page, "erase type 4", "256 KiB, opcode DCh");
    says(&page, "8S-8S-8S clock, with strobe", "max 166 MHz");
    says(&page, "4S-4S-4S clock, no strobe", "not supported");
}

/// Zephyr takes the multiplier of programs for the whole chip's erase, 36.864 s; the standard's formula
/// names the one of erase types.
#[test]
fn times_are_those_that_zephyr_prints() {
    let page = read(&sfdp(MX25R8035F_BASIC));
    says(&page, "density", "1 MiB (8388608 bits)");
    says(&page, "erase type 1 time", "typ 48 ms, max 384 ms");
    says(&page, "erase type 2 time", "typ 240 ms, max 1.92 s");
    says(&page, "erase type 3 time", "typ 480 ms, max 3.84 s");
    says(&page, "chip erase time", "typ 6.144 s, max 49.152 s");
    says(
        &page,
        "byte program time, first byte",
        "typ 32 us, max 192 us",
    );
    says(
        &page,
        "byte program time, each further byte",
        "typ 1 us, max 6 us",
    );
    says(&page, "page program time", "typ 896 us, max 5.376 ms");
    says(&page, "suspend opcode", "opcode B0h");
    says(&page, "resume opcode", "opcode 30h");
    says(&page, "deep power-down enter opcode", "opcode B9h");
    says(&page, "deep power-down exit opcode", "opcode ABh");
    says(&page, "deep power-down exit delay", "40 us");
    says(
        &page,
        "fast read 1S-4S-4S",
        "opcode EBh, 2 mode clocks + 4 wait states = 6 dummy cycles",
    );
    says(
        &page,
        "quad enable",
        "bit 6 of status register 1, written with 01h and one byte",
    );
}

#[test]
fn the_first_jesd216_states_no_times() {
    let page = read(&sfdp(MX25L3255E));
    says(&page, "density", "4 MiB (33554432 bits)");
    says(&page, "erase type 2", "32 KiB, opcode 52h");
    says(
        &page,
        "fast read 1S-2S-2S",
        "opcode BBh, 0 mode clocks + 4 wait states = 4 dummy cycles",
    );
    assert!(page.notes[0].contains("no times"), "{:?}", page.notes);
    assert!(
        page.notes[1].contains("manufacturer C2h"),
        "{:?}",
        page.notes
    );
    let sheet = page.sheet(&ChipClaims::default());
    assert!(!sheet.contains("page_program"), "{sheet}");
    let missing = page.missing(&ChipClaims::default());
    for words in ["page_program", "endurance", "times of erases (3)"] {
        assert!(
            missing.iter().any(|known| known == words),
            "{words}: {missing:?}"
        );
    }
}

#[test]
fn a_dump_with_repeated_lines_reads_whole() {
    let dump = sfdp(W25Q01JV);
    assert_eq!(dump.len(), 0xD8);
    let page = read(&dump);
    says(&page, "parameter headers", "2");
    says(&page, "chip erase time", "typ 192 s, max 2688 s");
    says(&page, "page program time", "typ 704 us, max 4.224 ms");
    says(&page, "4 KiB erase opcode", "opcode 20h");
    let words = [
        "4-Byte Address Instruction Table",
        "0xD0",
        "0xD8",
        "ends at 0xD4",
    ];
    refused(&dump[..0xD4], 0x14, &words);
}

#[test]
fn corrupt_sfdp_pages_are_refused_where_they_are_wrong() {
    let sound = sfdp(MT25QU01G);
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = sound.clone();
        for (at, value) in changes {
            bytes[*at] = *value;
        }
        bytes
    };
    refused(
        &with(&[(0, 0x52)]),
        0,
        &["52 46 44 50", "\"SFDP\"", "\"ONFI\""],
    );
    refused(
        &with(&[(5, 2)]),
        5,
        &["major revision", "found 2", "allowed: 1"],
    );
    refused(&with(&[(6, 200)]), sound.len(), &["201 parameter headers"]);
    refused(&with(&[(8, 0x81)]), 8, &["FF81h", "FF00h"]);
    refused(&with(&[(0x0A, 3)]), 0x0A, &["found 3", "allowed: 1"]);
    refused(&with(&[(0x0B, 8)]), 0x0B, &["8 DWORDs", "at least 9"]);
    refused(&with(&[(0x0B, 0)]), 0x0B, &["0 DWORDs"]);
    refused(&with(&[(0x0C, 0x31)]), 0x0C, &["0x31", "multiple of 4"]);
    refused(&with(&[(0x0E, 1)]), 0x0C, &["0x10030", "inside the dump"]);
    refused(&with(&[(0x13, 1)]), 0x80, &["4BAIT", "1 DWORDs"]);
    refused(
        &with(&[(0x37, 0xFF)]),
        0x34,
        &["density", "FFFFFFFFh", "2^35"],
    );
    refused(&with(&[(0x34, 0xFE)]), 0x34, &["3FFFFFFEh", "8 Kibit"]);
    refused(
        &with(&[(0x4C, 40)]),
        0x4C,
        &["erase type 1", "2^40 bytes", "128 MiB"],
    );
    refused(&sound[..0x60], 0x0C, &["0x70", "0x60"]);
    refused(&sound[..6], 6, &["SFDP header", "at least 8"]);
    refused(&[], 0, &["an empty dump"]);
    let error = import(&sound, Some(DumpFormat::Onfi)).expect_err("it is SFDP");
    assert!(error.to_string().contains("ONFI"), "{error}");
}

/// A dump with a DWORD replaced by another.
fn with_word(dump: &str, offset: usize, word: u32) -> Vec<u8> {
    let mut bytes = sfdp(dump);
    bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
    bytes
}

#[test]
fn densities_are_powers_of_two_from_4_gibit_to_32_gibit() {
    let with = |word| with_word(MT25QU01G, 0x34, word);
    says(
        &read(&with(0x8000_0020)),
        "density",
        "512 MiB (4294967296 bits)",
    );
    says(
        &read(&with(0x8000_0023)),
        "density",
        "4 GiB (34359738368 bits)",
    );
    for exponent in [0, 31, 36, 63, 64, 0x7FFF_FFFF] {
        let words = [format!("2^{exponent} bits"), "2^32 to 2^35".to_owned()];
        let words = words.each_ref().map(String::as_str);
        refused(&with(0x8000_0000 | exponent), 0x34, &words);
    }
}

/// Count 31 of each unit: 1 ms, 16 ms, 128 ms and 1 s, and the largest multiplier.
#[test]
fn erase_times_have_four_units() {
    let types = [0_u32, 1, 2, 3].map(|unit| 31 | unit << 5);
    let word = (0..4).fold(15, |word, index| word | types[index] << (4 + 7 * index));
    let mut bytes = with_word(MT25QU01G, 0x54, word);
    bytes[0x52..0x54].copy_from_slice(&[18, 0xD9]);
    let page = read(&bytes);
    says(&page, "erase type 1 time", "typ 32 ms, max 1.024 s");
    says(&page, "erase type 2 time", "typ 512 ms, max 16.384 s");
    says(&page, "erase type 3 time", "typ 4.096 s, max 131.072 s");
    says(&page, "erase type 4 time", "typ 32 s, max 1024 s");
    says(&page, "erase type 4", "256 KiB, opcode D9h");
}

#[test]
fn every_form_of_hex_gives_the_same_bytes() {
    let bytes = sfdp(MX25L3255E);
    assert_eq!(bytes.len(), 0x70);
    let join = |separator: &str, form: fn(&u8) -> String| {
        let bytes: Vec<_> = bytes.iter().map(form).collect();
        bytes.join(separator)
    };
    let plain = join("", |byte| format!("{byte:02x}"));
    let listed = join(", ", |byte| format!("0x{byte:X}"));
    let pairs = join("\n", |byte| format!("{byte:02X}"));
    let xxd: String = (0..bytes.len())
        .step_by(16)
        .map(|at| format!("{at:08x}: {}  SFDP..|:..\n", &plain[2 * at..][..32]))
        .collect();
    for text in [plain, format!("{{ {listed} }};"), pairs, xxd] {
        assert_eq!(dump_bytes(text.as_bytes()), Ok(bytes.clone()), "{text}");
    }
    assert_eq!(dump_bytes(&bytes), Ok(bytes.clone()), "binary");
}

#[test]
fn faulty_hex_is_refused_with_its_line() {
    for (text, offset, words) in [
        (
            "53 46\n44 5g",
            9,
            "line 2 of the hex text: no hex digit: found 'g' in \"5g\"",
        ),
        ("534", 0, "half a byte: found 3 digits"),
        ("0x50444653", 0, "says not which comes first"),
        (
            "00000000  53 46\n00000010  44 50",
            16,
            "offset 00000010; allowed: 2",
        ),
        ("00000000: 53 46\n*\n", 18, "ends in \"*\""),
        ("*\n53", 2, "without an offset"),
        ("  \n", 0, "no bytes"),
        ("", 0, "no bytes"),
    ] {
        let error = dump_bytes(text.as_bytes()).expect_err(text);
        assert_eq!(error.offset, offset, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let vast = "00000000 53\n*\n0fffffff\n";
    let error = dump_bytes(vast.as_bytes()).expect_err("256 MiB");
    assert!(
        error
            .to_string()
            .contains("offset 0fffffff; allowed: up to"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        for kind in [None, Some(DumpFormat::Sfdp), Some(DumpFormat::Onfi)] {
            if let Ok(page) = import(&bytes, kind) {
                check_sheet(&page);
            }
        }
        if let Ok(bytes) = dump_bytes(&bytes) {
            prop_assert!(!bytes.is_empty());
        }
    }

    /// What is read from a damaged page stays inside it, and gives TOML.
    #[test]
    fn a_damaged_sfdp_page_is_read_or_refused(
        octal in any::<bool>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = sfdp(if octal { MX25UW6345G } else { MT25QU01G });
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        bytes.truncate(length.index(4 * bytes.len()).max(8));
        match import(&bytes, Some(DumpFormat::Sfdp)) {
            Ok(page) => {
                prop_assert!(page.fields.iter().all(|field| field.offset < bytes.len()));
                check_sheet(&page);
            }
            Err(errors) => for error in &errors.0 {
                prop_assert!(error.offset <= bytes.len(), "{}", error);
            },
        }
    }

    /// One flipped bit is always caught by the CRC.
    #[test]
    fn a_flipped_bit_of_an_onfi_page_is_caught(bit in 0_usize..8 * 256) {
        let mut page = onfi_page(MT29F2G08ABBEA);
        page[bit / 8] ^= 1 << (bit % 8);
        let error = import(&page, None).expect_err("a flipped bit");
        prop_assert!(error.to_string().contains("CRC stored"), "{}", error);
        page.extend(onfi_page(MT29F2G08ABBEA));
        prop_assert_eq!(import(&page, None).expect("the second copy").fields[0].offset, 256);
    }

    #[test]
    fn any_text_is_hex_or_refused(text in "[ 0-9a-fx:*|,\n#]{0,80}") {
        if let Err(error) = dump_bytes(text.as_bytes()) {
            prop_assert!(error.offset <= text.len(), "{}", error);
        }
    }
}
