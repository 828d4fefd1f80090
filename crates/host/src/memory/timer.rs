//! What reading the clock costs, and the step in which it counts.
//!
//! The clock is `std::time::Instant` (by way of [`WallClock`](crate::WallClock)), for reasons that `DESIGN.md` gives. Its cost and
//! step still depend on the machine: 20 ns and 1 ns with a time-stamp counter, 1 µs or more where the kernel has fallen
//! back to another source.

use wordline_memory::Clock;

use super::estimate::TimerCost;

/// `Instant` is shown in nanoseconds, whatever the counter behind it.
const SHOWN_PS: u64 = 1000;
/// Pairs of readings that show the step.
const PAIRS: usize = 4096;
/// Distances that a cluster needs: fewer are what preemption or a slewed clock leaves.
const LEAST_IN_CLUSTER: usize = 16;
/// Most idle turns between the readings of a pair, so that their distances differ.
const SPIN_TURNS: u64 = 61;
/// Groups of readings; the cost is the median of their means, which a preemption of single groups does not move.
const GROUPS: usize = 31;
/// Steps that a group lasts at least: its mean is then wrong by a 64th of a step at most.
const STEPS_PER_GROUP: f64 = 64.0;
/// Pairs of durations of a group: enough to spread the clock's step, few enough to fit a turn between others.
const PAIRS_OF_GROUP: u32 = 256;
/// Readings of a group at least, and at most before the clock counts as stopped.
const GROUP_READINGS: std::ops::Range<u64> = 64..1 << 22;

/// Why a clock cannot be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimerError {
    /// It does not move.
    #[error(
        "the clock stayed at {at_ps} ps over {readings} readings (a moving clock is needed): choose another clock source in /sys/devices/system/clocksource"
    )]
    Stuck {
        /// What it read.
        at_ps: u64,
        /// How often it was read.
        readings: u64,
    },
    /// It ran backwards.
    #[error(
        "the clock went back from {from_ps} ps to {to_ps} ps (a monotonic clock is needed): choose another clock source in /sys/devices/system/clocksource"
    )]
    Backwards {
        /// The earlier reading.
        from_ps: u64,
        /// The later reading.
        to_ps: u64,
    },
}

/// Measures cost and step of `clock`, by some ten thousand readings.
///
/// # Errors
/// The clock does not move, or runs backwards.
pub fn timer_cost<C: Clock + ?Sized>(clock: &C) -> Result<TimerCost, TimerError> {
    let distances = distances(clock)?;
    let quantum_ps = step(&distances);
    let least_ps = quantum_ps * STEPS_PER_GROUP;
    let mut readings = GROUP_READINGS.start;
    let mut costs = Vec::with_capacity(GROUPS);
    while costs.len() < GROUPS {
        let lasted = group(clock, readings)?;
        if (lasted as f64) < least_ps {
            if readings >= GROUP_READINGS.end {
                let at_ps = clock.now_ps();
                return Err(TimerError::Stuck { at_ps, readings });
            }
            // Groups of one length only, so that the median compares like with like.
            readings *= 2;
            costs.clear();
            continue;
        }
        costs.push(lasted as f64 / readings as f64);
    }
    costs.sort_by(f64::total_cmp);
    Ok(TimerCost {
        cost_ps: costs[GROUPS / 2],
        quantum_ps,
    })
}

/// What reading the clock adds to a duration with loads in it, in picoseconds: twice the time of `n` loads, less that of `2 n`.
///
/// It differs from the distance of readings back to back: the processor overlaps the first loads with the reading before them,
/// and the next reading waits for the last load. Where the difference says nothing, for a coarse clock or a busy machine, the
/// cost back to back is given back.
pub(super) fn cost_beside_loads<C: Clock + ?Sized>(
    clock: &C,
    back_to_back: &TimerCost,
    loads: u32,
    load: &mut dyn FnMut(u32),
) -> f64 {
    let mut timed = |loads: u32| {
        let from_ps = clock.now_ps();
        load(loads);
        clock.now_ps().saturating_sub(from_ps) as f64
    };
    let mut group = |_| {
        let pair = |_| 2.0 * timed(loads) - timed(2 * loads);
        (0..PAIRS_OF_GROUP).map(pair).sum::<f64>() / f64::from(PAIRS_OF_GROUP)
    };
    let mut costs: Vec<f64> = (0..GROUPS).map(&mut group).collect();
    costs.sort_by(f64::total_cmp);
    let (cost, spread) = (costs[GROUPS / 2], costs[GROUPS * 3 / 4] - costs[GROUPS / 4]);
    let is_plausible =
        (0.0..=2.0 * back_to_back.cost_ps).contains(&cost) && spread < back_to_back.cost_ps;
    if is_plausible {
        cost
    } else {
        back_to_back.cost_ps
    }
}

