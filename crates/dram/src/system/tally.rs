//! What is counted at the cores within the measured part.

use crate::request::Kind;

/// A probe's sample: when, by whom, how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) time_ps: u64,
    pub(super) core: u16,
    pub(super) latency_ps: u64,
}

/// Counters of requests that were issued and answered. Times are summed relative to the beginning of the measured
/// part.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    begin_ps: u64,
    /// Reads under way now, and when the measured part began.
    under_way: u64,
    under_way_before: u64,
    reads_issued: u64,
    issue_sum_ps: u128,
    pub(super) reads: u64,
    return_sum_ps: u128,
    latency_sum_ps: u128,
    pub(super) writes: u64,
    /// Samples since they were taken away last.
    pub(super) samples: Vec<Sample>,
}

impl Tally {
    /// The measured part begins; what was before is forgotten.
    pub(super) fn begin(&mut self, begin_ps: u64) {
        let samples = std::mem::take(&mut self.samples);
        *self = Self {
            begin_ps,
            under_way: self.under_way,
            under_way_before: self.under_way,
            samples,
            ..Self::default()
        };
        self.samples.clear();
    }

    #[inline]
    pub(super) fn issued(&mut self, kind: Kind, time_ps: u64) {
        if kind == Kind::Read {
            self.under_way += 1;
            self.reads_issued += 1;
            self.issue_sum_ps += u128::from(time_ps - self.begin_ps);
        }
    }

    #[inline]
    pub(super) fn returned(&mut self, kind: Kind, time_ps: u64, latency_ps: u64) {
        match kind {
            Kind::Read => {
                self.under_way -= 1;
                self.reads += 1;
                self.return_sum_ps += u128::from(time_ps - self.begin_ps);
                self.latency_sum_ps += u128::from(latency_ps);
            }
            Kind::Write => self.writes += 1,
        }
    }

    #[inline]
    pub(super) fn sampled(&mut self, time_ps: u64, core: u16, latency_ps: u64) {
        self.samples.push(Sample {
            time_ps,
            core,
            latency_ps,
        });
    }

    /// Mean number of reads under way from the beginning to a time, by integration: every read counts from its issue
    /// to its return or the end.
    pub(super) fn outstanding_mean(&self, end_ps: u64) -> f64 {
        let duration = u128::from(end_ps - self.begin_ps);
        let begun =
            u128::from(self.under_way_before + self.reads_issued) * duration - self.issue_sum_ps;
        let ended = u128::from(self.reads) * duration - self.return_sum_ps;
        if duration == 0 {
            return 0.0;
        }
        (begun - ended) as f64 / duration as f64
    }

    /// Mean picoseconds from issue to return of the reads that returned; 0 where none did.
    pub(super) fn latency_mean_ps(&self) -> f64 {
        if self.reads == 0 {
            return 0.0;
        }
        self.latency_sum_ps as f64 / self.reads as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_under_way_are_integrated() {
        let mut tally = Tally::default();
        tally.issued(Kind::Read, 900);
        tally.issued(Kind::Write, 950);
        tally.begin(1000);
        // One read throughout the first half, two in the second; writes are no read misses.
        tally.issued(Kind::Read, 1500);
        tally.issued(Kind::Read, 1600);
        tally.returned(Kind::Read, 1600, 700);
        tally.returned(Kind::Write, 1700, 750);
        assert_eq!(tally.outstanding_mean(2000), 1.5);
        assert_eq!((tally.reads, tally.writes), (1, 1));
        assert_eq!(tally.latency_mean_ps(), 700.0);
    }
}
