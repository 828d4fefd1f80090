//! What may come that a finite run did not show: levels that the largest values stay below.
//!
//! The run is cut into stretches of equally many accesses; the maxima of the stretches follow a generalised
//! extreme value distribution in the limit (Fisher, Tippett and Gnedenko). Its parameters are estimated by
//! L-moments (Hosking, Wallis and Wood, "Estimation of the generalized extreme-value distribution by the
//! method of probability-weighted moments", Technometrics 27, 1985), which stay sound in small samples.
//!
//! - **Prudence.** A tail lighter than exponential, which would have an end, is taken to be exponential: a finite
//!   sample does not show where an end lies.
//! - **Fit.** A distribution that does not fit is not used. The distance of Anderson and Darling is held against
//!   those of samples drawn from the fit itself; where it is among the largest 5 %, stretches are merged in pairs,
//!   and at fewer than 32 of them nothing is extrapolated.
//! - **Prediction.** The level is one that the highest of the further values stays below with 95 % confidence, the
//!   uncertainty of the fit included: the plain quantile is moved until it does so for samples drawn from the fit, each
//!   fitted again (Beran, "Calibrating prediction regions", Journal of the American Statistical Association 85, 1990).
//!   Draws are seeded, so that the same log gives the same level.
//!
//! Where nothing is extrapolated, exchangeable values still say something: the highest of `n` values and `m`
//! further ones is among the further ones with probability `m / (n + m)`, whatever their distribution.
//!
//! All of that holds if the future is like the log, and it is not better than that.

use wordline_core::BufferWorkload;
use wordline_core::draw::{Purpose, draw, unit_interval};

/// Probability with which a level holds.
pub(crate) const CONFIDENCE: f64 = BufferWorkload::CONFIDENCE;

/// Stretches are merged in pairs when there are so many.
const STRETCHES_MAX: usize = 256;

/// Below so many stretches nothing is extrapolated.
const STRETCHES_MIN: usize = 32;

/// Below so many values a stretch has no maximum to speak of, only values.
const LENGTH_MIN: u64 = 16;

/// Below so many different maxima the values are steps of a clock, and no distribution fits them.
const DIFFERENT_MIN: usize = 10;

/// Samples that are drawn from a fit.
const RESAMPLES: u64 = 200;

/// Share of the samples that have to lie at least as far from their own fit as the maxima from theirs.
const MISFIT: f64 = 0.05;

/// How many times as many values as were seen a level looks ahead, unless it is asked otherwise.
pub(crate) const LENGTHS: f64 = 10.0;

/// How many times as many it looks ahead at most: of what is rarer a distribution that was fitted says little.
pub(crate) const LENGTHS_MAX: f64 = 1000.0;

/// Maxima of stretches of equally many values, from a stream of any length.
#[derive(Clone, Debug)]
pub(crate) struct StretchMaxima {
    maxima: Vec<f64>,
    /// Values of a stretch: a power of two.
    length: u64,
    /// Values of the stretch that is being filled.
    filled: u64,
    current: f64,
}

impl StretchMaxima {
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
        if self.maxima.len() == STRETCHES_MAX {
            self.maxima = merged(&self.maxima);
            self.length *= 2;
        }
    }

    /// How many values there were.
    pub(crate) fn values(&self) -> f64 {
        self.maxima.len() as f64 * self.length as f64 + self.filled as f64
    }

    /// The maxima of stretches that are long enough, and their length.
    fn stretches(&self) -> (Vec<f64>, u64) {
        let (mut maxima, mut length) = (self.maxima.clone(), self.length);
        while length < LENGTH_MIN {
            maxima = merged(&maxima);
            length *= 2;
        }
        (maxima, length)
    }

    /// What `asked` further values stay below, as far as these values support.
    pub(crate) fn outlook(&self, asked: f64, seed: u64) -> LevelOutlook {
        // What was seen has happened: no level lies below it.
        let seen = self.maxima.iter().copied().fold(self.current, f64::max);
        let values = self.values();
        let (maxima, length) = self.stretches();
        let mut outlook = LevelOutlook {
            seen,
            level: seen,
            support: Support::None,
            holds: 0.0,
            stretches: (maxima.len() as u64, length),
        };
        let alone = values / OTHERS;
        let is_few = alone < LENGTH_MIN as f64;
        if !is_few && asked <= alone {
            // No distribution is needed for so little.
            (outlook.support, outlook.holds) = (Support::Seen, asked);
            return outlook;
        }
        let ahead = asked.min(LENGTHS_MAX * values);
        let level = tail(maxima, length, seed)
            .map(|(tail, length)| tail.level(ahead / length as f64))
            .filter(|level| level.is_finite());
        if let Some(level) = level {
            outlook.level = level.max(seen);
            (outlook.support, outlook.holds) = (Support::Extrapolated, ahead);
        } else if !is_few {
            (outlook.support, outlook.holds) = (Support::Seen, alone);
        }
        outlook
    }
}

