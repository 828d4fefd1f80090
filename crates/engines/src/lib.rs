//! Storage engines that products use, unmodified, on any memory that meets Wordline's contracts: a simulated chip, a
//! crash image, a file, a driver.
//!
//! [`FILE_SYSTEMS`] and [`STORES`] list the engines by name, each with what it promises, needs and offers ([`Engine`]).
//! An open file system is a [`FileSystem`], an open store a [`RecordStore`], whatever they are written in. A memory is
//! shared by handles ([`Shared`]), so that a caller can read its clock between two calls and open it again.
//! [`RecordedFiles`] writes the calls of whoever uses a file system into a trace.
//! FAT (rust-fatfs) is the feature `fat`, littlefs in C the feature `littlefs`, redb the feature `redb`. With the feature `fuse`, on Linux, any
//! program can use a file system.

mod blocks;
mod byte_box;
pub mod crash;
mod engine;
mod ext4;
mod fat;
mod file_system;
mod flat;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod fuse;
mod host_files;
mod keeper;
mod littlefs;
mod open_files;
mod recorded;
mod rewritten_sectors;
mod rtfs;
mod sectors;
mod shared;
mod spare_flash;
mod stores;
mod volatile_files;

pub use blocks::{BlockFault, BlockShape, Blocks, ByteBlocks, FlashBlocks};
pub use byte_box::ByteBox;
pub use engine::{
    Contract, Engine, EngineError, EngineMismatch, EngineOptions, FileSystemEngine, FsOptions,
    Needs, Offer, OptionFile, Promise, StoreEngine, named, names, option, title,
};
pub use ext4::{Ext4, Ext4Options, FileChange, MetadataKind, PatternCase, TrafficPattern};
#[cfg(feature = "fat")]
pub use fat::{Fat, FatOptions};
pub use file_system::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamPart, RamUse, Space, check_path,
};
pub use flat::{Flat, FlatOptions};
#[cfg(all(feature = "fuse", target_os = "linux"))]
pub use fuse::{FuseError, FuseMount, FuseOptions, check_directory, clear_left_behind};
pub use host_files::HostFiles;
pub use keeper::ChangeKeeper;
#[cfg(feature = "littlefs")]
pub use littlefs::{LittleFs, LittleFsOptions};
pub use recorded::{FileRecorder, RecordedFiles};
pub use rewritten_sectors::{RewriteError, RewrittenSectors};
pub use rtfs::{Rtfs, RtfsOptions};
pub use sectors::{SectorBox, Sectors, SectorsError};
pub use shared::Shared;
pub use spare_flash::{FlashBox, FlashFault, SpareFlash};
pub use stores::{RecordStore, StoreError, StoreOptions, StoreWork};
pub use volatile_files::VolatileFiles;

/// All file systems, in the order in which runs and reports have them.
pub static FILE_SYSTEMS: &[&dyn FileSystemEngine] = &[
    &littlefs::LittleFsEngine, // C, for microcontrollers
    &fat::FatEngine,           // in Rust
    &rtfs::RtfsEngine,         // the project's own, on raw flash
    &flat::FlatEngine,         // the project's own, on bytes
    &ext4::Ext4Engine,         // the traffic of Linux's, as recorded
];

/// All stores, in the order in which runs and reports have them.
pub static STORES: &[&dyn StoreEngine] = &[
    &stores::LPHT, // linear probing, as published
    &stores::CLHT, // cache-line buckets, as published
    &stores::OWN,  // the project's own
    &stores::REDB, // a database in Rust
];

/// The guide's code runs as it stands there.
#[cfg(all(doctest, feature = "fat"))]
#[doc = include_str!("../../../docs/guides/fat-on-nand.md")]
struct FatOnNand;
