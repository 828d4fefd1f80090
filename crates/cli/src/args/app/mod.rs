//! The flags of `wordline app`, but for those of `app project`, which is an experiment.

mod counters;
mod demand;
mod programs;

use clap::Subcommand;
use wordline_core::quantity::{ByteCount, QuantityError};

pub(crate) use counters::{CounterEvents, CounterFiles};
pub(crate) use demand::{CapacityFlags, KernelFlags};
pub(crate) use programs::{AppProbing, AppRecording};

/// Reads the size of a cache; 0 needs no unit.
pub(crate) fn cache_size(text: &str) -> Result<ByteCount, QuantityError> {
    match text.trim() {
        "0" => Ok(ByteCount::from_bytes(0)),
        text => text.parse(),
    }
}

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
  wordline app kernel csr-cg --size 64MiB --output csr-cg.json
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
  wordline app capacity spark.trace --footprint 3TB --capacity 1.5TB --storage 6GB/s \\
    --add-to svm.json --output out.json

Reads what wordline dram trace reads. A program's accesses count as they are, without caches."
    )]
    Capacity(Box<CapacityFlags>),
    /// Run a program in QEMU and make a profile of what it asks of its memory
    ///
    /// QEMU executes every instruction, and its accesses pass the caches of the target system. Windows of the program are
    /// also executed by a model of an out-of-order core, which finds what misses wait for others, and so how many are under
    /// way. The profile has lines read and written, their rate over time, their neighbours, and the share of time that
    /// cores wait. It needs qemu-user (`scripts/need-qemu` installs it) and Linux.
    #[command(
        display_order = 28,
        after_help = "\
Examples:
  wordline app record --output sort.json -- sort -S 100M numbers.txt
  wordline app record --sampled --output solver.json --copies 128 -- ./solver input
  wordline app record --l3 64MiB --output db.json -- sqlite3 data.db 'select count(*) from t'

What the program prints goes to stderr. Programs that it starts run outside QEMU and are not
recorded. Threads share the last cache.

Exit code 1: the program failed; its profile is kept."
    )]
    Record(Box<AppRecording>),
    /// Run a program beside loads of the memory and find the share of its time that is memory
    ///
    /// Needs no counters. Some processors load the memory, at four levels; the program runs on the others. Several times a
    /// second it is stopped for two probes, of the memory's latency and of the core's speed. The program's time is fitted to
    /// both: what follows the latency is memory. The program runs twice at each level, eight times in all.
    #[command(
        display_order = 29,
        after_help = "\
Examples:
  wordline app probe --on udimm-5600-2rx8-32g@desktop-2ch --output solver.json -- ./solver input
  wordline app probe --on udimm-5600-2rx8-32g@desktop-2ch --read 3GB/s --write-share 20% \\
    --output a.json -- ./a

What the program prints goes to stderr, and it reads nothing. It should run for some seconds.

Exit code 1: the times do not fit, and the profile says so by its range."
    )]
    Probe(Box<AppProbing>),
}
