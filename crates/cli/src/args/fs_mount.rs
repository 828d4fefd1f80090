//! The flags of `wordline fs mount`.

use std::path::PathBuf;

use clap::Args;
use wordline_core::{FsKind, Timing};

use super::{Drawn, Layer};

/// Where a file system is shown to programs, and what it lies on.
#[derive(Args, Debug)]
pub(crate) struct Mount {
    /// An empty directory
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// PART@BOARD, or PART on its default board
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: String,
    /// The file system
    #[arg(long, default_value = "littlefs", value_name = "littlefs|fat")]
    pub(crate) fs: FsKind,
    /// What the memory holds: read from the file if there is one, and written to it at the end
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Option<PathBuf>,
    /// Let the kernel keep what was read: for programs that map files for sharing, on kernels before 6.6
    #[arg(long)]
    pub(crate) cached: bool,
    /// Column of the data sheets
    #[arg(long, default_value = "typ", value_name = "typ|max|sampled")]
    pub(crate) timing: Timing,
    /// Set a choice of the file system otherwise than by default, as in wordline fs bench; repeatable
    #[arg(long, value_name = "FS.NAME=VALUE", value_parser = super::dram::setting)]
    pub(crate) set: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) layer: Layer,
    #[command(flatten)]
    pub(crate) drawn: Drawn,
}
