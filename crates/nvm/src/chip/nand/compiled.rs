//! A NAND whose costs are compiled: registers and cells alone, without commands.

use std::sync::Arc;

use wordline_core::quantity::Time;
use wordline_memory::Ecc;

use super::{Behind, EccVerdict, Faults, Nand, Register};
use crate::bus::Action;
use crate::power::PowerMeter;
use crate::rules::RuleSet;
use crate::wired::compiled::{MARKS, SteadyChip};

impl SteadyChip for Nand {
    #[inline(always)]
    fn is_steady(&self, now: Time) -> bool {
        let until = self.busy_until.later(self.array_until).later(self.booked);
        until <= now
            && self.behind == Behind::Read
            && self.kept.is_none()
            && self.ageing.is_none()
            && self.rules == RuleSet::ALL
            && self.faults == Faults::default()
            && self.meter.is_settled_by(now)
    }

    fn is_constant(&self, action: Action) -> bool {
        let program = self.spec.page_program(self.ecc);
        action != Action::Write || program.low() == program.high()
    }

    #[inline(always)]
    fn setting(&self) -> u8 {
        u8::from(self.ecc)
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut PowerMeter {
        &mut self.meter
    }

    #[inline(always)]
    fn marks(&self) -> [Time; MARKS] {
        [self.ready, self.busy_until, self.array_until, self.booked]
    }

    #[inline(always)]
    fn set_marks(&mut self, [ready, busy_until, array_until, booked]: [Time; MARKS]) {
        self.ready = ready;
        self.busy_until = busy_until;
        self.array_until = array_until;
        self.booked = booked;
    }
}

impl Nand {
    /// Reads a page through the register of its plane, where nothing went wrong in it; returns whether that is so.
    #[inline(always)]
    pub(crate) fn read_cells(&mut self, page: u32, column: u32, out: &mut [u8]) -> bool {
        let (block, index) = self.place(page);
        let erased = &self.spec.erased;
        let bytes = match self.blocks.get(block) {
            Some(block) => block.intact(index, erased),
            None => Some(erased),
        };
        let plane = self.plane_of(page) as usize;
        let (Some(bytes), Some(Some(register))) = (bytes, self.cache.get_mut(plane)) else {
            return false;
        };
        out.copy_from_slice(&bytes[column as usize..][..out.len()]);
        // Members are set, and what is there stays: a count of owners costs more than a comparison.
        if !Arc::ptr_eq(&register.bytes, bytes) {
            register.bytes = Arc::clone(bytes);
        }
        register.verdict = EccVerdict::Good(Ecc::Clean);
        register.loaded = 0..self.spec.geometry.columns() as u32;
        self.data = Some((page, None));
        true
    }

    /// Whether the next program of a page cannot fail.
    #[inline(always)]
    pub(crate) fn is_sound(&self, page: u32) -> bool {
        let (block, _) = self.place(page);
        self.blocks.get(block).is_none_or(|block| !block.failed)
    }

    /// Programs a page that [is sound](Self::is_sound) through the register of its plane, as a program does that [is
    /// allowed](Self::check_program).
    #[inline(always)]
    pub(crate) fn program_sound(&mut self, page: u32, column: u32, data: &[u8]) {
        let plane = self.plane_of(page) as usize;
        let bytes = self.spares.page(&self.spec.erased, column, data);
        self.cache[plane] = Some(Register {
            bytes,
            verdict: EccVerdict::Good(Ecc::Clean),
            loaded: column..column + data.len() as u32,
        });
        self.data = None;
        self.failed.clear();
        self.failed_before.clear();
        self.write_enabled &= !self.spec.write_enable;
        // Without ageing, the instant of the program matters to nothing.
        self.program_cells(page, Time::ZERO);
    }
}
