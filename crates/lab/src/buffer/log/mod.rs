//! A measured log.
//!
//! A log answers the question only if it accounts for its time: a log that leaves out its fsyncs covers a
//! small share of it, and what it leaves out is what fills the buffer. Coverage, the durations over the time
//! that passed, shows it; below 90 % the log is refused, with the way out.

pub(crate) mod cache;
pub(crate) mod clock;
mod counted;
pub(crate) mod coverage;
pub(crate) mod energy;
mod starts;

use std::collections::BTreeMap;
use std::io::BufRead;

use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{
    Arrival, Axis, Basis, BufferWorkload, Durations, Experiment, LogSource, Metric, Operation,
    ResultSet, Timing,
};
use wordline_trace::{
    Accesses, DurationCounts, Log, LogOptions, LogPurpose, LogSummary, LoggedAccess, Oddity,
    UNIT_PREFIX,
};

use super::analysis::{Analysis, BufferFindings};
use clock::ClockSteps;
use coverage::Coverage;
use energy::{AccessEnergy, CurrentSource, SupplyMeter};
use starts::Starts;

use super::provision::{ProvisionSource, uncertain_bytes, whole_records};
use super::rows;
use crate::backlog::{Demand, Rate, StartUp};
use crate::control::{Control, Progress};
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::{Axes, Subject};
use crate::warning::{LabWarning, UnknownCoverage};

/// Least share of its time that a log must account for.
pub(crate) const COVERAGE_MIN: f64 = 0.9;

/// Highest share: beyond it accesses overlap. Rounded times of a log can lift it a little above 1.
pub(crate) const COVERAGE_MAX: f64 = 1.05;

/// Fewer accesses than these are no sample of what a memory does.
pub(crate) const ACCESSES_MIN: u64 = 1000;

/// Accesses between two signs of life.
const BREATH: u64 = 1 << 16;

pub(super) fn run(
    source: &LogSource,
    question: &BufferWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    if question.power_up {
        return Err(SettingProblem::PowerUpOfLog.of("power_up"));
    }
    let rates = super::rates(question)?;
    let asked = LogQuestion {
        start: StartUp {
            time: Time::from_ps(question.startup_ps),
            backlog: ByteCount::from_bytes(question.backlog_bytes),
        },
        rates: &rates,
        current: question.current.as_deref().map(|file| CurrentSource {
            file,
            voltage: question.voltage,
            is_voltage_shared: false,
            offset_ps: question.current_offset_ps,
        }),
        is_gathered: false,
    };
    match read(source, asked, control, document)? {
        None => Ok(()),
        Some(LogContent::Counted(counted)) => counted::answer(source, &counted, question, document),
        Some(LogContent::Measured(log)) => {
            answer(source, &log, question, experiment.seed, document);
            Ok(())
        }
    }
}

/// What is asked of a log.
#[derive(Clone, Copy)]
pub(crate) struct LogQuestion<'a> {
    /// What comes before the first access.
    pub(crate) start: StartUp,
    /// Rates that are answered exactly.
    pub(crate) rates: &'a [Rate],
    /// The current that was measured beside it.
    pub(crate) current: Option<CurrentSource<'a>>,
    /// Whether an access may move several records, which were gathered before.
    pub(crate) is_gathered: bool,
}

/// What a log holds.
pub(crate) enum LogContent {
    /// Accesses in their order, added up.
    Measured(Box<MeasuredLog>),
    /// Durations without their order.
    Counted(DurationCounts),
}

/// What was learnt of a log of accesses.
pub(crate) struct MeasuredLog {
    /// What the accesses that count did.
    pub(crate) operation: Operation,
    pub(crate) findings: BufferFindings,
    /// Least and highest share of its time that it accounts for, where it tells.
    pub(crate) shares: Option<(f64, f64)>,
    /// What the accesses drew, where a current was measured.
    pub(crate) energy: Option<AccessEnergy>,
    /// Whether its durations can only be those of a cache in RAM.
    pub(crate) is_of_cache: bool,
    /// Steps that its durations come in, each of which may be one longer; nothing where all of them are 0.
    pub(crate) clock: Time,
    pub(crate) summary: LogSummary,
}

