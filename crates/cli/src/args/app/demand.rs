//! Flags of `wordline app kernel` and `wordline app capacity`: what programs of ours and traces ask of memory.

use std::path::PathBuf;

use clap::Args;
use wordline_apps::kernels::AppKernel;
use wordline_core::quantity::{ByteCount, DataRate, Fraction};
use wordline_lab::app::kernel::KernelRequest;

/// A kernel and what it runs on.
#[derive(Args, Debug)]
pub(crate) struct KernelFlags {
    /// The kernel
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) kernel: Option<AppKernel>,
    /// List the kernels
    #[arg(long)]
    pub(crate) list: bool,
    /// Most bytes of the data of a core [default: by kernel; --list shows it]
    #[arg(long)]
    pub(crate) size: Option<ByteCount>,
    /// The memory, as MODULE@SYSTEM
    #[arg(long, value_name = "MODULE@SYSTEM", default_value = KernelRequest::SYSTEM)]
    pub(crate) system: String,
    /// Cores that run it [default: all of the system's]
    #[arg(long, value_name = "N")]
    pub(crate) cores: Option<u32>,
    /// Follow one window of a million instructions in so many, with warm caches
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) sample: u32,
    /// Lines that a prefetcher is ahead of a stream; 0: there is none
    #[arg(long, value_name = "LINES", default_value_t = KernelRequest::PREFETCH_LINES)]
    pub(crate) prefetch: u32,
    /// Instructions that a core ends each cycle while nothing waits
    #[arg(long, value_name = "INSTRUCTIONS", default_value_t = KernelRequest::INSTRUCTIONS_PER_CYCLE)]
    pub(crate) ipc: f64,
    /// Size of the first cache; 0B leaves it out [default: 48 KiB]
    #[arg(long)]
    pub(crate) l1: Option<ByteCount>,
    /// Size of the second cache; 0B leaves it out [default: 2 MiB]
    #[arg(long)]
    pub(crate) l2: Option<ByteCount>,
    /// Size of a core's share of the third cache; 0B leaves it out [default: 4 MiB]
    #[arg(long)]
    pub(crate) l3: Option<ByteCount>,
    /// Seed of the inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write the profile (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
}

/// A trace and memories.
#[derive(Args, Debug)]
pub(crate) struct CapacityFlags {
    /// The trace; - for standard input
    pub(crate) trace: PathBuf,
    /// Its format, where its content does not show it
    #[arg(
        long = "as",
        value_name = "dramsim3|ramulator|ramulator2|csv|ramulator-cpu|lackey"
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
    #[arg(long, value_name = "FILE", requires = "profile")]
    pub(crate) add_to: Option<PathBuf>,
    /// Write that profile (JSON)
    #[arg(long, value_name = "FILE", requires = "add_to")]
    pub(crate) profile: Option<PathBuf>,
}
