//! Durations in clocks, at the price of one addition each.

/// Durations below this many clocks have a bin each.
const EXACT: u64 = 1 << EXACT_BITS;
const EXACT_BITS: u32 = 12;
/// Bins of every doubling beyond, as a power of two.
const OCTAVE_BITS: u32 = 7;
const BINS: usize = (EXACT + ((64 - EXACT_BITS as u64) << OCTAVE_BITS)) as usize;

/// A histogram of clocks: one bin a clock below 4096, then 128 bins a doubling (0.8 %). Count, sum and maximum are
/// exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockHistogram {
    bins: Vec<u64>,
    sum: u64,
    max: u64,
}

/// Durations that fell into one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramBin {
    /// Least duration of the bin, in clocks.
    pub low: u64,
    /// Greatest duration of the bin, in clocks.
    pub high: u64,
    /// How many there were.
    pub count: u64,
}

impl ClockHistogram {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bins: vec![0; BINS],
            sum: 0,
            max: 0,
        }
    }

    /// Adds one duration.
    #[inline]
    pub fn record(&mut self, clocks: u64) {
        self.bins[index(clocks)] += 1;
        self.sum += clocks;
        self.max = self.max.max(clocks);
    }

    /// Adds another histogram's durations.
    pub fn merge(&mut self, other: &Self) {
        for (sum, part) in self.bins.iter_mut().zip(&other.bins) {
            *sum += part;
        }
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Their exact sum, in clocks.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.sum
    }

    /// The exact maximum, in clocks; 0 when empty.
    #[must_use]
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// The exact mean, in clocks; `None` when empty.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum as f64 / count as f64)
    }

    /// The least duration, in clocks, that at least the share `quantile` (0 to 1) of all did not exceed: exact below
    /// 4096 clocks, else at most 0.8 % above, and never above the maximum. `None` when empty.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        let count = self.count();
        let rank = ((quantile.clamp(0.0, 1.0) * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut below = 0;
        self.bins()
            .find(|bin| {
                below += bin.count;
                below >= rank
            })
            .map(|bin| bin.high)
    }

    /// The occupied bins, ascending. The last one ends with the maximum.
    pub fn bins(&self) -> impl Iterator<Item = HistogramBin> + '_ {
        let occupied = self
            .bins
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count > 0);
        occupied.map(|(index, &count)| {
            let (low, high) = bounds(index);
            HistogramBin {
                low,
                high: high.min(self.max),
                count,
            }
        })
    }
}

impl Default for ClockHistogram {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn index(clocks: u64) -> usize {
    if clocks < EXACT {
        return clocks as usize;
    }
    let octave = clocks.ilog2();
    let within = (clocks >> (octave - OCTAVE_BITS)) & ((1 << OCTAVE_BITS) - 1);
    (EXACT + (u64::from(octave - EXACT_BITS) << OCTAVE_BITS) + within) as usize
}

/// Least and greatest duration of a bin.
fn bounds(index: usize) -> (u64, u64) {
    let index = index as u64;
    if index < EXACT {
        return (index, index);
    }
    let beyond = index - EXACT;
    let octave = (beyond >> OCTAVE_BITS) as u32 + EXACT_BITS;
    let width = 1 << (octave - OCTAVE_BITS);
    let low = (1 << octave) + (beyond & ((1 << OCTAVE_BITS) - 1)) * width;
    (low, low + (width - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let empty = ClockHistogram::new();
        assert_eq!((empty.count(), empty.sum(), empty.max()), (0, 0, 0));
        assert_eq!((empty.mean(), empty.quantile(0.5)), (None, None));
        assert_eq!(empty.bins().count(), 0);
    }

    #[test]
    fn bins_follow_each_other_without_gap_or_overlap() {
        let mut next = 0;
        for bin in 0..BINS {
            let (low, high) = bounds(bin);
            assert_eq!((low, index(low), index(high)), (next, bin, bin));
            next = high.wrapping_add(1);
        }
        assert_eq!(
            next, 0,
            "the last bin ends with the longest duration there is"
        );
    }

    proptest! {
        /// The plain reference: a sorted list, of which one half comes by merging.
        #[test]
        fn it_agrees_with_a_sorted_list(
            short in prop::collection::vec(0u64..6000, 1..300),
            long in prop::collection::vec(0u64..1 << 40, 0..100),
        ) {
            let (mut histogram, mut other) = (ClockHistogram::new(), ClockHistogram::default());
            short.iter().for_each(|&clocks| histogram.record(clocks));
            long.iter().for_each(|&clocks| other.record(clocks));
            histogram.merge(&other);
            let mut all = [short, long].concat();
            all.sort_unstable();
            prop_assert_eq!(histogram.count(), all.len() as u64);
            prop_assert_eq!(histogram.sum(), all.iter().sum::<u64>());
            prop_assert_eq!(histogram.max(), all[all.len() - 1]);
            prop_assert_eq!(histogram.bins().map(|bin| bin.count).sum::<u64>(), all.len() as u64);
            for quantile in [0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
                let rank = ((quantile * all.len() as f64).ceil() as usize).max(1);
                let (exact, got) = (all[rank - 1], histogram.quantile(quantile).unwrap_or(u64::MAX));
                let slack = if exact < 4096 { 0 } else { exact / 128 };
                prop_assert!((exact..=exact + slack).contains(&got), "{}: {} against {}", quantile, got, exact);
            }
        }
    }
}
