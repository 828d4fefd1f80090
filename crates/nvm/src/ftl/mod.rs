//! A flash translation layer: sectors that can be overwritten, on flash that cannot.
//!
//! [`Translation`] decides where logical pages go, what is cleaned and when; it knows numbers of pages and
//! blocks alone. What carries the bytes, and takes the time, is a [`Media`]: a NAND behind the contract
//! [`Flash`](wordline_memory::Flash), whose pages hold bytes and records that a mount finds again, or the
//! array inside a card, of which only the time counts. `FTL.md` beside the crate's design
//! says how both work, and gives the format on flash.

mod barrier;
mod block_device;
mod buckets;
mod clean;
mod config;
#[cfg(test)]
mod config_tests;
#[cfg(test)]
mod fixture;
mod flash_media;
mod health;
#[cfg(test)]
mod layer_tests;
mod level;
mod log_block;
mod mark;
#[cfg(test)]
mod mechanism_tests;
mod media;
mod record;
mod restore;
#[cfg(test)]
mod restore_tests;
mod scan;
mod slc;
mod space;
mod store;
mod survey;
mod table;
mod translation;
mod work;

pub use barrier::{Barrier, Barriers};
pub use block_device::{Ftl, MountError, SectorError};
pub use config::{Cleaning, FtlConfig, FtlConfigError, Leveling, Mapping, NextBlock, Slc, Victim};
pub use flash_media::{FlashMedia, MediaError};
pub use health::{LayerHealth, ReadOnlyReason};
pub use media::{CellMode, LayerPurpose, Media, MediaFault, PageKind, PageRecord, Shape};
pub use record::{LayoutError, SpareLayout};
pub use scan::{ScanResult, ScannedBlock};
pub use translation::{FtlError, LayerWear, Translation};
pub use work::LayerWork;
