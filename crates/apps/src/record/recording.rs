//! What was counted of a program.

use serde::{Deserialize, Serialize};

use super::core_model::CoreShape;
use super::hierarchy::RecordedCaches;

/// A program that ran with all its accesses seen. Counts are those of all threads; where sets were sampled, they are
/// already those of all sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRecording {
    /// Version of this format: 1.
    pub schema: u32,
    /// Processor of the program, as QEMU names it.
    pub processor: String,
    /// Caches.
    pub caches: RecordedCaches,
    /// Sets of 64 that were followed: 64 where none was left out.
    pub sets_of_64: u32,
    /// Core of the samples.
    pub core: CoreShape,
    /// Instructions of each thread, in the order in which they began.
    pub thread_instructions: Vec<u64>,
    /// Loads and stores.
    pub counts: AccessCounts,
    /// Lines that memory read, and those that it wrote.
    pub lines_read: u64,
    /// Lines that memory wrote.
    pub lines_written: u64,
    /// Lines read that were looked at for their neighbours: all, or those of samples.
    pub lines_shown: u64,
    /// Of them, lines next to one that was read shortly before.
    pub lines_followed: u64,
    /// Lines over time.
    pub windows: RecordingWindows,
    /// What the core model made of some windows; none where the processor has no decoder.
    pub samples: Vec<RecordingSample>,
    /// Whether instructions were decoded.
    pub decoded: bool,
    /// Whether the program used more regions of memory than are told apart.
    pub crowded: bool,
    /// What ended the program early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<RecordingFault>,
}

/// Loads and stores, and what missed. One that crosses lines counts once. Where only some sets are followed, each of its lines
/// counts, and of a wide one each part of eight bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessCounts {
    /// Loads.
    pub loads: u64,
    /// Stores.
    pub stores: u64,
    /// Loads that the first level did not have.
    pub first_load_misses: u64,
    /// Stores that the first level did not have.
    pub first_store_misses: u64,
    /// Loads and stores that the second level did not have, either.
    pub second_misses: u64,
    /// Loads that no level had.
    pub last_load_misses: u64,
    /// Stores that no level had.
    pub last_store_misses: u64,
}

/// Lines of memory over instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingWindows {
    /// Instructions of a window, of the thread that is ahead.
    pub instructions: u64,
    /// Lines read and written in each.
    pub lines: Vec<u64>,
}

/// What the core model made of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingSample {
    /// Instructions that it stands for.
    pub weight: u64,
    /// Instructions that it has.
    pub instructions: u64,
    /// Lines that memory read for it.
    pub lines: u64,
    /// Those that the prefetcher had asked for.
    pub prefetched: u64,
    /// Lines within 512 instructions of one another, added up over stretches of 512 instructions that have any.
    pub crowd_lines: u64,
    /// Such stretches.
    pub crowds: u64,
    /// Branches that were not foreseen.
    pub wrong_branches: u64,
    /// Cycles that it takes.
    pub cycles: SampleCycles,
}

/// Cycles of a window under several assumptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleCycles {
    /// As the core is.
    pub usual: u64,
    /// With a memory that takes no time.
    pub no_memory: u64,
    /// Without a prefetcher.
    pub no_prefetch: u64,
    /// With every branch foreseen.
    pub foreseen: u64,
    /// With every branch foreseen and a memory that takes no time.
    pub foreseen_no_memory: u64,
}

/// What ended a program before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingFault {
    /// Address of the instruction.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The instruction or its extension, as the decoder names it.
    pub name: String,
}

impl ProgramRecording {
    /// The version that this crate reads and writes.
    pub const SCHEMA: u32 = 1;

    /// Instructions of all threads.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.thread_instructions.iter().sum()
    }
}
