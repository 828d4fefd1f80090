//! The command line: every flag, its help and its default.

mod buffer;
mod compare;
mod dram;
mod fs;
mod fs_mount;
mod kv;
mod part_fit;
mod wear;
mod wear_health;

use std::path::PathBuf;

pub(crate) use buffer::Buffer;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use compare::Compare;
pub(crate) use dram::{Bandwidth, Dram, Idle, Lengths, Loaded, Modules, Trace};
pub(crate) use fs::{Bench, Fs};
pub(crate) use fs_mount::Mount;
pub(crate) use kv::{Kv, KvBench, KvCrash, KvDump};
pub(crate) use part_fit::PartFit;
pub(crate) use wear::{Wear, WearPart};
pub(crate) use wear_health::WearHealth;
use wordline_catalog::import::PageKind;
use wordline_core::quantity::{ByteCount, Fraction, Time};
use wordline_core::{
    BackgroundWork, FtlMapping, Operation, Pattern, Timing, TranslationLayer, WriteSync,
};
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
  wordline compare --rate 500KB/s --record 4KiB --keep 1h --max-ram 16KiB --min-life 10y
  wordline buffer --log my_lat.1.log --ram 64KiB
  wordline raw --target em064lx --export report.html
  wordline wear --target nand08gw3b2c --blocks 100
  wordline fs bench --fs littlefs,fat --target mt25ql128
  wordline kv bench --target as3004316@stm32h743-fmc16
  wordline dram bandwidth --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline part show em064lx
  wordline reproduce
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
    /// Rank memories for a piece of work, with a verdict for each: the main job
    Compare(Box<Compare>),
    /// RAM for a fixed input rate, from a target or a log
    Buffer(Box<Buffer>),
    /// Run a raw memory over access sizes
    Raw(Box<Raw>),
    /// Cycle blocks of flash until they fail: endurance, and latency over life
    Wear(Box<Wear>),
    /// Run file systems that products use on a memory
    #[command(subcommand)]
    Fs(Box<Fs>),
    /// Run hash tables on a byte-addressable memory
    #[command(subcommand)]
    Kv(Box<Kv>),
    /// Run DDR5 modules in a server: latency, bandwidth, latency under load, traces
    #[command(subcommand)]
    Dram(Box<Dram>),
    /// List, show, check or import parts and boards, or fit one to a log
    #[command(subcommand)]
    Part(Part),
    /// Print published figures beside ours, with the score
    Reproduce(Reproduce),
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
  wordline raw --target em064lx --pattern sequential,random --size 256B,4KiB
  wordline raw --target mt25ql128 --operation read --during erase --size 64B,4KiB
  wordline raw --target em064lx --timing sampled --seed 7 --age 0.5
  wordline raw --target mt29f1g01 --ftl page --pattern random --fill 0%,100% --size 4KiB --wrap 64MiB
  wordline raw --target swissbit-g4000-4g --pattern random --size 4KiB --gap 0s,20ms --wrap 64MiB
  wordline raw --target kingston-sdc4-4g --operation write --size 128KiB --wrap 16MiB --streams 3,4
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
    /// Order of the addresses; random ones are drawn from the seed
    #[arg(long, value_delimiter = ',', default_value = "sequential")]
    #[arg(value_name = "sequential|random", value_parser = pattern)]
    pub(crate) pattern: Vec<Pattern>,
    /// Let NAND chips load the next page while the one before it is moved to the host
    #[arg(long)]
    pub(crate) cache_read: bool,
    /// Let NAND chips take the next page while the one before it is programmed
    #[arg(long)]
    pub(crate) cache_program: bool,
    /// Let the planes of a NAND chip work at the same time: pages alternate between them
    #[arg(long)]
    pub(crate) multi_plane: bool,
    /// Read also while the chip erases or programs: once waiting for it, once suspending it
    #[arg(long, value_delimiter = ',', value_name = "erase|program")]
    #[arg(value_parser = background)]
    pub(crate) during: Vec<BackgroundWork>,
    /// Longest pause between two reads of --during; each is drawn evenly from 0 to it [default: as
    /// long as the work]
    #[arg(long, value_name = "TIME", requires = "during")]
    pub(crate) pause: Option<Time>,
    /// Share of the memory that holds data in order before each run: 0% fresh, 100% full; repeatable and
    /// comma-separated [default: only what is read]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SHARE",
        allow_hyphen_values = true
    )]
    pub(crate) fill: Vec<Fraction>,
    /// Data moved by the same accesses before anything counts
    #[arg(long, value_name = "SIZE")]
    pub(crate) warm_up: Option<ByteCount>,
    /// Time that the host leaves the memory alone between two accesses; repeatable and comma-separated
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "TIME",
        conflicts_with = "during"
    )]
    pub(crate) gap: Vec<Time>,
    /// Write or read so many equal parts of the range in turn, as with files that grow side by side;
    /// repeatable and comma-separated [default: 1]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COUNT",
        conflicts_with = "during"
    )]
    pub(crate) streams: Vec<u32>,
    /// Make each write safe from a power cut before it ends: flush, or reliable (eMMC)
    #[arg(long, value_name = "HOW", conflicts_with = "during")]
    pub(crate) sync: Option<WriteSync>,
    #[command(flatten)]
    pub(crate) layer: Layer,
    /// Size of one access; repeatable and comma-separated [default: 2KiB,4KiB,…,64KiB]
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    pub(crate) size: Vec<ByteCount>,
    /// Data moved for each operation and size, in whole accesses [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) total: Option<ByteCount>,
    /// Address at which a run starts over at 0 [default: 8MiB, or the smallest part's end]
    #[arg(long, value_name = "SIZE")]
    pub(crate) wrap: Option<ByteCount>,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// The translation layer that raw flash is run behind.
