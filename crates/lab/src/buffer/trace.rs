//! What a program asked for, replayed on a simulated target.
//!
//! The accesses run one after the other, and the theory answers for any rate. Where the trace states when
//! each was asked for, it is replayed once more at its own times, and the bytes that waited are counted.

use std::collections::VecDeque;
use std::io::BufRead;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::NoValue;
use wordline_core::{
    Axis, Basis, BufferWorkload, Experiment, LogSource, Metric, Operation, ResultSet, Timing,
    TraceSource,
};
use wordline_trace::{AskedAccess, AskedAccesses, Log, LogPurpose, LogSummary, TraceError};

use super::analysis::Analysis;
use super::provision::ProvisionSource;
use super::stream::{StreamFailure, play};
use super::{log, rows, startup_of};
use crate::backlog::{BacklogError, Rate};
use crate::control::{Control, Progress};
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::instrument::case::{self, DocumentCase};
use crate::payload::Payload;
use crate::sources;
use crate::subject::Subject;
use crate::translation;
use crate::warning::LabWarning;
use crate::work::{Player, Step};

/// The largest access that is replayed, because its bytes are held in RAM.
const ACCESS_MAX: u64 = 16 << 20;

/// Replays the trace on every target and timing class.
pub(super) fn run(
    targets: &[PartOnBoard<'_>],
    source: &TraceSource,
    question: &BufferWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let rates = super::rates(question)?;
    let payload = Payload::new(experiment.seed);
    if question.warm_up_bytes > 0 {
        return Err(SettingProblem::WarmUpOfTrace.of("warm_up"));
    }
    let (rates, payload) = (&rates, &payload);
    let runs = targets.iter().flat_map(|target| {
        experiment
            .timings
            .iter()
            .map(move |timing| (target, *timing))
    });
    let cases = runs.map(|(target, timing)| {
        // How many bytes a trace moves is known at its end.
        DocumentCase::document(&*target.name, 0, experiment, move |control, document| {
            let case = TraceCase {
                target,
                timing,
                source,
                question,
                experiment,
                rates,
                payload,
            };
            case.run(control, document)
        })
    });
    case::run_into(document, cases.collect(), control)
}

/// One target in one timing class.
struct TraceCase<'a> {
    target: &'a PartOnBoard<'a>,
    timing: Timing,
    source: &'a TraceSource,
    question: &'a BufferWorkload,
    experiment: &'a Experiment,
    rates: &'a [Rate],
    payload: &'a Payload,
}

impl TraceCase<'_> {
    fn run(&self, control: &Control<'_>, document: &mut ResultSet) -> Result<(), LabError> {
        let &Self {
            target,
            timing,
            source,
            question,
            experiment,
            rates,
            payload,
        } = self;
        let mut device = crate::connect(target, timing, experiment)?;
        sources::add(document, target, device.as_ref(), timing);
        super::fill(target, question, device.as_mut(), payload, 0, control)?;
        let subject = super::subject(target, source.operation, timing, experiment, question);
        let start = startup_of(question, device.as_ref())?;
        let mut fresh = device.fork_device();
        let mut replay = Replay::open(source, fresh.len(), control)?;
        let mut analysis = Analysis::new(start, rates)?;
        let mut player = Player::new(fresh.as_mut(), payload);
        let mut breathe = |moved| {
            control.report(Progress {
                step: &subject.target,
                done_bytes: moved,
                total_bytes: 0,
            });
            control.stopped()
        };
        let counts = |step: &Step| step.operation == source.operation;
        let steps = replay.by_ref().map(|(step, _)| step);
        let ended = play(&mut player, steps, &mut analysis, counts, &mut breathe);
        let folded = replay.finish(&source.file)?;
        let failed = |failure: StreamFailure, document: &mut ResultSet| {
            for metric in [Metric::ThroughputMean, Metric::RamPeak] {
                subject.add(metric, Err(NoValue::Failed), document);
            }
            document.warn(LabWarning::TraceFailed {
                target: &subject.target,
                failure: &failure,
            });
        };
        match ended {
            Ok(true) => {}
            Ok(false) => {
                document.complete = false;
                return Ok(());
            }
            Err(failure) => {
                failed(failure, document);
                translation::read_only_rows(&subject, fresh.translation(), document);
                return Ok(());
            }
        }
        if analysis.accesses() == 0 {
            return Err(LogProblem::NoneOf(source.operation.name()).of(&source.file));
        }
        let findings = analysis.finish()?;
        let record = findings.curve.record().map(ByteCount::bytes);
        let subject = match record {
            Some(bytes) => subject.at(Axis::AccessBytes, bytes),
            None => subject,
        };
        let provision = ProvisionSource {
            findings: &findings,
            basis: subject.basis,
            horizon_s: question.horizon_s,
            seed: experiment.seed,
            step: None,
            bound: None,
            is_periodic: false,
        };
        rows::add(&subject, &provision, question, document);
        notes(&subject.target, &folded, &source.file, document);
        if folded.timed {
            let mut fresh = device.fork_device();
            let replay = Replay::open(source, fresh.len(), control)?;
            let mut player = Player::new(fresh.as_mut(), payload);
            match own_times(&mut player, replay, source.operation, start.time) {
                Ok(peaks) => peaks.rows(&subject, document),
                Err(failure) => {
                    document.warn(LabWarning::OwnTimesFailed {
                        target: &subject.target,
                        failure: &failure,
                    });
                }
            }
        }
        Ok(())
    }
}

