//! Scratch.
use super::check::{Depth, Looked, look};
use super::setups::SETUPS;
use crate::ftl::barrier::{Barrier, Barriers};

fn env(name: &str, or: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(or)
}

#[test]
#[ignore = "scratch"]
fn explore_mutants() {
    std::panic::set_hook(Box::new(|_| {}));
    let only = std::env::var("ONLY").ok();
    let all: Vec<_> = Barrier::ALL
        .iter()
        .filter(|(b, _)| only.as_ref().is_none_or(|o| o.contains(&format!("{b:?}"))))
        .collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((barrier, _)) = all.get(at) else {
                        break;
                    };
                    let mut hits = Vec::new();
                    for (i, setup) in SETUPS.iter().enumerate().filter(|(i, _)| {
                        std::env::var("SETUP")
                            .ok()
                            .is_none_or(|o| o.contains(&i.to_string()))
                    }) {
                        for seed in env("FROM", 1)..=env("SEEDS", 1) {
                            let start = std::time::Instant::now();
                            let depth = Depth {
                                again_every: env("AGAIN", 97),
                                calls: env("RUN", 120),
                                calls_again: env("CALLS", 12),
                                second_every: env("SECOND", 3),
                                mounts: 12,
                            };
                            let mut looked = Looked::default();
                            let result =
                                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                                    look(
                                        setup,
                                        Barriers::without(*barrier),
                                        depth,
                                        seed,
                                        &mut looked,
                                    )
                                }));
                            let caught = match result {
                                Ok(Ok(())) => None,
                                Ok(Err(why)) => Some(why),
                                Err(_) => panic!(),
                            };
                            if let Some(why) = caught {
                                hits.push(format!(
                                    "  setup {i} seed {seed}: {} images {:?} {why:?}",
                                    looked.images.len(),
                                    start.elapsed()
                                ));
                                break;
                            }
                        }
                    }
                    println!("{barrier:?}: {} hits", hits.len());
                }
            });
        }
    });
}

#[test]
#[ignore = "scratch"]
fn explore_all() {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..env("THREADS", 2) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if at >= SETUPS.len() * 4 {
                        break;
                    }
                    let setup = SETUPS[at % SETUPS.len()];
                    let seed = env("FROM", 2) + (at / SETUPS.len()) as u64;
                    let depth = Depth {
                        again_every: env("AGAIN", 61),
                        calls: env("RUN", 200),
                        calls_again: env("CALLS", 20),
                        second_every: env("SECOND", 3),
                        mounts: 30,
                    };
                    let mut looked = Looked::default();
                    let r = look(&setup, Barriers::ALL, depth, seed, &mut looked);
                    println!(
                        "{} seed {seed}: {} {:?}",
                        setup.name,
                        looked.images.len(),
                        r
                    );
                }
            });
        }
    });
}
