//! How many loads a batch has.

use super::TimerCost;

/// Loads of a batch at least: the processor overlaps the first and last ones with the reading of the clock.
const LEAST_LOADS: f64 = 16.0;
/// A batch lasts so many times the timer's cost and step: what they leave in doubt is then 1 % at most.
const TIMES_THE_TIMER: f64 = 100.0;
/// A batch lasts no longer than this where the timer allows, a thirtieth of a scheduler's slice of 3 ms: the slice then
/// spoils one batch in thirty, and not the figure.
const LONGEST_PS: f64 = 100e6;
/// Loads of a batch at most, whatever the timer.
const MOST_LOADS: f64 = 65_536.0;

/// Loads of a batch for loads of about `latency_ps` and such a timer: 16 to 64 for main memory and a clock that takes
/// 16 to 60 ns, more for caches and coarse clocks.
///
/// Batches are as short as the timer allows, because an interruption spoils one batch whatever its length. A latency
/// that is no positive number counts as 1 ns.
#[must_use]
pub fn loads_per_batch(latency_ps: f64, timer: &TimerCost) -> u32 {
    let usable = latency_ps.is_finite() && latency_ps > 0.0;
    let latency_ps = if usable { latency_ps } else { 1000.0 };
    let timer_ps = timer.cost_ps.max(timer.quantum_ps).max(0.0);
    let wanted = (TIMES_THE_TIMER * timer_ps / latency_ps).ceil();
    let longest = (LONGEST_PS / latency_ps).floor();
    wanted.min(longest).clamp(LEAST_LOADS, MOST_LOADS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_follows_from_latency_and_timer() {
        let loads = |latency_ns: f64, cost_ns: f64, step_ns: f64| {
            let timer = TimerCost {
                cost_ps: cost_ns * 1e3,
                quantum_ps: step_ns * 1e3,
            };
            loads_per_batch(latency_ns * 1e3, &timer)
        };
        assert_eq!(loads(100.0, 25.0, 1.0), 25);
        assert_eq!(loads(100.0, 5.0, 1.0), 16);
        assert_eq!(loads(100.0, 25.0, 41.67), 42);
        assert_eq!(loads(1.25, 25.0, 1.0), 2000);
        // A clock of 1 us needs all of the longest batch, one of 10 us does not get more.
        assert_eq!(loads(100.0, 25.0, 1000.0), 1000);
        assert_eq!(loads(100.0, 25.0, 10_000.0), 1000);
        // No number is a reason to stop.
        for latency in [
            f64::NAN,
            0.0,
            -1.0,
            f64::INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
        ] {
            assert!((16..=65_536).contains(&loads(latency, f64::NAN, f64::INFINITY)));
        }
    }
}
