//! How many blocks survive so many cycles, in closed form: what the draws of [`Oxide`](super::Oxide) come to over
//! all chips of a part.

use std::ops::RangeInclusive;

use super::oxide::{block_exposure, page_scale, stress_of_cycle};
use super::{AgeingSheet, Environment};

/// Standard deviations on either side that an average over a normal distribution covers.
const REACH: f64 = 7.0;

/// The widest step of such an average, in standard deviations.
const STEP_MAX: f64 = 0.5;

/// From this x on, 1 − exp(−exp(x)) rounds to 1: exp(3.7) > 56·ln 2.
const CERTAIN: f64 = 3.7;

/// Probabilities that blocks of a part stand cycles until a program or an erase reports a failure.
///
/// A block whose strengths have the scale λ survives n cycles with the probability exp(−P·(s·n/λ)^k): s is the stress of
/// a cycle, k the shape of the pages' strengths, P the pages that count (see `AGEING.md`). The logarithm of λ is normal
/// within a chip and between chips, and a share of the blocks is weak.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
    /// Natural logarithm of the cycles at which 1/e of the blocks like the median one are left.
    scale: f64,
    shape: f64,
    block_spread: f64,
    chip_spread: f64,
    weak_share: f64,
    /// Natural logarithm of a weak block's strength, as a share of that of a normal one.
    weak: f64,
    /// Over the blocks of a chip, and over those of all chips.
    of_chip: NormalGrid,
    of_all: NormalGrid,
}

impl Survival {
    /// Of blocks of `pages` pages, of which each cycle programs `programmed` and erases all.
    pub(super) fn new(
        sheet: &AgeingSheet,
        pages: u32,
        programmed: u32,
        environment: &Environment,
    ) -> Self {
        let shape = *sheet.page_shape.value();
        let (block_spread, chip_spread) = (*sheet.block_spread.value(), *sheet.chip_spread.value());
        let exposure = block_exposure(sheet, pages, programmed);
        let stress = stress_of_cycle(
            *sheet.cold_stress.value(),
            *sheet.dwell_relief.value(),
            environment,
        );
        Self {
            scale: libm::log(page_scale(sheet, pages) / stress) - libm::log(exposure) / shape,
            shape,
            block_spread,
            chip_spread,
            weak_share: *sheet.weak_share.value(),
            weak: libm::log(*sheet.weak_strength.value()),
            of_chip: NormalGrid::new(shape * block_spread),
            of_all: NormalGrid::new(shape * libm::hypot(block_spread, chip_spread)),
        }
    }

    /// Probability that a block, any of any chip, stands more than so many cycles.
    #[must_use]
    pub fn block(&self, cycles: f64) -> f64 {
        let spread = libm::hypot(self.block_spread, self.chip_spread);
        1.0 - self.fails(libm::log(cycles) - self.scale, spread, &self.of_all)
    }

    /// Probability that a chip, any of the part, has `needed` blocks left after so many cycles of each of its good
    /// ones. Besides those it brings spare ones: each number in a range with equal chance.
    #[must_use]
    pub fn chip(&self, cycles: f64, needed: u64, spares: RangeInclusive<u32>) -> f64 {
        let at = libm::log(cycles) - self.scale;
        // The more spare blocks, the more sharply a chip ends.
        let sharper = libm::sqrt(f64::from(*spares.end()) + 1.0);
        let steepness = self.shape * self.chip_spread * sharper;
        NormalGrid::new(steepness).average(|chip| {
            let at = at - self.chip_spread * chip;
            let fails = self.fails(at, self.block_spread, &self.of_chip);
            enough_left(needed, fails, &spares)
        })
    }

    /// Probability that a block has failed at a logarithm of cycles, counted from the scale; the logarithm of its own
    /// scale spreads normally.
    fn fails(&self, at: f64, spread: f64, grid: &NormalGrid) -> f64 {
        let by_scale = |at: f64| {
            grid.average(|block| {
                let exponent = self.shape * (at - spread * block);
                // Beyond this the difference from 1 is below the last bit.
                if exponent > CERTAIN {
                    return 1.0;
                }
                -libm::expm1(-libm::exp(exponent))
            })
        };
        let normal = (1.0 - self.weak_share) * by_scale(at);
        if self.weak_share > 0.0 {
            normal + self.weak_share * by_scale(at - self.weak)
        } else {
            normal
        }
    }
}

/// Points and weights of the mean of a function of a standard normal variable, by the trapezoid rule, which converges
/// faster than any power of the step once that is fine enough.
#[derive(Clone, Debug, PartialEq)]
struct NormalGrid {
    /// Standard deviations from the mean, and their weight.
    points: Vec<(f64, f64)>,
    /// Sum of the weights.
    weights: f64,
}

impl NormalGrid {
    /// For functions whose logarithm changes `steepness` times e-fold within a standard deviation. Of exp(−exp(x)) the
    /// rule is off by some 10^-6 then.
    fn new(steepness: f64) -> Self {
        let steps = match steepness {
            0.0 => 0,
            _ => libm::ceil(REACH / (0.75 / steepness).min(STEP_MAX)) as i32,
        };
        let point = |index: i32| {
            let normal = REACH * f64::from(index) / f64::from(steps.max(1));
            (normal, libm::exp(-0.5 * normal * normal))
        };
        let points: Vec<(f64, f64)> = (-steps..=steps).map(point).collect();
        let weights = points.iter().map(|(_, weight)| weight).sum();
        Self { points, weights }
    }

    fn average(&self, of: impl Fn(f64) -> f64) -> f64 {
        let weighted = |&(normal, weight): &(f64, f64)| weight * of(normal);
        self.points.iter().map(weighted).sum::<f64>() / self.weights
    }
}

/// Probability that `needed` blocks are left, of those and a number of spare ones, each of which has failed with
/// the probability `fails`: on the way to the last one that is needed no more than the spare ones failed, which is a
/// negative binomial distribution.
fn enough_left(needed: u64, fails: f64, spares: &RangeInclusive<u32>) -> f64 {
    if fails >= 1.0 {
        return 0.0;
    }
    let (least, most) = (*spares.start(), *spares.end());
    let needed = needed as f64;
    // Ten standard deviations away the sum is 0 or 1.
    let mean = needed * fails / (1.0 - fails);
    let far = 10.0 * libm::sqrt(mean / (1.0 - fails)) + 10.0;
    if mean - far > f64::from(most) {
        return 0.0;
    }
    if mean + far < f64::from(least) {
        return 1.0;
    }
    let mut term = needed * libm::log1p(-fails);
    let (mut failed_at_most, mut sum) = (0.0, 0.0);
    for failed in 0..=most {
        failed_at_most += libm::exp(term);
        if failed >= least {
            sum += failed_at_most;
        }
        let failed = f64::from(failed);
        term += libm::log(fails * (needed + failed) / (failed + 1.0));
    }
    (sum / f64::from(most - least + 1)).min(1.0)
}
