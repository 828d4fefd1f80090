//! Operations on a table: each is timed, and what it found is held against what was put.

use std::ops::Range;
use wordline_core::RowOperation::{
    self, All, Delete, Hit, Insert, Miss, Read, ReadModifyWrite, Update,
};

use wordline_engines::{RecordStore, StoreError};
use wordline_nvm::ProcessorCost;

use super::mix::{MixStep, OperationMix};
use super::processor::ProcessorCall;
use super::records::WorkingSet;
use super::store;
use super::{TableVariant, floor_bytes};
use crate::control::Control;
use crate::instrument::medium::{ByteBackend, MediumError};
use crate::instrument::tally::UnitWear;
use crate::instrument::{Instrumented as _, MeteredMemory, OperationSample, OperationTally};

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableFailure {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("a get returns another value than was put, or none; please report this defect")]
    Wrong,
    #[error("the caller stopped it")]
    Stopped,
}

/// The error of a memory as the store reports it.
pub(super) fn memory_failed(error: &MediumError) -> StoreError {
    wordline_kv::Error::Memory(error.to_string()).into()
}

/// What a table works on.
pub(super) type KvMemory = MeteredMemory<ByteBackend>;

/// The table, and what its operations are made from.
pub(super) struct TableOperations<'a> {
    pub(super) store: Box<dyn RecordStore>,
    variant: TableVariant,
    processor: Option<ProcessorCost>,
    word_bytes: u64,
    pub(super) records: WorkingSet,
    /// How often each record was put.
    pub(super) passes: Vec<u64>,
    control: &'a Control<'a>,
    /// Of the operation at hand.
    key: Vec<u8>,
    value: Vec<u8>,
    out: Vec<u8>,
}

impl<'a> TableOperations<'a> {
    /// A table that holds nothing yet.
    pub(super) fn new(
        store: Box<dyn RecordStore>,
        variant: TableVariant,
        processor: Option<ProcessorCost>,
        word_bytes: u64,
        records: WorkingSet,
        control: &'a Control<'a>,
    ) -> Self {
        Self {
            store,
            variant,
            processor,
            word_bytes,
            records,
            passes: Vec::new(),
            control,
            key: Vec::new(),
            value: Vec::new(),
            out: Vec::new(),
        }
    }

    /// The part of a memory that the table is on.
    pub(super) fn part(&mut self) -> &mut KvMemory {
        store::part(&mut *self.store)
    }

    /// Times an operation on each of some records, or on so many of them at most, spread over all: those that were put
    /// first lie better than the others.
    pub(super) fn measure(
        &mut self,
        operation: RowOperation,
        records: Range<u64>,
        most: u64,
    ) -> Result<OperationTally, TableFailure> {
        let mut tally = begin(self.part());
        let all = records.end - records.start;
        let count = all.min(most);
        for timed in 0..count {
            let one = self.timed(operation, records.start + timed * all / count)?;
            tally.add(&one);
        }
        tally.end(self.part());
        Ok(tally)
    }

    /// Puts `count` records and times `most` of them, spread over all.
    pub(super) fn fill(&mut self, count: u64, most: u64) -> Result<OperationTally, TableFailure> {
        let mut tally = begin(self.part());
        for number in 0..count {
            let timed_before = |number: u64| number * most / count;
            if most >= count || timed_before(number + 1) > timed_before(number) {
                self.catch_up()?;
                let one = self.timed(Insert, number)?;
                tally.add(&one);
            } else {
                self.untimed(Insert, number)?;
            }
        }
        self.catch_up()?;
        tally.end(self.part());
        Ok(tally)
    }

    /// Makes last what was done without being timed.
    pub(super) fn catch_up(&mut self) -> Result<(), TableFailure> {
        let caught_up = self.part().catch_up();
        Ok(caught_up.map_err(|error| memory_failed(&error))?)
    }

    /// Times operations of a mix: all of them, and each kind by itself.
    pub(super) fn mixed(
        &mut self,
        mut mix: OperationMix,
        count: u64,
    ) -> Result<Vec<(RowOperation, OperationTally)>, TableFailure> {
        let kinds = [All, Read, Update, Insert, ReadModifyWrite];
        let mut tallies: Vec<_> = kinds.map(|kind| (kind, begin(self.part()))).into();
        for number in 0..count {
            let records = self.passes.len() as u64;
            let (kind, one) = match mix.step(number, records) {
                MixStep::Read(record) => (1, self.timed(Hit, record)?),
                MixStep::Update(record) => (2, self.timed(Update, record)?),
                MixStep::Insert => {
                    mix.grow();
                    (3, self.timed(Insert, records)?)
                }
                MixStep::ReadModifyWrite(record) => {
                    let read = self.timed(Hit, record)?;
                    (4, read.then(&self.timed(Update, record)?))
                }
            };
            for place in [0, kind] {
                tallies[place].1.add(&one);
            }
        }
        // Where the memory's time went is known of all of them together.
        tallies[0].1.end(self.part());
        tallies.retain(|(_, tally)| tally.count() > 0);
        Ok(tallies)
    }

