//! Storage engines that products use, unmodified, on any memory that meets Wordline's contracts: a simulated chip, a
//! crash image, a file, a driver.
//!
//! A file system is a [`FileSystem`], whatever it is written in. It is formatted and mounted on a handle of a memory
//! ([`Shared`]), so that whoever measures keeps the memory, reads its clock between two calls, and mounts it again.
//! Each engine is a feature: `fat` is FAT (rust-fatfs), `littlefs` is littlefs in C.

mod file_system;
mod shared;

pub use file_system::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space, check_path,
};
pub use shared::Shared;
