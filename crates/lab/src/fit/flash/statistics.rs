//! Distributions that intervals are read from, and small systems of equations.
//!
//! Regularised incomplete gamma and beta functions by their series and continued fractions (Abramowitz and Stegun,
//! "Handbook of Mathematical Functions", 6.5.29, 6.5.31 and 26.5.8); quantiles by halving.

/// Chance that a 95 % interval leaves out on each side.
pub(super) const TAIL: f64 = 0.025;

/// The 97.5 % quantile of the normal distribution.
pub(super) const NORMAL: f64 = 1.959_964;

/// Median absolute deviation of the normal distribution, in standard deviations.
pub(super) const MEDIAN_DEVIATION: f64 = 0.674_490;

/// Terms of a series or a fraction.
const TERMS: u32 = 1000;

const PRECISE: f64 = 1e-14;

/// Lower regularised incomplete gamma function P(a, x), for a above 0 and x from 0 on.
fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS {
            term *= x / (a + f64::from(n));
            sum += term;
            if term < sum * PRECISE {
                break;
            }
        }
        return front * sum;
    }
    let fraction = lentz(x + 1.0 - a, |n| {
        let n = f64::from(n);
        (-n * (n - a), x + 2.0 * n + 1.0 - a)
    });
    1.0 - front / fraction
}

/// Regularised incomplete beta function I_x(a, b), for a and b above 0.
fn beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta(b, a, 1.0 - x);
    }
    let log = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let front = libm::exp(log + a * libm::log(x) + b * libm::log1p(-x)) / a;
    let fraction = lentz(1.0, |n| {
        let m = f64::from(n / 2);
        let term = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (term, 1.0)
    });
    front / fraction
}

/// The continued fraction b₀ + a₁/(b₁ + a₂/(b₂ + …)) by the modified method of Lentz.
fn lentz(first: f64, terms: impl Fn(u32) -> (f64, f64)) -> f64 {
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut value = apart(first);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..TERMS {
        let (a, b) = terms(n);
        d = 1.0 / apart(b + a * d);
        c = apart(b + a / c);
        value *= c * d;
        if (c * d - 1.0).abs() < PRECISE {
            break;
        }
    }
    value
}

/// Where a function that rises from below `target` to above it crosses it.
pub(super) fn crossing(function: impl Fn(f64) -> f64, target: f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if function(middle) < target {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Quantile of χ² with `freedom` degrees of freedom.
pub(super) fn chi_squared(freedom: f64, part: f64) -> f64 {
    let most = 20.0 * freedom + 100.0;
    crossing(|x| gamma_p(0.5 * freedom, 0.5 * x), part, 0.0, most)
}

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom.
pub(super) fn student(freedom: f64) -> f64 {
    // For t from 0 on, twice the upper tail is I_x(freedom/2, 1/2) with x = freedom/(freedom + t²).
    let x = crossing(
        |x| beta(0.5 * freedom, 0.5, x),
        2.0 * TAIL,
        0.0,
        1.0 - f64::EPSILON,
    );
    (freedom * (1.0 / x - 1.0)).sqrt()
}

/// By how much a log likelihood falls from its top to the ends of the 95 % interval of a mean, when the scatter of the
/// `values` is estimated as well, with `freedom` degrees of freedom. It is exact of normal values, and with many of them
/// half the quantile of χ² with one degree of freedom.
pub(super) fn fall(values: usize, freedom: usize) -> f64 {
    let (values, freedom) = (values.max(1) as f64, freedom.max(1) as f64);
    0.5 * values * libm::log1p(student(freedom).powi(2) / freedom)
}

/// The exact 95 % interval of a share of which `hits` of `trials` were seen (Clopper and Pearson, 1934).
pub(super) fn share(hits: usize, trials: usize) -> (f64, f64) {
    let (hits, trials) = (hits as f64, trials as f64);
    let least = match hits {
        0.0 => 0.0,
        _ => crossing(|x| beta(hits, trials - hits + 1.0, x), TAIL, 0.0, 1.0),
    };
    let most = if hits < trials {
        crossing(|x| beta(hits + 1.0, trials - hits, x), 1.0 - TAIL, 0.0, 1.0)
    } else {
        1.0
    };
    (least, most)
}

/// Mean and its standard error, of at least one value.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

/// The middle of some values, of an even number the mean of the two in the middle; 0 of none.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(0.0);
    f64::midpoint(at(sorted.len().saturating_sub(1) / 2), at(sorted.len() / 2))
}

/// The inverse of a symmetric matrix that is positive definite, by elimination; `None` for another.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(place, row)| {
            let unit = (0..n).map(|other| f64::from(u8::from(other == place)));
            row.iter().copied().chain(unit).collect()
        })
        .collect();
    for at in 0..n {
        let pivot = rows[at][at];
        if !pivot.is_finite() || pivot <= 0.0 {
            return None;
        }
        rows[at].iter_mut().for_each(|one| *one /= pivot);
        let row = rows[at].clone();
        for (place, other) in rows.iter_mut().enumerate() {
            let factor = other[at];
            if place != at {
                other
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(one, by)| *one -= factor * by);
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-4, "{found}, not {wanted}");
    }

    /// Values of printed tables.
    #[test]
    fn quantiles_are_those_of_tables() {
        near(chi_squared(1.0, 0.95), 3.841_459);
        near(chi_squared(1.0, 0.025), 0.000_982_07);
        near(chi_squared(10.0, 0.975), 20.483_2);
        near(chi_squared(100.0, 0.025), 74.221_9);
        near(2.0 * fall(1_000_000, 1_000_000), chi_squared(1.0, 0.95));
        near(
            fall(11, 10),
            5.5 * (1.0_f64 + 2.228_14 * 2.228_14 / 10.0).ln(),
        );
        near(student(1.0), 12.706_2);
        near(student(2.0), 4.302_65);
        near(student(7.0), 2.364_62);
        near(student(1e6), NORMAL);
    }

    #[test]
    fn shares_have_the_exact_interval() {
        near(share(0, 10).1, 0.308_497);
        near(share(1, 10).0, 0.002_528_6);
        near(share(1, 10).1, 0.445_016);
        near(share(50, 100).0, 0.398_321);
        assert_eq!((share(0, 10).0, share(10, 10).1), (0.0, 1.0));
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![
            vec![4.0, 1.0, 0.5],
            vec![1.0, 3.0, 0.2],
            vec![0.5, 0.2, 2.0],
        ];
        let inverse = inverse(&matrix).expect("it is positive definite");
        let column = |at: usize| inverse.iter().map(move |row| row[at]);
        for (row, line) in matrix.iter().enumerate() {
            for at in 0..line.len() {
                let product: f64 = line.iter().zip(column(at)).map(|(a, b)| a * b).sum();
                let wanted = f64::from(u8::from(row == at));
                assert!((product - wanted).abs() < 1e-12, "{product}");
            }
        }
        assert_eq!(super::inverse(&[vec![0.0]]), None);
    }
}
