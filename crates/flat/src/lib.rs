//! Files in byte-addressable memory: MRAM and FRAM beside a microcontroller, a mapped file, DRAM.
//!
//! A file is a few extents of the memory. A write within its length stores its bytes where they belong and nothing else; an
//! append stores its bytes, then 9 bytes that make the file longer. There are no blocks, no copies and no cleaning. To
//! create, remove, rename, lengthen or cut a file is done or not done after a power cut: one byte decides, which no memory
//! tears. Which space is free follows from the records of the files whenever the memory is mounted, so that no power cut
//! leaks any.
//!
//! What an open file needs lies in RAM that the caller gives: to read or write it moves its bytes alone. `SPEC.md` beside the
//! sources has the written format, `DESIGN.md` says why it is so and what each call costs.
//!
//! ```
//! use wordline_flat::{FlatError, FlatFiles, FlatOpen, FlatShape, FlatUse, format};
//! use wordline_memory::{ByteMemory, OutOfRange, RamMemory};
//!
//! let mut memory = RamMemory::<65536>::new();
//! let shape = FlatShape::usual(memory.len());
//! format(&mut memory, &shape)?;
//!
//! let usual = FlatUse::default();
//! let ram = vec![0; shape.ram_words(&usual) as usize];
//! let mut files = FlatFiles::mount(memory, &usual, ram)?;
//! let log = files.open("/log", FlatOpen::Create)?;
//! files.write(log, 0, b"21.5 C\n")?;
//! files.sync(log)?; // The line survives a power cut from here on.
//! files.write(log, 0, b"22")?; // Overwritten in place.
//! let mut line = [0; 7];
//! files.read(log, 0, &mut line)?;
//! assert_eq!(&line, b"22.5 C\n");
//! files.close(log)?;
//! files.rename("/log", "/old")?;
//! # Ok::<(), FlatError<OutOfRange>>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod barrier;
mod checksum;
mod disk;
mod error;
mod files;
mod mount;
mod names;
mod open;
mod path;
#[cfg(test)]
mod power_cuts;
mod record;
mod shape;
mod tables;

pub use disk::format;
pub use error::FlatError;
pub use files::{FlatEntry, FlatFile, FlatFiles, FlatRoom};
pub use names::FlatDirectory;
pub use open::FlatOpen;
pub use record::{EXTENTS_MAX, NAME_BYTES_MAX};
pub use shape::{FlatShape, FlatUse, VERSION};
