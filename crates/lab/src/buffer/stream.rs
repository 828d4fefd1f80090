//! Records on a simulated target: run as fast as it can, bounded by proof, and run again at the rates that
//! the user asked for.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::results::NoValue;
use wordline_core::{
    Axis, BufferWorkload, Experiment, Metric, Operation, Pattern, ResultSet, StreamSource, Timing,
};
use wordline_nvm::{Device, NvmError};

use super::analysis::{Analysis, BufferFindings};
use super::bound::{Bound, bound, bound_basis, bounding};
use super::layer::BufferLayerWork;
use super::open_loop::{OpenLoop, arrival};
use super::provision::ProvisionSource;
use super::{rows, startup_of};
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::control::{Control, Progress};
use crate::error::{LabError, SettingProblem, check_access};
use crate::instrument::case::{self, DocumentCase};
use crate::payload::Payload;
use crate::sources;
use crate::state::{FOOTPRINT_MAX, PASSES_MAX};
use crate::subject::Subject;
use crate::translation::{self, Stretch};
use crate::warning::LabWarning;
use crate::work::{Plan, Player, Refusal, Step};

/// The largest record, because its bytes are held in RAM.
pub(crate) const RECORD_MAX: u64 = 16 << 20;

/// Simulated time that an open-loop run is followed for: 100 days.
pub(crate) const OPEN_LOOP_MAX: Time = Time::from_ps(100 * 86_400 * 1_000_000_000_000);

/// Accesses between two signs of life.
pub(crate) const BREATH: u64 = 1 << 12;

/// Why a run has no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamFailure {
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
    targets: &[PartOnBoard<'_>],
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
    targets: &[PartOnBoard<'_>],
    stream: &StreamSource,
    question: &BufferWorkload,
    experiment: &Experiment,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    check(targets, stream, experiment)?;
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
    let plan = &plan;
    let runs = targets.iter().flat_map(|target| {
        experiment
            .timings
            .iter()
            .map(move |timing| (target, *timing))
    });
    let cases = runs.map(|(target, timing)| {
        let subject = super::subject(target, stream.operation, timing, experiment, question)
            .at(Axis::AccessBytes, stream.record_bytes);
        let name = subject.target.clone();
        let run = move |control: &Control<'_>, document: &mut ResultSet| {
            let mut breathe = |moved: u64| {
                control.report(Progress {
                    step: &subject.target,
                    done_bytes: moved,
                    total_bytes: stream.total_bytes,
                });
                control.stopped()
            };
            let case = StreamCase {
                target,
                timing,
                plan,
                warm: question.warm_up_bytes / stream.record_bytes,
                accesses: stream.total_bytes / stream.record_bytes,
                question,
                experiment,
                control,
            };
            if case.run(&subject, &mut breathe, document)?.is_none() {
                document.complete = false;
            }
            Ok(())
        };
        DocumentCase::document(name, stream.total_bytes, experiment, run)
    });
    case::run_into(document, cases.collect(), control)
}

/// One target in one timing class.
struct StreamCase<'a> {
    target: &'a PartOnBoard<'a>,
    timing: Timing,
    plan: &'a Plan,
    /// Accesses before anything counts.
    warm: u64,
    accesses: u64,
    question: &'a BufferWorkload,
    experiment: &'a Experiment,
    control: &'a Control<'a>,
}

