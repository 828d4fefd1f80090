//! The flags of `wordline dram`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_core::quantity::{Frequency, Time};
use wordline_core::{Band, Mix, Pattern};

use super::{Export, pattern};

/// Runs DDR5 modules behind the memory controllers of a server, command by command: RDIMM and MRDIMM side by side.
#[derive(Debug, Subcommand)]
pub(crate) enum Dram {
    /// Latency without load, and what it consists of
    #[command(after_help = "\
Examples:
  wordline dram idle --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram idle --target mrdimm-8800-2rx4-128g@xeon6-1s --set page_policy=closed --export idle.html")]
    Idle(Idle),
    /// Bandwidth by mix of reads and writes, with the difference explained and its band
    #[command(after_help = "\
Examples:
  wordline dram bandwidth --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram bandwidth --target mrdimm-8800-2rx4-128g@xeon6-1s --mix 1:0,triad --pattern sequential,random
  wordline dram bandwidth --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s --set refresh=same-bank --band none

The first target is what the others are compared with. The band is the least and the greatest gain with each
alternative of each undisclosed choice, one at a time; the report lists them all.")]
    Bandwidth(Bandwidth),
    /// Latency while other cores load the memory, over a sweep of their pauses
    #[command(after_help = "\
Examples:
  wordline dram loaded --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s --export loaded.html
  wordline dram loaded --target mrdimm-8800-2rx4-128g@xeon6-1s --mix 2:1 --within 204ns --mess curves.csv
  wordline dram loaded --target mrdimm-8800-2rx4-128g@xeon6-1s --delay 0,100,500,2000 --samples 20000")]
    Loaded(Loaded),
    /// Replay a trace of memory requests
    #[command(after_help = "\
Examples:
  wordline dram trace requests.csv --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s
  wordline dram trace dramsim3.trc --clock 3.2GHz --target mrdimm-8800-2rx4-128g@xeon6-1s --commands commands.json
  wordline dram trace requests.csv --target rdimm-6400-2rx4-128g@xeon6-1s --check

Formats: dramsim3, ramulator, ramulator2, and csv with a line of column names (time_ns,address,operation).
docs/reference/dram-traces.md describes them, and the command traces that --commands writes.")]
    Trace(Trace),
}

/// What every test takes.
#[derive(Args, Debug)]
pub(crate) struct Modules {
    /// MODULE@SYSTEM; repeatable and comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// Set a choice that no maker discloses otherwise than the sheets do, of every target; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Seed of where buffers lie and of random addresses
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
    /// Threads that points run on [default: one for each core of this machine]; no result depends on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) export: Export,
}

/// How long a point is.
#[derive(Args, Debug)]
pub(crate) struct Lengths {
    /// Simulated time before anything counts; longer where a memory takes longer to settle: as many refresh intervals
    /// as it may put off, and two [default: 20us]
    #[arg(long, value_name = "TIME")]
    pub(crate) warm_up: Option<Time>,
    /// Simulated time that counts, at least [default: 100us]
    #[arg(long, value_name = "TIME")]
    pub(crate) measure: Option<Time>,
}

#[derive(Args, Debug)]
pub(crate) struct Idle {
    #[command(flatten)]
    pub(crate) modules: Modules,
    #[command(flatten)]
    pub(crate) lengths: Lengths,
    /// Reads whose latency is taken, at least
    #[arg(long, default_value_t = wordline_core::LoadedTest::SAMPLES, value_name = "N", allow_negative_numbers = true)]
    pub(crate) samples: u64,
}

#[derive(Args, Debug)]
pub(crate) struct Bandwidth {
    #[command(flatten)]
    pub(crate) modules: Modules,
    #[command(flatten)]
    pub(crate) lengths: Lengths,
    /// Reads for each write; triad reads two streams and stores a third past the caches
    #[arg(long, value_delimiter = ',', default_value = "1:0,3:1,2:1,1:1,triad")]
    #[arg(value_name = "1:0|3:1|2:1|1:1|triad", value_parser = mix)]
    pub(crate) mix: Vec<Mix>,
    /// Order of the addresses
    #[arg(long, value_delimiter = ',', default_value = "sequential")]
    #[arg(value_name = "sequential|random", value_parser = pattern)]
    pub(crate) pattern: Vec<Pattern>,
    /// Mixes whose gain over the first target is run again with each alternative of each undisclosed choice
    #[arg(long, default_value = "reads", value_name = "reads|all|none", value_parser = band)]
    pub(crate) band: Band,
}

#[derive(Args, Debug)]
pub(crate) struct Loaded {
    #[command(flatten)]
    pub(crate) modules: Modules,
    #[command(flatten)]
    pub(crate) lengths: Lengths,
    /// Pauses of the loading cores between two lines, in cycles, ascending [default: 19 from 0 to 20000]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "CYCLES",
        allow_negative_numbers = true
    )]
    pub(crate) delay: Vec<u64>,
    /// Reads for each write of the loading cores
    #[arg(long, default_value = "1:0", value_name = "1:0|3:1|2:1|1:1|triad", value_parser = mix)]
    pub(crate) mix: Mix,
    /// Order of their addresses
    #[arg(long, default_value = "sequential", value_name = "sequential|random", value_parser = pattern)]
    pub(crate) pattern: Pattern,
    /// Reads whose latency is taken at every pause, at least
    #[arg(long, default_value_t = wordline_core::LoadedTest::SAMPLES, value_name = "N", allow_negative_numbers = true)]
    pub(crate) samples: u64,
    /// Cores that follow chains of pointers; all others load the memory
    #[arg(long, default_value_t = wordline_core::LoadedTest::PROBES, value_name = "N", allow_negative_numbers = true)]
    pub(crate) probes: u32,
    /// Tell the share of the reads that take no longer than this; repeatable and comma-separated
    #[arg(long, value_delimiter = ',', value_name = "TIME")]
    pub(crate) within: Vec<Time>,
    /// Save the curve in the CSV form of the Mess benchmark; of several targets one file each, with the target in
    /// its name
    #[arg(long, value_name = "FILE")]
    pub(crate) mess: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Trace {
    /// The trace; - for standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) modules: Modules,
    /// Its format, where its content does not tell
    #[arg(long = "as", value_name = "dramsim3|ramulator|ramulator2|csv")]
    pub(crate) kind: Option<String>,
    /// The clock that its cycles are counted in
    #[arg(long, value_name = "FREQUENCY")]
    pub(crate) clock: Option<Frequency>,
    /// Take an address within a line of 64 bytes for the line
    #[arg(long)]
    pub(crate) align: bool,
    /// Take addresses beyond the memory modulo its size
    #[arg(long)]
    pub(crate) fold: bool,
    /// Save the commands that went over the buses: .txt for text, .json for Perfetto; of several targets one file
    /// each, with the target in its name
    #[arg(long, value_name = "FILE")]
    pub(crate) commands: Option<PathBuf>,
    /// Hold every command against an independent table of DDR5's rules; a violation fails
    #[arg(long)]
    pub(crate) check: bool,
}

pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "expected NAME=VALUE, such as refresh=same-bank".to_owned())?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn mix(text: &str) -> Result<Mix, String> {
    Mix::from_name(text).ok_or_else(|| {
        let names = Mix::ALL.map(Mix::name);
        format!("allowed: {}", names.join(", "))
    })
}

fn band(text: &str) -> Result<Band, String> {
    Band::ALL
        .into_iter()
        .find(|band| band.name() == text)
        .ok_or_else(|| "allowed: reads, all, none".to_owned())
}
