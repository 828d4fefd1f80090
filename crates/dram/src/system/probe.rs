//! Latency samples: their distribution, and how sure their mean is.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;

/// Width of a bin of [`LatencyProbe::bins`], in picoseconds.
pub const BIN_PS: u64 = 8_000;
/// Bins of [`LatencyProbe::bins`]; the last one is open.
pub const BINS: usize = 512;

/// Most batches; twice the next lower number has a batch of half the size.
const BATCHES_MAX: usize = 128;
/// Fewest batches that neighbours are merged into.
const BATCHES_MIN: usize = 20;
/// Fewest batches that neighbouring episodes are merged into: cores move between them, so that only what the memory owes
/// of refreshes and its queues connect them.
const EPISODES_MIN: usize = 5;

/// What the probes of a run felt, from the issue of a load to its data.
#[derive(Clone, Debug)]
pub struct LatencyProbe {
    /// Samples.
    pub samples: u64,
    /// Time in which they were taken, in picoseconds.
    pub duration_ps: u64,
    /// Their mean, in picoseconds.
    pub mean_ps: f64,
    /// Half the width of the mean's 95 % confidence interval, in picoseconds: by batch means and Student's t.
    /// Infinite with fewer than two batches.
    pub confidence_ps: f64,
    /// Batches that the interval rests on: episodes, or consecutive samples in equal numbers.
    pub batches: u32,
    /// Correlation of neighbouring batches. Far above 0 it says that the interval is too narrow; neighbours are merged
    /// as long as it is and at least 20 are left, of episodes 5.
    pub correlation: f64,
    /// Samples by latency: [`BIN_PS`] a bin, the last one open.
    pub bins: Vec<u64>,
    /// The greatest latency, exact, in picoseconds.
    pub max_ps: u64,
    histogram: LatencyHistogram,
}

impl LatencyProbe {
    /// The latency in picoseconds that the share `quantile` (0 to 1) of the samples did not exceed, to 0.1 %; 0 without
    /// samples.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.histogram.quantile(quantile).map_or(0, Time::ps)
    }
}

/// Batches of consecutive values, in the order of time: how sure the mean of values is that depend on each other.
/// A batch is an episode, or one of a run that is a single episode.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// Complete ones, and the one that is being filled.
    complete: Vec<Batch>,
    current: Batch,
    /// Records of a batch; `None` where episodes are batches.
    size: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    sum: u64,
    count: u64,
    /// How often values were recorded, one or several at once.
    records: u64,
}

/// How sure a mean is.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanConfidence {
    /// Half the width of the 95 % confidence interval; infinite with fewer than two batches.
    pub(super) half_width: f64,
    pub(super) batches: u32,
    correlation: f64,
}

impl Batches {
    pub(super) fn new(episodes: u32) -> Self {
        Self {
            complete: Vec::with_capacity(BATCHES_MAX),
            current: Batch::default(),
            size: (episodes == 1).then_some(1),
        }
    }

    pub(super) fn record(&mut self, value: u64) {
        self.record_all(value, 1);
    }

    /// Takes so many values at once, by their sum.
    pub(super) fn record_all(&mut self, sum: u64, count: u64) {
        self.current.sum = self.current.sum.saturating_add(sum);
        self.current.count += count;
        self.current.records += 1;
        let Some(size) = &mut self.size else {
            return;
        };
        if self.current.records < *size {
            return;
        }
        self.complete.push(std::mem::take(&mut self.current));
        if self.complete.len() == BATCHES_MAX {
            merge_neighbours(&mut self.complete);
            *size *= 2;
        }
    }

    /// The batch is complete, where episodes are batches.
    pub(super) fn end_episode(&mut self) {
        if self.size.is_none() && self.current.count > 0 {
            self.complete.push(std::mem::take(&mut self.current));
        }
    }

