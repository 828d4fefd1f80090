//! The workload of `wordline raw`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WriteSync;
use crate::names::named;
use crate::quantity::Fraction;

/// Reads and writes of several sizes, in order or at random, within a part of the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct RawWorkload {
    /// What the accesses do, each run by itself.
    #[cfg_attr(feature = "cli", arg(long = "operation"))]
    pub operations: Vec<Operation>,
    /// Order of the addresses, each run by itself; random ones are drawn from the seed.
    #[serde(default = "in_order")]
    #[cfg_attr(feature = "cli", arg(long = "pattern"))]
    pub patterns: Vec<Pattern>,
    /// Let NAND chips load the next page while the one before it is moved to the host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cache_read: bool,
    /// Let NAND chips take the next page while the one before it is programmed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cache_program: bool,
    /// Let the planes of a NAND chip work at the same time: pages alternate between them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub multi_plane: bool,
    /// Read through the address space of the processor, in lines of its cache and without a driver, where the board maps
    /// the memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub mapped: bool,
    /// Read also while the chip erases or programs: once waiting for it, once suspending it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub during: Vec<BackgroundWork>,
    /// Longest pause between two reads of --during; each is drawn evenly from 0 to it [default: as long as
    /// the work].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "pause", requires = "during"))]
    pub pause_ps: Option<u64>,
    /// Share of the memory that holds data in order before each run: 0% fresh, 100% full; repeatable and
    /// comma-separated [default: only what is read].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub fill: Vec<Fraction>,
    /// Data moved by the same accesses before anything counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "cli", arg(long = "warm-up"))]
    pub warm_up_bytes: u64,
    /// Time that the host leaves the memory alone between two accesses; repeatable and comma-separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long = "gap", conflicts_with = "during"))]
    pub gaps_ps: Vec<u64>,
    /// Write or read so many equal parts of the range in turn, as with files that grow side by side;
    /// repeatable and comma-separated [default: 1].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "during"))]
    pub streams: Vec<u32>,
    /// Make each write safe from a power cut before it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "during"))]
    pub sync: Option<WriteSync>,
    /// Size of one access; repeatable and comma-separated. Those that fit neither --wrap nor --total are left
    /// out of the default.
    #[cfg_attr(feature = "cli", arg(long = "size"))]
    pub access_bytes: Vec<u64>,
    /// Data moved for each operation and size, in whole accesses.
    #[cfg_attr(feature = "cli", arg(long = "total"))]
    pub total_bytes: u64,
    /// Address at which a run starts over at 0, and below which random accesses lie; by default at most the
    /// smallest part's end.
    #[cfg_attr(feature = "cli", arg(long = "wrap"))]
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
            mapped: false,
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

named! {
    /// The order of addresses.
    pub enum Pattern {
        /// One after the other, starting over at the wrap address.
        Sequential = "sequential",
        /// Drawn from the seed, aligned to the access size, each place as likely as any other.
        Random = "random",
    }
}

named! {
    /// What an access does.
    pub enum Operation {
        /// From the memory to the host.
        Read = "read",
        /// From the host to the memory.
        Write = "write",
    }
}

named! {
    /// What a memory does by itself while the host does something else.
    pub enum BackgroundWork {
        /// It erases one block after the other.
        Erase = "erase",
        /// It programs one page after the other.
        Program = "program",
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Raw(RawWorkload::default())
}

/// `wordline raw`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["raw"],
    about: "Run a raw memory over access sizes",
    examples: "\
Examples:
  wordline raw --target em064lx
  wordline raw --target em064lx@stm32h755-qspi --operation write --format json
  wordline raw --target em064lx@stm32h755-qspi,em064lx@stm32h7s78-xspi --export report.html
  wordline raw --target em064lx --pattern sequential,random --size 256B,4KiB
  wordline raw --target mt25ql128 --operation read --during erase --size 64B,4KiB
  wordline raw --target mt25ql128 --operation read --mapped --pattern sequential,random --size 32B
  wordline raw --target em064lx --timing sampled --seed 7 --age 0.5
  wordline raw --target mt29f1g01 --ftl page --pattern random --fill 0%,100% --size 4KiB \\
    --wrap 64MiB
  wordline raw --target swissbit-g4000-4g --pattern random --size 4KiB --gap 0s,20ms --wrap 64MiB
  wordline raw --target kingston-sdc4-4g --operation write --size 128KiB --wrap 16MiB --streams 3,4
  wordline raw --catalog my-parts --target my-part@my-board --size 512B,4KiB

Sizes take decimal and binary units: 4 KB is 4000 B, 4 KiB is 4096 B.
One letter is a power of 1024, as in fio and dd: 4k is 4 KiB, a rate of 500k is 500 KiB/s.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: <RawWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Raw),
    default: usual,
};