/// What the reader should know of a replayed trace.
pub(crate) fn notes(target: &str, told: &TraceSummary, file: &str, document: &mut ResultSet) {
    let (target, file) = (&target, &file);
    if told.folded > 0 {
        let count = &told.folded;
        document.warn(LabWarning::OutsideAccesses {
            target,
            count,
            file,
        });
    }
    if told.cut > 0 {
        let count = &told.cut;
        document.warn(LabWarning::CutAccesses {
            target,
            count,
            file,
        });
    }
    for oddity in &told.summary.oddities {
        document.warn(log::odd(file, oddity));
    }
}

/// Accesses of a trace as a memory of some size takes them.
pub(crate) struct Replay {
    asked: AskedAccesses<Box<dyn BufRead>>,
    capacity: u64,
    passes: u64,
    fault: Option<TraceError>,
    folded: u64,
    cut: u64,
    timed: bool,
}

/// What was seen of a trace when it ended.
pub(crate) struct TraceSummary {
    pub(crate) folded: u64,
    /// Accesses that are larger than the memory, or than a run may hold.
    pub(crate) cut: u64,
    /// Whether every access states when it was asked for.
    pub(crate) timed: bool,
    pub(crate) summary: LogSummary,
}

impl Replay {
    pub(crate) fn open(
        source: &TraceSource,
        capacity: u64,
        control: &Control<'_>,
    ) -> Result<Self, LabError> {
        let source_of_log = LogSource {
            file: source.file.clone(),
            format: source.format.clone(),
            job: source.job.clone(),
            ..LogSource::default()
        };
        let options = log::options(&source_of_log, LogPurpose::Workload)?;
        let opened = wordline_trace::open(control.open(&source.file)?, &options);
        let opened = opened.map_err(|fault| LabError::Trace {
            file: source.file.clone(),
            source: fault,
        })?;
        match opened {
            Log::Asked(asked) => Ok(Self {
                asked,
                capacity,
                passes: 0,
                fault: None,
                folded: 0,
                cut: 0,
                timed: true,
            }),
            Log::Accesses(_) | Log::Counted(_) => Err(LogProblem::NoWorkload.of(&source.file)),
            Log::Currents(_) => Err(LogProblem::NoAccesses.of(&source.file)),
        }
    }

    /// What was seen of it.
    ///
    /// # Errors
    /// With the fault that ended it, if one did.
    pub(crate) fn finish(self, file: &str) -> Result<TraceSummary, LabError> {
        match self.fault {
            Some(source) => Err(LabError::Trace {
                file: file.to_owned(),
                source,
            }),
            None => Ok(TraceSummary {
                folded: self.folded,
                cut: self.cut,
                timed: self.timed,
                summary: self.asked.summary(),
            }),
        }
    }