/// Picoseconds between the readings of pairs that lie differently far apart.
fn distances<C: Clock + ?Sized>(clock: &C) -> Result<Vec<u64>, TimerError> {
    let mut found = Vec::with_capacity(PAIRS);
    let mut readings = 0;
    while found.len() < PAIRS {
        let from_ps = clock.now_ps();
        for turn in 0..readings % SPIN_TURNS {
            std::hint::black_box(turn);
        }
        let distance = after(from_ps, clock.now_ps())?;
        readings += 2;
        if distance > 0 || !found.is_empty() {
            found.push(distance);
        } else if readings >= GROUP_READINGS.end {
            return Err(TimerError::Stuck {
                at_ps: from_ps,
                readings,
            });
        }
    }
    Ok(found)
}

/// The step of a clock whose readings lie so far apart.
///
/// What all distances are multiples of is the step, unless it is the unit in which the clock is shown. A counter of 24 MHz
/// that is shown in nanoseconds has distances of 41 or 42. So neighbouring distances form clusters; where one spans
/// three values or more, the clock does count in the unit. Else the step is the least distance between the means of
/// clusters.
fn step(distances: &[u64]) -> f64 {
    let divisor = distances
        .iter()
        .fold(0, |found, d| common_divisor(found, *d));
    if divisor > SHOWN_PS || distances.contains(&divisor) {
        return divisor as f64;
    }
    let mut values = distances.to_vec();
    values.retain(|value| *value > 0);
    values.sort_unstable();
    let clusters = values.chunk_by(|a, b| b - a <= divisor);
    let mut last = 0.0;
    let mut least = f64::INFINITY;
    for cluster in clusters.filter(|cluster| cluster.len() >= LEAST_IN_CLUSTER) {
        if cluster[cluster.len() - 1] - cluster[0] >= 2 * divisor {
            return divisor as f64;
        }
        let mean = cluster.iter().sum::<u64>() as f64 / cluster.len() as f64;
        least = least.min(mean - last);
        last = mean;
    }
    if least.is_finite() {
        least
    } else {
        divisor as f64
    }
}

/// How long so many readings take.
fn group<C: Clock + ?Sized>(clock: &C, readings: u64) -> Result<u64, TimerError> {
    let first = clock.now_ps();
    let mut last = first;
    for _ in 0..readings {
        let next = clock.now_ps();
        after(last, next)?;
        last = next;
    }
    Ok(last - first)
}

