//! Each defence turned off gives a wrong figure, or hides what it names.

use super::coverage::has;
use super::*;
use crate::memory::estimate::planted::{NO_REFILL, PlantedLatency, Preemption, ten_rivals};
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
            refill: NO_REFILL,
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
        preemption: Some(ten_rivals(2e3)),
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

/// Tables of which most lines are back within a turn: the young batches go.
#[test]
fn cold_batches_are_removed() {
    needed(
        "removal of cold batches",
        &refills::still(2e3),
        Defences {
            remove_cold: false,
            ..ALL
        },
    );
}

/// Tables of which half the lines are back within a turn: no batch is old enough.
#[test]
fn what_is_cold_is_taken_off() {
    needed(
        "correction of cold batches",
        &refills::still(16e3),
        Defences {
            correct_cold: false,
            ..ALL
        },
    );
}

/// The rule before this one ended every refill after 1.6 ms.
#[test]
fn a_refill_takes_as_long_as_it_takes() {
    needed(
        "a refill without a cap",
        &refills::still(16e3),
        Defences {
            whole_refill: false,
            correct_cold: false,
            ..ALL
        },
    );
}

/// Young batches are slower than old ones, which is no contention for memory.
#[test]
fn contention_is_judged_at_equal_age() {
    let run = refills::still(16e3);
    for seed in 0..20 {
        let named = |rise_at_equal_age| {
            let defences = Defences {
                correct_cold: false,
                rise_at_equal_age,
                ..ALL
            };
            has(
                &estimate(&run, seed, &defences).expect("an estimate"),
                "memory_contention",
            )
        };
        assert_eq!((named(true), named(false)), (false, true), "{seed}");
    }
}

/// Batches that differ as those of some memories do, beside rivals that never run while we do.
#[test]
fn rivals_for_our_core_load_no_memory() {
    let run = refills::beside(ten_rivals(2e3), PlantedLatency::Still { scale_ns: 5.0 });
    for seed in 0..20 {
        let (batches, mut ledger) = run.draw(seed);
        ledger.elsewhere_cpu_share = Some(0.0);
        ledger.has_hypervisor = true;
        let named = |elsewhere_alone| {
            let defences = Defences {
                elsewhere_alone,
                ..ALL
            };
            let found = latency_with(&batches, &run.timer, &ledger, &defences);
            has(&found.expect("an estimate"), "memory_contention")
        };
        assert_eq!((named(true), named(false)), (false, true), "{seed}");
    }
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
        preemption: Some(ten_rivals(2e3)),
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
