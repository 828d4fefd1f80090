//! Storage engines that products use, unmodified, on any memory that meets Wordline's contracts: a simulated chip, a
//! crash image, a file, a driver.
//!
//! A file system is a [`FileSystem`], whatever it is written in. It is formatted and mounted on a handle of a memory
//! ([`Shared`]), so that whoever measures keeps the memory, reads its clock between two calls, and mounts it again.
//! Each engine is a feature: `fat` is FAT (rust-fatfs), `littlefs` is littlefs in C. With the feature `fuse`, on Linux,
//! any program can use one.

#[cfg(feature = "fat")]
mod fat;
mod file_system;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod fuse;
#[cfg(feature = "littlefs")]
mod littlefs;
#[cfg(any(feature = "fat", feature = "littlefs", feature = "fuse"))]
#[cfg_attr(
    not(any(feature = "fat", feature = "littlefs")),
    allow(dead_code, reason = "FUSE alone needs little of it")
)]
mod open_files;
mod rewritten_sectors;
mod sectors;
mod shared;

#[cfg(feature = "fat")]
pub use fat::{Fat, FatOptions};
pub use file_system::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space, check_path,
};
#[cfg(all(feature = "fuse", target_os = "linux"))]
pub use fuse::{FuseError, FuseMount, FuseOptions};
#[cfg(feature = "littlefs")]
pub use littlefs::{
    BlockFault, BlockShape, Blocks, ByteBlocks, FlashBlocks, LittleFs, LittleFsOptions,
};
pub use rewritten_sectors::{RewriteError, RewrittenSectors};
pub use sectors::{Sectors, SectorsError};
pub use shared::Shared;

/// The guide's code runs as it stands there.
#[cfg(all(doctest, feature = "fat"))]
#[doc = include_str!("../../../docs/guides/fat-on-nand.md")]
struct FatOnNand;