impl StreamCase<'_> {
    /// `None` when the caller wants to stop.
    fn run(
        &self,
        subject: &Subject,
        breathe: &mut dyn FnMut(u64) -> bool,
        document: &mut ResultSet,
    ) -> Result<Option<()>, LabError> {
        let mut device = crate::connect(self.target, self.timing, self.experiment)?;
        sources::add(document, self.target, device.as_ref(), self.timing);
        let unit = translation::overwrite_bytes(device.as_ref());
        let scattered = self.plan.pattern == Pattern::Random && self.plan.reads < 1.0;
        if scattered && !self.plan.record_bytes.is_multiple_of(unit) {
            subject.add(
                Metric::ThroughputMean,
                Err(NoValue::NotApplicable),
                document,
            );
            document.warn(LabWarning::NeedsTranslation {
                name: &subject.target,
                block: &ByteCount::from_bytes(unit),
            });
            return Ok(Some(()));
        }
        let payload = self.prepare(device.as_mut())?;
        let start = startup_of(self.question, device.as_ref())?;
        let rates = super::rates(self.question)?;
        let failed = |failure: StreamFailure, document: &mut ResultSet| {
            for metric in [Metric::ThroughputMean, Metric::RamPeak] {
                subject.add(metric, Err(NoValue::Failed), document);
            }
            document.warn(LabWarning::RunFailed {
                name: &subject.target,
                failure: &failure,
            });
        };
        let mut fresh = device.fork_device();
        let closed = self
            .warm_up(device.as_mut(), &mut fresh, &payload, breathe)
            .and_then(|warm| match warm {
                true => self.closed_loop(fresh.as_mut(), &payload, start, &rates, breathe),
                false => Ok(None),
            });
        let closed = match closed {
            Ok(Some(closed)) => closed,
            Ok(None) => return Ok(None),
            Err(failure) => {
                failed(failure, document);
                for device in [&device, &fresh] {
                    translation::read_only_rows(subject, device.translation(), document);
                }
                return Ok(Some(()));
            }
        };
        let findings = &closed.findings;
        let bound = self.bound(&rates, document)?;
        let source = ProvisionSource {
            findings,
            basis: subject.basis,
            horizon_s: self.question.horizon_s,
            seed: self.experiment.seed,
            step: None,
            bound: bound.as_ref(),
            is_periodic: self.plan.is_periodic(),
        };
        rows::add(subject, &source, self.question, document);
        closed.work.rows(subject, fresh.as_ref(), document);
        closed.work.warn_if_fresh(subject, document);
        for rate in &rates {
            if findings.curve.limit().is_none_or(|limit| *rate <= limit) {
                let mut fresh = device.fork_device();
                match self.open_loop(fresh.as_mut(), &payload, start, *rate, breathe) {
                    Ok(Some(open)) => open.rows(subject, *rate, fresh.as_ref(), document),
                    Ok(None) => return Ok(None),
                    Err(failure) => {
                        document.warn(LabWarning::OpenLoopFailed {
                            target: &subject.target,
                            failure: &failure,
                        });
                    }
                }
            }
        }
        if let Some(bound) = bound {
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

    /// Fills the device as was asked, and with what the plan reads. Returns what is written to it.
    fn prepare(&self, device: &mut dyn Device) -> Result<Payload, LabError> {
        let sizes = std::iter::once(self.plan.record_bytes);
        let payload = Payload::suited(self.experiment.seed, device, sizes);
        let touched = payload.held_bytes(self.plan.wrap_bytes);
        if touched > FOOTPRINT_MAX {
            return Err(SettingProblem::LargeRange {
                found: ByteCount::from_bytes(self.plan.wrap_bytes),
                most: ByteCount::from_bytes(FOOTPRINT_MAX),
            }
            .of("wrap"));
        }
        let read = if self.plan.reads > 0.0 {
            self.plan.places() * self.plan.record_bytes
        } else {
            0
        };
        super::fill(
            self.target,
            self.question,
            device,
            &payload,
            read,
            self.control,
        )?;
        Ok(payload)
    }

    /// Runs what comes before anything counts, and puts both devices into the state after it. Returns
    /// whether it came to the end.
    fn warm_up(
        &self,
        device: &mut dyn Device,
        fork: &mut Box<dyn Device>,
        payload: &Payload,
        breathe: &mut dyn FnMut(u64) -> bool,
    ) -> Result<bool, StreamFailure> {
        let mut player = Player::new(device, payload);
        for (index, step) in (0u64..).zip(self.plan.steps(self.warm)) {
            if index.is_multiple_of(BREATH) && breathe(0) {
                return Ok(false);
            }
            player.carry_out(&step)?;
        }
        drop(player);
        *fork = device.fork_device();
        Ok(true)
    }

    /// The accesses that count.
    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let all = self.plan.steps(self.warm + self.accesses);
        all.skip(self.warm as usize)
    }

    /// Every access begins when the one before it has ended.
    fn closed_loop(
        &self,
        device: &mut dyn Device,
        payload: &Payload,
        start: StartUp,
        rates: &[Rate],
        breathe: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<ClosedLoop>, StreamFailure> {
        let mut analysis = Analysis::new(start, rates)?.with_window(self.question.window);
        let before = device.translation();
        let mut player = Player::new(device, payload);
        let ended = play(&mut player, self.steps(), &mut analysis, |_| true, breathe)?;
        let work = BufferLayerWork {
            causes: *player.sum(),
            accesses: analysis.accesses(),
            written: match self.plan.reads > 0.0 {
                true => 0,
                false => player.bytes(),
            },
            stretch: Stretch::between(before, device.translation()),
        };
        Ok(match ended {
            true => Some(ClosedLoop {
                findings: analysis.finish()?,
                work,
            }),
            false => None,
        })
    }

    /// Record k comes k periods after power-up, and is written as soon as the memory is free.
    fn open_loop(
        &self,
        device: &mut dyn Device,
        payload: &Payload,
        start: StartUp,
        rate: Rate,
        breathe: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<OpenLoop>, StreamFailure> {
        let record = self.plan.record_bytes;
        let before = device.translation();
        let mut player = Player::new(device, payload);
        let began = player.now();
        let mut open = OpenLoop::new(record);
        let ready = began.checked_plus(start.time);
        player.idle_until(ready.ok_or(BacklogError::TooMuch)?);
        for (index, step) in (0..).zip(self.steps()) {
            if index % BREATH == 0 && breathe(index * record) {
                return Ok(None);
            }
            // A slow input would outlast what simulated time can hold; it is followed for so long.
            let first = start.backlog.bytes();
            let there = first.saturating_sub(index.saturating_mul(record));
            let arrival = match arrival(index, record, first, rate) {
                Some(at) if at <= OPEN_LOOP_MAX => began.plus(at),
                _ => break,
            };
            player.idle_until(arrival);
            let duration = player.carry_out(&step)?;
            open.note(player.now().since(arrival), duration, rate, there.into());
        }
        open.work = BufferLayerWork {
            causes: *player.sum(),
            accesses: open.accesses(),
            written: match self.plan.reads > 0.0 {
                true => 0,
                false => player.bytes(),
            },
            stretch: Stretch::between(before, device.translation()),
        };
        Ok(Some(open))
    }

    /// What accesses at the longest that they can take would need.
    fn bound(&self, rates: &[Rate], document: &mut ResultSet) -> Result<Option<Bound>, LabError> {
        let timing = bounding(self.timing);
        let device = crate::connect(self.target, timing, self.experiment)?;
        let start = startup_of(self.question, device.as_ref())?;
        let analysis = Analysis::new(start, rates)?;
        match bound(device.as_ref(), self.plan, analysis, self.control) {
            Ok(findings) => Ok(Some(Bound {
                findings,
                basis: bound_basis(device.as_ref(), timing),
            })),
            Err(StreamFailure::Stopped) => {
                document.complete = false;
                Ok(None)
            }
            Err(failure) => {
                document.warn(LabWarning::NoBound {
                    target: &self.target.name,
                    failure: &failure,
                });
                Ok(None)
            }
        }
    }
}

/// What a run as fast as the device allows showed.
struct ClosedLoop {
    findings: BufferFindings,
    work: BufferLayerWork,
}

/// Carries out accesses one after the other and adds them up. One that does not count for the buffer
/// delays the next one that does. Returns whether it came to the end; `breathe` may stop it.
pub(crate) fn play(
    player: &mut Player<'_>,
    steps: impl Iterator<Item = Step>,
    analysis: &mut Analysis,
    counts: impl Fn(&Step) -> bool,
    breathe: &mut dyn FnMut(u64) -> bool,
) -> Result<bool, StreamFailure> {
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

fn check(
    targets: &[PartOnBoard<'_>],
    stream: &StreamSource,
    experiment: &Experiment,
) -> Result<(), LabError> {
    for target in targets {
        // What every sample of the part has; of a layer or a card, what it shows.
        let device = crate::connect(target, Timing::Typ, experiment)?;
        let capacity = target.part.model.usable_bytes().min(device.len());
        if stream.wrap_bytes > capacity || stream.wrap_bytes == 0 {
            return Err(SettingProblem::Outside {
                found: ByteCount::from_bytes(stream.wrap_bytes),
                part: target.part.header.id.clone(),
                most: ByteCount::from_bytes(capacity),
            }
            .of("wrap"));
        }
        let most = capacity.saturating_mul(PASSES_MAX);
        if stream.total_bytes > most {
            return Err(SettingProblem::ManyPasses {
                found: ByteCount::from_bytes(stream.total_bytes),
                part: target.part.header.id.clone(),
                most: ByteCount::from_bytes(most),
            }
            .of("total"));
        }
    }
    let limits = [stream.wrap_bytes, stream.total_bytes, RECORD_MAX];
    check_access("record", stream.record_bytes, limits)
}
