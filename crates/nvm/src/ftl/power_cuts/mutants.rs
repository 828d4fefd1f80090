use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::{Barrier, Barriers};

#[test]
fn mutants_try() {
    let all = Barrier::ALL;
    let only = std::env::var("ONLY").ok();
    for (barrier, _) in all {
        if only.as_ref().is_some_and(|o| *o != format!("{barrier:?}")) {
            continue;
        }
        let start = std::time::Instant::now();
        let mut caught = None;
        let mut images = 0;
        for (again_every, second_every) in [(97, 3), (7, 1)] {
            for setup in &SETUPS {
                let depth = Depth {
                    again_every,
                    calls: 12,
                    second_every,
                    mounts: 12,
                };
                let mut looked = Looked::default();
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    look(setup, Barriers::without(barrier), depth, 1, &mut looked)
                }));
                images += looked.images.len();
                match result {
                    Ok(Ok(())) => {}
                    Ok(Err(why)) => {
                        caught = Some((setup.name, why));
                        break;
                    }
                    Err(_) => {
                        caught = Some((setup.name, "panic".into()));
                        break;
                    }
                }
            }
            if caught.is_some() || only.is_none() {
                break;
            }
        }
        println!(
            "{barrier:?}: {images} images {:?} {caught:?}",
            start.elapsed()
        );
    }
}
