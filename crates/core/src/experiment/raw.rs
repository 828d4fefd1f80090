//! The workload of `wordline raw`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WriteSync;
use crate::quantity::Fraction;

/// Reads and writes of several sizes, in order or at random, within a part of the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawWorkload {
    /// Operations, each run by itself.
    pub operations: Vec<Operation>,
    /// Orders of the addresses, each run by itself.
    #[serde(default = "in_order")]
    pub patterns: Vec<Pattern>,
    /// Whether NAND chips load the next page while the one before it is moved to the host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_read: bool,
    /// Whether NAND chips take the next page while the one before it is programmed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_program: bool,
    /// Whether the planes of a NAND chip work at the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi_plane: bool,
    /// Work of the memory during which reads come, each run by itself and beside the runs on an idle
    /// memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<BackgroundWork>,
    /// Longest pause between two such reads in picoseconds; each is drawn evenly from 0 to it. Without
    /// it, it is what a piece of the work takes, so that reads come at any moment of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ps: Option<u64>,
    /// Shares of the memory that hold data in order before a run, each run by itself; nothing but what
    /// reads find, where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub fill: Vec<Fraction>,
    /// Bytes of the same accesses that are run before anything counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warm_up_bytes: u64,
    /// Times in picoseconds that the host leaves the memory alone between two accesses, each run by
    /// itself; none, where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps_ps: Vec<u64>,
    /// Equal parts of the range below the wrap address that accesses go to in turn, in each of them in the order
    /// of the pattern, as those of so many files do; each run by itself; one, where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<u32>,
    /// How each write is made safe before it ends; not at all, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<WriteSync>,
    /// Sizes of one access in bytes, each run by itself.
    pub access_bytes: Vec<u64>,
    /// Bytes that one run moves. A run moves whole accesses: as many as fit.
    pub total_bytes: u64,
    /// Address in bytes at which a run starts over at 0, and below which random accesses lie. An
    /// access that would cross it starts over instead.
    pub wrap_bytes: u64,
}

impl Default for RawWorkload {
    /// The benchmark of `mram-vs-flash-benchmark`: 2 to 64 KiB, 64 MiB each, wrapping at 8 MiB.
    fn default() -> Self {
        Self {
            operations: vec![Operation::Read, Operation::Write],
            patterns: in_order(),
            cache_read: false,
            cache_program: false,
            multi_plane: false,
            during: Vec::new(),
            pause_ps: None,
            fill: Vec::new(),
            warm_up_bytes: 0,
            gaps_ps: Vec::new(),
            streams: Vec::new(),
            sync: None,
            access_bytes: (1..=6).map(|power| 1024 << power).collect(),
            total_bytes: 64 << 20,
            wrap_bytes: 8 << 20,
        }
    }
}

/// For settings that stand in a document only where they differ from nothing.
pub(super) const fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn in_order() -> Vec<Pattern> {
    vec![Pattern::Sequential]
}

/// The order of addresses.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// One after the other, starting over at the wrap address.
    Sequential,
    /// Drawn from the seed, aligned to the access size, each place as likely as any other.
    Random,
}

impl Pattern {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        }
    }
}

/// What an access does.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// From the memory to the host.
    Read,
    /// From the host to the memory.
    Write,
}

impl Operation {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What a memory does by itself while the host does something else.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BackgroundWork {
    /// It erases one block after the other.
    Erase,
    /// It programs one page after the other.
    Program,
}

impl BackgroundWork {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Erase => "erase",
            Self::Program => "program",
        }
    }
}
