//! The project's table as the crash harness takes it.

use std::boxed::Box;
use std::error::Error as StdError;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use wordline_crash::harness::{Harness, Outcome, Recorded, Subject};
use wordline_crash::{ByteTearing, Content};

use wordline_engines::crash::{RecordCall, RecordMap, StoredBytes, judge_records};

use crate::barrier::StoreBarrier;
use crate::{Cursor, Directory, Error, Options, RamDirectory, ResidentDirectory, Table, format};

type Memory = Recorded<ByteTearing>;
type Opened<D> = Table<Memory, D, Vec<u8>>;

/// A table that is cut, with its directory in RAM or in its memory.
pub(super) struct Own {
    pub(super) options: Options,
    pub(super) lacking: Option<StoreBarrier>,
    /// The memory lands its atoms whole, so that no image may show a torn commit.
    pub(super) is_whole: bool,
}

pub(super) enum Store {
    Ram(Opened<RamDirectory<Vec<u64>>>),
    Resident(Opened<ResidentDirectory>),
}

/// Keys of several lengths; some differ in one bit.
pub(super) fn key(number: u8) -> Vec<u8> {
    match number {
        0..=3 => vec![b'a' + number, 1, 2, 3],
        4..=5 => vec![number; 9],
        _ => vec![number; 24],
    }
}

impl Own {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            lacking: None,
            is_whole: false,
        }
    }

    pub(super) fn without(self, barrier: StoreBarrier) -> Self {
        Self {
            lacking: Some(barrier),
            ..self
        }
    }

    pub(super) fn whole(self) -> Self {
        Self {
            is_whole: true,
            ..self
        }
    }
}

fn everything<D: Directory<Memory>>(table: &mut Opened<D>) -> Result<RecordMap, Box<dyn StdError>> {
    let mut map = RecordMap::new();
    let (mut cursor, mut found_key, mut found) = (Cursor::default(), [0; 64], [0; 256]);
    while let Some(entry) = table.next(&mut cursor, &mut found_key, &mut found)? {
        let before = map.insert(
            StoredBytes(found_key[..entry.key].to_vec()),
            StoredBytes(found[..entry.value].to_vec()),
        );
        if before.is_some() {
            map.insert(
                StoredBytes(b"twice".to_vec()),
                StoredBytes(found_key[..entry.key].to_vec()),
            );
        }
    }
    // A search must find what a walk finds, and nothing else.
    for number in 0..10 {
        let got = table
            .get(&key(number), &mut found)?
            .map(|length| StoredBytes(found[..length].to_vec()));
        if got.as_ref() != map.get(&StoredBytes(key(number))) {
            map.insert(
                StoredBytes(b"unlike a search".to_vec()),
                StoredBytes(key(number)),
            );
        }
    }
    let (geometry, mut free) = (*table.geometry(), table.geometry().slots());
    for (key, value) in &map {
        free = free.saturating_sub(geometry.slots_of(key.0.len(), value.0.len()));
    }
    if free != table.free_slots() {
        map.insert(StoredBytes(b"lost space".to_vec()), StoredBytes(Vec::new()));
    }
    Ok(map)
}

fn apply<D: Directory<Memory>>(table: &mut Opened<D>, call: &RecordCall) -> Outcome<()> {
    match call {
        RecordCall::Put(key, value) => drop(table.put(&key.0, &value.0)?),
        RecordCall::Remove(key) => drop(table.remove(&key.0)?),
    }
    Ok(())
}

fn put(number: u8, length: usize, fill: u8) -> RecordCall {
    super::put(key(number), length, fill)
}

fn remove(number: u8) -> RecordCall {
    RecordCall::Remove(StoredBytes(key(number)))
}

impl Subject for Own {
    type Medium = ByteTearing;
    type Store = Store;
    type Call = RecordCall;
    type State = RecordMap;

    fn prepare(&self, mut memory: Memory) -> Outcome<()> {
        format(&mut memory, &self.options)?;
        Ok(())
    }

