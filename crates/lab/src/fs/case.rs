//! A file system on a target: formatted, filled, tested and cut.

use wordline_core::quantity::ByteCount;
use wordline_core::results::NoValue;
use wordline_core::{Axis, FsTest, FsWorkload, ResultSet, RowOperation};
use wordline_engines::Open;
use wordline_nvm::Memory;

use super::calls::{CallFailure, CallStep, FILE, FileCalls, Mounted};
use super::crash;
use super::engine::Ready;
use super::part::FileSystemMedium;
use super::system::FileSystemCase;
use crate::backlog::Rate;
use crate::control::Control;
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

/// The tests of a file system on a target in a timing class.
pub(super) struct Case<'a> {
    pub(super) system: FileSystemCase<'a>,
    pub(super) workload: &'a FsWorkload,
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
                self.system
                    .failed(&subject, RowOperation::Mount, &failure, document);
                return true;
            }
        };
        let mut fresh = Vec::new();
        for (number, &test) in self.workload.tests.iter().enumerate() {
            breathe((number + 1) as f64);
            // Every test mounts; the first one shows what that takes.
            let tell_mount = number == 0;
            match self.test(&subject, &prepared, test, tell_mount, document) {
                Ok(stored) if self.system.engine.cleans() && stored < self.system.bytes => {
                    fresh.push(test.name());
                }
                Ok(_) => {}
                Err(CallFailure::Stopped) => return false,
                Err(failure) => self
                    .system
                    .failed(&subject, test.into(), &failure, document),
            }
        }
        if !fresh.is_empty() {
            document.warn(LabWarning::FreshFileSystem {
                name: &self.system.name(&subject),
                steps: &fresh.join(", "),
                bytes: &ByteCount::from_bytes(self.system.bytes),
            });
        }
        true
    }

    /// The mount and the RAM on the whole memory, empty, where the other runs have a part of it because no capacity
    /// was given.
    pub(super) fn whole(&self, document: &mut ResultSet) {
        let bytes = self.system.memory.capacity_bytes();
        if self.workload.capacity_bytes.is_some()
            || bytes <= self.system.bytes
            || !self.system.suits
        {
            return;
        }
        let subject = self.subject(0.0).at(Axis::CapacityBytes, bytes);
        let mut run = || -> Result<(), CallFailure> {
            let medium = FileSystemMedium::new(self.system.memory.fork(), bytes);
            self.system.engine.format(&medium)?;
            let medium = FileSystemMedium::new(medium.fork(), bytes);
            let (mut ready, mount) = self.system.mount(&medium)?;
            let file = ready.mounted.open(FILE, Open::Create)?;
            ready.mounted.finish(file)?;
            self.system
                .rows(&subject, &CallStep::MOUNT, &mount, document);
            self.system
                .ram(&subject, &ready.mounted, &ready.layer_ram, document);
            Ok(ready.mounted.engine.unmount()?)
        };
        if let Err(failure) = run() {
            self.system
                .failed(&subject, RowOperation::Mount, &failure, document);
        }
    }

    /// The memory, formatted and filled.
    fn prepare(&self, fill: f64, breathe: &mut dyn FnMut(f64)) -> Result<Prepared, CallFailure> {
        let medium = FileSystemMedium::new(self.system.memory.fork(), self.system.bytes);
        self.system.engine.format(&medium)?;
        if fill > 0.0 {
            let Ready { mut mounted, .. } = self.system.engine.mount(&medium)?;
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

    /// Runs a test on a fork of a prepared memory. Returns the bytes that were stored since that was formatted.
    fn test(
        &self,
        subject: &Subject,
        prepared: &Prepared,
        test: FsTest,
        tell_mount: bool,
        document: &mut ResultSet,
    ) -> Result<u64, CallFailure> {
        let medium = FileSystemMedium::new(prepared.memory.fork(), self.system.bytes);
        let (ready, mount) = self.system.mount(&medium)?;
        let Ready {
            mounted, layer_ram, ..
        } = ready;
        let mut bench = FileCalls {
            mounted,
            medium: &medium,
            workload: self.workload,
            payload: self.payload,
            seed: self.system.experiment.seed,
            rates: self.rates,
            control: self.control,
            done: Vec::new(),
        };
        let ran = bench.run(test);
        if tell_mount {
            self.system
                .rows(subject, &CallStep::MOUNT, &mount, document);
            self.system
                .ram(subject, &bench.mounted, &layer_ram, document);
        }
        for (step, measured) in &bench.done {
            self.system.rows(subject, step, measured, document);
        }
        ran?;
        bench.mounted.engine.unmount()?;
        let stored_bytes = medium.with(|medium| medium.total().stored_bytes());
        Ok(prepared.stored_bytes + stored_bytes)
    }

    /// The verdict on power cuts, with what is wrong first as a warning. Returns whether it came to its end.
    pub(super) fn crash(&self, document: &mut ResultSet) -> bool {
        let subject = self.system.subject().doing(RowOperation::Crash);
        if !self.system.suits {
            let rows = power_cuts::rows_without(&subject, NoValue::NotApplicable);
            document.rows.extend(rows);
            return true;
        }
        let (images, seed) = (self.workload.crash_images, self.system.experiment.seed);
        let found = crash::check(
            &self.system.engine,
            &self.system.memory,
            images,
            seed,
            self.control,
        );
        let verdict = &found.verdict;
        if self.control.stopped() {
            return false;
        }
        if let Some(violation) = power_cuts::uncut_failure(verdict) {
            let rows = power_cuts::rows_without(&subject, NoValue::Failed);
            document.rows.extend(rows);
            document.warn(LabWarning::UncutFailure {
                target: &subject.target,
                engine: &self.system.engine.kind.title(),
                violation,
            });
            return true;
        }
        document.rows.extend(power_cuts::rows(&subject, verdict));
        document.warn(LabWarning::CutsSampled {
            target: &subject.target,
            engine: &self.system.engine.kind.title(),
            images: &verdict.images,
            operations: &verdict.operations,
            calls: &found.calls,
            images_again: &verdict.images_again,
            distinct: &verdict.distinct,
        });
        if !found.kinds.is_empty() {
            let why = self
                .system
                .engine
                .why(verdict.failures, found.without_start);
            let why = why.into_iter().map(|why| format!("; {why}"));
            document.warn(LabWarning::PromiseBroken {
                target: &subject.target,
                engine: &self.system.engine.kind.title(),
                kinds: &found.kinds.join(", "),
                why: &why.collect::<String>(),
            });
        }
        true
    }

    /// What its rows at a fill level share; the operation is that of the mount.
    fn subject(&self, fill: f64) -> Subject {
        self.system
            .subject()
            .at(Axis::Fill, fill)
            .at(Axis::CapacityBytes, self.system.bytes)
    }
}
