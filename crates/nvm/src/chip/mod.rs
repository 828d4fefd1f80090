//! Chips: one file a model, which owns the type of its sheet.

pub(crate) mod cells;
pub mod ddr_mram;
pub mod nand;
pub mod nor;
pub mod nvram;
