//! Buses between a host and a chip: what a transaction costs on the wires.

pub mod parallel;
pub mod serial;
