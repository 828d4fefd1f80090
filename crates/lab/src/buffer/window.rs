//! The accesses in a row that take longest together, and what they need alone.

use std::collections::VecDeque;

use wordline_core::quantity::{ByteCount, Time};

use crate::backlog::{Backlog, BacklogError, Peaks, Rate, StartUp};

/// A number of accesses in a row, and the longest such row so far.
pub(crate) struct Window {
    accesses: u64,
    last: VecDeque<(Time, ByteCount)>,
    sum_ps: u128,
    longest_ps: u128,
    longest: Vec<(Time, ByteCount)>,
}

impl Window {
    /// Rows of so many accesses.
    pub(crate) fn of(accesses: u64) -> Self {
        Self {
            accesses,
            last: VecDeque::new(),
            sum_ps: 0,
            longest_ps: 0,
            longest: Vec::new(),
        }
    }

    /// Accesses of a row.
    pub(crate) const fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Adds an access.
    pub(crate) fn push(&mut self, duration: Time, size: ByteCount) {
        self.last.push_back((duration, size));
        self.sum_ps += u128::from(duration.ps());
        if self.last.len() as u64 > self.accesses {
            let first = self.last.pop_front();
            self.sum_ps -= first.map_or(0, |(duration, _)| u128::from(duration.ps()));
        }
        if self.last.len() as u64 == self.accesses && self.sum_ps > self.longest_ps {
            self.longest_ps = self.sum_ps;
            self.longest = self.last.iter().copied().collect();
        }
    }

    /// What the longest row needs at a rate, nothing waiting before it; `None` where there were not so many
    /// accesses.
    pub(crate) fn peaks(&self, rate: Rate) -> Result<Option<Peaks>, BacklogError> {
        if self.longest.is_empty() {
            return Ok(None);
        }
        let mut backlog = Backlog::after_start(rate, StartUp::default())?;
        for (duration, size) in &self.longest {
            backlog.push(*duration, *size)?;
        }
        Ok(Some(backlog.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two long accesses in a row, and one that is longer alone: the row of two counts.
    #[test]
    fn the_longest_row_is_found_and_played_alone() {
        let size = ByteCount::from_bytes(1000);
        let mut window = Window::of(2);
        for milliseconds in [1, 9, 1, 6, 6, 1] {
            window.push(Time::from_ps(milliseconds * 1_000_000_000), size);
        }
        let rate = Rate::from_bytes_per_second(1e6).expect("a rate");
        let peaks = window.peaks(rate).expect("small").expect("enough accesses");
        // 6 ms bring 6000 B and take 1000 B away, twice.
        assert_eq!(peaks.fluid.waiting.bytes(), 10_000.0);
        assert!(Window::of(9).peaks(rate).expect("small").is_none());
    }
}
