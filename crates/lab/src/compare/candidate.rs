//! A candidate: a part on a board, alone, as two chips in turn or under a file system, and the way from a study to its figures.

use std::sync::Arc;

use wordline_catalog::{PartOnBoard, Target};
use wordline_core::quantity::{ByteCount, Quantity as _, Time};
use wordline_core::{
    BackgroundWork, CompareWorkload, Experiment, Pattern, Timing, TranslationLayer, WorkKind,
};
use wordline_nvm::{Conditions, Device, NvmError, Synced};

use super::account::{Account, Assessed, LongestRun};
use super::exercise::{CandidateRuns, Ceilings, Exercise, ExerciseRun, Pace, WarmDevice};
use super::files::{OnFiles, file_plan};
use super::judge::JudgedFigures;
use crate::backlog::{Rate, StartUp};
use crate::buffer::analysis::Analysis;
use crate::buffer::bound;
use crate::buffer::rows::limit;
use crate::buffer::stream::StreamFailure;
use crate::control::Control;
use crate::error::LabError;
use crate::payload::{Payload, SECTOR};
use crate::translation;
use crate::work::{Plan, Refusal};

/// Bytes of the range that a run exercises: a part behaves alike everywhere.
const RANGE: u64 = 2 << 20;

/// Records of a range that are enough.
const PLACES: u64 = 1 << 15;

/// Host memory in bytes that the data to keep may take in a run of a memory that cleans up behind its
/// user: it behaves by how much of it is in use, so that all of the data are there.
const HELD: u64 = 256 << 20;

/// A part on a board, alone or as two chips in turn.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) target: PartOnBoard<'a>,
    /// Whether two chips work in turn.
    pub(super) in_turn: bool,
    /// The file system that the work's file is on.
    pub(super) on: Option<OnFiles>,
}

/// How a candidate with other figures is assessed, of which only limits that it fails are asked.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    /// The candidate that it varies, behind its warm-up.
    pub(super) warm: Option<&'a WarmDevice>,
    /// Its runs, where nothing that differs changes what they show.
    pub(super) runs: Option<&'a Arc<CandidateRuns>>,
    /// Whether one limit that it fails is enough, so that a run ends there.
    pub(super) ends_early: bool,
    /// Whether the run at the asked rate comes first, because it is the one that is likely to fail.
    pub(super) paced_first: bool,
    /// The figures of the candidate that it varies, where it is known to sustain the rate and nothing but RAM, latency and
    /// bytes at risk differs: it need not run as fast as it can.
    pub(super) known: Option<&'a JudgedFigures>,
}

/// Why a candidate was not assessed.
pub(super) enum Unfit {
    /// It fails by a limit that has a name, for a reason.
    Limit(&'static str, String),
    /// The caller wants to stop.
    Stopped,
    /// The study itself cannot be run.
    Study(LabError),
}

impl Candidate<'_> {
    /// `PART@BOARD`, `2*PART@BOARD` for two chips in turn, or `FS:PART@BOARD` under a file system.
    pub(super) fn name(&self) -> String {
        if let Some(on) = &self.on {
            format!("{}:{}", on.name, self.target.name)
        } else if self.in_turn {
            Target::InTurn(self.target.clone()).name()
        } else {
            self.target.name.clone()
        }
    }

    /// The translation layer that it is run behind: raw flash alone needs one, and two chips in turn are
    /// written in order by their drivers.
    pub(super) fn layer<'e>(&'e self, experiment: &'e Experiment) -> Option<&'e TranslationLayer> {
        if let Some(on) = &self.on {
            return on.layer.as_ref();
        }
        let layer = experiment.ftl.as_ref();
        layer.filter(|layer| {
            let model = &self.target.part.model;
            !self.in_turn && model.no_translation(layer.mapping).is_none()
        })
    }

