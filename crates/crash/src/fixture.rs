//! The invented parts and the board of `wordline-nvm`'s tests.

use wordline_core::Timing;
use wordline_nvm::{Board, Conditions, Named, Nand, NandSheet, Nvram, NvramSheet, Wired};

pub(crate) const TYPICAL: Conditions = Conditions {
    timing: Timing::Typ,
    age: 0.0,
    seed: 0,
};

fn board() -> Board {
    let text = include_str!("../../nvm/tests/data/board.toml");
    toml::from_str(text).expect("a well-formed board")
}

/// The invented MRAM on the invented board.
pub(crate) fn wired(conditions: Conditions) -> Wired<Nvram> {
    let text = include_str!("../../nvm/tests/data/mram.toml");
    let sheet: NvramSheet = toml::from_str(text).expect("a well-formed sheet");
    let part = Named {
        id: "part",
        sheet: &sheet,
    };
    let board = Named {
        id: "board",
        sheet: &board(),
    };
    Wired::connect(part, board, conditions).expect("the invented part fits")
}

/// The invented NAND, after replacing `from` by `to` in its text.
pub(crate) fn nand_sheet_with(from: &str, to: &str) -> NandSheet {
    let text = include_str!("../../nvm/tests/data/nand.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replace(from, to)).expect("a well-formed sheet")
}

/// The invented NAND without bad blocks on the invented board.
pub(crate) fn nand(conditions: Conditions) -> Wired<Nand> {
    let sheet = nand_sheet_with(
        "bad_blocks_max = { value = 4",
        "bad_blocks_max = { value = 0",
    );
    let part = Named {
        id: "part",
        sheet: &sheet,
    };
    let board = Named {
        id: "board",
        sheet: &board(),
    };
    Wired::connect(part, board, conditions).expect("the invented part fits")
}
