//! Each defence turned off gives a wrong figure, or hides what it names.

use super::coverage::has;
use super::*;
use crate::memory::estimate::planted::{PlantedLatency, Preemption, TEN_RIVALS};
use crate::memory::estimate::{Grade, TimerCost, loads_per_batch};

const SEEDS: u64 = 200;
const ALL: Defences = Defences::ALL;

/// With the defence the interval holds the truth, and without it fails to.
fn needed(name: &str, run: &PlantedRun, without: Defences) {
    let (with, without) = (coverage(run, SEEDS, &ALL), coverage(run, SEEDS, &without));
    println!(
        "{name}: {:.1} % covered, without {:.1} %",
        with * 100.0,
        without * 100.0
    );
    assert!(with >= 0.93, "{name}: {with}");
    assert!(without < 0.85, "{name} is not needed: {without}");
}

fn still() -> PlantedRun {
    PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 })
}

/// Long batches in short slices: one in four is hit.
fn often_hit() -> PlantedRun {
    PlantedRun {
        preemption: Some(Preemption {
            on_ms: 1.0,
            off_ms: 10.0,
            cold_us: 0.0,
            cold_factor: 1.0,
        }),
        loads: 1000,
        ..still()
    }
}

#[test]
fn hit_batches_are_removed() {
    let keep = Defences {
        remove_hits: false,
        ..ALL
    };
    needed("removal of hit batches", &often_hit(), keep);
    let rivals = PlantedRun {
        preemption: Some(TEN_RIVALS),
        ..still()
    };
    let rivals = PlantedRun {
        loads: 100,
        ..rivals
    };
    for seed in 0..20 {
        let mean_ps = |defences| {
            estimate(&rivals, seed, defences)
                .expect("an estimate")
                .mean_ps
        };
        assert!(mean_ps(&ALL) < 110e3);
        assert!(mean_ps(&keep) > 500e3, "the mean that others report");
    }
}

#[test]
fn cold_batches_are_removed() {
    let run = PlantedRun {
        preemption: Some(TEN_RIVALS),
        loads: 100,
        ..still()
    };
    needed(
        "removal of cold batches",
        &run,
        Defences {
            remove_cold: false,
            ..ALL
        },
    );
}

#[test]
fn timer_cost_is_taken_off() {
    let run = PlantedRun {
        loads: 16,
        ..still()
    };
    needed(
        "timer cost",
        &run,
        Defences {
            take_off_cost: false,
            ..ALL
        },
    );
}

#[test]
fn interval_is_widened_by_the_quantum() {
    let timer = TimerCost {
        cost_ps: 25e3,
        quantum_ps: 1e6,
    };
    let run = PlantedRun {
        timer,
        loads: 64,
        ..still()
    };
    needed(
        "widening by the step",
        &run,
        Defences {
            widen_by_quantum: false,
            ..ALL
        },
    );
}

#[test]
fn interval_comes_from_blocks() {
    let run = PlantedRun::new(PlantedLatency::TwoModes { burst: 20.0 });
    let run = PlantedRun {
        batches: 4000,
        ..run
    };
    needed(
        "blocks",
        &run,
        Defences {
            blocks: false,
            ..ALL
        },
    );
}

#[test]
fn the_middle_is_the_median() {
    let run = PlantedRun::new(PlantedLatency::TwoModes { burst: 1.0 });
    needed(
        "the median",
        &run,
        Defences {
            median: false,
            ..ALL
        },
    );
}

/// Batches of 6.5 ms instead of the length that the timer asks for: none fits a slice.
#[test]
fn batches_are_short() {
    let rivals = PlantedRun {
        preemption: Some(TEN_RIVALS),
        batches: 300,
        ..still()
    };
    let planned = loads_per_batch(100e3, &rivals.timer);
    assert!((16..=64).contains(&planned));
    let short = PlantedRun {
        loads: planned,
        batches: 4000,
        ..rivals
    };
    assert!(coverage(&short, SEEDS, &ALL) >= 0.93);
    let long = PlantedRun {
        loads: 65_536,
        ..rivals
    };
    for seed in 0..20 {
        let found = estimate(&long, seed, &ALL).expect("an estimate");
        assert!(found.median_ps > 500e3);
        assert_eq!(found.grade, Grade::Refused);
        assert!(has(&found, "unexplained_loss"));
        // Nothing else would refuse it.
        let hidden = estimate(
            &long,
            seed,
            &Defences {
                explain_loss: false,
                ..ALL
            },
        )
        .expect("an estimate");
        assert!(hidden.grade < Grade::Refused, "{hidden:?}");
    }
}

#[test]
fn drift_is_checked() {
    let run = PlantedRun::new(PlantedLatency::Drift { rise_ns: 15.0 });
    for seed in 0..20 {
        let found = |defences| estimate(&run, seed, defences).expect("an estimate");
        assert!(has(&found(&ALL), "drift"));
        assert!(!has(
            &found(&Defences {
                check_drift: false,
                ..ALL
            }),
            "drift"
        ));
    }
}

#[test]
fn contention_is_not_hidden() {
    let run = PlantedRun::new(PlantedLatency::Contended { queue_ns: 70.0 });
    for seed in 0..20 {
        let found = |defences| estimate(&run, seed, defences).expect("an estimate");
        assert_eq!(found(&ALL).grade, Grade::C);
        let hidden = found(&Defences {
            name_contention: false,
            ..ALL
        });
        assert!(hidden.grade < Grade::C, "nothing else shows it: {hidden:?}");
    }
}

/// A tenth of the batches 25 times slower than the rest, as where caches hold nine tenths: with a ledger that shows no
/// other program, they are the memory's own.
#[test]
fn slow_modes_are_kept() {
    let (mut batches, ledger) = still().draw(3);
    let mut shift = 0;
    for (place, batch) in batches.iter_mut().enumerate() {
        batch.at_ps += shift;
        if place % 10 == 0 {
            shift += batch.duration_ps * 24;
            batch.duration_ps *= 25;
        }
    }
    let timer = still().timer;
    let found = |defences| latency_with(&batches, &timer, &ledger, defences).expect("an estimate");
    assert_eq!(found(&ALL).hit_share, 0.0);
    assert!(found(&ALL).p99_ps > 2000e3);
    let cut = found(&Defences {
        keep_slow_modes: false,
        ..ALL
    });
    assert_eq!(cut.hit_share, 0.1);
    // Where the thread was without its core for that long, they are not.
    let mut lost = ledger;
    lost.elapsed_s = 1.0;
    lost.processor_s = 0.3;
    let found = latency_with(&batches, &timer, &lost, &ALL).expect("an estimate");
    assert_eq!(found.hit_share, 0.1);
}
