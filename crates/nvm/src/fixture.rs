//! The invented part and board that the tests of this crate share.

use wordline_core::Timing;

use crate::device::{FlashDevice, PagePart};
use crate::pages::spans;
use crate::{
    Board, Conditions, Named, Nand, NandSheet, Nor, NorSheet, NvmError, Nvram, NvramSheet, Wired,
};

pub(crate) const TYPICAL: Conditions = Conditions {
    timing: Timing::Typ,
    age: 0.0,
    seed: 0,
};

/// The invented part, after replacing `from` by `to` in its text.
pub(crate) fn sheet_with(from: &str, to: &str) -> NvramSheet {
    let text = include_str!("../tests/data/mram.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replace(from, to)).expect("a well-formed sheet")
}

pub(crate) fn sheet() -> NvramSheet {
    sheet_with("", "")
}

/// The invented board, after replacing `from` by `to` in its text.
pub(crate) fn board_with(from: &str, to: &str) -> Board {
    let text = include_str!("../tests/data/board.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replace(from, to)).expect("a well-formed board")
}

pub(crate) fn board() -> Board {
    board_with("", "")
}

pub(crate) fn wired(conditions: Conditions) -> Wired<Nvram> {
    connect(&sheet(), &board(), conditions).expect("the invented part fits")
}

pub(crate) fn connect(
    sheet: &NvramSheet,
    board: &Board,
    conditions: Conditions,
) -> Result<Wired<Nvram>, NvmError> {
    let part = Named { id: "part", sheet };
    let board = Named {
        id: "board",
        sheet: board,
    };
    Wired::connect(part, board, conditions)
}

/// The invented NAND, after replacing `from` by `to` in its text.
pub(crate) fn nand_sheet_with(from: &str, to: &str) -> NandSheet {
    let text = include_str!("../tests/data/nand.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replace(from, to)).expect("a well-formed sheet")
}

/// The invented NAND without bad blocks on the invented board.
pub(crate) fn nand(conditions: Conditions) -> Wired<Nand> {
    let sheet = nand_sheet_with(
        "bad_blocks_max = { value = 4",
        "bad_blocks_max = { value = 0",
    );
    connect_nand(&sheet, &board(), conditions)
}

pub(crate) fn connect_nand(
    sheet: &NandSheet,
    board: &Board,
    conditions: Conditions,
) -> Wired<Nand> {
    let part = Named { id: "part", sheet };
    let board = Named {
        id: "board",
        sheet: board,
    };
    Wired::connect(part, board, conditions).expect("the invented part fits")
}

/// The invented NOR flash, after replacing `from` by `to` in its text.
pub(crate) fn nor_sheet_with(from: &str, to: &str) -> NorSheet {
    let text = include_str!("../tests/data/nor.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replace(from, to)).expect("a well-formed sheet")
}

/// A NOR flash on the invented board.
pub(crate) fn nor_of(sheet: &NorSheet, conditions: Conditions) -> Wired<Nor> {
    let part = Named { id: "nor", sheet };
    let board = &board();
    let board = Named {
        id: "board",
        sheet: board,
    };
    Wired::connect(part, board, conditions).expect("the invented part fits")
}

pub(crate) fn nor(conditions: Conditions) -> Wired<Nor> {
    nor_of(&nor_sheet_with("", ""), conditions)
}

/// Reads a range of the main areas, split at pages.
pub(crate) fn stream<F: FlashDevice>(
    flash: &mut F,
    at: u64,
    out: &mut [u8],
) -> Result<(), NvmError> {
    let page_bytes = flash.geometry().page_bytes as usize;
    let parts: Vec<_> = spans(at, out.len(), page_bytes)
        .map(|(page, inside, range)| PagePart {
            page: page as u32,
            column: inside.start as u32,
            range,
        })
        .collect();
    flash.read_parts(&parts, out)
}
