//! How a NOR flash ages, once ageing is switched on.
//!
//! The smallest unit of erase wears by itself. An erase programs all cells first, so that it does the whole stress of a
//! cycle, and programs do none. Bits go wrong where a sheet says how what leaks grows with the cycles
//! (`retention_exponent`), by the mechanism of NAND flash: a unit is a page of its own, whose bits leak from the first
//! program after its erase on. No error correction stands between them and the host.

use std::sync::Arc;

use wordline_core::Timing;
use wordline_core::quantity::{Period, Time};

use super::{Nor, NorWork};
use crate::ageing::{
    AgeingError, AgeingSheet, Cycle, Disturbed, Environment, Oxide, OxideWear, RetentionClock,
    Stress,
};
use crate::content::BlockCharge;
use crate::pages::Pages;
use crate::power::Residence;
use crate::rules::RuleSet;
use crate::wired::skip::AgeingChip;

/// The ageing figures of a sheet, kept until [`start_ageing`](AgeingChip::start_ageing).
#[derive(Debug)]
pub(super) struct NorAgeingFigures {
    pub(super) sheet: AgeingSheet,
    pub(super) timing: Timing,
    /// Keys what is drawn for the chip.
    pub(super) key: u64,
    pub(super) program_max: Option<Time>,
}

/// The oxide of a chip that ages, and the state of its units.
#[derive(Clone, Debug)]
pub(super) struct NorAgeing {
    oxide: Arc<Oxide>,
    environment: Environment,
    stress: Stress,
    clock: RetentionClock,
    units: Pages<Option<OxideWear>>,
}

impl AgeingChip for Nor {
    /// Lets the chip age from now on: erases wear its oxide, which makes them slower and at last makes them fail. Called
    /// again, it changes the environment.
    ///
    /// # Errors
    /// When the sheet lacks the figures, or the environment is none of a chip.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        environment.check()?;
        let figures = self.spec.ageing.as_ref().ok_or(AgeingError::NoFigures)?;
        let instant = self.ready;
        let (oxide, units, clock) = match self.ageing.take() {
            Some(ageing) => {
                let (retention, celsius) = (&ageing.oxide.retention, ageing.environment.celsius);
                let clock = ageing.clock.turned(instant, retention, celsius);
                (ageing.oxide, ageing.units, clock)
            }
            None => {
                let (rated, unit) = (self.spec.endurance, self.spec.unit_bytes());
                let together = self.spec.geometry.block_bytes() / unit;
                let NorAgeingFigures {
                    sheet, timing, key, ..
                } = figures;
                let oxide = Oxide::new(sheet, *timing, 1, rated, together, *key);
                let units = self.spec.capacity / unit;
                let clock = RetentionClock::new(instant);
                (Arc::new(oxide), Pages::new(units as usize), clock)
            }
        };
        let Stress { erase, program } = oxide.stress(&environment);
        self.ageing = Some(NorAgeing {
            oxide,
            environment,
            stress: Stress {
                erase: erase.saturating_add(program),
                program: 0,
            },
            clock,
            units,
        });
        Ok(())
    }

    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        let geometry = self.spec.geometry;
        let outside = cycle.block >= geometry.blocks || cycle.pages > geometry.pages_per_block;
        if outside || self.rules != RuleSet::ALL || self.suspended.is_some() {
            return most.min(1);
        }
        let bytes = geometry.block_bytes();
        let at = u64::from(cycle.block) * bytes;
        let (rated, pages) = (self.spec.endurance, cycle.pages.min(1));
        let mut alike = most;
        for unit in self.units(at, bytes) {
            let cycles = self.cycles(unit * self.spec.unit_bytes());
            let counted = self.with_worn(unit, |oxide, stress, worn| {
                worn.alike(oxide, pages, stress, most)
            });
            alike = alike.min(counted.unwrap_or(most));
            if cycles < rated {
                alike = alike.min(rated - cycles);
            }
        }
        alike
    }

    fn cycle_cells(&mut self, block: u32, _: u32, cycles: u64) {
        if cycles == 0 {
            return;
        }
        let bytes = self.spec.geometry.block_bytes();
        let at = u64::from(block) * bytes;
        for unit in self.units(at, bytes) {
            self.with_worn(unit, |oxide, stress, worn| {
                worn.cycle(oxide, 0, stress, cycles);
            });
        }
        self.array.erase(at, bytes);
        self.array.count_erases(at, bytes, cycles);
    }

    fn pass(&mut self, time: Time, spent: &Residence) {
        self.meter.skip(time, spent);
        self.ready = self.ready.plus(time);
        if let Some(running) = &mut self.running {
            for instant in [
                &mut running.from,
                &mut running.until,
                &mut running.suspendable,
            ] {
                *instant = instant.plus(time);
            }
        }
    }

    fn is_sampled(&self) -> bool {
        let durations = self.spec.erases.iter().map(|erase| &erase.duration);
        let mut all = durations.chain([&self.spec.page_program]);
        all.any(|spread| spread.low() != spread.high())
    }
}

