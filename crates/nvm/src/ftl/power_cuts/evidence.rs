use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::Barriers;

#[test]
fn every_cut_leaves_what_was_promised() {
    let depth = Depth {
        again_every: 211,
        calls: 12,
        second_every: 5,
        mounts: 12,
    };
    let only = std::env::var("SETUP")
        .ok()
        .map(|i| i.parse::<usize>().expect("i"));
    let seed = std::env::var("SEED")
        .ok()
        .map_or(1, |i| i.parse::<u64>().expect("i"));
    std::thread::scope(|scope| {
        for (i, setup) in SETUPS.iter().enumerate() {
            if only.is_some_and(|o| o != i) {
                continue;
            }
            scope.spawn(move || {
                let mut looked = Looked::default();
                let start = std::time::Instant::now();
                let result = look(setup, Barriers::ALL, depth, seed, &mut looked);
                println!(
                    "{}: {} distinct, {} second runs, {} second images, {:?} {result:?}",
                    setup.name,
                    looked.images.len(),
                    looked.second_runs,
                    looked.second_images,
                    start.elapsed()
                );
            });
        }
    });
}
