//! The published tables as the crash harness takes them: they must be caught.

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use wordline_nvm::crash::harness::{Harness, Outcome, Recorded, Subject, Verdict};
use wordline_nvm::crash::{ByteTearing, Content};

use super::{Bytes, Call, Map, judge, next, value};
use crate::fixtures::{Clht, Lpht, Sizes};

const SIZES: Sizes = Sizes { key: 8, value: 8 };
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

pub(super) enum Store {
    Lpht(Lpht<Memory>),
    Clht(Clht<Memory>),
}

impl Subject for Which {
    type Medium = ByteTearing;
    type Store = Store;
    type Call = Call;
    type State = Map;

    fn prepare(&self, memory: Memory) -> Outcome<()> {
        match self {
            Self::Lpht => Lpht::format(memory, SIZES).map(|_| ())?,
            Self::Clht => Clht::format(memory, SIZES).map(|_| ())?,
        }
        Ok(())
    }

    fn open(&self, memory: Memory) -> Outcome<Store> {
        Ok(match self {
            Self::Lpht => Store::Lpht(Lpht::attach(memory, SIZES)?),
            Self::Clht => Store::Clht(Clht::attach(memory, SIZES)?),
        })
    }

    fn apply(&self, store: &mut Store, call: &Call) -> Outcome<()> {
        let Call::Put(number, length, fill) = *call else {
            return Err("the published tables remove nothing here".into());
        };
        let (key, value) = (key(number), value(length, fill));
        match store {
            Store::Lpht(table) => table.put(&key, &value)?,
            Store::Clht(table) => table.put(&key, &value)?,
        }
        Ok(())
    }

    fn read(&self, store: &mut Store) -> Outcome<Map> {
        let mut map = BTreeMap::new();
        let see = |key: &[u8], value: &[u8]| {
            map.insert(Bytes(key.to_vec()), Bytes(value.to_vec()));
        };
        match store {
            Store::Lpht(table) => table.walk(see)?,
            Store::Clht(table) => table.walk(see)?,
        }
        Ok(map)
    }

    fn next(&self, map: &Map, call: &Call) -> Map {
        next(map, *call, key)
    }

    fn judge(&self, found: &Map, allowed: &[Map]) -> Result<(), String> {
        judge(found, allowed)
    }
}

/// Inserts alone, or with updates.
fn workload(updates: bool) -> Vec<Call> {
    let mut calls: Vec<_> = (0..14)
        .map(|number| Call::Put(number, 8, 10 * number + 1))
        .collect();
    if updates {
        calls.extend((0..6).map(|number| Call::Put(number, 8, 10 * number + 3)));
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
