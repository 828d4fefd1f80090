//! The workload of `wordline io replay`: the file calls of a recorded program, on file systems on memories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NamedValues;
use super::engine::EngineName;

/// The calls of a file trace, one after the other, on each file system on each memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct IoWorkload {
    /// The trace, which wordline io record wrote, or its text form; - for standard input.
    #[cfg_attr(
        feature = "cli",
        arg(value_name = "TRACE", value_parser = super::options::file_name())
    )]
    pub file: String,
    /// File systems, each run by itself; repeatable and comma-separated.
    #[cfg_attr(feature = "cli", arg(long = "on"))]
    pub file_systems: Vec<EngineName>,
    /// Bytes of each memory, from its first on, that a file system gets, all of a smaller one [default: all].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long = "capacity"))]
    pub capacity_bytes: Option<u64>,
    /// Choices of a file system that are not its defaults, by `FS.NAME`.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub settings: NamedValues<String>,
}

/// What the command runs unless flags say otherwise.
pub(super) fn usual() -> super::Workload {
    super::Workload::Io(IoWorkload::default())
}

/// `wordline io replay`.
#[cfg(feature = "cli")]
pub(super) const COMMAND: super::ExperimentCommand = super::ExperimentCommand {
    path: &["io", "replay"],
    about: "Run the file calls of a recorded program on any memory: time, the slowest call explained, wear, energy",
    examples: "\
Examples:
  wordline io replay examples/sqlite-wal.wft --target mt25ql128,em064lx
  wordline io replay examples/sqlite-wal.wft --target mt29f1g01 --on littlefs,rtfs --timing typ,max
  wordline io replay examples/sqlite-wal.wft --target mt29f1g01 --on fat --ftl log-block \\
    --set fat.tables=1
  wordline io replay examples/git-commit.wft --target mt25ql128 --on littlefs \\
    --set littlefs.cache=1024
  wordline io record --output my.wft -- ./my-program --data {}
  wordline io replay my.wft --target swissbit-g4000-4g --on fat --export my.html

Every call is made in the order of the trace, whichever thread made it, and each waits for the one before. Files that were
there before the recording are made first. What is written has the recorded lengths and places; its bytes are drawn.
docs/guides/file-traces.md explains the figures, and docs/reference/file-traces.md has the format.

Exit code 1: a file system could not do what the trace asks for.",
    target: "PART@BOARD, or PART on its default board; repeatable and comma-separated",
    timing: "typ",
    fixed: crate::Timing::Typ,
    layer: true,
    flags: <IoWorkload as clap::Args>::augment_args,
    read: |matches| clap::FromArgMatches::from_arg_matches(matches).map(super::Workload::Io),
    default: usual,
};
