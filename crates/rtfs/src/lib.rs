//! Raw flash for real-time work: logical pages that are overwritten on NAND or NOR, where every call has a bound that is known
//! before the hardware exists.
//!
//! [`PacedLayer`] keeps logical pages in a log. A call that writes pages programs them, and does at most one erase or a
//! fixed number of steps beside; a step moves one page or stores one page of the map. [`PacedConfig::bound`] counts them
//! from the sizes alone, and `DESIGN.md` beside the sources has the proof. Several pages that are written as a group
//! become valid together, also across a power cut, and a write that returned survives one.
//!
//! The crate needs neither the standard library nor an allocator: the caller gives the memory.
//!
//! ```
//! use wordline_memory::{Geometry, RamFlash};
//! use wordline_rtfs::{PacedConfig, PacedLayer};
//!
//! let geometry = Geometry {
//!     page_bytes: 128,
//!     spare_bytes: 16,
//!     pages_per_block: 32,
//!     blocks: 24,
//!     program_bytes: 1,
//!     programs_per_page: Some(1),
//!     once_bytes: None,
//!     in_order: true,
//! };
//! let mut flash = RamFlash::<144, 32, 24>::new(geometry).expect("the sizes fit");
//! let config = PacedConfig { logical_pages: 128, bad_blocks: 1, log_entries: 32 };
//! let columns = core::array::from_fn(|byte| 1 + byte as u32);
//! let mut ram = [0; 1024];
//! let mut layer = PacedLayer::format(&mut flash, columns, config, &mut ram[..])?;
//! layer.write(7, &[0x5A; 128])?;
//!
//! // The power goes; everything that returned is there.
//! drop(layer);
//! let mut layer = PacedLayer::mount(&mut flash, columns, config, &mut ram[..])?;
//! let mut page = [0; 128];
//! assert!(layer.read(7, &mut page)?);
//! assert_eq!(page, [0x5A; 128]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod bound;
mod disk;
mod error;
mod files;
mod header;
mod layer;
mod nor_pages;
mod pages;
mod record;
mod rule;
mod shape;
mod tables;

pub use bound::{ERASE_MILLIONTHS, PacedBound, PacedCounts};
pub use disk::{PacedDisk, PacedDiskError};
pub use error::{PacedError, PacedSetupError, PacedUnsuitable};
pub use files::{
    FILES_VERSION, PacedCall, PacedDirectory, PacedEntry, PacedFile, PacedFiles, PacedFilesBound,
    PacedFilesWork, PacedOpen, PacedRoom, PacedTogether,
};
pub use layer::{PacedLayer, PacedWear, PacedWork};
pub use nor_pages::{NOR_PAGE_BYTES, NorPages};
pub use record::RECORD_BYTES;
#[doc(hidden)]
pub use rule::{PacedRule, PacedRules};
pub use shape::{GROUP_PAGES, PacedConfig, PacedGround, PacedRam};

/// The version of the format on flash.
pub const VERSION: u32 = 1;
