//! The memories of a real machine, behind the contracts that simulated ones meet.
//!
//! [`mtd`] is raw flash as Linux shows it: NOR and NAND chips beside an embedded processor. [`MappedFile`] is a file
//! mapped into memory, where `msync` makes writes last; [`ScratchFile`] is one that a measurement may write over. [`WallClock`]
//! tells the time that passes, and [`machine`] what passes it. What runs on a simulated chip runs on these, and what it
//! measures is *measured*.
//!
//! Raw flash is worn by what the laboratory does with it, and what it holds is lost. Therefore [`mtd::Mtd::open`] refuses a device that
//! anybody uses, and whoever opens one names it twice: see [`mtd::Mtd::open`].
//!
//! ```no_run
//! use std::path::Path;
//! use wordline_host::{WallClock, mtd::Mtd};
//! use wordline_memory::{Clock, Flash};
//!
//! let mut flash = Mtd::open(Path::new("/dev/mtd3"))?;
//! let clock = WallClock::start();
//! flash.erase(0)?;
//! println!("{} us", clock.now_ps() / 1_000_000);
//! # Ok::<(), wordline_host::mtd::MtdError>(())
//! ```

mod clock;
pub mod machine;
mod mapped;
pub mod mtd;
mod scratch;

pub use clock::WallClock;
pub use mapped::{MappedFile, MappedFileError};
pub use scratch::{ScratchFile, ScratchFileError};