    /// Runs the work and draws the conclusions. A trial ends with [`Unfit::Limit`] where it fails a limit for certain, and
    /// needs no proven bound.
    pub(super) fn assess(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
        trial: Option<&Trial<'_>>,
        control: &Control<'_>,
    ) -> Result<Assessed, Unfit> {
        if self.in_turn && !matches!(study.work.kind, WorkKind::Log | WorkKind::Replay) {
            let why = "two chips in turn erase ahead of a log; other work gains nothing from them";
            return Err(Unfit::Limit("in_turn", why.to_owned()));
        }
        if self.target.part.model.is_volatile() {
            let why = "it forgets everything when the supply goes: use it as a buffer, in front of a memory that keeps";
            return Err(Unfit::Limit("risk", why.to_owned()));
        }
        if self.on.is_some() && study.work.kind == WorkKind::Replay {
            let why = "a trace of a block device is replayed on a memory, not in a file";
            return Err(Unfit::Limit("fit", why.to_owned()));
        }
        let (mut device, mapped) = self.used(study, experiment, timing)?;
        let files = self.files_share(study, experiment)?;
        let files_ram = files.map_or(0.0, |files| files.chip.ram_bytes as f64);
        let plan = match &self.on {
            Some(_) => file_plan(study, device.as_ref(), experiment.seed),
            None => plan(study, device.as_ref(), experiment.seed)?,
        };
        // What is stored changes no figure of a comparison.
        device.drop_content();
        let stored = study.work.stored_rate();
        let rate = Rate::try_from(stored).map_err(|error| Unfit::Study(error.into()))?;
        let exercise = Exercise {
            study,
            plan: &plan,
            rate,
            in_turn: self.in_turn,
            volume_bytes: self.on.as_ref().map(|_| self.volume_bytes()),
            ceilings: trial
                .filter(|trial| trial.ends_early)
                .map(|_| Ceilings::of(study, files_ram)),
            limits_alone: trial.is_some(),
            control,
        };
        let (runs, warm) = match trial.and_then(|trial| trial.runs) {
            Some(runs) => (Arc::clone(runs), None),
            None => {
                let (runs, warm) = carry_out(&exercise, device.as_ref(), trial)?;
                (Arc::new(runs), warm)
            }
        };
        let Some(shown) = runs.fast.as_ref().or(runs.paced.as_ref()) else {
            unreachable!("one of them ran")
        };
        let longest = match trial {
            None => self.longest(study, experiment, timing, &plan, rate, control)?,
            Some(_) => None,
        };
        let account = Account {
            target: &self.target,
            chips: if self.in_turn { 2 } else { 1 },
            device: device.as_ref(),
            study,
            fast: shown,
            usage: shown.usage(device.as_ref()),
            paced: runs.paced.as_ref(),
            busy: runs.busy,
            unmapped: study.work.mapped && !mapped,
            record: plan.record_bytes,
            reads_wear: plan.reads > 0.0 && reads_wear(device.as_ref(), &plan),
            files,
        };
        let mut assessed = account.close(longest);
        if trial.is_none() {
            assessed.rate_max = account.rate_max();
            assessed.staircase = account.staircase();
        }
        if let (None, Some(known)) = (&runs.fast, trial.and_then(|trial| trial.known)) {
            // Of the run at the asked rate alone.
            assessed.figures = JudgedFigures {
                throughput: known.throughput.max(study.work.rate.si()),
                ram_provision: assessed.figures.ram_provision,
                latency_max: assessed.figures.latency_max,
                bytes_at_risk: assessed.figures.bytes_at_risk,
                ..known.clone()
            };
        }
        assessed.runs = Some(runs);
        assessed.device = Some(device);
        assessed.warm = warm;
        Ok(assessed)
    }

