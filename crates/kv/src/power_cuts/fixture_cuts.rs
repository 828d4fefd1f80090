//! The published tables as the crash harness takes them: they must be caught.

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use wordline_crash::harness::{Harness, Verdict};
use wordline_crash::{ByteTearing, Content};
use wordline_engines::crash::RecordCall;
use wordline_engines::{STORES, StoreOptions, named};

use super::put;

const OPTIONS: StoreOptions = StoreOptions {
    key_bytes: 8,
    value_bytes: 8,
    resident_directory: false,
};

fn put_number(number: u8, fill: u8) -> RecordCall {
    put(vec![number + 1; 8], 8, fill)
}

/// Inserts alone, or with updates.
fn workload(updates: bool) -> Vec<RecordCall> {
    let mut calls: Vec<_> = (0..14)
        .map(|number| put_number(number, 10 * number + 1))
        .collect();
    if updates {
        calls.extend((0..6).map(|number| put_number(number, 10 * number + 3)));
    }
    calls
}

/// Every boundary of a bus of 16 bits that stores in order: the kindest memory there is.
pub(super) fn verdict(name: &str, updates: bool) -> Verdict {
    let table = named(STORES, name).expect("it is in the list");
    let bytes = if name == "lpht" { 300 } else { 96 + 8 * 64 };
    let mut harness = Harness::new(Content::zeros(bytes, 2), ByteTearing::bus(2));
    harness.accesses = 10_000;
    harness.check(&table.subject(OPTIONS), &workload(updates))
}

#[test]
fn the_published_lpht_survives_inserts_and_tears_every_update() {
    let inserts = verdict("lpht", false);
    assert_eq!(inserts.failures, 0, "{:?}", inserts.first);
    let updates = verdict("lpht", true);
    // Each of the six updates has three boundaries within its value of four bus words.
    assert_eq!(
        updates.kinds,
        BTreeMap::from([("a value that was never put".into(), 18)])
    );
}

#[test]
fn the_published_clht_shows_torn_keys_wrong_values_and_wild_pointers() {
    let verdict = verdict("clht", false);
    let kinds: Vec<_> = verdict.kinds.keys().map(String::as_str).collect();
    let all = format!("{verdict:?}");
    assert!(kinds.contains(&"a key that was never put"), "{all}");
    assert!(kinds.contains(&"a value that was never put"), "{all}");
    assert!(
        kinds.contains(&"the store cannot be read")
            || kinds.contains(&"the software does not come to an end"),
        "{all}"
    );
}
