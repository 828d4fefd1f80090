//! What is sampled, and by which clock and accounts.

use wordline_memory::Clock;

use crate::WallClock;
use crate::memory::ledger::{Ledger, LedgerPause, LedgerReading};

/// What is timed.
pub(in crate::memory) trait LoadSource {
    /// So many loads, each of which waits for the one before.
    fn load(&mut self, loads: u32);

    /// Brings back what another program displaced. Whether there is anything to bring.
    fn rewarm(&mut self) -> bool {
        false
    }

    /// Loads in which two thirds of it come back by themselves, where that is known.
    fn refill_loads(&self) -> Option<f64> {
        None
    }
}

impl<F: FnMut(u32)> LoadSource for F {
    fn load(&mut self, loads: u32) {
        self(loads);
    }
}

/// A source with the clock that times it and the accounts beside it.
pub(super) trait SampleBench {
    /// The accounts begin.
    fn begin(&mut self);
    /// Picoseconds of the clock.
    fn now_ps(&self) -> u64;
    /// As [`LoadSource::load`].
    fn load(&mut self, loads: u32);
    /// As [`LoadSource::rewarm`].
    fn rewarm(&mut self) -> bool;
    /// As [`LoadSource::refill_loads`].
    fn refill_loads(&self) -> Option<f64>;
    /// What follows does not count.
    fn pause(&mut self);
    /// What follows counts again.
    fn resume(&mut self);
    /// What happened since the begin, without pauses.
    fn reading(&self) -> LedgerReading;
}

/// This machine.
pub(super) struct MachineBench<'a> {
    clock: &'a WallClock,
    source: &'a mut dyn LoadSource,
    partners: Vec<u32>,
    ledger: Option<Ledger>,
    paused: Option<LedgerPause>,
}

impl<'a> MachineBench<'a> {
    pub(super) fn new(
        clock: &'a WallClock,
        source: &'a mut dyn LoadSource,
        partner: Option<u32>,
    ) -> Self {
        Self {
            clock,
            source,
            partners: partner.into_iter().collect(),
            ledger: None,
            paused: None,
        }
    }
}

impl SampleBench for MachineBench<'_> {
    fn begin(&mut self) {
        self.ledger = Some(Ledger::beside(&self.partners));
    }

    fn now_ps(&self) -> u64 {
        self.clock.now_ps()
    }

    fn load(&mut self, loads: u32) {
        self.source.load(loads);
    }

    fn rewarm(&mut self) -> bool {
        self.source.rewarm()
    }

    fn refill_loads(&self) -> Option<f64> {
        self.source.refill_loads()
    }

    fn pause(&mut self) {
        self.paused = Some(Ledger::pause());
    }

    fn resume(&mut self) {
        if let (Some(ledger), Some(paused)) = (&mut self.ledger, self.paused.take()) {
            ledger.resume(&paused);
        }
    }

    fn reading(&self) -> LedgerReading {
        let ledger = self.ledger.as_ref();
        ledger.map_or_else(LedgerReading::default, Ledger::end)
    }
}
