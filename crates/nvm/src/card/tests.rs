//! Tests of cards: content, front end, controller, limits, sheets.

mod content;
mod front;
mod limits;
mod sheets;
mod work;

use wordline_core::Timing;
use wordline_core::quantity::Time;

use super::{Card, CardSheet};
use crate::board::Board;
use crate::device::Accounts;
use crate::model::ChipModel as _;
use crate::wired::{Conditions, Named};

const CARD: &str = include_str!("../../tests/data/card.toml");
const BOARD: &str = include_str!("../../tests/data/sd-board.toml");

/// The small card of the tests, with lines of its sheet replaced: those that begin with each key.
fn sheet_with(changes: &[(&str, &str)]) -> CardSheet {
    toml::from_str(&text_with(CARD, changes)).expect("well-formed")
}

/// Replaces the values of keys, or adds the keys at the end, in the table that comes last.
fn text_with(text: &str, changes: &[(&str, &str)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (key, value) in changes {
        let line = format!("{key} = {{ {value}, source = \"test\" }}");
        let start = format!("{key} = ");
        match lines.iter_mut().find(|line| line.starts_with(&start)) {
            Some(old) => *old = line,
            None => lines.push(line),
        }
    }
    lines.join("\n")
}

fn board_with(changes: &[(&str, &str)]) -> Board {
    toml::from_str(&text_with(BOARD, changes)).expect("well-formed")
}

fn connect(sheet: &CardSheet, board: &Board, timing: Timing, seed: u64) -> Card {
    assert_eq!(sheet.problems(), []);
    let part = Named { id: "card", sheet };
    let board = Named {
        id: "board",
        sheet: board,
    };
    Card::connect(
        part,
        board,
        Conditions {
            timing,
            age: 0.0,
            seed,
        },
    )
    .expect("it fits")
}

fn card_with(changes: &[(&str, &str)]) -> Card {
    connect(&sheet_with(changes), &board_with(&[]), Timing::Typ, 0)
}

const fn us(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

const fn ms(ms: u64) -> Time {
    us(ms * 1000)
}

/// What the last access took.
fn took(card: &Card) -> Time {
    card.last_cost().total()
}
