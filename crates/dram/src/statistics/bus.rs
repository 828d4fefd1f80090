//! Where the time of a data bus went.

use crate::observer::{CAUSES, ServedRequest, WaitCause};
use crate::timing::Timing;

/// Clocks of data buses by what they were used for. The parts add up to the clocks of the measured part times the
/// buses: one for each pseudo-channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusAccount {
    /// Data moved.
    pub data: u64,
    /// No data moved although a request was there: by what it waited for, in the order of [`WaitCause::ALL`].
    pub waits: [u64; CAUSES],
    /// No request was there that could have had the bus: from the end of a burst to the arrival of the next burst's
    /// request and the CL or CWL that it takes at least.
    pub empty: u64,
}

impl BusAccount {
    /// All clocks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.data + self.waits.iter().sum::<u64>() + self.empty
    }

    /// Clocks without data because a request waited for this cause.
    #[must_use]
    pub const fn wait(&self, cause: WaitCause) -> u64 {
        self.waits[cause as usize]
    }

    /// Share of the time in which data moved, 0 to 1; `None` where there was no time.
    #[must_use]
    pub fn utilization(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.data as f64 / total as f64)
    }

    /// Adds another account.
    pub fn merge(&mut self, other: &Self) {
        self.data += other.data;
        for (sum, part) in self.waits.iter_mut().zip(other.waits) {
            *sum += part;
        }
        self.empty += other.empty;
    }

    pub(super) fn times(&self, times: u64) -> Self {
        Self {
            data: self.data * times,
            waits: self.waits.map(|clocks| clocks * times),
            empty: self.empty * times,
        }
    }

    pub(super) fn subtract(&mut self, part: &Self) {
        self.data = self.data.saturating_sub(part.data);
        for (sum, part) in self.waits.iter_mut().zip(part.waits) {
            *sum = sum.saturating_sub(part);
        }
        self.empty = self.empty.saturating_sub(part.empty);
    }
}

/// Keeps the account of one data bus.
///
/// Bursts without a pause between them are one run. What is reported of a run is the pause before it; data moved whenever
/// there was no pause. Commands run ahead of their data, so that the last few runs may lie beyond the clock at which
/// the measured part begins or ends: they are remembered, to be taken apart there.
#[derive(Clone, Debug)]
pub(super) struct BusWatch {
    /// All but the data, from `from` to `free`.
    account: BusAccount,
    /// Where the measured part begins.
    from: u64,
    /// End of the last burst, or where the measured part begins.
    free: u64,
    /// Clocks of a burst.
    burst: u64,
    /// The last runs, in a ring; its length is a power of two. The end of the last one is `free`.
    recent: Vec<BurstRun>,
    last: usize,
}

/// Bursts without a pause, with what is needed to account for the time from the end of the run before.
#[derive(Clone, Copy, Debug, Default)]
struct BurstRun {
    /// End of the run before it.
    free: u64,
    /// First clock of its data.
    start: u64,
    /// Clock after its data.
    end: u64,
    /// When its data could have started at the earliest: its first request's arrival and CL or CWL.
    earliest: u64,
    /// Those of its first request. Of one that did not wait, what another one left.
    waits: [u32; CAUSES],
}

impl BusWatch {
    pub(super) fn new(timing: &Timing) -> Self {
        let ahead = timing.cl.max(timing.cwl) / timing.burst.max(1) + 2;
        Self {
            account: BusAccount::default(),
            from: 0,
            free: 0,
            burst: timing.burst.into(),
            recent: vec![BurstRun::default(); (ahead as usize).next_power_of_two()],
            last: 0,
        }
    }

    /// The account begins at a clock, with what is known of the time after it.
    pub(super) fn begin(&mut self, at: u64) {
        self.account = self.known_beyond(at);
        self.from = at;
        if self.free < at {
            // A run without data stands for what was before.
            self.next_run();
            let empty = &mut self.recent[self.last];
            (empty.free, empty.start) = (at, at);
            self.free = at;
        }
    }

