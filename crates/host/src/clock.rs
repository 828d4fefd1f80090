//! The time that passes.

use std::time::Instant;

use wordline_memory::Clock;

/// The monotonic clock of the machine, from its start on.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    start: Instant,
}

impl WallClock {
    /// Starts at zero.
    #[must_use]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// Picoseconds between two readings of which the second follows at once: what every duration that is measured with
    /// it has too much. The median of a thousand.
    #[must_use]
    pub fn reading_ps(&self) -> u64 {
        let mut apart: [u64; 1000] = std::array::from_fn(|_| {
            let first = self.now_ps();
            self.now_ps() - first
        });
        apart.sort_unstable();
        apart[apart.len() / 2]
    }
}

impl Clock for WallClock {
    /// Picoseconds since the start; steps of nanoseconds, for 213 days.
    fn now_ps(&self) -> u64 {
        let picoseconds = self.start.elapsed().as_nanos().saturating_mul(1000);
        u64::try_from(picoseconds).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_runs_backwards() {
        let clock = WallClock::start();
        let first = clock.now_ps();
        assert!(clock.now_ps() >= first);
        assert_eq!(first % 1000, 0);
    }
}
