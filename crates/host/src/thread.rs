//! What the operating system gave the thread that measures, and what it took away.
//!
//! All of it is what any user may read: the clock of the thread's processor time, and the accounts under `/proc` of Linux.
//! Where the system keeps no such account, nothing was taken.

use std::time::Duration;

use crate::accounts::ThreadAccounts;
use crate::linux_files::LinuxFiles;

/// The accounts of the calling thread at an instant.
#[derive(Clone, Debug)]
pub struct ThreadReading {
    waits_for_disk: bool,
    accounts: ThreadAccounts,
}

/// How often the operating system interrupted a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interruptions {
    /// Times that it gave the processor to another program.
    pub preemptions: u64,
    /// Pages that it mapped.
    pub minor_faults: u64,
    /// Pages that it read from a disk.
    pub major_faults: u64,
}

/// What a thread had, and lost, between two readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreadUse {
    /// Share of the time, 0 to 1, in which it was without a processor. Where it waits for a disk, what other guests of
    /// the machine had is counted alone.
    pub lost: f64,
    /// How often it was interrupted.
    pub interruptions: Interruptions,
}

impl ThreadReading {
    /// Reads the accounts of the calling thread. One that `waits_for_disk` gives up its processor by itself.
    #[must_use]
    pub fn now(waits_for_disk: bool) -> Self {
        Self {
            waits_for_disk,
            accounts: ThreadAccounts::now(&LinuxFiles::of_this_machine()),
        }
    }

    /// What the thread had and lost since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> ThreadUse {
        let (now, before) = (&self.accounts, &earlier.accounts);
        let (faults, earlier_faults) = (&now.stat, &before.stat);
        ThreadUse {
            lost: lost_share(
                now.elapsed(before),
                now.processor(before),
                now.ticked(before, now.stat.cpu, |ticks| ticks.stolen),
                self.waits_for_disk,
            ),
            interruptions: Interruptions {
                preemptions: now.preemptions.saturating_sub(before.preemptions),
                minor_faults: faults
                    .minor_faults
                    .saturating_sub(earlier_faults.minor_faults),
                major_faults: faults
                    .major_faults
                    .saturating_sub(earlier_faults.major_faults),
            },
        }
    }
}

/// Share of `elapsed` in which a thread was without a processor.
fn lost_share(
    elapsed: Duration,
    processor: Duration,
    stolen: Duration,
    waits_for_disk: bool,
) -> f64 {
    let idle = match waits_for_disk {
        true => Duration::ZERO,
        false => elapsed.saturating_sub(processor),
    };
    if elapsed.is_zero() {
        return 0.0;
    }
    (idle.max(stolen).as_secs_f64() / elapsed.as_secs_f64()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux_files::CpuTicks;

    #[test]
    fn what_is_lost_is_what_others_had_and_no_wait_for_a_disk() {
        let ms = Duration::from_millis;
        let share =
            |processor, stolen, waits| lost_share(ms(100), ms(processor), ms(stolen), waits);
        assert!((share(100, 0, false) - 0.0).abs() < 1e-12);
        assert!((share(60, 0, false) - 0.4).abs() < 1e-12);
        assert!((share(60, 70, false) - 0.7).abs() < 1e-12);
        assert!((share(1, 0, true) - 0.0).abs() < 1e-12);
        assert!((share(1, 30, true) - 0.3).abs() < 1e-12);
        assert!((share(0, 900, true) - 1.0).abs() < 1e-12);
        assert_eq!(lost_share(ms(0), ms(0), ms(0), false), 0.0);
    }

    /// The steps of the account of stolen time are coarse: one that may have begun earlier is not held against a short
    /// stretch.
    #[test]
    fn one_stolen_tick_is_no_loss_and_three_are() {
        let at = |stolen: u64, later: Duration| {
            let mut now = ThreadReading::now(true);
            now.accounts.before.at += later;
            now.accounts.after.at += later;
            now.accounts.stat.cpu = 1;
            let ticks = CpuTicks {
                stolen,
                ..CpuTicks::default()
            };
            now.accounts.ticks = [(1, ticks)].into();
            now
        };
        let begin = at(5, Duration::ZERO);
        let lost = |ticks| at(ticks, Duration::from_secs(1)).since(&begin).lost;
        assert_eq!((lost(5), lost(6)), (0.0, 0.0));
        assert!(lost(8) > 0.0 && lost(8) < lost(9));
    }

    #[test]
    fn a_thread_that_sleeps_is_without_a_processor() {
        let begin = ThreadReading::now(false);
        std::thread::sleep(Duration::from_millis(20));
        let slept = ThreadReading::now(false).since(&begin);
        assert!(slept.lost > 0.0 && slept.lost <= 1.0, "{slept:?}");
    }
}
