//! Hash tables that live in byte-addressable memory: MRAM and FRAM beside a microcontroller, a mapped file, DRAM.
//!
//! [`Table`] is the one to use: put and remove are atomic, last when they return, and are committed by one word that
//! the memory leaves whole; every record carries two checks; a table opens after a power cut with one pass over its
//! slots; and no operation moves a record other than its own, so that each is bounded. `SPEC.md` beside the sources has
//! the written format, `DESIGN.md` says why it is so, and `docs/concepts/kv.md` says what each operation costs.
//!
//! [`fixtures`] are the two tables of a published paper, which do not survive a power cut: what a crash check must
//! catch.
//!
//! The crate needs neither the standard library nor an allocator. A memory is whatever meets
//! [`ByteMemory`](wordline_memory::ByteMemory); a mapped file does in `wordline-host`.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod any_directory;
mod barrier;
mod checksum;
mod directory;
mod error;
mod few;
pub mod fixtures;
mod hash;
mod layout;
#[cfg(test)]
mod power_cuts;
mod proof;
mod short_form;
mod slot;
mod table;

pub use any_directory::AnyDirectory;
pub use directory::{Directory, Lanes, RamDirectory, ResidentDirectory};
pub use error::Error;
pub use layout::{
    Geometry, KEY_BYTES_MAX, Options, SLOTS_PER_BUCKET, VALUE_BYTES_MAX, VERSION, format,
};
pub use table::{Cursor, Entry, Put, Recovery, Table};
