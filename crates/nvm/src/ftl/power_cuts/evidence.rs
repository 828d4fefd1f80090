//! What was promised holds after every cut.

use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::Barriers;

#[test]
#[ignore = "minutes: part of `make nightly`"]
fn every_cut_leaves_what_was_promised() {
    let depth = Depth {
        again_every: 401,
        calls: 12,
        second_every: 7,
        mounts: 12,
        limit: usize::MAX,
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = SETUPS
            .iter()
            .map(|setup| {
                scope.spawn(move || {
                    let mut looked = Looked::default();
                    let only = std::env::var("SETUP").ok();
                    if only.is_some_and(|o| !setup.name.contains(&o)) { return (setup.name, looked, Ok(())); }
                    let result = look(setup, Barriers::ALL, depth, 1, &mut looked);
                    (setup.name, looked, result)
                })
            })
            .collect();
        let join = threads.into_iter().map(|thread| thread.join());
        join.map(|found| found.expect("no panic")).collect()
    });
    for (name, looked, result) in &found {
        println!(
            "{name}: {} distinct images, {} mounts cut, {} images of them, {} mounts cut again and again",
            looked.images.len(),
            looked.second_runs,
            looked.second_images,
            looked.cut_mounts
        );
        if result.is_err() { println!("FAIL {name} {result:?}") }
    }
    let images: usize = found.iter().map(|(_, looked, _)| looked.images.len()).sum();
    println!("{images} distinct images");
    assert!(images >= 100_000, "{images} images");
}
