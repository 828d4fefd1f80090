//! Readings of accounts that are planted, and of this machine.

use std::fs;
use std::time::Instant;

use super::*;

/// A ledger of files that a test changes between start and end.
struct PlantedAccounts(tempfile::TempDir);

impl PlantedAccounts {
    fn new() -> Self {
        let accounts = Self(tempfile::tempdir().expect("a folder"));
        accounts.set("proc/thread-self/stat", "7 (x) R 1 2 3 0 -1 64 100 5 9 0 0 0 0 0 20 0 1 0 99 3 406 8 1 2 3 4 5 6 7 8 9 10 11 12 13 17 0 0\n");
        accounts.set(
            "proc/thread-self/status",
            "nonvoluntary_ctxt_switches:\t12\n",
        );
        accounts.set(
            "proc/thread-self/sched",
            "x (1, #threads: 1)\nse.nr_migrations  :   4\n",
        );
        accounts.set("proc/stat", "cpu0 0 0 0 0 0 0 0 0 0 0\n");
        accounts
    }

    fn set(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    fn begin(&self) -> Ledger {
        let mut ledger = Ledger::below(self.0.path());
        // As if it had been bound to the processor of the files.
        ledger.start.affinity = vec![0];
        ledger
    }

    /// The reading as if a time had passed.
    fn end(&self, ledger: &Ledger, seconds: u64) -> LedgerReading {
        let mut ledger = ledger.clone();
        ledger.start.accounts.after.at -= Duration::from_secs(seconds);
        let files = &ledger.files;
        let now = LedgerPage {
            affinity: vec![0],
            accounts: ThreadAccounts::now(files),
            run_delay_ns: run_delay(files),
            migrations: migrations(files),
            stalls: Stalls::now(files, ledger.group.as_deref()),
            ..ledger.start.clone()
        };
        now.since(&ledger.start, &ledger.paused, &ledger.partners)
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 0.02
}

#[test]
fn counts_are_those_between_start_and_end() {
    let accounts = PlantedAccounts::new();
    let ledger = accounts.begin();
    accounts.set("proc/thread-self/stat", "7 (x) R 1 2 3 0 -1 64 130 5 11 0 0 0 0 0 20 0 1 0 99 3 406 8 1 2 3 4 5 6 7 8 9 10 11 12 13 17 0 0\n");
    accounts.set(
        "proc/thread-self/status",
        "nonvoluntary_ctxt_switches:\t15\n",
    );
    accounts.set("proc/thread-self/sched", "se.nr_migrations  :   6\n");
    let reading = accounts.end(&ledger, 10);
    assert!(near(reading.elapsed_s / 10.0, 1.0), "{reading:?}");
    assert_eq!(reading.involuntary_switches, 3);
    assert_eq!((reading.minor_faults, reading.major_faults), (30, 2));
    assert_eq!(reading.migrations, 2);
    assert_eq!((reading.steal_share, reading.other_cpu_share), (0.0, 0.0));
    assert_eq!(
        (reading.cpu_pressure, reading.memory_pressure),
        (None, None)
    );
    assert_eq!(reading.clock_change, Some(0.0));
    assert!(!reading.clock_stepped);
}

/// Ticks of 10 ms, as everywhere: of 10 s, 201 stolen ones are 20 %, and 401 busy ones that the thread had not are 40 %.
#[test]
fn steal_and_the_time_of_others_are_shares_of_the_processor() {
    let accounts = PlantedAccounts::new();
    let ledger = accounts.begin();
    let ticks = 10 * rustix::param::clock_ticks_per_second();
    let (stolen, busy) = (ticks / 5 + 1, ticks * 2 / 5 + 1);
    accounts.set(
        "proc/stat",
        &format!("cpu0 {busy} 0 0 0 0 0 0 {stolen} 0 0\ncpu1 {ticks} 0 0 0 0 0 0 {ticks} 0 0\n"),
    );
    let reading = accounts.end(&ledger, 10);
    assert!(near(reading.steal_share, 0.2), "{reading:?}");
    assert!(near(reading.other_cpu_share, 0.4), "{reading:?}");
    // One tick may have begun before.
    accounts.set("proc/stat", "cpu0 1 0 0 0 0 0 0 1 0 0\n");
    let reading = accounts.end(&ledger, 10);
    assert_eq!((reading.steal_share, reading.other_cpu_share), (0.0, 0.0));
}

#[test]
fn what_a_thread_waits_for_its_processor_is_what_others_had() {
    let accounts = PlantedAccounts::new();
    accounts.set("proc/thread-self/schedstat", "100 1000000000 5\n");
    accounts.set("proc/pressure/cpu", "some avg10=0 total=0\n");
    let ledger = accounts.begin();
    accounts.set("proc/thread-self/schedstat", "100 4000000000 5\n");
    accounts.set("proc/pressure/cpu", "some avg10=0 total=9000000\n");
    let reading = accounts.end(&ledger, 10);
    assert!(near(reading.other_cpu_share, 0.3), "{reading:?}");
    // The thread's own account comes before that of the machine.
    assert!(
        reading.cpu_pressure.is_some_and(|share| near(share, 0.3)),
        "{reading:?}"
    );
}

#[test]
fn pressure_is_that_of_the_group_or_the_machine_and_takes_two_seconds() {
    let accounts = PlantedAccounts::new();
    accounts.set("proc/self/cgroup", "0::/job\n");
    accounts.set(
        "proc/self/mountinfo",
        "1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    );
    let all = |machine: [u64; 3], group: [u64; 3]| {
        for (index, name) in ["cpu", "memory", "io"].into_iter().enumerate() {
            let text = |total: u64| {
                format!("some avg10=0.00 avg60=0.00 avg300=0.00 total={total}\nfull total=7\n")
            };
            accounts.set(&format!("proc/pressure/{name}"), &text(machine[index]));
            accounts.set(
                &format!("sys/fs/cgroup/job/{name}.pressure"),
                &text(group[index]),
            );
        }
    };
    all([5; 3], [9; 3]);
    let ledger = accounts.begin();
    let second = 1_000_000;
    all(
        [9 * second, second, 4 * second],
        [2 * second, 3 * second, second],
    );
    let reading = accounts.end(&ledger, 10);
    let shares = [
        reading.cpu_pressure,
        reading.memory_pressure,
        reading.io_pressure,
    ];
    for (share, expected) in shares.into_iter().zip([0.2, 0.3, 0.4]) {
        assert!(
            share.is_some_and(|share| near(share, expected)),
            "{shares:?}"
        );
    }
    let reading = accounts.end(&ledger, 1);
    assert_eq!(
        (
            reading.cpu_pressure,
            reading.memory_pressure,
            reading.io_pressure
        ),
        (None, None, None)
    );
}

#[test]
fn a_change_of_the_clock_is_the_same_up_and_down() {
    let accounts = PlantedAccounts::new();
    let ledger = accounts.begin();
    let change = |before: u64, now: u64| {
        let page = |micros| LedgerPage {
            spin: Some(Duration::from_micros(micros)),
            ..ledger.start.clone()
        };
        page(now)
            .since(&page(before), &PausedAccounts::default(), &[])
            .clock_change
    };
    assert_eq!(change(10, 15), Some(0.5));
    assert_eq!(change(15, 10), Some(0.5));
    assert_eq!(change(10, 10), Some(0.0));
}

#[test]
fn without_the_scheduler_s_count_another_processor_is_one_migration() {
    let accounts = PlantedAccounts::new();
    accounts.set("proc/thread-self/sched", "se.vruntime : 3\n");
    let ledger = accounts.begin();
    assert_eq!(accounts.end(&ledger, 3).migrations, 0);
    accounts.set("proc/thread-self/stat", "7 (x) R 1 2 3 0 -1 64 100 5 9 0 0 0 0 0 20 0 1 0 99 3 406 8 1 2 3 4 5 6 7 8 9 10 11 12 13 18 0 0\n");
    assert_eq!(accounts.end(&ledger, 3).migrations, 1);
}

#[test]
fn several_threads_have_the_sums_and_the_worst() {
    let one = LedgerReading {
        elapsed_s: 2.0,
        processor_s: 1.5,
        steal_share: 0.1,
        involuntary_switches: 3,
        cpu_pressure: Some(0.2),
        memory_pressure: None,
        other_cpu_share: 0.4,
        elsewhere_cpu_share: Some(0.1),
        has_hypervisor: true,
        clock_change: Some(0.01),
        clock_stepped: false,
        major_faults: 1,
        minor_faults: 2,
        migrations: 3,
        io_pressure: None,
    };
    let other = LedgerReading {
        elapsed_s: 3.0,
        steal_share: 0.05,
        cpu_pressure: None,
        memory_pressure: Some(0.3),
        other_cpu_share: 0.5,
        clock_change: Some(0.03),
        clock_stepped: true,
        ..one.clone()
    };
    let joined = LedgerReading::joined(&[one.clone(), other]);
    assert_eq!((joined.elapsed_s, joined.processor_s), (3.0, 3.0));
    assert_eq!((joined.steal_share, joined.other_cpu_share), (0.1, 0.5));
    assert_eq!(
        (
            joined.cpu_pressure,
            joined.memory_pressure,
            joined.io_pressure
        ),
        (Some(0.2), Some(0.3), None)
    );
    assert_eq!(
        (joined.clock_change, joined.clock_stepped),
        (Some(0.03), true)
    );
    assert_eq!(
        (
            joined.involuntary_switches,
            joined.minor_faults,
            joined.major_faults,
            joined.migrations
        ),
        (6, 4, 2, 6)
    );
    assert_eq!(LedgerReading::joined(std::slice::from_ref(&one)), one);
    assert_eq!(LedgerReading::joined(&[]), LedgerReading::default());
}

#[test]
fn the_share_of_stolen_time_since_the_start_is_of_all_processors() {
    let accounts = PlantedAccounts::new();
    assert_eq!(steal_since_start(accounts.0.path()), None);
    accounts.set(
        "proc/stat",
        "cpu  10 0 0 70 0 0 0 20 0 0\ncpu0 0 0 0 0 0 0 0 9 0 0\n",
    );
    assert_eq!(steal_since_start(accounts.0.path()), Some(0.2));
    accounts.set("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
    assert_eq!(steal_since_start(accounts.0.path()), None);
}

#[test]
fn a_ledger_of_this_machine_counts_the_faults_of_its_thread() {
    let ledger = Ledger::begin();
    let start = Instant::now();
    // More than an allocator keeps for itself, so that it is mapped anew.
    let mut pages = vec![0_u8; 48 << 20];
    pages.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(&pages);
    let reading = ledger.end();
    assert!(reading.elapsed_s <= start.elapsed().as_secs_f64() + 1.0);
    assert!(
        reading.elapsed_s > 0.0 && reading.processor_s > 0.0,
        "{reading:?}"
    );
    assert!(!reading.clock_stepped);
    assert!(reading.minor_faults > 0, "{reading:?}");
}

/// Run by hand, alone on the machine: the processor time of a beginning and an end, and what a clock that nobody touches changes by.
#[test]
#[ignore = "prints times, which no test asserts"]
fn what_a_ledger_costs() {
    // Processor time, so that other programs do not count.
    let now = || -> Duration {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        used.try_into().unwrap_or_default()
    };
    let time = |work: &mut dyn FnMut()| {
        let start = now();
        work();
        now() - start
    };
    let mut all = Vec::new();
    for _ in 0..200 {
        let mut ledger = None;
        let begin = time(&mut || ledger = Some(Ledger::begin()));
        let mut reading = None;
        let end = time(&mut || reading = ledger.as_ref().map(Ledger::end));
        let change = reading
            .and_then(|reading| reading.clock_change)
            .unwrap_or(f64::NAN);
        all.push((begin, end, change));
    }
    let quantile = |share: f64, of: fn(&(Duration, Duration, f64)) -> f64| {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[((values.len() - 1) as f64 * share) as usize]
    };
    for share in [0.5, 0.9, 0.99] {
        eprintln!(
            "p{:.0}: begin {:.0} us, end {:.0} us, clock {:.4}",
            share * 100.0,
            quantile(share, |one| one.0.as_secs_f64() * 1e6),
            quantile(share, |one| one.1.as_secs_f64() * 1e6),
            quantile(share, |one| one.2),
        );
    }
}

/// Of 10 s, 101 busy ticks of 10 ms on another processor are 10 %; those of a partner are none of a stranger's.
#[test]
fn who_works_elsewhere_is_seen_and_partners_are_not_strangers() {
    let accounts = PlantedAccounts::new();
    accounts.set(
        "proc/stat",
        "cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
    );
    let ledger = accounts.begin();
    let ticks = 10 * rustix::param::clock_ticks_per_second();
    accounts.set(
        "proc/stat",
        &format!(
            "cpu0 {ticks} 0 0 0 0 0 0 0 0 0\ncpu1 {} 0 0 0 0 0 0 0 0 0\n",
            ticks / 10 + 1
        ),
    );
    let elsewhere = |ledger: &Ledger| accounts.end(ledger, 10).elsewhere_cpu_share;
    assert!(elsewhere(&ledger).is_some_and(|share| near(share, 0.1)));
    let beside = Ledger {
        partners: vec![1],
        ..ledger
    };
    assert_eq!(elsewhere(&beside), Some(0.0));
}

/// A pause takes neither time nor faults from what was measured.
#[test]
fn pauses_do_not_count() {
    let accounts = PlantedAccounts::new();
    let mut ledger = accounts.begin();
    let mut since = Ledger::pause();
    since.at.at -= Duration::from_secs(4);
    ledger.resume(&since);
    let reading = accounts.end(&ledger, 10);
    assert!(near(reading.elapsed_s / 6.0, 1.0), "{reading:?}");
}
