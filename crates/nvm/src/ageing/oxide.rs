//! The oxide of a chip: how strong its blocks are, and at which stress its pulses change.

use wordline_core::Timing;
use wordline_core::draw::{Purpose, draw, standard_normal, unit_interval};
use wordline_core::quantity::{Quantity as _, Time};

use super::{AgeingSheet, Environment, Retention};

/// Stress of one full cycle. A power of two, and small enough that 2^44 cycles fit a count.
pub(crate) const CYCLE: u64 = 1 << 20;

/// The operations over which the paper takes the mean that it compares with a typical figure.
const MEAN_CYCLES: u64 = 10_000;

/// Stress that one operation adds, in parts of a [`CYCLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stress {
    /// Of an erase, to every page of its block.
    pub(crate) erase: u64,
    /// Of a program, to its page.
    pub(crate) program: u64,
}

/// When an operation's pulses change: at stresses that all pages share, and at shares of a page's strength.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Steps {
    fresh: u32,
    /// Stresses, ascending, at each of which a pulse is saved.
    early: Vec<u64>,
    /// Shares of the strength, ascending.
    late: Vec<f64>,
}

impl Steps {
    /// The late steps that a page has taken.
    pub(crate) fn late_taken(&self, stress: u64, strength: u64) -> usize {
        let taken = self.late.iter();
        taken
            .take_while(|share| stress >= border(**share, strength))
            .count()
    }

    /// The stress at which a page takes the late step after `taken` of them.
    pub(crate) fn late_border(&self, taken: usize, strength: u64) -> Option<u64> {
        let share = self.late.get(taken)?;
        Some(border(*share, strength))
    }

    fn early_taken(&self, stress: u64) -> usize {
        self.early.partition_point(|border| *border <= stress)
    }

    /// The next stress at which the pulses of a page change.
    pub(crate) fn next(&self, stress: u64, strength: u64) -> Option<u64> {
        let early = self.early.get(self.early_taken(stress)).copied();
        let late = self.late_border(self.late_taken(stress, strength), strength);
        [early, late].into_iter().flatten().min()
    }
}

/// The stress at which a page has used a share of its strength.
fn border(share: f64, strength: u64) -> u64 {
    (share * strength as f64) as u64
}

/// The oxide of one chip.
#[derive(Clone, Debug)]
pub(crate) struct Oxide {
    key: u64,
    pages: u32,
    /// Cycles that the data sheet promises.
    pub(crate) rated: u64,
    /// Scale of the strengths of the pages of the chip's median block.
    scale: f64,
    block_spread: f64,
    page_shape: f64,
    weak_share: f64,
    weak_strength: f64,
    erase_stress: f64,
    cold_stress: f64,
    dwell_relief: f64,
    program: Steps,
    erase: Steps,
    /// Pulses and loops that take as long as the sheet's column says.
    program_unit: f64,
    erase_unit: f64,
    pub(crate) program_disturb: f64,
    pub(crate) read_disturb: f64,
    pub(crate) retention: Retention,
}

