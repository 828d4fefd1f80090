//! What a value is over all draws of the undisclosed choices, and which choices explain it.
//!
//! The **first-order share** of a choice (Sobol's index of the first order) is the variance of the means by its settings
//! over the whole variance: what knowing the choice would take from the variance, on average. Of n values in k groups
//! with the sum of squares B between the groups and W within them, B alone is too great by what the other choices and
//! chance leave in each mean: (k − 1)·W/(n − k) on average (one-way analysis of variance; Kelley's ε²). The share is
//! therefore
//!
//! (B − (k − 1)·W/(n − k)) / (B + W),
//!
//! 0 on average where a choice has no effect. How uncertain it is says the jackknife: the share is computed again without
//! each draw (Efron and Stein 1981). Whether it is more than luck says a permutation test: values are dealt to the groups
//! at random, many times, and a share counts that few of these reach.

use wordline_core::draw::{Purpose, draw};

use crate::repeats::RepeatedValues;

/// A normal quantile: 95 % lie within so many standard errors.
pub(super) const SURE: f64 = 1.96;

/// Draws at least that a band rests on: with fewer, 5 % and 95 % lie beyond all of them.
pub(crate) const DRAWS_MIN: usize = 8;

/// Permutations of a test, and the part of them that a share must exceed: of a hundred choices without effect one does.
const PERMUTATIONS: u64 = 400;
const LUCK: f64 = 0.99;

/// Where a value lies over all draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DrawnSpread {
    /// 5 % of the draws lie below.
    pub(crate) low: f64,
    pub(crate) median: f64,
    /// 5 % of the draws lie above.
    pub(crate) high: f64,
}

impl DrawnSpread {
    /// Of the values of some draws; `None` of too few.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.len() < DRAWS_MIN {
            return None;
        }
        let values = RepeatedValues::of(values.iter().copied())?;
        Some(Self {
            low: values.quantile(0.05),
            median: values.quantile(0.5),
            high: values.quantile(0.95),
        })
    }
}

/// A share of a variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VarianceShare {
    pub(crate) share: f64,
    /// Its standard error.
    pub(crate) error: f64,
    /// What a choice without effect reaches once in a hundred times.
    pub(crate) luck: f64,
}

impl VarianceShare {
    /// Whether it is more than luck.
    pub(crate) fn is_sure(&self) -> bool {
        self.share > self.luck
    }
}

/// The first-order share of a choice whose settings made the groups of the values; `None` where there is nothing to
/// explain, or too little to explain it with.
pub(crate) fn first_order(values: &[f64], groups: &[usize]) -> Option<VarianceShare> {
    let without = |left_out: Option<usize>| {
        let kept = values.iter().zip(groups).enumerate();
        let kept = kept.filter(|(number, _)| Some(*number) != left_out);
        corrected(kept.map(|(_, (value, group))| (*value, *group)))
    };
    let share = without(None)?;
    let each = (0..values.len()).map(|number| without(Some(number)));
    let each = each.collect::<Option<Vec<f64>>>()?;
    let n = each.len() as f64;
    let mean = each.iter().sum::<f64>() / n;
    let squares: f64 = each.iter().map(|one| (one - mean).powi(2)).sum();
    let dealt = (0..PERMUTATIONS).filter_map(|number| {
        let dealt = shuffled(groups, number);
        corrected(values.iter().copied().zip(dealt.iter().copied()))
    });
    Some(VarianceShare {
        share,
        error: (squares * (n - 1.0) / n).sqrt(),
        luck: RepeatedValues::of(dealt)?.quantile(LUCK),
    })
}

/// Groups dealt otherwise (Fisher and Yates).
fn shuffled(groups: &[usize], number: u64) -> Vec<usize> {
    let mut groups = groups.to_vec();
    for last in (1..groups.len()).rev() {
        let other = draw(0, number, last as u64, Purpose::Resample) >> 8;
        groups.swap(last, other as usize % (last + 1));
    }
    groups
}

/// The share by itself.
fn corrected(values: impl Iterator<Item = (f64, usize)> + Clone) -> Option<f64> {
    let most = values.clone().map(|(_, group)| group).max()?;
    let mut sums = vec![(0.0, 0.0); most + 1];
    for (value, group) in values.clone() {
        let (sum, count) = &mut sums[group];
        *sum += value;
        *count += 1.0;
    }
    let (all, n) = sums
        .iter()
        .fold((0.0, 0.0), |(all, n), (sum, count)| (all + sum, n + count));
    let mean = all / n;
    let kept = sums.iter().filter(|(_, count)| *count > 0.0);
    let between: f64 = kept
        .clone()
        .map(|(sum, count)| count * (sum / count - mean).powi(2))
        .sum();
    let within: f64 = values
        .map(|(value, group)| (value - sums[group].0 / sums[group].1).powi(2))
        .sum();
    let k = kept.count() as f64;
    let total = between + within;
    (n > k && total > 0.0).then(|| (between - (k - 1.0) * within / (n - k)) / total)
}

