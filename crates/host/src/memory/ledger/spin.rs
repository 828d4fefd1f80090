//! The core's clock, by the time of a chain of operations each of which needs the result before.
//!
//! The chain runs in registers, a fixed number of clocks a step, so that its time is the clock's period times a constant.
//! Unlike the kernel's own figure, it is there in virtual machines and shows what this core does now. The shortest of
//! several runs is free of interrupts.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Steps of a run: about 4 us, so that a timer of 40 ns is wrong by a hundredth.
const STEPS: u32 = 2048;
/// Runs: an interrupt, or a program that gets the processor between, spoils one or two.
const RUNS: usize = 12;

/// Time of the shortest run; `None` when the timer is too coarse for it.
pub(super) fn shortest() -> Option<Duration> {
    let run = |_| {
        let start = Instant::now();
        black_box(chain(black_box(0x1234_5678_9abc_def1)));
        start.elapsed()
    };
    let shortest = (0..RUNS).map(run).min();
    shortest.filter(|time| !time.is_zero())
}

/// A multiplication and a shift a step, which no compiler sums up.
#[inline(never)]
fn chain(mut state: u64) -> u64 {
    for _ in 0..STEPS {
        state = (state ^ (state >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_depends_on_its_start_and_takes_time() {
        assert_ne!(chain(1), chain(3));
        assert!(shortest().is_some_and(|time| time > Duration::ZERO));
    }
}
