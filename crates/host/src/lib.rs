//! The memories of a real machine, behind the contracts that simulated ones meet.
//!
//! [`mtd`] is raw flash as Linux shows it: NOR and NAND chips beside an embedded processor. [`MappedFile`] is a file
//! mapped into memory, where `msync` makes writes last; [`ScratchFile`] is one that a measurement may write over.
//! [`InodeFile`] is the only way to what a user named: checked, then opened without asking the name again. [`WallClock`]
//! reads elapsed time, [`ThreadReading`] what others took of it, and [`machine`] describes the host. [`memory`] makes figures
//! of timed loads and says how far to trust them. Software for
//! simulated chips runs on these as well; its results are *measured*.
//!
//! [`memory`] measures the main memory: what it is made of, pages of a chosen size and node, and what else the machine did.
//!
//! Tests wear raw flash out and destroy its content. Therefore [`mtd::Mtd::open`] refuses a device that is in use, and
//! callers have the user name it twice.
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

mod accounts;
mod clock;
mod in_use;
mod inode;
mod linux_files;
pub mod machine;
mod mapped;
pub mod memory;
pub mod mtd;
pub mod power;
mod scratch;
mod standard_output;
#[cfg(target_os = "linux")]
pub mod storage;
#[cfg(all(test, target_os = "linux"))]
mod swap_tests;
mod thread;

pub use clock::WallClock;
pub use inode::{InodeAccess, InodeError, InodeFile, InodeHandle, LinkRule, NameEntry, VacantName};
pub use mapped::{MappedFile, MappedFileError};
pub use memory::topology::free_memory;
pub use scratch::{ScratchFile, ScratchFileError};
pub use standard_output::stdout_was_closed;
pub use thread::{Interruptions, ThreadReading, ThreadUse};