/// The share of chance: the variance of values that differ by their seeds alone, in that of all draws. Its standard error
/// is that of a variance of so many normal values.
pub(crate) fn chance(values: &[f64], by_seed: &[f64]) -> Option<VarianceShare> {
    let all = variance(values)?;
    let by_chance = variance(by_seed)?;
    let share = by_chance / all;
    (all > 0.0).then(|| VarianceShare {
        share,
        error: share * (2.0 / (by_seed.len() as f64 - 1.0)).sqrt(),
        luck: 0.0,
    })
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The variance that some values are a sample of; `None` of fewer than two.
pub(crate) fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use wordline_core::draw::standard_normal;

    use super::*;

    const DRAWS: usize = 64;

    /// Choices of 2, 3 and 5 settings, at random.
    fn groups(choice: usize, ways: usize, seed: u64) -> Vec<usize> {
        let of = |number| draw(seed, choice as u64, number, Purpose::Choice) as usize % ways;
        (0..DRAWS as u64).map(of).collect()
    }

    fn noise(seed: u64) -> Vec<f64> {
        let of = |number| standard_normal(draw(seed, 99, number, Purpose::Choice));
        (0..DRAWS as u64).map(of).collect()
    }

    /// By hand: 1, 3 | 5, 7 has B = 16 and W = 4, so that (16 - 4/2) / 20 = 0.7.
    #[test]
    fn the_share_is_that_of_the_analysis_of_variance() {
        let values = [(1.0, 0), (3.0, 0), (5.0, 1), (7.0, 1)];
        assert_eq!(corrected(values.into_iter()), Some(0.7));
        assert_eq!(first_order(&[2.0; 8], &[0, 0, 0, 0, 1, 1, 1, 1]), None);
        let decided = first_order(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[0, 0, 0, 1, 1, 1]);
        let decided = decided.expect("it varies");
        assert_eq!((decided.share, decided.error), (1.0, 0.0));
    }

    /// A sum of two choices and chance, of which the shares are known: 1/4 ÷ 4, 3/4, and nothing of a third. Over 200
    /// seeds the shares are right on average, and within two standard errors nine times of ten.
    #[test]
    fn shares_are_unbiased_and_their_errors_hold() {
        // Of two settings 0 and 1 the variance is 1/4; of three settings 0, 1 and 2 it is 2/3.
        let (a, b, noisy) = (2.0, (4.5_f64).sqrt(), 1.0);
        let variances = [a * a / 4.0, b * b * 2.0 / 3.0, 0.0];
        let whole: f64 = variances.iter().sum::<f64>() + noisy * noisy;
        let mut sums = [0.0; 3];
        let (mut held, mut sure) = ([0; 3], [0; 3]);
        const SEEDS: u64 = 200;
        for seed in 0..SEEDS {
            let by = [groups(0, 2, seed), groups(1, 3, seed), groups(2, 5, seed)];
            let noise = noise(seed);
            let value = |n: usize| a * by[0][n] as f64 + b * by[1][n] as f64 + noisy * noise[n];
            let values: Vec<f64> = (0..DRAWS).map(value).collect();
            for (choice, groups) in by.iter().enumerate() {
                let found = first_order(&values, groups).expect("it varies");
                sums[choice] += found.share / SEEDS as f64;
                let off = (found.share - variances[choice] / whole).abs();
                held[choice] += u64::from(off < 2.0 * found.error);
                sure[choice] += u64::from(found.is_sure());
            }
        }
        for (choice, sum) in sums.into_iter().enumerate() {
            let expected = variances[choice] / whole;
            assert!(
                (sum - expected).abs() < 0.02,
                "{choice}: {sum} of {expected}"
            );
            assert!(held[choice] > 9 * SEEDS / 10, "{choice}: {held:?}");
        }
        // A choice that explains most is always found, one without effect hardly ever.
        assert!(
            sure[1] == SEEDS && sure[0] > SEEDS / 2 && sure[2] < SEEDS / 20,
            "{sure:?}"
        );
    }

    #[test]
    fn a_band_leaves_out_a_twentieth_at_either_end() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        let spread = DrawnSpread::of(&values).expect("enough");
        assert_eq!((spread.low, spread.median, spread.high), (5.0, 50.0, 95.0));
        assert_eq!(DrawnSpread::of(&values[..7]), None);
    }
}
