//! A NOR flash whose costs are compiled: the cells alone, without commands.

use wordline_core::quantity::Time;

use super::{Array, Nor};
use crate::bus::Action;
use crate::power::PowerMeter;
use crate::rules::RuleSet;
use crate::wired::compiled::{MARKS, SteadyChip};

impl SteadyChip for Nor {
    #[inline(always)]
    fn is_steady(&self, now: Time) -> bool {
        let idle = self.running.is_none() && self.suspended.is_none() && !self.asleep;
        idle && self.ageing.is_none() && self.rules == RuleSet::ALL && self.meter.is_settled_by(now)
    }

    fn is_constant(&self, action: Action) -> bool {
        let program = &self.spec.page_program;
        action != Action::Write || program.low() == program.high()
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut PowerMeter {
        &mut self.meter
    }

    #[inline(always)]
    fn marks(&self) -> [Time; MARKS] {
        [self.ready, Time::ZERO, Time::ZERO, Time::ZERO]
    }

    #[inline(always)]
    fn set_marks(&mut self, [ready, ..]: [Time; MARKS]) {
        self.ready = ready;
    }
}

impl Nor {
    /// The cells, to be read.
    #[inline(always)]
    pub(crate) const fn cells(&self) -> &Array {
        &self.array
    }

    /// Clears the bits that are 0 in `data`, as a program does that [is allowed](Self::check_program), from `at` on, in one
    /// page or several.
    #[inline(always)]
    pub(crate) fn program_cells(&mut self, at: u64, data: &[u8]) {
        self.array.program(at, data);
        self.failed = None;
        self.write_enabled = false;
    }

    /// Whether every granule of a range may still be programmed.
    #[inline(always)]
    pub(crate) fn is_programmable(&self, at: u64, bytes: usize) -> bool {
        self.array.programmed(at, bytes).is_none()
    }
}
