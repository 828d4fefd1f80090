//! Pressure stall information: how long some task waited for a processor, memory or a disk (Linux, Documentation/accounting/psi.rst).

use std::time::Duration;

use crate::linux_files::{LinuxFiles, stalled_us};

/// Microseconds of stalls since the machine started, of one source.
type Counts = [Option<u64>; 3];

const RESOURCES: [&str; 3] = ["cpu", "memory", "io"];

/// The counts of the machine, and those of a control group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stalls {
    machine: Counts,
    group: Counts,
}

/// How long some task waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stalled {
    /// For a processor: in the control group, where it counts, because tasks elsewhere do not wait for this one's.
    pub(super) cpu: Option<Duration>,
    /// For memory to be freed: in the group or the machine, which all share it.
    pub(super) memory: Option<Duration>,
    /// For a disk.
    pub(super) io: Option<Duration>,
}

impl Stalls {
    /// Reads them. A kernel without them has none.
    pub(super) fn now(files: &LinuxFiles, group: Option<&str>) -> Self {
        let count = |path: String| stalled_us(&files.text(&path)?);
        Self {
            machine: RESOURCES.map(|name| count(format!("proc/pressure/{name}"))),
            group: RESOURCES.map(|name| count(format!("{}/{name}.pressure", group?))),
        }
    }

    /// The time of stalls since earlier counts; `None` without any.
    pub(super) fn since(&self, earlier: &Self) -> Option<Stalled> {
        let time = |now: &Counts, before: &Counts, resource: usize| {
            let (now, before) = now[resource].zip(before[resource])?;
            Some(Duration::from_micros(now.saturating_sub(before)))
        };
        let machine = |resource| time(&self.machine, &earlier.machine, resource);
        let group = |resource| time(&self.group, &earlier.group, resource);
        let stalled = Stalled {
            cpu: group(0).or_else(|| machine(0)),
            memory: group(1).max(machine(1)),
            io: group(2).max(machine(2)),
        };
        (stalled != Stalled::default()).then_some(stalled)
    }
}
