//! Bandwidth, of one thread and of several that share a bus.

use crate::memory::estimate::planted::Draws;
use crate::memory::estimate::*;
use crate::memory::ledger::LedgerReading;

const WINDOW: u64 = 1 << 20;
const WINDOWS_OF_PASS: usize = 64;
/// A bus of 20 GB/s, of which one thread takes 12 by itself.
const BUS: f64 = 20e9;
const ALONE: f64 = 12e9;

/// Windows of threads that take turns with `rivals` on their cores, and whole passes of the first.
struct Shared {
    windows: Vec<Vec<TimedWindow>>,
    passes: Vec<TimedWindow>,
    ledger: LedgerReading,
}

/// Steps of 5 µs: the threads that have their cores share the bus.
fn shared(seed: u64, threads: usize, rivals: u32, seconds: f64) -> Shared {
    sliced(seed, threads, rivals, seconds, 3e-3)
}

fn sliced(seed: u64, threads: usize, rivals: u32, seconds: f64, slice_s: f64) -> Shared {
    let step_s = 5e-6;
    let mut draws = Draws::new(seed);
    let slice = |draws: &mut Draws| slice_s * (0.8 + 0.4 * draws.unit());
    let mut on: Vec<bool> = (0..threads).map(|_| rivals == 0).collect();
    let mut left: Vec<f64> = (0..threads)
        .map(|_| f64::from(rivals) * slice_s * draws.unit())
        .collect();
    let mut moved = vec![0.0; threads];
    let mut speed = vec![1.0; threads];
    let mut began = vec![0.0; threads];
    let mut had = 0.0;
    let mut shared = Shared {
        windows: vec![Vec::new(); threads],
        passes: Vec::new(),
        ledger: LedgerReading::default(),
    };
    let steps = (seconds / step_s) as u64;
    for step in 0..steps {
        let now = step as f64 * step_s;
        if rivals > 0 {
            for thread in 0..threads {
                left[thread] -= step_s;
                if left[thread] <= 0.0 {
                    on[thread] = !on[thread];
                    let slice = slice(&mut draws);
                    left[thread] = if on[thread] {
                        slice
                    } else {
                        slice * f64::from(rivals)
                    };
                }
            }
        }
        let running = on.iter().filter(|on| **on).count();
        let each = ALONE.min(BUS / running.max(1) as f64);
        for thread in 0..threads {
            if !on[thread] {
                continue;
            }
            had += step_s;
            let rate = each * speed[thread];
            moved[thread] += rate * step_s;
            if moved[thread] >= WINDOW as f64 {
                let over_s = (moved[thread] - WINDOW as f64) / rate;
                let end = now + step_s - over_s;
                shared.windows[thread].push(TimedWindow {
                    at_ps: (began[thread] * 1e12) as u64,
                    duration_ps: ((end - began[thread]) * 1e12) as u64,
                    bytes: WINDOW,
                });
                began[thread] = end;
                moved[thread] = over_s * rate;
                speed[thread] = 1.0 + 0.01 * draws.logistic().clamp(-5.0, 5.0);
            }
        }
    }
    for pass in shared.windows[0].chunks_exact(WINDOWS_OF_PASS) {
        let last = pass[WINDOWS_OF_PASS - 1];
        shared.passes.push(TimedWindow {
            at_ps: pass[0].at_ps,
            duration_ps: last.at_ps + last.duration_ps - pass[0].at_ps,
            bytes: WINDOW * WINDOWS_OF_PASS as u64,
        });
    }
    shared.ledger.elapsed_s = seconds;
    shared.ledger.processor_s = had / threads as f64;
    shared.ledger.other_cpu_share = 1.0 - had / threads as f64 / seconds;
    shared
}

const TIMER: TimerCost = TimerCost {
    cost_ps: 25e3,
    quantum_ps: 1e3,
};

fn one(run: &Shared) -> BandwidthEstimate {
    bandwidth(&run.windows[0], &run.passes, &TIMER, &run.ledger).expect("an estimate")
}

fn all(run: &Shared) -> AggregateBandwidth {
    aggregate(&run.windows, &run.passes, &TIMER, &run.ledger).expect("an estimate")
}

