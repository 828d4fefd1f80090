//! A crash harness: storage software, a workload, and every power cut that can happen to it.
//!
//! The software under test is a [`Subject`]: how it is opened, what its calls do, what it holds, and what it ought to
//! hold. The [`Harness`] records a workload once, derives the images of its power cuts, and opens each. What is found
//! must be what the last lasting call left, or what a call that had begun since then makes of it, and nothing else.
//! Opening an image is recorded in turn, and cut in turn. What fails is named by a short text, a [`Case`], from which
//! [`Harness::replay`] finds it again; [`Harness::shrink`] takes from the workload what the failure does not need, and
//! the [`Report`] says in words what happened.
//!
//! ```
//! use std::error::Error;
//! use wordline_memory::ByteMemory;
//! use wordline_crash::harness::{Harness, Recorded, Subject};
//! use wordline_crash::{ByteTearing, Content};
//!
//! /// One number of 8 bytes in a memory that lands 4 bytes at a time.
//! struct Cell;
//!
//! impl Subject for Cell {
//!     type Medium = ByteTearing;
//!     type Store = Recorded<ByteTearing>;
//!     type Call = u64;
//!     type State = u64;
//!
//!     fn open(&self, memory: Self::Store) -> Result<Self::Store, Box<dyn Error>> {
//!         Ok(memory)
//!     }
//!     fn apply(&self, memory: &mut Self::Store, value: &u64) -> Result<(), Box<dyn Error>> {
//!         memory.write(0, &value.to_le_bytes())?;
//!         Ok(memory.persist()?)
//!     }
//!     fn read(&self, memory: &mut Self::Store) -> Result<u64, Box<dyn Error>> {
//!         let mut bytes = [0; 8];
//!         memory.read(0, &mut bytes)?;
//!         Ok(u64::from_le_bytes(bytes))
//!     }
//!     fn next(&self, _: &u64, value: &u64) -> u64 {
//!         *value
//!     }
//! }
//!
//! let harness = Harness::new(Content::zeros(8, 4), ByteTearing::contract());
//! let workload = [7, 1 << 40, (1 << 40) + 9, 5];
//! let verdict = harness.check(&Cell, &workload);
//! let failure = verdict.first.expect("half of a number is no number");
//!
//! let found_again = harness.replay(&Cell, &workload, &failure.case.to_string().parse()?)?;
//! assert_eq!(found_again, Some(failure.clone()));
//! let (fewer, failure) = harness.shrink(&Cell, &workload, failure);
//! assert!(fewer.len() <= 2);
//! println!("{}", harness.report(&Cell, &fewer, &failure));
//! # Ok::<(), Box<dyn Error>>(())
//! ```

mod case;
mod check;
mod medium;
mod recorded;
mod report;
mod run;
mod shrink;
mod subject;
#[cfg(test)]
mod tests;

pub use case::{Case, ParseCaseError};
pub use check::{Again, Harness, NoSuchCase, Verdict};
pub use medium::{Medium, MediumRecorder};
pub use recorded::Recorded;
pub use report::Report;
pub use run::{Failure, Violation};
pub use subject::{Outcome, Subject, each_item};

/// The code of the guide, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guides/read-a-crash-report.md")]
pub struct Guide;
