//! The accounts that Linux keeps of a thread and of the processors: read once here, used by every clock that wants to
//! know what was taken from it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::linux_files::{CpuTicks, LinuxFiles, StatColumns, ticks_of_each, value_of};

/// Elapsed time, and the processor time that the calling thread has had.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadInstant {
    pub(crate) at: Instant,
    pub(crate) processor: Duration,
}

impl ThreadInstant {
    /// Reads both.
    pub(crate) fn now() -> Self {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        Self {
            processor: used.try_into().unwrap_or_default(),
            at: Instant::now(),
        }
    }
}

/// The accounts of the calling thread, and those of the processors.
#[derive(Clone, Debug)]
pub(crate) struct ThreadAccounts {
    /// Before they were read: the end of what came before.
    pub(crate) before: ThreadInstant,
    /// Once they were read: the start of what follows.
    pub(crate) after: ThreadInstant,
    /// Times that the system gave the processor to another program.
    pub(crate) preemptions: u64,
    /// Faults, and the processor that the thread is on.
    pub(crate) stat: StatColumns,
    /// Ticks of each processor.
    pub(crate) ticks: BTreeMap<u32, CpuTicks>,
}

impl ThreadAccounts {
    /// Reads them.
    pub(crate) fn now(files: &LinuxFiles) -> Self {
        let before = ThreadInstant::now();
        let read = |path| files.text(path).unwrap_or_default();
        let preemptions = preemptions(&read("proc/thread-self/status"));
        let stat = StatColumns::of(&read("proc/thread-self/stat"));
        let ticks = ticks_of_each(&read("proc/stat"));
        Self {
            before,
            preemptions,
            stat,
            ticks,
            after: ThreadInstant::now(),
        }
    }

    /// Elapsed time since earlier accounts, reading them excluded.
    pub(crate) fn elapsed(&self, earlier: &Self) -> Duration {
        self.before.at.saturating_duration_since(earlier.after.at)
    }

    /// Processor time of the thread since earlier accounts, reading them excluded.
    pub(crate) fn processor(&self, earlier: &Self) -> Duration {
        self.before
            .processor
            .saturating_sub(earlier.after.processor)
    }

    /// Time of a kind that a processor has had since earlier accounts. The first tick may have begun before them, and is
    /// left out.
    pub(crate) fn ticked(&self, earlier: &Self, cpu: u32, kind: fn(&CpuTicks) -> u64) -> Duration {
        let ticks = |accounts: &Self| accounts.ticks.get(&cpu).map(kind).unwrap_or_default();
        let ticks = ticks(self).saturating_sub(ticks(earlier)).saturating_sub(1);
        tick().saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
    }
}

/// Duration of a tick of the kernel's accounts: 10 ms as a rule.
fn tick() -> Duration {
    let rate = u32::try_from(rustix::param::clock_ticks_per_second());
    Duration::from_secs(1) / rate.unwrap_or(100).max(1)
}

/// Switches that a thread did not ask for, of its `status`.
fn preemptions(text: &str) -> u64 {
    let count = value_of(text, "nonvoluntary_ctxt_switches");
    count
        .and_then(|count| count.parse().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_that_were_not_asked_for_are_told_from_those_that_were() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t8\nnonvoluntary_ctxt_switches:\t12\n";
        assert_eq!(preemptions(status), 12);
        assert_eq!(preemptions(""), 0);
    }

    #[test]
    fn the_time_of_reading_belongs_to_no_stretch() {
        let files = LinuxFiles::of_this_machine();
        let (first, second) = (ThreadAccounts::now(&files), ThreadAccounts::now(&files));
        let whole = second.after.at - first.before.at;
        assert!(second.elapsed(&first) < whole);
        assert!(second.processor(&first) <= second.after.processor - first.before.processor);
    }
}
