//! From durations to pulses: a program or an erase repeats one step, so its durations are whole multiples of that
//! step's, and each block's change from one count to the next at cycles of its own.
//!
//! The step is the longest whose multiples explain all durations as well as the noise allows. The noise is what the
//! first operations of the blocks, nearly all of which are fresh, differ by: the median deviation, because weak blocks
//! may have changed within their first cycle.

use super::statistics::{MEDIAN_DEVIATION, mean, median};

/// The most pulses of a fresh operation that are looked for.
const PULSES_MAX: u32 = 64;

/// Noise below which a log is exact: each line is a change, at that very cycle.
const EXACT: f64 = 1e-6;

/// Noise that is taken at least, for durations that were rounded.
const NOISE_MIN: f64 = 3e-4;

/// Noise of a duration as a share of one pulse, up to which counts can be read: three of it fit half a pulse.
const NOISE_MAX: f64 = 1.0 / 6.0;

/// Share of the durations that may be no multiples, such as those that a controller cuts off.
const ODD: f64 = 0.1;

/// Mean square of the others, in squares of the noise, up to which a step explains them.
const EXPLAINED: f64 = 1.5;

/// First cycle up to which a block is taken to be fresh.
const FRESH: u64 = 2;

/// Durations of an operation of a block: cycles and seconds.
pub(super) type Series = Vec<(u64, f64)>;

/// Where a count changed by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PulseChange {
    /// Full cycles before which it did not happen.
    pub(super) after: f64,
    /// Full cycles by which it had happened.
    pub(super) by: f64,
}

impl PulseChange {
    /// The middle, in full cycles.
    pub(super) const fn middle(self) -> f64 {
        f64::midpoint(self.after, self.by)
    }

    /// Variance of where it happened, in squared cycles: even within the bracket, and half a cycle for what happened
    /// within a cycle.
    pub(super) fn variance(self) -> f64 {
        (self.by - self.after).powi(2) / 12.0 + 0.25
    }

    /// Whether it may have happened at a cycle.
    pub(super) fn holds(self, at: f64) -> bool {
        self.after < at && at <= self.by
    }

    /// Whether the bracket is narrow enough to determine a strength.
    pub(super) fn is_narrow(self) -> bool {
        self.after > 0.0 && self.by < 1.5 * self.after
    }
}

/// The pulses of one operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pulses {
    /// Those of a fresh block.
    pub(super) fresh: u32,
    /// Duration of one, in seconds, and its standard error.
    pub(super) unit: f64,
    pub(super) unit_error: f64,
    /// The changes of each block's count, in order.
    pub(super) changes: Vec<Vec<PulseChange>>,
}

impl Pulses {
    /// Of the series of all blocks, which fall or, where `rising` says so, rise. `None` where no step explains them.
    pub(super) fn of(series: &[Series], rising: bool) -> Option<Self> {
        let firsts: Vec<f64> = series
            .iter()
            .filter_map(|one| one.first())
            .filter(|(cycle, _)| *cycle <= FRESH)
            .map(|(_, seconds)| *seconds)
            .collect();
        if firsts.len() < 2 || 2 * firsts.len() < series.len() {
            return None;
        }
        let first = median(&firsts);
        let apart: Vec<f64> = firsts
            .iter()
            .map(|one| libm::log(one / first).abs())
            .collect();
        let spread = median(&apart) / MEDIAN_DEVIATION;
        let smooth: Vec<Series> = series.iter().map(|one| monotone(one, rising)).collect();
        let noise = spread.max(NOISE_MIN);
        let all: Vec<f64> = series
            .iter()
            .flatten()
            .map(|(_, seconds)| *seconds)
            .collect();
        let (fresh, unit) = (1..=PULSES_MAX).find_map(|fresh| step(&all, first, fresh, noise))?;
        let most = smooth.iter().flatten().map(|(_, seconds)| *seconds);
        if noise * most.fold(0.0, f64::max) / unit > NOISE_MAX {
            return None;
        }
        let units: Vec<f64> = all
            .iter()
            .map(|seconds| seconds / (seconds / unit).round())
            .collect();
        let changes = |one: &Series| changes(one, unit, fresh, spread < EXACT, rising);
        Some(Self {
            fresh,
            unit,
            unit_error: mean(&units).1.max(0.1 * NOISE_MIN * unit),
            changes: smooth.iter().map(changes).collect(),
        })
    }

