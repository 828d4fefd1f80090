//! The accesses of a log that can be fitted, or what the log lacks.
//!
//! A fit needs single writes of one size in their order, recorded finely enough, and their pauses. Whatever is
//! missing is refused with its place and with the way to record it.

use std::io::BufRead;

use wordline_core::quantity::{ByteCount, Time, human};
use wordline_core::{Durations, LogSource, Operation, Pattern, ResultSet};
use wordline_trace::{Accesses, Log, LogPurpose, LogSummary, LoggedAccess, Oddity};

use crate::buffer::log::coverage::Coverage;
use crate::buffer::log::{COVERAGE_MAX, COVERAGE_MIN, cache, no_accesses, odd, options};
use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::warning::LabWarning;

/// Accesses of each half, so that ten lie beyond its 99th percentile.
pub(crate) const HALF_MIN: usize = 1000;

/// Accesses that are kept; of a longer log the rest is left out.
const ACCESSES_MAX: usize = 4 << 20;

/// Steps of the log's clock in an ordinary access.
const STEPS_MIN: u64 = 8;

/// Accesses between two signs of life.
const BREATH: usize = 1 << 16;

/// Writes of one size in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Bytes of each.
    pub(crate) bytes: u64,
    /// How long each took, in picoseconds.
    pub(crate) durations: Vec<u64>,
    /// Where each began, in bytes; empty where the log does not tell.
    pub(crate) offsets: Vec<u64>,
    /// When each began, in picoseconds from the first; empty of accesses that followed each other at once.
    pub(crate) starts: Vec<u64>,
    /// What the log says of itself.
    pub(crate) summary: LogSummary,
    /// Steps in which it tells durations, in picoseconds: their greatest common divisor.
    pub(crate) step_ps: u64,
}

/// Reads a log; `None` when the caller wants to stop.
pub(crate) fn read(
    source: &LogSource,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Option<Sample>, LabError> {
    let file = source.file.as_str();
    let reading = SampleReading { source, control };
    if source.durations == Durations::StartToStart {
        return Err(reading.refuse(
            "times from start to start hold what the host did in between, which no card did; record a log whose \
             latencies include the flush (fio: --sync=1)",
        ));
    }
    let opened = wordline_trace::open(
        control.open(file)?,
        &options(source, LogPurpose::Durations)?,
    );
    let log = opened.map_err(|fault| reading.trace(fault))?;
    let accesses = match log {
        Log::Accesses(accesses) => accesses,
        Log::Counted(_) => {
            return Err(reading.refuse(
                "this is a histogram: it has lost the order of the accesses, in which stalls show how far they lie \
                 apart; record a latency log (fio: --write_lat_log=NAME)",
            ));
        }
        Log::Currents(_) => return Err(no_accesses(&source.file)),
        Log::Asked(_) => {
            return Err(reading.refuse(
                "this is a workload and tells no durations, which are what a fit is about; record a latency log \
                 (fio: --write_lat_log=NAME)",
            ));
        }
    };
    let Some(sample) = reading.accesses(accesses, document)? else {
        return Ok(None);
    };
    for oddity in &sample.summary.oddities {
        document.warn(odd(&file, oddity));
    }
    let mut durations = sample.durations.clone();
    let middle = durations.len() / 2;
    if middle > 0 {
        let (_, median, _) = durations.select_nth_unstable(middle);
        let median = Time::from_ps(*median);
        let busy: u128 = durations.iter().copied().map(u128::from).sum();
        let bytes = sample.bytes as f64 * durations.len() as f64;
        let rate = bytes / (busy as f64 / 1e12);
        cache::check(file, &sample.summary, median, Some(rate), document);
    }
    Ok(Some(sample))
}

/// A log while it is read.
struct SampleReading<'a> {
    source: &'a LogSource,
    control: &'a Control<'a>,
}

