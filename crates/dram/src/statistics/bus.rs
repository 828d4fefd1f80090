//! Where the time of a data bus went.

use crate::observer::{CAUSES, Cause, Served};
use crate::timing::Timing;

/// Clocks of data buses by what they were used for. The parts add up to the clocks of the measured part times the
/// buses: one for each pseudo-channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusAccount {
    /// Data moved.
    pub data: u64,
    /// No data moved although a request was there: by what it waited for, in the order of [`Cause::ALL`].
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
    pub const fn wait(&self, cause: Cause) -> u64 {
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

    fn subtract(&mut self, part: &Self) {
        self.data = self.data.saturating_sub(part.data);
        for (sum, part) in self.waits.iter_mut().zip(part.waits) {
            *sum = sum.saturating_sub(part);
        }
        self.empty = self.empty.saturating_sub(part.empty);
    }
}

/// Keeps the account of one data bus.
///
/// Every burst settles the time from the end of the one before it to its own end. Commands run ahead of their data, so
/// that the last few bursts may lie beyond the clock at which the measured part begins or ends: they are remembered,
/// to be taken apart there.
#[derive(Clone, Debug)]
pub(super) struct BusWatch {
    account: BusAccount,
    /// End of the last burst, or where the measured part begins.
    free: u64,
    /// Clocks of a burst.
    burst: u64,
    /// The last bursts, in a ring; its length is a power of two.
    recent: Vec<Burst>,
    next: usize,
}

/// A burst, with what is needed to account for the time from the end of the one before it.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    /// End of the burst before it.
    free: u64,
    /// First clock of its data.
    start: u64,
    /// Clock after its data.
    end: u64,
    /// When its data could have started at the earliest: its arrival and CL or CWL. Like its waits known only where
    /// there was a pause before it.
    earliest: u64,
    /// Of a burst whose request did not wait, what another one left.
    waits: [u32; CAUSES],
}

impl BusWatch {
    pub(super) fn new(timing: &Timing) -> Self {
        let ahead = timing.cl.max(timing.cwl) / timing.burst.max(1) + 2;
        Self {
            account: BusAccount::default(),
            free: 0,
            burst: timing.burst.into(),
            recent: vec![Burst::default(); (ahead as usize).next_power_of_two()],
            next: 0,
        }
    }

    /// The account begins at a clock, with what is known of the time after it.
    pub(super) fn begin(&mut self, at: u64) {
        self.account = self.known_beyond(at);
        self.free = self.free.max(at);
    }

    /// The account up to a clock. The bus is counted as empty after the last burst.
    pub(super) fn until(&self, at: u64) -> BusAccount {
        let mut account = self.account;
        account.subtract(&self.known_beyond(at));
        account.empty += at.saturating_sub(self.free);
        account
    }

    #[inline]
    pub(super) fn burst(&mut self, served: &Served) {
        let first = served.finish.saturating_sub(self.burst);
        // Bursts of one bus do not overlap; were it so, the common clocks would count once.
        let start = first.max(self.free);
        let end = served.finish.max(start);
        let burst = &mut self.recent[self.next];
        burst.free = self.free;
        burst.start = start;
        burst.end = end;
        self.account.data += end - start;
        // Without a pause nothing else of the burst is ever looked at.
        if start > self.free {
            burst.earliest = served.arrival + (first - served.issued.min(first));
            if burst.waited() > 0 {
                burst.waits = served.waits;
            }
            burst.divide_pause(&mut self.account);
        }
        self.free = end;
        self.next = (self.next + 1) & (self.recent.len() - 1);
    }

    /// The part of what the account holds that lies at or after a clock.
    fn known_beyond(&self, at: u64) -> BusAccount {
        let mut beyond = BusAccount::default();
        for burst in self.recent.iter().filter(|burst| burst.end > at) {
            burst.add_from(at, &mut beyond);
        }
        beyond
    }
}

impl Burst {
    /// Divides the time between the burst before and this one. What its request did not let pass unused by being late
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
        let mut greatest = Cause::Queue as usize;
        let causes = &self.waits[greatest + 1..];
        let all: u64 = causes.iter().map(|&clocks| u64::from(clocks)).sum();
        for cause in Cause::Queue as usize + 1..CAUSES {
            let clocks = self.waits[cause];
            if clocks == 0 {
                continue;
            }
            let part = proportion(waited, clocks.into(), all);
            account.waits[cause] += part;
            left -= part;
            if greatest == Cause::Queue as usize || clocks > self.waits[greatest] {
                greatest = cause;
            }
        }
        account.waits[greatest] += left;
    }

    /// Adds what of this burst and the pause before it lies at or after a clock. Within the pause the order is taken to
    /// be: empty, then the causes in their order.
    fn add_from(&self, at: u64, account: &mut BusAccount) {
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
        account.data += keep(self.end - self.start);
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
