//! DDR5 memory for simulators of processors: what is behind `wordline_dram.h`.

pub(crate) mod abi;
mod fault;
pub(crate) mod functions;
mod memory;
mod table;
