//! A file system on a target: formatted, filled, tested and cut.

use wordline_core::quantity::{ByteCount, Time};
use wordline_core::results::{AxisValue, NoValue};
use wordline_core::{
    Axis, Experiment, FsTest, FsWorkload, Metric, ResultSet, RowOperation, Timing,
};
use wordline_engines::{FsError, FsErrorKind, Open};
use wordline_nvm::Memory;

use super::calls::{CallFailure, CallStep, FILE, FileCalls, Measured, Mounted};
use super::engine::{FileSystemSetup, Ready};
use super::part::FileSystemMedium;
use super::{crash, rows};
use crate::backlog::Rate;
use crate::control::Control;
use crate::instrument::tally::UnitWear;
use crate::instrument::{self, OperationTally};
use crate::payload::Payload;
use crate::power_cuts;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Bytes of a file that fills the memory, where there are no more than [`OLD_FILES`].
const OLD_FILE: u64 = 256 << 10;

/// Files that fill the memory, at most: looking a file up takes longer with each.
const OLD_FILES: u64 = 256;

/// Bytes of a call that writes one.
const OLD_PIECE: usize = 4096;

/// A memory that was formatted and filled.
struct Prepared {
    memory: Memory,
    /// Bytes that were stored for that.
    stored_bytes: u64,
}

/// A file system on a target in a timing class.
pub(super) struct Case<'a> {
    pub(super) engine: FileSystemSetup<'a>,
    pub(super) timing: Timing,
    /// As it was made.
    pub(super) memory: Memory,
    /// Bytes of it that the file system gets.
    pub(super) bytes: u64,
    /// Whether they suit it.
    pub(super) suits: bool,
    pub(super) workload: &'a FsWorkload,
    pub(super) experiment: &'a Experiment,
    pub(super) payload: &'a Payload,
    pub(super) rates: &'a [Rate],
    pub(super) control: &'a Control<'a>,
}

