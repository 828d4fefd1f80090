//! The interference ledger: what else the machine did while a thread measured.
//!
//! A busy machine makes a measurement wrong without a word. The ledger asks every account that any user may read, before
//! and after, and judges nothing: the estimator does. Each thread that measures keeps a ledger of its own, and
//! [`LedgerReading::joined`] makes one of theirs.

mod clocks;
mod spin;
mod stalls;
mod steal;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use clocks::ClockOffsets;
use stalls::Stalls;
pub(super) use steal::StealWatch;

use super::system::{self, PageFaults};
use crate::accounts::{ThreadAccounts, ThreadInstant};
use crate::linux_files::{LinuxFiles, run_delay_ns, ticks_of_all, value_of};

/// What the machine did between the start and the end of a measurement.
///
/// Shares are 0 to 1. What the system keeps no account of is 0 where a plain number stands, and `None` elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerReading {
    /// Seconds that passed.
    pub elapsed_s: f64,
    /// Seconds of processor time that the thread had.
    pub processor_s: f64,
    /// Share of the time that a hypervisor kept back from the processors used. It is counted in ticks of 10 ms, the first
    /// of which is left out.
    pub steal_share: f64,
    /// Times that the system gave the thread's processor to another.
    pub involuntary_switches: u64,
    /// Share of the time in which the thread was ready and had no processor. Where the kernel keeps no such account, that
    /// of its control group, then that of the machine (pressure stall information, *some*), over 2 s or more.
    pub cpu_pressure: Option<f64>,
    /// Share of the time in which some task waited for memory to be freed: the greater one of the control group and the
    /// machine. `None` over less than 2 s, the period in which the kernel counts.
    pub memory_pressure: Option<f64>,
    /// The same for tasks that waited for a disk.
    pub io_pressure: Option<f64>,
    /// Processor time that others had on the processors used, over elapsed time × processors.
    pub other_cpu_share: f64,
    /// Share of the time in which the busiest processor that this measurement does not use worked: who runs there may load
    /// the memory. `None` where nobody counts.
    pub elsewhere_cpu_share: Option<f64>,
    /// Whether the machine is a virtual one, beside which others may load the memory unseen.
    pub has_hypervisor: bool,
    /// Relative change of the core's clock, by the time of a chain of dependent operations before and after.
    pub clock_change: Option<f64>,
    /// The time of day was set, or the machine was suspended.
    pub clock_stepped: bool,
    /// Pages of the thread that were read from a disk.
    pub major_faults: u64,
    /// Pages of the thread that were mapped.
    pub minor_faults: u64,
    /// Times that the thread went to another processor. Without the scheduler's own count, 1 when it ended on another.
    pub migrations: u64,
}

impl LedgerReading {
    /// One reading of those of several threads: sums of times and counts, and the worst of the shares, since the slowest
    /// thread decides. Elapsed time is the longest.
    #[must_use]
    pub fn joined(readings: &[Self]) -> Self {
        let worst = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        let join = |a: Self, b: &Self| Self {
            elapsed_s: a.elapsed_s.max(b.elapsed_s),
            processor_s: a.processor_s + b.processor_s,
            steal_share: a.steal_share.max(b.steal_share),
            involuntary_switches: a
                .involuntary_switches
                .saturating_add(b.involuntary_switches),
            cpu_pressure: worst(a.cpu_pressure, b.cpu_pressure),
            memory_pressure: worst(a.memory_pressure, b.memory_pressure),
            io_pressure: worst(a.io_pressure, b.io_pressure),
            other_cpu_share: a.other_cpu_share.max(b.other_cpu_share),
            elsewhere_cpu_share: worst(a.elsewhere_cpu_share, b.elsewhere_cpu_share),
            has_hypervisor: a.has_hypervisor | b.has_hypervisor,
            clock_change: worst(a.clock_change, b.clock_change),
            clock_stepped: a.clock_stepped | b.clock_stepped,
            major_faults: a.major_faults.saturating_add(b.major_faults),
            minor_faults: a.minor_faults.saturating_add(b.minor_faults),
            migrations: a.migrations.saturating_add(b.migrations),
        };
        readings.iter().fold(Self::default(), join)
    }
}

