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
    /// No request was there, or its data could not come sooner (CL, CWL).
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
}

/// Keeps the account of one data bus.
#[derive(Clone, Debug)]
pub(super) struct BusWatch {
    account: BusAccount,
}

impl BusWatch {
    pub(super) fn new(_timing: &Timing) -> Self {
        Self {
            account: BusAccount::default(),
        }
    }
    pub(super) fn begin(&mut self, _at: u64) {}
    pub(super) fn until(&self, _at: u64) -> BusAccount {
        self.account
    }
    pub(super) fn burst(&mut self, _served: &Served) {}
}
