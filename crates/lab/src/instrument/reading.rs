//! The accounts of a memory at an instant, and what a stretch between two of them used.

use wordline_core::quantity::Time;
use wordline_nvm::power::{PowerDraw, Residence};
use wordline_nvm::{AccessCost, Accounts, HostPower, TranslationReport, Wear};

use crate::machine_memory::{ThreadReading, ThreadUse};
use crate::translation::Stretch;

/// The accounts of a memory at an instant. Memories without a data sheet have a time alone.
#[derive(Clone, Debug)]
pub(crate) struct AccountsReading {
    pub(crate) at: Time,
    residence: Option<(Residence, PowerDraw)>,
    /// Since the memory was made.
    pub(crate) wear: Option<Wear>,
    translation: Option<TranslationReport>,
    /// What the host draws, where its board states it.
    pub(crate) host: Option<HostPower>,
    /// Sum of the accesses so far.
    cost: AccessCost,
    /// Of the thread, where the time is this machine's.
    thread: Option<ThreadReading>,
}

/// What a stretch of a run used.
#[derive(Clone, Debug)]
pub(crate) struct PeriodUsage {
    /// Time that passed, pauses included.
    pub(crate) elapsed: Time,
    /// Energy of the memory in joules; `None` where a current is unknown.
    pub(crate) energy_j: Option<f64>,
    /// Energy of the host in joules while it drives the memory; `None` where its board does not state it.
    pub(crate) host_j: Option<f64>,
    /// Endurance cycles of all wear units together.
    pub(crate) cycles: f64,
    /// Wear of the most worn unit.
    pub(crate) cycles_most: u64,
    /// What the memory's own translation layer did; `None` where it has none.
    pub(crate) layer: Option<Stretch>,
    /// What the thread had and lost; `None` in simulated time.
    pub(crate) thread: Option<ThreadUse>,
}

impl AccountsReading {
    /// Reads the accounts of a memory whose accesses consisted of `cost` so far.
    pub(crate) fn of(accounts: &dyn Accounts, cost: &AccessCost) -> Self {
        Self {
            at: accounts.clock().now(),
            residence: Some((accounts.residence(), *accounts.power_draw())),
            wear: Some(accounts.wear()),
            translation: accounts.translation(),
            host: accounts.notes().host,
            cost: *cost,
            thread: None,
        }
    }

    /// The time alone.
    pub(crate) const fn at(at: Time) -> Self {
        Self {
            at,
            residence: None,
            wear: None,
            translation: None,
            host: None,
            cost: AccessCost::NONE,
            thread: None,
        }
    }

    /// The time of this machine, and the accounts of the thread that measures.
    pub(crate) fn measured(at: Time, thread: ThreadReading) -> Self {
        Self {
            thread: Some(thread),
            ..Self::at(at)
        }
    }

    /// The same of a memory whose sheets state other currents.
    pub(crate) fn drawing(mut self, accounts: &dyn Accounts) -> Self {
        if let Some((_, draw)) = &mut self.residence {
            *draw = *accounts.power_draw();
        }
        self.host = accounts.notes().host;
        self
    }

    /// What was used since an earlier reading of the same memory.
    pub(crate) fn since(&self, earlier: &Self) -> PeriodUsage {
        let residence = self.residence.as_ref().zip(earlier.residence.as_ref());
        let cycles = |wear: &Wear| wear.mean * wear.units as f64;
        let wear = self.wear.as_ref().zip(earlier.wear.as_ref());
        PeriodUsage {
            elapsed: self.at.since(earlier.at),
            energy_j: residence
                .and_then(|((now, draw), (before, _))| now.since(before).energy_j(draw)),
            host_j: (self.host.as_ref())
                .map(|host| host.energy_j(&self.cost) - host.energy_j(&earlier.cost)),
            cycles: wear.map_or(0.0, |(now, before)| cycles(now) - cycles(before)),
            cycles_most: wear.map_or(0, |(now, before)| now.most - before.most),
            layer: Stretch::between(earlier.translation, self.translation),
            thread: (self.thread.as_ref().zip(earlier.thread.as_ref()))
                .map(|(now, before)| now.since(before)),
        }
    }
}