/// The accounts at the start of a measurement by the calling thread.
#[derive(Clone, Debug)]
pub struct Ledger {
    files: LinuxFiles,
    /// Folder of this process's control group, whose stalls are counted for itself.
    group: Option<String>,
    /// Processors that others of this measurement use.
    partners: Vec<u32>,
    start: LedgerPage,
    paused: PausedAccounts,
}

/// What the thread used while it did not measure.
#[derive(Clone, Copy, Debug, Default)]
struct PausedAccounts {
    elapsed: Duration,
    processor: Duration,
    faults: PageFaults,
}

/// The accounts at the start of a pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedgerPause {
    at: ThreadInstant,
    faults: PageFaults,
}

/// The accounts at an instant.
#[derive(Clone, Debug)]
struct LedgerPage {
    accounts: ThreadAccounts,
    /// Nanoseconds for which the thread was ready and had no processor.
    run_delay_ns: Option<u64>,
    migrations: Option<u64>,
    stalls: Stalls,
    clocks: ClockOffsets,
    spin: Option<Duration>,
    /// Processors that the thread may run on.
    affinity: Vec<u32>,
}

/// The kernel adds stalls up in periods of this length; a shorter stretch may be told of earlier ones.
const STALL_PERIOD_S: f64 = 2.0;

impl Ledger {
    /// Reads the accounts of the calling thread. It takes some tenths of a millisecond, which count for nothing.
    #[must_use]
    pub fn begin() -> Self {
        Self::with(LinuxFiles::of_this_machine())
    }

    /// As [`Ledger::begin`], beside threads of this measurement on other processors, which are no strangers.
    pub(super) fn beside(partners: &[u32]) -> Self {
        Self {
            partners: partners.to_vec(),
            ..Self::begin()
        }
    }

    /// As [`Ledger::begin`], with the `proc` and `sys` that lie in a folder.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self::with(LinuxFiles::below(root))
    }

    fn with(files: LinuxFiles) -> Self {
        let group = super::topology::pressure_folder(&files);
        let spin = spin::shortest();
        let start = LedgerPage {
            spin,
            affinity: system::affinity().unwrap_or_default(),
            stalls: Stalls::now(&files, group.as_deref()),
            clocks: ClockOffsets::now(),
            migrations: migrations(&files),
            run_delay_ns: run_delay(&files),
            // Last, since the stretch begins here.
            accounts: ThreadAccounts::now(&files),
        };
        Self {
            files,
            group,
            partners: Vec::new(),
            start,
            paused: PausedAccounts::default(),
        }
    }

    /// The thread does something else than to measure. What it uses until [`Ledger::resume`] does not count.
    pub(super) fn pause() -> LedgerPause {
        LedgerPause {
            faults: PageFaults::now(),
            at: ThreadInstant::now(),
        }
    }

    /// It measures again.
    pub(super) fn resume(&mut self, since: &LedgerPause) {
        let (now, faults) = (ThreadInstant::now(), PageFaults::now());
        let paused = &mut self.paused;
        paused.elapsed += now.at.saturating_duration_since(since.at.at);
        paused.processor += now.processor.saturating_sub(since.at.processor);
        paused.faults.minor += faults.minor.saturating_sub(since.faults.minor);
        paused.faults.major += faults.major.saturating_sub(since.faults.major);
    }

    /// What happened since the start; called by the same thread.
    #[must_use]
    pub fn end(&self) -> LedgerReading {
        let files = &self.files;
        // Fields are evaluated in the order in which they stand: the stretch ends first.
        let now = LedgerPage {
            accounts: ThreadAccounts::now(files),
            run_delay_ns: run_delay(files),
            migrations: migrations(files),
            clocks: ClockOffsets::now(),
            stalls: Stalls::now(files, self.group.as_deref()),
            affinity: system::affinity().unwrap_or_default(),
            spin: spin::shortest(),
        };
        now.since(&self.start, &self.paused, &self.partners)
    }
}

