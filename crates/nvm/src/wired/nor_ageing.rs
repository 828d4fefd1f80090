//! A NOR flash that ages, and goes through many cycles at once.

use super::Wired;
use crate::ageing::{AgeingError, Cycle, Environment, SkipAhead};
use crate::chip::nor::{Nor, NorWork};
use crate::error::NvmError;
use crate::model::CycledFlash;

impl Wired<Nor> {
    /// What the status register says of the last program or erase.
    pub(super) fn check_failed(&self) -> Result<(), NvmError> {
        let geometry = self.chip.geometry();
        match self.chip.failed() {
            None => Ok(()),
            Some((NorWork::Program, at)) => Err(NvmError::ProgramFailed {
                page: (at / u64::from(geometry.page_bytes)) as u32,
            }),
            Some((NorWork::Erase, at)) => Err(NvmError::EraseFailed {
                block: (at / geometry.block_bytes()) as u32,
            }),
        }
    }
}

impl CycledFlash for Wired<Nor> {
    /// [`Nor::start_ageing`], with the figures that it rests on noted.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.chip.start_ageing(environment)?;
        self.note_ageing();
        Ok(())
    }

    fn fork_cycled(&self) -> Box<dyn CycledFlash> {
        Box::new(self.fork())
    }
}

impl SkipAhead for Wired<Nor> {
    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        self.chip.alike(cycle, most)
    }

    /// Steps the first cycles, and multiplies what the last of them took.
    fn skip(&mut self, cycle: &Cycle<'_>, cycles: u64) -> Result<(), NvmError> {
        let drawn = self.chip.is_sampled();
        if let Some(leap) = self.measure(cycle, cycles, drawn)? {
            let end = self.check_leap(&leap)?;
            self.chip.cycle_cells(cycle.block, leap.cycles);
            self.chip.pass(leap.time, &leap.spent);
            self.clock.advance_to(end);
        }
        Ok(())
    }
}
