//! Measuring the main memory of this machine, without counters and without root.
//!
//! [`topology`] says which processors, caches, nodes and limits there are, [`arena`] maps memory in pages of a chosen size
//! on a chosen node, and [`ledger`] keeps what else the machine did meanwhile.

pub mod arena;
pub mod ledger;
mod system;
pub mod topology;
