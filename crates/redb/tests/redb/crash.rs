//! What power cuts leave of the store.

use wordline_crash::harness::{Again, Harness, Outcome, Recorded, Subject, Verdict};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::crash::{RecordCall, RecordMap, StoreSubject, StoredBytes, judge_records};
use wordline_engines::{ByteBox, Contract, RecordStore, STORES, StoreOptions, named};
use wordline_memory::ByteMemory;
use wordline_nvm::NvmError;

use super::key;

const OPTIONS: StoreOptions = StoreOptions {
    key_bytes: 8,
    value_bytes: 300,
    resident_directory: false,
};

/// Inserts, so that leaves split, updates and removals.
fn workload() -> Vec<RecordCall> {
    let key = |number: u64| StoredBytes(key(number * 29 % 18, 8));
    let put = |number: u64, byte: u8| RecordCall::Put(key(number), StoredBytes(vec![byte; 300]));
    let mut calls: Vec<_> = (0..18).map(|number| put(number, number as u8)).collect();
    calls.extend((0..5).map(|number| put(number, 100 + number as u8)));
    calls.extend((0..4).map(|number| RecordCall::Remove(key(number))));
    calls.extend((0..4).map(|number| put(number, 200 + number as u8)));
    calls
}

/// redb as a subject, on a memory whose persist does what it says, or nothing.
struct OnMemory<'a> {
    store: StoreSubject<'a>,
    lies: bool,
}

impl OnMemory<'_> {
    fn new(lies: bool) -> Self {
        let engine = named(STORES, "redb").expect("it is in the list");
        let after = vec![RecordCall::Put(StoredBytes(vec![7]), StoredBytes(vec![7]))];
        let store = StoreSubject {
            after,
            ..engine.subject(OPTIONS)
        };
        Self { store, lies }
    }
}

/// A memory that says that everything lasts, and makes nothing last.
struct Liar(Recorded<ByteTearing>);

impl ByteMemory for Liar {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn atom(&self) -> usize {
        self.0.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.0.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.0.write(at, data)
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        Ok(())
    }
}

impl Subject for OnMemory<'_> {
    type Medium = ByteTearing;
    type Store = Box<dyn RecordStore>;
    type Call = RecordCall;
    type State = RecordMap;

    fn prepare(&self, memory: Recorded<ByteTearing>) -> Outcome<()> {
        self.store.prepare(memory)
    }

    fn open(&self, memory: Recorded<ByteTearing>) -> Outcome<Self::Store> {
        match self.lies {
            true => {
                let memory = Contract::Bytes(ByteBox::new(Liar(memory)));
                Ok(self.store.engine.open(memory, &OPTIONS)?)
            }
            false => self.store.open(memory),
        }
    }

    fn apply(&self, store: &mut Self::Store, call: &RecordCall) -> Outcome<()> {
        self.store.apply(store, call)
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<RecordMap> {
        self.store.read(store)
    }

    fn next(&self, records: &RecordMap, call: &RecordCall) -> RecordMap {
        call.next(records)
    }

    fn after(&self) -> Vec<RecordCall> {
        self.store.after()
    }

    fn judge(&self, found: &RecordMap, allowed: &[RecordMap]) -> Result<(), String> {
        judge_records(found, allowed)
    }
}

fn harness(tearing: ByteTearing, mode: Mode) -> Harness<ByteTearing> {
    let engine = named(STORES, "redb").expect("it is in the list");
    let bytes = engine.short_bytes(&OPTIONS, 2);
    Harness {
        mode,
        again: Some(Again {
            every: 24,
            mode: Mode::Linear,
        }),
        ..Harness::new(Content::zeros(bytes, 2), tearing)
    }
}

/// A memory with a cache of 512-byte lines before it, which reach it in any order.
fn cached() -> ByteTearing {
    ByteTearing {
        unit: Some(512),
        ..ByteTearing::contract()
    }
}

fn assert_clean(verdict: &Verdict, images: u64) {
    assert_eq!(verdict.failures, 0, "{:?}", verdict.first);
    assert!(
        verdict.images >= images && verdict.images_again > 0,
        "{verdict:?}"
    );
}

#[test]
fn cuts_between_and_within_accesses_leave_old_or_new() {
    let harness = harness(ByteTearing::bus(2), Mode::Each(2));
    assert_clean(&harness.check(&OnMemory::new(false), &workload()), 400);
}

#[test]
fn lines_of_a_cache_that_are_lost_are_found_by_checksums() {
    let harness = harness(cached(), Mode::Each(2));
    assert_clean(&harness.check(&OnMemory::new(false), &workload()), 400);
}

/// redb writes its header as a whole, with both of its commit slots, and relies on bytes that a write does not change. A
/// memory whose error correction spoils the word of a store in flight breaks that, as redb's design says.
#[test]
fn a_spoilt_word_of_the_header_costs_the_database() {
    let mut harness = harness(ByteTearing::bus(2).spoiling(8), Mode::Each(2));
    harness.again = None;
    let verdict = harness.check(&OnMemory::new(false), &workload());
    for kind in [
        "the store cannot be opened",
        "a record is lost, or one that was removed is back",
    ] {
        assert!(verdict.kinds.contains_key(kind), "{verdict:?}");
    }
}

#[test]
fn a_sync_that_lies_is_caught() {
    let mut harness = harness(cached(), Mode::Sample(200));
    harness.again = None;
    let verdict = harness.check(&OnMemory::new(true), &workload());
    assert!(verdict.failures > 100, "{verdict:?}");
}
