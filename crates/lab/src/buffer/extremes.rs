//! What may come that a finite run did not show: return levels from block maxima.
//!
//! The run is cut into blocks of equally many accesses; the maxima of the blocks follow a generalised
//! extreme value distribution in the limit (Fisher, Tippett and Gnedenko). Its parameters are estimated by
//! L-moments (Hosking, Wallis and Wood, "Estimation of the generalized extreme-value distribution by the
//! method of probability-weighted moments", Technometrics 27, 1985), which stay sound in small samples. The
//! level that the highest of `m` blocks does not exceed in half of all cases is the return level; its interval
//! comes from a parametric bootstrap with seeded draws, so that the same log gives the same interval.
//!
//! All of that is **extrapolated**: it holds if the future is like the log, and it is not better than that.

use wordline_core::draw::{Purpose, draw, unit_interval};

/// Blocks are merged in pairs when there are so many.
const BLOCKS_MAX: usize = 256;

/// Below so many blocks nothing is estimated.
const BLOCKS_MIN: usize = 20;

/// Below so many values a block has no maximum to speak of, only values.
const LENGTH_MIN: u64 = 16;

/// Below so many different maxima the values are steps of a clock, and no distribution fits them.
const DIFFERENT_MIN: usize = 10;

/// Resamples of the bootstrap.
const RESAMPLES: u64 = 400;

/// Share of the resamples inside the interval.
pub(crate) const CONFIDENCE: f64 = 0.9;

/// Maxima of blocks of equally many values, from a stream of any length.
#[derive(Clone, Debug)]
pub(crate) struct BlockMaxima {
    maxima: Vec<f64>,
    /// Values of a block: a power of two.
    length: u64,
    /// Values of the block that is being filled.
    filled: u64,
    current: f64,
}

impl BlockMaxima {
    pub(crate) const fn new() -> Self {
        Self {
            maxima: Vec::new(),
            length: 1,
            filled: 0,
            current: f64::NEG_INFINITY,
        }
    }

    pub(crate) fn push(&mut self, value: f64) {
        self.current = self.current.max(value);
        self.filled += 1;
        if self.filled < self.length {
            return;
        }
        self.maxima.push(self.current);
        self.current = f64::NEG_INFINITY;
        self.filled = 0;
        if self.maxima.len() == BLOCKS_MAX {
            let merged = self.maxima.chunks(2);
            self.maxima = merged.map(|pair| pair[0].max(pair[1])).collect();
            self.length *= 2;
        }
    }

    /// The maxima of blocks that are long enough, and their length; `None` for a log that has too few, or
    /// too few that differ.
    fn blocks(&self) -> Option<(Vec<f64>, u64)> {
        let (mut maxima, mut length) = (self.maxima.clone(), self.length);
        while length < LENGTH_MIN {
            maxima = maxima
                .chunks_exact(2)
                .map(|pair| pair[0].max(pair[1]))
                .collect();
            length *= 2;
        }
        let mut different = maxima.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        (maxima.len() >= BLOCKS_MIN && different.len() >= DIFFERENT_MIN).then_some((maxima, length))
    }

    /// The level that `values` further values exceed in half of all cases, with its interval. `None`
    /// for a log that is too short, or whose blocks are all alike, of which nothing can be learnt.
    pub(crate) fn return_level(&self, values: f64, seed: u64) -> Option<ReturnLevel> {
        let (maxima, length) = self.blocks()?;
        // Of no more than what was seen there is nothing to extrapolate.
        if values < 2.0 * maxima.len() as f64 * length as f64 {
            return None;
        }
        let blocks = (values / length as f64).max(1.0);
        let fit = Gev::fit(&mut maxima.clone())?;
        let level = fit.median_of_highest(blocks);
        let mut resampled = Vec::new();
        for resample in 0..RESAMPLES {
            let mut sample: Vec<f64> = (0..maxima.len() as u64)
                .map(|index| {
                    fit.quantile(unit_interval(draw(
                        seed,
                        resample,
                        index,
                        Purpose::Resample,
                    )))
                })
                .collect();
            resampled.extend(Gev::fit(&mut sample).map(|fit| fit.median_of_highest(blocks)));
        }
        resampled.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * (resampled.len().saturating_sub(1)) as f64).round() as usize;
            resampled.get(index).copied()
        };
        // What was seen has happened: no level for more values lies below it.
        let floor = self.maxima.iter().copied().fold(self.current, f64::max);
        let result = ReturnLevel {
            low: at((1.0 - CONFIDENCE) / 2.0)?.max(floor),
            middle: level.max(floor),
            high: at((1.0 + CONFIDENCE) / 2.0)?.max(floor),
        };
        let finite = [result.low, result.middle, result.high]
            .iter()
            .all(|one| one.is_finite());
        finite.then_some(result)
    }
}

/// A level with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReturnLevel {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl ReturnLevel {
    /// The same, where more is known to be impossible.
    pub(crate) fn at_most(self, most: f64) -> Self {
        Self {
            low: self.low.min(most),
            middle: self.middle.min(most),
            high: self.high.min(most),
        }
    }
}

/// A generalised extreme value distribution; `shape` is Hosking's k: below 0 the tail is heavy, above 0
/// it has an end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gev {
    location: f64,
    scale: f64,
    shape: f64,
}

