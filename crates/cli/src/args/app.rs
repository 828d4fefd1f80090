//! The flags of `wordline app`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_apps::kernels::AppKernel;
use wordline_core::quantity::{ByteCount, DataRate, Fraction};
use wordline_lab::app::kernel::KernelRequest;

#[derive(Debug, Subcommand)]
pub(crate) enum App {
    /// Follow a kernel's accesses through caches, and say what it asks of memory
    ///
    /// Runs a kernel of this program's own, follows every access through the caches of a core, and lets the lines that leave
    /// them meet the simulated memory. Lines under way come from what each address was computed from, and not from how
    /// many misses lie near each other. Each core runs the kernel on data of its own.
    #[command(
        display_order = 30,
        after_help = "\
Examples:
  wordline app kernel pr
  wordline app kernel csr-cg --size 64MiB --profile csr-cg.json
  wordline app kernel bfs --size 1GiB --sample 20
  wordline app kernel --list

Instructions are those of the kernels' loops, with vectors where a compiler makes some. Seconds and stalls have a range,
from --ipc to half of it."
    )]
    Kernel(Box<KernelFlags>),
    /// Say what a program moves to and from storage with less memory, from a memory trace
    ///
    /// Finds how many other pages are touched between two touches of a page, and so what any size of memory would fetch
    /// again and write back. A trace may stand for a larger program, whose pages are touched alike: --footprint scales it.
    #[command(
        display_order = 31,
        after_help = "\
Examples:
  wordline app capacity spark.trace --footprint 3TB --capacity 1.5TB,3TB,6TB --storage 6GB/s
  wordline app capacity small.trace --capacity 16MiB,64MiB --storage 2GB/s --rate 100%
  wordline app capacity spark.trace --footprint 3TB --capacity 1.5TB --storage 6GB/s --add-to svm.json --profile out.json

Reads what wordline dram trace reads. A program's accesses count as they are, without caches."
    )]
    Capacity(Box<CapacityFlags>),
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
