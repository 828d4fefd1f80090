//! Accesses added up as they come, from a log or from a measurement that still runs.
//!
//! Both go through the same code, so that a run and the log that was saved of it give the same answer, bit for bit.

use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Durations, LatencyHistogram, LogSource, Operation, ResultSet};
use wordline_trace::{LogSummary, LoggedAccess, Oddity};

use super::clock::ClockSteps;
use super::coverage::Coverage;
use super::starts::Starts;
use super::{
    ACCESSES_MIN, Analysis, COVERAGE_MAX, COVERAGE_MIN, LogQuestion, MeasuredLog, cache, odd, rows,
    seconds,
};
use crate::error::{LabError, LogProblem};
use crate::warning::{LabWarning, UnknownCoverage};

/// The sums over accesses that came so far.
pub(crate) struct AccessSums<'a> {
    source: &'a LogSource,
    is_gathered: bool,
    analysis: Analysis,
    coverage: Coverage,
    starts: Starts,
    clock: ClockSteps,
    operation: Option<Operation>,
    seen: u64,
}

impl<'a> AccessSums<'a> {
    /// Begins, with what is known of the accesses and what is asked of them.
    pub(crate) fn new(source: &'a LogSource, asked: &LogQuestion<'_>) -> Result<Self, LabError> {
        Ok(Self {
            source,
            is_gathered: asked.is_gathered,
            analysis: Analysis::new(asked.start, asked.rates)?,
            coverage: Coverage::default(),
            starts: Starts::default(),
            clock: ClockSteps::default(),
            operation: source.operation,
            seen: 0,
        })
    }

    /// Looks at the next access and says whether it is one of those that count.
    #[inline]
    pub(crate) fn counts(&mut self, access: &LoggedAccess) -> Result<bool, LabError> {
        self.seen += 1;
        match self.operation {
            None => self.operation = Some(access.operation),
            Some(wanted) if wanted != access.operation => {
                if self.source.operation.is_none() {
                    return Err(self.mixed(access, wanted));
                }
                self.coverage.add_other(access);
                return Ok(false);
            }
            Some(_) => {}
        }
        self.check_size(access)?;
        self.coverage.add(access);
        Ok(true)
    }

    /// Adds an access that counts.
    #[inline]
    pub(crate) fn add(&mut self, access: &LoggedAccess) -> Result<(), LabError> {
        match (self.source.durations, access.end) {
            (Durations::Latency | Durations::Paced, _) => self.push(access.duration, access.bytes),
            (Durations::StartToStart, Some(end)) => match self.starts.next(end, access) {
                Some((interval, bytes)) => self.push(interval, bytes),
                None => Ok(()),
            },
            (Durations::StartToStart, None) => {
                Err(self.refuse(LogProblem::NoEnds { line: access.line }))
            }
        }
    }

    #[inline]
    fn push(&mut self, duration: Time, bytes: u64) -> Result<(), LabError> {
        self.clock.add(duration);
        self.analysis
            .push(duration, bytes)
            .map_err(|error| self.refuse(LogProblem::Uncountable(error)))
    }

    /// Accesses that count so far.
    pub(crate) const fn accesses(&self) -> u64 {
        self.analysis.accesses()
    }

    /// How long they took.
    pub(crate) const fn latency(&self) -> &LatencyHistogram {
        self.analysis.latency()
    }

    /// Ends them, with what was seen of where they came from. What is odd becomes warnings of the document.
    pub(crate) fn finish(
        mut self,
        summary: LogSummary,
        document: &mut ResultSet,
    ) -> Result<MeasuredLog, LabError> {
        if let Some((duration, bytes)) = std::mem::take(&mut self.starts).end() {
            self.push(duration, bytes)?;
        }
        let counted = self.operation.filter(|_| self.analysis.accesses() > 0);
        let Some(operation) = counted else {
            let wanted = self.source.operation.map_or("access", Operation::name);
            let seen = self.seen;
            return Err(self.refuse(LogProblem::NoneAmong { wanted, seen }));
        };
        self.check_order(&summary, self.analysis.accesses())?;
        let shares = self.check_coverage(&self.coverage, &summary, document)?;
        self.warn(&self.analysis, &summary, document);
        let (source, clock) = (self.source, self.clock.step());
        let refuse = |problem: LogProblem| problem.of(&source.file);
        let median = self.analysis.median();
        let findings = self
            .analysis
            .finish()
            .map_err(|error| refuse(LogProblem::Uncountable(error)))?;
        if findings.curve.bytes() == ByteCount::ZERO {
            return Err(refuse(LogProblem::NoBytes));
        }
        if findings.longest.is_empty() {
            document.warn(LabWarning::SlowAccesses { file: &source.file });
        }
        let rate = rows::limit(&findings.curve).ok();
        let median = median.unwrap_or_default();
        let median = cache::told(median, clock);
        let is_of_cache = cache::check(&source.file, &summary, median, rate, document);
        Ok(MeasuredLog {
            operation,
            findings,
            shares,
            energy: None,
            is_of_cache,
            clock,
            summary,
        })
    }

