//! What a run adds up from the accesses that completed.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::{Quantity, Time};
use wordline_nvm::power::Residence;
use wordline_nvm::{AccessCost, Cause, Device, TranslationReport, Wear};

use crate::during::Pieces;

/// Latencies, bytes and causes of the accesses of one run.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    latency: LatencyHistogram,
    bytes: u64,
    sum: AccessCost,
    worst: AccessCost,
    first_start: Time,
    /// The device's accounts when the run began.
    begun: Begun,
    last_end: Time,
    steady: Option<Steady>,
    /// Accesses that erased something, and the time that they took.
    erasing: (u64, Time),
    /// Work of the memory during the accesses.
    background: Pieces,
}

/// Time and wear of the whole passes of a run over its part of the memory. A pass that the run did
/// not finish says nothing of the wear if the run went on and on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steady {
    /// Duration of the passes.
    pub(crate) elapsed: Time,
    /// Wear that they caused.
    pub(crate) wear: Wear,
}

/// The accounts of a device when a run began.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) residence: Residence,
    pub(crate) wear: Wear,
    pub(crate) translation: Option<TranslationReport>,
}

impl Tally {
    /// A tally of a run that begins now.
    pub(crate) fn new(device: &dyn Device) -> Self {
        let begun = Begun {
            residence: device.residence(),
            wear: device.wear(),
            translation: device.translation(),
        };
        Self::begun(device.clock().now(), begun)
    }

    fn begun(start: Time, begun: Begun) -> Self {
        Self {
            latency: LatencyHistogram::new(),
            bytes: 0,
            sum: AccessCost::default(),
            worst: AccessCost::default(),
            first_start: start,
            begun,
            last_end: start,
            steady: None,
            erasing: (0, Time::ZERO),
            background: Pieces::default(),
        }
    }

    /// Adds an access that moved `bytes` bytes between two instants. Of equally slow accesses the
    /// first is the worst.
    pub(crate) fn add(&mut self, bytes: u64, start: Time, end: Time, cost: &AccessCost) {
        let duration = end.since(start);
        debug_assert_eq!(duration, cost.total(), "the causes are all of an access");
        if self.latency.max().is_none_or(|max| duration > max) {
            self.worst = *cost;
        }
        self.latency.record(duration);
        if cost.of(Cause::Erase) > Time::ZERO {
            let (count, time) = self.erasing;
            self.erasing = (count + 1, time.plus(duration));
        }
        self.sum.add_all(cost);
        self.bytes += bytes;
        self.last_end = end;
    }

    /// The device's accounts when the run began.
    pub(crate) const fn at_begin(&self) -> &Begun {
        &self.begun
    }

    /// Notes that the last access completed a pass, with the wear of the device so far.
    pub(crate) fn mark_whole_passes(&mut self, wear: Wear) {
        self.steady = Some(Steady {
            elapsed: self.elapsed(),
            wear,
        });
    }

    /// Notes how long the work of the memory took during the accesses.
    pub(crate) const fn mark_background(&mut self, pieces: Pieces) {
        self.background = pieces;
    }

    /// Work of the memory during the accesses.
    pub(crate) const fn background(&self) -> &Pieces {
        &self.background
    }

    pub(crate) const fn latency(&self) -> &LatencyHistogram {
        &self.latency
    }

    pub(crate) fn accesses(&self) -> u64 {
        self.latency.count()
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What all accesses together consisted of.
    pub(crate) const fn sum(&self) -> &AccessCost {
        &self.sum
    }

    /// What the slowest access consisted of.
    pub(crate) const fn worst(&self) -> &AccessCost {
        &self.worst
    }

    /// From the first access to the end of the last.
    pub(crate) fn elapsed(&self) -> Time {
        self.last_end.since(self.first_start)
    }

    /// Mean time in seconds of rewriting one place: on flash that of the accesses which erase, for
    /// each rewrite has to, elsewhere that of all.
    pub(crate) fn rewrite_s(&self) -> Option<f64> {
        match self.erasing {
            (0, _) => self.latency.mean_s(),
            (count, time) => Some(time.si() / count as f64),
        }
    }

    /// The whole passes; `None` when the run made none.
    pub(crate) const fn steady(&self) -> Option<&Steady> {
        self.steady.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_access_keeps_its_parts() {
        let cost = |driver, data| {
            let mut cost = AccessCost::default();
            cost.add(Cause::Driver, Time::from_ps(driver));
            cost.add(Cause::BusData, Time::from_ps(data));
            cost
        };
        let begun = Begun {
            residence: Residence::default(),
            wear: Wear {
                endurance: 1,
                before: 0,
                most: 0,
                mean: 0.0,
                units: 0,
                unit_bytes: 1,
            },
            translation: None,
        };
        let mut tally = Tally::begun(Time::from_ps(100), begun);
        let mut now = Time::from_ps(100);
        for (driver, data) in [(5, 5), (9, 3), (3, 9), (1, 1)] {
            let one = cost(driver, data);
            let end = now.plus(one.total());
            tally.add(4, now, end, &one);
            now = end;
        }
        assert_eq!(tally.worst(), &cost(9, 3));
        assert_eq!(tally.elapsed(), Time::from_ps(36));
        assert_eq!((tally.accesses(), tally.bytes()), (4, 16));
        assert_eq!(tally.steady(), None);
    }
}
