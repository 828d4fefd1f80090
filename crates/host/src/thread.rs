//! What the operating system gave the thread that measures, and what it took away.
//!
//! All of it is what any user may read: the clock of the thread's processor time, and the accounts under `/proc` of Linux.
//! Where the system keeps no such account, nothing was taken.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The accounts of the calling thread at an instant.
#[derive(Clone, Debug)]
pub struct ThreadReading {
    waits_for_disk: bool,
    at: Instant,
    /// Processor time that the thread has had.
    processor: Duration,
    interruptions: Interruptions,
    /// The processor that the thread was on.
    on: usize,
    /// Ticks that the hypervisor has kept back from each processor.
    stolen: Vec<u64>,
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
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let own = read("/proc/thread-self/stat");
        let own = own_columns(&own);
        let column = |place: usize| own.get(place).and_then(|word| word.parse().ok());
        let used = clock_gettime(ClockId::ThreadCPUTime);
        Self {
            waits_for_disk,
            at: Instant::now(),
            processor: used.try_into().unwrap_or_default(),
            interruptions: Interruptions {
                preemptions: preemptions(&read("/proc/thread-self/status")),
                minor_faults: column(MINOR_FAULTS).unwrap_or_default(),
                major_faults: column(MAJOR_FAULTS).unwrap_or_default(),
            },
            on: column(PROCESSOR).unwrap_or_default() as usize,
            stolen: stolen(&read("/proc/stat")),
        }
    }

    /// What the thread had and lost since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> ThreadUse {
        let tick = Duration::from_secs(1) / (rustix::param::clock_ticks_per_second().max(1) as u32);
        let ticks = |reading: &Self| reading.stolen.get(self.on).copied().unwrap_or_default();
        let ticks = ticks(self).saturating_sub(ticks(earlier));
        // The first tick may have begun before the earlier reading.
        let stolen = tick * u32::try_from(ticks.saturating_sub(1)).unwrap_or(u32::MAX);
        let (now, before) = (&self.interruptions, &earlier.interruptions);
        ThreadUse {
            lost: lost_share(
                self.at.saturating_duration_since(earlier.at),
                self.processor.saturating_sub(earlier.processor),
                stolen,
                self.waits_for_disk,
            ),
            interruptions: Interruptions {
                preemptions: now.preemptions.saturating_sub(before.preemptions),
                minor_faults: now.minor_faults.saturating_sub(before.minor_faults),
                major_faults: now.major_faults.saturating_sub(before.major_faults),
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

// Columns of `/proc/thread-self/stat` behind the name of the program: proc_pid_stat(5), of which the first there is the
// third.
const MINOR_FAULTS: usize = 10 - 3;
const MAJOR_FAULTS: usize = 12 - 3;
const PROCESSOR: usize = 39 - 3;

/// The columns behind the name, which may itself hold blanks and brackets.
fn own_columns(text: &str) -> Vec<&str> {
    let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind);
    behind.split_whitespace().collect()
}

/// Switches that a thread did not ask for, of `/proc/thread-self/status`.
fn preemptions(text: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(name, _)| *name == "nonvoluntary_ctxt_switches");
    let count = found.and_then(|(_, count)| count.trim().parse().ok());
    count.unwrap_or_default()
}

/// Stolen ticks of each processor, of `/proc/stat`: the eighth number of its line.
fn stolen(text: &str) -> Vec<u64> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|name| name.strip_prefix("cpu"));
        let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else {
            continue;
        };
        // A processor that is switched off has no line.
        all.resize(all.len().max(number + 1), 0);
        let ticks = words.nth(7).and_then(|ticks| ticks.parse().ok());
        all[number] = ticks.unwrap_or_default();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accounts_of_linux_are_read_by_their_columns() {
        let own = "7 (a ) b) R 1 2 3 0 -1 64 101 5 9 0 0 0 0 0 20 0 1 0 99 3 406 8 1 2 3 4 5 6 7 8 9 10 11 12 13 14 1 0";
        let columns = own_columns(own);
        let of = |place: usize| columns[place];
        assert_eq!(
            (of(MINOR_FAULTS), of(MAJOR_FAULTS), of(PROCESSOR)),
            ("101", "9", "14")
        );
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t8\nnonvoluntary_ctxt_switches:\t12\n";
        assert_eq!(preemptions(status), 12);
        let all = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu2 1 2 3 4 5 6 7 40 0 0\nintr 5\n";
        assert_eq!(stolen(all), [8, 0, 40]);
        assert_eq!((preemptions(""), stolen("").len()), (0, 0));
        assert!(own_columns("").is_empty());
    }

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
        let at = |ticks: u64, later: Duration| {
            let now = ThreadReading::now(true);
            ThreadReading {
                at: now.at + later,
                on: 1,
                stolen: vec![0, ticks],
                ..now
            }
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
