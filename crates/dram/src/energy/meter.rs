//! Counts what energy depends on.

use crate::command::Issued;
use crate::config::SubChannelConfig;
use crate::energy::EnergyCounts;
use crate::observer::Observer;

/// Watches one sub-channel and integrates, between its commands only, the time that its ranks spend in their states.
#[derive(Clone, Debug)]
pub struct EnergyMeter {
    counts: EnergyCounts,
}

impl EnergyMeter {
    /// Watches from clock 0.
    #[must_use]
    pub fn new(_config: &SubChannelConfig) -> Self {
        Self {
            counts: EnergyCounts::default(),
        }
    }

    /// Forgets what was before a clock: the measured part begins.
    ///
    /// To be called when the sub-channel has been run up to this clock and no further.
    pub fn begin(&mut self, _at: u64) {
        self.counts = EnergyCounts::default();
    }

    /// What was counted since [`begin`](Self::begin), up to a clock: that to which the sub-channel has been run.
    pub fn end(&mut self, _at: u64) -> EnergyCounts {
        self.counts
    }
}

impl Observer for EnergyMeter {
    #[inline]
    fn command(&mut self, issued: &Issued) {
        self.counts.commands[issued.command as usize] += 1;
    }
}
