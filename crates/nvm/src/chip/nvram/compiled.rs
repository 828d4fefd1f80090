//! A memory that is written byte by byte whose costs are compiled: the cells alone, without commands.

use wordline_core::quantity::Time;

use super::{Nvram, WriteEnable};
use crate::bus::Action;
use crate::power::PowerMeter;
use crate::rules::RuleSet;
use crate::wired::compiled::{MARKS, SteadyChip};

impl SteadyChip for Nvram {
    #[inline(always)]
    fn is_steady(&self, now: Time) -> bool {
        let enabled = self.write_enabled || self.spec.write_enable == WriteEnable::Each;
        enabled
            && !self.asleep
            && self.busy_until <= now
            && self.rules == RuleSet::ALL
            && self.meter.is_settled_by(now)
    }

    fn is_constant(&self, action: Action) -> bool {
        let cycle = self.spec.write_cycle.as_ref();
        action != Action::Write || cycle.is_none_or(|cycle| cycle.low() == cycle.high())
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut PowerMeter {
        &mut self.meter
    }

    #[inline(always)]
    fn marks(&self) -> [Time; MARKS] {
        [self.ready, self.busy_until, Time::ZERO, Time::ZERO]
    }

    #[inline(always)]
    fn set_marks(&mut self, [ready, busy_until, ..]: [Time; MARKS]) {
        self.ready = ready;
        self.busy_until = busy_until;
    }
}

impl Nvram {
    /// Whether a write goes through one page, however long it is.
    #[inline(always)]
    pub(crate) fn has_no_pages(&self) -> bool {
        self.spec.page.is_none()
    }

    /// Reads the cells, which may wear them.
    #[inline(always)]
    pub(crate) fn read_cells(&mut self, at: u64, out: &mut [u8]) {
        self.cells.read(at, out);
        if self.spec.reads_wear {
            self.cells.wear(at, out.len());
        }
    }

    /// Writes the cells, which wears them.
    #[inline(always)]
    pub(crate) fn write_cells(&mut self, at: u64, data: &[u8]) {
        self.store(at, data);
        self.write_enabled = self.spec.write_enable != WriteEnable::Each;
    }
}
