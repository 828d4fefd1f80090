//! What the operations of one kind add up to.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;
use wordline_nvm::power::Residence;

use super::memory::{Heard, Part};
use super::processor::{CAUSES, Spent};

/// What one operation took and moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub(super) took: Time,
    pub(super) heard: Heard,
    /// Time of the processor by cause; `None` where nobody knows it.
    pub(super) processor: Option<Spent>,
    /// The least that any durable table moves for the same, in bytes.
    pub(super) floor_bytes: u64,
}

impl Timed {
    /// The same with what came right after it.
    pub(super) fn then(mut self, next: &Self) -> Self {
        self.took = self.took.plus(next.took);
        self.heard.add(&next.heard);
        self.floor_bytes += next.floor_bytes;
        if let (Some(sums), Some(spent)) = (&mut self.processor, &next.processor) {
            for (sum, spent) in sums.iter_mut().zip(spent) {
                *sum = sum.plus(*spent);
            }
        }
        self
    }
}

/// Latencies and bytes of the operations of one kind, up to now.
pub(super) struct Tally {
    pub(super) latency: LatencyHistogram,
    pub(super) elapsed: Time,
    pub(super) all: Heard,
    /// The least that any durable table moves for the same, in bytes.
    pub(super) floor_bytes: u64,
    /// Time of the processor by cause; `None` where nobody knows it.
    pub(super) processor: Option<Spent>,
    /// Time of the memory in each power state, where that is told.
    pub(super) spent: Option<Residence>,
    begun: Option<Residence>,
    /// Cycles that the operations took, where the memory wears.
    pub(super) worn: Option<Worn>,
    cycles_before: Option<Vec<u64>>,
}

/// Cycles of units that wear: words of FRAM, pages of EEPROM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worn {
    /// Of the unit with the most.
    pub(super) most: u64,
    /// The mean over the units that took any; 0 where none did.
    pub(super) mean: f64,
}

impl Worn {
    fn between(before: &[u64], after: &[u64]) -> Self {
        let taken = before.iter().zip(after);
        let taken = taken.map(|(before, after)| after.saturating_sub(*before));
        let (most, sum, units) = taken.fold((0, 0, 0), |(most, sum, units), cycles| {
            (
                cycles.max(most),
                sum + cycles,
                units + u64::from(cycles > 0),
            )
        });
        Self {
            most,
            mean: sum as f64 / units.max(1) as f64,
        }
    }
}

impl Tally {
    /// Begins now.
    pub(super) fn begin(part: &mut Part) -> Self {
        part.take_heard();
        Self {
            latency: LatencyHistogram::new(),
            elapsed: Time::ZERO,
            all: Heard::default(),
            floor_bytes: 0,
            processor: None,
            spent: None,
            begun: part.residence(),
            worn: None,
            cycles_before: part.cycles(),
        }
    }

    /// Adds an operation.
    pub(super) fn add(&mut self, one: &Timed) {
        self.latency.record(one.took);
        self.elapsed = self.elapsed.plus(one.took);
        self.all.add(&one.heard);
        self.floor_bytes += one.floor_bytes;
        if let Some(spent) = &one.processor {
            let sums = self.processor.get_or_insert([Time::ZERO; CAUSES.len()]);
            for (sum, spent) in sums.iter_mut().zip(spent) {
                *sum = sum.plus(*spent);
            }
        }
    }

    /// Ends now.
    pub(super) fn end(&mut self, part: &Part) {
        let begun = self.begun.take();
        self.spent = begun.and_then(|begun| Some(part.residence()?.since(&begun)));
        let before = self.cycles_before.take();
        self.worn = before.and_then(|before| Some(Worn::between(&before, &part.cycles()?)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wear_is_of_the_units_that_took_cycles_in_between() {
        let worn = Worn::between(&[5, 0, 7, 100], &[8, 0, 8, 100]);
        assert_eq!(worn, Worn { most: 3, mean: 2.0 });
        assert_eq!(Worn::between(&[1], &[1]), Worn { most: 0, mean: 0.0 });
    }
}
