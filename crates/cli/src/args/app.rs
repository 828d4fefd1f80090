//! The flags of `wordline app record` and `app probe`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_core::quantity::{DataRate, Fraction, Time};

#[derive(Debug, Subcommand)]
pub(crate) enum App {
    /// Run a program in QEMU and make a profile of what it asks of its memory
    ///
    /// QEMU executes every instruction, and its accesses pass the caches of the target system. Windows of the program are
    /// also executed by a model of an out-of-order core, which finds what misses wait for others, and so how many are under
    /// way. The profile has lines read and written, their rate over time, their neighbours, and the share of time that
    /// cores wait. It needs qemu-user (`scripts/need-qemu` installs it) and Linux.
    #[command(
        display_order = 30,
        after_help = "\
Examples:
  wordline app record --output sort.json -- sort -S 100M numbers.txt
  wordline app record --sampled --output solver.json --copies 128 -- ./solver input
  wordline app record --l3 64MiB --output db.json -- sqlite3 data.db 'select count(*) from t'

What the program prints goes to stderr. Programs that it starts run outside QEMU and are not recorded. Threads share the
last cache.

Exit code 1: the program failed; its profile is kept."
    )]
    Record(Box<AppRecording>),
    /// Run a program beside loads of the memory and find the share of its time that is memory
    ///
    /// Needs no counters. Some processors load the memory, at four levels; the program runs on the others. Several times a
    /// second it is stopped for two probes, of the memory's latency and of the core's speed. The program's time is fitted to
    /// both: what follows the latency is memory. The program runs twice at each level, eight times in all.
    #[command(
        display_order = 31,
        after_help = "\
Examples:
  wordline app probe --output solver.json -- ./solver input
  wordline app probe --read 3GB/s --write-share 20% --output solver.json -- ./solver input

What the program prints goes to stderr, and it reads nothing. It should run for some seconds.

Exit code 1: the times do not fit, and the profile says so by its range."
    )]
    Probe(Box<AppProbing>),
}

/// What is recorded, and for which system.
#[derive(Args, Debug)]
pub(crate) struct AppRecording {
    /// The profile, which must not be there yet
    #[arg(long, value_name = "PROFILE")]
    pub(crate) output: PathBuf,
    /// Memory of the profile, as MODULE@SYSTEM
    #[arg(
        long,
        value_name = "TARGET",
        default_value = "rdimm-6400-2rx4-128g@xeon6-1s"
    )]
    pub(crate) baseline: String,
    /// Follow this many of 64 sets of the caches instead of all: 2, 4, 8 or 16; without a number 4
    #[arg(long, value_name = "SETS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "4", value_parser = ["2", "4", "8", "16"])]
    pub(crate) sampled: Option<String>,
    /// First cache of a core, as SIZE or SIZE:WAYS [default: 48KiB:12]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l1: Option<String>,
    /// Second cache of a core; 0 for none [default: 2MiB:16]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l2: Option<String>,
    /// Last cache, which threads share [default: 4MiB:16 for each of --threads]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l3: Option<String>,
    /// Threads that the program runs on: each brings a core's share of the last cache
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) threads: u64,
    /// Copies of the program that the profile has side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) copies: u32,
    /// Time of a line from memory [default: the baseline's without load, simulated]
    #[arg(long, value_name = "TIME")]
    pub(crate) latency: Option<Time>,
    /// Name of the program in results [default: that of its file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Save what was counted as well, in JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) counts: Option<PathBuf>,
    /// QEMU [default: qemu-x86_64, or that of the program's processor]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) qemu: Option<PathBuf>,
    /// The plugin [default: libwordline_apps_qemu.so beside this command, or in ../lib]
    #[arg(long, value_name = "FILE")]
    pub(crate) plugin: Option<PathBuf>,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

/// What is probed.
#[derive(Args, Debug)]
pub(crate) struct AppProbing {
    /// The profile, which must not be there yet
    #[arg(long, value_name = "PROFILE")]
    pub(crate) output: PathBuf,
    /// Memory of this machine, as MODULE@SYSTEM
    #[arg(
        long,
        value_name = "TARGET",
        default_value = "rdimm-6400-2rx4-128g@xeon6-1s"
    )]
    pub(crate) baseline: String,
    /// Cores that load the memory [default: half of them]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) load_cpus: Option<u32>,
    /// Runs at each level
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) runs: u32,
    /// What the program reads from memory, where it is known
    #[arg(long, value_name = "RATE")]
    pub(crate) read: Option<DataRate>,
    /// Share of its lines that are written
    #[arg(long, value_name = "SHARE", requires = "read")]
    pub(crate) write_share: Option<Fraction>,
    /// Name of the program in results [default: that of its file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}
