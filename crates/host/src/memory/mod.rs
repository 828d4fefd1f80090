//! The main memory of the machine at hand, measured without counters or root.
//!
//! [`topology`] says which processors, caches, nodes and limits there are, and [`arena`] maps memory in pages of a chosen
//! size on a chosen node. [`kernels`] move lines, [`timer`] measures the clock itself, and [`ledger`] keeps what else the
//! machine did meanwhile. [`estimate`] makes figures of timed batches: a median with its interval, and a grade that says
//! how far to trust it.

pub mod arena;
pub mod estimate;
pub mod kernels;
pub mod ledger;
mod system;
pub mod timer;
pub mod topology;
