//! The contracts that every memory of Wordline meets: a simulated chip, a real file and a
//! firmware driver alike. They carry bytes and errors only; time is read from a [`Clock`] by
//! whoever runs the workload. This crate has no dependencies and needs no standard library, so
//! that a storage engine written against it runs unchanged on a microcontroller.
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
#![cfg_attr(not(test), no_std)]

mod byte_memory;
mod clock;

pub use byte_memory::{ByteMemory, OutOfRange, RamMemory};
pub use clock::Clock;
