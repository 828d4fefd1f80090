//! What the machine is made of: processors, nodes of memory, caches, limits and huge pages.
//!
//! Linux describes it under `/proc` and `/sys`. Whatever a kernel, a container or a virtual machine leaves out is left out
//! here: no folder of nodes makes one node, no folder of caches makes none.

mod caches;
mod cpuid;
mod cpus;
mod huge_pages;
mod kinds;
mod limits;
mod nodes;
#[cfg(test)]
pub(super) mod tests;

use std::io;
use std::path::{Path, PathBuf};

pub use caches::CacheLevel;
pub use cpus::CpuPlace;
pub use huge_pages::{HugePages, HugePool, TransparentMode};
pub use kinds::CoreKind;
pub(super) use limits::pressure_folder;
pub use limits::{MemoryLimits, free_memory, processor_quota};
pub use nodes::NodeMemory;

use super::system;
use crate::linux_files::LinuxFiles;

/// What the machine is made of, as far as this process may use it.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Processors that this process may run on, by number.
    pub cpus: Vec<CpuPlace>,
    /// Nodes whose memory this process may use, by number; a machine without nodes is one.
    pub nodes: Vec<NodeMemory>,
    /// Caches for data of these processors, from the first level on; empty where the system does not say.
    pub caches: Vec<CacheLevel>,
    /// How much memory can be had.
    pub limits: MemoryLimits,
    /// Which pages larger than the base page can be had.
    pub huge_pages: HugePages,
    /// Kinds of cores, where there are several: performance and efficiency. Empty where all are equal, or nothing says.
    pub core_kinds: Vec<CoreKind>,
}

/// Why the machine cannot be described, or a thread not be bound to a processor.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// The system does not say which processors there are.
    #[error(
        "{path} lists no processor, nor does {status}: is this Linux, with /proc and /sys mounted?",
        path = path.display(), status = status.display()
    )]
    NoCpus {
        /// The list of processors.
        path: PathBuf,
        /// The list of those that this process may use.
        status: PathBuf,
    },
    /// The system does not say how much memory there is.
    #[error("{path} states no MemTotal and MemFree in kB: is this Linux, with /proc mounted?", path = path.display())]
    NoMemory {
        /// Where it would stand.
        path: PathBuf,
    },
    /// This process may not run on a processor.
    #[error(
        "CPU {cpu} is off, not there, or outside the affinity or cpuset of this process; allowed: {allowed:?}"
    )]
    NotAllowed {
        /// The processor.
        cpu: u32,
        /// Those that it may run on.
        allowed: Vec<u32>,
    },
    /// The kernel refused to bind the thread.
    #[error("the thread cannot be bound to CPU {cpu}: {source}")]
    Pin {
        /// The processor.
        cpu: u32,
        /// Why not.
        source: io::Error,
    },
}

impl Topology {
    /// Describes this machine. Call it before a thread is bound: what the first thread may run on counts.
    ///
    /// # Errors
    /// When the system states no processors or no memory.
    pub fn of_this_machine() -> Result<Self, TopologyError> {
        let mut topology = Self::read(&LinuxFiles::of_this_machine())?;
        if topology.caches.is_empty() {
            topology.caches = cpuid::caches(&topology.cpus);
        }
        Ok(topology)
    }

    /// Describes the machine whose `proc` and `sys` lie in a folder.
    ///
    /// # Errors
    /// When the folder states no processors or no memory.
    pub fn below(root: &Path) -> Result<Self, TopologyError> {
        Self::read(&LinuxFiles::below(root))
    }

    fn read(files: &LinuxFiles) -> Result<Self, TopologyError> {
        let allowed = cpus::allowed(files)?;
        Ok(Self {
            nodes: nodes::read(files, &allowed)?,
            caches: caches::read(files, &allowed),
            limits: limits::read(files)?,
            huge_pages: huge_pages::read(files),
            core_kinds: kinds::read(files, &allowed),
            cpus: cpus::read(files, &allowed),
        })
    }

