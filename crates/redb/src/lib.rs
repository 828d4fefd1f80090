//! [redb](https://docs.rs/redb), unmodified, on a memory whose bytes can be overwritten: a [`RedbStore`] is one table of
//! one database, through redb's trait for storage.
//!
//! - Each put and each removal is a transaction of its own, which lasts when the call returns (`Durability::Immediate`,
//!   one sync).
//! - Nothing is random: the same calls write the same bytes.
//! - redb doubles its database when it is full. Where the memory has no room for that, up to half of it stays unused.
//! - Its cache has [`CACHE_BYTES`]. What else it takes of RAM is not counted.
//! - After [`RedbError::NoRoom`] redb refuses every call until it is opened again.
//!
//! ```
//! use wordline_memory::RamMemory;
//! use wordline_redb::RedbStore;
//!
//! let mut store = RedbStore::create(RamMemory::<{ 128 << 10 }>::new())?;
//! store.put(b"key", b"value")?;
//! assert_eq!(store.get(b"key", <[u8]>::len)?, Some(5));
//! # Ok::<(), wordline_redb::RedbError>(())
//! ```

mod backend;
mod store;

pub use store::{RedbError, RedbStore};

/// Bytes of RAM that redb may keep pages in. Half of it takes what a transaction writes.
pub const CACHE_BYTES: usize = 64 * 1024;

/// Bytes of its pages, which are not a choice.
const PAGE_BYTES: u64 = 4096;
