//! How a NAND ages, once ageing is switched on: where the model of its oxide meets its commands.

use std::sync::Arc;

use wordline_core::Timing;
use wordline_core::quantity::{Period, Time};
use wordline_memory::Ecc;

use super::Nand;
use super::ecc::{Code, EccVerdict};
use super::sheet::NandSheet;
use crate::ageing::{
    AgeingError, AgeingSheet, Cycle, Disturbed, Environment, Oxide, OxideWear, RetentionClock,
    Stress,
};
use crate::error::NvmError;
use crate::power::Residence;
use crate::rules::RuleSet;
use crate::wired::skip::AgeingChip;

/// The ageing figures of a sheet, kept until [`start_ageing`](AgeingChip::start_ageing).
#[derive(Debug)]
pub(super) struct NandAgeingFigures {
    sheet: AgeingSheet,
    timing: Timing,
    /// The columns `max` of a program, with the ECC off and on, and of an erase.
    program_max: [Option<Time>; 2],
    erase_max: Option<Time>,
}

impl NandAgeingFigures {
    pub(super) fn new(sheet: &NandSheet, timing: Timing) -> Option<Self> {
        let program = &sheet.page_program;
        let bare = sheet.page_program_without_ecc.as_ref().unwrap_or(program);
        Some(Self {
            sheet: sheet.aging.clone()?,
            timing,
            program_max: [bare.max(), program.max()],
            erase_max: sheet.block_erase.max(),
        })
    }
}

/// What a chip that ages needs besides its [`NandAgeingFigures`].
#[derive(Clone, Debug)]
pub(super) struct NandAgeing {
    oxide: Oxide,
    environment: Environment,
    stress: Stress,
    clock: RetentionClock,
}

impl NandAgeing {
    /// The retention clock at an instant, in seconds at 55 °C.
    fn kept_at(&self, instant: Time) -> f64 {
        let retention = &self.oxide.retention;
        self.clock.at(instant, retention, self.environment.celsius)
    }
}

impl AgeingChip for Nand {
    /// Lets the chip age from now on: programs and erases wear its oxide, which changes how long they take, and at
    /// last makes them fail; bits go wrong as pages are kept and read. Until then none of that happens. Called again,
    /// it changes the environment.
    ///
    /// Where the sheet leaves the error correction to the host, reads are corrected as it asks from then on, unless
    /// [`use_host_ecc`](Nand::use_host_ecc) says otherwise.
    ///
    /// # Errors
    /// When the sheet lacks the figures, or the environment is none of a chip.
    fn start_ageing(&mut self, environment: Environment) -> Result<(), AgeingError> {
        environment.check()?;
        let figures = self.spec.ageing.as_ref().ok_or(AgeingError::NoFigures)?;
        let instant = self.busy_until.later(self.ready);
        let next = match &self.ageing {
            Some(ageing) => NandAgeing {
                stress: ageing.oxide.stress(&environment),
                environment,
                clock: ageing.clock.turned(
                    instant,
                    &ageing.oxide.retention,
                    ageing.environment.celsius,
                ),
                oxide: ageing.oxide.clone(),
            },
            None => {
                let (pages, rated) = (self.spec.geometry.pages_per_block, self.spec.endurance);
                let (sheet, timing) = (&figures.sheet, figures.timing);
                let oxide = Oxide::new(sheet, timing, pages, rated, 1, self.spec.key);
                NandAgeing {
                    stress: oxide.stress(&environment),
                    environment,
                    clock: RetentionClock::new(instant),
                    oxide,
                }
            }
        };
        self.ageing = Some(Arc::new(next));
        Ok(())
    }

    fn alike(&mut self, cycle: &Cycle<'_>, most: u64) -> u64 {
        let geometry = self.spec.geometry;
        let Some(cycles) = self.cycles_of(cycle.block) else {
            return most.min(1);
        };
        let plain = self
            .blocks
            .get(cycle.block as usize)
            .is_none_or(|block| block.highest.is_none() && !block.failed);
        let predictable = self.faults == super::Faults::default() && self.rules == RuleSet::ALL;
        if !plain || !predictable || cycle.pages > geometry.pages_per_block {
            return most.min(1);
        }
        let rated = self.spec.endurance;
        let alike = self.with_worn(cycle.block, |ageing, worn| {
            let most = if cycles < rated {
                most.min(rated - cycles)
            } else {
                most
            };
            worn.alike(&ageing.oxide, cycle.pages, ageing.stress, most)
        });
        alike.unwrap_or(most)
    }

