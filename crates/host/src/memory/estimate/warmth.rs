//! How long batches are cold after an interruption, and by how much.
//!
//! What an interruption displaced comes back load by load. A page table of `P` lines of which each load needs a random one
//! has `exp(-n/P)` of them missing after `n` loads, so that a load takes `L + D·exp(-n/P)`. `D` and `P` are found by least
//! squares *within* episodes between interruptions, because episodes that last long are those of a quieter machine. The age
//! `n` counts loads and not time: slow loads bring back no more than fast ones.
//!
//! Where enough batches are older than the horizon at which 2 % of the latency are left, the younger ones go; else the older
//! half stays. What is still missing is taken off those that stay, and the interval grows by what that leaves in doubt.

use super::defences::Defences;
use super::quantile::middle;

/// A batch is cold while it is slower than warm ones by this share.
const COLD_SHARE: f64 = 0.02;
/// Episodes with batches of several ages that a fit needs, and where nothing is expected.
const LEAST_EPISODES: (usize, usize) = (4, 8);
/// Episodes and batches beyond the horizon that need no correction.
const LEAST_OLDER: (usize, usize) = (8, 256);
/// Steps of the grid of `P` on either side of what is expected, each a factor of the root of two: a quarter to four times.
const GRID_STEPS: i32 = 4;
/// Parts of the distance between the best point and its neighbours.
const BETWEEN: u32 = 4;
/// Batches to which the smallest `P` extends where nothing is expected.
const LEAST_BATCHES: f64 = 4.0;
/// Points of the grid where nothing is expected.
const GRID_MOST: usize = 24;
/// A correction that is less well known than this share of the latency is none.
const KNOWN_SHARE: f64 = 0.5;
/// So much clearer a fall must be where nothing is expected, because many shapes are tried.
const OF_MANY: f64 = 1.5;
/// An episode that is shorter than this part of `P` shows a straight line, of which the end is unknown.
const LEAST_PART: f64 = 1.0 / 3.0;
/// Where the horizon ends without the defence of whole refills: 1.6 ms of loads of 100 ns, as long as a cache of 1 MiB takes.
const OLD_CAP_LOADS: f64 = 16_000.0;

/// A batch that was not hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgedBatch {
    /// Episode between two interruptions.
    pub episode: usize,
    /// Loads or bytes since the interruption, to the middle of the batch; infinite before the first.
    pub age: f64,
    /// Picoseconds a load or byte.
    pub value: f64,
    /// Loads or bytes.
    pub units: f64,
}

/// Which batches are warm, and what is taken off the others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Warmth {
    /// Loads or bytes after an interruption during which batches are cold; 0 where no cold shows.
    pub horizon: f64,
    /// Batches from this age on are kept.
    pub from_age: f64,
    /// What a load takes longer at age 0, in picoseconds, and the loads in which this falls to a third: taken off. 0 where
    /// nothing is.
    excess: (f64, f64),
    /// By how much the true middle may lie below and above what the correction gives.
    pub doubt: (f64, f64),
    /// Whether no episode lasted long enough to show where the fall ends.
    pub is_bound: bool,
}

impl Warmth {
    /// What is taken off a batch of an age.
    pub(super) fn taken_off(&self, age: f64) -> f64 {
        match self.excess {
            (excess, _) if excess <= 0.0 => 0.0,
            (excess, loads) => excess * (-age / loads).exp(),
        }
    }
}

impl Warmth {
    /// Variance of a batch of an age by chance alone: of its loads each is one that lacks something, or none.
    pub(super) fn chance(&self, age: f64, units: f64) -> f64 {
        let (excess, loads) = self.excess;
        let share = if excess > 0.0 {
            (-age / loads).exp()
        } else {
            0.0
        };
        excess * excess * share * (1.0 - share) / units
    }
}

