//! The flags of `wordline app record` and `app probe`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use wordline_core::quantity::{DataRate, Fraction, Time};

/// What is recorded, and for which system.
#[derive(Args, Debug)]
pub(crate) struct AppRecording {
    /// Where the profile goes (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Write over an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// The memory that the profile is of
    #[arg(
        long,
        value_name = "MODULE@SYSTEM",
        default_value = "rdimm-6400-2rx4-128g@xeon6-1s"
    )]
    pub(crate) on: String,
    /// Follow this many of 64 sets of the caches instead of all: 2, 4, 8 or 16; without a number 4
    #[arg(long, value_name = "SETS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "4", value_parser = ["2", "4", "8", "16"])]
    pub(crate) sampled: Option<String>,
    /// First cache of a core, as SIZE or SIZE:WAYS; :plain behind it places lines by their lowest bits, not by a hash
    /// [default: 48KiB:12]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l1: Option<String>,
    /// Second cache of a core; 0 leaves it out [default: 2MiB:16]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l2: Option<String>,
    /// Last cache, which threads share [default: 4MiB:16 for each of --threads]
    #[arg(long, value_name = "SIZE")]
    pub(crate) l3: Option<String>,
    /// Threads that the program runs on: each brings a core's share of the last cache
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) threads: u64,
    /// Copies of the program that run side by side and share the memory
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) copies: u32,
    /// Time of a line from memory without load [default: that of --on, simulated]
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
    /// Where the profile goes (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Write over an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// The memory of this machine
    #[arg(long, value_name = "MODULE@SYSTEM")]
    pub(crate) on: String,
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
