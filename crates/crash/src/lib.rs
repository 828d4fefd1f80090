//! Crash images: what a power cut can leave in a memory, derived from one recorded run.
//!
//! A [`Recorder`] stands between unmodified code and a memory, and keeps the content that the run
//! started from and every operation. The [`Recording`] that it leaves derives, one by one and in
//! microseconds, the content after a power cut before, within and after each operation: an image,
//! which meets the memory's contract, so that recovery code opens it, and which can be recorded
//! again, so that the power fails within recovery too.
//!
//! What a cut can do to an operation is a device class: [`ByteTearing`] for memories that are
//! written byte by byte, [`FlashTearing`] for flash. The [`harness`] does the rest for software whose calls and
//! promises are stated.
//!
//! ```
//! use wordline_memory::{ByteMemory, RamMemory};
//! use wordline_crash::{ByteTearing, Mode, Recorder};
//!
//! let mut recorder = Recorder::bytes(RamMemory::<64>::new(), ByteTearing::contract())?;
//! recorder.write(0, b"on")?;
//! recorder.persist()?;
//! let kept = recorder.operations();
//! recorder.write(0, b"up")?;
//! let (_, recording) = recorder.finish();
//!
//! for mut image in recording.images(Mode::Exhaustive, 0) {
//!     let mut found = [0; 2];
//!     image.read(0, &mut found)?;
//!     if image.id().operation >= kept {
//!         // Each byte is old or new: the memory promises no more.
//!         assert!([b"on", b"un", b"op", b"up"].contains(&&found), "image {}", image.id());
//!     }
//! }
//! # Ok::<(), wordline_memory::OutOfRange>(())
//! ```

mod bytes;
mod content;
mod flash;
mod flash_content;
mod flash_ecc;
mod flash_harm;
mod flash_page;
mod flash_tearing;
pub mod harness;
mod hash;
mod pair;
mod recording;

pub use bytes::{ByteImage, ByteOperation, ByteState, ByteTearing, Cut, Spoilt};
pub use content::Content;
pub use flash::{FlashImage, FlashOperation};
pub use flash_content::{FlashContent, Weakness};
pub use flash_ecc::EccStrength;
pub use flash_tearing::{FlashTear, FlashTearing};
pub use pair::{PairImage, PairOperation, PairRecorder, PairTearing};
pub use recording::{
    ImageId, Images, Mode, ParseImageIdError, Recorder, Recording, Tearing, TimedOperation,
};

#[cfg(test)]
mod bytes_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod flash_tests;
#[cfg(test)]
mod log_tests;
