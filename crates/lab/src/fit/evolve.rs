//! A search over the whole landscape: the evolution strategy with covariance matrix adaptation, CMA-ES.
//!
//! A simulated card is rugged: figures make up for each other, and cleaning comes in whole blocks, so that a search
//! that only steps downhill ends in the first hollow. This one draws a generation of candidates from a normal
//! distribution, moves its mean towards the better half, and learns from their directions how the figures hang
//! together. All of it is that of Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, with its
//! default parameters, on the logarithms of the figures. A generation is simulated side by side.

use wordline_core::draw::{Purpose, draw, standard_normal};

/// First standard deviation of the logarithms: most candidates lie within a factor of 4.
const SPREAD: f64 = 0.6;

/// Standard deviation at which nothing is left to find; [`search`](super::search) takes over.
const LEAST_SPREAD: f64 = 0.02;

/// The state of the strategy. Equations are numbered as in the tutorial.
pub(crate) struct Evolution {
    mean: Vec<f64>,
    spread: f64,
    covariance: Vec<Vec<f64>>,
    /// Evolution paths of the spread and of the covariance.
    path_spread: Vec<f64>,
    path: Vec<f64>,
    weights: Vec<f64>,
    seed: u64,
    generation: u64,
}

impl Evolution {
    /// Begins at a point of logarithms.
    pub(crate) fn at(mean: Vec<f64>, seed: u64) -> Self {
        let n = mean.len();
        // Eq. (48): a population of 4 + 3 ln n, of which the better half counts (eq. 49).
        let half = Self::population_of(n) / 2;
        let raw: Vec<f64> = (1..=half)
            .map(|rank| libm::log(half as f64 + 0.5) - libm::log(rank as f64))
            .collect();
        let sum: f64 = raw.iter().sum();
        Self {
            spread: SPREAD,
            covariance: identity(n),
            path_spread: vec![0.0; n],
            path: vec![0.0; n],
            weights: raw.iter().map(|weight| weight / sum).collect(),
            mean,
            seed,
            generation: 0,
        }
    }

    fn population_of(n: usize) -> usize {
        // Even, so that two cores have the same to do, and larger than the default, for a rugged landscape.
        2 * (4 + (3.0 * libm::log(n.max(1) as f64)) as usize).div_ceil(2) + 4
    }

    /// Candidates of a generation.
    pub(crate) fn population(&self) -> usize {
        Self::population_of(self.mean.len())
    }

    /// Whether the distribution has become a point.
    pub(crate) fn is_over(&self) -> bool {
        let widest = self
            .covariance
            .iter()
            .enumerate()
            .map(|(axis, row)| row[axis].max(0.0).sqrt());
        self.spread * widest.fold(0.0, f64::max) < LEAST_SPREAD
    }

    /// The candidates of the next generation, as logarithms.
    pub(crate) fn candidates(&self) -> Vec<Vec<f64>> {
        let (basis, lengths) = eigen(&self.covariance);
        let one = |number: usize| {
            let normal = |axis: usize| {
                let cycle = self.generation << 16 | (number as u64) << 8 | axis as u64;
                standard_normal(draw(self.seed, 0, cycle, Purpose::Resample))
            };
            let stretched: Vec<f64> = (0..self.mean.len())
                .map(|axis| lengths[axis] * normal(axis))
                .collect();
            let turned = times(&basis, &stretched);
            self.mean
                .iter()
                .zip(turned)
                .map(|(mean, step)| mean + self.spread * step)
                .collect()
        };
        (0..self.population()).map(one).collect()
    }