    fn open(&self, memory: Memory) -> Outcome<Store> {
        let scratch = vec![0; 4 * self.options.slot_bytes as usize];
        let (store, recovery) = if self.options.resident_directory {
            let table =
                Table::open_lacking(memory, ResidentDirectory::new(), scratch, self.lacking)?;
            let recovery = *table.recovery();
            (Store::Resident(table), recovery)
        } else {
            let directory = RamDirectory::new(vec![0; 64]);
            let table = Table::open_lacking(memory, directory, scratch, self.lacking)?;
            let recovery = *table.recovery();
            (Store::Ram(table), recovery)
        };
        if self.is_whole && recovery.torn {
            return Err("a commit is torn on a memory that lands its atoms whole".into());
        }
        Ok(store)
    }

    fn apply(&self, store: &mut Store, call: &RecordCall) -> Outcome<()> {
        match store {
            Store::Ram(table) => apply(table, call),
            Store::Resident(table) => apply(table, call),
        }
    }

    fn read(&self, store: &mut Store) -> Outcome<RecordMap> {
        match store {
            Store::Ram(table) => everything(table),
            Store::Resident(table) => everything(table),
        }
    }

    fn next(&self, map: &RecordMap, call: &RecordCall) -> RecordMap {
        call.next(map)
    }

    fn after(&self) -> Vec<RecordCall> {
        vec![
            remove(0),
            put(9, 60, 90),
            put(0, 5, 91),
            remove(0),
            remove(9),
        ]
    }

    fn judge(&self, found: &RecordMap, allowed: &[RecordMap]) -> Result<(), String> {
        judge_records(found, allowed)
    }
}

/// Inserts, updates and removes of records of one slot and of several, until slots are used again.
pub(super) fn workload() -> Vec<RecordCall> {
    let mut calls = vec![
        put(0, 4, 1),
        put(1, 4, 2),
        put(0, 4, 3),
        put(6, 30, 4),
        remove(1),
        put(2, 6, 5),
        put(6, 50, 6),
        put(4, 20, 7),
        put(0, 0, 8),
        remove(4),
        put(3, 15, 9),
        put(0, 4, 10),
        put(7, 9, 11),
        remove(6),
        put(2, 6, 12),
    ];
    for round in 0..5 {
        calls.push(put(0, 4, 20 + round));
        calls.push(put(5, 12, 30 + round));
        calls.push(put(6, 40, 40 + round));
        calls.push(remove(if round % 2 == 0 { 6 } else { 5 }));
    }
    calls
}

/// Forty puts and removes that are drawn; what they hold at most, 18 slots, leaves room for the calls after a cut.
pub(super) fn drawn_workload(seed: u64) -> Vec<RecordCall> {
    use wordline_core::draw::{Purpose, draw};
    let drawn = |place, what, below: u64| draw(seed, place, what, Purpose::Payload) % below;
    let call = |place| {
        let key = drawn(place, 0, 8) as u8;
        match drawn(place, 1, 4) {
            0 => remove(key),
            _ => put(
                key,
                drawn(place, 2, 17) as usize,
                drawn(place, 3, 256) as u8,
            ),
        }
    };
    (0..40).map(call).collect()
}

/// Slots of 24 bytes, of which some records take five, on the smallest memory that the workload fits.
pub(super) const OPTIONS: Options = Options {
    slot_bytes: 24,
    resident_directory: false,
    seed: 0,
};

pub(super) fn harness(atom: usize, tearing: ByteTearing) -> Harness<ByteTearing> {
    let mut harness = Harness::new(Content::zeros(960, atom), tearing);
    harness.accesses = 20_000;
    harness
}

#[test]
fn a_workload_without_cuts_is_followed() {
    let mut harness = harness(2, ByteTearing::bus(2));
    harness.mode = wordline_crash::Mode::Sample(0);
    for options in [OPTIONS, OPTIONS.resident()] {
        let verdict = harness.check(&Own::new(options), &workload());
        assert_eq!(verdict.failures, 0, "{:?}", verdict.first);
    }
    let full: Error<wordline_nvm::NvmError> = Error::NoRoom { needed: 1, free: 0 };
    assert!(full.to_string().contains("free"));
}
