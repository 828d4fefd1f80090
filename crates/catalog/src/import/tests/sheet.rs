//! The sheet that a page makes.

use super::*;
use crate::import::{ClaimedFigure, JedecId, disagreements};

/// Every figure of a sheet loads as some quantity; how many there are.
fn check_figures(value: &::toml::Value) -> usize {
    if let Some(list) = value.as_array() {
        return list.iter().map(check_figures).sum();
    }
    let Some(table) = value.as_table() else {
        return 0;
    };
    if !["min", "typ", "max"]
        .iter()
        .any(|column| table.contains_key(*column))
    {
        return table.iter().map(|(_, value)| check_figures(value)).sum();
    }
    let loads = value.clone().try_into::<Figure<Time>>().is_ok()
        || value.clone().try_into::<Figure<ByteCount>>().is_ok()
        || value.clone().try_into::<Figure<Frequency>>().is_ok()
        || value.clone().try_into::<Figure<Voltage>>().is_ok()
        || value.clone().try_into::<Figure<Cycles>>().is_ok();
    assert!(loads, "{value}");
    1
}

/// The sheet is TOML with its comments and without, and every figure of it loads.
#[track_caller]
pub(super) fn check_sheet(page: &Page) {
    let claims = ChipClaims::default();
    let sheet = page.sheet(&claims);
    let table: ::toml::Table = sheet.parse().expect("TOML");
    let model = ["nor", "nand"].into_iter().find_map(|name| table.get(name));
    assert!(check_figures(model.expect("a model")) > 0, "{sheet}");
    let advised: ::toml::Table = page.sheet_with_advice(&claims).parse().expect("TOML");
    assert_eq!(advised, table);
}

#[test]
fn sheets_are_toml_whose_figures_load() {
    for text in [
        MT25QU01G,
        MX25UW6345G,
        MX25L3255E,
        W25Q01JV,
        S28HS02GT_BASIC,
        MX25R8035F_BASIC,
    ] {
        check_sheet(&read(&sfdp(text)));
    }
    for page in [MT29F1G08ABBDA, MT29F2G08ABBEA, MT29F32G08ABCDB] {
        check_sheet(&read(&onfi_page(page)));
    }
    let sheet = read(&sfdp(MT25QU01G)).sheet(&ChipClaims::default());
    let line = "page_program = { typ = \"120 us\", max = \"2.88 ms\", source = \"SFDP, basic table 1.6, 11th word\" }";
    assert!(sheet.lines().any(|found| found == line), "{sheet}");
    let sheet = read(&onfi_page(MT29F2G08ABBEA)).sheet(&ChipClaims::default());
    let line =
        "page_program = { max = \"600 us\", source = \"ONFI parameter page, bytes 133-134\" }";
    assert!(sheet.lines().any(|found| found == line), "{sheet}");
    assert!(sheet.contains("part = \"mt29f2g08abbeahc\""), "{sheet}");
}

/// With what only a data sheet states, the page of a parallel NAND is a part that runs.
#[test]
fn an_onfi_page_and_a_few_lines_are_a_part() {
    let page = read(&onfi_page(MT29F2G08ABBEA));
    let more = "in_order = { value = true, source = 's' }\n\
                supply = { min = '2.7 V', max = '3.6 V', source = 's' }\n\
                wake_up = { max = '1 ms', source = 's' }\n";
    let text = page.sheet(&ChipClaims::default());
    let text = text.replace("[nand]\n", &format!("[nand]\n{more}"));
    let Ok(crate::Sheet::Part(part)) = crate::parse("sheet.toml", &text) else {
        panic!("{text}");
    };
    let catalog = crate::Catalog::load(&[]).expect("sound");
    let board = &catalog.board("stm32h743-fmc8").expect("embedded").board;
    let link = part.model.link(board).expect("fits");
    let read = link.command(wordline_nvm::bus::Action::Read).expect("read");
    // Mode 4 has its data 20 ns after the strobe: 5 clocks of 240 MHz, and the board's 2 around them.
    assert!(
        (read.data_rate() - 240e6 / 7.0).abs() < 1.0,
        "{}",
        read.data_rate()
    );
    assert_eq!(part.model.capacity_bytes(), 256 << 20);
}