    /// Learns from a generation, the best candidate first.
    pub(crate) fn learn(&mut self, ranked: &[Vec<f64>]) {
        self.generation += 1;
        let n = self.mean.len() as f64;
        let mass = 1.0
            / self
                .weights
                .iter()
                .map(|weight| weight * weight)
                .sum::<f64>();
        let rate_spread = (mass + 2.0) / (n + mass + 5.0); // eq. (55)
        let damping = 1.0 + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + rate_spread;
        let rate_path = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n); // eq. (56)
        let rate_one = 2.0 / ((n + 1.3).powi(2) + mass); // eq. (57)
        let rate_mass =
            (1.0 - rate_one).min(2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0).powi(2) + mass)); // eq. (58)
        let steps: Vec<Vec<f64>> = ranked
            .iter()
            .take(self.weights.len())
            .map(|one| {
                one.iter()
                    .zip(&self.mean)
                    .map(|(x, mean)| (x - mean) / self.spread)
                    .collect()
            })
            .collect();
        let mut step = vec![0.0; self.mean.len()];
        for (weight, one) in self.weights.iter().zip(&steps) {
            step.iter_mut()
                .zip(one)
                .for_each(|(sum, part)| *sum += weight * part);
        }
        self.mean
            .iter_mut()
            .zip(&step)
            .for_each(|(mean, part)| *mean += self.spread * part);
        // Eq. (43): the path in coordinates in which the distribution is round.
        let (basis, lengths) = eigen(&self.covariance);
        let mut round = times(&transposed(&basis), &step);
        round
            .iter_mut()
            .zip(&lengths)
            .for_each(|(part, length)| *part /= length.max(1e-12));
        let round = times(&basis, &round);
        let gain = (rate_spread * (2.0 - rate_spread) * mass).sqrt();
        for (path, part) in self.path_spread.iter_mut().zip(round) {
            *path = (1.0 - rate_spread) * *path + gain * part;
        }
        let length = self
            .path_spread
            .iter()
            .map(|part| part * part)
            .sum::<f64>()
            .sqrt();
        let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let settled = (1.0 - libm::pow(1.0 - rate_spread, 2.0 * self.generation as f64)).sqrt();
        let steady = length / settled < (1.4 + 2.0 / (n + 1.0)) * expected;
        let gain = if steady {
            (rate_path * (2.0 - rate_path) * mass).sqrt()
        } else {
            0.0
        };
        for (path, part) in self.path.iter_mut().zip(&step) {
            *path = (1.0 - rate_path) * *path + gain * part;
        }
        let lost = if steady {
            0.0
        } else {
            rate_one * rate_path * (2.0 - rate_path)
        };
        for row in 0..self.mean.len() {
            for column in 0..self.mean.len() {
                // Eq. (47).
                let parts = self.weights.iter().zip(&steps);
                let rank: f64 = parts
                    .map(|(weight, one)| weight * one[row] * one[column])
                    .sum();
                let old = self.covariance[row][column];
                self.covariance[row][column] = (1.0 + lost - rate_one - rate_mass) * old
                    + rate_one * self.path[row] * self.path[column]
                    + rate_mass * rank;
            }
        }
        self.spread *= libm::exp(rate_spread / damping * (length / expected - 1.0)).min(2.0); // eq. (44)
    }
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|row| {
            (0..n)
                .map(|column| f64::from(u8::from(row == column)))
                .collect()
        })
        .collect()
}

fn transposed(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..matrix.len())
        .map(|row| matrix.iter().map(|line| line[row]).collect())
        .collect()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let line = |line: &Vec<f64>| line.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(line).collect()
}

/// Eigenvectors of a symmetric matrix as columns, and the square roots of its eigenvalues, by the rotations of
/// Jacobi.
fn eigen(matrix: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<f64>) {
    const SWEEPS: usize = 30;
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let mut basis = identity(n);
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-15 * (a[p][p] * a[q][q]).abs().sqrt() || a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let cos = 1.0 / (t * t + 1.0).sqrt();
                let sin = t * cos;
                for line in &mut a {
                    (line[p], line[q]) =
                        (cos * line[p] - sin * line[q], sin * line[p] + cos * line[q]);
                }
                let (above, below) = a.split_at_mut(q);
                for (up, down) in above[p].iter_mut().zip(&mut below[0]) {
                    (*up, *down) = (cos * *up - sin * *down, sin * *up + cos * *down);
                }
                for line in &mut basis {
                    (line[p], line[q]) =
                        (cos * line[p] - sin * line[q], sin * line[p] + cos * line[q]);
                }
            }
        }
    }
    let lengths = (0..n).map(|axis| a[axis][axis].max(0.0).sqrt()).collect();
    (basis, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(function: impl Fn(&[f64]) -> f64, start: Vec<f64>, generations: usize) -> Vec<f64> {
        let mut evolution = Evolution::at(start, 5);
        for _ in 0..generations {
            if evolution.is_over() {
                break;
            }
            let mut ranked = evolution.candidates();
            ranked.sort_by(|a, b| function(a).total_cmp(&function(b)));
            evolution.learn(&ranked);
        }
        evolution.mean
    }

    #[test]
    fn a_matrix_is_its_eigenvectors_and_eigenvalues() {
        let matrix = vec![
            vec![4.0, 1.0, 0.5],
            vec![1.0, 3.0, -1.0],
            vec![0.5, -1.0, 2.0],
        ];
        let (basis, lengths) = eigen(&matrix);
        for row in 0..3 {
            for column in 0..3 {
                let back: f64 = (0..3)
                    .map(|k| basis[row][k] * lengths[k].powi(2) * basis[column][k])
                    .sum();
                assert!((back - matrix[row][column]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_bent_and_narrow_valley_is_followed_to_its_end() {
        let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
        let found = least(valley, vec![-1.0, 2.0], 150);
        assert!(
            (found[0] - 1.0).abs() < 0.1 && (found[1] - 1.0).abs() < 0.2,
            "{found:?}"
        );
    }

    #[test]
    fn hollows_on_the_way_are_passed() {
        let rugged = |x: &[f64]| {
            x.iter()
                .map(|x| (x - 1.0).abs() + 0.15 * (1.0 - (9.0 * (x - 1.0)).cos()))
                .sum()
        };
        let found = least(rugged, vec![-0.5, 2.2, 0.0, 2.0], 150);
        assert!(found.iter().all(|x| (x - 1.0).abs() < 0.1), "{found:?}");
    }
}
