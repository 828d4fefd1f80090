//! What the operations of one kind add up to.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;
use wordline_nvm::power::Residence;

use super::memory::{Heard, Part};

/// Latencies and bytes of the operations of one kind, up to now.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) latency: LatencyHistogram,
    pub(super) elapsed: Time,
    pub(super) all: Heard,
    /// Time of the memory in each power state.
    pub(super) spent: Option<Residence>,
    begun: Option<Residence>,
}

impl Tally {
    /// Begins now.
    pub(super) fn begin(part: &mut Part) -> Self {
        part.take_heard();
        Self {
            begun: Some(part.device().residence()),
            ..Self::default()
        }
    }

    /// Adds an operation that took some time.
    pub(super) fn add(&mut self, took: Time, heard: &Heard) {
        self.latency.record(took);
        self.elapsed = self.elapsed.plus(took);
        self.all.add(heard);
    }

    /// Ends now.
    pub(super) fn end(&mut self, part: &Part) {
        let now = part.device().residence();
        self.spent = self.begun.take().map(|begun| now.since(&begun));
    }
}
