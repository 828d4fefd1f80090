//! Sub-channels joined to a memory, and cores in front of it.
//!
//! [`MemorySystem`] is for callers that bring their own requests, as traces do; [`BoundedMemory`] for those that react to
//! full queues and to each completion, as other simulators do. [`simulate`] has cores that
//! read and write as fast as their outstanding misses and the memory let them, and probes that feel the latency; it
//! gives idle latency, bandwidth, and latency under load. [`simulate_program`] has cores that compute, ask for lines and wait
//! for them as a [`MemoryProgram`] says.

mod answer;
mod bounded;
mod core;
mod demand;
mod inbox;
mod link;
mod memory;
mod placement;
mod probe;
mod program;
mod relevance;
mod run_means;
mod simulate;
mod tally;
mod traffic;

#[cfg(test)]
use crate as dram;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod program_tests;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

pub use bounded::BoundedMemory;
pub use memory::{Completion, MemoryError, MemorySystem};
pub use probe::{BIN_PS, BINS, LatencyProbe};
pub use program::{ComputeTimes, MemoryProgram, MissOrder, ProgramLevel};
pub use simulate::{SystemRun, simulate, simulate_program};
pub use traffic::{RunLength, Traffic};
pub use wordline_core::{Mix, Pattern};
