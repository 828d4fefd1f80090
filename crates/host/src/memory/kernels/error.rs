//! Why there is no such kernel, or why it does not walk the streams given.

use super::KernelSet;

/// Why there is no such kernel, or why it does not walk the streams given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// No set has this name.
    #[error("no kernel set is named '{name}'; there are {}", names(&KernelSet::ALL))]
    UnknownSet {
        /// What was given.
        name: String,
    },
    /// The processor lacks the instructions.
    #[error("this processor has no {set} instructions; it has {}", names(&KernelSet::available()))]
    SetMissing {
        /// What was asked for.
        set: KernelSet,
    },
    /// The set cannot write past the caches.
    #[error(
        "the {set} kernels have no non-temporal stores; take plain stores, or a set of {}",
        names(&KernelSet::available())
    )]
    NoStoresPastCaches {
        /// What was asked for.
        set: KernelSet,
    },
    /// Another number of streams.
    #[error("{found} streams for a kernel that walks {expected}")]
    StreamCount {
        /// Streams given.
        found: usize,
        /// Streams walked.
        expected: usize,
    },
    /// A stream that is no whole number of lines.
    #[error("stream {stream} has {found} bytes, which is no multiple of a line of 64")]
    StreamLength {
        /// Which, from 0.
        stream: usize,
        /// Its bytes.
        found: usize,
    },
    /// Streams of different lengths.
    #[error("stream {stream} has {found} bytes and stream 0 has {expected}; they must be equal")]
    StreamLengths {
        /// Which, from 0.
        stream: usize,
        /// Its bytes.
        found: usize,
        /// Those of the first.
        expected: usize,
    },
    /// A stream that starts within a line.
    #[error(
        "stream {stream} is at address {address:#x}, which is no multiple of a line of 64 bytes"
    )]
    StreamAlignment {
        /// Which, from 0.
        stream: usize,
        /// Where it is.
        address: usize,
    },
}

fn names(sets: &[KernelSet]) -> String {
    let names: Vec<_> = sets.iter().map(|set| set.name()).collect();
    names.join(", ")
}