impl MeasuredLog {
    /// Steps of the clock that its starts are known to, where durations were taken from them.
    pub(crate) fn step(&self, durations: Durations) -> Option<Time> {
        let step = self.summary.resolution;
        step.filter(|_| durations == Durations::StartToStart)
    }
}

/// Opens a log and adds it up; what is odd becomes warnings of the document. None where the caller stopped it.
pub(crate) fn read(
    source: &LogSource,
    asked: LogQuestion<'_>,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<Option<LogContent>, LabError> {
    let file = source.file.as_str();
    let failed = |source| LabError::Trace {
        file: file.to_owned(),
        source,
    };
    let log = wordline_trace::open(
        control.open(file)?,
        &options(source, LogPurpose::Durations)?,
    )
    .map_err(failed)?;
    match log {
        Log::Accesses(accesses) => {
            let reading = LogReading {
                source,
                asked,
                control,
            };
            let measured = reading.accesses(accesses, document)?;
            Ok(measured.map(|log| LogContent::Measured(Box::new(log))))
        }
        Log::Counted(_) if asked.current.is_some() => Err(LogProblem::CountedCurrent.of(file)),
        Log::Counted(counted) => Ok(Some(LogContent::Counted(counted))),
        Log::Asked(_) => Err(LogProblem::NoDurations.of(file)),
        Log::Currents(_) => Err(LogProblem::NoAccesses.of(file)),
    }
}

/// What the user said of a log.
pub(crate) fn options(source: &LogSource, purpose: LogPurpose) -> Result<LogOptions, LabError> {
    let wrong = |what, error| SettingProblem::Unread(error).of(what);
    let format = source.format.as_deref().map(str::parse).transpose();
    let unit = source.unit.as_deref().map(str::parse).transpose();
    let units = source.units.iter();
    let units = units.filter(|(column, _)| !column.starts_with(UNIT_PREFIX));
    Ok(LogOptions {
        format: format.map_err(|error: wordline_trace::UnknownLogFormat| {
            wrong("log format", error.to_string())
        })?,
        unit: unit
            .map_err(|error: wordline_trace::UnknownUnit| wrong("log unit", error.to_string()))?,
        name: Some(source.file.clone()),
        job: source.job.clone(),
        purpose,
        operation: source.operation,
        bytes: source.record_bytes,
        units: units
            .map(|(column, unit)| (column.clone(), unit.0.clone()))
            .collect(),
    })
}

/// The rows of a log of accesses.
fn answer(
    source: &LogSource,
    log: &MeasuredLog,
    question: &BufferWorkload,
    seed: u64,
    document: &mut ResultSet,
) {
    let MeasuredLog {
        findings, summary, ..
    } = log;
    let record = findings.curve.record().map(ByteCount::bytes);
    let subject = subject(&source.file, log.operation, record);
    let provision = ProvisionSource {
        findings,
        basis: subject.basis,
        horizon_s: question.horizon_s,
        seed,
        step: log.step(source.durations),
        bound: None,
        is_periodic: false,
    };
    rows::add(&subject, &provision, question, document);
    if let Some((least, most)) = log.shares {
        let share = (least + most) / 2.0;
        subject.add(Metric::Coverage, Ok(share), document);
    }
    if let Some(energy) = &log.energy {
        energy.rows(&subject, document);
    }
    if let Some(step) = log.step(source.durations) {
        rounding(&subject, findings, step, document);
    }
    if record.is_none() {
        document.warn(LabWarning::SeveralSizes {
            file: &subject.target,
            largest: &findings.curve.largest_record(),
        });
    }
    let mut environment = environment(summary, source);
    if let Some(file) = &question.current {
        environment.insert("current".to_owned(), file.clone());
    }
    document.environment = Some(environment);
}