/// Of so many times as many values the highest is among the others with 95 % probability.
const OTHERS: f64 = CONFIDENCE / (1.0 - CONFIDENCE);

/// Maxima of stretches twice as long; an odd one at the end is left out.
fn merged(maxima: &[f64]) -> Vec<f64> {
    let pairs = maxima.chunks_exact(2);
    pairs.map(|pair| pair[0].max(pair[1])).collect()
}

/// What a level rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// A distribution that was fitted to the maxima.
    Extrapolated,
    /// The largest value that was seen, and how many values there were.
    Seen,
    /// Nothing: there were too few values.
    None,
}

/// What the largest of further values stays below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelOutlook {
    /// The largest value that was seen.
    pub(crate) seen: f64,
    /// What further values stay below with [`CONFIDENCE`].
    pub(crate) level: f64,
    /// What it rests on.
    pub(crate) support: Support,
    /// For how many further values it holds: those that were asked for, or fewer.
    pub(crate) holds: f64,
    /// How many stretches there were, and of how many values.
    stretches: (u64, u64),
}

impl LevelOutlook {
    /// How many values it takes to support a number of further ones.
    pub(crate) fn needed(&self, further: f64) -> f64 {
        match self.support {
            Support::Extrapolated => further / LENGTHS_MAX,
            Support::Seen | Support::None => further * OTHERS,
        }
    }

    /// How many stretches there were, and of how many values; and the highest probability that the next one exceeds what
    /// was seen, with [`CONFIDENCE`]: near 3 over their number.
    pub(crate) fn next_stretch(&self) -> ((u64, u64), f64) {
        let (count, _) = self.stretches;
        let least = libm::pow(1.0 - CONFIDENCE, 1.0 / count.max(1) as f64);
        (self.stretches, 1.0 - least)
    }
}

/// The tail of the maxima, and the length of the stretches whose maxima they are; merged until they fit.
fn tail(mut maxima: Vec<f64>, mut length: u64, seed: u64) -> Option<(Tail, u64)> {
    while maxima.len() >= STRETCHES_MIN {
        if let Some(tail) = Tail::of(&maxima, seed) {
            return Some((tail, length));
        }
        maxima = merged(&maxima);
        length *= 2;
    }
    None
}

/// A distribution of maxima, and those that samples drawn from it gave.
struct Tail {
    fit: Gev,
    resampled: Vec<Gev>,
}

impl Tail {
    /// Fits; `None` where no distribution of the family fits.
    fn of(maxima: &[f64], seed: u64) -> Option<Self> {
        let mut sorted = maxima.to_vec();
        let moments = SampleMoments::of(&mut sorted)?;
        let steps = sorted.windows(2).filter(|pair| pair[0] < pair[1]).count();
        if steps + 1 < DIFFERENT_MIN {
            return None;
        }
        let fit = moments.gev();
        let misfit = fit.distance(&sorted);
        let count = sorted.len() as u64;
        let drawn = |gev: Gev, resample: u64| {
            let draws = (0..count).map(move |index| draw(seed, resample, index, Purpose::Resample));
            let mut sample: Vec<f64> = draws
                .map(|bits| gev.quantile(-libm::log(unit_interval(bits))))
                .collect();
            SampleMoments::of(&mut sample).map(|moments| (moments, sample))
        };
        let samples = (0..RESAMPLES).filter_map(|resample| drawn(fit, resample));
        let (moments_of_samples, farther): (Vec<SampleMoments>, Vec<bool>) = samples
            .map(|(moments, sample)| (moments, moments.gev().distance(&sample) >= misfit))
            .unzip();
        let farther = farther.iter().filter(|farther| **farther).count();
        if (farther as f64) < MISFIT * RESAMPLES as f64 {
            return None;
        }
        let prudent = moments.prudent();
        let resampled = if prudent == fit {
            moments_of_samples
        } else {
            let others = RESAMPLES..2 * RESAMPLES;
            let samples = others.filter_map(|resample| drawn(prudent, resample));
            samples.map(|(moments, _)| moments).collect()
        };
        Some(Self {
            fit: prudent,
            resampled: resampled.iter().map(SampleMoments::prudent).collect(),
        })
    }