impl Nor {
    /// Under what the chip ages; `None` for one that does not.
    #[must_use]
    pub fn environment(&self) -> Option<Environment> {
        Some(self.ageing.as_ref()?.environment)
    }

    /// The last program or erase and its address, if it failed.
    #[must_use]
    pub const fn failed(&self) -> Option<(NorWork, u64)> {
        self.failed
    }

    /// How long an erase takes that takes `stated` where nothing ages, of at most `most` up to the rated cycles.
    pub(super) fn aged_erase(
        &mut self,
        at: u64,
        bytes: u64,
        stated: Time,
        most: Option<Time>,
    ) -> Time {
        if self.ageing.is_none() {
            return stated;
        }
        let mut longest = Time::ZERO;
        for unit in self.units(at, bytes) {
            let time = self.with_worn(unit, |oxide, _, worn| {
                oxide.erase_time(stated, worn.erase_loops(oxide))
            });
            let time = time.map_or(stated, |time| self.promised(unit, time, most));
            longest = longest.later(time);
        }
        longest
    }

    /// The same of a program.
    #[inline]
    pub(super) fn aged_program(&mut self, at: u64, stated: Time) -> Time {
        if self.ageing.is_none() {
            return stated;
        }
        let unit = at / self.spec.unit_bytes();
        let most = self.spec.ageing.as_ref();
        let most = most.and_then(|figures| figures.program_max);
        let aged = self.with_worn(unit, |oxide, _, worn| {
            oxide.program_time(stated, worn.program_pulses(oxide, 0))
        });
        aged.map_or(stated, |time| self.promised(unit, time, most))
    }

    /// Wears units by an erase; returns whether that fails.
    pub(super) fn wear_by_erase(&mut self, at: u64, bytes: u64) -> bool {
        if self.ageing.is_none() {
            return false;
        }
        let mut fails = false;
        for unit in self.units(at, bytes) {
            let spent = self.with_worn(unit, |oxide, stress, worn| worn.erase(oxide, stress));
            fails |= spent.unwrap_or(false);
        }
        fails
    }

    /// Lets the chip lie without power for a period, at a temperature in degrees Celsius: its units lose charge, and no
    /// time passes on its clock. One that does not age loses none.
    ///
    /// # Errors
    /// When the temperature or the period is none of a chip.
    pub fn store(&mut self, period: Period, celsius: f64) -> Result<(), AgeingError> {
        let dwell = period;
        Environment { celsius, dwell }.check()?;
        if let Some(NorAgeing { oxide, clock, .. }) = &mut self.ageing {
            clock.store(period, &oxide.retention, celsius);
        }
        Ok(())
    }

    /// The retention clock at an instant, in seconds at 55 °C; `None` where bits do not go wrong.
    fn kept_at(&self, instant: Time) -> Option<f64> {
        let ageing = self.ageing.as_ref()?;
        let retention = &ageing.oxide.retention;
        let celsius = ageing.environment.celsius;
        let goes_wrong = retention.has_exponent();
        goes_wrong.then(|| ageing.clock.at(instant, retention, celsius))
    }

    /// Notes a program that ends at an instant: from the first one on, the charge of its unit leaks.
    #[inline]
    pub(super) fn charge(&mut self, at: u64, instant: Time) {
        if let Some(now) = self.kept_at(instant) {
            let unit = at / self.spec.unit_bytes();
            self.with_worn(unit, |oxide, stress, worn| {
                worn.program(oxide, 0, stress, now);
            });
        }
    }

    /// Turns the bits that have gone wrong in what is read from `at` on until an instant, and counts the read.
    #[inline]
    pub(super) fn disturb(&mut self, at: u64, out: &mut [u8], instant: Time) {
        if let Some(now) = self.kept_at(instant) {
            self.disturb_at(at, out, now);
        }
    }

    fn disturb_at(&mut self, at: u64, out: &mut [u8], now: f64) {
        for unit in self.units(at, out.len() as u64) {
            self.with_worn(unit, |_, _, worn| worn.add_reads(1));
        }
        self.turn_wrong_at(at, out, now);
    }

    /// Turns the bits that have gone wrong in what `out` holds from `at` on by an instant.
    pub(super) fn turn_wrong(&self, at: u64, out: &mut [u8], instant: Time) {
        if let Some(now) = self.kept_at(instant) {
            self.turn_wrong_at(at, out, now);
        }
    }

