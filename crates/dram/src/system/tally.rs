//! What is counted at the cores within the measured part.

use super::probe::LatencyBins;
use crate::request::RequestKind;

/// A probe's sample: when, by whom, how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LoadSample {
    pub(super) time_ps: u64,
    pub(super) core: u16,
    pub(super) latency_ps: u64,
}

/// Requests of a kind that are under way, integrated over time. Times are relative to the beginning of the measured
/// part.
#[derive(Clone, Debug, Default)]
struct UnderWay {
    /// Now, and when the measured part began.
    now: u64,
    before: u64,
    issued: u64,
    issue_sum_ps: u128,
    returned: u64,
    return_sum_ps: u128,
    latency_sum_ps: u128,
}

impl UnderWay {
    fn begin(&mut self) {
        *self = Self {
            now: self.now,
            before: self.now,
            ..Self::default()
        };
    }

    #[inline]
    fn issued(&mut self, after_ps: u64) {
        self.now += 1;
        self.issued += 1;
        self.issue_sum_ps += u128::from(after_ps);
    }

    #[inline]
    fn returned(&mut self, after_ps: u64, latency_ps: u64) {
        self.now -= 1;
        self.returned += 1;
        self.return_sum_ps += u128::from(after_ps);
        self.latency_sum_ps += u128::from(latency_ps);
    }

    /// Their number, summed over the picoseconds of a duration: every one counts from its issue to its return or the
    /// end.
    fn integral(&self, duration_ps: u64) -> u128 {
        let duration = u128::from(duration_ps);
        let begun = u128::from(self.before + self.issued) * duration - self.issue_sum_ps;
        let ended = u128::from(self.returned) * duration - self.return_sum_ps;
        begun - ended
    }
}

/// Counters of requests that were issued and answered.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestTally {
    begin_ps: u64,
    reads_under_way: UnderWay,
    writes_under_way: UnderWay,
    waited_ps: u128,
    /// Latencies of a program's reads, and whether they count.
    pub(super) reads: LatencyBins,
    pub(super) reads_count: bool,
    /// Samples since they were taken away last.
    pub(super) samples: Vec<LoadSample>,
}

impl RequestTally {
    /// The measured part begins; what was before is forgotten.
    pub(super) fn begin(&mut self, begin_ps: u64) {
        self.begin_ps = begin_ps;
        self.reads_under_way.begin();
        self.writes_under_way.begin();
        self.waited_ps = 0;
        self.reads = LatencyBins::default();
        self.samples.clear();
    }

    #[inline]
    pub(super) fn issued(&mut self, kind: RequestKind, time_ps: u64) {
        let after_ps = time_ps - self.begin_ps;
        match kind {
            RequestKind::Read => self.reads_under_way.issued(after_ps),
            RequestKind::Write => self.writes_under_way.issued(after_ps),
        }
    }

    #[inline]
    pub(super) fn returned(&mut self, kind: RequestKind, time_ps: u64, latency_ps: u64) {
        let after_ps = time_ps - self.begin_ps;
        match kind {
            RequestKind::Read => self.reads_under_way.returned(after_ps, latency_ps),
            RequestKind::Write => self.writes_under_way.returned(after_ps, latency_ps),
        }
    }

    /// A line of a program has come after so long.
    #[inline]
    pub(super) fn program_line(&mut self, kind: RequestKind, latency_ps: u64) {
        if self.reads_count && kind == RequestKind::Read {
            self.reads.record(latency_ps);
        }
    }

    /// A load core, or a place of one, waited for so long and does so no more.
    #[inline]
    pub(super) fn waited(&mut self, ps: u64) {
        self.waited_ps += u128::from(ps);
    }

    #[inline]
    pub(super) fn sampled(&mut self, time_ps: u64, core: u16, latency_ps: u64) {
        self.samples.push(LoadSample {
            time_ps,
            core,
            latency_ps,
        });
    }

    /// Reads that returned.
    pub(super) fn reads(&self) -> u64 {
        self.reads_under_way.returned
    }

    /// Writes that were accepted.
    pub(super) fn writes(&self) -> u64 {
        self.writes_under_way.returned
    }

    /// Mean number of reads under way from the beginning to a time.
    pub(super) fn outstanding_mean(&self, end_ps: u64) -> f64 {
        self.mean(
            end_ps,
            self.reads_under_way.integral(end_ps - self.begin_ps),
        )
    }

    /// Mean number of reads and writes under way from the beginning to a time.
    pub(super) fn slots_mean(&self, end_ps: u64) -> f64 {
        let duration_ps = end_ps - self.begin_ps;
        let reads = self.reads_under_way.integral(duration_ps);
        self.mean(end_ps, reads + self.writes_under_way.integral(duration_ps))
    }

    fn mean(&self, end_ps: u64, integral: u128) -> f64 {
        match end_ps - self.begin_ps {
            0 => 0.0,
            duration_ps => integral as f64 / duration_ps as f64,
        }
    }

    /// Mean picoseconds from issue to return of the reads that returned; 0 where none did.
    pub(super) fn latency_mean_ps(&self) -> f64 {
        match self.reads() {
            0 => 0.0,
            reads => self.reads_under_way.latency_sum_ps as f64 / reads as f64,
        }
    }

    /// The picoseconds from issue to return of the reads that returned, summed, and their number.
    pub(super) fn read_times(&self) -> (u128, u64) {
        let reads = &self.reads_under_way;
        (reads.latency_sum_ps, reads.returned)
    }

    /// The same of reads and writes.
    pub(super) fn line_times(&self) -> (u128, u64) {
        let writes = &self.writes_under_way;
        let (sum_ps, reads) = self.read_times();
        (sum_ps + writes.latency_sum_ps, reads + writes.returned)
    }

    /// Mean picoseconds from issue to return of the reads and writes that returned; 0 where none did.
    pub(super) fn line_mean_ps(&self) -> f64 {
        match self.line_times() {
            (_, 0) => 0.0,
            (sum_ps, lines) => sum_ps as f64 / lines as f64,
        }
    }

    /// The picoseconds that load cores, or places of them, have waited, summed.
    pub(super) fn waited_ps(&self) -> f64 {
        self.waited_ps as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_under_way_are_integrated() {
        let mut tally = RequestTally::default();
        tally.issued(RequestKind::Read, 900);
        tally.issued(RequestKind::Write, 950);
        tally.begin(1000);
        // One read all of the time and another one in the second half; a write for 700 ps of 1000.
        tally.issued(RequestKind::Read, 1500);
        tally.issued(RequestKind::Read, 1600);
        tally.returned(RequestKind::Read, 1600, 700);
        tally.returned(RequestKind::Write, 1700, 750);
        assert_eq!(tally.outstanding_mean(2000), 1.5);
        assert_eq!(tally.slots_mean(2000), 1.5 + 0.7);
        assert_eq!((tally.reads(), tally.writes()), (1, 1));
        assert_eq!(tally.latency_mean_ps(), 700.0);
        assert_eq!(tally.line_times(), (1_450, 2));
    }
}
