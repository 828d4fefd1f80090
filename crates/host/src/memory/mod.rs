//! The main memory of this machine: what it takes to reach it, and what it carries.
//!
//! [`topology`] says what there is, [`arena`] takes memory of a page size and a node, [`kernels`] load it, and
//! [`estimate`] makes figures of what was timed, with the help of a [`ledger`] of what others did meanwhile. On these
//! rest the drivers: [`latency`] over working sets, [`matrix`] between nodes and between cores, [`bandwidth`] by mix and
//! threads, and [`loaded`], latency while other cores load the memory. `beside` runs a program beside such a load. They return plain numbers and know no results.

pub mod arena;
pub mod bandwidth;
#[cfg(target_os = "linux")]
pub mod beside;
pub mod chain;
mod driver;
pub mod estimate;
pub mod kernels;
pub mod latency;
pub mod ledger;
pub mod loaded;
pub mod matrix;
mod probe;
pub mod sampling;
mod system;
pub mod timer;
pub mod topology;

pub use driver::{DriverError, SharedStop};