#[test]
fn one_thread_quiet_and_beside_ten_rivals() {
    for seed in 0..5 {
        let quiet = one(&shared(seed, 1, 0, 0.3));
        assert!((quiet.p50 / ALONE - 1.0).abs() < 0.01, "{quiet:?}");
        assert_eq!(quiet.grade, Grade::A, "{quiet:?}");
        let busy = one(&shared(seed, 1, 10, 2.0));
        assert!(
            busy.p90 / quiet.p90 > 0.97 && busy.p50 / quiet.p50 > 0.97,
            "{busy:?}"
        );
        assert!(
            busy.best_pass.expect("passes") / quiet.best_pass.expect("passes") < 0.3,
            "what STREAM would say"
        );
        assert!(busy.hit_share > 0.0 && busy.grade == Grade::C, "{busy:?}");
    }
}

#[test]
fn the_interval_of_windows_holds_the_truth() {
    let holds = |seed: &u64| {
        let found = one(&shared(*seed, 1, 0, 0.05));
        (found.low..=found.high).contains(&ALONE)
    };
    let held = (0..1000).filter(holds).count();
    println!("windows: {held} of 1000 covered");
    assert!(held >= 930, "{held}");
}

/// The sum of what each thread reaches would be 24 GB/s of a bus of 20.
#[test]
fn two_threads_are_added_while_both_run() {
    for seed in 0..5 {
        let quiet = all(&shared(seed, 2, 0, 0.3));
        assert_eq!(
            (quiet.basis, quiet.grade),
            (AggregateBasis::Together, Grade::A)
        );
        assert!((quiet.p50 / BUS - 1.0).abs() < 0.01, "{quiet:?}");
        assert!(quiet.overlap_share > 0.99);

        let busy = all(&shared(seed, 2, 10, 3.0));
        assert_eq!(busy.basis, AggregateBasis::Together);
        assert!((busy.p50 / BUS - 1.0).abs() < 0.02, "{busy:?}");
        assert!(
            busy.p90 / quiet.p90 > 0.85 && busy.p90 / quiet.p90 < 1.05,
            "{busy:?}"
        );
        assert!(
            busy.overlap_share < 0.05 && busy.grade == Grade::C,
            "{busy:?}"
        );
        let sum: f64 = busy.threads.iter().map(|thread| thread.p50).sum();
        assert!(
            sum > 1.15 * BUS,
            "the sum is no measure of the total: {sum}"
        );
    }
}

/// In slices of a few windows, most windows see the other thread come or go; those do not count.
#[test]
fn only_windows_within_the_overlap_count() {
    for seed in 0..3 {
        let busy = all(&sliced(seed, 2, 10, 6.0, 0.5e-3));
        assert_eq!(busy.basis, AggregateBasis::Together);
        assert!((busy.p50 / BUS - 1.0).abs() < 0.02, "{busy:?}");
        // Of windows whose ends see one thread alone as well, it is 1.020 to 1.024.
        assert!(busy.p90 / BUS < 1.018, "{busy:?}");
    }
}

#[test]
fn threads_that_never_meet_have_bounds() {
    let run = shared(1, 6, 10, 0.5);
    let busy = all(&run);
    let AggregateBasis::Bounds {
        threads,
        at_least,
        at_most,
    } = busy.basis
    else {
        panic!("{busy:?}");
    };
    assert!(
        threads < 6 && at_least <= BUS * 1.02 && at_most > BUS,
        "{busy:?}"
    );
    assert!(busy.reasons.iter().any(|reason| reason.name() == "apart"));
    assert!(busy.grade >= Grade::C);
}

#[test]
fn coarse_clock() {
    let mut run = shared(1, 1, 0, 0.3);
    for window in &mut run.windows[0] {
        let end = (window.at_ps + window.duration_ps) / 1_000_000 * 1_000_000;
        window.at_ps = window.at_ps / 1_000_000 * 1_000_000;
        window.duration_ps = end - window.at_ps;
    }
    let timer = TimerCost {
        cost_ps: 0.0,
        quantum_ps: 1e6,
    };
    let found = bandwidth(&run.windows[0], &[], &timer, &run.ledger).expect("an estimate");
    assert!((found.low..=found.high).contains(&ALONE), "{found:?}");
    assert_eq!((found.best_pass, found.grade), (None, Grade::B));
}