impl Oxide {
    /// The oxide of the chip that `key` draws, with blocks of `pages` pages that are rated for `rated` cycles. The erase
    /// that its sheet times erases `together` such blocks at once.
    pub(crate) fn new(
        sheet: &AgeingSheet,
        timing: Timing,
        pages: u32,
        rated: u64,
        together: u64,
        key: u64,
    ) -> Self {
        let (shape, part) = (*sheet.page_shape.value(), *sheet.erase_stress.value());
        let endurance = endurance(sheet);
        let scale = page_scale(sheet, pages);
        let chip = standard_normal(draw(key, 0, 0, Purpose::Oxide));
        let law = ThresholdLaw::new(sheet);
        // What is erased together lives so many cycles: with a law of its own, which speaks of what is erased, as the
        // draws come to; else of the median block.
        let weakest = match sheet.erase_growth() {
            Some(_) => median_life(sheet, together),
            None => endurance * libm::pow(together.max(1) as f64, -1.0 / shape),
        };
        let mut oxide = Self {
            key,
            pages,
            rated,
            scale: scale * libm::exp(*sheet.chip_spread.value() * chip),
            block_spread: *sheet.block_spread.value(),
            page_shape: shape,
            weak_share: *sheet.weak_share.value(),
            weak_strength: *sheet.weak_strength.value(),
            erase_stress: part,
            cold_stress: *sheet.cold_stress.value(),
            dwell_relief: *sheet.dwell_relief.value(),
            program: Steps {
                fresh: *sheet.program_pulses.value(),
                early: early(sheet),
                late: law.late(*sheet.program_pulses_late.value()),
            },
            erase: Steps {
                fresh: *sheet.erase_loops.value(),
                early: Vec::new(),
                late: match sheet.erase_growth() {
                    Some(growth) => growth_shares(sheet, growth, weakest),
                    None => law.late(sheet.erase_loops_last.value() - sheet.erase_loops.value()),
                },
            },
            program_unit: 1.0,
            erase_unit: 1.0,
            program_disturb: *sheet.program_disturb.value(),
            read_disturb: *sheet.read_disturb.value(),
            retention: Retention::new(sheet, rated),
        };
        let page = scale * libm::pow(std::f64::consts::LN_2, 1.0 / shape);
        oxide.tie(timing, as_stress(page), as_stress(weakest));
        oxide
    }

    /// Ties pulses to the sheet's columns, for the median block: of a page of strength `page`, in what is erased
    /// together and lives to a stress of `life`.
    fn tie(&mut self, timing: Timing, page: u64, life: u64) {
        let cycles = MEAN_CYCLES.min(life / CYCLE).max(1);
        (self.program_unit, self.erase_unit) = match timing {
            Timing::Typ | Timing::Sampled => (
                mean(cycles, |stress| {
                    (
                        self.program_pulses(stress, page),
                        self.program.next(stress, page),
                    )
                }),
                mean(cycles, |stress| {
                    let taken = self.erase.late_taken(stress, life);
                    (self.erase_loops(taken), self.erase.late_border(taken, life))
                }),
            ),
            Timing::Max => {
                let rated = self.rated.saturating_mul(CYCLE);
                let taken = self.erase.late_taken(rated, life);
                (
                    f64::from(self.program.fresh),
                    f64::from(self.erase_loops(taken)),
                )
            }
        };
    }

    /// What an operation adds in an environment.
    pub(crate) fn stress(&self, environment: &Environment) -> Stress {
        let factor = stress_of_cycle(self.cold_stress, self.dwell_relief, environment);
        let units = |share: f64| (share * factor * CYCLE as f64).round() as u64;
        Stress {
            erase: units(self.erase_stress).max(1),
            program: units(1.0 - self.erase_stress),
        }
    }

    /// Strengths of the pages of a block.
    pub(crate) fn strengths(&self, block: u32) -> Vec<u64> {
        let lot = |what| draw(self.key, u64::from(block), what, Purpose::Oxide);
        let mut scale = self.scale * libm::exp(self.block_spread * standard_normal(lot(1)));
        if unit_interval(lot(2)) < self.weak_share {
            scale *= self.weak_strength;
        }
        let strength = |page| {
            let chance = unit_interval(lot(3 + u64::from(page)));
            as_stress(scale * libm::pow(-libm::log(chance), 1.0 / self.page_shape))
        };
        (0..self.pages).map(strength).collect()
    }

    /// Pulses of a program of a page.
    pub(crate) fn program_pulses(&self, stress: u64, strength: u64) -> u32 {
        let saved = self.program.early_taken(stress) + self.program.late_taken(stress, strength);
        self.program.fresh - saved as u32
    }

    /// Loops of an erase of a block whose neediest page has taken so many steps.
    pub(crate) fn erase_loops(&self, taken: usize) -> u32 {
        self.erase.fresh + taken as u32
    }

