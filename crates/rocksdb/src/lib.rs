//! [RocksDB](https://rocksdb.org), unmodified, on any [file system](wordline_engines::FileSystem) of Wordline: with the
//! feature `rocksdb`, which needs a C++ compiler and the machine's library. Without it this crate is empty.
//!
//! - A link in C++ makes a call of the file system of every call of RocksDB to its own, with the thread that made it.
//! - RocksDB has its defaults: a write buffer of 64 MiB, Snappy, a log without sync unless a put asks for it.
//! - RocksDB's threads take their turns as the machine has it. Two runs write the same records, and need not make the same
//!   calls: record a run once ([`RecordedFiles`](wordline_engines::RecordedFiles)), and play the trace.
//! - Locks, preallocation and times of files are not calls: one process has the file system, and files have no times.
//! - Under Callgrind a [`CallObserver`] learns which stretch of instructions precedes each call.
#![cfg_attr(not(feature = "rocksdb"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "rocksdb")]
mod host;
#[cfg(feature = "rocksdb")]
mod raw;
#[cfg(feature = "rocksdb")]
mod store;

#[cfg(feature = "rocksdb")]
pub use host::CallObserver;
#[cfg(feature = "rocksdb")]
pub use store::{RocksError, RocksOptions, RocksStore, version};
