//! What the cores did by microsecond, and how sure its means are.

use super::probe::{Batches, LatencyBins, LatencyProbe};
use super::tally::RequestTally;

/// Microseconds of the measured part.
pub(super) struct RunMeans {
    bytes: Vec<u64>,
    throughput: Batches,
    lines: LatencySums,
    reads: LatencySums,
    /// Microseconds in which latencies counted.
    counted: u64,
}

/// Latencies by microsecond.
struct LatencySums {
    batches: Batches,
    /// Sum in picoseconds, and number, of the measured part so far.
    before: (u128, u64),
}

impl LatencySums {
    fn new(episodes: u32) -> Self {
        Self {
            batches: Batches::new(episodes),
            before: (0, 0),
        }
    }

    fn microsecond(&mut self, (sum_ps, count): (u128, u64), they_count: bool) {
        if they_count {
            let sum_ps = u64::try_from(sum_ps - self.before.0).unwrap_or(u64::MAX);
            self.batches.record_all(sum_ps, count - self.before.1);
        }
        self.before = (sum_ps, count);
    }
}

impl RunMeans {
    pub(super) fn new(episodes: u32) -> Self {
        Self {
            bytes: Vec::new(),
            throughput: Batches::new(episodes),
            lines: LatencySums::new(episodes),
            reads: LatencySums::new(episodes),
            counted: 0,
        }
    }

    /// A microsecond has passed. The tally counts from the beginning of the measured part.
    pub(super) fn microsecond(&mut self, tally: &RequestTally, latencies_count: bool) {
        let bytes = 64 * (tally.line_times().1 - self.lines.before.1);
        self.bytes.push(bytes);
        self.throughput.record(bytes);
        self.lines.microsecond(tally.line_times(), latencies_count);
        self.reads.microsecond(tally.read_times(), latencies_count);
        self.counted += u64::from(latencies_count);
    }

    pub(super) fn end_episode(&mut self) {
        self.throughput.end_episode();
        self.lines.batches.end_episode();
        self.reads.batches.end_episode();
    }

    /// Half the width of the 95 % interval of the bytes of a microsecond.
    pub(super) fn throughput_certainty(&self) -> f64 {
        self.throughput.clone().certainty().half_width
    }

    /// The same of the time of a line, in picoseconds; infinite where there was none.
    pub(super) fn line_certainty(&self) -> f64 {
        match self.lines.before.1 {
            0 => f64::INFINITY,
            _ => self.lines.batches.clone().certainty().half_width,
        }
    }

    /// The latencies of reads that were counted in these microseconds.
    pub(super) fn reads(&self, bins: LatencyBins) -> LatencyProbe {
        bins.finish(self.reads.batches.clone(), self.counted * 1_000_000)
    }

    pub(super) fn into_bytes(self) -> Vec<u64> {
        self.bytes
    }
}
