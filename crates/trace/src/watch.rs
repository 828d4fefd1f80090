//! What every reader of accesses keeps an eye on: the instant that times count from, times that run
//! backwards, and what was left out.

use wordline_core::quantity::Time;

use crate::{Oddity, Summary};

/// Times of a log in picoseconds from an instant of its own: a log that counts from 1970 would not fit into 213
/// days.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    base_ps: Option<u128>,
}

impl Origin {
    /// An instant that the log states, counted from the log's own; none where it is 53 days before the first
    /// instant, or 160 days behind it.
    #[inline]
    pub(crate) fn place(&mut self, stated_ps: u128) -> Option<Time> {
        let base = match self.base_ps {
            Some(base) => base,
            None => *self.base_ps.insert(Self::base(stated_ps)),
        };
        let ps = u64::try_from(stated_ps.checked_sub(base)?).ok()?;
        Some(Time::from_ps(ps))
    }

    /// Logs that begin within 106 days of zero count from zero.
    fn base(first_ps: u128) -> u128 {
        if first_ps < 1 << 63 {
            0
        } else {
            first_ps - (1 << 62)
        }
    }
}

/// Collects what is odd.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Accesses that were handed out.
    pub(crate) accesses: u64,
    last_end: Time,
    backwards: Option<(u64, u64, Time)>,
    left_out: Option<(u64, u64)>,
    truncated: Option<u64>,
    /// The unit of the values was a guess.
    pub(crate) unit_assumed: bool,
}

impl Watch {
    /// An access that ended then.
    #[inline]
    pub(crate) fn ended(&mut self, end: Time, line: u64) {
        if end < self.last_end {
            self.stepped_back(end, line);
        }
        self.last_end = end;
    }

    #[cold]
    fn stepped_back(&mut self, end: Time, line: u64) {
        let step = Time::from_ps(self.last_end.ps() - end.ps());
        let (first, count, most) = self.backwards.unwrap_or((line, 0, Time::ZERO));
        self.backwards = Some((first, count + 1, most.later(step)));
    }

    /// An access that was left out.
    pub(crate) fn left_out(&mut self, line: u64) {
        let (first, count) = self.left_out.unwrap_or((line, 0));
        self.left_out = Some((first, count + 1));
    }

    /// A last line that is cut off.
    pub(crate) fn truncated(&mut self, line: u64) {
        self.truncated = Some(line);
    }

    /// Whether the last line was cut off.
    pub(crate) fn truncated_line(&self) -> Option<u64> {
        self.truncated
    }

    /// All of it, beside the format in words.
    pub(crate) fn summary(&self, format: String, resolution: Option<Time>) -> Summary {
        let mut oddities = Vec::new();
        if let Some(line) = self.truncated {
            oddities.push(Oddity::TruncatedEnd { line });
        }
        if let Some((line, count, most)) = self.backwards {
            oddities.push(Oddity::BackwardsTime { line, count, most });
        }
        if let Some((line, count)) = self.left_out {
            oddities.push(Oddity::LeftOut { line, count });
        }
        if self.unit_assumed {
            oddities.push(Oddity::UnitAssumed);
        }
        Summary {
            format,
            resolution,
            oddities,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_counts_from_1970_fits() {
        let mut origin = Origin::default();
        let first = origin
            .place(1_795_163_993_006 * 1_000_000_000)
            .expect("fits");
        let next = origin
            .place(1_795_163_993_007 * 1_000_000_000)
            .expect("fits");
        assert_eq!(next.ps() - first.ps(), 1_000_000_000);
        let earlier = origin.place(1_795_163_000_000 * 1_000_000_000);
        assert!(earlier.is_some(), "an earlier time is still told");
        assert_eq!(origin.place(0), None);
    }

    #[test]
    fn steps_back_are_counted_and_the_longest_kept() {
        let mut watch = Watch::default();
        for (line, ps) in [(1, 10), (2, 10), (3, 7), (4, 20), (5, 12)] {
            watch.ended(Time::from_ps(ps), line);
        }
        assert_eq!(
            watch.summary(String::new(), None).oddities,
            [Oddity::BackwardsTime {
                line: 3,
                count: 2,
                most: Time::from_ps(8),
            }]
        );
    }
}
