//! One table on one memory, with records of one size, at one load.

use wordline_core::RowOperation::{self, All, Delete, Hit, Insert, Miss, Update};
use wordline_core::quantity::{Fraction, Quantity as _, Time};
use wordline_core::results::NoValue;
use wordline_core::{Axis, KvBench, KvBuild, KvSizes, KvWork, Metric, ResultSet};
use wordline_engines::StoreError;
use wordline_nvm::ProcessorCost;

use super::mix::OperationMix;
use super::operations::{TableFailure, TableOperations, memory_failed};
use super::records::WorkingSet;
use super::store;
use super::{TableGround, TableVariant, rows};
use crate::control::Control;
use crate::instrument::OperationTally;
use crate::instrument::rows::without_value;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// What is done once the table is filled, in this order.
const AFTER: [RowOperation; 4] = [Hit, Miss, Update, Delete];

/// A table on a memory, with records of one size, at one load.
pub(super) struct Case<'a, 'g> {
    pub(super) ground: &'a TableGround<'g>,
    /// How the software is built, where its processor is simulated.
    pub(super) build: Option<KvBuild>,
    /// What the processor takes, where that counts.
    pub(super) processor: Option<ProcessorCost>,
    pub(super) variant: TableVariant,
    pub(super) work: KvWork,
    pub(super) sizes: KvSizes,
    pub(super) load: Fraction,
    pub(super) bench: &'a KvBench,
    pub(super) seed: u64,
    pub(super) control: &'a Control<'a>,
}

impl Case<'_, '_> {
    /// Runs everything. Returns whether it came to its end, with figures or without.
    pub(super) fn run(&self, document: &mut ResultSet) -> bool {
        let subject = self.subject();
        let name = &self.name();
        if let Some(warning) = self.unsuitable(name) {
            let at = subject.doing(All);
            without_value(&at, &rows::HEADLINE, NoValue::NotApplicable, document);
            document.warn(warning);
            return true;
        }
        let bytes = self.ground.bytes(self.bench.capacity_bytes);
        let has_room =
            || store::places(self.variant, self.sizes, bytes, self.ground.atom()).is_some();
        if self.ground.waits_for_disk() && !has_room() {
            // Before anything that the file holds is lost.
            self.failed(&subject, Insert, &StoreError::NoRoom.into(), document);
            return true;
        }
        let part = match self.ground.part(self.bench.capacity_bytes) {
            Ok(part) => part,
            Err(error) => {
                let failure = memory_failed(&error).into();
                self.failed(&subject, Insert, &failure, document);
                return true;
            }
        };
        let store = match store::create(self.variant, self.sizes, part) {
            Ok(store) => store,
            Err(error) => {
                self.failed(&subject, Insert, &error.into(), document);
                return true;
            }
        };
        let mut bench = TableOperations::new(
            store,
            self.variant,
            self.processor,
            self.ground.word_bytes,
            WorkingSet {
                sizes: self.sizes,
                work: self.work,
                seed: self.seed,
            },
            self.control,
        );
        match self.work {
            KvWork::Sweep => self.sweep(&mut bench, &subject, document),
            _ => self.mix(&mut bench, &subject, document),
        }
    }