    /// The level that the highest of so many stretches stays below with [`CONFIDENCE`].
    fn level(&self, stretches: f64) -> f64 {
        // The logarithm, less its sign, of the probability that all stretches stay below a level.
        let plain = -libm::log(CONFIDENCE);
        let coverage = |reduced: f64| {
            let of_fit = |gev: &Gev| {
                let level = gev.quantile(reduced / stretches);
                libm::exp(-stretches * self.fit.reduced(level))
            };
            self.resampled.iter().map(of_fit).sum::<f64>() / self.resampled.len() as f64
        };
        let (mut enough, mut little) = (libm::log(REDUCED_MIN), libm::log(plain));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(enough, little);
            if coverage(libm::exp(middle)) >= CONFIDENCE {
                enough = middle;
            } else {
                little = middle;
            }
        }
        self.fit.quantile(libm::exp(enough) / stretches)
    }
}

/// Halvings in the search for a level.
const HALVINGS: u32 = 40;

/// The rarest event that is looked at.
const REDUCED_MIN: f64 = 1e-14;

/// The first two L-moments of a sample, and its L-skewness.
#[derive(Clone, Copy, Debug)]
struct SampleMoments {
    mean: f64,
    scale: f64,
    skewness: f64,
}

impl SampleMoments {
    /// Sorts the sample. `None` for a sample without spread.
    fn of(sample: &mut [f64]) -> Option<Self> {
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
        let scale = 2.0 * b1 - b0;
        let skewness = (6.0 * b2 - 6.0 * b1 + b0) / scale;
        (scale > 1e-12 * b0.abs()).then_some(Self {
            mean: b0,
            scale,
            skewness,
        })
    }

    /// The distribution that has them.
    fn gev(&self) -> Gev {
        // Hosking, Wallis and Wood, equation 14: accurate to 0.0009 for |k| < 0.5.
        let c = 2.0 / (3.0 + self.skewness) - libm::log(2.0) / libm::log(3.0);
        self.with_shape((7.8590 * c + 2.9554 * c * c).clamp(-0.9, 2.0))
    }

    /// The same with a tail that is exponential at least.
    fn prudent(&self) -> Gev {
        match self.gev() {
            heavy if heavy.shape <= 0.0 => heavy,
            _ => self.with_shape(0.0),
        }
    }

    /// The distribution of a shape that has the first two of them.
    fn with_shape(&self, shape: f64) -> Gev {
        if shape.abs() < 1e-6 {
            const EULER: f64 = 0.577_215_664_901_532_9;
            let scale = self.scale / libm::log(2.0);
            return Gev {
                location: self.mean - EULER * scale,
                scale,
                shape: 0.0,
            };
        }
        let gamma = libm::tgamma(1.0 + shape);
        let scale = self.scale * shape / ((1.0 - libm::exp2(-shape)) * gamma);
        Gev {
            location: self.mean - scale * (1.0 - gamma) / shape,
            scale,
            shape,
        }
    }
}

/// A generalised extreme value distribution; `shape` is Hosking's k: below 0 the tail is heavy, above 0
/// it has an end. A value is named by its reduced one, `-ln p` of the probability `p` that a maximum does not exceed it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gev {
    location: f64,
    scale: f64,
    shape: f64,
}

