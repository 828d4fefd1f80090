//! Sub-channels joined to a memory.

#[cfg(test)]
use crate as dram;
#[cfg(test)]
pub(crate) mod sample;