    /// The warning that the table cannot do the work.
    fn unsuitable<'n>(&self, name: &'n String) -> Option<LabWarning<'n>> {
        match self.work {
            KvWork::YcsbE => Some(LabWarning::NoScan { name }),
            work if work.has_own_sizes() && !self.variant.table.has_mixed_sizes() => {
                Some(LabWarning::OneSize { name })
            }
            _ => None,
        }
    }

    /// Each kind of operation by itself.
    fn sweep(
        &self,
        bench: &mut TableOperations<'_>,
        subject: &Subject,
        document: &mut ResultSet,
    ) -> bool {
        let count = self.count(bench, document);
        let at = |operation| subject.doing(operation);
        let filled = bench.fill(count, self.ground.most_inserts(self.bench));
        if !self.told(&at(Insert), filled, document) {
            return !self.control.stopped();
        }
        let ram = bench.store.ram_bytes() as f64;
        let ram = at(Insert).row(Metric::TableRam, Ok(ram));
        document.rows.push(ram);
        let most = self.ground.most(self.bench);
        for operation in AFTER {
            let at = at(operation);
            let records = match operation {
                Miss => count..bench.records.keys().min(2 * count),
                _ => 0..count,
            };
            if records.is_empty() || operation == Delete && !self.variant.removes() {
                without_value(&at, &rows::HEADLINE, NoValue::NotApplicable, document);
                continue;
            }
            let measured = bench.measure(operation, records, most);
            if !self.told(&at, measured, document) && self.control.stopped() {
                return false;
            }
        }
        true
    }

    /// Operations of several kinds by turns, on a table that is filled when nothing is timed.
    fn mix(
        &self,
        bench: &mut TableOperations<'_>,
        subject: &Subject,
        document: &mut ResultSet,
    ) -> bool {
        let ran = self.prefill(bench, document).and_then(|()| {
            let records = bench.passes.len() as u64;
            let count = self.ground.mixed(self.bench);
            match OperationMix::new(self.work, records, self.seed) {
                Some(mix) => bench.mixed(mix, count),
                None => Ok(Vec::new()),
            }
        });
        match ran {
            Ok(tallies) => {
                for (operation, tally) in &tallies {
                    let at = subject.doing(*operation);
                    let name = format!("{}, {operation}", self.name());
                    rows::add(&at, &name, tally, document);
                }
                true
            }
            Err(TableFailure::Stopped) => false,
            Err(failure) => {
                self.failed(subject, All, &failure, document);
                true
            }
        }
    }

    /// Fills the table to the load, and times nothing.
    fn prefill(
        &self,
        bench: &mut TableOperations<'_>,
        document: &mut ResultSet,
    ) -> Result<(), TableFailure> {
        if self.work.has_own_sizes() {
            let places = bench.store.places() as f64;
            let left = (places * (1.0 - self.load.si())).ceil() as u64;
            for number in 0.. {
                if bench.store.free_places().is_none_or(|free| free <= left) {
                    break;
                }
                bench.untimed(Insert, number)?;
            }
        } else {
            let count = self.count(bench, document);
            (0..count).try_for_each(|number| bench.untimed(Insert, number))?;
        }
        bench.catch_up()
    }

    /// Records at the load, at least one.
    fn count(&self, bench: &TableOperations<'_>, document: &mut ResultSet) -> u64 {
        let wanted = (bench.store.places() as f64 * self.load.si())
            .floor()
            .max(1.0) as u64;
        let count = wanted.min(bench.records.keys());
        if count < wanted {
            document.warn(LabWarning::FewKeys {
                name: &self.name(),
                key_bytes: &self.sizes.key_bytes,
                count: &count,
                wanted: &wanted,
            });
        }
        count
    }

    /// Reports operations that were timed. Returns whether all came to their end.
    fn told(
        &self,
        at: &Subject,
        measured: Result<OperationTally, TableFailure>,
        document: &mut ResultSet,
    ) -> bool {
        let tally = match measured {
            Ok(tally) => tally,
            Err(TableFailure::Stopped) => return false,
            Err(failure) => {
                self.failed(at, at.operation, &failure, document);
                return false;
            }
        };
        if tally.busy == Time::ZERO {
            document.warn(LabWarning::IdleTable {
                name: &self.name(),
                operation: &at.operation,
            });
        }
        let name = format!("{}, {}", self.name(), at.operation);
        rows::add(at, &name, &tally, document);
        true
    }

    fn subject(&self) -> Subject {
        let subject = self
            .ground
            .subject(self.variant)
            .at(Axis::Work, self.work.name())
            .at(Axis::Load, self.load.si());
        let subject = match self.build {
            Some(build) => subject.at(Axis::Build, build.name()),
            None => subject,
        };
        if self.work.has_own_sizes() {
            return subject;
        }
        subject
            .at(Axis::KeyBytes, self.sizes.key_bytes)
            .at(Axis::ValueBytes, self.sizes.value_bytes)
    }

    /// The case in words.
    fn name(&self) -> String {
        let sizes = match self.work.has_own_sizes() {
            true => String::new(),
            false => format!(" of {}", self.sizes),
        };
        let of_simulation = match self.build {
            Some(build) => format!(", build {}, {} timing", build.name(), self.ground.timing),
            None => String::new(),
        };
        format!(
            "{}, {}, {}{sizes} at load {}{of_simulation}",
            self.ground.name(),
            self.variant.name(),
            self.work.name(),
            self.load,
        )
    }

    /// The rows of what could not be run, with the reason as a warning.
    fn failed(
        &self,
        subject: &Subject,
        operation: RowOperation,
        failure: &TableFailure,
        document: &mut ResultSet,
    ) {
        let at = subject.doing(operation);
        without_value(&at, &rows::HEADLINE, NoValue::Failed, document);
        let (name, operation) = (&self.name(), &operation);
        document.warn(match failure {
            TableFailure::Store(StoreError::NoRoom) => LabWarning::TableFull {
                name,
                operation,
                failure,
            },
            _ => LabWarning::TableFailed {
                name,
                operation,
                failure,
            },
        });
    }
}