/// What a user states of a chip completes its page to a part that loads and fits a board.
#[test]
fn a_page_and_the_user_make_a_part() {
    let claims = ChipClaims {
        part: Some("w25q01jv".to_owned()),
        jedec_id: Some("EF4021".parse().expect("an id")),
        figures: vec![
            ClaimedFigure::clock("104 MHz".parse().expect("a clock"), "data sheet"),
            ClaimedFigure::supply("2.7V..3.6V", "data sheet").expect("a range"),
            ClaimedFigure::new(
                "endurance",
                [Some("100000 cycles"), None, None],
                "data sheet",
            )
            .expect("cycles"),
            ClaimedFigure::new("power_up", [None, None, Some("20 us")], "data sheet")
                .expect("a time"),
            ClaimedFigure::new(
                "standby",
                [None, Some("10 uA"), None],
                "assumed: as its sibling",
            )
            .expect("a current"),
        ],
        ..ChipClaims::default()
    };
    let page = read(&sfdp(W25Q01JV));
    assert_eq!(claims.check(&page), Default::default());
    let sheet = page.sheet(&claims);
    let parsed = crate::parse("sheet.toml", &sheet);
    let Ok(crate::Sheet::Part(part)) = parsed else {
        panic!("{parsed:?}\n{sheet}");
    };
    assert_eq!(part.header.manufacturer, "Winbond");
    assert_eq!(part.family.as_deref(), Some("W25Q-JV"));
    assert_eq!(part.model.capacity_bytes(), 128 << 20);
    let catalog = crate::Catalog::load(&[]).expect("sound");
    let board = &catalog.board("stm32h755-qspi").expect("embedded").board;
    let link = part.model.link(board).expect("fits");
    let read = link.command(wordline_nvm::bus::Action::Read).expect("read");
    // Its own opcode with four address bytes, on four lines at the 80 MHz that the board makes of 104 MHz.
    assert_eq!(
        (read.code(), read.mode().as_str()),
        (Some(0xEC), "1S-4S-4S")
    );
    assert!(
        (read.data_rate() - 40e6).abs() < 1.0,
        "{}",
        read.data_rate()
    );
}

#[test]
fn a_page_of_another_chip_is_refused_by_name_and_id() {
    let page = read(&sfdp(MX25L3255E));
    let refused = |part: &str, id: &str| {
        let claims = ChipClaims {
            part: Some(part.to_owned()),
            jedec_id: Some(id.parse().expect("an id")),
            ..ChipClaims::default()
        };
        let check = claims.check(&page);
        let texts = |errors: &[super::super::ImportError]| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        (texts(&check.refused), texts(&check.contradictions))
    };
    assert_eq!(refused("mx25l3255e", "C29E16"), (vec![], vec![]));
    let (faults, other) = refused("w25q128jv", "EF4018");
    assert_eq!(faults.len(), 2, "{faults:?}");
    for words in ["byte 0x34", "4 MiB", "16 MiB, by JEDEC ID EF4018"] {
        assert!(faults[0].contains(words), "{words}: {}", faults[0]);
    }
    assert!(faults[1].contains("the name w25q128jv"), "{}", faults[1]);
    // Its vendor table is Macronix's.
    assert_eq!(other.len(), 1, "{other:?}");
    assert!(
        other[0].contains("found C2h, which is Macronix"),
        "{other:?}"
    );
    let (_, other) = refused("mx25l3233f", "EF4016");
    assert!(
        other[0].contains("found EF4016, which is Winbond"),
        "{other:?}"
    );
}

#[test]
fn ids_are_hex_of_two_to_six_bytes() {
    for (text, shown) in [
        ("ef4018", "EF4018"),
        ("0xC2 28 17", "C22817"),
        ("20bb191044", "20BB191044"),
    ] {
        assert_eq!(
            text.parse::<JedecId>().map(|id| id.to_string()),
            Ok(shown.to_owned())
        );
    }
    for wrong in [
        "",
        "ef",
        "ef401",
        "ef401g",
        "00112233445566",
        "ffffff",
        "000000",
        "ü",
    ] {
        assert!(wrong.parse::<JedecId>().is_err(), "{wrong}");
    }
    for wrong in ["2.7V", "3.6V..2.7V", "2.7..3.6", "2.7V..3 A"] {
        assert!(ClaimedFigure::supply(wrong, "s").is_err(), "{wrong}");
    }
}

/// Faults of several tables are listed at once, and so is what contradicts itself beside a sound table.
#[test]
fn every_fault_of_a_page_is_listed() {
    let mut bytes = sfdp(MT25QU01G);
    bytes[0x37] = 0x80;
    bytes[0x4C] = 40;
    bytes[0x13] = 1;
    let errors = import(&bytes, None).expect_err("a broken page");
    assert_eq!(
        errors.0.len(),
        1,
        "without a density nothing else is judged: {errors}"
    );
    let mut bytes = sfdp(MT25QU01G);
    bytes[0x4C] = 40;
    bytes[0x4E] = 41;
    bytes[0x13] = 1;
    let errors = import(&bytes, None).expect_err("a broken page");
    let places: Vec<_> = errors.0.iter().map(|error| error.offset).collect();
    assert_eq!(places, [0x4C, 0x4E, 0x80], "{errors}");
}