    fn cycle_cells(&mut self, block: u32, pages: u32, cycles: u64) {
        if cycles == 0 {
            return;
        }
        self.with_worn(block, |ageing, worn| {
            worn.cycle(&ageing.oxide, pages, ageing.stress, cycles);
        });
        let rules = self.rules;
        let block = self.blocks.get_mut(block as usize);
        block.erase(false, rules, &mut self.spares, &self.spec.erased);
        block.erases = block.erases.saturating_add(cycles - 1);
    }

    fn pass(&mut self, time: Time, spent: &Residence) {
        self.meter.skip(time, spent);
        for instant in [
            &mut self.booked,
            &mut self.ready,
            &mut self.busy_until,
            &mut self.array_until,
        ] {
            *instant = instant.plus(time);
        }
    }

    fn is_sampled(&self) -> bool {
        let differs = |spread: &wordline_core::Spread<Time>| spread.low() != spread.high();
        differs(&self.spec.erase) || differs(self.spec.page_program(self.ecc))
    }
}

impl Nand {
    /// Under what the chip ages; `None` for one that does not.
    #[must_use]
    pub fn environment(&self) -> Option<Environment> {
        Some(self.ageing.as_ref()?.environment)
    }

    /// Lets the chip lie without power for a period, at a temperature in degrees Celsius: its pages lose charge, and no
    /// time passes on its clock. One that does not age loses none.
    ///
    /// # Errors
    /// When the temperature or the period is none of a chip.
    pub fn store(&mut self, period: Period, celsius: f64) -> Result<(), AgeingError> {
        let dwell = period;
        Environment { celsius, dwell }.check()?;
        if let Some(ageing) = &mut self.ageing {
            let NandAgeing { oxide, clock, .. } = Arc::make_mut(ageing);
            clock.store(period, &oxide.retention, celsius);
        }
        Ok(())
    }

    /// Lets so many reads of pages of a block have happened, without time or energy.
    ///
    /// # Errors
    /// When there is no such block.
    pub fn disturb(&mut self, block: u32, reads: u64) -> Result<(), NvmError> {
        self.spec.geometry.check_block(block)?;
        self.with_worn(block, |_, worn| worn.add_reads(reads));
        Ok(())
    }

    /// Takes a block through up to `cycles` cycles, in which its first `pages` pages are programmed, without time or
    /// energy. Ends erased, before the cycle that would fail; returns how many cycles that were.
    ///
    /// # Errors
    /// When there is no such block or it has fewer pages.
    pub fn wear_block(&mut self, block: u32, pages: u32, cycles: u64) -> Result<u64, NvmError> {
        let geometry = self.spec.geometry;
        geometry.check_block(block)?;
        if pages > geometry.pages_per_block {
            let page = u64::from(block) * u64::from(geometry.pages_per_block) + u64::from(pages);
            geometry.check_read(u32::try_from(page).unwrap_or(u32::MAX), 0, 0)?;
        }
        if cycles == 0 {
            return Ok(0);
        }
        let pages = pages.min(geometry.pages_per_block);
        let stands = self.with_worn(block, |ageing, worn| worn.stands(pages, ageing.stress));
        let failed = self
            .blocks
            .get(block as usize)
            .is_some_and(|block| block.failed);
        let cycles = if failed {
            0
        } else {
            stands.unwrap_or(cycles).min(cycles)
        };
        self.cycle_cells(block, pages, cycles);
        Ok(cycles)
    }

    /// How long a program takes that takes `stated` where nothing ages.
    pub(super) fn aged_program(&mut self, page: u32, stated: Time) -> Time {
        let (block, index) = self.place(page);
        let ecc = self.ecc;
        let aged = self.with_worn(block as u32, |ageing, worn| {
            let pulses = worn.program_pulses(&ageing.oxide, index);
            ageing.oxide.program_time(stated, pulses)
        });
        let most = self.spec.ageing.as_ref();
        let most = most.and_then(|figures| figures.program_max[usize::from(ecc)]);
        aged.map_or(stated, |time| self.promised(block as u32, time, most))
    }

    /// The same of an erase.
    pub(super) fn aged_erase(&mut self, block: u32, stated: Time) -> Time {
        let aged = self.with_worn(block, |ageing, worn| {
            let loops = worn.erase_loops(&ageing.oxide);
            ageing.oxide.erase_time(stated, loops)
        });
        let most = self.spec.ageing.as_ref();
        let most = most.and_then(|figures| figures.erase_max);
        aged.map_or(stated, |time| self.promised(block, time, most))
    }

