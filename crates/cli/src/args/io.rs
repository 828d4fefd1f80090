//! The flags of `wordline io record` and `io show`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use wordline_core::quantity::ByteCount;

#[derive(Debug, Subcommand)]
pub(crate) enum Io {
    /// Run a program on a directory whose file calls are recorded, through FUSE
    ///
    /// Shows an empty file system in RAM at a directory, runs the program there, and writes its calls into a trace, each
    /// with its file, place, length and thread. Of what was written the trace has a hash and not the bytes. Times are not
    /// recorded: they are those of the memory on which the trace is played. It needs Linux, /dev/fuse, and a user who may
    /// mount.
    #[command(
        display_order = 30,
        after_help = "\
Examples:
  wordline io record --output log.wft -- sh -c 'echo one > log; echo two >> log; sync log'
  wordline io record --output tool.wft -- ./my-program --data {}
  wordline io record --output db.wft --cached -- python3 my-database.py {}
  wordline io replay log.wft --target mt25ql128

Where an argument has {}, it stands for the directory; otherwise the program runs in it. What the program prints goes to
stderr. The kernel keeps names and lengths, so that the trace has the calls of the program and not those of the kernel.
SQLite's write-ahead log, and whatever else maps files for sharing, wants --cached before Linux 6.6. Then the trace lacks
reads that the kernel's cache answers.

Exit code 1: the program failed; its trace is kept."
    )]
    Record(Box<FileRecording>),
    /// Print a trace as text, which io replay takes as well
    #[command(
        display_order = 31,
        after_help = "\
Examples:
  wordline io show examples/sqlite-wal.wft
  wordline io show examples/sqlite-wal.wft --limit 20"
    )]
    Show(ShowTrace),
}

/// What is recorded, and where to.
#[derive(Args, Debug)]
pub(crate) struct FileRecording {
    /// The trace, which must not be there yet
    #[arg(long, value_name = "TRACE")]
    pub(crate) output: PathBuf,
    /// An empty directory for the program's files [default: one beside the trace, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Room for the program's files
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    pub(crate) size: ByteCount,
    /// Let the kernel keep what was read: for programs that map files for sharing
    #[arg(long)]
    pub(crate) cached: bool,
    /// Write the trace as text
    #[arg(long)]
    pub(crate) text: bool,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

/// A trace, and how much of it.
#[derive(Args, Debug)]
pub(crate) struct ShowTrace {
    /// The trace; - for standard input
    pub(crate) trace: PathBuf,
    /// The most calls that are shown; all are checked
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}
