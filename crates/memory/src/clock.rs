//! Where a workload reads the time.

/// A clock that only moves forward: a simulated clock, or a wall clock.
pub trait Clock {
    /// Time since the clock's own start, in picoseconds.
    fn now_ps(&self) -> u64;
}
