//! The flags of `wordline fs mount`.

use std::path::PathBuf;

use clap::Args;
use wordline_core::{EngineName, NamedValues, Timing, TranslationLayer};

use super::engines::{ALL_FILE_SYSTEMS, file_system};

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
    #[arg(long, default_value = "littlefs", value_name = ALL_FILE_SYSTEMS[1].as_str(), value_parser = file_system())]
    pub(crate) fs: EngineName,
    /// Keep what the memory holds in this file, with spare areas, bad blocks and wear; FILE.journal guards it meanwhile
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Option<PathBuf>,
    /// Let the kernel keep what was read: for programs that map files for sharing, before Linux 6.6
    #[arg(long)]
    pub(crate) cached: bool,
    /// Column of the data sheets
    #[arg(long, default_value = "typ", value_name = "typ|max|sampled")]
    pub(crate) timing: Timing,
    #[command(flatten)]
    pub(crate) settings: NamedValues<String>,
    #[command(flatten)]
    pub(crate) ftl: Option<TranslationLayer>,
    /// Fraction of rated life already used, 0 to 1
    #[arg(
        long,
        default_value_t = 0.0,
        value_name = "FRACTION",
        allow_negative_numbers = true
    )]
    pub(crate) age: f64,
    /// Seed of everything that is drawn
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
}
