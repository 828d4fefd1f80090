use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::Barriers;

#[test]
fn every_cut_leaves_what_was_promised() {
    let depth = Depth {
        again_every: 211,
        calls: 12,
        second_every: 5,
    };
    for setup in &SETUPS {
        let mut looked = Looked::default();
        let start = std::time::Instant::now();
        let result = look(setup, Barriers::ALL, depth, 1, &mut looked);
        println!(
            "{}: {} distinct, {} second runs, {} second images, {:?} {result:?}",
            setup.name,
            looked.images.len(),
            looked.second_runs,
            looked.second_images,
            start.elapsed()
        );
    }
}
