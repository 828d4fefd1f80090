//! Many cycles at once, on a board.

use wordline_core::quantity::Time;
use wordline_memory::Flash;

use super::{Chip, Wired};
use crate::ageing::{AgeingSheet, Cycle};
use crate::device::Accounts as _;
use crate::error::NvmError;
use crate::power::Residence;

/// Cycles whose mean stands for a skipped one where durations are drawn.
pub(crate) const SAMPLED_CYCLES: u32 = 16;

/// Cycles that are left to be skipped, and what they take together.
pub(super) struct Leap {
    pub(super) cycles: u64,
    pub(super) time: Time,
    pub(super) spent: Residence,
}

impl<C: Chip> Wired<C>
where
    Self: Flash<Error = NvmError>,
{
    /// Steps until a cycle began as it ended, and on for as many as a mean needs where durations are `drawn`; returns
    /// what the cycles that are left take.
    pub(super) fn measure(
        &mut self,
        cycle: &Cycle<'_>,
        mut left: u64,
        drawn: bool,
    ) -> Result<Option<Leap>, NvmError> {
        let mut pace = self.pace();
        while left > 0 {
            let (began, before) = (self.clock.now(), self.residence());
            cycle.step(self)?;
            left -= 1;
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
    pub(super) fn note_ageing(&mut self) {
        let figures = &mut std::sync::Arc::make_mut(&mut self.notes).part.figures;
        for name in AgeingSheet::FIGURES {
            let name = format!("aging.{name}");
            if !figures.contains(&name) {
                figures.push(name);
            }
        }
    }

    /// Lets the clock pass over a leap.
    pub(super) fn check_leap(&self, leap: &Leap) -> Result<Time, NvmError> {
        let end = self.clock.now().checked_plus(leap.time);
        end.ok_or(NvmError::TimeExhausted)
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