    fn turn_wrong_at(&self, at: u64, out: &mut [u8], now: f64) {
        let (Some(figures), Some(ageing)) = (&self.spec.ageing, &self.ageing) else {
            return;
        };
        let unit_bytes = self.spec.unit_bytes();
        let end = at + out.len() as u64;
        for unit in self.units(at, out.len() as u64) {
            let Some(Some(worn)) = ageing.units.get(unit as usize) else {
                continue;
            };
            let first = unit * unit_bytes;
            let disturbed = Disturbed {
                key: figures.key,
                page: unit as u32,
                index: 0,
                cycle: worn.drawn_by(self.cycles(first)),
                now,
                bits: (8 * unit_bytes) as u32,
            };
            for bit in disturbed.wrong(&ageing.oxide, worn) {
                let byte = first + u64::from(bit / 8);
                if (at..end).contains(&byte) {
                    out[(byte - at) as usize] ^= 1 << (bit % 8);
                }
            }
        }
    }

    /// What the bits of each unit of a range have gone through; nothing in a chip that does not age.
    pub(super) fn charges(&self, at: u64, bytes: u64) -> Vec<BlockCharge> {
        let Some(ageing) = &self.ageing else {
            return Vec::new();
        };
        let charge = |unit: u64| match ageing.units.get(unit as usize) {
            Some(Some(worn)) => worn.kept_charge(self.cycles(unit * self.spec.unit_bytes())),
            _ => BlockCharge::default(),
        };
        self.units(at, bytes).map(charge).collect()
    }

    /// Lets the charge of the units of a range be new.
    pub(super) fn forget_charges(&mut self, at: u64, bytes: u64) {
        let units = self.units(at, bytes);
        let Some(ageing) = &mut self.ageing else {
            return;
        };
        for unit in units {
            if ageing.units.get(unit as usize).is_some_and(Option::is_some)
                && let Some(worn) = ageing.units.get_mut(unit as usize)
            {
                worn.forget();
            }
        }
    }

    /// Lets the units of a range have gone through what was noted of them; those of which nothing was stay as they are.
    pub(super) fn set_charges(&mut self, at: u64, bytes: u64, charges: &[BlockCharge]) {
        for (unit, charge) in self.units(at, bytes).zip(charges) {
            if !charge.stored.is_empty() {
                self.with_worn(unit, |_, _, worn| worn.set_charge(charge));
            }
        }
    }

    /// Whether the unit at an address is worn out, so that programs fail.
    #[inline]
    pub(super) fn is_worn_out(&mut self, at: u64) -> bool {
        if self.ageing.is_none() {
            return false;
        }
        let unit = at / self.spec.unit_bytes();
        self.with_worn(unit, |_, _, worn| worn.is_spent())
            .unwrap_or(false)
    }

    /// Discards the wear of units: it is computed from their cycles again.
    pub(super) fn forget_wear(&mut self, at: u64, bytes: u64) {
        let units = self.units(at, bytes);
        if let Some(ageing) = &mut self.ageing {
            for unit in units {
                ageing.units.remove(unit as usize);
            }
        }
    }

    /// How much longer than stated the longest erase and program take.
    pub(super) fn longest_aged(&self, program: Time, erase: Time) -> (Time, Time) {
        match &self.ageing {
            None => (program, erase),
            Some(NorAgeing { oxide, .. }) => {
                let (pulses, loops) = oxide.longest();
                (
                    oxide.program_time(program, pulses),
                    oxide.erase_time(erase, loops),
                )
            }
        }
    }

    /// Up to its rated cycles, a unit keeps to the column `max`.
    fn promised(&self, unit: u64, time: Time, most: Option<Time>) -> Time {
        match most {
            Some(most) if self.cycles(unit * self.spec.unit_bytes()) < self.spec.endurance => {
                time.min(most)
            }
            _ => time,
        }
    }

    fn units(&self, at: u64, bytes: u64) -> std::ops::Range<u64> {
        let unit = self.spec.unit_bytes();
        at / unit..(at + bytes).min(self.spec.capacity).div_ceil(unit)
    }

    /// Does something with the state of a unit that ages; `None` in a chip that does not.
    fn with_worn<T>(
        &mut self,
        unit: u64,
        run: impl FnOnce(&Oxide, Stress, &mut OxideWear) -> T,
    ) -> Option<T> {
        self.ageing.as_ref()?;
        let cycles = self.cycles(unit * self.spec.unit_bytes());
        let NorAgeing {
            oxide,
            stress,
            units,
            ..
        } = self.ageing.as_mut()?;
        let worn = units.get_mut(unit as usize);
        let worn = worn.get_or_insert_with(|| OxideWear::new(oxide, unit as u32, cycles));
        Some(run(oxide, *stress, worn))
    }

    /// How a unit has worn.
    #[cfg(test)]
    pub(crate) fn worn(&self, unit: u64) -> Option<&OxideWear> {
        self.ageing.as_ref()?.units.get(unit as usize)?.as_ref()
    }
}