#[test]
fn what_contradicts_itself_is_said_and_left_out() {
    let mut bytes = sfdp(MT25QU01G);
    // No opcode for 1S-4S-4S, none for the first erase type, and a byte that takes longer than a page.
    bytes[0x39] = 0;
    bytes[0x4D] = 0xFF;
    let word = u32::from_le_bytes(bytes[0x58..0x5C].try_into().expect("four bytes"));
    let word = word & !0x0007_FF00 | 0x1F << 14 | 0x01 << 8;
    bytes[0x58..0x5C].copy_from_slice(&word.to_le_bytes());
    bytes[0x20..0x2B].copy_from_slice(b"hello world");
    let page = read(&bytes);
    let said: Vec<_> = page
        .contradictions
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "byte 0x38: fast read 1S-4S-4S is supported, and has no opcode (BFPT DWORD 3 bits 15:0): found opcode 00h",
        "byte 0x4D: erase type 1 has no opcode (BFPT DWORD 8 bits 15:8): found opcode FFh",
        "byte 0x59: a program of one byte takes longer than a page (BFPT DWORD 11 bits 18:14): found 128 us",
        "byte 0x20: a text stands where no table does",
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said}");
    }
    assert!(said[3].contains("\"hello world\""), "{}", said[3]);
    let sheet = page.sheet(&ChipClaims::default());
    for absent in [
        "action = \"read\", protocol = \"extended-spi\", mode = \"1S-4S-4S\"",
        "0x21",
        "byte_program",
    ] {
        assert!(!sheet.contains(absent), "{absent} in {sheet}");
    }
}

/// SST26VF032B: its sector map, with a basic table whose types 2 to 4 share an opcode.
#[test]
fn a_sector_map_says_which_erases_hold_everywhere() {
    let uniform = with_map(&[
        0xFF04_00FF,
        0x0000_7FF3,
        0x0000_7FF5,
        0x07FD_FFF9,
        0x0000_7FF5,
        0x0000_7FF3,
    ]);
    let page = read(&uniform);
    says(&page, "region", "0h to 7FFFh, erased in 4 KiB, 64 KiB");
    let sheet = page.sheet(&ChipClaims::default());
    assert!(sheet.contains("erased in 4 KiB\""), "{sheet}");
    assert!(
        sheet.contains("erases of 64 KiB, 32 KiB hold in regions of the chip only"),
        "{sheet}"
    );
    // Two configurations: the one whose regions are alike is taken.
    let two = with_map(&[
        0x04FF_65FC,
        0x0000_0004,
        0xFF01_01FE,
        0x0000_FFF1,
        0x07FE_FFF2,
        0xFF00_02FF,
        0x07FF_FFF2,
    ]);
    let sheet = read(&two).sheet(&ChipClaims::default());
    assert!(sheet.contains("erased in 64 KiB\""), "{sheet}");
    assert!(sheet.contains("taken in configuration 02h"), "{sheet}");
    let short = with_map(&[0xFF04_00FF, 0x0000_7FF3]);
    let words = [
        "configuration 00h of the sector map 1.0 is cut off",
        "5 regions",
    ];
    refused(&short, 0x88, &words);
}

/// The page of MT25QU01G with a sector map behind it in the place of its 4-byte table.
fn with_map(words: &[u32]) -> Vec<u8> {
    let mut bytes = sfdp(MT25QU01G);
    let header = [0x81, 0, 1, words.len() as u8, 0x88, 0, 0, 0xFF];
    bytes[0x10..0x18].copy_from_slice(&header);
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

#[test]
fn a_page_and_a_sheet_are_compared_by_value() {
    let page = read(&sfdp(MT25QU01G));
    let sheet = page.sheet(&ChipClaims::default());
    assert_eq!(disagreements(&page, &sheet), []);
    let spelt = sheet.replace("max = \"2.88 ms\"", "max = \"2880 us\"");
    assert_eq!(disagreements(&page, &spelt), []);
    let other = sheet
        .replace("max = \"2.88 ms\"", "max = \"1.8 ms\"")
        .replace("name = \"Fast Read\"", "name = \"FAST READ\"")
        .replace(
            "mode = \"1S-4S-4S\", address_bytes = 4, dummy_cycles = 10",
            "mode = \"1S-4S-4S\", address_bytes = 4, dummy_cycles = 6",
        );
    let found = disagreements(&page, &other);
    let found: Vec<_> = found
        .iter()
        .map(|one| (one.figure.as_str(), one.page.as_str(), one.sheet.as_str()))
        .collect();
    let expected = [
        ("nor.opcode[0xec 1S-4S-4S].dummy_cycles", "10", "6"),
        ("nor.page_program.max", "2.88 ms", "1.8 ms"),
    ];
    assert_eq!(found, expected);
    assert_eq!(disagreements(&page, "no TOML"), []);
}
