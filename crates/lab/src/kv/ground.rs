//! What tables run on: a memory on a board, the RAM of a board's processor, or a memory of this machine.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wordline_catalog::Target;
use wordline_core::quantity::ByteCount;
use wordline_core::{
    Axis, Basis, Experiment, KvBench, KvBuild, Operation, Resolver, ResultSet, Timing,
};
use wordline_nvm::ProcessorCost;

use super::TableVariant;
use crate::control::Control;
use crate::error::LabError;
use crate::instrument::MeteredMemory;
use crate::instrument::medium::{ByteBackend, MediumError};
use crate::open::ByteSource;
use crate::sources;
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// A target in a timing class, for tables to run on.
pub(crate) struct TableGround<'a> {
    target: &'a Target<'a>,
    pub(super) timing: Timing,
    age: f64,
    seed: u64,
    /// Locked while a table gets its part; several tables run at once.
    source: Mutex<ByteSource<'a>>,
    /// Bytes that cross its bus together.
    pub(super) word_bytes: u64,
}

impl<'a> TableGround<'a> {
    /// A target, with its sheets named in the document.
    pub(super) fn new(
        target: &'a Target<'a>,
        timing: Timing,
        experiment: &Experiment,
        document: &mut ResultSet,
    ) -> Result<Self, LabError> {
        let source = ByteSource::of(target, timing, experiment, document)?;
        Ok(Self {
            target,
            timing,
            age: experiment.age,
            seed: experiment.seed,
            word_bytes: source.word_bytes(),
            source: Mutex::new(source),
        })
    }

    /// Opens a memory of this host; a file is written over from its first part on.
    pub(super) fn open(
        &mut self,
        capacity: u64,
        control: &Control<'_>,
        document: &mut ResultSet,
    ) -> Result<(), LabError> {
        let source = self.source.get_mut();
        let source = source.unwrap_or_else(PoisonError::into_inner);
        source.open(self.target, capacity, control, document)
    }

    /// Refuses a memory whose power cuts are not simulated.
    pub(super) fn check_power_cuts(&self) -> Result<(), LabError> {
        match self.source().no_power_cuts() {
            None => Ok(()),
            Some(problem) => Err(problem.of(&self.name())),
        }
    }

    fn source(&self) -> MutexGuard<'_, ByteSource<'a>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn name(&self) -> String {
        self.target.name()
    }

    /// Whether it is this machine's own.
    pub(super) const fn is_measured(&self) -> bool {
        self.target.is_of_host()
    }

    /// Bytes that a power cut leaves whole, or that a store in flight can spoil; of RAM, those of a store.
    pub(super) fn atom(&self) -> usize {
        self.source().atom()
    }

    /// Bytes of it that a table gets of so many.
    pub(super) fn bytes(&self, capacity: u64) -> u64 {
        self.source().bytes(capacity)
    }

    /// A fresh part of it, for one table. What a file held is lost.
    pub(super) fn part(&self, capacity: u64) -> Result<MeteredMemory<ByteBackend>, MediumError> {
        self.source().part(capacity)
    }

    /// Whether a table on it waits for a disk.
    pub(super) const fn waits_for_disk(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// The most operations of a kind that are timed on a filled table, of each repeat.
    pub(super) fn most(&self, bench: &KvBench) -> u64 {
        let usual = match self.target {
            Target::File(_) => KvBench::ON_DISK,
            Target::HostRam => KvBench::ON_HOST,
            _ => u64::MAX,
        };
        bench.operations.unwrap_or(usual)
    }

    /// Repeats of each case; `None` where it is the same each time.
    pub(super) fn repeats(&self, bench: &KvBench) -> Option<u64> {
        let repeats = bench.repeat.unwrap_or(KvBench::REPEATS);
        self.is_measured().then_some(repeats)
    }

    /// The most inserts that are timed.
    pub(super) fn most_inserts(&self, bench: &KvBench) -> u64 {
        match self.waits_for_disk() {
            true => self.most(bench),
            false => u64::MAX,
        }
    }

    /// Operations of a mix.
    pub(super) fn mixed(&self, bench: &KvBench) -> u64 {
        let usual = match self.target {
            Target::File(_) => KvBench::MIXED_ON_DISK,
            Target::HostRam => KvBench::ON_HOST,
            _ => KvBench::MIXED,
        };
        bench.operations.unwrap_or(usual)
    }

    /// What the processor takes in a build, with its figures named in the document; `None` where it is unknown, or where
    /// it is not to count.
    pub(super) fn processor(
        &self,
        build: KvBuild,
        document: &mut ResultSet,
    ) -> Option<ProcessorCost> {
        let board = self.target.board()?;
        let cpu = match (&board.board.cpu, build) {
            (_, KvBuild::None) => return None,
            (Some(cpu), _) => cpu,
            (None, _) => {
                document.warn(LabWarning::NoProcessor {
                    board: &board.header.id,
                });
                return None;
            }
        };
        let mut resolver = Resolver::new(self.timing, self.seed, &board.header.id);
        let clock = resolver.fixed("core_clock", &board.board.core_clock);
        resolver.read("cpu.core");
        let cost = cpu.cost(clock, build == KvBuild::Optimized, &mut resolver);
        sources::add_figures(document, &board.figures, resolver.readings(), "");
        if cpu.cycles_per_instruction.provenance().basis == Basis::Calibrated
            && build == KvBuild::Published
        {
            document.warn(LabWarning::ProcessorCounted {
                board: &board.header.id,
            });
        }
        Some(cost)
    }

    /// What all rows of a table on it share; the operation is set where it is known.
    pub(super) fn subject(&self, variant: TableVariant) -> Subject {
        let subject = Subject {
            target: self.name(),
            part: self.target.part_id().to_owned(),
            board: (self.target.board()).map_or_else(String::new, |board| board.header.id.clone()),
            workload: "kv",
            operation: Operation::Read.into(),
            axes: Axes::new(),
            timing: self.timing,
            age: self.age,
            basis: match self.is_measured() {
                true => Basis::Measured,
                false => Basis::Simulated,
            },
        };
        let subject = subject.at(Axis::Table, variant.table.name());
        match variant.directory {
            Some(directory) => subject.at(Axis::Directory, directory.name()),
            None => subject,
        }
    }

    /// Names the tables whose work on its processor was not counted.
    pub(super) fn warn_of_uncounted(&self, variants: &[TableVariant], document: &mut ResultSet) {
        let Some(board) = self.target.board() else {
            return;
        };
        for variant in variants {
            if variant.table.work().is_none() {
                document.warn(LabWarning::UncountedWork {
                    name: &variant.name(),
                    board: &board.header.id,
                });
            }
        }
    }

    /// Says so where it has fewer bytes than a table was to get.
    pub(super) fn warn_if_short(&self, capacity: u64, document: &mut ResultSet) {
        let (has, asked) = (self.bytes(capacity), capacity);
        if has < asked {
            document.warn(LabWarning::WholeMemoryForTables {
                target: &self.name(),
                has: &ByteCount::from_bytes(has),
                asked: &ByteCount::from_bytes(asked),
            });
        }
    }
}
