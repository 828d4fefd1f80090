//! Flags of `wordline app import` and `wordline app events`: profiles of programs from counters.

use std::path::PathBuf;

use clap::Args;
use wordline_core::quantity::Time;

/// Reads what other tools counted and says what a program asks of its memory: how much it reads and writes, how long its cores
/// wait, how many lines they have under way, how its load varies. The content of a file says whose it is. Several files
/// are runs of the same work. What is missing becomes a range, and what contradicts itself is refused with its line.
#[derive(Args, Debug)]
#[command(
    display_order = 30,
    after_help = "\
Examples:
  wordline app import counters.csv --on rdimm-6400-2rx4-64g@xeon6-1s --output solver.json
  wordline app import pcm-memory.csv toplev.csv --cores 128

Read are perf stat -x and -j, toplev -x, PerfSpect's CSV, likwid-perfctr -O, pcm and pcm-memory -csv."
)]
pub(crate) struct CounterFiles {
    /// Files of counters; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The core, such as granite-rapids or zen4 [default: what the events say]
    #[arg(long, value_name = "NAME")]
    pub(crate) cpu: Option<String>,
    /// The memory that the program ran on
    #[arg(long, value_name = "MODULE@SYSTEM")]
    pub(crate) on: Option<String>,
    /// Cores that ran it [default: by its processor time, or those of --on]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) cores: Option<u32>,
    /// How long it ran, where the files do not say it
    #[arg(long, value_name = "TIME")]
    pub(crate) seconds: Option<Time>,
    /// Name of the program [default: that of the first file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where the profile goes (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// Prints one command or several, each with no more events than its core has counters, so that none shares its counter with
/// others. Counting takes place in intervals, from which a profile has how load varies.
#[derive(Args, Debug)]
#[command(
    display_order = 31,
    after_help = "\
Examples:
  wordline app events --cpu granite-rapids -- ./solver --steps 100
  wordline app events --cpu zen4 --interval 1s
  wordline app events --cpu sapphire-rapids --program-only      without root

Memory controllers count the whole machine, which needs root: let nothing else run."
)]
pub(crate) struct CounterEvents {
    /// The core, such as granite-rapids or zen4
    #[arg(long, value_name = "NAME")]
    pub(crate) cpu: String,
    /// Length of an interval
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    pub(crate) interval: Time,
    /// Count the program alone, without root: lines are then those that cores saw
    #[arg(long)]
    pub(crate) program_only: bool,
    /// The program and its arguments
    #[arg(
        value_name = "PROGRAM",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) program: Vec<String>,
}
