//! A NAND that ages, and goes through many cycles at once.

use std::sync::Arc;

use wordline_core::quantity::Time;

use super::Wired;
use crate::ageing::{AgeingError, AgeingSheet, Cycle, Environment, SkipAhead};
use crate::chip::nand::Nand;
use crate::error::NvmError;
use crate::power::Residence;
use crate::wired::Chip as _;

/// Cycles whose mean stands for a skipped one where durations are drawn.
const SAMPLED_CYCLES: u64 = 16;

impl Wired<Nand> {
    /// Lets the chip age from now on: [`Nand::start_ageing`], with the figures that it rests on noted.
    ///
    /// # Errors
    /// As there.
    pub fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.chip.start_ageing(environment)?;
        let figures = &mut Arc::make_mut(&mut self.notes).part.figures;
        for name in AgeingSheet::FIGURES {
            let name = format!("aging.{name}");
            if !figures.contains(&name) {
                figures.push(name);
            }
        }
        Ok(())
    }

    /// Time and residence so far.
    fn spent(&self) -> (Time, Residence) {
        let now = self.clock.now();
        (now, self.chip.residence(now))
    }

    /// What of the past the next cycle's time hangs on.
    fn pace(&self) -> (Time, bool) {
        (self.chip.ready().since(self.clock.now()), self.wrote)
    }

    /// Steps until a cycle began as it ended, and then for as many as its mean needs; returns the cycles that are left,
    /// and how many took how much.
    fn measure(
        &mut self,
        cycle: &Cycle<'_>,
        mut left: u64,
    ) -> Result<Option<(u64, u64, Time, Residence)>, NvmError> {
        let mut pace = self.pace();
        while left > 0 {
            let (began, before) = self.spent();
            cycle.step(self)?;
            left -= 1;
            let after = self.pace();
            if pace == after {
                let more = if self.chip.is_sampled() {
                    (SAMPLED_CYCLES - 1).min(left)
                } else {
                    0
                };
                (0..more).try_for_each(|_| cycle.step(self))?;
                let (ended, residence) = self.spent();
                let spent = residence.since(&before);
                return Ok(Some((left - more, 1 + more, ended.since(began), spent)));
            }
            pace = after;
        }
        Ok(None)
    }
}

impl SkipAhead for Wired<Nand> {
    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        self.chip.alike(cycle, most)
    }

    /// Steps the first cycles, and multiplies what the last of them took.
    fn skip(&mut self, cycle: &Cycle<'_>, cycles: u64) -> Result<(), NvmError> {
        let Some((left, measured, time, spent)) = self.measure(cycle, cycles)? else {
            return Ok(());
        };
        let product = time.ps().checked_mul(left);
        let time = product.ok_or(NvmError::TimeExhausted)? / measured;
        let time = Time::from_ps(time);
        let spent = spent.times(left, measured);
        let spent = spent.ok_or(NvmError::TimeExhausted)?;
        let end = self.clock.now().checked_plus(time);
        let end = end.ok_or(NvmError::TimeExhausted)?;
        self.chip.cycle_cells(cycle.block, cycle.pages, left);
        self.chip.pass(time, &spent);
        self.clock.advance_to(end);
        Ok(())
    }
}