impl LedgerPage {
    fn since(&self, start: &Self, paused: &PausedAccounts, partners: &[u32]) -> LedgerReading {
        let (now, before) = (&self.accounts, &start.accounts);
        // Ticks, waits and stalls are those of the whole stretch, pauses among them.
        let elapsed_s = now.elapsed(before).as_secs_f64();
        let processor_s = now.processor(before).as_secs_f64();
        let delay_s = self.run_delay_ns.zip(start.run_delay_ns);
        let delay_s = delay_s.map(|(now, before)| now.saturating_sub(before) as f64 / 1e9);

        let cpus = self.cpus_used(start);
        let capacity_s = elapsed_s * cpus.len() as f64;
        let ticked = |kind| -> f64 {
            let seconds = cpus
                .iter()
                .map(|cpu| now.ticked(before, *cpu, kind).as_secs_f64());
            seconds.sum()
        };
        let elsewhere = now
            .ticks
            .keys()
            .filter(|cpu| !cpus.contains(cpu) && !partners.contains(cpu));
        let elsewhere =
            elsewhere.map(|cpu| now.ticked(before, *cpu, |ticks| ticks.busy).as_secs_f64());
        let elsewhere_s = elsewhere.fold(0.0, f64::max);
        let others_s = ticked(|ticks| ticks.busy) - processor_s;
        // Ticks are coarse; what the thread waited for is exact, and others had it.
        let others_s = others_s.max(delay_s.unwrap_or_default());

        let is_long = elapsed_s >= STALL_PERIOD_S;
        let stalled = self.stalls.since(&start.stalls).filter(|_| is_long);
        let stall = |pick: fn(&stalls::Stalled) -> Option<Duration>| {
            stalled
                .as_ref()
                .and_then(pick)
                .map(|stall| share(stall.as_secs_f64(), elapsed_s))
        };
        let own_delay = delay_s.map(|delay_s| share(delay_s, elapsed_s));
        let moved = u64::from(now.stat.cpu != before.stat.cpu);
        let migrations = self.migrations.zip(start.migrations);
        let count = |now: u64, before: u64| now.saturating_sub(before);
        LedgerReading {
            elapsed_s: (elapsed_s - paused.elapsed.as_secs_f64()).max(0.0),
            processor_s: (processor_s - paused.processor.as_secs_f64()).max(0.0),
            steal_share: share(ticked(|ticks| ticks.stolen), capacity_s),
            involuntary_switches: count(now.preemptions, before.preemptions),
            cpu_pressure: own_delay.or_else(|| stall(|stalled| stalled.cpu)),
            memory_pressure: stall(|stalled| stalled.memory),
            io_pressure: stall(|stalled| stalled.io),
            other_cpu_share: share(others_s, capacity_s),
            elsewhere_cpu_share: (!now.ticks.is_empty()).then(|| share(elsewhere_s, elapsed_s)),
            has_hypervisor: system::has_hypervisor(),
            clock_change: self.spin.zip(start.spin).map(|(now, before)| {
                let (now, before) = (now.as_secs_f64(), before.as_secs_f64());
                now.max(before) / now.min(before) - 1.0
            }),
            clock_stepped: self.clocks.stepped_since(&start.clocks),
            major_faults: count(
                now.stat.major_faults,
                before.stat.major_faults + paused.faults.major,
            ),
            minor_faults: count(
                now.stat.minor_faults,
                before.stat.minor_faults + paused.faults.minor,
            ),
            migrations: migrations.map_or(moved, |(now, before)| count(now, before)),
        }
    }

    /// The processor that the thread is bound to, else those that it was on at the start and the end.
    fn cpus_used(&self, start: &Self) -> BTreeSet<u32> {
        match self.affinity.as_slice() {
            [only] => [*only].into(),
            _ => [start.accounts.stat.cpu, self.accounts.stat.cpu].into(),
        }
    }
}

/// A share of a whole, between 0 and 1.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (part / whole).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn run_delay(files: &LinuxFiles) -> Option<u64> {
    run_delay_ns(&files.text("proc/thread-self/schedstat")?)
}

/// How often the scheduler moved the thread, where it counts.
fn migrations(files: &LinuxFiles) -> Option<u64> {
    let text = files.text("proc/thread-self/sched")?;
    value_of(&text, "se.nr_migrations")?.parse().ok()
}

/// Share of the processors' time since the machine started that a hypervisor kept back; `None` where nobody counts it.
#[must_use]
pub fn steal_since_start(root: &Path) -> Option<f64> {
    let text = LinuxFiles::below(root).text("proc/stat")?;
    let ticks = ticks_of_all(&text)?;
    (ticks.all > 0).then(|| ticks.stolen as f64 / ticks.all as f64)
}
