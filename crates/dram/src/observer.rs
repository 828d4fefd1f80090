//! What a sub-channel reports while it runs.

use crate::command::Issued;
use crate::request::{Location, RequestKind};

/// Why a request waited. The clocks of all causes together are those from its arrival to its RD or WR command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum WaitCause {
    /// In front of a controller whose queue was full.
    Queue,
    /// The channel was writing while the request wanted to read, or reading while it wanted to write.
    Drain,
    /// The rank or bank was being refreshed, or made ready for it.
    Refresh,
    /// The bank was busy with another row: tRAS, tRTP, tWR, tRP, tRC.
    Bank,
    /// The request's own row was being opened: tRCD.
    Activate,
    /// Too many rows were opened in the rank: tRRD, tFAW.
    ActivationRate,
    /// The data bus was taken by bursts of the same direction: tCCD, burst length.
    Bus,
    /// The data bus changed direction or rank.
    Turnaround,
    /// The rank was powered down.
    PowerDown,
    /// Other requests went first, or held the command bus.
    Order,
}

/// Number of causes.
pub const CAUSES: usize = 10;

impl WaitCause {
    /// Every cause, in the order of [`ServedRequest::waits`].
    pub const ALL: [Self; CAUSES] = [
        Self::Queue,
        Self::Drain,
        Self::Refresh,
        Self::Bank,
        Self::Activate,
        Self::ActivationRate,
        Self::Bus,
        Self::Turnaround,
        Self::PowerDown,
        Self::Order,
    ];

    /// As result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Drain => "drain",
            Self::Refresh => "refresh",
            Self::Bank => "bank",
            Self::Activate => "activate",
            Self::ActivationRate => "activation_rate",
            Self::Bus => "bus",
            Self::Turnaround => "turnaround",
            Self::PowerDown => "power_down",
            Self::Order => "order",
        }
    }
}

/// How a request was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowOutcome {
    /// Its row was open: a column command was its only one.
    Hit,
    /// Its bank was closed: ACT and a column command.
    Miss,
    /// Another row was open: PRE, ACT and a column command.
    Conflict,
    /// A read that found its line in the write queue, and needed no command.
    Forwarded,
    /// A write to a line that was in the write queue already, and needed no command.
    Merged,
}

/// A request that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedRequest {
    /// Its name.
    pub id: u64,
    /// What it did.
    pub kind: RequestKind,
    /// Where.
    pub location: Location,
    /// Clock at which it reached the controller.
    pub arrival: u64,
    /// Clock at which it entered the controller's queue.
    pub admitted: u64,
    /// Clock of its RD or WR command; that of admission where it needed none.
    pub issued: u64,
    /// Clock after the last beat of its data; that of admission where no data moved.
    pub finish: u64,
    /// How.
    pub outcome: RowOutcome,
    /// Clocks waited by cause, in the order of [`WaitCause::ALL`]. All 0 where the observer wants no waits.
    pub waits: [u32; CAUSES],
}

/// Watches a sub-channel. A method that is left out costs nothing, and the waits by cause are reckoned only for those
/// who want them.
pub trait Observer {
    /// Whether [`ServedRequest::waits`] is wanted.
    const WAITS: bool = false;

    /// A command went over the bus. Commands come in the order of their times.
    fn command(&mut self, _issued: &Issued) {}

    /// A request entered the queue, at a clock. A write's sender may go on from here.
    fn accepted(&mut self, _id: u64, _kind: RequestKind, _at: u64) {}

    /// A request's last command went over the bus, or it needed none.
    fn served(&mut self, _served: &ServedRequest) {}
}

/// Watches nothing.
impl Observer for () {}

/// Both watch.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const WAITS: bool = A::WAITS || B::WAITS;

    #[inline(always)]
    fn command(&mut self, issued: &Issued) {
        self.0.command(issued);
        self.1.command(issued);
    }

    #[inline]
    fn accepted(&mut self, id: u64, kind: RequestKind, at: u64) {
        self.0.accepted(id, kind, at);
        self.1.accepted(id, kind, at);
    }

    #[inline(always)]
    fn served(&mut self, served: &ServedRequest) {
        self.0.served(served);
        self.1.served(served);
    }
}
