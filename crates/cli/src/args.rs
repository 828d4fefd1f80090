//! The command line: every flag, its help and its default.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use wordline_core::quantity::ByteCount;
use wordline_core::{Operation, Timing};
use wordline_report::Format;

/// A memory laboratory: which memory should I use for this work, and what will it cost me?
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
#[command(after_help = "\
Examples:
  wordline raw --target em064lx --export report.html
  wordline part show em064lx
  wordline doctor

Exit codes: 0 done; 1 ran, but a check failed; 2 could not run; 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Heading of the flags that every command takes.
const EVERYWHERE: &str = "Options of every command";

/// Flags that every command takes.
#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Add a folder of your own parts and boards (TOML); repeatable
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub(crate) catalog: Vec<PathBuf>,
    /// How stdout is written
    #[arg(long, global = true, value_enum, default_value = "table", help_heading = EVERYWHERE)]
    pub(crate) format: StdoutFormat,
    /// No progress and no notes on stderr; errors stay
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a raw memory over access sizes
    Raw(Raw),
    /// List, show or check the parts and boards of the catalogue
    #[command(subcommand)]
    Part(Part),
    /// Render saved results again, without running anything
    Report(Report),
    /// Say what can be measured on this host
    Doctor,
}

/// Runs sequential reads and writes of several sizes on each target, from address 0, starting over
/// at the wrap address. Without flags it is the benchmark of "Everspin MRAM Performance Benchmark
/// Comparison": 64 MiB in accesses of 2 to 64 KiB, wrapping at 8 MiB.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline raw --target em064lx
  wordline raw --target em064lx@stm32h755-qspi --operation write --format json
  wordline raw --target em064lx@stm32h755-qspi,em064lx@stm32h7s78-xspi --export report.html
  wordline raw --target em064lx --timing sampled --seed 7 --age 0.5
  wordline raw --catalog my-parts --target my-part@my-board --size 512B,4KiB

Sizes take decimal and binary units: 4 KB is 4000 B, 4 KiB is 4096 B.")]
pub(crate) struct Raw {
    /// PART@BOARD, or PART on its default board; repeatable and comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// What the accesses do
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "read,write",
        value_name = "read|write"
    )]
    #[arg(value_parser = operation)]
    pub(crate) operation: Vec<Operation>,
    /// Size of one access; repeatable and comma-separated [default: 2KiB,4KiB,…,64KiB]
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    pub(crate) size: Vec<ByteCount>,
    /// Data moved for each operation and size, in whole accesses [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) total: Option<ByteCount>,
    /// Address at which a run starts over at 0 [default: 8MiB, or the smallest part's end]
    #[arg(long, value_name = "SIZE")]
    pub(crate) wrap: Option<ByteCount>,
    /// Column of the data sheets: typical, maximum, or one chip drawn around typical
    #[arg(long, default_value = "typ", value_name = "typ|max|sampled")]
    pub(crate) timing: Timing,
    /// Fraction of rated life already used, 0 to 1
    #[arg(
        long,
        default_value_t = 0.0,
        value_name = "FRACTION",
        allow_negative_numbers = true
    )]
    pub(crate) age: f64,
    /// Seed of everything that is drawn: the bytes written, and sampled figures
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// Where results are saved besides stdout.
#[derive(Args, Debug)]
pub(crate) struct Export {
    /// Save the results as well, in the format of the extension (json, csv, md, html, txt);
    /// repeatable
    #[arg(long = "export", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Part {
    /// List parts and boards
    #[command(after_help = "Example:\n  wordline part list --format csv")]
    List,
    /// Print the data sheet of a part or board, every figure with its source
    #[command(after_help = "\
Examples:
  wordline part show em064lx
  wordline part show em064lx@stm32h7s78-xspi   also how the part works on that board
  wordline part show stm32h755-qspi
  wordline part show em064lx --sheet > my-parts/my-mram.toml")]
    Show {
        /// A part, a board, or PART@BOARD
        id: String,
        /// Print the TOML text of the sheet, to begin one of your own with
        #[arg(long, conflicts_with = "format")]
        sheet: bool,
    },
    /// Check sheets; exit code 1 when one is wrong
    #[command(after_help = "\
Examples:
  wordline part check                    the whole catalogue
  wordline part check my-parts/chip.toml
  wordline part check my-parts           every .toml file in a folder")]
    Check {
        /// Files or folders [default: the embedded catalogue and every --catalog folder]
        paths: Vec<PathBuf>,
    },
}

/// Reads a JSON document that `--format json` or `--export FILE.json` made, and renders it again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline report result.json
  wordline report result.json --export report.html --export rows.csv
  wordline raw --target em064lx --format json | wordline report -")]
pub(crate) struct Report {
    /// The document; - for standard input
    pub(crate) result: PathBuf,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// What stdout can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StdoutFormat {
    /// Aligned text
    Table,
    /// The result document
    Json,
    /// Long-form rows
    Csv,
    /// Markdown text
    Markdown,
}

impl From<StdoutFormat> for Format {
    fn from(format: StdoutFormat) -> Self {
        match format {
            StdoutFormat::Table => Self::Table,
            StdoutFormat::Json => Self::Json,
            StdoutFormat::Csv => Self::Csv,
            StdoutFormat::Markdown => Self::Markdown,
        }
    }
}

fn operation(text: &str) -> Result<Operation, String> {
    [Operation::Read, Operation::Write]
        .into_iter()
        .find(|operation| operation.name() == text)
        .ok_or_else(|| "allowed: read, write".to_owned())
}