/// Sums of an episode, centred on its means.
#[derive(Clone, Copy, Debug, Default)]
struct EpisodeSums {
    weight: f64,
    mean_x: f64,
    mean_y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

/// A fit at one `P`.
struct WarmthFit {
    loads: f64,
    episodes: Vec<EpisodeSums>,
    excess: f64,
    /// Its standard error, by leaving out each episode in turn.
    error: f64,
    squares: f64,
}

/// Finds how long batches are cold. `expected` are the loads in which two thirds come back, where that is known.
pub(super) fn warmth(aged: &[AgedBatch], expected: Option<f64>, defences: &Defences) -> Warmth {
    let oldest = aged.iter().map(|batch| batch.age);
    let oldest = oldest.filter(|age| age.is_finite()).fold(0.0, f64::max);
    if oldest <= 0.0 {
        return Warmth::default();
    }
    let grid = grid(aged, expected, oldest);
    let least = match expected {
        Some(_) => LEAST_EPISODES.0,
        None => LEAST_EPISODES.1,
    };
    let fit = |loads| WarmthFit::of(aged, loads).filter(|fit| fit.episodes.len() >= least);
    let mut fits: Vec<WarmthFit> = grid.into_iter().filter_map(fit).collect();
    for loads in between(&fits) {
        fits.extend(WarmthFit::of(aged, loads));
    }
    let Some(best) = fits
        .iter()
        .min_by(|one, other| one.squares.total_cmp(&other.squares))
    else {
        return unfitted(aged, expected);
    };
    // Among what the episodes allow, what is expected comes first.
    let near =
        |fit: &&WarmthFit| expected.is_some_and(|loads| (fit.loads / loads - 1.0).abs() < 1e-6);
    let known = fits.iter().find(near).filter(|fit| fit.is_allowed(best));
    let taken = known.unwrap_or(best);
    // Of several shapes the best may fit by chance.
    let errors = match expected {
        Some(_) => taken.student(),
        None => OF_MANY * taken.student(),
    };
    let warm = taken.warm();
    let is_seen = taken.excess > errors * taken.error && taken.excess > COLD_SHARE * warm;
    if !is_seen || warm <= 0.0 {
        // What was not seen may be there all the same, as far as its error goes.
        let most = expected.map_or(0.0, |_| taken.at_middle(aged.iter(), 1.0));
        return Warmth {
            doubt: (most, 0.0),
            is_bound: most > KNOWN_SHARE * warm.max(0.0),
            ..Warmth::default()
        };
    }
    let horizon = taken.loads * (taken.excess / (COLD_SHARE * warm)).ln();
    let horizon = match defences.whole_refill {
        true => horizon,
        false => horizon.min(OLD_CAP_LOADS),
    };
    let older = aged.iter().filter(|batch| batch.age >= horizon);
    let mut episodes: Vec<usize> = older.clone().map(|batch| batch.episode).collect();
    episodes.dedup();
    let is_enough = episodes.len() >= LEAST_OLDER.0 && older.count() >= LEAST_OLDER.1;
    let mut ages: Vec<f64> = aged.iter().map(|batch| batch.age).collect();
    let from_age = match is_enough {
        true => horizon,
        false if defences.correct_cold => middle(&mut ages),
        false => 0.0,
    };
    let found = Warmth {
        horizon,
        from_age,
        ..Warmth::default()
    };
    match defences.correct_cold {
        true => corrected(found, aged, &fits, (taken, best), oldest),
        false => found,
    }
}

/// What is taken off those that stay by the shape `taken`, and the doubt that all shapes leave that are not worse than the best
/// beyond chance.
fn corrected(
    found: Warmth,
    aged: &[AgedBatch],
    fits: &[WarmthFit],
    (taken, best): (&WarmthFit, &WarmthFit),
    oldest: f64,
) -> Warmth {
    let kept = || aged.iter().filter(|batch| batch.age >= found.from_age);
    let at_middle = |fit: &WarmthFit, sign: f64| fit.at_middle(kept(), sign);
    let allowed = || fits.iter().filter(|fit| fit.is_allowed(best));
    let off = at_middle(taken, 0.0);
    let most = allowed().map(|fit| at_middle(fit, 1.0));
    let most = most.fold(at_middle(taken, 1.0), f64::max);
    let least = allowed().map(|fit| at_middle(fit, -1.0));
    let least = least.fold(at_middle(taken, -1.0), f64::min);
    let warm = taken.warm();
    let is_known = at_middle(taken, 1.0) - off < KNOWN_SHARE * warm;
    // Where not even its own error is small, nothing is taken off, and what may be is a bound.
    let (excess, off) = match is_known {
        true => (taken.excess, off),
        false => (0.0, 0.0),
    };
    Warmth {
        excess: (excess, taken.loads),
        doubt: (most - off, (off - least).max(0.0)),
        is_bound: !is_known
            || oldest < taken.loads * LEAST_PART
            || most - least > KNOWN_SHARE * warm,
        ..found
    }
}

/// Places between the best fit and its neighbours, of which the best one may be truly the best.
fn between(fits: &[WarmthFit]) -> Vec<f64> {
    let best = fits.iter().enumerate();
    let best = best.min_by(|(_, one), (_, other)| one.squares.total_cmp(&other.squares));
    let Some((best, fit)) = best else {
        return Vec::new();
    };
    let ends = [best.checked_sub(1), Some(best + 1)].into_iter().flatten();
    let ends = ends.filter_map(|place| fits.get(place));
    let parts = |end: &WarmthFit| {
        let factor = end.loads / fit.loads;
        (1..BETWEEN).map(move |part| fit.loads * factor.powf(f64::from(part) / f64::from(BETWEEN)))
    };
    ends.flat_map(parts).collect()
}

/// Too few episodes for a fit: what is expected decides which batches are old enough. Where there are too few of those, most may be
/// cold.
fn unfitted(aged: &[AgedBatch], expected: Option<f64>) -> Warmth {
    let horizon = expected.unwrap_or(0.0) * (1.0 / COLD_SHARE).ln();
    let older = aged.iter().filter(|batch| batch.age >= horizon).count();
    match older >= LEAST_OLDER.1 {
        true => Warmth {
            horizon,
            from_age: horizon,
            ..Warmth::default()
        },
        false => Warmth {
            is_bound: 2 * older < aged.len(),
            ..Warmth::default()
        },
    }
}

fn grid(aged: &[AgedBatch], expected: Option<f64>, oldest: f64) -> Vec<f64> {
    if let Some(expected) = expected.filter(|loads| *loads > 0.0) {
        let step = |step: i32| expected * (f64::from(step) / 2.0).exp2();
        return (-GRID_STEPS..=GRID_STEPS).map(step).collect();
    }
    let mut units: Vec<f64> = aged.iter().map(|batch| batch.units).collect();
    let first = LEAST_BATCHES * middle(&mut units);
    let doubled = std::iter::successors(Some(first), |loads| Some(loads * 2.0));
    doubled
        .take_while(|loads| *loads <= oldest)
        .take(GRID_MOST)
        .collect()
}

impl WarmthFit {
    /// `None` where too few episodes have batches of several ages.
    fn of(aged: &[AgedBatch], loads: f64) -> Option<Self> {
        let episodes = aged.chunk_by(|one, other| one.episode == other.episode);
        let sums = episodes.map(|episode| EpisodeSums::of(episode, loads));
        let episodes: Vec<EpisodeSums> = sums.filter(|sums| sums.xx > 0.0).collect();
        let count = episodes.len() as f64;
        if episodes.len() < LEAST_EPISODES.0 {
            return None;
        }
        let sum = |of: fn(&EpisodeSums) -> f64| episodes.iter().map(of).sum::<f64>();
        let (xx, xy) = (sum(|sums| sums.xx), sum(|sums| sums.xy));
        let without = |one: &EpisodeSums| match xx - one.xx {
            rest if rest > xx * f64::EPSILON => (xy - one.xy) / rest,
            _ => 0.0,
        };
        let each: Vec<f64> = episodes.iter().map(without).collect();
        let mean = each.iter().sum::<f64>() / count;
        let squares: f64 = each.iter().map(|one| (one - mean).powi(2)).sum();
        let excess = xy / xx;
        let mut fit = Self {
            loads,
            excess,
            error: ((count - 1.0) / count * squares).sqrt(),
            squares: 0.0,
            episodes,
        };
        fit.squares = fit.episodes.iter().map(|one| fit.residual(one)).sum();
        (fit.excess.is_finite() && fit.error.is_finite() && fit.squares.is_finite()).then_some(fit)
    }

