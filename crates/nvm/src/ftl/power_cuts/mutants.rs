//! Layers that forget one barrier.

use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::{Barrier, Barriers};

#[test]
#[ignore = "minutes: part of `make nightly`"]
fn a_layer_that_forgets_a_barrier_is_caught() {
    let depth = Depth {
        again_every: 97,
        calls: 12,
        second_every: 3,
        mounts: 12,
        limit: usize::MAX,
    };
    let mut alive = Vec::new();
    for (barrier, _) in Barrier::ALL {
        let caught = SETUPS.iter().find_map(|setup| {
            let mut looked = Looked::default();
            let look = || look(setup, Barriers::without(barrier), depth, 1, &mut looked);
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)) {
                Ok(result) => result.err(),
                Err(_) => Some("it panics".to_owned()),
            }
            .map(|why| (setup.name, why))
        });
        println!("{barrier:?}: {caught:?}");
        if caught.is_none() {
            alive.push(barrier);
        }
    }
    assert!(alive.is_empty(), "not caught: {alive:?}");
}
