//! SQLite, unmodified, on any file system of [`wordline_engines`]: on a simulated chip, on a crash image, or on a directory
//! of the host.
//!
//! A [`SqliteVfs`] is a file system as SQLite uses it. What SQLite asked of its files, it [counts](VfsCounts) by what a
//! file is for; what a statement took on the processor, [`StatementWork`] says. A run depends on the
//! [settings](SqliteSettings) and on the calls alone: time and randomness come from there, and nothing reads the host's.
//! [`crash`] has SQLite as the crash harness takes it.
//!
//! ```
//! use wordline_engines::{ByteBlocks, LittleFs, LittleFsOptions, Shared};
//! use wordline_memory::RamMemory;
//! use wordline_sqlite::{SqliteSettings, SqliteVfs};
//!
//! // littlefs in 256 KiB of RAM, in blocks of 1 KiB.
//! let memory = Shared::new(RamMemory::<{ 256 << 10 }>::new());
//! let options = LittleFsOptions::default();
//! LittleFs::format(ByteBlocks::of_bytes(memory.clone(), 1024)?, &options)?;
//! let files = LittleFs::mount(ByteBlocks::of_bytes(memory.clone(), 1024)?, &options)?;
//!
//! let vfs = SqliteVfs::new(Box::new(files), SqliteSettings::default())?;
//! let db = vfs.open("/db")?;
//! db.execute_batch("PRAGMA journal_mode=wal; CREATE TABLE log(at INTEGER, value REAL)")?;
//!
//! let before = vfs.counts();
//! db.execute("INSERT INTO log VALUES(?1, ?2)", (1, 20.5))?;
//! let work = vfs.counts().since(before);
//! assert_eq!((work.wal.writes, work.wal.syncs, work.database.writes), (2, 1, 0));
//!
//! drop(db);
//! let mut files = vfs.into_files()?;
//! assert!(files.entry("/db")?.bytes > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calls;
mod counts;
pub mod crash;
mod error;
mod library;
mod locks;
mod random;
mod script;
mod settings;
mod split;
mod stop;
mod vfs;
mod wal_index;
mod work;
mod world;

pub use counts::{FileCounts, FileKind, VfsCounts};
pub use error::SqliteError;
pub use library::HeapMeter;
pub use rusqlite;
pub use script::{ScriptStatement, statements};
pub use settings::{DeviceTraits, SqliteSettings, VfsFault, WalIndex};
pub use split::SplitFiles;
pub use stop::stoppable;
pub use vfs::SqliteVfs;
pub use work::{ConnectionWork, SqlText, StatementWork, run_to_end};
