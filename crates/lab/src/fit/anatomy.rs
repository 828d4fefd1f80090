//! What a stretch of a log shows before anything is simulated: the levels that durations gather at, how often
//! each comes and how evenly, and what pauses did.
//!
//! A card does a few different things: it takes data into its buffer, programs a page, writes its tables,
//! cleans. Each makes a level in the distribution of durations. Levels are found as the peaks of a histogram of
//! the logarithms that stand out: a peak belongs to its higher neighbour unless it is [`STANDS_OUT`] times as
//! high as the valley between them (its persistence; Edelsbrunner, Letscher and Zomorodian, "Topological
//! Persistence and Simplification", 2002).

use super::sample::Sample;

/// Bins of the histogram for a factor of two: 9 % each.
const BINS: f64 = 8.0;

/// How much higher than the valley beside it a peak must be.
const STANDS_OUT: f64 = 3.0;

/// Accesses of a level: fewer are part of their neighbour.
const LEVEL_MIN: f64 = 8.0;

/// A stall lasts this many times as long as the ordinary access.
pub(crate) const STALL: f64 = 10.0;

/// Accesses that took about the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// Shortest and longest, in seconds.
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// The middle one, in seconds.
    pub(crate) median: f64,
    pub(crate) count: usize,
    /// Share of the time of all accesses.
    pub(crate) time_share: f64,
    /// Accesses from one to the next, on average.
    pub(crate) spacing: f64,
    /// Standard deviation of that, divided by it: 0 for a clock, 1 for chance, more where they come in groups.
    pub(crate) unevenness: f64,
}

/// What a stretch of a log shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Anatomy {
    /// From the shortest.
    pub(crate) levels: Vec<Level>,
    pub(crate) accesses: usize,
    /// Duration of the ordinary access: the middle of the level that most accesses belong to, in seconds.
    pub(crate) ordinary: f64,
    /// Duration of the quick access, which waits for nothing: the middle of the first level with a fiftieth of the
    /// accesses, in seconds.
    pub(crate) quick: f64,
    /// Mean duration, in seconds.
    pub(crate) mean: f64,
    /// Mean duration of those that are no stalls, in seconds.
    pub(crate) body: f64,
    /// Accesses of at least [`STALL`] ordinary ones.
    pub(crate) stalls: usize,
    /// Their share of the time.
    pub(crate) stall_time_share: f64,
    /// Their mean duration in seconds; 0 where there is none.
    pub(crate) stall_mean: f64,
    /// Share of the log's time in which the host paused; 0 in closed loop.
    pub(crate) pause_share: f64,
}

impl Anatomy {
    /// Of some accesses of a sample, at least one.
    pub(crate) fn of(sample: &Sample, range: std::ops::Range<usize>) -> Self {
        let durations = &sample.durations[range.clone()];
        let total: f64 = durations.iter().map(|ps| *ps as f64).sum();
        let levels = levels(durations, total);
        let most = levels.iter().max_by_key(|level| level.count);
        let ordinary = most.map_or(0.0, |level| level.median);
        let is_stall = |ps: &&u64| **ps as f64 * 1e-12 >= STALL * ordinary;
        let stalls: Vec<f64> = durations
            .iter()
            .filter(is_stall)
            .map(|ps| *ps as f64)
            .collect();
        let stalled: f64 = stalls.iter().sum();
        let others = (durations.len() - stalls.len()).max(1) as f64;
        let quick = levels
            .iter()
            .find(|level| level.count * 50 >= durations.len());
        let paused: u64 = sample.pauses().take(range.end).skip(range.start).sum();
        Self {
            accesses: durations.len(),
            ordinary,
            quick: quick.map_or(ordinary, |level| level.median),
            mean: total * 1e-12 / durations.len() as f64,
            body: (total - stalled) * 1e-12 / others,
            stalls: stalls.len(),
            stall_time_share: stalled / total,
            stall_mean: stalled * 1e-12 / stalls.len().max(1) as f64,
            pause_share: paused as f64 / (paused as f64 + total),
            levels,
        }
    }

