//! The flags of `wordline app`, but for those of `app project`, which is an experiment.

mod counters;
mod demand;

use clap::Subcommand;

pub(crate) use counters::{CounterEvents, CounterFiles};
pub(crate) use demand::{CapacityFlags, KernelFlags};

#[derive(Debug, Subcommand)]
pub(crate) enum App {
    /// Make a profile of a program from counters: perf stat, toplev, PerfSpect, likwid, pcm
    Import(Box<CounterFiles>),
    /// Print the command that counts what a profile needs
    Events(Box<CounterEvents>),
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

Reads what wordline dram trace reads. What a program accesses passes the usual caches first."
    )]
    Capacity(Box<CapacityFlags>),
}