impl Gev {
    /// The value of a reduced one.
    fn quantile(&self, reduced: f64) -> f64 {
        if self.shape == 0.0 {
            return self.location - self.scale * libm::log(reduced);
        }
        self.location + self.scale / self.shape * (1.0 - libm::pow(reduced, self.shape))
    }

    /// The reduced one of a value: 0 above the end of a light tail, infinite below the start of a heavy one.
    fn reduced(&self, value: f64) -> f64 {
        let from = (value - self.location) / self.scale;
        if self.shape == 0.0 {
            return libm::exp(-from);
        }
        libm::pow((1.0 - self.shape * from).max(0.0), 1.0 / self.shape)
    }

    /// The distance of Anderson and Darling between a sorted sample and the distribution, which weighs the tails.
    fn distance(&self, sorted: &[f64]) -> f64 {
        let reduced: Vec<f64> = sorted
            .iter()
            .map(|value| self.reduced(*value).clamp(1e-300, 700.0))
            .collect();
        let n = sorted.len() as f64;
        let both = reduced.iter().zip(reduced.iter().rev());
        let sum: f64 = (0_u32..)
            .zip(both)
            .map(|(index, (low, high))| {
                let above = libm::log(-libm::expm1(-high));
                (2.0 * f64::from(index) + 1.0) * (above - low)
            })
            .sum();
        -n - sum / n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(gev: &Gev, count: u64, seed: u64) -> Vec<f64> {
        let draws = (0..count).map(|index| draw(seed, 0, index, Purpose::Payload));
        draws
            .map(|bits| gev.quantile(-libm::log(unit_interval(bits))))
            .collect()
    }

    fn of(values: impl IntoIterator<Item = f64>) -> StretchMaxima {
        let mut maxima = StretchMaxima::new();
        values.into_iter().for_each(|value| maxima.push(value));
        maxima
    }

    #[test]
    fn known_distributions_give_their_parameters_back() {
        for shape in [-0.3, -0.1, 0.0, 0.2] {
            let truth = Gev {
                location: 5.0,
                scale: 2.0,
                shape,
            };
            let moments = SampleMoments::of(&mut sample(&truth, 20_000, 7));
            let fit = moments.expect("it has spread").gev();
            assert!((fit.location - 5.0).abs() < 0.1, "{fit:?}");
            assert!((fit.scale - 2.0).abs() < 0.1, "{fit:?}");
            assert!((fit.shape - shape).abs() < 0.03, "{fit:?}");
            let value = fit.quantile(0.01);
            assert!((fit.reduced(value) - 0.01).abs() < 1e-9, "{fit:?}");
        }
    }

    /// The inverse of a distribution function, of the probability to be exceeded.
    type Inverse = fn(f64) -> f64;

    /// The highest of so many values, drawn at once.
    fn highest(inverse: Inverse, values: f64, seed: u64) -> f64 {
        let all_below = unit_interval(draw(seed, 1, 0, Purpose::Payload));
        inverse(-libm::expm1(libm::log(all_below) / values))
    }

    /// Of 200 logs of a known tail, what is said holds in about 95 %. In how many a distribution was fitted.
    #[track_caller]
    fn levels_hold_as_often_as_they_say(inverse: Inverse) -> u32 {
        const VALUES: u32 = 4000;
        let (mut held, mut extrapolated) = (0, 0);
        for seed in 0..200 {
            let bits = (0..VALUES.into()).map(|index| draw(seed, 0, index, Purpose::Payload));
            let maxima = of(bits.map(|bits| inverse(unit_interval(bits))));
            let outlook = maxima.outlook(10.0 * f64::from(VALUES), seed);
            extrapolated += u32::from(outlook.support == Support::Extrapolated);
            held += u32::from(highest(inverse, outlook.holds, seed) <= outlook.level);
        }
        assert!((180..=200).contains(&held), "{held} of 200");
        extrapolated
    }

    /// A fit is refused by chance in one of twenty, and again when stretches are merged.
    #[track_caller]
    fn most_are_extrapolated_and_hold(inverse: Inverse) {
        let extrapolated = levels_hold_as_often_as_they_say(inverse);
        assert!(extrapolated >= 190, "{extrapolated} of 200");
    }

    #[test]
    fn levels_of_a_uniform_distribution_hold() {
        most_are_extrapolated_and_hold(|above| 2.0 - above);
    }

    #[test]
    fn levels_of_an_exponential_tail_hold() {
        most_are_extrapolated_and_hold(|above| 1.0 - 0.3 * libm::log(above));
    }

    /// Of shape 1/2.
    #[test]
    fn levels_of_a_weibull_tail_hold() {
        most_are_extrapolated_and_hold(|above| libm::pow(libm::log(above), 2.0));
    }

    /// Of index 3.
    #[test]
    fn levels_of_a_pareto_tail_hold() {
        most_are_extrapolated_and_hold(|above| libm::pow(above, -1.0 / 3.0));
    }

    /// Steps never fit.
    #[test]
    fn levels_of_steps_hold_and_are_not_extrapolated() {
        let steps = |above| 1.0 + libm::floor(-libm::log(above) / 0.7);
        assert_eq!(levels_hold_as_often_as_they_say(steps), 0);
    }

    #[test]
    fn stretches_merge_and_keep_their_maxima() {
        let maxima = of((0..100_000_u32).map(|index| f64::from(index % 1000)));
        assert!(maxima.maxima.len() < STRETCHES_MAX);
        assert_eq!(maxima.length.count_ones(), 1);
        assert!(maxima.maxima.iter().all(|value| *value <= 999.0));
        assert_eq!(maxima.values(), 100_000.0);
    }

    /// Few, alike, in steps, and rare ones among many: none of them spreads like the maxima of one distribution.
    #[test]
    fn nothing_is_extrapolated_from_what_does_not_spread() {
        let exponential = |seed| {
            move |index: u32| {
                -libm::log(unit_interval(draw(
                    seed,
                    0,
                    u64::from(index),
                    Purpose::Payload,
                )))
            }
        };
        let few = of((0..300).map(exponential(1))).outlook(1e6, 0);
        assert_eq!((few.support, few.holds), (Support::None, 0.0));
        let stalls = |index: u32| {
            let rare = if index.is_multiple_of(777) { 50.0 } else { 0.0 };
            rare + exponential(2)(index)
        };
        for maxima in [
            of((0..5000).map(|_| 3.0)),
            of((0..5000).map(|index| f64::from(index / 1000))),
            of((0..5000).map(stalls)),
        ] {
            let outlook = maxima.outlook(1e6, 0);
            assert_eq!(outlook.level, outlook.seen);
            assert_eq!(
                (outlook.support, outlook.holds),
                (Support::Seen, 5000.0 / OTHERS)
            );
            // The rule of three.
            let ((count, length), next) = outlook.next_stretch();
            assert_eq!((count, length), (156, 32));
            assert!((next * 156.0 / 3.0 - 1.0).abs() < 0.02, "{next}");
            assert!((outlook.needed(1e6) - 19e6).abs() < 1.0);
        }
    }

    #[test]
    fn so_little_is_asked_that_no_distribution_is_needed() {
        let maxima = of(sample(&GUMBEL, 5000, 3));
        let near = maxima.outlook(5000.0 / OTHERS, 0);
        assert_eq!(near.support, Support::Seen);
        assert_eq!((near.level, near.holds), (near.seen, 5000.0 / OTHERS));
        let far = maxima.outlook(5000.0 * 2.0 * LENGTHS_MAX, 0);
        assert_eq!(far.holds, 5000.0 * LENGTHS_MAX, "no farther");
        assert!((far.needed(far.holds) - 5000.0).abs() < 1e-6);
    }

    const GUMBEL: Gev = Gev {
        location: 10.0,
        scale: 1.0,
        shape: 0.0,
    };

    #[test]
    fn a_level_never_lies_below_what_was_seen() {
        // Also not below what was seen last, in a stretch that is not full.
        for peak in [77, 5002] {
            let mut values = sample(&GUMBEL, 5003, 1);
            values[peak] = 23.0;
            let outlook = of(values).outlook(1e4, 0);
            assert_eq!(outlook.support, Support::Extrapolated);
            assert!(outlook.level >= 23.0, "{outlook:?}");
        }
    }
}