    /// Mean over ordinary duration, less 1: what comes on top of the ordinary accesses. Above zero.
    pub(crate) fn excess(&self) -> f64 {
        (self.mean / self.ordinary - 1.0).max(0.01)
    }
}

/// Accesses whose durations lie in a run of bins.
struct Cluster {
    first: usize,
    last: usize,
    peak: f64,
    count: f64,
}

fn levels(durations: &[u64], total: f64) -> Vec<Level> {
    let bin = |ps: u64| (libm::log2(ps.max(1) as f64) * BINS) as usize;
    let bins = durations.iter().map(|ps| bin(*ps)).max().unwrap_or(0) + 1;
    let mut counts = vec![0.0; bins];
    for ps in durations {
        counts[bin(*ps)] += 1.0;
    }
    let clusters = clusters(&counts);
    let of_bin = |at: usize| clusters.iter().position(|one| at <= one.last).unwrap_or(0);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); clusters.len()];
    for (index, ps) in durations.iter().enumerate() {
        members[of_bin(bin(*ps))].push(index);
    }
    let members = members.into_iter().filter(|one| !one.is_empty());
    members.map(|one| level(durations, &one, total)).collect()
}

fn level(durations: &[u64], members: &[usize], total: f64) -> Level {
    let mut sorted: Vec<u64> = members.iter().map(|index| durations[*index]).collect();
    sorted.sort_unstable();
    let time: f64 = sorted.iter().map(|ps| *ps as f64).sum();
    let gaps: Vec<f64> = members
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect();
    let count = gaps.len().max(1) as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
    Level {
        least: sorted[0] as f64 * 1e-12,
        most: sorted[sorted.len() - 1] as f64 * 1e-12,
        median: sorted[sorted.len() / 2] as f64 * 1e-12,
        count: sorted.len(),
        time_share: time / total,
        spacing: durations.len() as f64 / sorted.len() as f64,
        unevenness: if mean > 0.0 {
            variance.sqrt() / mean
        } else {
            0.0
        },
    }
}

/// Cuts a histogram into the surroundings of the peaks that stand out.
fn clusters(counts: &[f64]) -> Vec<Cluster> {
    let at = |index: usize| counts.get(index).copied().unwrap_or(0.0);
    let smooth = |index: usize| {
        let before = index.checked_sub(1).map_or(0.0, at);
        0.25 * before + 0.5 * at(index) + 0.25 * at(index + 1)
    };
    let height: Vec<f64> = (0..counts.len()).map(smooth).collect();
    let mut found: Vec<Cluster> = Vec::new();
    // One cluster for every stretch from a valley over a peak to the next valley.
    let mut rising = false;
    for (index, high) in height.iter().enumerate() {
        let before = if index > 0 { height[index - 1] } else { 0.0 };
        if *high > before && !rising {
            rising = true;
            found.push(Cluster {
                first: index,
                last: index,
                peak: 0.0,
                count: 0.0,
            });
        } else if *high < before {
            rising = false;
        }
        if let Some(one) = found.last_mut() {
            one.last = index;
            one.peak = one.peak.max(*high);
            one.count += counts[index];
        }
    }
    while let Some((weak, into)) = weakest(&found, &height) {
        let merged = found.remove(weak.max(into));
        let one = &mut found[weak.min(into)];
        one.last = merged.last;
        one.peak = one.peak.max(merged.peak);
        one.count += merged.count;
    }
    found
}

