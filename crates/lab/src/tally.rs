//! What a run adds up from the accesses that completed.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;
use wordline_nvm::AccessCost;

/// Latencies, bytes and causes of the accesses of one run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    latency: LatencyHistogram,
    bytes: u64,
    sum: AccessCost,
    worst: AccessCost,
}

impl Tally {
    /// Adds an access that moved `bytes` bytes. Of equally slow accesses the first is the worst.
    pub fn add(&mut self, bytes: u64, cost: &AccessCost) {
        let duration = cost.total();
        if self.latency.max().is_none_or(|max| duration > max) {
            self.worst = *cost;
        }
        self.latency.record(duration);
        self.sum.add_all(cost);
        self.bytes += bytes;
    }

    /// Durations of the accesses.
    #[must_use]
    pub const fn latency(&self) -> &LatencyHistogram {
        &self.latency
    }

    /// Accesses that were added.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.latency.count()
    }

    /// Bytes that they moved.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What all accesses together consisted of.
    #[must_use]
    pub const fn sum(&self) -> &AccessCost {
        &self.sum
    }

    /// What the slowest access consisted of.
    #[must_use]
    pub const fn worst(&self) -> &AccessCost {
        &self.worst
    }

    /// The time that the accesses took, one after the other.
    #[must_use]
    pub fn elapsed(&self) -> Time {
        self.sum.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nvm::Cause;

    #[test]
    fn the_worst_access_keeps_its_parts() {
        let cost = |driver, data| {
            let mut cost = AccessCost::default();
            cost.add(Cause::Driver, Time::from_ps(driver));
            cost.add(Cause::BusData, Time::from_ps(data));
            cost
        };
        let mut tally = Tally::default();
        for (driver, data) in [(5, 5), (9, 3), (3, 9), (1, 1)] {
            tally.add(4, &cost(driver, data));
        }
        assert_eq!(tally.worst(), &cost(9, 3));
        assert_eq!(tally.elapsed(), Time::from_ps(36));
        assert_eq!((tally.accesses(), tally.bytes()), (4, 16));
    }
}
