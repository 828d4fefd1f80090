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
pub(crate) mod sums;

use std::collections::BTreeMap;
use std::io::BufRead;

use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::{
    Arrival, Axis, Basis, BufferWorkload, Durations, Experiment, LogSource, Metric, Operation,
    ResultSet, Timing,
};
use wordline_trace::{
    Accesses, DurationCounts, Log, LogOptions, LogPurpose, LogSummary, Oddity, UNIT_PREFIX,
};

use super::analysis::{Analysis, BufferFindings};
use energy::{AccessEnergy, CurrentSource, SupplyMeter};
use sums::AccessSums;

use super::provision::{ProvisionSource, uncertain_bytes, whole_records};
use super::rows;
use crate::backlog::{Demand, Rate, StartUp};
use crate::control::{Control, Progress};
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

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
    let record = log.findings.curve.record().map(ByteCount::bytes);
    let subject = subject(&source.file, log.operation, record);
    add_rows(&subject, source.durations, log, question, seed, document);
    if record.is_none() {
        document.warn(LabWarning::SeveralSizes {
            file: &subject.target,
            largest: &log.findings.curve.largest_record(),
        });
    }
    let mut environment = environment(&log.summary, source);
    if let Some(file) = &question.current {
        environment.insert("current".to_owned(), file.clone());
    }
    document.environment = Some(environment);
}

/// The rows of accesses that were added up.
pub(crate) fn add_rows(
    subject: &Subject,
    durations: Durations,
    log: &MeasuredLog,
    question: &BufferWorkload,
    seed: u64,
    document: &mut ResultSet,
) {
    let findings = &log.findings;
    let provision = ProvisionSource {
        findings,
        basis: subject.basis,
        horizon_s: question.horizon_s,
        seed,
        step: log.step(durations),
        bound: None,
        is_periodic: false,
    };
    rows::add(subject, &provision, question, document);
    if let Some((least, most)) = log.shares {
        let share = (least + most) / 2.0;
        subject.add(Metric::Coverage, Ok(share), document);
    }
    if let Some(energy) = &log.energy {
        energy.rows(subject, document);
    }
    if let Some(step) = log.step(durations) {
        rounding(subject, findings, step, document);
    }
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
    fn accesses<R: BufRead>(
        &self,
        mut accesses: Accesses<R>,
        document: &mut ResultSet,
    ) -> Result<Option<MeasuredLog>, LabError> {
        let mut sums = AccessSums::new(self.source, &self.asked)?;
        let current = self.asked.current;
        let meter = current.map(|current| SupplyMeter::open(current, self.source, self.control));
        let mut meter = meter.transpose()?;
        for (seen, access) in (0_u64..).zip(accesses.by_ref()) {
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
            if !sums.counts(&access)? {
                continue;
            }
            if let Some(meter) = &mut meter {
                let end = access
                    .end
                    .ok_or_else(|| sums.refuse(LogProblem::UntimedCurrent { line: access.line }))?;
                meter.add(&access, end)?;
                if meter.is_stopped {
                    document.complete = false;
                    return Ok(None);
                }
            }
            sums.add(&access)?;
        }
        let summary = accesses.summary();
        let mut measured = sums.finish(summary, document)?;
        let energy = meter.map(|meter| meter.finish(&measured.summary, document));
        measured.energy = energy.transpose()?;
        Ok(Some(measured))
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
