//! The contracts that every memory of Wordline meets: a simulated chip, a real file and a
//! firmware driver alike. [`ByteMemory`] is read and written byte by byte (MRAM, DRAM),
//! [`Flash`] is programmed in pages and erased in blocks (NOR, NAND), and [`BlockDevice`] moves
//! sectors (SD cards, SSDs). They carry bytes and errors only; time is read from a [`Clock`] by
//! the code that runs the workload. This crate has no dependencies and needs no standard library, so
//! that a storage engine written against it runs unchanged on a microcontroller.
//!
//! Each contract has a reference in plain RAM: [`RamMemory`], [`RamFlash`], [`RamBlockDevice`].
//!
//! ```
//! use wordline_memory::{ByteMemory, RamMemory};
//!
//! let mut memory = RamMemory::<64>::new();
//! memory.write(8, b"wordline")?;
//! memory.persist()?;
//! let mut back = [0; 8];
//! memory.read(8, &mut back)?;
//! assert_eq!(&back, b"wordline");
//! # Ok::<(), wordline_memory::OutOfRange>(())
//! ```
//!
//! Flash wants an erase before a place can take other data:
//!
//! ```
//! use wordline_memory::{Flash, RamFlash};
//!
//! // Eight blocks of sixteen pages of 256 bytes.
//! let mut flash = RamFlash::<256, 16, 8>::nor().expect("the sizes fit");
//! flash.program(16, 0, &[0b1100])?;
//! flash.program(16, 0, &[0b1010])?; // A program only clears bits,
//! let mut back = [0];
//! flash.read(16, 0, &mut back)?;
//! assert_eq!(back, [0b1000]);
//! flash.erase(1)?; // and an erase sets those of a whole block.
//! flash.read(16, 0, &mut back)?;
//! assert_eq!(back, [0xFF]);
//! # Ok::<(), wordline_memory::RamFlashError>(())
//! ```
#![cfg_attr(not(test), no_std)]

mod block;
mod byte_memory;
mod clock;
mod erase;
mod flash;
mod geometry;
mod ram_flash;
#[cfg(test)]
mod xorshift;

pub use block::{BlockDevice, BlockMisuse, RamBlockDevice};
pub use byte_memory::{ByteMemory, OutOfRange, RamMemory};
pub use clock::Clock;
pub use erase::{EraseMode, EraseProgress};
pub use flash::{Ecc, Flash, FlashError, FlashErrorKind};
pub use geometry::{FlashMisuse, Geometry};
pub use ram_flash::{RamFlash, RamFlashError};
