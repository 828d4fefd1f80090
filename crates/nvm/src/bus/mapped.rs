//! Reads through the address space of the processor: memory-mapped mode.
//!
//! The processor reads an address, and the controller fetches the line of its cache from the memory:
//! no driver runs. On a serial bus a fetch is a read transaction, of opcode, address and dummy cycles,
//! and then the data. Chip select stays low behind it, so that a fetch of the next line goes on with
//! data alone. While nothing is asked for, the controller fetches ahead into its buffer, as far as that
//! holds. Any other transaction raises chip select: a command of the driver, or a fetch from elsewhere.
//!
//! What is left out: caches, so that every read is a miss, and what the interconnect between processor
//! and controller takes.

use serde::Deserialize;
use wordline_core::Figure;
use wordline_core::quantity::ByteCount;

use crate::problem::Problems;

/// How a controller maps a memory into the address space of the processor, for reads.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryMapped {
    /// Bytes that the processor fetches at a time: a line of its cache.
    pub fetch: Figure<ByteCount>,
    /// Bytes that the controller fetches ahead while chip select stays low. Left out where it fetches none.
    pub prefetch: Option<Figure<ByteCount>>,
}

/// The same in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressWindow {
    /// Bytes of a fetch.
    pub fetch_bytes: u64,
    /// Bytes that are fetched ahead.
    pub prefetch_bytes: u64,
}

impl MemoryMapped {
    /// The largest fetch that a sheet can state, in bytes.
    const FETCH_MAX: u64 = 4096;

    /// In numbers.
    #[must_use]
    pub fn window(&self) -> AddressWindow {
        let prefetch = self.prefetch.as_ref();
        AddressWindow {
            fetch_bytes: self.fetch.nominal().bytes(),
            prefetch_bytes: prefetch.map_or(0, |prefetch| prefetch.nominal().bytes()),
        }
    }

    /// The figures of the table below `bus` that a read rests on.
    pub(crate) fn figures(&self, bus: &str) -> Vec<String> {
        let mut names = vec!["fetch"];
        names.extend(self.prefetch.as_ref().map(|_| "prefetch"));
        let path = |name| format!("{bus}.memory_mapped.{name}");
        names.into_iter().map(path).collect()
    }

    /// What contradicts itself or physics in the table below `bus`.
    pub(crate) fn check_sheet(&self, bus: &str, problems: &mut Problems) {
        let fetch = self.fetch.nominal().bytes();
        if !fetch.is_power_of_two() || !(4..=Self::FETCH_MAX).contains(&fetch) {
            let message = format!("allowed: a power of two from 4 B to {} B", Self::FETCH_MAX);
            problems.add(&format!("{bus}.memory_mapped.fetch"), message);
        }
    }
}
