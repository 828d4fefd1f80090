//! A file system on a target: what every workload that runs one says of it.

use std::collections::BTreeMap;

use wordline_catalog::{Model, PartOnBoard};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::results::{AxisValue, NoValue};
use wordline_core::{Axis, EngineName, Experiment, Metric, ResultSet, RowOperation, Timing};
use wordline_engines::{FsError, FsErrorKind};
use wordline_nvm::{Conditions, Memory};

use super::calls::{CallFailure, CallStep, Measured, Mounted};
use super::engine::{FileSystemSetup, Ready, file_system};
use super::part::FileSystemMedium;
use super::rows;
use crate::error::LabError;
use crate::instrument::tally::UnitWear;
use crate::instrument::{self, OperationTally};
use crate::sources;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// A file system on a target in a timing class.
pub(crate) struct FileSystemCase<'a> {
    pub(crate) engine: FileSystemSetup<'a>,
    pub(crate) timing: Timing,
    /// As it was made.
    pub(crate) memory: Memory,
    /// Bytes of it that the file system gets.
    pub(crate) bytes: u64,
    /// Whether they suit it.
    pub(crate) suits: bool,
    /// Choices that distinguish it from the same file system in the document, in words.
    pub(crate) varied: Option<String>,
    pub(crate) experiment: &'a Experiment,
}

/// Which file systems run on which part of each target.
pub(crate) struct FileSystemChoices<'a> {
    pub(crate) file_systems: &'a [EngineName],
    pub(crate) settings: &'a BTreeMap<String, String>,
    /// Bytes of a memory that each gets, where the user said so.
    pub(crate) asked_bytes: Option<u64>,
    /// The same as they are, of a memory.
    pub(crate) bytes: &'a dyn Fn(&Model) -> u64,
}

impl<'a> FileSystemCase<'a> {
    /// Every file system on every target in every timing class. The document gets what the reader should know of each.
    ///
    /// # Errors
    /// When a name or a choice is none, or a part does not work on its board.
    pub(crate) fn all(
        targets: &'a [PartOnBoard<'a>],
        choices: &FileSystemChoices<'_>,
        experiment: &'a Experiment,
        document: &mut ResultSet,
    ) -> Result<Vec<Self>, LabError> {
        let mut all = Vec::new();
        for &timing in &experiment.timings {
            for target in targets {
                for name in choices.file_systems {
                    let one = Self::new(target, name, timing, choices, experiment, document)?;
                    all.push(one);
                }
            }
        }
        Ok(all)
    }

    /// One file system on one target in a timing class.
    ///
    /// # Errors
    /// As [`all`](Self::all).
    pub(crate) fn new(
        target: &'a PartOnBoard<'a>,
        name: &EngineName,
        timing: Timing,
        choices: &FileSystemChoices<'_>,
        experiment: &'a Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        let kind = file_system(name)?;
        let engine = FileSystemSetup::new(kind, target, choices.settings, experiment.ftl)?;
        let memory = engine.memory(Conditions {
            timing,
            age: experiment.age,
            seed: experiment.seed,
        })?;
        sources::add(document, target, memory.accounts(), timing);
        let bytes = (choices.bytes)(&target.part.model);
        engine.warn_of_setup(bytes, document);
        if let Some(asked) = choices.asked_bytes.filter(|asked| *asked > bytes) {
            document.warn(LabWarning::WholeMemoryForFiles {
                target: &target.name,
                has: &ByteCount::from_bytes(bytes),
                asked: &ByteCount::from_bytes(asked),
            });
        }
        engine.warn(document);
        let suits = engine.suits(&memory, bytes)?;
        Ok(Self {
            engine,
            timing,
            memory,
            bytes,
            suits,
            varied: None,
            experiment,
        })
    }

    /// The same on a fork of its memory.
    pub(crate) fn fork(&self) -> Self {
        Self {
            engine: self.engine.clone(),
            memory: self.memory.fork(),
            varied: self.varied.clone(),
            ..*self
        }
    }

    /// Mounts what is on a memory, timed.
    pub(crate) fn mount(
        &self,
        medium: &FileSystemMedium,
    ) -> Result<(Ready, Measured), CallFailure> {
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

    /// Adds the rows of one operation.
    pub(crate) fn rows(
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
    pub(crate) fn ram(
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

    /// What all rows of the file system share.
    pub(crate) fn subject(&self) -> Subject {
        let target = self.engine.target;
        let (workload, age) = (self.experiment.workload.name(), self.experiment.age);
        let subject = Subject::simulated(target, workload, RowOperation::Mount, self.timing, age)
            .at(Axis::Fs, self.engine.kind.name())
            .behind(self.engine.layer.as_ref());
        match &self.varied {
            Some(choices) => subject.at(Axis::FsSettings, choices.as_str()),
            None => subject,
        }
    }

    /// What the rows share of a run on its part of the memory, without other files; the operation is that of the mount.
    pub(crate) fn whole(&self) -> Subject {
        self.subject().at(Axis::CapacityBytes, self.bytes)
    }

    /// The case in words.
    pub(crate) fn name(&self, subject: &Subject) -> String {
        let fill = subject.axes.get(&Axis::Fill);
        let fill = fill.map_or_else(String::new, |fill| format!(", fill {fill}"));
        let bytes = match subject.axes.get(&Axis::CapacityBytes) {
            Some(AxisValue::Count(bytes)) => *bytes,
            _ => self.bytes,
        };
        format!(
            "{}, {} of {}{fill}, {} timing",
            self.engine.target.name,
            self.engine.kind.title(),
            ByteCount::from_bytes(bytes),
            self.timing
        )
    }

    /// The rows of what could not be run, with the reason as a warning.
    pub(crate) fn failed(
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