    /// The account up to a clock. The bus is counted as empty after the last burst.
    pub(super) fn until(&self, at: u64) -> BusAccount {
        let mut account = self.account;
        account.data = 0;
        let (known, rest) = (self.free - self.from, account.total());
        debug_assert!(rest <= known, "pauses overlap");
        account.data = known.saturating_sub(rest);
        account.subtract(&self.known_beyond(at));
        account.empty += at.saturating_sub(self.free);
        account
    }

    #[inline]
    pub(super) fn burst(&mut self, served: &ServedRequest) {
        if served.finish > self.free + self.burst {
            self.begin_run(served);
        }
        // Bursts of one bus do not overlap; were it so, the common clocks would count once.
        self.free = self.free.max(served.finish);
    }

    /// A request's data come after a pause.
    #[inline(never)]
    fn begin_run(&mut self, served: &ServedRequest) {
        let first = served.finish - self.burst;
        self.next_run();
        let run = &mut self.recent[self.last];
        run.free = self.free;
        run.start = first;
        run.earliest = served.arrival + (first - served.issued.min(first));
        if run.waited() > 0 {
            run.waits = served.waits;
        }
        run.divide_pause(&mut self.account);
    }

    /// The last run has come to its end.
    #[inline]
    fn next_run(&mut self) {
        self.recent[self.last].end = self.free;
        self.last = (self.last + 1) & (self.recent.len() - 1);
    }

    /// The part of what the account holds that lies at or after a clock.
    fn known_beyond(&self, at: u64) -> BusAccount {
        let mut beyond = BusAccount::default();
        for (place, run) in self.recent.iter().enumerate() {
            let last = place == self.last;
            let end = if last { self.free } else { run.end };
            if end > at {
                run.add_from(at, end, &mut beyond);
            }
        }
        beyond
    }
}

impl BurstRun {
    /// Divides the time between the run before and this one. What its request did not let pass unused by being late
    /// is divided among the causes of its wait, in proportion to them; what rounding leaves goes to the greatest.
    ///
    /// That others stood in the queue before it says nothing of the bus: `queue` counts only where it is all there is.
    fn divide_pause(&self, account: &mut BusAccount) {
        let waited = self.waited();
        account.empty += self.start - self.free - waited;
        if waited > 0 {
            self.divide_wait(waited, account);
        }
    }

    /// Clocks of the pause before it for which its request waited.
    #[inline]
    fn waited(&self) -> u64 {
        self.start.saturating_sub(self.earliest.max(self.free))
    }

    #[inline(never)]
    fn divide_wait(&self, waited: u64, account: &mut BusAccount) {
        let mut left = waited;
        let mut greatest = WaitCause::Queue as usize;
        let causes = &self.waits[greatest + 1..];
        let all: u64 = causes.iter().map(|&clocks| u64::from(clocks)).sum();
        for cause in WaitCause::Queue as usize + 1..CAUSES {
            let clocks = self.waits[cause];
            if clocks == 0 {
                continue;
            }
            let part = proportion(waited, clocks.into(), all);
            account.waits[cause] += part;
            left -= part;
            if greatest == WaitCause::Queue as usize || clocks > self.waits[greatest] {
                greatest = cause;
            }
        }
        account.waits[greatest] += left;
    }

    /// Adds what of this run, up to its end, and the pause before it lies at or after a clock. Within the pause the order
    /// is taken to be: empty, then the causes in their order.
    fn add_from(&self, at: u64, end: u64, account: &mut BusAccount) {
        let mut whole = BusAccount::default();
        if self.start > self.free {
            self.divide_pause(&mut whole);
        }
        let mut before = at.saturating_sub(self.free);
        let mut keep = |clocks: u64| {
            let dropped = clocks.min(before);
            before -= dropped;
            clocks - dropped
        };
        account.empty += keep(whole.empty);
        for (sum, clocks) in account.waits.iter_mut().zip(whole.waits) {
            *sum += keep(clocks);
        }
        account.data += keep(end - self.start);
    }
}

/// `whole · part / all`, rounded down, for `part ≤ all`.
#[inline]
fn proportion(whole: u64, part: u64, all: u64) -> u64 {
    if part == all {
        return whole;
    }
    whole.checked_mul(part).map_or_else(
        || (u128::from(whole) * u128::from(part) / u128::from(all)) as u64,
        |product| product / all,
    )
}

#[cfg(test)]
mod tests;
