//! What all tests of a run share: the machine, its name, the time that is left, and who watches.

use std::time::Duration;

use wordline_core::quantity::ByteCount;
use wordline_core::{Axis, Basis, ResultSet, RowOperation, Timing};
use wordline_host::WallClock;
use wordline_host::memory::topology::Topology;
use wordline_memory::Clock as _;

use crate::control::{Control, Progress};
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// What all rows of main memory say of their part.
const PART: &str = "ram";

/// Where a document names the processor that measured.
const MEASURING_CPU: &str = "measuring_cpu";

/// The part of a time limit that is spent on measuring; the rest goes to memory that is taken, filled and given back after the
/// last look at the clock.
const MEASURING: f64 = 0.9;

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

    /// Says which processor measured, and what is odd about it.
    pub(super) fn measured_on(&self, cpu: u32, document: &mut ResultSet) {
        let place = self.topology.cpus.iter().find(|place| place.cpu == cpu);
        let environment = document.environment.get_or_insert_default();
        let named = match place {
            Some(place) => format!("{cpu} (node {})", place.node),
            None => cpu.to_string(),
        };
        environment.insert(MEASURING_CPU.to_owned(), named);
        if let Some(kind) = self.topology.kind_of(cpu) {
            let kinds = self.topology.core_kinds.iter();
            let kinds: Vec<String> = kinds
                .map(|kind| format!("{} {}", kind.cpus.len(), kind.name))
                .collect();
            document.warn(LabWarning::UnequalCores {
                kinds: &kinds.join(", "),
                cpu: &cpu,
                kind: &kind.name,
            });
        }
    }

    /// Warns where the working set of a test is no memory, because the last cache holds a good part of it.
    pub(super) fn in_caches(&self, test: &'static str, bytes: u64, document: &mut ResultSet) {
        let least = self.topology.beyond_caches_bytes(1);
        if let Some(least) = least.filter(|least| bytes < *least) {
            document.warn(LabWarning::SetInCaches {
                test: &test,
                found: &ByteCount::from_bytes(bytes),
                least: &ByteCount::from_bytes(least),
            });
        }
    }

    /// Warns where memory of another node was asked for than that of the processor.
    pub(super) fn far(&self, cpu: u32, node: Option<u32>, document: &mut ResultSet) {
        let place = self.topology.cpus.iter().find(|place| place.cpu == cpu);
        if let (Some(node), Some(place)) = (node, place)
            && place.node != node
        {
            document.warn(LabWarning::FarMemory {
                cpu: &cpu,
                node: &node,
            });
        }
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
