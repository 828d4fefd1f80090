//! Cycling logs: how long the operations of flash blocks took, from their first program and erase to their failure.
//!
//! A CSV with named columns, which `wordline wear --log` writes and which any test stand can:
//!
//! ```text
//! chip,block,cycle,operation,latency_us,status
//! 0,7,1,program,265.3,ok
//! 0,7,1,erase,1210,ok
//! 0,7,81202,erase,6050,failed
//! ```
//!
//! `block`, `cycle` (from 1), `operation` (`program`, `erase`, `read`) and the latency, whose unit is in its name
//! (`latency_ns`, `latency_us`, `latency_ms`, `latency_s`), must be there. `chip` is any name; without it all blocks
//! are of one chip. `status` is `ok` or `failed`; without it nothing failed. Other columns are passed over. The lines
//! of different blocks may be mixed; those of one block stand in the order in which they happened. **A log may be
//! sparse**: a latency holds until the next line of the same operation of that block. Where a cycle programs several
//! pages it may have a line for each, or one with their mean.
//!
//! ```
//! use wordline_trace::cycling::{CyclingLog, CyclingOperation};
//!
//! let text = "block,cycle,operation,latency_us\n7,1,program,265.3\n7,1,erase,1210\n7,90000,erase,4840\n";
//! let log = CyclingLog::read(text.as_bytes())?;
//! let life = &log.blocks[0];
//! assert_eq!((life.block, life.cycles), (7, 90_000));
//! let erases: Vec<_> = life.of(CyclingOperation::Erase).collect();
//! assert_eq!(erases[1].duration.ps(), 4_840_000_000);
//! # Ok::<(), wordline_trace::TraceError>(())
//! ```

mod columns;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::str::FromStr;

use wordline_core::RowOperation;
use wordline_core::quantity::Time;

pub use write::CyclingWriter;

/// An operation of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CyclingOperation {
    /// The program of a page.
    Program,
    /// The erase of the block.
    Erase,
    /// The read of a page.
    Read,
}

impl CyclingOperation {
    /// All.
    pub const ALL: [Self; 3] = [Self::Program, Self::Erase, Self::Read];

    /// As logs and result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Erase => "erase",
            Self::Read => "read",
        }
    }
}

impl From<CyclingOperation> for RowOperation {
    fn from(operation: CyclingOperation) -> Self {
        match operation {
            CyclingOperation::Program => Self::Program,
            CyclingOperation::Erase => Self::Erase,
            CyclingOperation::Read => Self::Read,
        }
    }
}

impl FromStr for CyclingOperation {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut all = Self::ALL.into_iter();
        all.find(|operation| operation.name() == text).ok_or(())
    }
}

/// An operation that went well, with how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CyclingPoint {
    /// The cycle that it belongs to, from 1.
    pub cycle: u64,
    /// What it was.
    pub operation: CyclingOperation,
    /// From the command to the ready signal, or to the answer of the driver: what the log's writer timed.
    pub duration: Time,
    /// Its line in the log, from 1.
    pub line: u64,
    /// How many lines of its operation in a row have this duration; 1 at least.
    pub lines: u64,
}

/// What a log holds of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLife {
    /// The chip; empty where the log names none.
    pub chip: String,
    /// The block's number.
    pub block: u64,
    /// The operations that went well, in order. Several in a row that took equally long are one, at the first: a
    /// latency holds until the next.
    pub points: Vec<CyclingPoint>,
    /// The operation that failed, with its cycle; after it there is none.
    pub failed: Option<(u64, CyclingOperation)>,
    /// The last cycle in the log.
    pub cycles: u64,
    /// Its first line in the log, from 1.
    pub line: u64,
}

impl BlockLife {
    /// The operations of one kind that went well, in order.
    pub fn of(&self, operation: CyclingOperation) -> impl Iterator<Item = &CyclingPoint> {
        let points = self.points.iter();
        points.filter(move |point| point.operation == operation)
    }

    /// The block in words, as messages name it.
    #[must_use]
    pub fn name(&self) -> String {
        match self.chip.as_str() {
            "" => format!("block {}", self.block),
            chip => format!("chip {chip}, block {}", self.block),
        }
    }
}

/// A cycling log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclingLog {
    /// The blocks, in the order in which they first appear; one at least.
    pub blocks: Vec<BlockLife>,
    /// Names of columns that mean nothing here.
    pub passed_over: Vec<String>,
    /// The last line, where it is cut off: it was left out.
    pub cut_off: Option<u64>,
}

/// The longest operation of a flash chip that a log may hold. Bulk erases of the largest serial NOR take minutes;
/// of a block nothing takes a tenth of this.
pub const LONGEST: Time = Time::from_ps(60_000_000_000_000);

/// The most operations that a log may have, so that it fits a host's memory.
pub const MOST_POINTS: usize = 50_000_000;