    /// The most changes of a block.
    pub(super) fn most(&self) -> usize {
        self.changes.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The step of a fresh count, where it explains all durations.
fn step(all: &[f64], first: f64, fresh: u32, noise: f64) -> Option<(u32, f64)> {
    let mut unit = first / f64::from(fresh);
    for _ in 0..3 {
        let (mut product, mut square) = (0.0, 0.0);
        for seconds in all {
            let count = (seconds / unit).round().max(1.0);
            // Noise is in proportion to durations.
            product += seconds / count;
            square += 1.0;
        }
        unit = product / square;
    }
    let mut squares: Vec<f64> = all
        .iter()
        .map(|seconds| {
            let count = (seconds / unit).round().max(1.0);
            (libm::log(seconds / (unit * count)) / noise).powi(2)
        })
        .collect();
    squares.sort_by(f64::total_cmp);
    squares.truncate(squares.len() - (ODD * squares.len() as f64) as usize);
    let explained = squares.iter().sum::<f64>() <= EXPLAINED * squares.len() as f64;
    // One count alone is explained by any step.
    let counts = all.iter().map(|seconds| (seconds / unit).round() as u64);
    let (least, most) = counts.fold((u64::MAX, 0), |(least, most), one| {
        (least.min(one), most.max(one))
    });
    let is_fresh = (first / unit).round() as u32 == fresh;
    (explained && is_fresh && least < most).then_some((fresh, unit))
}

/// The monotone series next to a series, by pooling neighbours that violate it (Ayer et al., 1955).
fn monotone(series: &Series, rising: bool) -> Series {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (_, seconds) in series {
        pools.push((*seconds, 1));
        while let [.., (before, many), (last, few)] = pools[..]
            && if rising { before > last } else { before < last }
        {
            pools.pop();
            let sum = before * many as f64 + last * few as f64;
            if let Some(pool) = pools.last_mut() {
                *pool = (sum / (many + few) as f64, many + few);
            }
        }
    }
    let values = pools
        .into_iter()
        .flat_map(|(value, count)| std::iter::repeat_n(value, count));
    series.iter().map(|(cycle, _)| *cycle).zip(values).collect()
}

/// Where the count of a monotone series changes. What is no multiple of the unit is passed over.
fn changes(series: &Series, unit: f64, fresh: u32, exact: bool, rising: bool) -> Vec<PulseChange> {
    let mut found = Vec::new();
    let (mut last, mut count, mut passed) = (0, u64::from(fresh), false);
    for (cycle, seconds) in series {
        let pulses = seconds / unit;
        let tolerance = if exact { 0.02 } else { 0.4 };
        if (pulses - pulses.round()).abs() > tolerance {
            passed = true;
            continue;
        }
        let now = pulses.round() as u64;
        let steps = if rising {
            now.saturating_sub(count)
        } else {
            count.saturating_sub(now)
        };
        // The first cycle begins with no full cycle before it.
        let before = if exact && !passed { cycle - 1 } else { last };
        let change = PulseChange {
            after: (before.max(1) - 1) as f64,
            by: (cycle - 1) as f64,
        };
        found.extend((0..steps).map(|_| change));
        if steps > 0 {
            count = now;
        }
        (last, passed) = (*cycle, false);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw, standard_normal};

    /// Falls from 16 to 7 pulses of 12.5 us.
    fn fall(block: u64, noise: f64, grid: &[u64]) -> Series {
        let at = |step: u64| (100 + 7 * block) * (1 << step);
        let drawn = |cycle| standard_normal(draw(5, block, cycle, Purpose::Resample));
        grid.iter()
            .map(|&cycle| {
                let taken = (0..9).filter(|step| cycle > at(*step)).count();
                let seconds = 12.5e-6 * (16 - taken) as f64;
                (cycle, seconds * (1.0 + noise * drawn(cycle)))
            })
            .collect()
    }

    #[test]
    fn an_exact_log_tells_every_change_to_the_cycle() {
        let series: Vec<Series> = (0..10)
            .map(|block| {
                let steps = (0..9).map(|step| (100 + 7 * block) * (1 << step) + 1);
                let grid: Vec<u64> = std::iter::once(1).chain(steps).collect();
                fall(block, 0.0, &grid)
            })
            .collect();
        let pulses = Pulses::of(&series, false).expect("pulses");
        assert_eq!(pulses.fresh, 16);
        assert!((pulses.unit / 12.5e-6 - 1.0).abs() < 1e-9);
        assert_eq!(pulses.changes[3].len(), 9);
        let third = pulses.changes[3][2];
        assert_eq!((third.after, third.by), (483.0, 484.0));
    }

    #[test]
    fn noise_widens_brackets_and_too_much_of_it_hides_pulses() {
        let mut grid = vec![1_u64];
        while grid[grid.len() - 1] < 100_000 {
            let next = (grid[grid.len() - 1] as f64 * 1.03) as u64 + 1;
            grid.push(next);
        }
        let noisy = |noise| {
            let series: Vec<Series> = (0..20).map(|block| fall(block, noise, &grid)).collect();
            Pulses::of(&series, false)
        };
        let pulses = noisy(0.005).expect("pulses");
        assert_eq!(pulses.fresh, 16);
        assert!((pulses.unit / 12.5e-6 - 1.0).abs() < 4.0 * pulses.unit_error / pulses.unit);
        for (block, changes) in pulses.changes.iter().enumerate() {
            assert_eq!(changes.len(), 9, "block {block}");
            let at = (100 + 7 * block as u64) as f64 * 256.0;
            assert!(changes[8].after <= at && at <= changes[8].by, "{changes:?}");
        }
        assert_eq!(noisy(0.05), None);
    }

    #[test]
    fn durations_that_never_change_have_no_pulses() {
        let series: Vec<Series> = (0..4).map(|_| vec![(1, 1e-4)]).collect();
        assert_eq!(Pulses::of(&series, false), None);
    }
}