impl Case<'_> {
    /// Runs everything at a fill level, and reports how many of its steps are done. Returns whether it came to its end,
    /// with figures or without.
    pub(super) fn run(
        &self,
        fill: f64,
        breathe: &mut dyn FnMut(f64),
        document: &mut ResultSet,
    ) -> bool {
        breathe(0.0);
        let subject = self.subject(fill);
        let prepared = match self.prepare(fill, breathe) {
            Ok(prepared) => prepared,
            Err(CallFailure::Stopped) => return false,
            Err(failure) => {
                self.failed(&subject, RowOperation::Mount, &failure, document);
                return true;
            }
        };
        let mut fresh = Vec::new();
        for (number, &test) in self.workload.tests.iter().enumerate() {
            breathe((number + 1) as f64);
            // Every test mounts; the first one shows what that takes.
            let tell_mount = number == 0;
            match self.test(&subject, &prepared, test, tell_mount, document) {
                Ok(stored) if self.engine.cleans() && stored < self.bytes => {
                    fresh.push(test.name());
                }
                Ok(_) => {}
                Err(CallFailure::Stopped) => return false,
                Err(failure) => self.failed(&subject, test.into(), &failure, document),
            }
        }
        if !fresh.is_empty() {
            document.warn(LabWarning::FreshFileSystem {
                name: &self.name(&subject),
                steps: &fresh.join(", "),
                bytes: &ByteCount::from_bytes(self.bytes),
            });
        }
        true
    }

    /// The mount and the RAM on the whole memory, empty, where the other runs have a part of it because no capacity
    /// was given.
    pub(super) fn whole(&self, document: &mut ResultSet) {
        let bytes = self.memory.capacity_bytes();
        if self.workload.capacity_bytes.is_some() || bytes <= self.bytes || !self.suits {
            return;
        }
        let subject = self.subject(0.0).at(Axis::CapacityBytes, bytes);
        let mut run = || -> Result<(), CallFailure> {
            let medium = FileSystemMedium::new(self.memory.fork(), bytes);
            self.engine.format(&medium)?;
            let medium = FileSystemMedium::new(medium.fork(), bytes);
            let (mut ready, mount) = self.mount(&medium)?;
            let file = ready.mounted.open(FILE, Open::Create)?;
            ready.mounted.finish(file)?;
            self.rows(&subject, &CallStep::MOUNT, &mount, document);
            self.ram(&subject, &ready.mounted, &ready.layer_ram, document);
            Ok(ready.mounted.engine.unmount()?)
        };
        if let Err(failure) = run() {
            self.failed(&subject, RowOperation::Mount, &failure, document);
        }
    }

    /// The memory, formatted and filled.
    fn prepare(&self, fill: f64, breathe: &mut dyn FnMut(f64)) -> Result<Prepared, CallFailure> {
        let medium = FileSystemMedium::new(self.memory.fork(), self.bytes);
        self.engine.format(&medium)?;
        if fill > 0.0 {
            let Ready { mut mounted, .. } = self.engine.mount(&medium)?;
            self.fill(&mut mounted, fill, breathe)?;
            mounted.engine.unmount()?;
        }
        Ok(Prepared {
            memory: medium.fork(),
            stored_bytes: medium.with(|medium| medium.total().stored_bytes()),
        })
    }

    /// Writes files until a share of the file system's room is taken.
    fn fill(
        &self,
        mounted: &mut Mounted,
        share: f64,
        breathe: &mut dyn FnMut(f64),
    ) -> Result<(), CallFailure> {
        let space = mounted.engine.space()?;
        let taken = space.total - space.free.min(space.total);
        let mut left = ((space.total as f64 * share) as u64).saturating_sub(taken);
        let (all, file_bytes) = (left, OLD_FILE.max(left.div_ceil(OLD_FILES)));
        let mut piece = [0; OLD_PIECE];
        mounted.engine.create_dir("/old")?;
        for number in 0.. {
            if left == 0 {
                break;
            }
            let file = mounted.open(&format!("/old/{number}"), Open::Replace)?;
            let bytes = left.min(file_bytes);
            for at in (0..bytes).step_by(OLD_PIECE) {
                if self.control.stopped() {
                    return Err(CallFailure::Stopped);
                }
                let piece = &mut piece[..(bytes - at).min(OLD_PIECE as u64) as usize];
                self.payload.fill(at, number, piece);
                mounted.engine.write(file, at, piece)?;
            }
            mounted.finish(file)?;
            left -= bytes;
            breathe((all - left) as f64 / all as f64);
        }
        Ok(())
    }

    /// Mounts what is on a memory, timed.
    fn mount(&self, medium: &FileSystemMedium) -> Result<(Ready, Measured), CallFailure> {
        let mut tally = medium.with(|medium| OperationTally::begin(medium, false, UnitWear::Whole));
        let start = medium.now();
        let ready = self.engine.mount(medium)?;
        medium.with(|medium| {
            tally.call(medium, start, 0);
            tally.end(medium);
        });
        let mount = Measured {
            tally,
            findings: None,
        };
        Ok((ready, mount))
    }

    /// Runs a test on a fork of a prepared memory. Returns the bytes that were stored since that was formatted.
    fn test(
        &self,
        subject: &Subject,
        prepared: &Prepared,
        test: FsTest,
        tell_mount: bool,
        document: &mut ResultSet,
    ) -> Result<u64, CallFailure> {
        let medium = FileSystemMedium::new(prepared.memory.fork(), self.bytes);
        let (ready, mount) = self.mount(&medium)?;
        let Ready {
            mounted, layer_ram, ..
        } = ready;
        let mut bench = FileCalls {
            mounted,
            medium: &medium,
            workload: self.workload,
            payload: self.payload,
            seed: self.experiment.seed,
            rates: self.rates,
            control: self.control,
            done: Vec::new(),
        };
        let ran = bench.run(test);
        if tell_mount {
            self.rows(subject, &CallStep::MOUNT, &mount, document);
            self.ram(subject, &bench.mounted, &layer_ram, document);
        }
        for (step, measured) in &bench.done {
            self.rows(subject, step, measured, document);
        }
        ran?;
        bench.mounted.engine.unmount()?;
        let stored_bytes = medium.with(|medium| medium.total().stored_bytes());
        Ok(prepared.stored_bytes + stored_bytes)
    }

    fn rows(
        &self,
        subject: &Subject,
        step: &CallStep,
        measured: &Measured,
        document: &mut ResultSet,
    ) {
        let mut at = subject.doing(step.operation);
        if let Some(bytes) = step.access_bytes {
            at = at.at(Axis::AccessBytes, bytes);
        }
        let name = format!("{}, {}", self.name(subject), step.operation);
        if measured.tally.busy == Time::ZERO {
            document.warn(LabWarning::IdleCalls { name: &name });
        }
        rows::add(&at, &name, measured, document);
    }

    /// RAM of the mounted file system, with the file of the test open.
    fn ram(
        &self,
        subject: &Subject,
        mounted: &Mounted,
        layer_ram: &[(&'static str, u64)],
        document: &mut ResultSet,
    ) {
        let at = subject.doing(RowOperation::Mount);
        let ram = mounted.ram().iter().map(|part| (part.name, part.bytes));
        let mut parts: Vec<_> = ram.collect();
        parts.extend(layer_ram);
        let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
        document
            .rows
            .push(at.row(Metric::FileSystemRam, Ok(all as f64)));
        for (part, bytes) in parts {
            let at = at.at(Axis::Cause, part);
            document
                .rows
                .push(at.row(Metric::FileSystemRamPart, Ok(bytes as f64)));
        }
    }

    /// The verdict on power cuts, with what is wrong first as a warning. Returns whether it came to its end.
    pub(super) fn crash(&self, document: &mut ResultSet) -> bool {
        let subject = self.file_system().doing(RowOperation::Crash);
        if !self.suits {
            let rows = power_cuts::rows_without(&subject, NoValue::NotApplicable);
            document.rows.extend(rows);
            return true;
        }
        let (images, seed) = (self.workload.crash_images, self.experiment.seed);
        let found = crash::check(&self.engine, &self.memory, images, seed, self.control);
        let verdict = &found.verdict;
        if self.control.stopped() {
            return false;
        }
        if let Some(violation) = power_cuts::uncut_failure(verdict) {
            let rows = power_cuts::rows_without(&subject, NoValue::Failed);
            document.rows.extend(rows);
            document.warn(LabWarning::UncutFailure {
                target: &subject.target,
                engine: &self.engine.kind.title(),
                violation,
            });
            return true;
        }
        document.rows.extend(power_cuts::rows(&subject, verdict));
        document.warn(LabWarning::CutsSampled {
            target: &subject.target,
            engine: &self.engine.kind.title(),
            images: &verdict.images,
            operations: &verdict.operations,
            calls: &found.calls,
            images_again: &verdict.images_again,
            distinct: &verdict.distinct,
        });
        if !found.kinds.is_empty() {
            let why = self.engine.why(verdict.failures, found.without_start);
            let why = why.into_iter().map(|why| format!("; {why}"));
            document.warn(LabWarning::PromiseBroken {
                target: &subject.target,
                engine: &self.engine.kind.title(),
                kinds: &found.kinds.join(", "),
                why: &why.collect::<String>(),
            });
        }
        true
    }

    /// What all rows of the file system share.
    fn file_system(&self) -> Subject {
        let target = self.engine.target;
        let (workload, age) = (self.experiment.workload.name(), self.experiment.age);
        Subject::simulated(target, workload, RowOperation::Mount, self.timing, age)
            .at(Axis::Fs, self.engine.kind.name())
            .behind(self.engine.layer.as_ref())
    }

    /// What its rows at a fill level share; the operation is that of the mount.
    fn subject(&self, fill: f64) -> Subject {
        self.file_system()
            .at(Axis::Fill, fill)
            .at(Axis::CapacityBytes, self.bytes)
    }

    /// The case in words.
    fn name(&self, subject: &Subject) -> String {
        let fill = subject.axes.get(&Axis::Fill).map(ToString::to_string);
        let bytes = match subject.axes.get(&Axis::CapacityBytes) {
            Some(AxisValue::Count(bytes)) => *bytes,
            _ => self.bytes,
        };
        format!(
            "{}, {} of {}, fill {}, {} timing",
            self.engine.target.name,
            self.engine.kind.title(),
            ByteCount::from_bytes(bytes),
            fill.unwrap_or_default(),
            self.timing
        )
    }

    /// The rows of what could not be run, with the reason as a warning.
    fn failed(
        &self,
        subject: &Subject,
        operation: RowOperation,
        failure: &CallFailure,
        document: &mut ResultSet,
    ) {
        let unsuitable = matches!(
            failure,
            CallFailure::Engine(FsError {
                kind: FsErrorKind::Unsuitable,
                ..
            })
        );
        let reason = match unsuitable {
            true => NoValue::NotApplicable,
            false => NoValue::Failed,
        };
        let at = subject.doing(operation);
        instrument::rows::without_value(&at, &rows::HEADLINE, reason, document);
        let why = self.engine.bad_start(&self.memory);
        let why = why.map_or_else(String::new, |why| format!("; {why}"));
        let (name, operation, why) = (&self.name(subject), &operation, &why);
        document.warn(match unsuitable {
            true => LabWarning::FilesUnsuitable {
                name,
                operation,
                failure,
                why,
            },
            false => LabWarning::FilesFailed {
                name,
                operation,
                failure,
                why,
            },
        });
    }
}
