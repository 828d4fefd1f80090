//! What was promised holds after every cut.

use std::sync::Mutex;
use std::thread;

use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::Barriers;

/// Looks at every setup, two at a time.
fn looked(depth: Depth, seeds: std::ops::Range<u64>) -> Vec<Looked> {
    let runs = seeds.flat_map(|seed| (0..SETUPS.len()).map(move |setup| (setup, seed)));
    let runs = Mutex::new(runs);
    let results = Mutex::new(vec![Looked::default(); SETUPS.len()]);
    let next = || runs.lock().expect("no panic").next();
    thread::scope(|scope| {
        let work = || {
            while let Some((number, seed)) = next() {
                let setup = &SETUPS[number];
                let mut looked = Looked::default();
                let result = look(setup, Barriers::ALL, depth, seed, &mut looked);
                assert_eq!(result, Ok(()), "{}, seed {seed}", setup.name);
                results.lock().expect("no panic")[number].add(looked);
            }
        };
        scope.spawn(work);
        scope.spawn(work);
    });
    results.into_inner().expect("no panic")
}

#[test]
fn every_cut_leaves_what_was_promised() {
    let depth = Depth {
        calls: 120,
        again_every: 401,
        calls_again: 12,
        second_every: 7,
        mounts: 12,
    };
    let images: usize = looked(depth, 1..2).iter().map(|of| of.images.len()).sum();
    assert!(images >= 100_000, "{images} images");
}
