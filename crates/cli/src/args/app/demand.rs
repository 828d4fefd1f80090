//! Flags of `wordline app kernel` and `wordline app capacity`: what programs of ours and traces ask of memory.

use std::path::PathBuf;

use clap::Args;
use wordline_apps::kernels::AppKernel;
use wordline_core::quantity::{ByteCount, DataRate, Fraction};
use wordline_lab::app::kernel::{FollowPlan, KernelRequest};

use crate::args::TableExport;
use crate::commands::dram_surface::SurfaceFolder;

/// Reads a number of windows, and answers one that cannot be with those that can, however large it is.
fn sample(text: &str) -> Result<u32, String> {
    let found: Option<u32> = text.trim().parse().ok();
    let found = found.filter(|count| (1..=FollowPlan::ONE_IN_MAX).contains(count));
    found.ok_or_else(|| format!("allowed: 1 to {}", FollowPlan::ONE_IN_MAX))
}

/// A kernel and what it runs on.
#[derive(Args, Debug)]
pub(crate) struct KernelFlags {
    /// The kernel
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) kernel: Option<AppKernel>,
    /// List the kernels
    #[arg(long)]
    pub(crate) list: bool,
    /// Size of each core's data, at most [default: by kernel; --list shows it]
    #[arg(long)]
    pub(crate) size: Option<ByteCount>,
    /// The memory that it runs on
    #[arg(long, value_name = "MODULE@SYSTEM", default_value = KernelRequest::SYSTEM)]
    pub(crate) on: String,
    /// Cores that run it [default: all of the system's]
    #[arg(long, value_name = "N")]
    pub(crate) cores: Option<u32>,
    /// Follow one window of a million instructions out of N
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = sample)]
    pub(crate) sample: u32,
    /// Lines that a prefetcher is ahead of a stream; 0: there is none
    #[arg(long, value_name = "LINES", default_value_t = KernelRequest::PREFETCH_LINES)]
    pub(crate) prefetch: u32,
    /// Instructions that a core retires each cycle while nothing waits
    #[arg(long, value_name = "INSTRUCTIONS", default_value_t = KernelRequest::INSTRUCTIONS_PER_CYCLE)]
    pub(crate) ipc: f64,
    /// Size of the first cache; 0 leaves it out [default: 48 KiB]
    #[arg(long, value_name = "SIZE", value_parser = super::cache_size)]
    pub(crate) l1: Option<ByteCount>,
    /// Size of the second cache; 0 leaves it out [default: 2 MiB]
    #[arg(long, value_name = "SIZE", value_parser = super::cache_size)]
    pub(crate) l2: Option<ByteCount>,
    /// Size of a core's share of the third cache; 0 leaves it out [default: 4 MiB]
    #[arg(long, value_name = "SIZE", value_parser = super::cache_size)]
    pub(crate) l3: Option<ByteCount>,
    /// Seed of the inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) surfaces: SurfaceFolder,
    /// Where the profile goes (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) export: TableExport,
}

/// A trace and memories.
#[derive(Args, Debug)]
pub(crate) struct CapacityFlags {
    /// The trace; - for standard input
    pub(crate) trace: PathBuf,
    /// Its format, where its content does not show it
    #[arg(
        long = "as",
        value_name = "dramsim3|ramulator|ramulator2|csv|ramulator-cpu|lackey|drmemtrace"
    )]
    pub(crate) format: Option<String>,
    /// Capacities of the memory; repeatable and comma-separated
    #[arg(long, value_name = "SIZE", required = true, value_delimiter = ',')]
    pub(crate) capacity: Vec<ByteCount>,
    /// Bytes that the storage reads and writes in a second
    #[arg(long, value_name = "RATE")]
    pub(crate) storage: DataRate,
    /// Bytes of the program that the trace stands for [default: those that it touches]
    #[arg(long, value_name = "SIZE")]
    pub(crate) footprint: Option<ByteCount>,
    /// Bytes of a page
    #[arg(long, value_name = "SIZE", default_value = "4KiB")]
    pub(crate) page: ByteCount,
    /// Share of the pages that are followed; without it 65,536 of them at a time
    #[arg(long, value_name = "SHARE")]
    pub(crate) rate: Option<Fraction>,
    /// Seed that chooses these pages
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// A profile to which the time at a single capacity is added as a phase
    #[arg(long, value_name = "FILE", requires = "output")]
    pub(crate) add_to: Option<PathBuf>,
    /// Where that profile goes (JSON)
    #[arg(long, value_name = "FILE", requires = "add_to")]
    pub(crate) output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) export: TableExport,
}
