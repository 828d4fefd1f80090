//! The work of a study, carried out on a device.

use wordline_core::quantity::{Quantity, Time};
use wordline_core::{CompareWorkload, Operation, TraceSource, WorkKind};
use wordline_nvm::{Device, NvmError, TranslationReport};

use super::candidate::{Unfit, refused};
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::buffer::analysis::{Analysis, Findings};
use crate::buffer::open_loop::arrival;
use crate::buffer::stream::{self, Failure, OPEN_LOOP_MAX, play};
use crate::buffer::trace::{Replay, Told};
use crate::control::Control;
use crate::error::LabError;
use crate::payload::Payload;
use crate::state;
use crate::translation::{self, Stretch};
use crate::work::{Plan, Player, Spent, Step};

/// The most accesses of a run, in which reads may be many for each write.
const STEPS_MAX: u64 = 4 << 20;

/// Records that a run at the asked rate follows.
const PACED_MAX: u64 = 4096;

/// Records that a run of a memory follows which cleans up behind its user, and as many before them: what
/// it cleans comes in waves.
const LAYER_RECORDS: u64 = 1 << 15;

/// Records up to which a warm-up goes on until such a memory has used up its spare blocks, so that it has to clean.
const LAYER_WARM_MAX: u64 = 1 << 20;

/// The longest time that a warm-up is left to settle: longer than any erase.
const SETTLE_MAX: Time = Time::from_ps(3_600_000_000_000_000);

/// How fast accesses follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Each begins when the one before it has ended.
    Fast,
    /// Each waits for its data, which come at the asked rate.
    AtRate,
}

/// What is to be carried out.
pub(super) struct Exercise<'a> {
    pub(super) study: &'a CompareWorkload,
    pub(super) plan: &'a Plan,
    /// Of the bytes that the buffer holds.
    pub(super) rate: Rate,
    pub(super) in_turn: bool,
    pub(super) control: &'a Control<'a>,
}

/// The work, carried out.
pub(super) struct Run {
    pub(super) findings: Findings,
    /// What it took and wore, a warm-up excluded.
    pub(super) spent: Spent,
    /// What a translation layer did meanwhile.
    pub(super) stretch: Option<Stretch>,
    /// Bytes that its flash had taken by the end, with what lay there before.
    pub(super) taken: u64,
    /// What was seen of a trace.
    pub(super) told: Option<Told>,
    /// The device after the run.
    pub(super) device: Box<dyn Device>,
}