impl Gev {
    /// Fits by L-moments; sorts the sample. `None` for a sample without spread.
    fn fit(sample: &mut [f64]) -> Option<Self> {
        sample.sort_by(f64::total_cmp);
        let n = sample.len() as f64;
        let (mut b0, mut b1, mut b2) = (0.0, 0.0, 0.0);
        for (index, &value) in sample.iter().enumerate() {
            let j = index as f64;
            b0 += value;
            b1 += value * j / (n - 1.0);
            b2 += value * j * (j - 1.0) / ((n - 1.0) * (n - 2.0));
        }
        let (b0, b1, b2) = (b0 / n, b1 / n, b2 / n);
        let l1 = b0;
        let l2 = 2.0 * b1 - b0;
        if l2.is_nan() || l2 <= 1e-12 * l1.abs() {
            return None;
        }
        let skew = (6.0 * b2 - 6.0 * b1 + b0) / l2;
        // Hosking, Wallis and Wood, equation 14: accurate to 0.0009 for |k| < 0.5.
        let c = 2.0 / (3.0 + skew) - libm::log(2.0) / libm::log(3.0);
        let shape = (7.8590 * c + 2.9554 * c * c).clamp(-0.9, 2.0);
        if shape.abs() < 1e-6 {
            const EULER: f64 = 0.577_215_664_901_532_9;
            let scale = l2 / libm::log(2.0);
            return Some(Self {
                location: l1 - EULER * scale,
                scale,
                shape: 0.0,
            });
        }
        let gamma = libm::tgamma(1.0 + shape);
        let scale = l2 * shape / ((1.0 - libm::exp2(-shape)) * gamma);
        Some(Self {
            location: l1 - scale * (1.0 - gamma) / shape,
            scale,
            shape,
        })
    }

    /// The value that a block's maximum does not exceed with probability `p`.
    fn quantile(&self, p: f64) -> f64 {
        let reduced = -libm::log(p);
        if self.shape == 0.0 {
            return self.location - self.scale * libm::log(reduced);
        }
        self.location + self.scale / self.shape * (1.0 - libm::pow(reduced, self.shape))
    }

    /// The level that the highest of so many blocks exceeds in half of all cases.
    fn median_of_highest(&self, blocks: f64) -> f64 {
        // 0.5^(1 / blocks), whose logarithm is what the quantile needs.
        self.quantile(libm::exp(-libm::log(2.0) / blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(gev: &Gev, count: u64, seed: u64) -> Vec<f64> {
        let draws = (0..count).map(|index| draw(seed, 0, index, Purpose::Payload));
        draws
            .map(|bits| gev.quantile(unit_interval(bits)))
            .collect()
    }

    #[test]
    fn known_distributions_give_their_parameters_back() {
        for shape in [-0.3, -0.1, 0.0, 0.2] {
            let truth = Gev {
                location: 5.0,
                scale: 2.0,
                shape,
            };
            let fit = Gev::fit(&mut sample(&truth, 20_000, 7)).expect("it has spread");
            assert!((fit.location - 5.0).abs() < 0.1, "{fit:?}");
            assert!((fit.scale - 2.0).abs() < 0.1, "{fit:?}");
            assert!((fit.shape - shape).abs() < 0.03, "{fit:?}");
        }
    }

    /// The interval is what it claims to be: of many logs it covers the true level about as often.
    #[test]
    fn intervals_cover_the_true_level() {
        let truth = Gev {
            location: 10.0,
            scale: 1.0,
            shape: -0.1,
        };
        // The highest of so many values; that of a block of 16 follows a distribution of the same kind.
        let values = 16_000.0;
        let level = truth.median_of_highest(values);
        let mut covered = 0;
        for seed in 0..100 {
            let mut maxima = BlockMaxima::new();
            for value in sample(&truth, 3200, seed) {
                maxima.push(value);
            }
            let estimate = maxima.return_level(values, seed).expect("enough blocks");
            covered += u32::from(estimate.low <= level && level <= estimate.high);
        }
        assert!((80..=98).contains(&covered), "{covered} of 100");
    }

    #[test]
    fn blocks_merge_and_keep_their_maxima() {
        let mut maxima = BlockMaxima::new();
        for index in 0..100_000_u32 {
            maxima.push(f64::from(index % 1000));
        }
        assert!(maxima.maxima.len() < BLOCKS_MAX);
        assert_eq!(maxima.length.count_ones(), 1);
        assert!(maxima.maxima.iter().all(|value| *value <= 999.0));
    }

    #[test]
    fn nothing_is_learnt_from_few_or_equal_values() {
        let of = |count: u32, value: fn(u32) -> f64| {
            let mut maxima = BlockMaxima::new();
            (0..count).for_each(|index| maxima.push(value(index)));
            maxima.return_level(1e6, 0)
        };
        assert_eq!(of(300, f64::from), None, "fewer than 20 blocks of 16");
        assert_eq!(of(5000, |_| 3.0), None, "all alike");
        assert_eq!(
            of(5000, |index| f64::from(index / 1000)),
            None,
            "steps of a clock"
        );
    }

    #[test]
    fn a_level_never_lies_below_what_was_seen() {
        // Also not below what was seen last, in a block that is not full.
        for peak in [77, 5002] {
            let mut maxima = BlockMaxima::new();
            for index in 0..5003_u32 {
                let noise = draw(1, 0, u64::from(index), Purpose::Payload) % 1000;
                maxima.push(if index == peak { 5e4 } else { noise as f64 });
            }
            let level = maxima.return_level(1e4, 0).expect("it has spread");
            assert!(
                level.low >= 5e4 && level.low <= level.middle && level.middle <= level.high,
                "{level:?}"
            );
        }
    }
}
