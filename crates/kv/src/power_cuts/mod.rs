//! Power cuts and flipped bits: every boundary of a fixed workload, cuts within recovery, and a table that lacks one
//! barrier after the other. `docs/evidence/kv-power-cuts.md` is written from here.

mod evidence;
mod fixture_cuts;
mod own;

use std::collections::BTreeMap;
use std::vec::Vec;

use std::fmt;

/// Bytes that print in one short word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CutBytes(Vec<u8>);

impl fmt::Debug for CutBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = self.0.iter().fold(0u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
        });
        write!(f, "{}B#{sum:x}", self.0.len())
    }
}

/// What a table holds.
type Map = BTreeMap<CutBytes, CutBytes>;

/// A call of the workload: keys by number, values by their length and what they begin with.
#[derive(Clone, Copy, Debug)]
enum StoreCall {
    Put(u8, usize, u8),
    Remove(u8),
}

fn value(length: usize, fill: u8) -> Vec<u8> {
    (0..length)
        .map(|place| fill.wrapping_add((place as u8).wrapping_mul(29)))
        .collect()
}

fn next(map: &Map, call: StoreCall, key: impl Fn(u8) -> Vec<u8>) -> Map {
    let mut map = map.clone();
    match call {
        StoreCall::Put(number, length, fill) => {
            map.insert(CutBytes(key(number)), CutBytes(value(length, fill)));
        }
        StoreCall::Remove(number) => {
            map.remove(&CutBytes(key(number)));
        }
    }
    map
}

/// Whether what is found is one of the states that may be found, and what is wrong where not.
fn judge(found: &Map, allowed: &[Map]) -> Result<(), std::string::String> {
    if allowed.contains(found) {
        return Ok(());
    }
    let known = |key: &CutBytes| allowed.iter().any(|map| map.contains_key(key));
    let fits = |(key, value): (&CutBytes, &CutBytes)| {
        allowed.iter().any(|map| map.get(key) == Some(value))
    };
    Err(if !found.keys().all(known) {
        "a key that nobody put"
    } else if !found.iter().all(fits) {
        "a value that nobody put"
    } else {
        "a record is lost, or one that was removed is back"
    }
    .into())
}
