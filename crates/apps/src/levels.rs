//! How load varies over time, as levels that each last a share of it.

use wordline_core::draw::standard_normal;

/// By which share a rate may exceed what it was computed from.
pub(crate) const ROUNDING: f64 = 1e-9;

/// Levels of a distribution that is known by its variation alone.
const LEVELS: usize = 8;

/// Levels of equal length whose multiples of the mean follow a logarithmic normal distribution with this coefficient of
/// variation, 0 to 2: the middle of each eighth of it.
#[must_use]
pub fn levels_of(variation: f64) -> Vec<[f64; 2]> {
    /// Enough for all digits.
    const HALVINGS: usize = 50;
    let share = 1.0 / LEVELS as f64;
    let of = |sigma: f64| {
        let middle = |level: usize| {
            // The bits whose number is this share of the way from 0 to 1.
            let bits = ((2 * level + 1) as u64) << 60;
            libm::exp(sigma * standard_normal(bits))
        };
        let multiples: Vec<f64> = (0..LEVELS).map(middle).collect();
        let mean: f64 = multiples.iter().sum::<f64>() * share;
        let levels = multiples
            .into_iter()
            .map(|multiple| [share, multiple / mean]);
        levels.collect::<Vec<_>>()
    };
    if variation <= 0.0 {
        return vec![[1.0, 1.0]];
    }
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if variation_of(&of(middle)) < variation {
            low = middle;
        } else {
            high = middle;
        }
    }
    of(high)
}

/// Coefficient of variation of levels whose mean is 1.
#[must_use]
pub fn variation_of(levels: &[[f64; 2]]) -> f64 {
    let squares = levels
        .iter()
        .map(|[share, multiple]| share * (multiple - 1.0) * (multiple - 1.0));
    squares.sum::<f64>().sqrt()
}

/// Levels without what exceeds `most` times the mean: what a memory cannot carry comes later, and fills the levels below in
/// proportion. The second value says whether anything exceeded it.
#[must_use]
pub fn flattened(levels: &[[f64; 2]], most: f64) -> (Vec<[f64; 2]>, bool) {
    let mut levels = levels.to_vec();
    let enough = most * (1.0 + ROUNDING);
    if levels.iter().all(|[_, multiple]| *multiple <= enough) {
        return (levels, false);
    }
    if most <= 1.0 {
        for level in &mut levels {
            level[1] = 1.0;
        }
        return (levels, true);
    }
    // Each round fills at least one level more.
    for _ in 0..=levels.len() {
        let is_full = |multiple: f64| multiple >= most;
        let sum = |full: bool, levels: &[[f64; 2]]| {
            let of = levels
                .iter()
                .filter(|[_, multiple]| is_full(*multiple) == full);
            of.fold((0.0, 0.0), |(shares, lines), [share, multiple]| {
                (shares + share, lines + share * multiple)
            })
        };
        let (full, _) = sum(true, &levels);
        let (below, open) = sum(false, &levels);
        let left = 1.0 - full * most;
        let mut over = false;
        for level in &mut levels {
            level[1] = if is_full(level[1]) {
                most
            } else if open > 0.0 {
                level[1] * left / open
            } else {
                // Nothing says how they share what comes later.
                left / below
            };
            over |= level[1] > most;
        }
        if !over {
            break;
        }
    }
    (levels, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mean(levels: &[[f64; 2]]) -> f64 {
        levels
            .iter()
            .map(|[share, multiple]| share * multiple)
            .sum()
    }

    #[test]
    fn levels_have_the_variation_that_was_asked_for() {
        for variation in [0.1, 0.5, 1.0, 1.5] {
            let levels = levels_of(variation);
            assert!((mean(&levels) - 1.0).abs() < 1e-12);
            assert!((variation_of(&levels) - variation).abs() < 1e-6);
        }
        assert_eq!(levels_of(0.0), [[1.0, 1.0]]);
    }

    #[test]
    fn what_exceeds_comes_where_nothing_was() {
        let (levels, over) = flattened(&[[0.5, 0.0], [0.5, 2.0]], 1.25);
        assert!(over);
        assert_eq!(levels, [[0.5, 0.75], [0.5, 1.25]]);
    }

    proptest! {
        #[test]
        fn what_is_flattened_keeps_its_mean(variation in 0.05_f64..1.5, most in 1.01_f64..4.0) {
            let (levels, _) = flattened(&levels_of(variation), most);
            prop_assert!((mean(&levels) - 1.0).abs() < 1e-9);
            prop_assert!(levels.iter().all(|[_, multiple]| *multiple <= most * (1.0 + 1e-9)));
        }
    }
}
