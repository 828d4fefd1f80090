//! What all drivers of memory have in common: their errors, and a thread that measures while the caller's watches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::arena::ArenaError;
use super::chain::ChainError;
use super::kernels::KernelError;
use super::ledger::LedgerReading;
use super::timer::TimerError;
use super::topology::{Topology, TopologyError};

/// How often the caller is asked whether to stop: so seldom that it takes nothing from what is measured.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Why memory was not measured.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The machine could not be read, or a thread not pinned.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The clock cannot time anything.
    #[error(transparent)]
    Timer(#[from] TimerError),
    /// There is no such memory.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The processor has no such instructions.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// There is no such chain.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The test needs more processors, each on a core of its own, than this process may use.
    #[error(
        "{test} needs {needed} processors, each on a core of its own, and this process may run on {found} (taskset and cpusets \
         limit it)"
    )]
    FewCpus {
        /// The test.
        test: &'static str,
        /// Processors that it needs.
        needed: u32,
        /// Processors that there are.
        found: u32,
    },
    /// More cores for a part of the test than there are, or none.
    #[error("{what} {asked}: {test} may have 1 to {most} here, of {found} cores")]
    Cores {
        /// What was asked for, as a flag.
        what: &'static str,
        /// The test.
        test: &'static str,
        /// Cores that were asked for.
        asked: u32,
        /// The most.
        most: u32,
        /// Cores that there are.
        found: u32,
    },
    /// More threads than processors: they would measure each other.
    #[error(
        "{asked} threads: this process may run on {most} processors, and each thread needs its own (1..={most})"
    )]
    Threads {
        /// Threads that were asked for.
        asked: u32,
        /// Processors that there are.
        most: u32,
    },
    /// A working set that no chain fits.
    #[error("a working set of {bytes} bytes: give a multiple of {page_bytes} from {page_bytes} on")]
    Size {
        /// Bytes that were asked for.
        bytes: u64,
        /// Bytes of the smallest page.
        page_bytes: u64,
    },
    /// Too little memory for every thread and stream.
    #[error(
        "{bytes} bytes for {threads} threads of {streams} streams: each needs {least} bytes; give more, or fewer threads"
    )]
    Small {
        /// Bytes that were asked for.
        bytes: u64,
        /// Threads.
        threads: u32,
        /// Streams of each.
        streams: u32,
        /// The least that a stream needs.
        least: u64,
    },
    /// All threads together ask for more than there is.
    #[error(
        "{threads} threads ask for {asked} bytes together, and {most} may be used; ask for less, or for fewer threads"
    )]
    BeyondMemory {
        /// Threads.
        threads: usize,
        /// Bytes of all of them.
        asked: u64,
        /// Bytes that may be used.
        most: u64,
    },
    /// A processor that this process may not run on, or none such.
    #[error(
        "this process may not run on CPU {cpu}; it may on {all} (taskset and cpusets limit it)"
    )]
    Cpu {
        /// The processor that was asked for.
        cpu: u32,
        /// Those that there are.
        all: String,
    },
    /// A node without processors that this process may use, or none such.
    #[error("there is no NUMA node {node} with memory; there are {all}")]
    Node {
        /// The node that was asked for.
        node: u32,
        /// Those that there are.
        all: String,
    },
}

impl DriverError {
    /// Where the fault is: a setting of the test, or the test; none where it is the machine.
    #[must_use]
    pub const fn place(&self) -> Option<&'static str> {
        match self {
            Self::FewCpus { test, .. } => Some(test),
            Self::Cores { what, .. } => Some(what),
            Self::Threads { .. } => Some("threads"),
            Self::Size { .. } | Self::Small { .. } | Self::BeyondMemory { .. } => Some("size"),
            Self::Cpu { .. } => Some("cpu"),
            Self::Node { .. } => Some("node"),
            Self::Topology(_)
            | Self::Timer(_)
            | Self::Arena(_)
            | Self::Kernel(_)
            | Self::Chain(_) => None,
        }
    }
}

/// Set when the caller wants the run to stop.
pub type SharedStop = AtomicBool;

/// Runs `work` on a thread of its own, so that the caller's is never pinned. What it reports reaches `watch` on the caller's
/// thread, and what `stop` says reaches the work.
pub(super) fn beside<T: Send, E: Send>(
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(E),
    work: impl FnOnce(&SharedStop, &dyn Fn(E)) -> T + Send,
) -> T {
    let flag = AtomicBool::new(stop());
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let flag = &flag;
        let worker = scope.spawn(move || {
            // A receiver that is gone has a caller that panicked.
            work(flag, &|event| drop(sender.send(event)))
        });
        loop {
            match receiver.recv_timeout(ASK_EVERY) {
                Ok(event) => watch(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if stop() {
                flag.store(true, Ordering::Relaxed);
            }
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// One reading of those of several threads, of which processor time is the mean, as the estimator takes it.
pub(super) fn joined(readings: &[LedgerReading]) -> LedgerReading {
    let all = LedgerReading::joined(readings);
    LedgerReading {
        processor_s: all.processor_s / readings.len().max(1) as f64,
        ..all
    }
}

/// Checks that so many arenas of a size fit. Each arena alone looks at what is free before others are filled.
pub(super) fn fits_memory(
    topology: &Topology,
    each: u64,
    threads: usize,
) -> Result<(), DriverError> {
    let (asked, most) = (each.saturating_mul(threads as u64), topology.usable_bytes());
    match asked > most {
        true => Err(DriverError::BeyondMemory {
            threads,
            asked,
            most,
        }),
        false => Ok(()),
    }
}

/// Checks that this process may run on a processor.
pub(super) fn has_cpu(topology: &Topology, cpu: u32) -> Result<(), DriverError> {
    if topology.cpus.iter().any(|place| place.cpu == cpu) {
        return Ok(());
    }
    let all: Vec<String> = topology
        .cpus
        .iter()
        .map(|place| place.cpu.to_string())
        .collect();
    let all = all.join(", ");
    Err(DriverError::Cpu { cpu, all })
}

/// Checks that a node has memory.
pub(super) fn has_memory(topology: &Topology, node: u32) -> Result<(), DriverError> {
    if topology.nodes.iter().any(|one| one.node == node) {
        return Ok(());
    }
    let all: Vec<String> = topology
        .nodes
        .iter()
        .map(|one| one.node.to_string())
        .collect();
    let all = all.join(", ");
    Err(DriverError::Node { node, all })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn processor_time_of_a_set_is_the_mean() {
        let reading = |processor_s| LedgerReading {
            elapsed_s: 2.0,
            processor_s,
            ..LedgerReading::default()
        };
        let all = joined(&[reading(2.0), reading(1.0)]);
        assert_eq!((all.elapsed_s, all.processor_s), (2.0, 1.5));
    }

    #[test]
    fn work_reports_to_the_caller_and_hears_when_to_stop() {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let mut seen = Vec::new();
        let result = beside(&stop, &mut |event: u32| seen.push(event), |stop, report| {
            report(7);
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            report(8);
            9
        });
        assert_eq!((seen, result), (vec![7, 8], 9));
    }
}
