//! What the operations of one kind add up to.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;
use wordline_nvm::power::Residence;

use super::memory::{Heard, Part};
use super::processor::{CAUSES, Spent};

/// Latencies and bytes of the operations of one kind, up to now.
pub(super) struct Tally {
    pub(super) latency: LatencyHistogram,
    pub(super) elapsed: Time,
    pub(super) all: Heard,
    /// Time of the processor by cause; `None` where nobody knows it.
    pub(super) processor: Option<Spent>,
    /// Time of the memory in each power state, where that is told.
    pub(super) spent: Option<Residence>,
    begun: Option<Residence>,
}

impl Tally {
    /// Begins now.
    pub(super) fn begin(part: &mut Part) -> Self {
        part.take_heard();
        Self {
            latency: LatencyHistogram::new(),
            elapsed: Time::ZERO,
            all: Heard::default(),
            processor: None,
            spent: None,
            begun: part.residence(),
        }
    }

    /// Adds an operation that took some time.
    pub(super) fn add(&mut self, took: Time, heard: &Heard, processor: Option<&Spent>) {
        self.latency.record(took);
        self.elapsed = self.elapsed.plus(took);
        self.all.add(heard);
        if let Some(spent) = processor {
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
    }
}
