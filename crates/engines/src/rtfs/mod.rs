//! rtfs, the project's own file system for real-time work (`crates/rtfs`), on raw NAND.
//!
//! What its users should know:
//! - Every call has a bound that is known before the hardware exists: `wordline fs bound`.
//! - What a write returned from survives a power cut; a sync has nothing to do. Up to a few pages of one write become valid
//!   together, and a change of a directory is done or not.
//! - A rename replaces a file, or an empty directory by a directory.
//! - It works around bad blocks, and levels their wear. No block is fixed.
//! - It keeps a share of the blocks to itself, 30 % where nothing else is asked for: the less it keeps, the longer a call may
//!   take.

mod mounted;

pub use mounted::Rtfs;

use wordline_rtfs::GROUP_PAGES;

use crate::{
    Contract, Engine, FileSystem, FileSystemEngine, FsError, FsErrorKind, FsOptions, Needs,
    Promise, option,
};

/// How rtfs is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtfsOptions {
    /// Percent of the pages that files cannot have, 1 to 99.
    pub spare_percent: u32,
    /// Changed places of pages that RAM holds until the map on flash has them; a twentieth of a step for each page where it
    /// is `None`.
    pub log_entries: Option<u32>,
}

impl Default for RtfsOptions {
    /// 30 %, as the real-time translation layer.
    fn default() -> Self {
        Self {
            spare_percent: 30,
            log_entries: None,
        }
    }
}

/// rtfs by name.
pub(crate) struct RtfsEngine;

impl Engine for RtfsEngine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "rtfs"
    }

    fn title(&self) -> &'static str {
        "rtfs"
    }

    /// A mount writes what was written last anew, so that a page which the ECC corrects by chance is not built upon. Three
    /// pages become valid together also where the write makes a short file one of pages.
    fn promise(&self) -> Promise {
        Promise {
            survives_power_cuts: true,
            handles_unstable_pages: true,
            lasting_pages: Some(3),
            together_pages: Some(GROUP_PAGES as u32),
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::SpareFlash
    }

    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        Rtfs::format(memory.spare_flash()?, &chosen(options)?)
    }

    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        let mounted = Rtfs::mount(memory.spare_flash()?, &chosen(options)?)?;
        Ok(Box::new(mounted))
    }
}

impl FileSystemEngine for RtfsEngine {
    fn options(&self) -> &'static [&'static str] {
        &["spare", "log"]
    }

    /// The longer the log of places in RAM, the less often the map on flash is written.
    fn speed_options(&self) -> &'static [(&'static str, &'static [i64])] {
        &[("log", &[256, 1024, 4096])]
    }
}

/// The options by name.
fn chosen(options: &FsOptions) -> Result<RtfsOptions, FsError> {
    let usual = RtfsOptions::default();
    let spare = option("rtfs", options, "spare")?;
    let chosen = RtfsOptions {
        spare_percent: spare.unwrap_or(usual.spare_percent),
        log_entries: option("rtfs", options, "log")?,
    };
    if !(1..=99).contains(&chosen.spare_percent) {
        let found = chosen.spare_percent;
        let why = format_args!("rtfs.spare={found}; allowed: 1 to 99, in percent of the pages");
        return Err(FsError::new(FsErrorKind::Unsuitable, why));
    }
    Ok(chosen)
}