    pub(crate) const fn program_steps(&self) -> &Steps {
        &self.program
    }

    pub(crate) const fn erase_steps(&self) -> &Steps {
        &self.erase
    }

    /// How long a program of so many pulses takes where the sheet's column says `stated`.
    pub(crate) fn program_time(&self, stated: Time, pulses: u32) -> Time {
        scaled(stated, f64::from(pulses) / self.program_unit)
    }

    /// The same of an erase.
    pub(crate) fn erase_time(&self, stated: Time, loops: u32) -> Time {
        scaled(stated, f64::from(loops) / self.erase_unit)
    }

    /// The most pulses that a program takes, and the most loops of an erase.
    pub(crate) fn longest(&self) -> (u32, u32) {
        (self.program.fresh, self.erase_loops(self.erase.late.len()))
    }
}

/// Cycles that the sheet states for the median block of the median chip, of which one page is programmed.
fn endurance(sheet: &AgeingSheet) -> f64 {
    sheet.endurance.nominal().count().max(1) as f64
}

/// Scale of the strengths of the pages of that block, in cycles: the life of a block of which one page is programmed
/// is Weibull.
pub(super) fn page_scale(sheet: &AgeingSheet, pages: u32) -> f64 {
    let exposure = block_exposure(sheet, pages, 1);
    let shape = *sheet.page_shape.value();
    endurance(sheet) * libm::pow(exposure / std::f64::consts::LN_2, 1.0 / shape)
}

/// Pages with the whole stress of a cycle that fail as soon as a block of `pages` pages, of which each cycle programs
/// `programmed` and erases all.
pub(super) fn block_exposure(sheet: &AgeingSheet, pages: u32, programmed: u32) -> f64 {
    let others = f64::from(pages.saturating_sub(programmed));
    let erased = libm::pow(*sheet.erase_stress.value(), *sheet.page_shape.value());
    f64::from(programmed) + others * erased
}

/// The stress of a cycle in an environment, as a multiple of that at 25 °C without dwell.
pub(super) fn stress_of_cycle(
    cold_stress: f64,
    dwell_relief: f64,
    environment: &Environment,
) -> f64 {
    // Electrons are trapped more where it is cold; between the two temperatures that were measured, and below them,
    // the exponential of them.
    let cold = ((25.0 - environment.celsius) / 20.0).max(0.0);
    let cold = libm::pow(cold_stress, cold);
    let decades = libm::log10(environment.dwell.si().max(1.0));
    cold / (1.0 + dwell_relief * decades)
}

fn scaled(time: Time, factor: f64) -> Time {
    Time::from_ps((time.ps() as f64 * factor).round() as u64)
}

/// Cycles as a stress, one part at least.
fn as_stress(cycles: f64) -> u64 {
    ((cycles * CYCLE as f64) as u64).max(1)
}

/// The stresses at which pulses are saved while the traps fill up, to first order.
fn early(sheet: &AgeingSheet) -> Vec<u64> {
    let shares = early_shares(*sheet.program_pulses_early.value());
    let cycles = sheet.early_cycles.value();
    shares
        .iter()
        .map(|share| as_stress(cycles * share))
        .collect()
}

/// The mean over the first `cycles` cycles of a count that changes at known stresses. `of` gives the count at a stress
/// and where it changes next.
fn mean(cycles: u64, of: impl Fn(u64) -> (u32, Option<u64>)) -> f64 {
    let (mut cycle, mut sum) = (0, 0.0);
    while cycle < cycles {
        let (count, next) = of(cycle * CYCLE);
        let end = next
            .map_or(cycles, |next| next.div_ceil(CYCLE))
            .clamp(cycle + 1, cycles);
        sum += f64::from(count) * (end - cycle) as f64;
        cycle = end;
    }
    sum / cycles as f64
}

