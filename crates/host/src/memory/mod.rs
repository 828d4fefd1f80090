//! The main memory of the machine at hand, measured without counters or root.
//!
//! [`timer`] measures the clock itself, [`ledger`] holds what the machine did meanwhile, and [`estimate`] makes figures
//! of timed batches: a median with its interval, and a grade that says how far to trust it.

pub mod estimate;
pub mod ledger;
pub mod timer;
