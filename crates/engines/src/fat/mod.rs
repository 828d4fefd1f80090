//! FAT, through rust-fatfs, unmodified: FAT12, FAT16 and FAT32 with long file names, on any memory of sectors.
//!
//! What its users should know:
//! - A power cut can leave clusters that belong to no file, and half of a change of a directory. What was synced is
//!   there as long as the cut hits no write of a sector that it shares: a sector of the table, or of its directory.
//! - A name is found by its short name too (`LONGNA~1.TXT`), and in capitals or not.
//! - The first change after each mount writes the boot sector: rust-fatfs 0.3.6 marks the volume as in use there (byte
//!   37, or 65 on FAT32), and takes the mark off when it is unmounted. A power cut within these writes can cost the
//!   volume where sectors are rewritten in place. FatFs keeps no such mark.
//! - A rename removes the old name before it writes the new one, replaces nothing, and leaves a renamed directory's
//!   `..` where it was. Where there is no room for the new name, the file is lost.
//! - Its clock stands at the first of January 1980.

#[cfg(feature = "fat")]
mod disk;
#[cfg(feature = "fat")]
mod file;
#[cfg(feature = "fat")]
mod mounted;
#[cfg(feature = "fat")]
mod name;
#[cfg(feature = "fat")]
mod volume;

#[cfg(feature = "fat")]
pub use mounted::{Fat, FatOptions};

#[cfg(feature = "fat")]
use crate::{Contract, FsError, FsOptions, option};
use crate::{Engine, FileSystem, FileSystemEngine, Needs, Promise};

/// FAT by name.
pub(crate) struct FatEngine;

impl Engine for FatEngine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "fat"
    }

    fn title(&self) -> &'static str {
        "FAT (rust-fatfs)"
    }

    fn promise(&self) -> Promise {
        Promise::NONE
    }

    fn needs(&self) -> Needs {
        Needs::Sectors
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "fat")
    }

    #[cfg(feature = "fat")]
    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        let usual = FatOptions::default();
        let options = FatOptions {
            cluster_bytes: option("fat", options, "cluster")?,
            tables: option("fat", options, "tables")?.unwrap_or(usual.tables),
        };
        Fat::format(memory.sectors()?, &options)
    }

    #[cfg(feature = "fat")]
    fn open(&self, memory: Contract, _: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        Ok(Box::new(Fat::mount(memory.sectors()?)?))
    }
}

impl FileSystemEngine for FatEngine {
    fn options(&self) -> &'static [&'static str] {
        &["cluster", "tables"]
    }
}
