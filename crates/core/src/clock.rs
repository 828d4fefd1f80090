//! The clock of a simulation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wordline_memory::Clock;

use crate::quantity::Time;

/// A handle to simulated time. Handles that were cloned from each other show the same time;
/// [`fork`](SimClock::fork) starts an independent clock at the same instant.
///
/// One simulated device is driven by one thread at a time; the atomic only lets handles move
/// between threads.
///
/// ```
/// use wordline_core::{SimClock, quantity::Time};
/// let clock = SimClock::new();
/// let watch = clock.clone();
/// clock.advance(Time::from_ps(8_333));
/// assert_eq!(watch.now(), Time::from_ps(8_333));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SimClock {
    now_ps: Arc<AtomicU64>,
}

impl SimClock {
    /// A clock that stands at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The simulated instant, counted from the clock's start.
    #[must_use]
    pub fn now(&self) -> Time {
        Time::from_ps(self.now_ps.load(Ordering::Relaxed))
    }

    /// Lets `duration` pass.
    ///
    /// # Panics
    /// When the clock would pass 213 days.
    #[track_caller]
    pub fn advance(&self, duration: Time) {
        self.now_ps
            .store(self.now().plus(duration).ps(), Ordering::Relaxed);
    }

    /// Moves to `instant`; a clock never moves back, so an earlier instant changes nothing.
    pub fn advance_to(&self, instant: Time) {
        self.now_ps
            .store(self.now().later(instant).ps(), Ordering::Relaxed);
    }

    /// An independent clock that stands at the same instant.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            now_ps: Arc::new(AtomicU64::new(self.now().ps())),
        }
    }
}

impl Clock for SimClock {
    fn now_ps(&self) -> u64 {
        self.now().ps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_share_time_and_forks_do_not() {
        let clock = SimClock::new();
        let handle = clock.clone();
        let fork = clock.fork();
        clock.advance(Time::from_ps(5));
        assert_eq!(handle.now_ps(), 5);
        assert_eq!(fork.now_ps(), 0);
    }

    #[test]
    fn time_never_runs_backwards() {
        let clock = SimClock::new();
        clock.advance_to(Time::from_ps(9));
        clock.advance_to(Time::from_ps(4));
        assert_eq!(clock.now(), Time::from_ps(9));
    }
}
