//! Wordline's memories behind the traits that Rust firmware is written against.
//!
//! [`NorView`] shows any [`Flash`](wordline_memory::Flash) as a `NorFlash` of `embedded-storage` and of
//! `embedded-storage-async`, [`MultiwriteNorView`] as a `MultiwriteNorFlash` where the memory takes a second program.
//! [`Stream`] shows any [`ByteMemory`](wordline_memory::ByteMemory) as a reader, writer and seeker of `embedded-io`.
//! A store that uses these traits runs unmodified on a simulated chip, and on what a power cut left of one.
//!
//! Those traits have sizes as constants, and the catalogue has them as data: a view states its sizes as const
//! parameters, and is checked against the memory when it is made.
//!
//! ```
//! use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};
//! use wordline_embedded::NorView;
//! use wordline_memory::RamFlash;
//!
//! // 2 blocks of 4 pages of 64 bytes: programs of 4 bytes, erases of 256.
//! let mut flash = NorView::<_, 4, 256>::new(RamFlash::<64, 4, 2>::nor().ok_or("sizes")?)?;
//! flash.write(60, b"wordline")?;
//! let mut back = [0; 8];
//! flash.read(60, &mut back)?;
//! assert_eq!(&back, b"wordline");
//! // The memory erases 256 bytes at once, and not 384.
//! assert!(NorView::<_, 4, 384>::new(flash.into_flash()).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![no_std]

#[cfg(test)]
extern crate std;

mod error;
mod nor;
mod stream;

pub use error::{NorError, StreamError, Unsuitable, ViewError};
pub use nor::{MultiwriteNorView, NorView};
pub use stream::Stream;

/// The code of the guide, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/your-rust-driver.md")]
pub struct Guide;
