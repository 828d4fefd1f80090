//! The accesses of a log that can be fitted, or what the log lacks.
//!
//! A fit needs single writes of one size in their order, recorded finely enough, and their pauses. Whatever is
//! missing is refused with its place and with the way to record it.

use std::io::BufRead;

use wordline_core::quantity::{ByteCount, Time, human};
use wordline_core::{Durations, LogSource, Operation, Pattern, ResultSet};
use wordline_trace::{Accesses, Log, LogPurpose, LogSummary, LoggedAccess, Oddity};

use crate::buffer::log::clock::ClockSteps;
use crate::buffer::log::coverage::Coverage;
use crate::buffer::log::{COVERAGE_MAX, COVERAGE_MIN, cache, odd, options};
use crate::control::{Control, Progress};
use crate::error::{LabError, LogProblem};
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
    /// Where each began, in bytes; empty where the log does not record it.
    pub(crate) offsets: Vec<u64>,
    /// When each began, in picoseconds from the first; empty of accesses that followed each other at once.
    pub(crate) starts: Vec<u64>,
    /// What the log says of itself.
    pub(crate) summary: LogSummary,
    /// Steps in which it records durations, in picoseconds: their greatest common divisor.
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
        return Err(reading.refuse(LogProblem::StartToStart));
    }
    let opened = wordline_trace::open(
        control.open(file)?,
        &options(source, LogPurpose::Durations)?,
    );
    let log = opened.map_err(|fault| reading.trace(fault))?;
    let accesses = match log {
        Log::Accesses(accesses) => accesses,
        Log::Counted(_) => {
            return Err(reading.refuse(LogProblem::HistogramOfFit));
        }
        Log::Currents(_) => return Err(LogProblem::NoAccesses.of(&source.file)),
        Log::Asked(_) => {
            return Err(reading.refuse(LogProblem::WorkloadOfFit));
        }
    };
    let Some(sample) = reading.accesses(accesses, document)? else {
        return Ok(None);
    };
    for oddity in &sample.summary.oddities {
        document.warn(odd(&file, oddity));
    }
    let mut clock = ClockSteps::default();
    let all = sample.durations.iter().copied().map(Time::from_ps);
    all.for_each(|duration| clock.add(duration));
    let mut durations = sample.durations.clone();
    let middle = durations.len() / 2;
    if middle > 0 {
        let (_, median, _) = durations.select_nth_unstable(middle);
        let median = cache::told(Time::from_ps(*median), clock.step());
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
    fn refuse(&self, problem: LogProblem) -> LabError {
        problem.of(&self.source.file)
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
            let found = access.operation.name();
            return Err(self.refuse(LogProblem::OtherOperation { line, found }));
        }
        if access.bytes == 0 {
            return Err(self.refuse(LogProblem::Sizeless { line }));
        }
        if sample.durations.is_empty() {
            sample.bytes = access.bytes;
        }
        if access.bytes != sample.bytes {
            return Err(self.refuse(LogProblem::OtherSize {
                line,
                found: ByteCount::from_bytes(access.bytes),
                before: ByteCount::from_bytes(sample.bytes),
            }));
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
                let (line, by) = (*line, *most);
                return Err(self.refuse(LogProblem::OutOfOrder { line, by }));
            }
        }
        Ok(())
    }

    fn check_count(&self, sample: &Sample) -> Result<(), LabError> {
        let found = sample.durations.len();
        let least = 2 * HALF_MIN;
        if found >= least {
            return Ok(());
        }
        Err(self.refuse(LogProblem::FewWrites {
            found,
            least,
            half: HALF_MIN,
        }))
    }

    /// Durations have to be recorded in steps well below an ordinary access.
    fn check_steps(&self, sample: &mut Sample) -> Result<(), LabError> {
        let mut sorted = sample.durations.clone();
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2];
        if sorted[0] == sorted[sorted.len() - 1] {
            return Err(self.refuse(LogProblem::SameDuration(seconds(median))));
        }
        if median == 0 {
            return Err(self.refuse(LogProblem::CoarseClock));
        }
        let step = sorted.iter().fold(0, |step, ps| gcd(step, *ps));
        sample.step_ps = step;
        if median < STEPS_MIN.saturating_mul(step) {
            return Err(self.refuse(LogProblem::CoarseSteps {
                step: seconds(step),
                median: seconds(median),
                least: STEPS_MIN,
                wanted: seconds(median / STEPS_MIN),
            }));
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
            let percent = 100.0 * least;
            return Err(self.refuse(LogProblem::Overlap { percent }));
        }
        if self.source.durations == Durations::Paced || most >= COVERAGE_MIN {
            return Ok(());
        }
        let percent = 100.0 * most;
        Err(self.refuse(LogProblem::UncoveredFit { percent }))
    }

    /// When each access began, counted from the first.
    fn starts(&self, sample: &Sample, ends: &[Time]) -> Result<Vec<u64>, LabError> {
        if ends.len() != sample.durations.len() {
            return Err(self.refuse(LogProblem::NoPauses));
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

    /// Whether addresses follow each other, where the log records them.
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

    /// Bytes from address 0 to the end of the last access, where the log records addresses.
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
