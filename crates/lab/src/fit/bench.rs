//! The bench on which a candidate does the work of the log: the same sizes, addresses and pauses.

use std::sync::atomic::{AtomicBool, Ordering};

use wordline_catalog::{Board, Part, Sheet, Target, parse};
use wordline_core::quantity::Time;
use wordline_core::{Operation, Pattern, Timing};
use wordline_nvm::{Conditions, Device};

use super::sample::Sample;
use super::sheet::{Change, changed};
use super::template::Knob;
use crate::payload::Payload;
use crate::work::{Plan, Player, Step};

/// Accesses between two looks at whether to stop.
const BREATH: usize = 1 << 12;

/// Bytes that are stored at a time before the work.
pub(crate) const PIECE: u64 = 1 << 20;

/// Data that lay there before, which every write changes.
const OLD: u64 = 1 << 40;

/// Why a candidate has no durations.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchProblem {
    /// Its figures contradict each other, or do not fit the board.
    #[error("{0}")]
    Sheet(String),
    /// It refused an access.
    #[error("{0}")]
    Access(String),
    /// The caller wants to stop.
    #[error("the caller stopped it")]
    Stopped,
}

/// The work of a log, for any candidate.
pub(crate) struct Bench<'a> {
    /// The part that candidates differ from in their knobs.
    pub(crate) base: &'a Part,
    pub(crate) board: &'a Board,
    pub(crate) sample: &'a Sample,
    pub(crate) pattern: Pattern,
    /// Bytes from address 0 on that the accesses fall into, at most the memory.
    pub(crate) range: u64,
    /// Bytes from address 0 on that hold data before.
    pub(crate) filled: u64,
    /// Accesses of the same kind that come before those of the log.
    pub(crate) warm_up: usize,
    pub(crate) seed: u64,
    pub(crate) age: f64,
    pub(crate) stop: Option<&'a AtomicBool>,
}

impl Bench<'_> {
    /// How long the first `count` accesses of the log take a candidate, in picoseconds.
    pub(crate) fn run(
        &self,
        knobs: &[(Knob, f64)],
        count: usize,
    ) -> Result<Vec<u64>, BenchProblem> {
        let part = self.candidate(knobs)?;
        let mut device = self.connect(&part)?;
        let longest = PIECE.max(self.sample.bytes) as usize;
        let payload = Payload::new(self.seed, longest);
        self.fill(device.as_mut(), &payload)?;
        let mut player = Player::new(device.as_mut(), &payload);
        for (index, step) in self.warm_up_steps().enumerate() {
            if index.is_multiple_of(BREATH) && self.stopped() {
                return Err(BenchProblem::Stopped);
            }
            let done = player.carry_out(&step);
            done.map_err(|error| BenchProblem::Access(error.to_string()))?;
        }
        let began = player.now();
        let mut durations = Vec::with_capacity(count);
        for (index, step) in self.steps(count).enumerate() {
            if index.is_multiple_of(BREATH) && self.stopped() {
                return Err(BenchProblem::Stopped);
            }
            if let Some(start) = self.sample.starts.get(index) {
                let start = began.checked_plus(Time::from_ps(*start));
                player.idle_until(start.ok_or_else(|| too_long())?);
            }
            let duration = player.carry_out(&step);
            let duration = duration.map_err(|error| BenchProblem::Access(error.to_string()))?;
            durations.push(duration.ps());
        }
        Ok(durations)
    }

    /// The base with other values of its knobs.
    fn candidate(&self, knobs: &[(Knob, f64)]) -> Result<Part, BenchProblem> {
        let changes: Vec<Change> = knobs
            .iter()
            .map(|(knob, value)| Change {
                path: knob.path.to_owned(),
                columns: knob.columns(*value),
            })
            .collect();
        let header = &self.base.header;
        let text = changed(&header.text, &changes);
        let text = text.map_err(|problem| BenchProblem::Sheet(problem.to_string()))?;
        match parse(&header.file, &text) {
            Ok(Sheet::Part(part)) => Ok(*part),
            Ok(_) => Err(BenchProblem::Sheet(
                "the sheet is none of a part".to_owned(),
            )),
            Err(errors) => {
                let first = errors.into_iter().next().map(|error| error.message);
                Err(BenchProblem::Sheet(first.unwrap_or_default()))
            }
        }
    }

    fn connect(&self, part: &Part) -> Result<Box<dyn Device>, BenchProblem> {
        let target = Target {
            name: format!("{}@{}", part.header.id, self.board.header.id),
            part,
            board: self.board,
        };
        let conditions = Conditions {
            timing: Timing::Typ,
            age: self.age,
            seed: self.seed,
        };
        let device = target.connect(conditions);
        device.map_err(|error| BenchProblem::Sheet(error.to_string()))
    }

    /// Stores what the log's file held before its first access.
    fn fill(&self, device: &mut dyn Device, payload: &Payload) -> Result<(), BenchProblem> {
        let mut at = 0;
        while at < self.filled {
            if self.stopped() {
                return Err(BenchProblem::Stopped);
            }
            let length = PIECE.min(self.filled - at);
            let piece = payload.at(at, OLD, length as usize);
            let stored = device.preload(at, piece);
            stored.map_err(|error| BenchProblem::Access(error.to_string()))?;
            at += length;
        }
        Ok(())
    }

    /// Accesses before the log, at addresses of their own.
    fn warm_up_steps(&self) -> impl Iterator<Item = Step> {
        let plan = Plan {
            seed: !self.seed,
            ..self.plan()
        };
        plan.steps(self.warm_up as u64)
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn plan(&self) -> Plan {
        Plan {
            record_bytes: self.sample.bytes,
            wrap_bytes: self.range,
            pattern: self.pattern,
            reads: 0.0,
            seed: self.seed,
        }
    }

    /// What the accesses do: at the log's own addresses where it tells them, folded into the range.
    fn steps(&self, count: usize) -> Box<dyn Iterator<Item = Step> + '_> {
        let bytes = self.sample.bytes;
        if self.sample.offsets.is_empty() {
            // The plan is borrowed by its steps.
            let steps: Vec<Step> = self.plan().steps(count as u64).collect();
            return Box::new(steps.into_iter());
        }
        let most = self.range - bytes;
        let places = self.range / bytes;
        let offsets = self.sample.offsets.iter().take(count).zip(0..);
        Box::new(offsets.map(move |(offset, pass)| Step {
            operation: Operation::Write,
            at: if *offset <= most {
                *offset
            } else {
                offset / bytes % places * bytes
            },
            bytes,
            pass,
        }))
    }

    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

fn too_long() -> BenchProblem {
    BenchProblem::Access("the log lasts longer than simulated time can hold".to_owned())
}
