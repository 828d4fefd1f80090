//! An invented NAND whose blocks live for a few thousand cycles.

mod bits;
mod latency;
mod life;
mod nor;
mod outlook;
mod skip;

use wordline_core::Timing;
use wordline_core::quantity::{Quantity as _, Time};
use wordline_memory::Flash as _;

use super::{Cycle, Environment};
use crate::fixture::{board, connect_nand};
use crate::wired::Conditions;
use crate::{Accounts as _, Cause, CycledFlash as _, Nand, NandSheet, NvmError, Wired};

/// Programmed cells of a page of the invented NAND.
const ZEROS: [u8; 512] = [0; 512];

/// The sheet, after replacing each `from` by its `to`.
fn sheet(changes: &[(&str, &str)]) -> NandSheet {
    let text = concat!(
        include_str!("../../../tests/data/nand.toml"),
        include_str!("../../../tests/data/nand_aging.toml")
    );
    let mut text = text.replace(
        "bad_blocks_max = { value = 4",
        "bad_blocks_max = { value = 0",
    );
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    toml::from_str(&text).expect("a well-formed sheet")
}

/// Blocks that are all the median one.
const NO_SPREAD: [(&str, &str); 4] = [
    ("chip_spread = { value = 0.4", "chip_spread = { value = 0.0"),
    (
        "block_spread = { value = 0.3",
        "block_spread = { value = 0.0",
    ),
    ("weak_share = { value = 0.01", "weak_share = { value = 0.0"),
    ("page_shape = { value = 4.0", "page_shape = { value = 50.0"),
];

fn connect(sheet: &NandSheet, timing: Timing, seed: u64) -> Wired<Nand> {
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed,
    };
    connect_nand(sheet, &board(), conditions)
}

/// A chip that ages at 25 °C.
fn ageing(sheet: &NandSheet, timing: Timing, seed: u64) -> Wired<Nand> {
    let mut nand = connect(sheet, timing, seed);
    nand.start_ageing(Environment::default())
        .expect("it has the figures");
    nand
}

/// How long the chip worked in the last access.
fn array_time(nand: &Wired<Nand>, cause: Cause) -> Time {
    nand.last_cost().of(cause)
}

/// Programs one page and erases its block; how long each took.
fn one_cycle(nand: &mut Wired<Nand>, block: u32) -> Result<(Time, Time), NvmError> {
    let page = block * nand.geometry().pages_per_block;
    nand.program(page, 0, &ZEROS)?;
    let program = array_time(nand, Cause::Program);
    nand.erase(block)?;
    Ok((program, array_time(nand, Cause::Erase)))
}

/// Cycles of every block until it fails, of which `pages` pages are programmed.
fn lives(nand: &mut Wired<Nand>, pages: u32) -> Vec<u64> {
    let blocks = 0..nand.geometry().blocks;
    let live = |block| nand.chip_mut().wear_block(block, pages, u64::MAX);
    blocks
        .map(live)
        .collect::<Result<_, _>>()
        .expect("they are there")
}

/// The middle one.
fn median(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    values[values.len() / 2] as f64
}

fn seconds(time: Time) -> f64 {
    time.si()
}