    /// The run of accesses that all take the longest that they can; `None` where nothing bounds that: of a mix, how many
    /// reads come between two writes; of chips in turn, what they hide of each other.
    fn longest(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
        plan: &Plan,
        rate: Rate,
        control: &Control<'_>,
    ) -> Result<Option<LongestRun>, Unfit> {
        let mixes = plan.reads > 0.0 && plan.reads < 1.0;
        if mixes || study.work.kind == WorkKind::Replay || self.in_turn {
            return Ok(None);
        }
        let timing = bound::bounding(timing);
        let (mut device, _) = self.used(study, experiment, timing)?;
        let analysis = Analysis::new(StartUp::default(), &[rate]);
        let analysis = analysis.map_err(|error| Unfit::Study(error.into()))?;
        let analysis = analysis.without_courses();
        let findings = match bound::bound(device.as_ref(), plan, analysis, control) {
            Ok(findings) => findings,
            Err(StreamFailure::Stopped) => return Err(Unfit::Stopped),
            Err(_) => return Ok(None),
        };
        let access = findings.latency.max();
        let latency = access.and_then(|access| match study.work.during {
            Some(work) => busy_bound(device.as_mut(), work, access),
            None => Some(access),
        });
        let basis = bound::bound_basis(device.as_ref(), timing);
        let bound = bound::Bound { findings, basis };
        Ok(Some(LongestRun { bound, latency }))
    }

    /// The device as the work uses it, and whether its reads are mapped: they are where the study asks for it and the
    /// board can; and it is flushed as often as the study asks where it has a cache that a power cut takes.
    fn used(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
    ) -> Result<(Box<dyn Device>, bool), Unfit> {
        let mut device: Box<dyn Device> = match &self.on {
            Some(on) => Box::new(self.file(on, study, experiment, timing)?),
            None => self.connect(experiment, timing)?,
        };
        let mapped = study.work.mapped && device.map_reads();
        let device = match study.limits.flush_bytes(&study.work) {
            Some(bytes) if device.volatile_bytes() > 0 => {
                Box::new(Synced::every(device, bytes as u64))
            }
            _ => device,
        };
        Ok((device, mapped))
    }

    pub(super) fn connect(
        &self,
        experiment: &Experiment,
        timing: Timing,
    ) -> Result<Box<dyn Device>, Unfit> {
        let connect = || {
            let conditions = Conditions {
                timing,
                age: experiment.age,
                seed: experiment.seed,
            };
            match self.layer(experiment) {
                Some(layer) => self.target.connect_translated(conditions, layer),
                None => self.target.connect(conditions),
            }
        };
        let unfit = |error: NvmError| Unfit::Limit("fit", error.to_string());
        if !self.in_turn {
            return connect().map_err(unfit);
        }
        let (one, other) = (connect().map_err(unfit)?, connect().map_err(unfit)?);
        wordline_nvm::in_turn(one, other)
            .map_err(|error| Unfit::Limit("in_turn", error.to_string()))
    }
}

/// Warms a device up and runs the work on it. Returns the runs, and the warm device where trials or reads go on from it.
fn carry_out(
    exercise: &Exercise<'_>,
    device: &dyn Device,
    trial: Option<&Trial<'_>>,
) -> Result<(CandidateRuns, Option<WarmDevice>), Unfit> {
    let work = &exercise.study.work;
    let warm = exercise.warm(device, trial.and_then(|trial| trial.warm))?;
    // Of a candidate whose figures are moved, and of a memory that is read while it works.
    let kept = trial.is_none() || work.during.is_some();
    let kept = kept.then(|| warm.fork());
    let paces = work.kind != WorkKind::Replay;
    let is_known = paces && trial.is_some_and(|trial| trial.known.is_some());
    // At the asked rate there are pauses, in which a second chip erases and others may fall asleep.
    let at_rate = |warm| exercise.run(warm, Pace::AtRate);
    let sustains = |fast: &ExerciseRun| {
        limit(&fast.findings.curve).is_ok_and(|limit| limit >= exercise.rate.bytes_per_second())
    };
    let (fast, paced) = if is_known {
        (None, Some(at_rate(warm)?))
    } else if paces && trial.is_some_and(|trial| trial.paced_first) {
        let paced = at_rate(warm.fork())?;
        let fast = exercise.run(warm, Pace::Fast)?;
        let sustained = sustains(&fast);
        (Some(fast), Some(paced).filter(|_| sustained))
    } else {
        let fast = exercise.run(warm.fork(), Pace::Fast)?;
        let paced = paces && sustains(&fast);
        let paced = paced.then(|| at_rate(warm));
        (Some(fast), paced.transpose()?)
    };
    let busy = match (work.during, &kept) {
        (Some(work), Some(warm)) => exercise.busy_reads(warm, work)?,
        _ => None,
    };
    Ok((CandidateRuns { fast, paced, busy }, kept))
}