    pub(crate) fn refuse(&self, problem: LogProblem) -> LabError {
        problem.of(&self.source.file)
    }

    /// Refuses an access of another size than the one that was stated.
    fn check_size(&self, access: &LoggedAccess) -> Result<(), LabError> {
        let Some(record) = self.source.record_bytes.filter(|one| *one != access.bytes) else {
            return Ok(());
        };
        let line = access.line;
        let [found, record] = [access.bytes, record].map(ByteCount::from_bytes);
        if !self.is_gathered {
            return Err(self.refuse(LogProblem::OtherRecord {
                line,
                found,
                record,
            }));
        }
        if !found.bytes().is_multiple_of(record.bytes()) {
            return Err(self.refuse(LogProblem::BrokenRecord {
                line,
                found,
                record,
            }));
        }
        Ok(())
    }

    fn mixed(&self, access: &LoggedAccess, first: Operation) -> LabError {
        self.refuse(LogProblem::MixedOperations {
            line: access.line,
            found: access.operation.name(),
            first: first.name(),
        })
    }

    /// Times from start to start need the accesses in the order of their time.
    fn check_order(&self, summary: &LogSummary, accesses: u64) -> Result<(), LabError> {
        let step = summary.resolution.unwrap_or(Time::ZERO);
        for oddity in &summary.oddities {
            if let Oddity::BackwardsTime { line, most, count } = oddity
                && self.source.durations == Durations::StartToStart
                && (*most > step || count.saturating_mul(100) > accesses)
            {
                let (line, by) = (*line, *most);
                return Err(self.refuse(LogProblem::Backwards { line, by }));
            }
        }
        Ok(())
    }

    /// Refuses a log that leaves out its time, or counts it twice.
    fn check_coverage(
        &self,
        coverage: &Coverage,
        summary: &LogSummary,
        document: &mut ResultSet,
    ) -> Result<Option<(f64, f64)>, LabError> {
        let name = &self.source.file;
        let Some((least, most)) = coverage.shares(summary.resolution) else {
            let why = match (coverage.elapsed_ps(), summary.resolution) {
                (Some(elapsed), Some(step)) => UnknownCoverage::LogInSteps {
                    elapsed: seconds(elapsed),
                    step,
                },
                _ => UnknownCoverage::NoEnds,
            };
            document.warn(LabWarning::UnknownCoverage {
                file: &name,
                why: &why,
            });
            return Ok(None);
        };
        if least > COVERAGE_MAX {
            let percent = 100.0 * least;
            return Err(self.refuse(LogProblem::Overlap { percent }));
        }
        if self.source.durations == Durations::StartToStart {
            let (file, percent) = (name, &(100.0 * least.min(most)));
            document.warn(match &summary.resolution {
                Some(step) => LabWarning::StartToStartInSteps {
                    file,
                    percent,
                    step,
                },
                None => LabWarning::StartToStart { file, percent },
            });
            return Ok(Some((least, most)));
        }
        if self.source.durations == Durations::Paced {
            let percent = &(100.0 * least.min(most));
            let file = &name;
            match coverage.others() {
                None => document.warn(LabWarning::Pauses { file, percent }),
                Some((count, share)) => document.warn(LabWarning::PausesAndOthers {
                    file,
                    percent,
                    count: &count,
                    others: &(100.0 * share),
                }),
            }
            return Ok(Some((least, most)));
        }
        if most < COVERAGE_MIN {
            let elapsed = coverage.elapsed_ps().unwrap_or(0);
            return Err(self.refuse(LogProblem::Uncovered {
                percent: 100.0 * most,
                busy: seconds(coverage.busy_ps),
                elapsed: seconds(elapsed),
            }));
        }
        Ok(Some((least, most)))
    }

    fn warn(&self, analysis: &Analysis, summary: &LogSummary, document: &mut ResultSet) {
        let name = &self.source.file;
        let accesses = analysis.accesses();
        if accesses < ACCESSES_MIN {
            document.warn(LabWarning::FewAccesses {
                file: &name,
                accesses: &accesses,
                least: &ACCESSES_MIN,
            });
        }
        if self.source.durations != Durations::Paced {
            document.warn(LabWarning::BenchmarkLog { file: &name });
        }
        for oddity in &summary.oddities {
            document.warn(odd(name, oddity));
        }
    }
}
