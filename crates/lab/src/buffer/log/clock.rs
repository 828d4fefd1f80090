//! The steps of the clock that durations were taken with, as the durations themselves show them.

use wordline_core::quantity::Time;

/// What durations say of their clock.
#[derive(Debug, Default)]
pub(crate) struct ClockSteps {
    /// The greatest common divisor of the durations, in picoseconds.
    divisor: u64,
    /// The shortest that is above 0, in picoseconds.
    least: u64,
    has_zero: bool,
}

impl ClockSteps {
    /// The next duration.
    #[inline]
    pub(crate) fn add(&mut self, duration: Time) {
        let ps = duration.ps();
        if ps == 0 {
            self.has_zero = true;
            return;
        }
        if self.least == 0 || ps < self.least {
            self.least = ps;
        }
        if self.divisor == 0 || !ps.is_multiple_of(self.divisor) {
            self.divisor = divisor(self.divisor, ps);
        }
    }

    /// The step of the clock: all durations are multiples of it, and none that is above 0 is shorter where others are 0.
    /// Nothing where none is above 0.
    pub(crate) fn step(&self) -> Time {
        let ps = if self.has_zero {
            self.least
        } else {
            self.divisor
        };
        Time::from_ps(ps)
    }
}

/// The greatest common divisor.
fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(durations: &[u64]) -> u64 {
        let mut clock = ClockSteps::default();
        for ps in durations {
            clock.add(Time::from_ps(*ps));
        }
        clock.step().ps()
    }

    #[test]
    fn durations_show_the_steps_of_their_clock() {
        assert_eq!(step(&[]), 0);
        assert_eq!(step(&[0, 0]), 0);
        assert_eq!(step(&[1000, 1000]), 1000);
        assert_eq!(step(&[6000, 9000, 15_000]), 3000);
        assert_eq!(step(&[6000, 9001]), 1);
        // What took no step at all took less than the shortest that is seen.
        assert_eq!(step(&[0, 15_625, 31_251]), 15_625);
    }
}
