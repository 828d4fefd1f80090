//! How far the latency of an operation has moved in a block's life so far, and how fast it moves.
//!
//! Real logs have outliers, a coarse clock and gaps; virtual chips step from one pulse count to the next. Both are read
//! alike: a running median takes single outliers out and leaves what only ever rises as it is; wear is not undone, so
//! that a monotone fit takes the noise out; and where the latency goes from one level to the next, it is half-way
//! between them. What a trend is made from are these moments, not the levels, whose grain is coarse.

use super::history::TrendSample;

/// Lines of a log around one, itself included, whose median stands for it.
const SMOOTHED: usize = 5;

/// The last latency is believed where it leaps no further than so many times the furthest of those before it.
const LEAP: f64 = 3.0;

/// A block is fresh up to here, in cycles.
const FRESH: u64 = 10;

/// The latest first operation whose latency passes for that of a fresh block, in cycles.
const FRESH_MOST: u64 = 100;

/// Cycles after which programs no longer get faster because traps that the oxide was made with fill up: several times
/// the first few hundred of the paper's section 3.3.
const SETTLED: u64 = 1000;

/// A latency that has moved by less shows nothing.
const STILL: f64 = 0.08;

/// The trend is that of the moments since the block had seen so many times fewer cycles.
const RECENT: f64 = 5.0;

/// The fewest moments of a trend.
const MOMENTS: usize = 3;

/// An operation whose latency shows wear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Erases take longer: the excess is what they take beyond a fresh one, as a multiple of it.
    Erase,
    /// Programs take less: the excess is what they save, as a share of what they took once the early traps were full.
    Program,
}

impl Channel {
    /// How far a latency has moved from the fresh one, both in seconds: as a share of the fresh one.
    #[must_use]
    pub fn excess(self, latency_s: f64, fresh_s: f64) -> f64 {
        match self {
            Self::Erase => latency_s / fresh_s - 1.0,
            Self::Program => 1.0 - latency_s / fresh_s,
        }
    }

    /// The latency that excesses count from, in seconds; `None` where the log begins too late.
    pub(super) fn fresh_s(self, points: &[TrendSample]) -> Option<f64> {
        let until = |cycles: u64| points.partition_point(|point| point.cycle <= cycles);
        match self {
            Self::Erase => {
                until(FRESH_MOST).checked_sub(1)?;
                let first = until(FRESH).clamp(1, SMOOTHED);
                Some(median(points[..first].iter().map(|point| point.latency_s)))
            }
            Self::Program => {
                let last = until(SETTLED).checked_sub(1)?;
                Some(points[last].latency_s)
            }
        }
    }
}

/// Where the latency of an operation has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Natural logarithm of the excess.
    pub level: f64,
    /// Its standard error.
    pub level_error: f64,
    /// How the logarithm of the excess grows with that of the cycles, with its standard error; `None` where the log has
    /// too few moments.
    pub slope: Option<(f64, f64)>,
    /// The latency now, divided by the fresh one.
    pub ratio: f64,
}

/// Why a log has no trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTrend {
    /// It has no such operation.
    Missing,
    /// It begins too late to know the fresh latency.
    Late,
    /// The latency has not moved: the ratio is that of the present latency.
    Still,
}

/// The points without single outliers. One that several lines hold stands for as many in the running median, as far as
/// its window reaches: what held an operation up is in one.
pub(super) fn smoothed(points: &[TrendSample]) -> Vec<TrendSample> {
    let repeated = points.iter().flat_map(|point| {
        let times = (point.lines as usize).clamp(1, SMOOTHED);
        let lines = point.lines / times as f64;
        std::iter::repeat_n(TrendSample { lines, ..*point }, times)
    });
    let repeated: Vec<TrendSample> = repeated.collect();
    let last = repeated.len().saturating_sub(1);
    let around = |at: usize| {
        let reach = (SMOOTHED / 2).min(at).min(last - at);
        let window = &repeated[at - reach..=at + reach];
        TrendSample {
            latency_s: median(window.iter().map(|point| point.latency_s)),
            ..repeated[at]
        }
    };
    let mut smooth: Vec<TrendSample> = (0..repeated.len()).map(around).collect();
    hold_back(&mut smooth);
    smooth
}

/// The last point has no later one to say that it is none of a kind: where it leaps far beyond the latest ones, the
/// one before it stands for it.
fn hold_back(smooth: &mut [TrendSample]) {
    let [recent @ .., last] = smooth else {
        return;
    };
    let recent = &recent[recent.len().saturating_sub(SMOOTHED)..];
    let leap = |from: &TrendSample, to: &TrendSample| (to.latency_s - from.latency_s).abs();
    let leaps = recent.windows(2).map(|pair| leap(&pair[0], &pair[1]));
    let (Some(before), Some(furthest)) = (recent.last(), leaps.reduce(f64::max)) else {
        return;
    };
    if leap(before, last) > LEAP * furthest {
        last.latency_s = before.latency_s;
    }
}