impl SampleReading<'_> {
    fn refuse(&self, problem: impl Into<String>) -> LabError {
        LabError::Log {
            file: self.source.file.clone(),
            problem: problem.into(),
        }
    }

    fn trace(&self, source: wordline_trace::TraceError) -> LabError {
        LabError::Trace {
            file: self.source.file.clone(),
            source,
        }
    }

    fn accesses<R: BufRead>(
        &self,
        mut accesses: Accesses<R>,
        document: &mut ResultSet,
    ) -> Result<Option<Sample>, LabError> {
        let mut sample = Sample::default();
        let mut coverage = Coverage::default();
        let mut all_offsets = true;
        let mut ends = Vec::new();
        let mut more: u64 = 0;
        for access in accesses.by_ref() {
            let access = access.map_err(|fault| self.trace(fault))?;
            if sample.durations.len().is_multiple_of(BREATH) && self.breathe() {
                return Ok(None);
            }
            if sample.durations.len() == ACCESSES_MAX {
                more += 1;
                continue;
            }
            self.check(&access, &mut sample)?;
            coverage.add(&access);
            sample.durations.push(access.duration.ps());
            all_offsets &= access.offset.is_some();
            sample.offsets.extend(access.offset);
            ends.extend(access.end);
        }
        sample.summary = accesses.summary();
        if more > 0 {
            document.warn(LabWarning::LogTooLong {
                file: &self.source.file,
                most: &ACCESSES_MAX,
                more: &more,
            });
        }
        if !all_offsets {
            sample.offsets.clear();
        }
        self.check_order(&sample)?;
        self.check_count(&sample)?;
        self.check_steps(&mut sample)?;
        self.check_coverage(&coverage, &sample, document)?;
        if self.source.durations == Durations::Paced {
            sample.starts = self.starts(&sample, &ends)?;
        }
        Ok(Some(sample))
    }

    fn breathe(&self) -> bool {
        self.control.report(Progress {
            step: &self.source.file,
            done_bytes: 0,
            total_bytes: 0,
        });
        self.control.stopped()
    }

    /// One more access: a write, as large as the others.
    fn check(&self, access: &LoggedAccess, sample: &mut Sample) -> Result<(), LabError> {
        let line = access.line;
        if access.operation != Operation::Write {
            return Err(self.refuse(format!(
                "line {line}: this is a {}; a fit is about writes, and reads between them take their time and \
                 shift what the card does: record writes alone (fio: --rw=randwrite)",
                access.operation.name()
            )));
        }
        if access.bytes == 0 {
            return Err(self.refuse(format!(
                "line {line}: this access has no size; say what each moved with --record SIZE"
            )));
        }
        if sample.durations.is_empty() {
            sample.bytes = access.bytes;
        }
        if access.bytes != sample.bytes {
            return Err(self.refuse(format!(
                "line {line}: this access moved {}, and those before it {}; a fit needs one size: record with one \
                 (fio: --bs=4k)",
                ByteCount::from_bytes(access.bytes),
                ByteCount::from_bytes(sample.bytes)
            )));
        }
        Ok(())
    }

    /// A log out of order hides what came after what.
    fn check_order(&self, sample: &Sample) -> Result<(), LabError> {
        let step = sample.summary.resolution.unwrap_or(Time::ZERO);
        for oddity in &sample.summary.oddities {
            if let Oddity::BackwardsTime { line, most, .. } = oddity
                && *most > step
            {
                return Err(self.refuse(format!(
                    "line {line}: times run backwards by {most}; a fit needs the accesses in the order of their \
                     time: take one job of it (fio: --numjobs=1)"
                )));
            }
        }
        Ok(())
    }

    fn check_count(&self, sample: &Sample) -> Result<(), LabError> {
        let found = sample.durations.len();
        let needed = 2 * HALF_MIN;
        if found >= needed {
            return Ok(());
        }
        Err(self.refuse(format!(
            "it has {found} writes, and at least {needed} are needed: one half is fitted and the other held out, \
             and the 99th percentile of a half rests on the ten longest of {HALF_MIN}"
        )))
    }

    /// Durations have to be recorded in steps well below an ordinary access.
    fn check_steps(&self, sample: &mut Sample) -> Result<(), LabError> {
        let mut sorted = sample.durations.clone();
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2];
        if sorted[0] == sorted[sorted.len() - 1] {
            return Err(self.refuse(format!(
                "every access took {} exactly: these are no durations of single accesses but a mean or a setting, \
                 and say nothing of the card",
                seconds(median)
            )));
        }
        if median == 0 {
            return Err(self.refuse(
                "half of the accesses take no time at all; the clock that told them is too coarse for this card",
            ));
        }
        let step = sorted.iter().fold(0, |step, ps| gcd(step, *ps));
        sample.step_ps = step;
        if median < STEPS_MIN.saturating_mul(step) {
            return Err(self.refuse(format!(
                "durations come in steps of {}, and half of the accesses take {} or less: too coarse to tell what an \
                 access consists of; at least {STEPS_MIN} steps are needed, so record with a clock of {} or finer",
                seconds(step),
                seconds(median),
                seconds(median / STEPS_MIN)
            )));
        }
        Ok(())
    }

    /// Durations have to add up to the time that passed, unless the user says that the host paused.
    fn check_coverage(
        &self,
        coverage: &Coverage,
        sample: &Sample,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let name = &self.source.file;
        let Some((least, most)) = coverage.shares(sample.summary.resolution) else {
            document.warn(LabWarning::PausesUnknown { file: &name });
            return Ok(());
        };
        if least > COVERAGE_MAX {
            return Err(self.refuse(format!(
                "durations cover {:.0} % of the log's time: accesses overlapped, and how long each would have taken \
                 alone is lost; record with --iodepth=1 --numjobs=1",
                100.0 * least
            )));
        }
        if self.source.durations == Durations::Paced || most >= COVERAGE_MIN {
            return Ok(());
        }
        Err(self.refuse(format!(
            "durations cover {:.1} % of the log's time. Where the host paused in the rest, as at a fixed rate, say so \
             with --durations paced: the card may have cleaned meanwhile. Where each line is a mean over an interval, \
             or an fsync is left out, the log does not show what single accesses took: record with \
             --sync=1 --log_avg_msec=0",
            100.0 * most
        )))
    }

    /// When each access began, counted from the first.
    fn starts(&self, sample: &Sample, ends: &[Time]) -> Result<Vec<u64>, LabError> {
        if ends.len() != sample.durations.len() {
            return Err(self.refuse(
                "the log does not tell when accesses ended, and so not how long the host paused, which --durations \
                 paced needs; a CSV tells it in a column such as end_ns",
            ));
        }
        let mut starts = Vec::with_capacity(ends.len());
        let mut first = None;
        let mut last = 0;
        for (end, duration) in ends.iter().zip(&sample.durations) {
            let start = i128::from(end.ps()) - i128::from(*duration);
            let first = *first.get_or_insert(start);
            // Rounded times may put a start before the one in front of it.
            last = u64::try_from(start - first).unwrap_or(0).max(last);
            starts.push(last);
        }
        Ok(starts)
    }
}

