//! The workload of `wordline fs bench`: file systems on memories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NamedValues;
use super::engine::EngineName;
use crate::names::named;
use crate::quantity::{Fraction, Quantity as _};

/// Calls of file systems, each file system on each memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FsWorkload {
    /// File systems, each run by itself; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "fs"))]
    pub file_systems: Vec<EngineName>,
    /// What is done, each on a memory that was formatted and filled for it; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "workload"))]
    pub tests: Vec<FsTest>,
    /// Bytes of each memory, from its first on, that a file system gets, all of a smaller one [default: of
    /// each memory 4MiB, 64 blocks of a NAND or 16KiB for each small file, whichever is most; the mount and
    /// the RAM are then reported for all of it as well].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "capacity"))]
    pub capacity_bytes: Option<u64>,
    /// Length of the file that is written and read; by default at most an eighth of a small memory.
    #[cfg_attr(feature = "cli", arg(long = "file"))]
    pub file_bytes: u64,
    /// Bytes of a call that writes or reads it; by default at most the file.
    #[cfg_attr(feature = "cli", arg(long = "access"))]
    pub access_bytes: u64,
    /// Bytes that are appended and synced at a time; by default at most the file.
    #[cfg_attr(feature = "cli", arg(long = "record"))]
    pub record_bytes: u64,
    /// Small files; by default 750 where small-files is all that is run, as users of littlefs report.
    #[cfg_attr(feature = "cli", arg(long))]
    pub files: u64,
    /// Bytes of a small file, and of what is appended to it.
    #[cfg_attr(feature = "cli", arg(long = "small"))]
    pub small_bytes: u64,
    /// Share of the file system's room that holds other files before a run; repeatable and comma-separated.
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub fill: Vec<Fraction>,
    /// Input rate whose RAM is answered for the calls that write; repeatable and comma-separated.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "rate"))]
    pub rates_bytes_per_s: Vec<f64>,
    /// Images of interrupted runs that are sampled for the verdict on power cuts, some of whose mounts are
    /// cut again; 0 for no verdict.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long = "crash"))]
    pub crash_images: u64,
    /// Choices of a file system that are not its defaults, by `FS.NAME`.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub settings: NamedValues<String>,
}

impl Default for FsWorkload {
    /// Small enough that every file system runs on several memories within seconds. It names no file system: the
    /// laboratory's own default names those that it has.
    fn default() -> Self {
        Self {
            file_systems: Vec::new(),
            tests: FsTest::ALL.to_vec(),
            capacity_bytes: None,
            file_bytes: 64 << 10,
            access_bytes: 2048,
            record_bytes: 256,
            files: 40,
            small_bytes: 50,
            fill: vec![Fraction::from_si(0.0), Fraction::from_si(0.5)],
            rates_bytes_per_s: vec![10e3],
            crash_images: 200,
            settings: NamedValues::new(),
        }
    }
}

impl FsWorkload {
    /// Small files as users of littlefs describe them who report stalls: some 750, most of 50 B
    /// (<https://github.com/littlefs-project/littlefs/issues/1079>).
    pub const REPORTED_FILES: u64 = 750;
}

named! {
    /// What is done with a file system.
    pub enum FsTest {
        /// A file is written from its start to its end, and read.
        Sequential = "sequential",
        /// A file that is there is written again from its start to its end.
        Overwrite = "overwrite",
        /// A file that is there is written at random places, each write synced: a table that is updated in place.
        OverwriteSync = "overwrite-sync",
        /// A file that is there is written and read at random places.
        Random = "random",
        /// Records are appended to a file, each synced: a log.
        Append = "append",
        /// Small files are created, looked up, appended to, renamed and deleted.
        SmallFiles = "small-files",
    }
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Fs(FsWorkload::default())
}

/// `wordline fs bench`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["fs", "bench"],
    about: "Run file systems on memories: throughput, latency with the worst case explained, wear, RAM, energy, power cuts",
    examples: "\
Examples:
  wordline fs bench --fs littlefs,fat --target mt25ql128,mt29f1g01,em064lx
  wordline fs bench --fs littlefs --target mt25ql128 --workload append --record 512B --rate 50KB/s
  wordline fs bench --fs littlefs --target mt25ql128 --workload small-files
  wordline fs bench --fs fat --target swissbit-g4000-4g --fill 0%,90% --export fat.html
  wordline fs bench --fs littlefs --target em064lx --crash 2000 --require littlefs
  wordline fs bench --target mt25ql128 --set littlefs.cache=1024 --set littlefs.lookahead=128
  wordline fs bench --fs littlefs,rtfs --target mt29f1g01 --workload append,overwrite-sync \\
    --access 4KiB --timing typ,max

What a file system gets: littlefs the flash itself, in its erase blocks, or the bytes of a memory that can be
overwritten. FAT the sectors of a card or of such a memory; of NOR, erase blocks that are rewritten in place; of NAND,
the sectors of a translation layer (--ftl). rtfs raw flash, of which it keeps 30 % to itself (--set rtfs.spare=30); where
--fs is left out it runs where a target has some. docs/guides/file-systems.md explains the figures.

Exit code 1: a run failed, or one that --require names did not survive every power cut of the sample. Otherwise the
verdict is a figure like others.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: <FsWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Fs),
    default: usual,
};