impl Trend {
    /// Of smoothed points, up to a block's present cycles, whose excess counts from `fresh_s`.
    pub(super) fn of(
        channel: Channel,
        points: &[TrendSample],
        cycles: u64,
        fresh_s: Option<f64>,
    ) -> Result<Self, NoTrend> {
        if points.is_empty() {
            return Err(NoTrend::Missing);
        }
        let fresh_s = fresh_s.ok_or(NoTrend::Late)?;
        let levels = monotone(points, |latency_s| channel.excess(latency_s, fresh_s));
        let Some((last, _)) = levels.split_last() else {
            return Err(NoTrend::Missing);
        };
        if last.1 < STILL {
            return Err(NoTrend::Still);
        }
        let moments = moments(&levels);
        let ratio = match channel {
            Channel::Erase => 1.0 + last.1,
            Channel::Program => 1.0 - last.1,
        };
        let now = libm::log(cycles.max(1) as f64);
        let recent = moments.partition_point(|(at, _)| *at < now - libm::log(RECENT));
        let from = recent.min(moments.len().saturating_sub(MOMENTS));
        let Some(line) = TrendLine::through(&moments[from..]) else {
            return Ok(Self {
                level: libm::log(last.1),
                level_error: 1.0,
                slope: None,
                ratio,
            });
        };
        // It has passed the last moment, and not come to the next.
        let before = levels[levels.len() - 2].1;
        let next = libm::log(last.1 + (last.1 - before) / 2.0);
        let passed = moments[moments.len() - 1].1.min(next);
        Ok(Self {
            level: line.at(now).clamp(passed, next),
            // Between two moments any level is as probable as another, and a line says it better where it can.
            level_error: line
                .error_at(now)
                .unwrap_or((next - passed) / 12_f64.sqrt()),
            slope: line.error.map(|error| (line.slope, error)),
            ratio,
        })
    }
}

/// Excesses that only rise, each with the cycle from which on it holds, by pooling neighbours that fall.
fn monotone(points: &[TrendSample], excess: impl Fn(f64) -> f64) -> Vec<(u64, f64)> {
    let mut pools: Vec<(u64, f64, f64)> = Vec::new();
    for point in points {
        let (mut cycle, mut mean, mut lines) = (point.cycle, excess(point.latency_s), point.lines);
        while let Some((first, below, of)) = pools.last().copied()
            && below >= mean
        {
            pools.pop();
            // Equal ones stay as they are, to the last bit: they are no step.
            mean = below + (mean - below) * (lines / (of + lines));
            (cycle, lines) = (first, of + lines);
        }
        pools.push((cycle, mean, lines));
    }
    let levels = pools.into_iter();
    levels.map(|(cycle, mean, _)| (cycle, mean)).collect()
}

/// When the excess passed from one level to the next, and what it was then: both as logarithms.
fn moments(levels: &[(u64, f64)]) -> Vec<(f64, f64)> {
    let pairs = levels
        .windows(2)
        .map(|pair| (pair[1].0, f64::midpoint(pair[0].1, pair[1].1)));
    pairs
        .filter(|(_, excess)| *excess > 0.0)
        .map(|(cycle, excess)| (libm::log(cycle.max(1) as f64), libm::log(excess)))
        .collect()
}

/// A straight line by least squares.
struct TrendLine {
    mean: (f64, f64),
    slope: f64,
    /// Standard error of the slope; `None` of two points, through which every line goes.
    error: Option<f64>,
    count: f64,
    width: f64,
}

impl TrendLine {
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
        let mean = (sum(&|one| one.0) / count, sum(&|one| one.1) / count);
        let width = sum(&|one| (one.0 - mean.0).powi(2));
        if points.len() < 2 || width <= 0.0 {
            return None;
        }
        let slope = sum(&|one| (one.0 - mean.0) * (one.1 - mean.1)) / width;
        let left = sum(&|one| (one.1 - mean.1 - slope * (one.0 - mean.0)).powi(2));
        let error = (points.len() > 2).then(|| (left / (count - 2.0) / width).sqrt());
        Some(Self {
            mean,
            slope,
            error,
            count,
            width,
        })
    }

    fn at(&self, x: f64) -> f64 {
        self.mean.1 + self.slope * (x - self.mean.0)
    }

    /// Standard error at a place.
    fn error_at(&self, x: f64) -> Option<f64> {
        let at_mean = self.width / self.count;
        Some(self.error? * (at_mean + (x - self.mean.0).powi(2)).sqrt())
    }
}

/// The median; of an even number the lower one of the middle, of none not a number.
#[must_use]
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).copied().unwrap_or(f64::NAN)
}
