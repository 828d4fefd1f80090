//! Power cuts and flipped bits: every boundary of a fixed workload, cuts within recovery, and a table that lacks one
//! barrier after the other. `docs/evidence/kv-power-cuts.md` is written from here.

mod evidence;
mod fixture_cuts;
mod own;

use std::vec::Vec;

use wordline_engines::crash::{RecordCall, StoredBytes};

fn value(length: usize, fill: u8) -> Vec<u8> {
    (0..length)
        .map(|place| fill.wrapping_add((place as u8).wrapping_mul(29)))
        .collect()
}

/// Gives a key a value of some length.
fn put(key: Vec<u8>, length: usize, fill: u8) -> RecordCall {
    RecordCall::Put(StoredBytes(key), StoredBytes(value(length, fill)))
}
