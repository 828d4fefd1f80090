//! Chips: one file a model, which owns the type of its sheet.

pub(crate) mod cells;
pub mod ddr_mram;
pub mod nand;
pub mod nor;
pub mod nvram;

use crate::error::{Misuse, NvmError};

/// Cycles since a chip was made, of a unit that has seen `cycles` and brought `before` of them.
pub(crate) fn cycles_since(cycles: u64, before: u64) -> Result<u64, NvmError> {
    if cycles > 1 << 62 {
        return Err(Misuse::TooManyCycles { cycles }.into());
    }
    let since = cycles.checked_sub(before);
    since.ok_or_else(|| Misuse::CyclesBeforeAge { cycles, before }.into())
}
