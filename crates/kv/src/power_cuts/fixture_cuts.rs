//! The published tables as the crash harness takes them: they must be caught.

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use wordline_crash::harness::{Harness, Outcome, Recorded, Subject, Verdict};
use wordline_crash::{ByteTearing, Content};

use super::{CutBytes, Map, StoreCall, judge, next, value};
use crate::fixtures::{Clht, Fixture, Lpht, RecordSizes};

const SIZES: RecordSizes = RecordSizes { key: 8, value: 8 };
type Memory = Recorded<ByteTearing>;

fn key(number: u8) -> Vec<u8> {
    vec![number + 1; 8]
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Lpht,
    Clht,
}

pub(super) enum PublishedStore {
    Lpht(Lpht<Memory>),
    Clht(Clht<Memory>),
}

impl Subject for Which {
    type Medium = ByteTearing;
    type Store = PublishedStore;
    type Call = StoreCall;
    type State = Map;

    fn prepare(&self, memory: Memory) -> Outcome<()> {
        match self {
            Self::Lpht => Lpht::format(memory, SIZES).map(|_| ())?,
            Self::Clht => Clht::format(memory, SIZES).map(|_| ())?,
        }
        Ok(())
    }

    fn open(&self, memory: Memory) -> Outcome<PublishedStore> {
        Ok(match self {
            Self::Lpht => PublishedStore::Lpht(Lpht::attach(memory, SIZES)?),
            Self::Clht => PublishedStore::Clht(Clht::attach(memory, SIZES)?),
        })
    }

    fn apply(&self, store: &mut PublishedStore, call: &StoreCall) -> Outcome<()> {
        let StoreCall::Put(number, length, fill) = *call else {
            return Err("the published tables remove nothing here".into());
        };
        let (key, value) = (key(number), value(length, fill));
        match store {
            PublishedStore::Lpht(table) => table.put(&key, &value)?,
            PublishedStore::Clht(table) => table.put(&key, &value)?,
        }
        Ok(())
    }

    fn read(&self, store: &mut PublishedStore) -> Outcome<Map> {
        let mut map = BTreeMap::new();
        let see = |key: &[u8], value: &[u8]| {
            map.insert(CutBytes(key.to_vec()), CutBytes(value.to_vec()));
        };
        match store {
            PublishedStore::Lpht(table) => table.walk(see)?,
            PublishedStore::Clht(table) => table.walk(see)?,
        }
        Ok(map)
    }

    fn next(&self, map: &Map, call: &StoreCall) -> Map {
        next(map, *call, key)
    }

    fn judge(&self, found: &Map, allowed: &[Map]) -> Result<(), String> {
        judge(found, allowed)
    }
}

/// Inserts alone, or with updates.
fn workload(updates: bool) -> Vec<StoreCall> {
    let mut calls: Vec<_> = (0..14)
        .map(|number| StoreCall::Put(number, 8, 10 * number + 1))
        .collect();
    if updates {
        calls.extend((0..6).map(|number| StoreCall::Put(number, 8, 10 * number + 3)));
    }
    calls
}

/// Every boundary of a bus of 16 bits that stores what it is told, in order: the kindest memory there is.
pub(super) fn verdict(which: Which, updates: bool) -> Verdict {
    let bytes = match which {
        Which::Lpht => 300,
        Which::Clht => 8 * 64,
    };
    let mut harness = Harness::new(Content::zeros(bytes, 2), ByteTearing::bus(2));
    harness.accesses = 10_000;
    harness.check(&which, &workload(updates))
}

#[test]
fn the_published_lpht_survives_inserts_and_tears_every_update() {
    let inserts = verdict(Which::Lpht, false);
    assert_eq!(inserts.failures, 0, "{:?}", inserts.first);
    let updates = verdict(Which::Lpht, true);
    // Each of the six updates has three boundaries within its value of four bus words.
    assert_eq!(
        updates.kinds,
        BTreeMap::from([("a value that nobody put".into(), 18)])
    );
}

#[test]
fn the_published_clht_shows_torn_keys_wrong_values_and_wild_pointers() {
    let verdict = verdict(Which::Clht, false);
    let kinds: Vec<_> = verdict.kinds.keys().map(String::as_str).collect();
    let all = format!("{verdict:?}");
    assert!(kinds.contains(&"a key that nobody put"), "{all}");
    assert!(kinds.contains(&"a value that nobody put"), "{all}");
    assert!(
        kinds.contains(&"the store cannot be read")
            || kinds.contains(&"the software does not come to an end"),
        "{all}"
    );
}
