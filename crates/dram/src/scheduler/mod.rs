//! What a controller does next: the seam for policies of one's own.
//!
//! The engine knows which commands are legal at which clock, refreshes, turns the direction, and guards against
//! starvation. Of the requests of the direction it asks a [`Scheduler`] one thing: whose next command goes first. A
//! policy is one file with one function; it is chosen when the program is built, so that none costs what it does not use.

mod batch_first;
mod fr_fcfs;

use std::fmt::Debug;

use crate::request::{Location, RequestKind};

pub use batch_first::BatchFirst;
pub use fr_fcfs::FrFcfs;

/// Orders lie below this number.
pub const ORDER_END: u64 = 1 << 41;

/// A request in a queue, as a scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRequest {
    /// The name that its sender gave it. A policy that tells senders apart finds them in it.
    pub id: u64,
    /// What it does.
    pub kind: RequestKind,
    /// Where.
    pub location: Location,
    /// Clock at which it reached the controller.
    pub arrival: u64,
    /// Clock at which it entered its queue.
    pub admitted: u64,
    /// Number of its admission over all queues of the sub-channel, below 2^40: lower is older.
    pub age: u64,
}

/// Whose command goes first. `DESIGN.md` says what the engine does with it.
pub trait Scheduler: Clone + Debug {
    /// Under which name sheets and settings have it; `None` for one that programs bring along.
    const NAME: Option<SchedulerName> = None;

    /// Whether the order is that of [`FrFcfs`]: column commands first, then the oldest. The engine then takes short cuts.
    const IS_FR_FCFS: bool = false;

    /// The order of a request's next command among those that are legal: the least goes first, within the bank and over all
    /// banks. `opens_row` says that it is PRE or ACT, else it moves the data. Below [`ORDER_END`], and no two requests have
    /// the same: put the age into the low bits. As long as [`served`](Self::served) says nothing else, the same question
    /// has the same answer.
    fn order(&self, request: &WaitingRequest, opens_row: bool) -> u64;

    /// A request's data command goes out at a clock. Whether the orders of others may have changed by that.
    #[inline(always)]
    fn served(&mut self, _request: &WaitingRequest, _at: u64) -> bool {
        false
    }
}

/// A scheduler that sheets and settings can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchedulerName {
    /// [`FrFcfs`].
    #[default]
    FrFcfs,
    /// [`BatchFirst`].
    BatchFirst,
}

impl SchedulerName {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::FrFcfs, Self::BatchFirst];

    /// As sheets and settings spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FrFcfs => "fr-fcfs",
            Self::BatchFirst => "batches",
        }
    }
}
