//! Chips: one file a model, which owns the type of its sheet.

pub mod mram;
pub mod nand;
pub mod nor;
pub mod parallel_mram;