    /// Of the values in complete batches. Neighbours are merged as long as they depend on each other.
    pub(super) fn certainty(self) -> MeanConfidence {
        let mut batches = self.complete;
        let least = if self.size.is_some() {
            BATCHES_MIN
        } else {
            EPISODES_MIN
        };
        let mut correlation = correlation(&batches);
        // The correlation of n independent batches lies below this with 95 % probability.
        while correlation > 1.645 / (batches.len() as f64).sqrt() && batches.len() / 2 >= least {
            merge_neighbours(&mut batches);
            correlation = self::correlation(&batches);
        }
        MeanConfidence {
            half_width: half_width(&batches),
            batches: batches.len() as u32,
            correlation,
        }
    }
}

/// How latencies are distributed.
#[derive(Clone, Debug)]
pub(super) struct LatencyBins {
    bins: Vec<u64>,
    histogram: LatencyHistogram,
}

impl Default for LatencyBins {
    fn default() -> Self {
        Self {
            bins: vec![0; BINS],
            histogram: LatencyHistogram::new(),
        }
    }
}

impl LatencyBins {
    pub(super) fn record(&mut self, latency_ps: u64) {
        let bin = usize::try_from(latency_ps / BIN_PS).unwrap_or(BINS);
        self.bins[bin.min(BINS - 1)] += 1;
        self.histogram.record(Time::from_ps(latency_ps));
    }

    /// The figures of all samples, which were taken in so many picoseconds; batches say how sure their mean is.
    pub(super) fn finish(self, batches: Batches, duration_ps: u64) -> LatencyProbe {
        let certainty = batches.certainty();
        LatencyProbe {
            samples: self.histogram.count(),
            duration_ps,
            mean_ps: self.histogram.mean_s().unwrap_or(0.0) * 1e12,
            confidence_ps: certainty.half_width,
            batches: certainty.batches,
            correlation: certainty.correlation,
            bins: self.bins,
            max_ps: self.histogram.max().map_or(0, Time::ps),
            histogram: self.histogram,
        }
    }
}

/// Collects samples in the order of time.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    bins: LatencyBins,
    batches: Batches,
    duration_ps: u64,
}

impl Sampler {
    pub(super) fn new(episodes: u32) -> Self {
        Self {
            bins: LatencyBins::default(),
            batches: Batches::new(episodes),
            duration_ps: 0,
        }
    }

    /// An episode in which samples were taken for so long is over.
    pub(super) fn end_episode(&mut self, duration_ps: u64) {
        self.batches.end_episode();
        self.duration_ps += duration_ps;
    }

    pub(super) fn samples(&self) -> u64 {
        self.bins.histogram.count()
    }

    pub(super) fn record(&mut self, latency_ps: u64) {
        self.bins.record(latency_ps);
        self.batches.record(latency_ps);
    }

    /// The figures of all samples. Those of a batch that is not full count for the mean alone.
    pub(super) fn finish(self) -> LatencyProbe {
        self.bins.finish(self.batches, self.duration_ps)
    }
}

/// Adds up pairs of neighbours; one without a neighbour is dropped.
fn merge_neighbours(batches: &mut Vec<Batch>) {
    let pairs = batches.len() / 2;
    for pair in 0..pairs {
        let [one, next] = [batches[2 * pair], batches[2 * pair + 1]];
        batches[pair] = Batch {
            sum: one.sum + next.sum,
            count: one.count + next.count,
            records: one.records + next.records,
        };
    }
    batches.truncate(pairs);
}

/// How far the sum of each batch lies from that of as many mean values, and how many values a batch has on average. The mean
/// is that of all values: batches of more count for more.
fn off(batches: &[Batch]) -> (Vec<f64>, f64) {
    let sum: f64 = batches.iter().map(|batch| batch.sum as f64).sum();
    let count: f64 = batches.iter().map(|batch| batch.count as f64).sum();
    let mean = sum / count;
    let off = batches
        .iter()
        .map(|batch| batch.sum as f64 - mean * batch.count as f64);
    (off.collect(), count / batches.len() as f64)
}

