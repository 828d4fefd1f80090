//! The bench on which a candidate does the work of the log: the same sizes, addresses and pauses.

use std::sync::atomic::{AtomicBool, Ordering};

use wordline_catalog::{Board, Part, PartOnBoard, Sheet, parse};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Operation, Pattern, Timing};
use wordline_nvm::{Conditions, Device};

use super::sample::Sample;
use super::sheet::{SheetChange, changed};
use super::template::Knob;
use crate::error::BenchProblem;
use crate::work::{Plan, Step};

/// Accesses between two looks at whether to stop.
const BREATH: usize = 1 << 12;

/// Bytes that are stored at a time before the work.
pub(crate) const PIECE: u64 = 1 << 20;

/// The work of a log, for any candidate.
#[derive(Clone, Copy)]
pub(crate) struct FitBench<'a> {
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
    pub(crate) warm_up: u64,
    pub(crate) seed: u64,
    pub(crate) age: f64,
    pub(crate) stop: Option<&'a AtomicBool>,
}

impl FitBench<'_> {
    /// How long the first `count` accesses of the log take a candidate, in picoseconds.
    pub(crate) fn run(
        &self,
        knobs: &[(Knob, f64)],
        count: usize,
    ) -> Result<Vec<u64>, BenchProblem> {
        let part = self.candidate(knobs)?;
        let mut device = self.connect(&part)?;
        self.check_overwrites(device.as_ref())?;
        self.fill(device.as_mut())?;
        // What is stored costs the same whatever it is, and it is not read.
        let data = vec![0; self.sample.bytes as usize];
        // At addresses of their own.
        let before = Plan {
            seed: !self.seed,
            ..self.plan()
        };
        for (index, step) in before.steps(self.warm_up).enumerate() {
            self.breathe(index)?;
            write(device.as_mut(), &step, &data)?;
        }
        let pauses: Vec<u64> = self.sample.pauses().collect();
        let mut durations = Vec::with_capacity(count);
        for (index, step) in self.steps(count).enumerate() {
            self.breathe(index)?;
            // As much rest as in the log, however long the accesses before took: what a card does with it counts, and
            // a candidate that is late must not lose it.
            if let Some(pause) = index.checked_sub(1).and_then(|before| pauses.get(before)) {
                let now = device.clock().now();
                let start = now.checked_plus(Time::from_ps(*pause));
                device
                    .clock()
                    .advance_to(start.ok_or(BenchProblem::TooLong)?);
            }
            durations.push(write(device.as_mut(), &step, &data)?);
        }
        Ok(durations)
    }

    /// The base with other values of its knobs.
    fn candidate(&self, knobs: &[(Knob, f64)]) -> Result<Part, BenchProblem> {
        let changes: Vec<SheetChange> = knobs
            .iter()
            .map(|(knob, value)| SheetChange {
                path: knob.path.to_owned(),
                columns: knob.columns(*value),
            })
            .collect();
        let header = &self.base.header;
        let text = changed(&header.text, &changes);
        let text = text.map_err(BenchProblem::Unchanged)?;
        match parse(&header.file, &text) {
            Ok(Sheet::Part(part)) => Ok(*part),
            Ok(_) => Err(BenchProblem::NoPart),
            Err(errors) => {
                let first = errors.into_iter().next().map(|error| error.message);
                Err(BenchProblem::Unsound(first.unwrap_or_default()))
            }
        }
    }

    fn connect(&self, part: &Part) -> Result<Box<dyn Device>, BenchProblem> {
        let target = PartOnBoard {
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
        device.map_err(BenchProblem::Refused)
    }

    /// Raw flash cannot take what a translation layer would have to sort out.
    fn check_overwrites(&self, device: &dyn Device) -> Result<(), BenchProblem> {
        let unit = device.overwrite_bytes();
        if self.pattern == Pattern::Random && !self.sample.bytes.is_multiple_of(unit) {
            return Err(BenchProblem::BlockOverwrite(ByteCount::from_bytes(unit)));
        }
        Ok(())
    }

    /// Stores what the memory held before the first access.
    fn fill(&self, device: &mut dyn Device) -> Result<(), BenchProblem> {
        let piece = vec![0; PIECE.min(self.filled) as usize];
        let mut at = 0;
        while at < self.filled {
            self.breathe(0)?;
            let length = PIECE.min(self.filled - at);
            let stored = device.preload(at, &piece[..length as usize]);
            stored.map_err(BenchProblem::Refused)?;
            at += length;
        }
        Ok(())
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

    /// What the accesses do: at the log's own addresses where it records them, folded into the range.
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

    /// Looks now and then whether to stop.
    fn breathe(&self, index: usize) -> Result<(), BenchProblem> {
        let stopped = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if index.is_multiple_of(BREATH) && stopped() {
            return Err(BenchProblem::Stopped);
        }
        Ok(())
    }
}

/// One access; returns how long it took in picoseconds.
fn write(device: &mut dyn Device, step: &Step, data: &[u8]) -> Result<u64, BenchProblem> {
    let start = device.clock().now();
    let written = device.write(step.at, data);
    written.map_err(BenchProblem::Refused)?;
    Ok(device.clock().now().since(start).ps())
}