impl Sample {
    /// Accesses of the first half, which is fitted; the rest is held out.
    pub(crate) fn half(&self) -> usize {
        self.durations.len() / 2
    }

    /// Whether addresses follow each other, where the log tells them.
    pub(crate) fn pattern(&self) -> Option<Pattern> {
        let pairs = self.offsets.windows(2);
        let next = |pair: &&[u64]| pair[1] == pair[0].wrapping_add(self.bytes);
        let following = pairs.filter(next).count();
        (!self.offsets.is_empty()).then(|| {
            if following * 10 >= self.offsets.len() * 9 {
                Pattern::Sequential
            } else {
                Pattern::Random
            }
        })
    }

    /// Bytes from address 0 to the end of the last access, where the log tells addresses.
    pub(crate) fn range(&self) -> Option<u64> {
        let last = self.offsets.iter().max()?;
        Some(last.saturating_add(self.bytes))
    }

    /// Pauses of the host before each access but the first, in picoseconds.
    pub(crate) fn pauses(&self) -> impl Iterator<Item = u64> + '_ {
        let ended = self.starts.iter().zip(&self.durations);
        let ended = ended.map(|(start, duration)| start + duration);
        let next = self.starts.iter().skip(1);
        next.zip(ended)
            .map(|(start, end)| start.saturating_sub(end))
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(crate) fn seconds(ps: u64) -> String {
    human(ps as f64 * 1e-12, "s", 3)
}