/// An access that the device refused: what a driver alone cannot do on a memory that erases blocks of `unit`
/// bytes needs a translation layer.
pub(super) fn refused(error: &Refusal, unit: u64) -> Unfit {
    let mut why = format!("the device refused an access: {error}");
    if unit == 1 {
        return Unfit::Limit("fit", why);
    }
    why += "; gather records into pages, or put a translation layer in between (--ftl)";
    Unfit::Limit("translation", why)
}

/// The accesses of a study on a device.
fn plan(study: &CompareWorkload, device: &dyn Device, seed: u64) -> Result<Plan, Unfit> {
    let work = &study.work;
    let record = work.record.bytes();
    let capacity = device.len();
    if record > capacity {
        let why = format!(
            "a record of {} does not fit {}",
            work.record,
            ByteCount::from_bytes(capacity)
        );
        return Err(Unfit::Limit("capacity", why));
    }
    let unit = translation::overwrite_bytes(device);
    let scattered = work.kind == WorkKind::Overwrite;
    if scattered && !record.is_multiple_of(unit) {
        let why = format!(
            "it overwrites whole blocks of {}; smaller writes anywhere need a translation layer (--ftl)",
            ByteCount::from_bytes(unit)
        );
        return Err(Unfit::Limit("translation", why));
    }
    let keep = work.keep().bytes(work.rate).min(capacity as f64) as u64;
    let reads = work.reads();
    let range = if reads > 0.0 && reads < 1.0 {
        // Writes are rare here, and whole passes of them are needed to know the wear.
        (4 * unit).max(64 * record)
    } else {
        RANGE.max(8 * unit).max(8 * record)
    };
    // Small records need no large range to show what they do.
    let range = range.min(record.saturating_mul(PLACES).max(4 * unit));
    let range = match device.translation() {
        Some(_) => {
            let payload = Payload::suited(seed, device, std::iter::once(record));
            keep.min(HELD / payload.held_bytes(SECTOR).max(1) * SECTOR)
        }
        None if scattered => range.min(keep),
        None => range,
    };
    Ok(Plan {
        record_bytes: record,
        wrap_bytes: range.clamp(record, capacity),
        pattern: if scattered {
            Pattern::Random
        } else {
            Pattern::Sequential
        },
        reads,
        seed,
    })
}

/// The longest read while the memory does such work, of a read that takes no longer than `access` by itself; `None` where
/// nothing bounds it.
fn busy_bound(device: &mut dyn Device, work: BackgroundWork, access: Time) -> Option<Time> {
    let Some(memory) = device.background() else {
        return Some(access);
    };
    let suspending = memory.check_suspend(work).is_ok();
    let bounds = memory.bounds(work).ok()?;
    bounds.read(access, suspending).ok()
}

/// Whether reading wears the memory, as it does where a read destroys what it reads.
fn reads_wear(device: &dyn Device, plan: &Plan) -> bool {
    let mut device = device.fork_device();
    let mut out = vec![0; plan.record_bytes as usize];
    device.preload(0, &out).is_ok() && device.read(0, &mut out).is_ok() && device.wear().units > 0
}
