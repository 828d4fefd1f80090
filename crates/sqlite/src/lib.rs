//! SQLite on any file system of Wordline.

mod calls;
mod counts;
pub mod crash;
mod error;
mod library;
mod locks;
mod random;
mod settings;
mod vfs;
mod wal_index;
mod work;
mod world;

pub use counts::{FileCounts, FileKind, VfsCounts};
pub use error::SqliteError;
pub use library::HeapMeter;
pub use rusqlite;
pub use settings::{DeviceTraits, SqliteSettings, VfsFault, WalIndex};
pub use vfs::SqliteVfs;
pub use work::{ConnectionWork, StatementWork};