fn after(from_ps: u64, to_ps: u64) -> Result<u64, TimerError> {
    let backwards = TimerError::Backwards { from_ps, to_ps };
    to_ps.checked_sub(from_ps).ok_or(backwards)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::WallClock;
    use crate::memory::chain::{ChainWalk, PointerChain};
    use crate::memory::estimate::planted::Draws;

    /// A clock whose readings take `cost_ps` on the mean, which counts in steps and is shown in whole units.
    struct PlantedClock {
        true_ps: Cell<f64>,
        cost_ps: f64,
        /// Every so many readings another program runs for 3 ms.
        preempted_every: u64,
        step_ps: f64,
        shown_ps: f64,
        readings: Cell<u64>,
        draws: std::cell::RefCell<Draws>,
    }

    impl PlantedClock {
        fn new(seed: u64, cost_ns: f64, step_ns: f64) -> Self {
            Self {
                true_ps: Cell::new(0.0),
                cost_ps: cost_ns * 1e3,
                preempted_every: 20_000,
                step_ps: step_ns * 1e3,
                shown_ps: 1e3,
                readings: Cell::new(0),
                draws: std::cell::RefCell::new(Draws::new(seed)),
            }
        }
    }

    impl Clock for PlantedClock {
        fn now_ps(&self) -> u64 {
            let jitter = 0.9 + 0.2 * self.draws.borrow_mut().unit();
            self.true_ps.update(|now| now + self.cost_ps * jitter);
            self.readings.update(|count| count + 1);
            if self.readings.get().is_multiple_of(self.preempted_every) {
                self.true_ps.update(|now| now + 3e9);
            }
            let counted = (self.true_ps.get() / self.step_ps).floor() * self.step_ps;
            ((counted / self.shown_ps).floor() * self.shown_ps) as u64
        }
    }

    #[test]
    fn planted_cost_and_step_are_found() {
        for (cost_ns, step_ns) in [
            (25.0, 1.0),
            (25.0, 10.0),
            (25.0, 10.001),
            (25.0, 8.264_463),
            (60.0, 41.666_667),
            (20.0, 41.666_667),
            (20.0, 1000.0),
            (700.0, 1000.0),
            (1500.0, 1000.0),
            (1200.0, 279.365),
        ] {
            for seed in 0..5 {
                let cost =
                    timer_cost(&PlantedClock::new(seed, cost_ns, step_ns)).expect("a moving clock");
                let (found, step) = (cost.cost_ps / 1e3, cost.quantum_ps / 1e3);
                let of =
                    format!("cost {cost_ns} ns, step {step_ns} ns, seed {seed}: {found}, {step}");
                assert!((step - step_ns).abs() <= 0.5, "{of}");
                assert!(
                    (found - cost_ns).abs() <= cost_ns * 0.02 + step_ns / 64.0,
                    "{of}"
                );
            }
        }
    }

    /// Loads of 1.2 ns of which the first ten hide behind the reading of the clock.
    #[test]
    fn what_loads_hide_is_no_cost() {
        for (cost_ns, step_ns) in [(25.0, 1.0), (25.0, 10.0), (60.0, 41.67)] {
            let clock = PlantedClock::new(3, cost_ns, step_ns);
            let back_to_back = timer_cost(&clock).expect("a moving clock");
            let mut load = |loads: u32| {
                let time = f64::from(loads.saturating_sub(10)) * 1200.0;
                clock.true_ps.update(|now| now + time);
            };
            let cost = cost_beside_loads(&clock, &back_to_back, 64, &mut load);
            let expected = cost_ns - 12.0;
            assert!(
                (cost / 1e3 - expected).abs() < 1.0 + step_ns / 10.0,
                "{cost} {expected}"
            );
        }
    }

    #[test]
    fn clocks_that_stop_or_go_back_are_named() {
        struct Stopped;
        impl Clock for Stopped {
            fn now_ps(&self) -> u64 {
                7
            }
        }
        assert!(matches!(
            timer_cost(&Stopped),
            Err(TimerError::Stuck { at_ps: 7, .. })
        ));
        struct Falling(Cell<u64>);
        impl Clock for Falling {
            fn now_ps(&self) -> u64 {
                self.0.update(|now| now - 5);
                self.0.get()
            }
        }
        let falling = timer_cost(&Falling(Cell::new(1000))).expect_err("it falls");
        assert_eq!(
            falling,
            TimerError::Backwards {
                from_ps: 995,
                to_ps: 990
            }
        );
    }

    #[test]
    fn the_clock_of_this_machine_can_be_measured() {
        let cost = timer_cost(&WallClock::start()).expect("a moving clock");
        println!("this machine's clock: {cost:?}");
        for bytes in [4096, 256 << 10, 64 << 20] {
            let mut memory = vec![0_u64; bytes / 8 + 512];
            // SAFETY: words are bytes, and the stretch lies within them.
            let memory = unsafe {
                let start = memory.as_mut_ptr().cast::<u8>();
                let start = start.add(start.align_offset(4096));
                std::slice::from_raw_parts_mut(start, bytes)
            };
            let mut chain = PointerChain::lay(memory, ChainWalk::Random, 4096, 1).expect("a chain");
            for loads in [16, 64] {
                let mut load = |loads: u32| chain.follow(u64::from(loads));
                let beside = cost_beside_loads(&WallClock::start(), &cost, loads, &mut load);
                println!(
                    "beside {loads} loads of {bytes} bytes: {:.1} ns",
                    beside / 1e3
                );
            }
        }
        assert!(cost.cost_ps > 0.0 && cost.quantum_ps >= 1000.0, "{cost:?}");
    }
}
