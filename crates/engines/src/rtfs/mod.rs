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

use wordline_memory::Geometry;
use wordline_rtfs::{GROUP_PAGES, PacedConfig, PacedGround};

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

impl RtfsOptions {
    /// The options by name.
    ///
    /// # Errors
    /// When a value is none, or is not allowed.
    pub fn of(options: &FsOptions) -> Result<Self, FsError> {
        let usual = Self::default();
        let spare = option("rtfs", options, "spare")?;
        let chosen = Self {
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

    /// How the layer of rtfs is set up on the first blocks of a part.
    #[must_use]
    pub fn config(&self, ground: &PacedGround, geometry: &Geometry) -> PacedConfig {
        let usual = ground.usual(geometry, self.share());
        PacedConfig {
            log_entries: self.log_entries.unwrap_or(usual.log_entries),
            ..usual
        }
    }

    /// Pages of some that files can have.
    fn share(&self) -> impl Fn(u64) -> u32 + use<> {
        let data = u64::from(100_u32.saturating_sub(self.spare_percent));
        move |pages| (pages * data / 100) as u32
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
        Rtfs::format(memory.spare_flash()?, &RtfsOptions::of(options)?)
    }

    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        let mounted = Rtfs::mount(memory.spare_flash()?, &RtfsOptions::of(options)?)?;
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
