//! The sheet that a page begins.

use super::*;

/// The skeleton with every figure taken into use.
fn uncommented(page: &Page) -> String {
    page.sheet
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

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
        || value.clone().try_into::<Figure<Cycles>>().is_ok();
    assert!(loads, "{value}");
    1
}
/// The skeleton is TOML, and so is what stands behind its `#`; every figure loads.
#[track_caller]
pub(super) fn check_sheet(page: &Page) {
    let header: ::toml::Table = page.sheet.parse().expect("TOML");
    assert_eq!(header.len(), 5, "{}", page.sheet);
    let uncommented = uncommented(page);
    let table: ::toml::Table = uncommented.parse().expect("TOML without its #");
    let mut figures = 0;
    for (_, model) in table.iter().filter(|(_, value)| value.is_table()) {
        figures += check_figures(model);
    }
    assert!(figures > 0, "{}", page.sheet);
}

#[test]
fn the_skeleton_is_toml_whose_figures_load() {
    for text in [
        MT25QU01G,
        MX25UW6345G,
        MX25L3255E,
        S28HS02GT_BASIC,
        MX25R8035F_BASIC,
    ] {
        check_sheet(&read(&sfdp(text)));
    }
    for page in [MT29F1G08ABBDA, MT29F2G08ABBEA, MT29F32G08ABCDB] {
        check_sheet(&read(&onfi_page(page)));
    }
    let sheet = read(&sfdp(MT25QU01G)).sheet;
    let line =
        "#page_program = { typ = \"120 us\", max = \"2.88 ms\", source = \"SFDP BFPT DWORD 11\" }";
    assert!(sheet.lines().any(|found| found == line), "{sheet}");
    let sheet = read(&onfi_page(MT29F2G08ABBEA)).sheet;
    let line =
        "#page_program = { max = \"600 us\", source = \"ONFI parameter page, bytes 133-134\" }";
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
    let text = uncommented(&page).replace("[nand]\n", &format!("[nand]\n{more}"));
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

/// Pages leave much for the data sheet to say, but every key that they fill is one of the models'.
#[test]
fn the_keys_of_the_skeleton_are_those_of_the_models() {
    for page in [
        read(&sfdp(MT25QU01G)),
        read(&sfdp(MX25UW6345G)),
        read(&onfi_page(MT29F2G08ABBEA)),
    ] {
        let text = uncommented(&page);
        // The opcodes lack their clocks, which would be the only thing that is said.
        let model = text.split("[[nor.opcode]]").next().unwrap_or_default();
        let errors = crate::parse("sheet.toml", model).expect_err("no supply is stated");
        let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert!(said[0].contains("missing field"), "{said:?}");
    }
}