/// The columns of the rows of a log.
pub(crate) fn subject(file: &str, operation: Operation, record: Option<u64>) -> Subject {
    let subject = Subject {
        target: format!("log:{file}"),
        part: file.to_owned(),
        board: String::new(),
        workload: "buffer",
        operation: operation.into(),
        axes: Axes::new(),
        timing: Timing::Typ,
        age: 0.0,
        basis: Basis::Measured,
    };
    match record {
        Some(bytes) => subject.at(Axis::AccessBytes, bytes),
        None => subject,
    }
}

/// A log of accesses while it is read.
struct LogReading<'a> {
    source: &'a LogSource,
    asked: LogQuestion<'a>,
    control: &'a Control<'a>,
}

impl LogReading<'_> {
    #[inline]
    fn add(
        &self,
        (analysis, clock): (&mut Analysis, &mut ClockSteps),
        duration: Time,
        bytes: u64,
    ) -> Result<(), LabError> {
        clock.add(duration);
        analysis
            .push(duration, bytes)
            .map_err(|error| self.refuse(LogProblem::Uncountable(error)))
    }

    fn refuse(&self, problem: LogProblem) -> LabError {
        problem.of(&self.source.file)
    }

    fn accesses<R: BufRead>(
        &self,
        mut accesses: Accesses<R>,
        document: &mut ResultSet,
    ) -> Result<Option<MeasuredLog>, LabError> {
        let mut analysis = Analysis::new(self.asked.start, self.asked.rates)?;
        let current = self.asked.current;
        let meter = current.map(|current| SupplyMeter::open(current, self.source, self.control));
        let mut meter = meter.transpose()?;
        let mut coverage = Coverage::default();
        let mut starts = Starts::default();
        let mut clock = ClockSteps::default();
        let mut operation = self.source.operation;
        let mut seen: u64 = 0;
        for access in accesses.by_ref() {
            let access = access.map_err(|source| LabError::Trace {
                file: self.source.file.clone(),
                source,
            })?;
            if seen.is_multiple_of(BREATH) {
                self.control.report(Progress {
                    step: &self.source.file,
                    done_bytes: 0,
                    total_bytes: 0,
                });
                if self.control.stopped() {
                    // Of a part of a log nothing is finished.
                    document.complete = false;
                    return Ok(None);
                }
            }
            seen += 1;
            match operation {
                None => operation = Some(access.operation),
                Some(wanted) if wanted != access.operation => {
                    if self.source.operation.is_none() {
                        return Err(self.mixed(&access, wanted));
                    }
                    coverage.add_other(&access);
                    continue;
                }
                Some(_) => {}
            }
            self.check_size(&access)?;
            coverage.add(&access);
            if let Some(meter) = &mut meter {
                let end = access
                    .end
                    .ok_or_else(|| self.refuse(LogProblem::UntimedCurrent { line: access.line }))?;
                meter.add(&access, end)?;
                if meter.is_stopped {
                    document.complete = false;
                    return Ok(None);
                }
            }
            match (self.source.durations, access.end) {
                (Durations::Latency | Durations::Paced, _) => {
                    self.add((&mut analysis, &mut clock), access.duration, access.bytes)?
                }
                (Durations::StartToStart, Some(end)) => {
                    if let Some((interval, bytes)) = starts.next(end, &access) {
                        self.add((&mut analysis, &mut clock), interval, bytes)?;
                    }
                }
                (Durations::StartToStart, None) => {
                    return Err(self.refuse(LogProblem::NoEnds { line: access.line }));
                }
            }
        }
        if let Some((duration, bytes)) = starts.end() {
            self.add((&mut analysis, &mut clock), duration, bytes)?;
        }
        let summary = accesses.summary();
        let Some(operation) = operation.filter(|_| analysis.accesses() > 0) else {
            let wanted = self.source.operation.map_or("access", Operation::name);
            return Err(self.refuse(LogProblem::NoneAmong { wanted, seen }));
        };
        self.check_order(&summary, analysis.accesses())?;
        let shares = self.check_coverage(&coverage, &summary, document)?;
        self.warn(&analysis, &summary, document);
        let median = analysis.median();
        let findings = analysis
            .finish()
            .map_err(|error| self.refuse(LogProblem::Uncountable(error)))?;
        if findings.curve.bytes() == ByteCount::ZERO {
            return Err(self.refuse(LogProblem::NoBytes));
        }
        if findings.longest.is_empty() {
            document.warn(LabWarning::SlowAccesses {
                file: &self.source.file,
            });
        }
        let rate = rows::limit(&findings.curve).ok();
        let median = median.unwrap_or_default();
        let clock = clock.step();
        let median = cache::told(median, clock);
        let is_of_cache = cache::check(&self.source.file, &summary, median, rate, document);
        let energy = meter.map(|meter| meter.finish(&summary, document));
        Ok(Some(MeasuredLog {
            operation,
            findings,
            shares,
            energy: energy.transpose()?,
            is_of_cache,
            clock,
            summary,
        }))
    }

    /// Refuses an access of another size than the one that was stated.
    fn check_size(&self, access: &LoggedAccess) -> Result<(), LabError> {
        let Some(record) = self.source.record_bytes.filter(|one| *one != access.bytes) else {
            return Ok(());
        };
        let line = access.line;
        let [found, record] = [access.bytes, record].map(ByteCount::from_bytes);
        if !self.asked.is_gathered {
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

/// Least and most RAM at the rates that were asked for, where starts are known to a step: a stretch of
/// the log lasted up to two steps more or less than it says.
fn rounding(subject: &Subject, findings: &BufferFindings, step: Time, document: &mut ResultSet) {
    let record = findings.curve.largest_record().si();
    for one in &findings.rates {
        if !matches!(findings.curve.demand(one.rate), Demand::Bounded(_)) {
            continue;
        }
        let rate = one.rate.bytes_per_second();
        let off = uncertain_bytes(one.rate, step);
        let fluid = one.peaks.fluid.in_flight.bytes();
        let whole = |bytes: f64| whole_records(bytes, record);
        for (kind, fluid) in [("least", (fluid - off).max(0.0)), ("most", fluid + off)] {
            for (arrival, in_flight) in [(Arrival::Record, whole(fluid)), (Arrival::Fluid, fluid)] {
                let at = subject
                    .estimate(subject.basis, kind)
                    .at(Axis::RateBytesPerS, rate)
                    .at(Axis::Arrival, arrival.name());
                let waiting = (in_flight - record).max(0.0);
                at.add(Metric::RamPeak, Ok(waiting), document);
                at.add(Metric::RamPeakInFlight, Ok(in_flight), document);
            }
            let at = subject.estimate(subject.basis, kind);
            rows::provision(&at, rate, Ok(whole(fluid)), record, document);
        }
    }
}

/// A time that may be longer than simulated time can be.
fn seconds(ps: u128) -> String {
    wordline_core::quantity::human(ps as f64 / 1e12, "s", 4)
}

/// What is odd about a log.
pub(crate) fn odd<'a>(file: &'a dyn std::fmt::Display, oddity: &'a Oddity) -> LabWarning<'a> {
    match oddity {
        Oddity::TruncatedEnd { .. } => LabWarning::TruncatedLog { file, oddity },
        Oddity::BackwardsTime { .. } => LabWarning::BackwardsTime { file, oddity },
        Oddity::UnitTaken { .. } => LabWarning::UnitTaken { file, oddity },
        Oddity::Buffered { .. } => LabWarning::BufferedLog { file, oddity },
        Oddity::Lost { .. } => LabWarning::LostRecords { file, oddity },
        _ => LabWarning::OddLog { file, oddity },
    }
}

/// What the log says of itself.
fn environment(summary: &LogSummary, source: &LogSource) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::from([
        ("log".to_owned(), source.file.clone()),
        ("log_format".to_owned(), summary.format.clone()),
        ("durations".to_owned(), source.durations.name().to_owned()),
    ]);
    if let Some(step) = summary.resolution {
        environment.insert("log_resolution".to_owned(), step.to_string());
    }
    environment
}