/// The used shares of a page's strength at which `count` pulses are saved, or loops are added, as the shift of the
/// threshold has it: of which traps at the interface make `interface_share`, with the exponent `interface` of the
/// share, and those in the bulk the rest, with `bulk`.
#[must_use]
pub fn late_shares(interface_share: f64, interface: f64, bulk: f64, count: u32) -> Vec<f64> {
    let law = ThresholdLaw {
        interface_share,
        interface,
        bulk,
    };
    law.late(count)
}

/// Median life, in cycles, of the weakest of so many blocks of the median chip that are erased together: the life of each is
/// Weibull, at a scale that spreads from block to block. By the trapezoid rule and by halving.
fn median_life(sheet: &AgeingSheet, together: u64) -> f64 {
    let (shape, spread) = (*sheet.page_shape.value(), *sheet.block_spread.value());
    let (weak, weakness) = (*sheet.weak_share.value(), *sheet.weak_strength.value());
    let endurance = endurance(sheet);
    let stands = |cycles: f64| {
        let (mut sum, mut all) = (0.0, 0.0);
        for step in -40..=40 {
            let z = f64::from(step) * 0.125;
            let density = libm::exp(-0.5 * z * z);
            let scale = endurance * libm::exp(spread * z);
            let one =
                |scale: f64| libm::exp(-std::f64::consts::LN_2 * libm::pow(cycles / scale, shape));
            sum += density * ((1.0 - weak) * one(scale) + weak * one(scale * weakness));
            all += density;
        }
        libm::pow(sum / all, together.max(1) as f64)
    };
    let (mut low, mut high) = (0.0, endurance * libm::exp(5.0 * spread));
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if stands(middle) > 0.5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.max(1.0)
}

/// The used shares of its strength at which a block that lives for `life` cycles takes its loops where an erase takes
/// 1 + (cycles / doubling)^exponent times as long as a fresh one: each half-way to its next loop. Blocks of other
/// strengths go the same way at their own pace. Loops beyond the last one, and beyond the life, are not taken.
fn growth_shares(sheet: &AgeingSheet, (doubling, exponent): (f64, f64), life: f64) -> Vec<f64> {
    let fresh = *sheet.erase_loops.value();
    let more = sheet.erase_loops_last.value().saturating_sub(fresh);
    let share = |step: u32| {
        let grown = (f64::from(step) + 0.5) / f64::from(fresh);
        doubling * libm::pow(grown, 1.0 / exponent) / life
    };
    (0..more)
        .map(share)
        .take_while(|share| *share <= 1.0)
        .collect()
}

/// Cycles at which `count` pulses are saved while the traps of a fresh oxide fill up, as multiples of the cycles in
/// which all but a part 1/e of them do.
#[must_use]
pub fn early_shares(count: u32) -> Vec<f64> {
    (0..count)
        .map(|step| -libm::log1p(-(f64::from(step) + 0.5) / f64::from(count)))
        .collect()
}

/// The shift of the threshold over life.
struct ThresholdLaw {
    interface_share: f64,
    interface: f64,
    bulk: f64,
}

impl ThresholdLaw {
    fn new(sheet: &AgeingSheet) -> Self {
        Self {
            interface_share: *sheet.interface_share.value(),
            interface: *sheet.interface_exponent.value(),
            bulk: *sheet.bulk_exponent.value(),
        }
    }

    /// The shift of a page that has used a share of its strength, as a part of that at the end.
    fn shift(&self, used: f64) -> f64 {
        let share = self.interface_share;
        share * libm::pow(used, self.interface) + (1.0 - share) * libm::pow(used, self.bulk)
    }

    /// The shares of strength at which `count` steps are taken, each half-way between two even parts of the shift.
    fn late(&self, count: u32) -> Vec<f64> {
        (0..count)
            .map(|step| self.used((f64::from(step) + 0.5) / f64::from(count)))
            .collect()
    }

    /// The share of strength at which the shift has come to a part: by halving, because the law has no inverse.
    fn used(&self, part: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..64 {
            let middle = f64::midpoint(low, high);
            if self.shift(middle) < part {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