fn squares(off: &[f64]) -> f64 {
    off.iter().map(|off| off.powi(2)).sum()
}

/// Half the width of the 95 % confidence interval of the mean of the values in independent batches.
fn half_width(batches: &[Batch]) -> f64 {
    if batches.len() < 2 {
        return f64::INFINITY;
    }
    let (off, size) = off(batches);
    let (count, freedom) = (batches.len() as f64, batches.len() - 1);
    let variance = squares(&off) / freedom as f64;
    student_t(freedom) * (variance / count).sqrt() / size
}

/// Correlation of neighbours (lag 1); 0 where nothing varies.
fn correlation(batches: &[Batch]) -> f64 {
    let (off, _) = off(batches);
    let all = squares(&off);
    if batches.len() < 3 || all == 0.0 {
        return 0.0;
    }
    let products: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    products / all
}

/// The 97.5 % point of Student's t distribution: tabulated for few degrees of freedom, beyond that by the expansion of
/// Abramowitz and Stegun, 26.7.5, which is within 0.0005 there.
fn student_t(freedom: usize) -> f64 {
    const TABLE: [f64; 9] = [
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
    ];
    const Z: f64 = 1.959_964;
    if let Some(&t) = freedom.checked_sub(1).and_then(|index| TABLE.get(index)) {
        return t;
    }
    let n = freedom as f64;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    Z + first / n + second / n.powi(2) + third / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw, standard_normal};

    fn normal(seed: u64, number: u64) -> f64 {
        standard_normal(draw(seed, 0, number, Purpose::Resample))
    }

    /// Values from published tables.
    #[test]
    fn student_t_is_that_of_the_tables() {
        for (freedom, t) in [
            (1, 12.7062),
            (9, 2.2622),
            (10, 2.2281),
            (19, 2.0930),
            (30, 2.0423),
            (120, 1.9799),
        ] {
            assert!(
                (student_t(freedom) - t).abs() < 5e-4,
                "{freedom}: {}",
                student_t(freedom)
            );
        }
    }

    #[test]
    fn samples_fall_into_bins_of_8_ns() {
        let mut sampler = Sampler::new(1);
        for latency in [0, 7_999, 8_000, 100_000, 4_088_000, u64::MAX / 2] {
            sampler.record(latency);
        }
        let probe = sampler.finish();
        assert_eq!(probe.samples, 6);
        assert_eq!(
            (
                probe.bins[0],
                probe.bins[1],
                probe.bins[12],
                probe.bins[511]
            ),
            (2, 1, 1, 2)
        );
        assert_eq!(probe.bins.iter().sum::<u64>(), 6);
        assert_eq!(probe.max_ps, u64::MAX / 2);
        assert!((8_000..=8_008).contains(&probe.quantile(0.5)));
    }

    /// Of many intervals 95 % hold the true mean, with independent samples and with strongly correlated ones.
    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        for (memory, least) in [(0.0, 0.93), (0.95, 0.91)] {
            let (mut held, runs) = (0, 400);
            for seed in 0..runs {
                let mut sampler = Sampler::new(1);
                let mut state = 0.0;
                for number in 0..20_000 {
                    state = memory * state + normal(seed, number);
                    sampler.record((1e6 + 1e4 * state).round() as u64);
                }
                let probe = sampler.finish();
                assert!(probe.batches >= 20);
                held += u64::from((probe.mean_ps - 1e6).abs() <= probe.confidence_ps);
            }
            let share = held as f64 / runs as f64;
            assert!(share > least && share < 0.98, "memory {memory}: {share}");
        }
    }

    #[test]
    fn few_samples_are_no_certainty() {
        let mut sampler = Sampler::new(1);
        assert!(sampler.clone().finish().confidence_ps.is_infinite());
        sampler.record(5);
        assert!(sampler.clone().finish().confidence_ps.is_infinite());
        sampler.record(5);
        assert_eq!(sampler.finish().confidence_ps, 0.0);
    }
}
