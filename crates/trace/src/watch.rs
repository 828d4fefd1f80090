//! What every reader of accesses keeps an eye on: the instant that times count from, times that run
//! backwards, and what was left out.

use wordline_core::quantity::Time;

use crate::{LogSummary, Oddity, TraceError};

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

/// How often something was seen, and where first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OddityCount {
    pub(crate) line: u64,
    pub(crate) count: u64,
}

impl OddityCount {
    pub(crate) fn add(&mut self, line: u64) {
        self.add_many(line, 1);
    }

    pub(crate) fn add_many(&mut self, line: u64, count: u64) {
        if count > 0 && (self.count == 0 || line < self.line) {
            self.line = line;
        }
        self.count = self.count.saturating_add(count);
    }

    /// The oddity that a line and a count make, if there is any.
    pub(crate) fn told(self, oddity: impl FnOnce(u64, u64) -> Oddity) -> Option<Oddity> {
        (self.count > 0).then(|| oddity(self.line, self.count))
    }
}

/// Collects what is odd.
#[derive(Debug, Default)]
pub(crate) struct OddityWatch {
    /// Accesses that were handed out.
    pub(crate) accesses: u64,
    latest: Time,
    backwards: OddityCount,
    longest_step: Time,
    skipped: Vec<(&'static str, OddityCount)>,
    truncated: Option<u64>,
    /// Flushes, and writes that wait until their data are safe.
    pub(crate) flushes: u64,
    /// The unit of the values was a guess.
    pub(crate) unit_assumed: bool,
}

impl OddityWatch {
    /// The next time that the log records.
    #[inline]
    pub(crate) fn time(&mut self, time: Time, line: u64) {
        if time < self.latest {
            self.stepped_back(time, line);
        }
        self.latest = time;
    }

    #[cold]
    fn stepped_back(&mut self, time: Time, line: u64) {
        self.backwards.add(line);
        self.longest_step = self.longest_step.later(self.latest.since(time));
    }

    /// Something was left out: what it is, in the plural.
    pub(crate) fn skipped(&mut self, what: &'static str, line: u64) {
        self.skipped_many(what, line, 1);
    }

    /// Several of something were left out.
    pub(crate) fn skipped_many(&mut self, what: &'static str, line: u64, many: u64) {
        if many == 0 {
            return;
        }
        let at = self.skipped.iter().position(|(other, _)| *other == what);
        let at = at.unwrap_or_else(|| {
            self.skipped.push((what, OddityCount::default()));
            self.skipped.len() - 1
        });
        self.skipped[at].1.add_many(line, many);
    }

    /// What was left out so far was none of this.
    pub(crate) fn forget_skipped(&mut self, what: &'static str) {
        self.skipped.retain(|(other, _)| *other != what);
    }

    /// A last line that is cut off.
    pub(crate) fn truncated(&mut self, line: u64) {
        self.truncated = Some(line);
    }

    /// Whether the last line was cut off.
    pub(crate) fn truncated_line(&self) -> Option<u64> {
        self.truncated
    }

    /// The end of a log, which has to have had an access.
    pub(crate) fn end<T>(&self) -> Result<Option<T>, TraceError> {
        match self.accesses {
            0 => Err(TraceError::Empty),
            _ => Ok(None),
        }
    }

    /// All of it, beside the format in words.
    pub(crate) fn summary(
        &self,
        format: impl Into<String>,
        resolution: Option<Time>,
    ) -> LogSummary {
        let truncated = self.truncated.map(|line| Oddity::TruncatedEnd { line });
        let most = self.longest_step;
        let backwards =
            self.backwards
                .told(|line, count| Oddity::BackwardsTime { line, count, most });
        let skipped = self.skipped.iter().filter_map(|&(what, seen)| {
            seen.told(|line, count| Oddity::Skipped { line, count, what })
        });
        let unit = self.unit_assumed.then_some(Oddity::UnitAssumed);
        LogSummary {
            format: format.into(),
            resolution,
            flushes: self.flushes,
            oddities: truncated
                .into_iter()
                .chain(backwards)
                .chain(skipped)
                .chain(unit)
                .collect(),
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
        let mut watch = OddityWatch::default();
        for (line, ps) in [(1, 10), (2, 10), (3, 7), (4, 20), (5, 12)] {
            watch.time(Time::from_ps(ps), line);
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

    #[test]
    fn what_is_left_out_is_counted_by_its_kind_in_the_order_in_which_it_came() {
        let mut watch = OddityWatch::default();
        watch.skipped("waits", 2);
        watch.skipped_many("syncs", 3, 0);
        watch.skipped_many("trims", 4, 7);
        watch.skipped("waits", 1);
        watch.skipped("discards", 9);
        watch.forget_skipped("discards");
        let skipped = |line, count, what| Oddity::Skipped { line, count, what };
        assert_eq!(
            watch.summary("", None).oddities,
            [skipped(1, 2, "waits"), skipped(4, 7, "trims")]
        );
    }
}