    /// Squares that are left of an episode. A fall alone counts: what gets slower with age is no cold.
    fn residual(&self, one: &EpisodeSums) -> f64 {
        let excess = self.excess.max(0.0);
        (excess * excess).mul_add(one.xx, one.yy - 2.0 * excess * one.xy)
    }

    /// The latency that is left when all is warm.
    fn warm(&self) -> f64 {
        let weight: f64 = self.episodes.iter().map(|one| one.weight).sum();
        let each = self.episodes.iter();
        let sum = each.map(|one| one.weight * (one.mean_y - self.excess * one.mean_x));
        sum.sum::<f64>() / weight
    }

    /// What batches have too much on the mean, with so many errors.
    fn at_middle<'b>(&self, batches: impl Iterator<Item = &'b AgedBatch>, errors: f64) -> f64 {
        let excess = self.excess.max(0.0) + errors * self.student() * self.error;
        let left = batches.map(|batch| (-batch.age / self.loads).exp());
        let (count, left) = left.fold((0.0, 0.0), |(count, sum), left| (count + 1.0, sum + left));
        excess.max(0.0) * left / f64::max(count, 1.0)
    }

    /// Standard errors that are no accident, by the number of episodes: about the 97.5 % quantile of Student's t.
    fn student(&self) -> f64 {
        1.96 + 3.0 / (self.episodes.len() as f64 - 1.0)
    }

    /// Whether the episodes are no better explained by the best fit, beyond chance.
    fn is_allowed(&self, best: &Self) -> bool {
        let pairs = self.episodes.iter().zip(&best.episodes);
        let worse: Vec<f64> = pairs
            .map(|(own, other)| self.residual(own) - best.residual(other))
            .collect();
        let count = worse.len() as f64;
        let sum: f64 = worse.iter().sum();
        let mean = sum / count;
        let squares: f64 = worse.iter().map(|one| (one - mean).powi(2)).sum();
        sum <= self.student() * (squares * count / (count - 1.0)).sqrt()
    }
}

impl EpisodeSums {
    fn of(episode: &[AgedBatch], loads: f64) -> Self {
        let left = |batch: &AgedBatch| (-batch.age / loads).exp();
        let weight: f64 = episode.iter().map(|batch| batch.units).sum();
        let mean = |of: &dyn Fn(&AgedBatch) -> f64| {
            let sum: f64 = episode.iter().map(|batch| batch.units * of(batch)).sum();
            sum / weight
        };
        let (mean_x, mean_y) = (mean(&left), mean(&|batch| batch.value));
        let mut sums = Self {
            weight,
            mean_x,
            mean_y,
            ..Self::default()
        };
        for batch in episode {
            let (x, y) = (left(batch) - mean_x, batch.value - mean_y);
            sums.xx += batch.units * x * x;
            sums.xy += batch.units * x * y;
            sums.yy += batch.units * y * y;
        }
        sums
    }
}
