//! Latencies of many accesses in little memory, with an exact maximum.

use hdrhistogram::Histogram;

use crate::quantity::Time;

/// A histogram of durations. Percentiles are within 0.1 % of the true value; count, sum, minimum
/// and maximum are exact, because a worst case that is rounded is no worst case.
///
/// ```
/// use wordline_core::{LatencyHistogram, quantity::Time};
/// let mut latency = LatencyHistogram::new();
/// for us in 1..=100 {
///     latency.record(Time::from_ps(us * 1_000_000));
/// }
/// assert_eq!(latency.max(), Some(Time::from_ps(100_000_000)));
/// assert_eq!(latency.count(), 100);
/// ```
#[derive(Clone, Debug)]
pub struct LatencyHistogram {
    buckets: Histogram<u64>,
    sum_ps: u128,
    min: Time,
    max: Time,
}

/// How many accesses took at most `upper`, and more than the bucket before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Largest duration that falls into the bucket.
    pub upper: Time,
    /// Accesses in the bucket.
    pub count: u64,
}

impl LatencyHistogram {
    /// Decimal digits that a bucket's bounds keep apart.
    const DIGITS: u8 = 3;

    /// An empty histogram.
    ///
    /// # Panics
    /// Never: the number of digits is one that the histogram allows.
    #[must_use]
    pub fn new() -> Self {
        let buckets = match Histogram::new(Self::DIGITS) {
            Ok(buckets) => buckets,
            Err(error) => unreachable!("{error}"),
        };
        Self {
            buckets,
            sum_ps: 0,
            min: Time::from_ps(u64::MAX),
            max: Time::ZERO,
        }
    }

    /// Adds one duration.
    pub fn record(&mut self, duration: Time) {
        self.record_many(duration, 1);
    }

    /// Adds `count` equal durations.
    pub fn record_many(&mut self, duration: Time, count: u64) {
        if count == 0 {
            return;
        }
        if let Err(error) = self.buckets.record_n(duration.ps(), count) {
            unreachable!("a histogram that grows on demand takes every u64: {error}");
        }
        self.sum_ps += u128::from(duration.ps()) * u128::from(count);
        self.min = if duration < self.min {
            duration
        } else {
            self.min
        };
        self.max = self.max.later(duration);
    }

    /// Number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// The exact sum in picoseconds.
    #[must_use]
    pub const fn sum_ps(&self) -> u128 {
        self.sum_ps
    }

    /// The exact mean in seconds; `None` when empty.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum_ps as f64 / self.count() as f64 / 1e12)
    }

    /// The exact minimum; `None` when empty.
    #[must_use]
    pub fn min(&self) -> Option<Time> {
        (self.count() > 0).then_some(self.min)
    }

    /// The exact maximum; `None` when empty.
    #[must_use]
    pub fn max(&self) -> Option<Time> {
        (self.count() > 0).then_some(self.max)
    }

    /// The smallest duration that at least the share `quantile` (0 to 1) of the accesses did not
    /// exceed, to 0.1 %, never outside the exact minimum and maximum; `None` when empty.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<Time> {
        let value = Time::from_ps(self.buckets.value_at_quantile(quantile));
        (self.count() > 0).then(|| value.clamp(self.min, self.max))
    }

    /// The occupied buckets, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.buckets.iter_recorded().map(|step| Bucket {
            upper: Time::from_ps(step.value_iterated_to()).clamp(self.min, self.max),
            count: step.count_at_value(),
        })
    }
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let empty = LatencyHistogram::new();
        assert_eq!(empty.max(), None);
        assert_eq!(empty.mean_s(), None);
        assert_eq!(empty.quantile(0.5), None);
        assert_eq!(empty.buckets().count(), 0);
    }

    #[test]
    fn the_longest_duration_fits() {
        let mut histogram = LatencyHistogram::new();
        histogram.record(Time::from_ps(u64::MAX));
        histogram.record(Time::ZERO);
        assert_eq!(histogram.max(), Some(Time::from_ps(u64::MAX)));
        assert_eq!(histogram.min(), Some(Time::ZERO));
    }

    proptest! {
        /// The plain reference: a sorted list.
        #[test]
        fn it_agrees_with_a_sorted_list(mut durations in prop::collection::vec(0u64..1 << 45, 1..300)) {
            let mut histogram = LatencyHistogram::new();
            for &ps in &durations {
                histogram.record(Time::from_ps(ps));
            }
            durations.sort_unstable();
            let last = durations.len() - 1;
            prop_assert_eq!(histogram.min(), Some(Time::from_ps(durations[0])));
            prop_assert_eq!(histogram.max(), Some(Time::from_ps(durations[last])));
            prop_assert_eq!(histogram.sum_ps(), durations.iter().map(|&ps| u128::from(ps)).sum::<u128>());
            prop_assert_eq!(histogram.buckets().map(|b| b.count).sum::<u64>(), durations.len() as u64);
            for quantile in [0.5, 0.9, 0.99, 0.999, 1.0] {
                let rank = ((quantile * durations.len() as f64).ceil() as usize).max(1) - 1;
                let exact = durations[rank.min(last)] as f64;
                let got = histogram.quantile(quantile).map_or(f64::NAN, |time| time.ps() as f64);
                prop_assert!((got - exact).abs() <= exact * 1e-3 + 1.0, "{}: {} against {}", quantile, got, exact);
            }
        }
    }
}
