//! What all tests of a run share: the machine, its name, the time that is left, and who watches.

use std::time::Duration;

use wordline_core::{Axis, Basis, RowOperation, Timing};
use wordline_host::WallClock;
use wordline_host::memory::topology::Topology;
use wordline_memory::Clock as _;

use crate::control::{Control, Progress};
use crate::subject::{Axes, Subject};

/// What all rows of main memory say of their part.
const PART: &str = "ram";

/// The part of a time limit that is spent on measuring; the rest goes to memory that is taken, filled and given back.
const MEASURING: f64 = 0.8;

/// A run on this machine.
pub(super) struct HostSession<'a> {
    pub(super) topology: &'a Topology,
    pub(super) seed: u64,
    label: &'a str,
    control: &'a Control<'a>,
    clock: WallClock,
}

impl<'a> HostSession<'a> {
    pub(super) fn new(
        topology: &'a Topology,
        label: &'a str,
        seed: u64,
        control: &'a Control<'a>,
    ) -> Self {
        Self {
            topology,
            seed,
            label,
            control,
            clock: WallClock::start(),
        }
    }

    /// The name of the target.
    pub(super) fn target(&self) -> String {
        format!("{PART}@{}", self.label)
    }

    /// What identifies the rows of a test.
    pub(super) fn subject(&self, test: &'static str, operation: RowOperation) -> Subject {
        let subject = Subject {
            target: self.target(),
            part: PART.to_owned(),
            board: self.label.to_owned(),
            workload: "host",
            operation,
            axes: Axes::new(),
            timing: Timing::Typ,
            age: 0.0,
            basis: Basis::Measured,
        };
        subject.at(Axis::Test, test)
    }

    /// A share of what is left of the time limit, or what a test takes at most without one.
    pub(super) fn share(&self, share: f64, without: Duration) -> Duration {
        let Some(budget) = self.control.budget else {
            return without;
        };
        let spent = Duration::from_nanos(self.clock.now_ps() / 1000);
        budget
            .mul_f64(MEASURING)
            .saturating_sub(spent)
            .mul_f64(share)
    }

    /// Whether a time limit was given.
    pub(super) const fn has_limit(&self) -> bool {
        self.control.budget.is_some()
    }

    /// Whether the run shall stop.
    pub(super) fn stopped(&self) -> bool {
        self.control.stopped()
    }

    /// Reports how far a test is.
    pub(super) fn report(&self, step: &str, done: usize, all: usize) {
        self.control.report(Progress {
            step,
            done_bytes: done as u64,
            total_bytes: all as u64,
        });
    }
}
