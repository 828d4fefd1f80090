//! The interval holds the true median.

use super::*;
use crate::memory::estimate::planted::PlantedLatency;
use crate::memory::estimate::quantile::middle;
use crate::memory::estimate::{Grade, GradeReason, TimedBatch, TimerCost, loads_per_batch};

const SEEDS: u64 = 1000;

fn timer(cost_ns: f64, step_ns: f64) -> TimerCost {
    TimerCost {
        cost_ps: cost_ns * 1e3,
        quantum_ps: step_ns * 1e3,
    }
}

/// The intervals of 1,000 seeds hold the truth, and are no wider on the mean than `widest` of it.
fn holds(name: &str, run: &PlantedRun, widest: f64) {
    let covered = coverage(run, SEEDS, &Defences::ALL);
    let widths = (0..100).map(|seed| {
        let found = estimate(run, seed, &Defences::ALL).expect("an estimate");
        (found.high_ps - found.low_ps) / found.median_ps
    });
    let width = widths.sum::<f64>() / 100.0;
    println!(
        "{name}: {:.1} % covered, {:.2} % wide",
        covered * 100.0,
        width * 100.0
    );
    assert!(covered >= 0.93, "{name}: {covered}");
    assert!(width <= widest, "{name}: {width}");
}

#[test]
fn one_mode() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    holds("one mode", &run, 0.01);
    let few = PlantedRun { batches: 80, ..run };
    holds("one mode, 80 batches", &few, 0.05);
}

#[test]
fn two_modes() {
    let run = PlantedRun::new(PlantedLatency::TwoModes { burst: 1.0 });
    holds("70/30", &run, 0.01);
    for seed in 0..100 {
        let found = estimate(&run, seed, &Defences::ALL).expect("an estimate");
        assert_eq!((found.hit_share, found.batches), (0.0, run.batches));
        assert!(found.p75_ps > 128e3 && found.p25_ps < 102e3, "{found:?}");
        assert_eq!(found.grade, Grade::A, "{:?}", found.reasons);
    }
}

#[test]
fn bursts() {
    let of = |latency, batches| PlantedRun {
        batches,
        ..PlantedRun::new(latency)
    };
    let modes = of(PlantedLatency::TwoModes { burst: 20.0 }, 4000);
    holds("70/30 in bursts of 20", &modes, 0.10);
    let slow = of(PlantedLatency::Slow, 2000);
    holds("each batch near the last", &slow, 0.05);
}

#[test]
fn drifting() {
    let of = |latency| PlantedRun {
        batches: 1000,
        ..PlantedRun::new(latency)
    };
    for rise_ns in [5.0, 15.0, 40.0] {
        let run = of(PlantedLatency::Drift { rise_ns });
        holds(&format!("drift of {rise_ns} ns"), &run, rise_ns / 90.0);
    }
    let wave = of(PlantedLatency::Wave { height_ns: 10.0 });
    holds("a wave", &wave, 0.20);
}

#[test]
fn coarse_timers() {
    for latency in [
        PlantedLatency::Still { scale_ns: 3.0 },
        PlantedLatency::Still { scale_ns: 0.01 },
        PlantedLatency::TwoModes { burst: 1.0 },
    ] {
        for (step_ns, loads, widest) in [(10.0, 16, 0.03), (10.0, 64, 0.02), (1000.0, 64, 0.40)] {
            let run = PlantedRun {
                timer: timer(25.0, step_ns),
                loads,
                batches: 1000,
                ..PlantedRun::new(latency)
            };
            holds(
                &format!("{latency:?}, steps of {step_ns} ns, {loads} loads"),
                &run,
                widest,
            );
        }
        // Batches as long as the clock asks for.
        let timer = timer(25.0, 1000.0);
        let run = PlantedRun {
            loads: loads_per_batch(latency.median_ns() * 1e3, &timer),
            timer,
            batches: 1000,
            ..PlantedRun::new(latency)
        };
        holds(
            &format!("{latency:?}, steps of 1 us, {} loads", run.loads),
            &run,
            0.04,
        );
    }
}

/// The figure itself, not just its interval, is finer than the clock.
#[test]
fn coarse_steps_are_spread() {
    let run = PlantedRun {
        timer: timer(25.0, 1000.0),
        loads: 64,
        ..PlantedRun::new(PlantedLatency::Still { scale_ns: 0.3 })
    };
    for seed in 0..100 {
        let found = estimate(&run, seed, &Defences::ALL).expect("an estimate");
        // A step is 15.6 ns a load.
        assert!((found.median_ps - 100e3).abs() < 2e3, "{found:?}");
        assert_eq!(found.grade, Grade::C);
    }
}

#[test]
fn contention_for_memory_is_named() {
    for queue_ns in [70.0, 100.0, 300.0] {
        let run = PlantedRun::new(PlantedLatency::Contended { queue_ns });
        for seed in 0..100 {
            let mut found = estimate(&run, seed, &Defences::ALL).expect("an estimate");
            found.kept.clear();
            assert!(has(&found, "memory_contention"), "{queue_ns}: {found:?}");
            assert!(found.grade >= Grade::C, "{found:?}");
            assert!(found.p5_ps < 105e3, "{found:?}");
            assert!(
                found.batches > run.batches * 9 / 10,
                "{queue_ns}: {found:?}"
            );
        }
    }
    let refused = PlantedRun::new(PlantedLatency::Contended { queue_ns: 300.0 });
    assert_eq!(
        estimate(&refused, 0, &Defences::ALL)
            .expect("an estimate")
            .grade,
        Grade::Refused
    );
    // Half of it is enough where the ledger shows others at work.
    let light = PlantedRun::new(PlantedLatency::Contended { queue_ns: 33.0 });
    let (batches, mut ledger) = light.draw(1);
    let found = |ledger: &_| {
        latency_with(&batches, &light.timer, ledger, &Defences::ALL).expect("an estimate")
    };
    assert!(!has(&found(&ledger), "memory_contention"));
    ledger.elsewhere_cpu_share = Some(0.3);
    assert!(has(&found(&ledger), "memory_contention"));
}

