//! A NAND that ages, and goes through many cycles at once.

use super::Wired;
use crate::ageing::{AgeingError, Cycle, Environment, SkipAhead};
use crate::chip::nand::Nand;
use crate::error::NvmError;
use crate::model::CycledFlash;

impl CycledFlash for Wired<Nand> {
    /// [`Nand::start_ageing`], with the figures that it rests on noted.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.chip.start_ageing(environment)?;
        self.note_ageing();
        Ok(())
    }

    fn fork_cycled(&self) -> Box<dyn CycledFlash> {
        Box::new(self.fork())
    }
}

impl SkipAhead for Wired<Nand> {
    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        self.chip.alike(cycle, most)
    }

    /// Steps the first cycles, and multiplies what the last of them took.
    fn skip(&mut self, cycle: &Cycle<'_>, cycles: u64) -> Result<(), NvmError> {
        let drawn = self.chip.is_sampled();
        if let Some(leap) = self.measure(cycle, cycles, drawn)? {
            let end = self.check_leap(&leap)?;
            self.chip.cycle_cells(cycle.block, cycle.pages, leap.cycles);
            self.chip.pass(leap.time, &leap.spent);
            self.clock.advance_to(end);
        }
        Ok(())
    }
}
