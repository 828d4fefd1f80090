//! Many cycles at once, on a board.

use wordline_core::quantity::Time;
use wordline_memory::Flash;

use super::{Chip, Wired};
use crate::ageing::{AgeingError, AgeingSheet, Cycle, Environment, SkipAhead};
use crate::device::Accounts;
use crate::error::NvmError;
use crate::model::CycledFlash;
use crate::power::Residence;

/// Cycles whose mean stands for a skipped one where durations are drawn.
pub(crate) const SAMPLED_CYCLES: u32 = 16;

/// Cycles that are left to be skipped, and what they take together.
struct Leap {
    cycles: u64,
    time: Time,
    spent: Residence,
}

/// A flash chip that ages.
pub(crate) trait AgeingChip: Chip {
    /// As [`CycledFlash::start_ageing`]. Called again, it changes the environment.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError>;

    /// How many cycles from now on, up to `most`, go like the next one; 0 when that fails, 1 when that is unknown.
    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64;

    /// Takes the cells of a block through cycles of so many pages that do not fail.
    fn cycle_cells(&mut self, block: u32, pages: u32, cycles: u64);

    /// Lets time pass in which the chip spent so much in each state, and is then as it was.
    fn pass(&mut self, time: Time, spent: &Residence);

    /// Whether durations differ from operation to operation.
    fn is_sampled(&self) -> bool;
}

impl<C: AgeingChip> CycledFlash for Wired<C>
where
    Self: Flash<Error = NvmError> + Accounts,
{
    /// Notes the figures that ageing rests on as well.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        self.fold();
        self.chip.start_ageing(environment)?;
        self.note_ageing();
        Ok(())
    }

    fn fork_cycled(&self) -> Box<dyn CycledFlash> {
        Box::new(self.fork())
    }
}

impl<C: AgeingChip> SkipAhead for Wired<C>
where
    Self: Flash<Error = NvmError>,
{
    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        self.chip.alike(cycle, most)
    }

    /// Steps the first cycles, and multiplies what the last of them took.
    fn skip(&mut self, cycle: &Cycle<'_>, cycles: u64) -> Result<(), NvmError> {
        let drawn = self.chip.is_sampled();
        if let Some(leap) = self.measure(cycle, cycles, drawn)? {
            let end = self.clock.now().checked_plus(leap.time);
            let end = end.ok_or(NvmError::TimeExhausted)?;
            self.fold();
            self.chip.cycle_cells(cycle.block, cycle.pages, leap.cycles);
            self.chip.pass(leap.time, &leap.spent);
            self.clock.advance_to(end);
        }
        Ok(())
    }
}

impl<C: Chip> Wired<C>
where
    Self: Flash<Error = NvmError>,
{
    /// Steps until a cycle began as it ended, and on for as many as a mean needs where durations are `drawn`; returns
    /// what the cycles that are left take.
    fn measure(
        &mut self,
        cycle: &Cycle<'_>,
        mut left: u64,
        drawn: bool,
    ) -> Result<Option<Leap>, NvmError> {
        self.fold();
        let mut pace = self.pace();
        while left > 0 {
            let (began, before) = (self.clock.now(), self.residence());
            cycle.step(self)?;
            left -= 1;
            self.fold();
            let after = self.pace();
            if pace != after {
                pace = after;
                continue;
            }
            let more = if drawn {
                u64::from(SAMPLED_CYCLES - 1).min(left)
            } else {
                0
            };
            (0..more).try_for_each(|_| cycle.step(self))?;
            let time = self.clock.now().since(began);
            let spent = self.residence().since(&before);
            return Ok(Some(leap(left - more, 1 + more, time, &spent)?));
        }
        Ok(None)
    }

    /// Notes the figures that ageing rests on.
    fn note_ageing(&mut self) {
        let figures = &mut std::sync::Arc::make_mut(&mut self.notes).part.figures;
        let names = AgeingSheet::FIGURES.into_iter();
        for name in names.chain(AgeingSheet::OPTIONAL) {
            let name = format!("aging.{name}");
            if !figures.contains(&name) {
                figures.push(name);
            }
        }
    }

    /// The history that the next cycle's time depends on.
    fn pace(&self) -> (Time, bool) {
        (self.chip.ready().since(self.clock.now()), self.wrote)
    }
}

/// `cycles` cycles of which `measured` took so much.
fn leap(cycles: u64, measured: u64, time: Time, spent: &Residence) -> Result<Leap, NvmError> {
    let product = time.ps().checked_mul(cycles);
    let time = product.ok_or(NvmError::TimeExhausted)? / measured;
    Ok(Leap {
        cycles,
        time: Time::from_ps(time),
        spent: spent
            .times(cycles, measured)
            .ok_or(NvmError::TimeExhausted)?,
    })
}