    fn step(&mut self, asked: &AskedAccess) -> Step {
        self.timed &= asked.at.is_some();
        let bytes = asked.bytes.min(self.capacity).min(ACCESS_MAX);
        self.cut += u64::from(bytes < asked.bytes);
        let most = self.capacity - bytes;
        let at = if asked.offset <= most {
            asked.offset
        } else {
            self.folded += 1;
            // Folding by the size of the access keeps accesses of one size aligned.
            let places = (self.capacity / bytes.max(1)).max(1);
            asked.offset / bytes.max(1) % places * bytes
        };
        self.passes += 1;
        Step {
            operation: asked.operation,
            at,
            bytes,
            pass: self.passes,
        }
    }
}

impl Iterator for Replay {
    type Item = (Step, Option<Time>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.asked.next()? {
                Ok(asked) if asked.bytes == 0 => {}
                Ok(asked) => return Some((self.step(&asked), asked.at)),
                Err(fault) => {
                    self.fault = Some(fault);
                    return None;
                }
            }
        }
    }
}

/// Peaks of a replay at the trace's own times.
#[derive(Default)]
struct OwnTimes {
    waiting: u64,
    in_flight: u64,
    latency: Time,
}

/// Runs the trace at its own times: an access begins when it was asked for, or when the memory is free.
fn own_times(
    player: &mut Player<'_>,
    mut replay: Replay,
    operation: Operation,
    startup: Time,
) -> Result<OwnTimes, StreamFailure> {
    let began = player.now();
    player.idle_until(began.checked_plus(startup).ok_or(BacklogError::TooMuch)?);
    let mut peaks = OwnTimes::default();
    // Asked for and not begun, in their order, and the counted bytes among them.
    let mut waiting: VecDeque<(Step, Time)> = VecDeque::new();
    let mut waiting_bytes: u64 = 0;
    let mut next = replay.next();
    loop {
        // Nothing waits: the memory idles until something is asked for.
        if waiting.is_empty() {
            let Some((step, at)) = next.take() else {
                return Ok(peaks);
            };
            let at = instant(began, at)?;
            player.idle_until(at);
            waiting_bytes += counted(&step, operation);
            waiting.push_back((step, at));
            next = replay.next();
        }
        let Some((step, asked)) = waiting.pop_front() else {
            continue;
        };
        let bytes = counted(&step, operation);
        waiting_bytes -= bytes;
        player.carry_out(&step)?;
        let end = player.now();
        while let Some((step, at)) = next {
            let at = instant(began, at)?;
            if at >= end {
                next = Some((step, Some(at.since(began))));
                break;
            }
            waiting_bytes += counted(&step, operation);
            waiting.push_back((step, at));
            next = replay.next();
        }
        peaks.waiting = peaks.waiting.max(waiting_bytes);
        peaks.in_flight = peaks.in_flight.max(waiting_bytes + bytes);
        if bytes > 0 {
            peaks.latency = peaks.latency.later(end.since(asked));
        }
    }
}

/// When something was asked for, on the clock of the memory.
fn instant(began: Time, at: Option<Time>) -> Result<Time, BacklogError> {
    let at = began.checked_plus(at.unwrap_or(Time::ZERO));
    at.ok_or(BacklogError::TooMuch)
}

/// Bytes of an access that the buffer holds.
fn counted(step: &Step, operation: Operation) -> u64 {
    if step.operation == operation {
        step.bytes
    } else {
        0
    }
}

impl OwnTimes {
    fn rows(&self, subject: &Subject, document: &mut ResultSet) {
        let at = subject.estimate(Basis::Simulated, "own_times");
        for (metric, value) in [
            (Metric::RamPeak, self.waiting as f64),
            (Metric::RamPeakInFlight, self.in_flight as f64),
            (Metric::LatencyMax, self.latency.si()),
        ] {
            at.add(metric, Ok(value), document);
        }
    }
}
