//! Bits that go wrong in a page as it is kept, read and programmed around.

use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::quantity::{Period, Quantity as _, Time};

use super::oxide::CYCLE;
use super::{AgeingSheet, Oxide, OxideWear};

/// Boltzmann's constant in electronvolts per kelvin (CODATA 2018).
const BOLTZMANN: f64 = 8.617_333_262e-5;

const YEAR_S: f64 = 365.25 * 86_400.0;

/// How charge leaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Retention {
    /// Share of wrong bits for each cycle of stress and second at 55 °C, where they are in proportion.
    rate: f64,
    energy: f64,
    /// Exponent of the cycles, and the cycles at which it changes nothing.
    exponent: Option<(f64, f64)>,
}

impl Retention {
    pub(super) fn new(sheet: &AgeingSheet, rated: u64) -> Self {
        Self {
            rate: sheet.retention_errors.value() / (rated.max(1) as f64 * YEAR_S),
            energy: *sheet.retention_energy.value(),
            exponent: sheet
                .retention_exponent
                .as_ref()
                .map(|exponent| (*exponent.value(), rated.max(1) as f64)),
        }
    }

    /// Whether the sheet says how what leaks grows with the cycles.
    pub(crate) const fn has_exponent(&self) -> bool {
        self.exponent.is_some()
    }

    /// Cycles that would leak as much as these do, if what leaks were in proportion to them.
    pub(super) fn leaking(&self, cycles: f64) -> f64 {
        match self.exponent {
            Some((exponent, rated)) => rated * libm::pow(cycles / rated, exponent),
            None => cycles,
        }
    }

    /// Share of wrong bits for each cycle of stress after so many seconds at a temperature.
    pub(super) fn share(&self, kept_s: f64, celsius: f64) -> f64 {
        self.rate * self.acceleration(celsius) * kept_s
    }

    /// Seconds at 55 °C that a second at a temperature amounts to (Arrhenius).
    pub(crate) fn acceleration(&self, celsius: f64) -> f64 {
        let inverse = |celsius: f64| 1.0 / (celsius + 273.15);
        libm::exp(self.energy / BOLTZMANN * (inverse(55.0) - inverse(celsius)))
    }
}

/// The clock by which charge leaks: seconds at 55 °C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RetentionClock {
    /// As it stood at an instant.
    kept_s: f64,
    since: Time,
}

impl RetentionClock {
    /// A clock that begins at an instant.
    pub(crate) const fn new(since: Time) -> Self {
        Self { kept_s: 0.0, since }
    }

    /// What it shows at an instant, after work at a temperature.
    pub(crate) fn at(&self, instant: Time, retention: &Retention, celsius: f64) -> f64 {
        self.kept_s + retention.acceleration(celsius) * instant.since(self.since).si()
    }

    /// The clock from an instant on, after which the temperature may differ.
    pub(crate) fn turned(&self, instant: Time, retention: &Retention, celsius: f64) -> Self {
        Self {
            kept_s: self.at(instant, retention, celsius),
            since: instant,
        }
    }

    /// Lets a period pass at a temperature, in which the chip has no power.
    pub(crate) fn store(&mut self, period: Period, retention: &Retention, celsius: f64) {
        self.kept_s += retention.acceleration(celsius) * period.si();
    }
}

/// Which page is read, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disturbed {
    /// Keys the draws of the chip.
    pub(crate) key: u64,
    /// The page, in the chip and in its block.
    pub(crate) page: u32,
    pub(crate) index: u32,
    /// Erases of the block.
    pub(crate) cycle: u64,
    /// The chip's retention clock: seconds at 55 °C.
    pub(crate) now: f64,
    /// Bits of the page.
    pub(crate) bits: u32,
}

impl Disturbed {
    /// The bits that have gone wrong in the page; none in one that holds nothing.
    pub(crate) fn wrong(&self, oxide: &Oxide, worn: &OxideWear) -> Vec<u32> {
        let expected = self.expected(oxide, worn);
        self.first(expected)
    }

    /// How many are expected to be wrong.
    fn expected(&self, oxide: &Oxide, worn: &OxideWear) -> f64 {
        let charge = worn.charge();
        let Some((stored, order)) = charge.stored[self.index as usize] else {
            return 0.0;
        };
        let cycles = worn.stress(self.index) as f64 / CYCLE as f64;
        let programs = charge.programs.saturating_sub(order) as f64;
        let wear = 1.0 + cycles / oxide.rated.max(1) as f64;
        let kept = (self.now - stored).max(0.0);
        programs * oxide.program_disturb
            + charge.reads as f64 * wear / oxide.read_disturb
            + f64::from(self.bits)
                * (oxide.retention.rate * oxide.retention.leaking(cycles) * kept).min(0.5)
    }

    /// The first of the page's wrong bits: as many as arrivals of a Poisson process come before `expected`. The same
    /// come first whenever it is asked, so that wrong bits only ever join them.
    fn first(&self, expected: f64) -> Vec<u32> {
        let mut wrong = Vec::new();
        let mut arrived = 0.0;
        for error in 0..u64::from(self.bits) {
            let place = draw(self.key, u64::from(self.page), self.cycle, Purpose::Disturb);
            arrived -= libm::log(unit_interval(draw(place, error, 0, Purpose::Disturb)));
            if arrived > expected {
                break;
            }
            let bit = draw(place, error, 1, Purpose::Disturb) % u64::from(self.bits);
            if !wrong.contains(&(bit as u32)) {
                wrong.push(bit as u32);
            }
        }
        wrong
    }
}