#[test]
fn quiet_runs_have_grade_a() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    let below = (0..300).filter(|seed| {
        let found = estimate(&run, *seed, &Defences::ALL).expect("an estimate");
        found.grade > Grade::A
    });
    assert_eq!(below.count(), 0);
}

#[test]
fn drift_is_named() {
    let run = |rise_ns| PlantedRun::new(PlantedLatency::Drift { rise_ns });
    for seed in 0..100 {
        let found = |rise_ns| estimate(&run(rise_ns), seed, &Defences::ALL).expect("an estimate");
        assert!(!has(&found(2.0), "drift"));
        assert!(has(&found(15.0), "drift"));
        let change = found(15.0)
            .reasons
            .into_iter()
            .find_map(|reason| match reason {
                GradeReason::Drift { change } => Some(change),
                _ => None,
            });
        // From 103.75 to 111.25 ns.
        assert!((change.expect("a drift") - 0.0723).abs() < 0.01);
    }
}

/// Another program ran between batches, and left the caches cold: none is hit, and the cold ones go.
#[test]
fn gaps_are_interruptions() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    let (mut batches, mut ledger) = run.draw(5);
    let mut shift = 0;
    for (place, batch) in batches.iter_mut().enumerate() {
        if place % 200 == 100 {
            shift += 30_000_000_000;
        }
        batch.at_ps += shift;
        if place >= 100 && place % 200 >= 100 && place % 200 < 130 {
            shift += batch.duration_ps / 2;
            batch.duration_ps += batch.duration_ps / 2;
        }
    }
    ledger.elapsed_s += shift as f64 / 1e12;
    let found = latency_with(&batches, &run.timer, &ledger, &Defences::ALL).expect("an estimate");
    assert_eq!(found.hit_share, 0.0);
    // What ends all at once is taken for what fades, with the longer end of that.
    assert!((0.15..0.60).contains(&found.cold_share), "{found:?}");
    assert!(
        found.p99_ps < 120e3 && (found.median_ps - 100e3).abs() < 1e3,
        "{found:?}"
    );
    assert!(!has(&found, "unexplained_loss"), "the gaps account for it");
}

/// Rivals for core and memory come together: what is slow beside them is not cold, and stays.
#[test]
fn quiet_times_are_not_preferred() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    let (mut batches, ledger) = run.draw(7);
    let mut shift = 0;
    for (place, batch) in batches.iter_mut().enumerate() {
        let beside_rivals = place >= 800;
        if beside_rivals && place % 50 == 0 {
            shift += 3_000_000_000;
        }
        batch.at_ps += shift;
        if beside_rivals {
            shift += batch.duration_ps / 2;
            batch.duration_ps += batch.duration_ps / 2;
        }
    }
    let found = latency_with(&batches, &run.timer, &ledger, &Defences::ALL).expect("an estimate");
    assert!(found.cold_share < 0.05, "{found:?}");
    assert!(found.median_ps > 140e3, "{found:?}");
}

/// Removal is one-sided: nothing is too fast.
#[test]
fn fast_batches_stay() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    let (mut batches, ledger) = run.draw(6);
    for batch in batches.iter_mut().step_by(10) {
        batch.duration_ps /= 20;
    }
    let found = latency_with(&batches, &run.timer, &ledger, &Defences::ALL).expect("an estimate");
    assert_eq!((found.batches, found.hit_share), (run.batches, 0.0));
    assert!(found.p5_ps < 10e3, "{found:?}");
}

pub(super) fn has(found: &LatencyEstimate, reason: &str) -> bool {
    found.reasons.iter().any(|known| known.name() == reason)
}

/// Why the interval counts shares in blocks, instead of ordering the medians of blocks: both cover bursts, and the latter
/// is twice as wide.
#[test]
fn shares_are_sharper_than_block_medians() {
    let run = PlantedRun {
        batches: 4000,
        ..PlantedRun::new(PlantedLatency::TwoModes { burst: 20.0 })
    };
    let width_of_block_medians = |batches: &[TimedBatch]| {
        let per_load = |batch: &TimedBatch| {
            (batch.duration_ps as f64 - run.timer.cost_ps) / f64::from(batch.loads)
        };
        let mut medians: Vec<f64> = batches
            .chunks(250)
            .map(|block| middle(&mut block.iter().map(per_load).collect::<Vec<_>>()))
            .collect();
        medians.sort_by(f64::total_cmp);
        // Of 16 values, the fourth from either end bound the middle 97.9 times in 100.
        medians[12] - medians[3]
    };
    let (mut ours, mut theirs) = (0.0, 0.0);
    for seed in 0..100 {
        let found = estimate(&run, seed, &Defences::ALL).expect("an estimate");
        ours += found.high_ps - found.low_ps;
        theirs += width_of_block_medians(&run.draw(seed).0);
    }
    assert!(ours < 0.7 * theirs, "{ours} {theirs}");
}