    /// Up to its rated cycles, a block keeps to the column `max`.
    fn promised(&self, block: u32, time: Time, most: Option<Time>) -> Time {
        match most {
            Some(most) if self.cycles_of(block) < Some(self.spec.endurance) => time.min(most),
            _ => time,
        }
    }

    /// Wears a page by a program that ends at `end`; returns whether that fails.
    pub(super) fn wear_by_program(&mut self, page: u32, end: Time) -> bool {
        let (block, index) = self.place(page);
        let fails = self.with_worn(block as u32, |ageing, worn| {
            let now = ageing.kept_at(end);
            worn.program(&ageing.oxide, index, ageing.stress, now)
        });
        fails.unwrap_or(false)
    }

    /// Wears a block by an erase; returns whether that fails.
    pub(super) fn wear_by_erase(&mut self, block: u32) -> bool {
        let fails = self.with_worn(block, |ageing, worn| {
            worn.erase(&ageing.oxide, ageing.stress)
        });
        fails.unwrap_or(false)
    }

    /// Counts a read of a page that ends at `end`; returns the bits that have gone wrong in it.
    pub(super) fn disturbed(&mut self, page: u32, end: Time) -> Vec<u32> {
        if self.ageing.is_none() {
            return Vec::new();
        }
        let (block, _) = self.place(page);
        self.with_worn(block as u32, |_, worn| worn.add_reads(1));
        self.gone_wrong(page, end)
    }

    /// The bits that have gone wrong in a page by `instant`.
    pub(super) fn gone_wrong(&self, page: u32, instant: Time) -> Vec<u32> {
        let (block, index) = self.place(page);
        let worn = self.blocks.get(block).and_then(|block| block.worn.as_ref());
        let (Some(ageing), Some(worn)) = (&self.ageing, worn) else {
            return Vec::new();
        };
        let disturbed = Disturbed {
            key: self.spec.key,
            page,
            index,
            cycle: worn.drawn_by(self.erases(block)),
            now: ageing.kept_at(instant),
            bits: self.spec.geometry.page_bytes * 8,
        };
        disturbed.wrong(&ageing.oxide, worn)
    }

    /// What the status says where the ECC found this in a page.
    pub(crate) fn reported(&self, found: Ecc) -> Ecc {
        let Ecc::Corrected { bits, .. } = found else {
            return found;
        };
        match self.read_code().map(|code| code.verdict(u32::from(bits))) {
            Some(EccVerdict::Good(told)) => told,
            _ => found,
        }
    }

    /// The error correction that reads go through: on the die, or the host's where that is asked for, or where the chip
    /// ages and nothing was asked for.
    pub(super) fn read_code(&self) -> Option<&Code> {
        if self.spec.code.is_some() {
            return self.spec.code.as_ref().filter(|_| self.ecc);
        }
        let is_used = self.host_ecc.unwrap_or(self.ageing.is_some());
        self.spec.host_code.as_ref().filter(|_| is_used)
    }

    /// Lets reads go through the error correction that the sheet asks of the host, or gives the bits as they are, whether
    /// the chip ages or not. Returns whether the sheet asks for one.
    pub fn use_host_ecc(&mut self, on: bool) -> bool {
        self.host_ecc = Some(on);
        self.spec.host_code.is_some()
    }

    /// Pulses of a program and loops of an erase, the most of each, in a chip that ages: the longest times.
    pub(super) fn longest_aged(&self, program: Time, erase: Time) -> (Time, Time) {
        match &self.ageing {
            None => (program, erase),
            Some(ageing) => {
                let (pulses, loops) = ageing.oxide.longest();
                (
                    ageing.oxide.program_time(program, pulses),
                    ageing.oxide.erase_time(erase, loops),
                )
            }
        }
    }

    /// Does something with the state of a block that ages; `None` in a chip that does not, and where there is no such
    /// block.
    pub(super) fn with_worn<T>(
        &mut self,
        block: u32,
        run: impl FnOnce(&NandAgeing, &mut OxideWear) -> T,
    ) -> Option<T> {
        let ageing = Arc::clone(self.ageing.as_ref()?);
        let cycles = self.cycles_of(block)?;
        let block = {
            let number = block;
            let state = self.blocks.get_mut(block as usize);
            let fresh = || Box::new(OxideWear::new(&ageing.oxide, number, cycles));
            state.worn.get_or_insert_with(fresh)
        };
        Some(run(&ageing, block))
    }
}

#[cfg(test)]
impl Nand {
    /// How a block has worn.
    pub(crate) fn worn(&self, block: u32) -> Option<&OxideWear> {
        self.blocks.get(block as usize)?.worn.as_deref()
    }
}
