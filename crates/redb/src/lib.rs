//! [redb](https://docs.rs/redb), unmodified, on a memory whose bytes can be overwritten: a [`RedbStore`] is one table of
//! one database, through redb's trait for storage.
//!
//! - Each put and each removal is a transaction of its own, which lasts when the call returns (`Durability::Immediate`,
//!   one sync).
//! - Nothing is random: the same calls write the same bytes.
//! - redb doubles its database when it is full, up to the memory. [`places`] counts what fits in half of the memory.
//! - Its cache has [`CACHE_BYTES`]. What else it takes of RAM is not counted.
//! - After [`RedbError::NoRoom`] redb refuses every call until it is opened again.
//!
//! ```
//! use wordline_memory::RamMemory;
//! ```

mod backend;
mod places;
mod store;

pub use places::{memory_for, places};
pub use store::{RedbError, RedbStore};

/// Bytes of RAM that redb may keep pages in. Half of it takes what a transaction writes.
pub const CACHE_BYTES: usize = 64 * 1024;

/// The most bytes of a key or of a value that redb takes.
pub const FIELD_BYTES_MAX: u64 = 3 << 30;

/// The most bytes of a key and its value together.
pub const RECORD_BYTES_MAX: u64 = (3 << 30) + (768 << 20);

/// Bytes of its pages, which are not a choice.
const PAGE_BYTES: u64 = 4096;