impl Exercise<'_> {
    /// A fork of a device that holds what the work finds there. What is read was written before. A memory that cleans
    /// up behind its user holds the data to keep long before the end of its life; and a card in use is a full one,
    /// whatever the data to keep, because hardly anybody tells it what is no longer wanted.
    pub(super) fn prepare(&self, device: &dyn Device) -> Result<Box<dyn Device>, Unfit> {
        let mut device = device.fork_device();
        let tidies = device.translation().is_some();
        let told = self.study.work.fill.map(Quantity::si).filter(|_| tidies);
        let share = told.unwrap_or(if tidies && device.holds_words() {
            1.0
        } else {
            0.0
        });
        let unfit = |error: NvmError| Unfit::Limit("fit", error.to_string());
        let bytes = state::share_bytes(device.as_ref(), share);
        device.preload_zeros(0, bytes).map_err(unfit)?;
        if self.plan.reads > 0.0 || (tidies && told.is_none()) {
            let payload = self.payload(device.as_ref());
            let bytes = self.kept();
            state::fill(device.as_mut(), bytes, &payload, 0, self.control).map_err(unfit)?;
        }
        Ok(device)
    }

    /// Bytes of the range that the work is in.
    fn kept(&self) -> u64 {
        self.plan.places() * self.plan.record_bytes
    }

    fn payload(&self, device: &dyn Device) -> Payload {
        match self.study.work.kind {
            WorkKind::Replay => Payload::new(self.plan.seed),
            _ => {
                let sizes = std::iter::once(self.plan.record_bytes);
                Payload::suited(self.plan.seed, device, sizes)
            }
        }
    }

    /// Carries out the work on a fork of a [prepared](Self::prepare) device.
    pub(super) fn run(&self, device: &dyn Device, pace: Pace) -> Result<Run, Unfit> {
        let fault = |error: BacklogError| Unfit::Study(error.into());
        let mut device = device.fork_device();
        let payload = self.payload(device.as_ref());
        let tidies = device.translation().is_some();
        let unit = translation::overwrite_bytes(device.as_ref());
        let mut player = Player::new(device.as_mut(), &payload);
        let mut analysis = Analysis::new(StartUp::default(), &[self.rate]).map_err(fault)?;
        let ended = match &self.study.work.trace {
            Some(trace) if self.study.work.kind == WorkKind::Replay => {
                self.replay(trace, &mut player, &mut analysis)
            }
            _ => self.records(&mut player, &mut analysis, unit, pace, tidies),
        };
        let (before, spent, told) = match ended {
            Ok(ended) => ended,
            Err(Stop::Unfit(unfit)) => return Err(unfit),
            Err(Stop::Failure(Failure::Access(error))) => return Err(refused(&error, unit)),
            Err(Stop::Failure(Failure::Device(error))) => return Err(refused(&error.into(), unit)),
            Err(Stop::Failure(Failure::Backlog(error))) => return Err(fault(error)),
            Err(Stop::Failure(Failure::Stopped)) => return Err(Unfit::Stopped),
        };
        drop(player);
        if analysis.accesses() == 0 {
            return Err(Unfit::Study(LabError::Log {
                file: self.study.work.trace.clone().unwrap_or_default(),
                problem: "there is no write in it".to_owned(),
            }));
        }
        Ok(Run {
            findings: analysis.finish().map_err(fault)?,
            spent,
            stretch: Stretch::between(before, device.translation()),
            taken: device.translation().map_or(0, |now| {
                self.held_before(device.as_ref()) + programmed(&now)
            }),
            told,
            device,
        })
    }

    /// Bytes that lie on a device with a layer before the work.
    fn held_before(&self, device: &dyn Device) -> u64 {
        match self.study.work.fill {
            Some(told) => state::share_bytes(device, told.si()),
            None if device.holds_words() => device.len(),
            None => self.kept(),
        }
    }

    /// Whether the buffer holds an access: what is stored, or what is read where nothing is.
    fn counts(&self, step: &Step) -> bool {
        step.operation == Operation::Write || self.plan.reads >= 1.0
    }

    fn replay(
        &self,
        trace: &str,
        player: &mut Player<'_>,
        analysis: &mut Analysis,
    ) -> Result<(Option<TranslationReport>, Spent, Option<Told>), Stop> {
        let source = TraceSource {
            file: trace.to_owned(),
            format: None,
            job: None,
            operation: Operation::Write,
        };
        let study = |error| Stop::Unfit(Unfit::Study(error));
        let capacity = player.capacity();
        let mut replay = Replay::open(&source, capacity, self.control).map_err(study)?;
        let (layer, before) = (player.translation(), player.accounts());
        let steps = replay.by_ref().map(|(step, _)| step);
        let mut breathe = |_| self.control.stopped();
        let ended = play(
            player,
            steps,
            analysis,
            |step| self.counts(step),
            &mut breathe,
        );
        let told = replay.finish(trace).map_err(study)?;
        if !ended? {
            return Err(Stop::Unfit(Unfit::Stopped));
        }
        if told.cut > 0 {
            let why = format!(
                "{} accesses of the trace are larger than the memory",
                told.cut
            );
            return Err(Stop::Unfit(Unfit::Limit("capacity", why)));
        }
        Ok((layer, player.accounts().since(&before), Some(told)))
    }

    /// Records of a plan: whole passes of what the buffer holds, with whatever else comes between.
    fn records(
        &self,
        player: &mut Player<'_>,
        analysis: &mut Analysis,
        unit: u64,
        pace: Pace,
        tidies: bool,
    ) -> Result<(Option<TranslationReport>, Spent, Option<Told>), Stop> {
        let places = self.plan.places();
        // Chips in turn erase ahead in the order of their blocks, and a range that starts over before the
        // memory ends would have them erase what is not needed next. They have erased ahead once the
        // log has come as far as both of them.
        let (wanted, mut warm) = if self.in_turn {
            (places, (2 * unit / self.plan.record_bytes).min(places - 1))
        } else if tidies {
            let wanted = LAYER_RECORDS.min(2 * places);
            (2 * wanted, wanted)
        } else {
            (2 * places, 0)
        };
        let mut wanted = match pace {
            Pace::Fast => wanted,
            Pace::AtRate if tidies => wanted,
            Pace::AtRate => wanted.min(PACED_MAX + warm),
        };
        // A warm-up is run through, and the input begins behind it: not before a block of it would have been
        // filled at the asked rate, which is how long the other chip has had to erase by then.
        let a_block = unit / self.plan.record_bytes;
        let fill = arrival(a_block, self.plan.record_bytes, 0, self.rate);
        let fill = fill.map_or(SETTLE_MAX, |fill| {
            Time::from_ps(fill.ps().min(SETTLE_MAX.ps()))
        });
        let mut began = player.now();
        let mut block_began = began;
        let mut before = player.accounts();
        let mut layer = player.translation();
        let mut counted = 0;
        let mut delay = Time::ZERO;
        for (index, step) in (0..STEPS_MAX).zip(self.plan.steps(STEPS_MAX)) {
            if index % stream::BREATH == 0 && self.control.stopped() {
                return Err(Stop::Unfit(Unfit::Stopped));
            }
            let counts = self.counts(&step);
            if counted + a_block == warm {
                block_began = player.now();
            }
            if counts && counted >= warm && pace == Pace::AtRate {
                match arrival(counted - warm, self.plan.record_bytes, 0, self.rate) {
                    Some(at) if at <= OPEN_LOOP_MAX => player.idle_until(began.plus(at)),
                    _ => break,
                }
            }
            let duration = player.carry_out(&step).map_err(Failure::from)?;
            let together = delay.checked_plus(duration).ok_or(BacklogError::TooMuch);
            let together = together.map_err(Failure::from)?;
            if !counts {
                delay = together;
                continue;
            }
            delay = Time::ZERO;
            counted += 1;
            let more = (wanted - warm).min(LAYER_WARM_MAX.saturating_sub(warm));
            if counted == warm && tidies && !settled(player) {
                (warm, wanted) = (warm + more, wanted + more);
            }
            if counted > warm {
                analysis.push(together, step.bytes).map_err(Failure::from)?;
            } else if counted == warm {
                if pace == Pace::AtRate {
                    player.idle_until(block_began.plus(fill));
                }
                began = player.now();
                before = player.accounts();
                layer = player.translation();
            }
            if counted == wanted {
                break;
            }
        }
        Ok((layer, player.accounts().since(&before), None))
    }
}

/// Bytes of the pages that a layer programmed.
fn programmed(layer: &TranslationReport) -> u64 {
    let work = &layer.work;
    let moved = work.cleaned + work.merged + work.folded + work.leveled;
    (work.written + moved) * layer.page_bytes
}

/// Whether a layer has written more than its spare blocks hold, so that it had to clean some.
fn settled(player: &Player<'_>) -> bool {
    let report = player.translation();
    report
        .is_none_or(|now| programmed(&now) >= now.physical_bytes.saturating_sub(player.capacity()))
}

/// Why a run did not come to its end.
enum Stop {
    Unfit(Unfit),
    Failure(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
