//! What a sub-channel did and why its requests waited: counters, latencies, and where the data buses' time went.
//!
//! [`Statistics`] watches one sub-channel. Its measured part begins and ends at clocks of the caller's choice, so that
//! warm-up stays out; the [`TrafficSummary`] of several sub-channels is the sum of theirs.

mod bus;
mod histogram;
mod summary;

pub use bus::BusAccount;
pub use histogram::{ClockHistogram, HistogramBin};
pub use summary::TrafficSummary;

use crate::command::Issued;
use crate::config::SubChannelConfig;
use crate::observer::{Observer, RowOutcome, ServedRequest};
use crate::request::RequestKind;

use bus::BusWatch;

/// Watches one sub-channel: it has to see its commands as well as what was served, for requests are counted by
/// their column commands. It costs a few nanoseconds a request: no division and no allocation stands between a
/// request that the bus served without a pause and its counters.
#[derive(Clone, Debug)]
pub struct Statistics {
    buses: Vec<BusWatch>,
    from: u64,
    /// Without what [`TrafficSummary::derive_counts`] adds.
    summary: TrafficSummary,
}

impl Statistics {
    /// Watches from clock 0.
    #[must_use]
    pub fn new(config: &SubChannelConfig) -> Self {
        let buses = usize::from(config.geometry.pseudo_channels);
        Self {
            buses: vec![BusWatch::new(&config.timing); buses],
            from: 0,
            summary: TrafficSummary::default(),
        }
    }

    /// Forgets what was before a clock: the measured part begins. Data that move after it count, even where their
    /// command came before; a request counts where its RD or WR command comes.
    ///
    /// To be called when the sub-channel has been run up to this clock and no further.
    pub fn begin(&mut self, at: u64) {
        for bus in &mut self.buses {
            bus.begin(at);
        }
        self.from = at;
        self.summary = TrafficSummary::default();
    }

    /// What was done since [`begin`](Self::begin), up to a clock: that to which the sub-channel has been run.
    pub fn end(&mut self, at: u64) -> TrafficSummary {
        let mut summary = self.summary.clone();
        summary.derive_counts();
        summary.clocks = at.saturating_sub(self.from);
        for bus in &self.buses {
            summary.bus.merge(&bus.until(at));
        }
        summary
    }
}

impl Observer for Statistics {
    const WAITS: bool = true;

    #[inline]
    fn command(&mut self, issued: &Issued) {
        self.summary.commands[issued.command as usize] += 1;
    }

    #[inline(always)]
    fn served(&mut self, served: &ServedRequest) {
        let summary = &mut self.summary;
        if served.kind == RequestKind::Read {
            summary.count_read(served);
        }
        // A hit is its column command: there is nothing more to count.
        if served.outcome != RowOutcome::Hit && !summary.count_no_hit(served.outcome) {
            return;
        }
        let bus = usize::from(served.location.pseudo_channel);
        if let Some(bus) = self.buses.get_mut(bus) {
            bus.burst(served);
        }
    }
}