/// The lowest peak that does not stand out, and the neighbour that it belongs to.
fn weakest(clusters: &[Cluster], height: &[f64]) -> Option<(usize, usize)> {
    // The valley before a cluster is its first bin, or the one in front of it.
    let valley = |index: usize| {
        let first = clusters[index].first;
        height[first].min(height[first.saturating_sub(1)])
    };
    let weak = (0..clusters.len()).filter_map(|index| {
        let one = &clusters[index];
        let left = (index > 0).then(|| (valley(index), index - 1));
        let right = (index + 1 < clusters.len()).then(|| (valley(index + 1), index + 1));
        let (high, into) = match (left, right) {
            (Some(left), Some(right)) if left.0 == right.0 => {
                let before = one.first - peak_of(&clusters[left.1], height);
                let behind = peak_of(&clusters[right.1], height) - one.last;
                if before <= behind { left } else { right }
            }
            (Some(left), Some(right)) => {
                if left.0 > right.0 {
                    left
                } else {
                    right
                }
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return None,
        };
        let lower = one.peak <= clusters[into].peak;
        let weak = one.count < LEVEL_MIN || lower && one.peak < STANDS_OUT * high;
        weak.then_some((index, into))
    });
    weak.min_by(|a, b| clusters[a.0].peak.total_cmp(&clusters[b.0].peak))
}

/// The highest bin of a cluster.
fn peak_of(cluster: &Cluster, height: &[f64]) -> usize {
    let bins = cluster.first..=cluster.last;
    bins.max_by(|a, b| height[*a].total_cmp(&height[*b]))
        .unwrap_or(cluster.first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw, unit_interval};

    const US: f64 = 1e6;

    /// Durations in microseconds, each blurred by a tenth.
    fn sample(of: impl Fn(usize) -> f64) -> Sample {
        let blur = |index: usize| {
            let drawn = unit_interval(draw(1, 0, index as u64, Purpose::Arrival));
            0.95 + 0.1 * drawn
        };
        Sample {
            bytes: 4096,
            durations: (0..10_000)
                .map(|index| (of(index) * blur(index) * US) as u64)
                .collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn what_a_card_does_shows_as_levels() {
        let sample = sample(|index| match index {
            index if index % 500 == 7 => 40_000.0,
            index if index % 8 == 3 => 1_400.0,
            _ => 260.0,
        });
        let anatomy = Anatomy::of(&sample, 0..10_000);
        let medians: Vec<f64> = anatomy.levels.iter().map(|level| level.median).collect();
        assert_eq!(medians.len(), 3, "{anatomy:#?}");
        for (found, true_one) in medians.iter().zip([260e-6, 1.4e-3, 40e-3]) {
            assert!((found / true_one).ln().abs() < 0.05, "{anatomy:#?}");
        }
        assert!((anatomy.levels[1].spacing - 8.0).abs() < 0.2);
        assert!(anatomy.levels[2].unevenness < 0.05);
        assert_eq!(anatomy.stalls, 20);
        let shares: f64 = anatomy.levels.iter().map(|level| level.time_share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }

    #[test]
    fn chance_and_groups_are_told_from_a_clock() {
        let drawn = |index: usize| draw(9, 0, index as u64, Purpose::Mix).is_multiple_of(100);
        let random = Anatomy::of(
            &sample(|index| if drawn(index) { 30_000.0 } else { 500.0 }),
            0..10_000,
        );
        let uneven = random.levels.last().expect("stalls").unevenness;
        assert!((0.7..1.3).contains(&uneven), "{uneven}");
        let grouped = |index: usize| index % 2_000 < 20;
        let grouped = Anatomy::of(
            &sample(|index| if grouped(index) { 30_000.0 } else { 500.0 }),
            0..10_000,
        );
        let uneven = grouped.levels.last().expect("stalls").unevenness;
        assert!(uneven > 3.0, "{uneven}");
    }

    #[test]
    fn one_level_and_a_few_outliers_are_one_level_and_a_few_stalls() {
        let sample = sample(|index| if index == 77 { 9e6 } else { 500.0 });
        let anatomy = Anatomy::of(&sample, 0..10_000);
        assert_eq!(anatomy.levels.len(), 1, "{anatomy:#?}");
        assert_eq!(anatomy.stalls, 1);
        assert!((anatomy.ordinary / 500e-6).ln().abs() < 0.01);
    }
}