    /// Times one operation on one record. What is not the table's own work is done before and after.
    fn timed(
        &mut self,
        operation: RowOperation,
        number: u64,
    ) -> Result<OperationSample, TableFailure> {
        self.prepare(operation, number)?;
        self.part().take_call();
        let start = self.part().now();
        let done = self.act(operation);
        let end = self.part().now();
        let activity = self.part().take_call();
        self.judge(operation, number, done?)?;
        let sizes = self.records.sizes_of(number);
        let processor = self.processor.as_ref().and_then(|cost| {
            let call = ProcessorCall {
                operation,
                key_bytes: sizes.key_bytes,
                value_bytes: sizes.value_bytes,
            };
            call.time(self.variant, &activity, cost)
        });
        let mut duration = end.since(start);
        for &time in processor.iter().flatten() {
            self.part().stand_by(time);
            duration = duration.plus(time);
        }
        Ok(OperationSample {
            duration,
            bytes: 0,
            activity,
            processor,
            floor_bytes: floor_bytes(operation, sizes, self.word_bytes),
        })
    }

    /// One operation on one record that is not timed, and waits for no disk.
    pub(super) fn untimed(
        &mut self,
        operation: RowOperation,
        number: u64,
    ) -> Result<(), TableFailure> {
        self.prepare(operation, number)?;
        self.part().put_off();
        let done = self.act(operation)?;
        self.judge(operation, number, done)
    }

    /// How often a record is put once an operation is done.
    fn pass(&self, operation: RowOperation, number: u64) -> u64 {
        let put_before = self.passes.get(number as usize).copied();
        put_before.unwrap_or(0) + u64::from(operation == Update)
    }

    /// Makes key and value.
    fn prepare(&mut self, operation: RowOperation, number: u64) -> Result<(), TableFailure> {
        if self.control.stopped() {
            return Err(TableFailure::Stopped);
        }
        let value_bytes = self.records.sizes_of(number).value_bytes as usize;
        let pass = self.pass(operation, number);
        self.records.key(number, &mut self.key);
        self.records
            .value(number, pass, value_bytes, &mut self.value);
        self.out.resize(value_bytes, 0);
        Ok(())
    }

    /// One operation with the key and the value; the bytes that it found, where it found the key.
    fn act(&mut self, operation: RowOperation) -> Result<Option<usize>, StoreError> {
        match operation {
            Insert | Update => {
                self.store.put(&self.key, &self.value)?;
                Ok(None)
            }
            Delete => Ok(self.store.remove(&self.key)?.then_some(0)),
            _ => self.store.get(&self.key, &mut self.out),
        }
    }

    /// Holds what an operation found against what was put.
    fn judge(
        &mut self,
        operation: RowOperation,
        number: u64,
        found: Option<usize>,
    ) -> Result<(), TableFailure> {
        let is_right = match operation {
            Insert | Update => {
                let pass = self.pass(operation, number);
                match self.passes.get_mut(number as usize) {
                    Some(last) => *last = pass,
                    None => self.passes.push(pass),
                }
                true
            }
            Delete => found.is_some(),
            Miss => found.is_none(),
            _ => found == Some(self.value.len()) && self.out == self.value,
        };
        is_right.then_some(()).ok_or(TableFailure::Wrong)
    }
}

/// A tally of operations that begin now.
fn begin(memory: &mut KvMemory) -> OperationTally {
    OperationTally::begin(memory, true, UnitWear::Touched)
}

#[cfg(test)]
mod tests {
    use wordline_core::{KvDirectory, KvSizes, KvWork};
    use wordline_engines::STORES;
    use wordline_host::ScratchFile;

    use super::*;

    #[test]
    fn a_file_that_is_shortened_between_two_operations_is_told_from_a_table_that_fails() {
        let folder = tempfile::tempdir().expect("a place for files");
        let path = folder.path().join("table");
        let control = Control::default();
        // A store of pages has no room in a single one.
        for &table in STORES.iter().filter(|table| !table.writes_pages()) {
            let directory = table.has_directory().then_some(KvDirectory::Ram);
            let variant = TableVariant { table, directory };
            let sizes = KvSizes::equal(8);
            let file = ScratchFile::open(&path, 4096, true).expect("it is ours");
            let part = MeteredMemory::file(file.map().expect("it is mapped"), 4096);
            let store = store::create(variant, sizes, part).expect("room");
            let work = KvWork::Sweep;
            let records = WorkingSet {
                sizes,
                work,
                seed: 0,
            };
            let mut bench = TableOperations::new(store, variant, None, 1, records, &control);
            let tally = bench.fill(9, 3).expect("room");
            assert_eq!((tally.count(), bench.passes.len()), (3, 9));
            bench.measure(Hit, 0..9, 9).expect("all are there");
            let wrong = bench.measure(Miss, 0..1, 1).expect_err("it is there");
            assert!(matches!(wrong, TableFailure::Wrong));
            std::fs::write(&path, b"short").expect("room");
            for operation in [Hit, Update] {
                let failure = bench.measure(operation, 0..1, 1).expect_err("it is short");
                let told = failure.to_string();
                assert!(told.contains("shortened from 4096 to 5"), "{told}");
            }
            drop(bench);
            drop(file);
            std::fs::remove_file(&path).expect("ours");
        }
    }
}
