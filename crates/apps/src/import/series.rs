//! How load varies over time, in bounded memory.

use std::collections::BTreeMap;

use wordline_core::Basis;

use crate::profile::LoadLevels;

/// Levels that a profile has at most.
pub const LOAD_LEVELS_MAX: usize = 24;

/// Intervals below which a distribution says nothing.
pub const LOAD_INTERVALS_MIN: u64 = 20;

/// Time and lines of intervals, by the rate of lines: sixteen steps for each doubling.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadSeries {
    steps: BTreeMap<i32, [f64; 2]>,
    intervals: u64,
    seconds: f64,
    lines: f64,
}

impl LoadSeries {
    /// Adds an interval.
    pub(super) fn add(&mut self, seconds: f64, lines: f64) {
        if seconds <= 0.0 {
            return;
        }
        let rate = lines / seconds;
        #[allow(clippy::cast_possible_truncation)] // At most sixteen times an exponent.
        let step = if rate > 0.0 {
            (libm::log2(rate) * 16.0).floor() as i32
        } else {
            i32::MIN
        };
        let sums = self.steps.entry(step).or_default();
        sums[0] += seconds;
        sums[1] += lines;
        self.intervals += 1;
        self.seconds += seconds;
        self.lines += lines;
    }

    pub(super) const fn intervals(&self) -> u64 {
        self.intervals
    }

    /// The distribution, where there are intervals enough and anything moved.
    pub(super) fn levels(&self) -> Option<LoadLevels> {
        if self.intervals < LOAD_INTERVALS_MIN || self.lines <= 0.0 {
            return None;
        }
        let mut levels: Vec<[f64; 2]> = self.steps.values().copied().collect();
        while levels.len() > LOAD_LEVELS_MAX {
            // The two neighbours that last the shortest become one: their mean is kept.
            let pairs = levels
                .windows(2)
                .map(|pair| pair[0][0] + pair[1][0])
                .enumerate();
            let Some((at, _)) = pairs.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                break;
            };
            let next = levels.remove(at + 1);
            levels[at][0] += next[0];
            levels[at][1] += next[1];
        }
        let mean = self.lines / self.seconds;
        let level = |[seconds, lines]: [f64; 2]| [seconds / self.seconds, lines / seconds / mean];
        #[allow(clippy::cast_precision_loss)] // A mean of durations.
        let window_s = self.seconds / self.intervals as f64;
        Some(LoadLevels {
            levels: levels.into_iter().map(level).collect(),
            window_s,
            basis: Basis::Measured,
        })
    }
}

/// Levels of the time in which a program ran, from those of all time: intervals in which nothing moved are taken to be the
/// share in which it did not run, as far as that goes.
pub(super) fn while_running(mut load: LoadLevels, outside_share: f64) -> LoadLevels {
    let mut left = outside_share;
    for [share, multiple] in &mut load.levels {
        if *multiple <= 0.0 {
            let slept = left.min(*share);
            *share -= slept;
            left -= slept;
        }
    }
    load.levels.retain(|[share, _]| *share > 0.0);
    let ran: f64 = load.levels.iter().map(|[share, _]| share).sum();
    for [share, multiple] in &mut load.levels {
        *share /= ran;
        *multiple *= ran;
    }
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn levels_keep_time_and_lines(intervals in proptest::collection::vec((1u32..2000, 0u32..1_000_000), 20..400)) {
            let mut series = LoadSeries::default();
            for (milliseconds, lines) in &intervals {
                series.add(f64::from(*milliseconds) / 1000.0, f64::from(*lines));
            }
            let Some(load) = series.levels() else {
                prop_assert!(intervals.iter().all(|(_, lines)| *lines == 0));
                return Ok(());
            };
            prop_assert!(load.levels.len() <= LOAD_LEVELS_MAX);
            let sum: f64 = load.levels.iter().map(|level| level[0]).sum();
            let mean: f64 = load.levels.iter().map(|level| level[0] * level[1]).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9 && (mean - 1.0).abs() < 1e-9);
            prop_assert!(load.levels.windows(2).all(|pair| pair[0][1] <= pair[1][1] * (1.0 + 1e-9)));
            // What one bin spreads over is below 5 %, and merging only takes variation away.
            let seconds: f64 = intervals.iter().map(|(time, _)| f64::from(*time) / 1000.0).sum();
            let total: f64 = intervals.iter().map(|(_, lines)| f64::from(*lines)).sum();
            let square = |(time, lines): &(u32, u32)| {
                let seconds_here = f64::from(*time) / 1000.0;
                let multiple = f64::from(*lines) / seconds_here / (total / seconds);
                seconds_here / seconds * (multiple - 1.0) * (multiple - 1.0)
            };
            let variation = intervals.iter().map(square).sum::<f64>().sqrt();
            prop_assert!(crate::levels::variation_of(&load.levels) <= variation * (1.0 + 1e-9));
        }
    }

    #[test]
    fn sleep_is_no_level() {
        let load = |levels: &[[f64; 2]]| LoadLevels {
            levels: levels.to_vec(),
            window_s: 0.1,
            basis: Basis::Measured,
        };
        let all = load(&[[0.5, 0.0], [0.25, 1.0], [0.25, 3.0]]);
        let awake = while_running(all.clone(), 0.5);
        assert_eq!(awake.levels, [[0.5, 0.5], [0.5, 1.5]]);
        let half = while_running(all, 0.25);
        assert!((half.levels[0][0] - 1.0 / 3.0).abs() < 1e-12 && half.levels.len() == 3);
        let mean: f64 = half
            .levels
            .iter()
            .map(|[share, multiple]| share * multiple)
            .sum();
        assert!((mean - 1.0).abs() < 1e-12);
    }

    #[test]
    fn two_levels_come_back() {
        let mut series = LoadSeries::default();
        for index in 0..100 {
            series.add(0.1, if index % 4 == 0 { 3e6 } else { 1e6 });
        }
        let load = series.levels().expect("intervals enough");
        assert_eq!(load.levels.len(), 2);
        assert!(
            (load.levels[0][0] - 0.75).abs() < 1e-9 && (load.levels[0][1] - 1.0 / 1.5).abs() < 1e-9
        );
        assert!((load.levels[1][1] - 2.0).abs() < 1e-9);
        assert!((load.window_s - 0.1).abs() < 1e-9);
        let mut few = LoadSeries::default();
        few.add(1.0, 1.0);
        assert_eq!(few.levels(), None);
    }
}
