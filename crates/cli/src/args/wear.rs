//! The flags of `wordline wear`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_core::quantity::Period;
use wordline_core::{Pattern, WearUsage};

use super::{Columns, Drawn, Export, WearHealth, pattern};

/// Programs and erases blocks of raw flash chips until they fail, and times every operation on the way: endurance of each
/// block, and latency over life beside the data sheet. Without flags it does what the published characterisation did:
/// the first page of a block is programmed with zeros, and the block erased at once, over and over at 25 °C.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  wordline wear --target nand08gw3b2c --blocks 100
  wordline wear --target nand08gw3b2c,mt29f8g08maawc --samples 5 --export wear.html
  wordline wear --target nand08gw3b2c --usage first-page,whole-block,erase-only
  wordline wear --target i29f16g08canc1 --temperature 5,25,80
  wordline wear --target hy27us08121a --order random --timing sampled
  wordline wear --target mt25ql128 --usage erase-only
  wordline wear --target nand08gw3b2c --blocks 100 --log life.csv
  wordline wear --target mtd:/dev/mtd3 --blocks 4 --destroy /dev/mtd3 --log life.csv --export life.html
  wordline wear health --trace cycling.csv

A simulated part needs figures of its wear: the table aging of its sheet. What endurance here is not: a lifetime. It counts cycles
until the chip reports a failure, whether or not data would still keep.")]
pub(crate) struct Wear {
    #[command(subcommand)]
    pub(crate) part: Option<WearPart>,
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated. Or mtd:DEVICE by itself: raw flash of
    /// this machine, which is worn for real
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// Blocks of each chip, the first good ones
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        allow_negative_numbers = true
    )]
    pub(crate) blocks: u32,
    /// Chips of each target, each drawn by itself
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true
    )]
    pub(crate) samples: u32,
    /// What is programmed before each erase; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', default_value = "first-page")]
    #[arg(value_name = "first-page|whole-block|erase-only")]
    pub(crate) usage: Vec<WearUsage>,
    /// Order of the cycles across blocks: each block until it fails, or drawn from the seed
    #[arg(long, default_value = "sequential")]
    #[arg(value_name = "sequential|random", value_parser = pattern)]
    pub(crate) order: Pattern,
    /// Temperature of the chip in degrees Celsius, -40 to 125; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "25",
        value_name = "CELSIUS",
        allow_hyphen_values = true
    )]
    pub(crate) temperature: Vec<f64>,
    /// Time that a programmed block keeps its charge before it is erased; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "0s",
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    pub(crate) dwell: Vec<Period>,
    /// Cycles after which a block that has not failed is given up
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000_000_000,
        allow_negative_numbers = true
    )]
    pub(crate) max_cycles: u64,
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// File for a cycling log, CSV: how long each operation took, a line where that changes
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Names the device of a target mtd:DEVICE again: what it holds will be lost, and its blocks worn out
    #[arg(long, value_name = "DEVICE")]
    pub(crate) destroy: Vec<String>,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// What else is asked of wear.
#[derive(Debug, Subcommand)]
pub(crate) enum WearPart {
    /// Tell the remaining life of blocks from how long their programs and erases take
    Health(Box<WearHealth>),
}