    /// Bytes of one cache of the last level: the largest, where they differ. `None` where the system does not say.
    #[must_use]
    pub fn last_level_bytes(&self) -> Option<u64> {
        self.last_level().map(|cache| cache.bytes).max()
    }

    /// Bytes of all caches of the last level together: what threads on every core can hold. `None` where the system does
    /// not say.
    #[must_use]
    pub fn all_last_level_bytes(&self) -> Option<u64> {
        let sum = |sum: u64, cache: &CacheLevel| sum.saturating_add(cache.bytes);
        Some(self.last_level().fold(0, sum)).filter(|bytes| *bytes > 0)
    }

    /// Bytes from which an array is surely memory: four times what the last caches of so many threads hold. `None` where the
    /// system does not say.
    #[must_use]
    pub fn beyond_caches_bytes(&self, threads: u32) -> Option<u64> {
        let all = self.all_last_level_bytes()?;
        let one = self.last_level_bytes()?;
        let held = one.saturating_mul(u64::from(threads.max(1))).min(all);
        Some(held.saturating_mul(4))
    }

    /// The kind of a processor's core, where there are several.
    #[must_use]
    pub fn kind_of(&self, cpu: u32) -> Option<&CoreKind> {
        self.core_kinds.iter().find(|kind| kind.cpus.contains(&cpu))
    }

    fn last_level(&self) -> impl Iterator<Item = &CacheLevel> {
        let last = self.caches.iter().map(|cache| cache.level).max();
        let caches = self.caches.iter();
        caches.filter(move |cache| Some(cache.level) == last)
    }

    /// Bytes that a measurement may map: what the machine and the tightest control group have left, less a sixteenth, or
    /// 64 MiB where that is more, for everybody else. A small machine keeps a quarter.
    #[must_use]
    pub fn usable_bytes(&self) -> u64 {
        let free = self.limits.free_bytes();
        free - headroom(free)
    }

    /// One processor of each core, by number: the first of its siblings that may be used. Threads that are bound to these
    /// share no core.
    #[must_use]
    pub fn one_cpu_a_core(&self) -> Vec<u32> {
        let mut cores = std::collections::BTreeMap::new();
        for place in &self.cpus {
            let first = cores.entry(place.core).or_insert(*place);
            if place.smt < first.smt {
                *first = *place;
            }
        }
        let mut cpus: Vec<u32> = cores.values().map(|place| place.cpu).collect();
        cpus.sort_unstable();
        cpus
    }

    /// The node of a number.
    #[must_use]
    pub fn node(&self, node: u32) -> Option<&NodeMemory> {
        self.nodes.iter().find(|one| one.node == node)
    }
}

/// What others keep of free bytes.
pub(super) const fn headroom(free: u64) -> u64 {
    let (small, share) = (free / 4, free / 16);
    let fixed = if small < 64 << 20 { small } else { 64 << 20 };
    if share > fixed { share } else { fixed }
}

/// Binds the calling thread to a processor.
///
/// # Errors
/// When it is off, not there, or outside what this process may use.
pub fn pin_to(cpu: u32) -> Result<(), TopologyError> {
    pin_to_any(&[cpu])
}

/// Binds the calling thread, and the processes that it starts, to some processors.
///
/// # Errors
/// When none of them is there, or none within what this process may use.
pub fn pin_to_any(cpus: &[u32]) -> Result<(), TopologyError> {
    let cpu = cpus.first().copied().unwrap_or_default();
    match system::set_affinity(cpus) {
        Ok(()) => Ok(()),
        // EINVAL: none of the processors asked for is there and allowed.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let files = LinuxFiles::of_this_machine();
            Err(TopologyError::NotAllowed {
                cpu,
                allowed: cpus::allowed(&files).unwrap_or_default(),
            })
        }
        Err(source) => Err(TopologyError::Pin { cpu, source }),
    }
}
