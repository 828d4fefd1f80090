//! Records on a simulated target: run as fast as it can, bounded by proof, and run again at the rates that
//! the user asked for.

use wordline_catalog::Target;
use wordline_core::quantity::{ByteCount, Quantity, Time};
use wordline_core::results::{NoValue, WarningCode};
use wordline_core::{
    Arrival, Basis, BufferWorkload, Experiment, Metric, Operation, Pattern, ResultSet,
    StreamSource, Timing,
};
use wordline_nvm::{Device, NvmError};

use super::analysis::{Analysis, Findings};
use super::{rows, startup_of};
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::control::{Control, Progress};
use crate::error::LabError;
use crate::payload::Payload;
use crate::sources;
use crate::subject::Subject;
use crate::work::{Plan, Player, Refusal, Step};

/// The largest record, because its bytes are held in RAM.
pub(crate) const RECORD_MAX: u64 = 16 << 20;

/// The most memory of one device that a run may touch, because its bytes are held in RAM.
const FOOTPRINT_MAX: u64 = 4 << 30;

/// Simulated time that an open-loop run is followed for: 100 days.
pub(crate) const OPEN_LOOP_MAX: Time = Time::from_ps(100 * 86_400 * 1_000_000_000_000);

/// Accesses between two signs of life.
pub(crate) const BREATH: u64 = 1 << 12;

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("the device refused an access: {0}")]
    Device(#[from] NvmError),
    #[error(transparent)]
    Access(#[from] Refusal),
    #[error(transparent)]
    Backlog(#[from] BacklogError),
    #[error("the caller stopped it")]
    Stopped,
}

/// A stream that suits some targets: records of `record` bytes, in order, within the first 8 MiB or the
/// smallest part, 64 MiB of them.
#[must_use]
pub fn default_stream(
    targets: &[Target<'_>],
    record: u64,
    wrap: Option<u64>,
    total: Option<u64>,
) -> StreamSource {
    let usable = targets
        .iter()
        .map(|target| target.part.model.usable_bytes());
    let smallest = usable.min().unwrap_or(u64::MAX);
    let wrap_bytes = wrap.unwrap_or_else(|| smallest.min((8 << 20).max(record)));
    let many = record.saturating_mul(4 << 20).max(wrap_bytes);
    StreamSource {
        operation: Operation::Write,
        pattern: Pattern::Sequential,
        record_bytes: record,
        total_bytes: total.unwrap_or_else(|| many.min((64 << 20).max(wrap_bytes))),
        wrap_bytes,
    }
}

/// Runs the stream on every target and timing class.
pub(super) fn run(
    targets: &[Target<'_>],
    stream: &StreamSource,
    question: &BufferWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(targets, stream)?;
    let plan = Plan {
        record_bytes: stream.record_bytes,
        wrap_bytes: stream.wrap_bytes,
        pattern: stream.pattern,
        reads: match stream.operation {
            Operation::Read => 1.0,
            Operation::Write => 0.0,
        },
        seed: experiment.seed,
    };
    let payload = Payload::new(experiment.seed, stream.record_bytes as usize);
    let runs = targets.len() * experiment.timings.len();
    let mut done = 0;
    for target in targets {
        for &timing in &experiment.timings {
            let subject = Subject::simulated(
                target,
                experiment.workload.name(),
                stream.operation,
                timing,
                experiment.age,
            )
            .at("access_bytes", stream.record_bytes);
            let mut breathe = |moved: u64| {
                control.report(Progress {
                    step: &subject.target,
                    done_bytes: done + moved,
                    total_bytes: stream.total_bytes.saturating_mul(runs as u64),
                });
                control.stopped()
            };
            let case = Case {
                target,
                timing,
                plan: &plan,
                payload: &payload,
                accesses: stream.total_bytes / stream.record_bytes,
                question,
                experiment,
                control,
            };
            match case.run(&subject, &mut breathe, document)? {
                Some(()) => done += stream.total_bytes,
                None => {
                    document.complete = false;
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// One target in one timing class.
struct Case<'a> {
    target: &'a Target<'a>,
    timing: Timing,
    plan: &'a Plan,
    payload: &'a Payload,
    accesses: u64,
    question: &'a BufferWorkload,
    experiment: &'a Experiment,
    control: &'a Control<'a>,
}

impl Case<'_> {
    /// `None` when the caller wants to stop.
    fn run(
        &self,
        subject: &Subject,
        breathe: &mut dyn FnMut(u64) -> bool,
        document: &mut ResultSet,
    ) -> Result<Option<()>, LabError> {
        let device = self.connect(self.timing)?;
        sources::add(document, self.target, device.as_ref(), self.timing);
        let unit = device.overwrite_bytes();
        let scattered = self.plan.pattern == Pattern::Random && self.plan.reads < 1.0;
        if scattered && !self.plan.record_bytes.is_multiple_of(unit) {
            document
                .rows
                .push(subject.row(Metric::ThroughputMean, Err(NoValue::NotApplicable)));
            let advice = format!(
                "{}: this memory overwrites whole blocks of {}; random writes that are no multiple of it \
                 need a translation layer",
                subject.target,
                ByteCount::from_bytes(unit)
            );
            document.warn(WarningCode::NeedsTranslation, advice);
            return Ok(Some(()));
        }
        let start = startup_of(self.question, device.as_ref())?;
        let rates = super::rates(self.question)?;
        let mut fresh = device.fork_device();
        let closed = self.closed_loop(fresh.as_mut(), start, &rates, breathe);
        let findings = match closed {
            Ok(Some(findings)) => findings,
            Ok(None) => return Ok(None),
            Err(failure) => {
                for metric in [Metric::ThroughputMean, Metric::RamPeak] {
                    document
                        .rows
                        .push(subject.row(metric, Err(NoValue::Failed)));
                }
                let advice = format!("{}: {failure}", subject.target);
                document.warn(WarningCode::RunFailed, advice);
                return Ok(Some(()));
            }
        };
        let seed = self.experiment.seed;
        rows::add(subject, &findings, self.question, seed, document);
        for rate in &rates {
            if findings.curve.limit().is_none_or(|limit| *rate <= limit) {
                let mut fresh = device.fork_device();
                match self.open_loop(fresh.as_mut(), start, *rate, breathe) {
                    Ok(Some(open)) => open.rows(subject, *rate, document),
                    Ok(None) => return Ok(None),
                    Err(failure) => {
                        let advice = format!("{}, open loop: {failure}", subject.target);
                        document.warn(WarningCode::RunFailed, advice);
                    }
                }
            }
        }
        if let Some(bound) = self.bound(&rates, document)? {
            rows::add_bound(
                subject,
                bound.basis,
                &bound.findings,
                self.question,
                &self.question.ram_bytes,
                document,
            );
        }
        Ok(document.complete.then_some(()))
    }

    fn connect(&self, timing: Timing) -> Result<Box<dyn Device>, LabError> {
        let mut device = crate::connect(self.target, timing, self.experiment)?;
        if self.plan.reads > 0.0 {
            preload(device.as_mut(), self.plan, self.payload).map_err(|source| {
                LabError::Device {
                    target: self.target.name.clone(),
                    source,
                }
            })?;
        }
        Ok(device)
    }

    /// Every access begins when the one before it has ended.
    fn closed_loop(
        &self,
        device: &mut dyn Device,
        start: StartUp,
        rates: &[Rate],
        breathe: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Findings>, Failure> {
        let mut analysis = Analysis::new(start, rates)?;
        let mut player = Player::new(device, self.payload);
        let steps = self.plan.steps(self.accesses);
        let ended = play(&mut player, steps, &mut analysis, |_| true, breathe)?;
        Ok(if ended {
            Some(analysis.finish()?)
        } else {
            None
        })
    }

    /// Record k comes k periods after power-up, and is written as soon as the memory is free.
    fn open_loop(
        &self,
        device: &mut dyn Device,
        start: StartUp,
        rate: Rate,
        breathe: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<OpenLoop>, Failure> {
        let mut player = Player::new(device, self.payload);
        let began = player.now();
        let mut open = OpenLoop::default();
        let ready = began.checked_plus(start.time);
        player.idle_until(ready.ok_or(BacklogError::TooMuch)?);
        for (index, step) in (0..).zip(self.plan.steps(self.accesses)) {
            if index % BREATH == 0 && breathe(index * self.plan.record_bytes) {
                return Ok(None);
            }
            // A slow input would outlast what simulated time can hold; it is followed for so long.
            let first = start.backlog.bytes();
            let there = first.saturating_sub(index.saturating_mul(self.plan.record_bytes));
            let arrival = match arrival(index, self.plan.record_bytes, first, rate) {
                Some(at) if at <= OPEN_LOOP_MAX => began.plus(at),
                _ => break,
            };
            player.idle_until(arrival);
            let duration = player.carry_out(&step)?;
            open.note(
                player.now().since(arrival),
                duration,
                rate,
                self.plan.record_bytes,
                there.into(),
            );
        }
        Ok(Some(open))
    }

    /// What accesses at the longest that they can take would need; `None` where nothing is proven: a
    /// random order repeats nothing.
    fn bound(&self, rates: &[Rate], document: &mut ResultSet) -> Result<Option<Bound>, LabError> {
        if !self.plan.is_periodic() {
            return Ok(None);
        }
        let timing = bounding(self.timing);
        let device = self.connect(timing)?;
        let start = startup_of(self.question, device.as_ref())?;
        match bound(device.as_ref(), self.plan, start, rates, self.control) {
            Ok(findings) => Ok(Some(Bound {
                findings,
                basis: bound_basis(device.as_ref(), timing),
            })),
            Err(Failure::Stopped) => {
                document.complete = false;
                Ok(None)
            }
            Err(failure) => {
                let advice = format!("{}: no proven bound: {failure}", self.target.name);
                document.warn(WarningCode::RunFailed, advice);
                Ok(None)
            }
        }
    }
}

/// Carries out accesses one after the other and adds them up. One that does not count for the buffer
/// delays the next one that does. Returns whether it came to the end; `breathe` may stop it.
pub(crate) fn play(
    player: &mut Player<'_>,
    steps: impl Iterator<Item = Step>,
    analysis: &mut Analysis,
    counts: impl Fn(&Step) -> bool,
    breathe: &mut dyn FnMut(u64) -> bool,
) -> Result<bool, Failure> {
    let mut moved = 0;
    let mut delay = Time::ZERO;
    for (index, step) in (0u64..).zip(steps) {
        if index.is_multiple_of(BREATH) && breathe(moved) {
            return Ok(false);
        }
        let duration = player.carry_out(&step)?;
        moved += step.bytes;
        let together = delay.checked_plus(duration).ok_or(BacklogError::TooMuch)?;
        delay = if counts(&step) {
            analysis.push(together, step.bytes)?;
            Time::ZERO
        } else {
            together
        };
    }
    Ok(true)
}

/// What accesses at the longest that they can take would need.
pub(crate) struct Bound {
    pub(crate) findings: Findings,
    /// Proof from the sheets' figures, or less.
    pub(crate) basis: Basis,
}

/// The timing class whose bound holds for another: what is drawn for each operation stays below the
/// maximum alone.
pub(crate) const fn bounding(timing: Timing) -> Timing {
    match timing {
        Timing::Sampled => Timing::Max,
        fixed => fixed,
    }
}

/// When record `index` begins to come, counted from power-up, where `first` bytes waited then; `None` beyond
/// what simulated time can hold.
pub(crate) fn arrival(index: u64, record: u64, first: u64, rate: Rate) -> Option<Time> {
    let before = (u128::from(record) * u128::from(index)).saturating_sub(first.into());
    let ps = before.checked_mul(rate.ps())?.div_ceil(rate.bytes().into());
    u64::try_from(ps).ok().map(Time::from_ps)
}

/// What a bound at a timing class rests on: proof from the sheets' figures, unless a time lacks the column
/// that would make it one.
pub(crate) fn bound_basis(device: &dyn Device, timing: Timing) -> Basis {
    let notes = device.notes();
    let mut gaps = notes.part.fallbacks.iter().chain(&notes.board.fallbacks);
    let about_time = |figure: &str| {
        !["current", "standby", "power_down"]
            .iter()
            .any(|name| figure.contains(name))
    };
    let open =
        timing == Timing::Max && gaps.any(|gap| gap.wanted == "max" && about_time(&gap.figure));
    if open { Basis::Assumed } else { Basis::Proven }
}

/// What a periodic plan would need if every access took the longest that it can. The accesses go round, so
/// that two rounds hold every sequence of them that is no longer than a round and an access; of longer ones they
/// hold some, and prove nothing. A backlog that is carried from one round into the next in a sustained run is
/// gone before the next has ended.
pub(crate) fn bound(
    device: &dyn Device,
    plan: &Plan,
    start: StartUp,
    rates: &[Rate],
    control: &Control<'_>,
) -> Result<Findings, Failure> {
    let mut analysis = Analysis::new(start, rates)?;
    for (index, step) in (0u64..).zip(plan.steps(2 * plan.places())) {
        if index.is_multiple_of(BREATH) && control.stopped() {
            return Err(Failure::Stopped);
        }
        let duration = match step.operation {
            Operation::Write => device.write_bound(step.at, step.bytes)?,
            Operation::Read => device.read_bound(step.at, step.bytes)?,
        };
        analysis.push(duration, step.bytes)?;
    }
    let mut findings = analysis.finish()?;
    findings
        .longest
        .retain(|sequence| sequence.accesses <= plan.places() + 1);
    Ok(findings)
}

/// Fills what a plan reads.
pub(crate) fn preload(
    device: &mut dyn Device,
    plan: &Plan,
    payload: &Payload,
) -> Result<(), NvmError> {
    for place in 0..plan.places() {
        let at = place * plan.record_bytes;
        device.preload(at, payload.at(at, 0, plan.record_bytes as usize))?;
    }
    Ok(())
}

/// Peaks of a run in which records wait for their data.
#[derive(Default)]
struct OpenLoop {
    in_flight: u128,
    fluid: f64,
    latency: Time,
}

impl OpenLoop {
    /// Notes a record that was in the memory's hands or waiting for `sojourn`, and the bytes from its own on
    /// that were `there` when it began to come.
    fn note(&mut self, sojourn: Time, duration: Time, rate: Rate, record: u64, there: u128) {
        // Bytes that came meanwhile; records that are complete when the access ends do not wait yet.
        let came = u128::from(sojourn.ps()) * u128::from(rate.bytes());
        let scaled = came.saturating_add(there.saturating_mul(rate.ps()));
        let records = scaled.div_ceil(rate.ps() * u128::from(record));
        self.in_flight = self.in_flight.max(records.max(1) * u128::from(record));
        self.fluid = self.fluid.max(scaled as f64 / rate.ps() as f64);
        self.latency = self.latency.later(duration);
    }

    fn rows(&self, subject: &Subject, rate: Rate, document: &mut ResultSet) {
        let subject = subject
            .estimate(subject.basis, "open_loop")
            .at("rate_bytes_per_s", rate.bytes_per_second());
        let Some(record) = subject
            .axes
            .get("access_bytes")
            .and_then(|axis| match axis {
                wordline_core::results::AxisValue::Count(bytes) => Some(*bytes as f64),
                _ => None,
            })
        else {
            return;
        };
        for (arrival, in_flight) in [
            (Arrival::Record, self.in_flight as f64),
            (Arrival::Fluid, self.fluid),
        ] {
            let at = subject.at("arrival", arrival.name());
            let waiting = (in_flight - record).max(0.0);
            document.rows.push(at.row(Metric::RamPeak, Ok(waiting)));
            document
                .rows
                .push(at.row(Metric::RamPeakInFlight, Ok(in_flight)));
        }
        document
            .rows
            .push(subject.row(Metric::LatencyMax, Ok(self.latency.si())));
    }
}

fn check(targets: &[Target<'_>], stream: &StreamSource) -> Result<(), LabError> {
    let wrong = |what, found, problem| {
        Err(LabError::Size {
            what,
            found: ByteCount::from_bytes(found),
            problem,
        })
    };
    let print = ByteCount::from_bytes;
    for target in targets {
        let capacity = target.part.model.usable_bytes();
        if stream.wrap_bytes > capacity || stream.wrap_bytes == 0 {
            let part = &target.part.header.id;
            let problem = format!("is outside {part}; allowed: 1 B to {}", print(capacity));
            return wrong("wrap", stream.wrap_bytes, problem);
        }
    }
    let most = stream.wrap_bytes.min(stream.total_bytes).min(RECORD_MAX);
    if stream.record_bytes == 0 || stream.record_bytes > most {
        let problem = format!(
            "does not fit; allowed: 1 B to {}, the smallest of wrap ({}), total ({}) and {}",
            print(most),
            print(stream.wrap_bytes),
            print(stream.total_bytes),
            print(RECORD_MAX)
        );
        return wrong("record", stream.record_bytes, problem);
    }
    if stream.wrap_bytes > FOOTPRINT_MAX {
        let problem = format!(
            "is more than a run may hold; allowed: up to {}",
            print(FOOTPRINT_MAX)
        );
        return wrong("wrap", stream.wrap_bytes, problem);
    }
    Ok(())
}
