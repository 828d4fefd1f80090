//! Why memory of a kind cannot be had.

use std::fmt;
use std::io;

use super::super::topology::TopologyError;

/// What bounds the memory of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBound {
    /// What the machine has available.
    Machine,
    /// The limit of a control group.
    ControlGroup,
    /// What a node has free.
    Node(u32),
    /// What the kernel promises, where `vm.overcommit_memory` is 2.
    Commitment,
}

impl fmt::Display for MemoryBound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => out.write_str("the machine has"),
            Self::ControlGroup => out.write_str("the limit of the control group leaves"),
            Self::Node(node) => write!(out, "node {node} has"),
            Self::Commitment => out.write_str("vm.overcommit_memory=2 leaves"),
        }
    }
}

impl MemoryBound {
    /// What to do beside asking for less.
    const fn way(self) -> &'static str {
        match self {
            Self::Machine => "stop other programs",
            Self::ControlGroup => {
                "raise memory.max (version 1: memory.limit_in_bytes) of the group"
            }
            Self::Node(_) => "choose another node",
            Self::Commitment => "run: sysctl vm.overcommit_memory=0",
        }
    }
}

/// Why an arena cannot be mapped.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// No bytes were asked for.
    #[error("an arena of 0 bytes holds nothing; allowed: 1 byte and more")]
    Empty,
    /// More was asked for than there is.
    #[error(
        "{asked} cannot be mapped: {bound} {free} left, of which {largest} may be used; ask for at most {largest}, or {way}",
        asked = Size(*asked), free = Size(*free), largest = Size(*largest), way = bound.way()
    )]
    BeyondMemory {
        /// Bytes that were asked for.
        asked: u64,
        /// What bounds them.
        bound: MemoryBound,
        /// Bytes that are left of it.
        free: u64,
        /// The most that may be asked for: the rest keeps the machine alive.
        largest: u64,
    },
    /// There is no such node, or this process may not use it.
    #[error(
        "node {node} is not there, or not allowed to this process; nodes with memory: {nodes:?}"
    )]
    NoNode {
        /// The node that was asked for.
        node: u32,
        /// Those that may be used.
        nodes: Vec<u32>,
    },
    /// The kernel does not let this process choose a node.
    #[error(
        "memory of node {node} cannot be chosen ({source}); a container needs CAP_SYS_NICE or a profile that allows mbind(2)"
    )]
    NodeRefused {
        /// The node that was asked for.
        node: u32,
        /// Why not.
        source: io::Error,
    },
    /// Pages of a size cannot be had.
    #[error("no {pages} pages for {asked}: {found}; as root: {way}", asked = Size(*asked))]
    Pages {
        /// Size of a page, in words.
        pages: &'static str,
        /// Bytes that were asked for.
        asked: u64,
        /// What there is.
        found: String,
        /// The command that mends it.
        way: String,
    },
    /// The kernel does not say which pages it gave.
    #[error(
        "{path} does not show the mapping: its pages cannot be told, so nothing is measured with huge pages"
    )]
    Unknown {
        /// The file that would.
        path: &'static str,
    },
    /// The kernel refused.
    #[error("{bytes} cannot be mapped: {source}; limits of the shell: ulimit -v, ulimit -d", bytes = Size(*bytes))]
    Map {
        /// Bytes that were asked for.
        bytes: u64,
        /// Why not.
        source: io::Error,
    },
    /// The machine cannot be described.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

/// Bytes for people: in whole MiB where that says enough.
#[derive(Clone, Copy)]
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        match self.0 {
            bytes if bytes < 16 * MIB => write!(out, "{} KiB", bytes / 1024),
            bytes => write!(out, "{} MiB", bytes / MIB),
        }
    }
}