#[derive(Args, Debug)]
pub(crate) struct Layer {
    /// Run raw NAND behind a translation layer that maps pages, or blocks with a log: sectors can be
    /// overwritten in any order
    #[arg(long, value_name = "page|log-block")]
    pub(crate) ftl: Option<FtlMapping>,
    /// Share of the blocks that the layer keeps to itself [default: 12%]
    #[arg(
        long,
        value_name = "SHARE",
        requires = "ftl",
        allow_hyphen_values = true
    )]
    pub(crate) ftl_spare: Option<Fraction>,
}

impl Layer {
    /// As an experiment has it.
    pub(crate) fn chosen(&self) -> Option<TranslationLayer> {
        let mut layer = TranslationLayer::of(self.ftl?);
        layer.spare = self.ftl_spare.unwrap_or(layer.spare);
        Some(layer)
    }
}

/// Which figures of the data sheets are run.
#[derive(Args, Debug)]
pub(crate) struct Columns {
    /// Columns of the data sheets, each run by itself: typical, maximum, or one chip drawn around typical; repeatable and
    /// comma-separated
    #[arg(
        long,
        default_value = "typ",
        value_delimiter = ',',
        value_name = "typ|max|sampled"
    )]
    pub(crate) timing: Vec<Timing>,
}

/// Age of the chips, and the seed of what is drawn.
#[derive(Args, Debug)]
pub(crate) struct Drawn {
    /// Fraction of rated life already used, 0 to 1
    #[arg(
        long,
        default_value_t = 0.0,
        value_name = "FRACTION",
        allow_negative_numbers = true
    )]
    pub(crate) age: f64,
    /// Seed of everything that is drawn: the bytes written, random addresses, when reads come during
    /// other work, and sampled figures
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
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
    /// Decode the parameter page of a flash chip: SFDP (NOR) or ONFI (NAND)
    #[command(after_help = "\
Examples:
  wordline part import sfdp.bin
  xxd -p /sys/bus/spi/devices/spi0.0/spi-nor/sfdp | wordline part import -
  wordline part import sfdp.bin --sheet > my-parts/my-nor.toml

Dumps are binary, or hex text as xxd and hexdump -C print it.")]
    Import {
        /// The dump; - for standard input
        file: PathBuf,
        /// What the dump is [default: what its signature says]
        #[arg(long = "as", value_name = "sfdp|onfi")]
        kind: Option<PageKind>,
        /// Print TOML to begin a sheet with: every figure of the page, commented out
        #[arg(long, conflicts_with = "format")]
        sheet: bool,
    },
    /// Find the figures of a card that its maker does not state, from a log of a real one
    Fit(Box<PartFit>),
    /// Check sheets; exit code 1 when one is wrong
    #[command(after_help = "\
Examples:
  wordline part check                    the whole catalogue
  wordline part check my-parts/chip.toml
  wordline part check my-parts           every .toml file in a folder
  wordline --catalog my-parts part check --rules
                                         do the models keep every rule of each part's protocol?")]
    Check {
        /// Files or folders [default: the embedded catalogue and every --catalog folder]
        paths: Vec<PathBuf>,
        /// Check the models as well: each rule of each part's protocol on its default board, and
        /// whether its absence would be noticed
        #[arg(long)]
        rules: bool,
    },
}

/// Runs what the published values of a document ask for and prints them beside ours: predictions,
/// calibrations and copied data-sheet figures each by themselves, every value with its citation and
/// with the tolerance that was stated before the run. Then come known misses with their reasons,
/// what cannot be computed yet and why, the errors of the document, and the score.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  wordline reproduce
  wordline reproduce mram-vs-flash-benchmark
  wordline reproduce mram-vs-flash-benchmark --list    its values, without running anything
  wordline reproduce nand-characterisation --only \"section 3.4\"
  wordline reproduce --format json --export evidence.md

Exit code 1: a miss that is not listed, a listed miss that hits now, or a value that is listed as not
yet possible and runs now.")]
pub(crate) struct Reproduce {
    /// Key of a document; --list names them [default: every document]
    pub(crate) key: Option<String>,
    /// List the documents, or the values of KEY with their tolerances, without running anything
    #[arg(long)]
    pub(crate) list: bool,
    /// Only the values whose citation has this text in it, in whatever letter case; repeatable, for any of several
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
    /// Leave out how far values of memory modules hang on what no maker discloses, which takes minutes
    #[arg(long)]
    pub(crate) no_band: bool,
    #[command(flatten)]
    pub(crate) export: Export,
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

fn pattern(text: &str) -> Result<Pattern, String> {
    [Pattern::Sequential, Pattern::Random]
        .into_iter()
        .find(|pattern| pattern.name() == text)
        .ok_or_else(|| "allowed: sequential, random".to_owned())
}

fn background(text: &str) -> Result<BackgroundWork, String> {
    [BackgroundWork::Erase, BackgroundWork::Program]
        .into_iter()
        .find(|work| work.name() == text)
        .ok_or_else(|| "allowed: erase, program".to_owned())
}

fn operation(text: &str) -> Result<Operation, String> {
    [Operation::Read, Operation::Write]
        .into_iter()
        .find(|operation| operation.name() == text)
        .ok_or_else(|| "allowed: read, write".to_owned())
}
