//! What holds of every input.

use proptest::prelude::*;

use super::*;
use crate::memory::estimate::*;
use crate::memory::ledger::LedgerReading;

fn timers() -> impl Strategy<Value = TimerCost> {
    let cost = prop_oneof![
        Just(0.0),
        0.0..1e5,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-1.0)
    ];
    let step = prop_oneof![Just(0.0), 1.0..2e6, Just(f64::NAN), Just(1e300)];
    (cost, step).prop_map(|(cost_ps, quantum_ps)| TimerCost {
        cost_ps,
        quantum_ps,
    })
}

fn ledgers() -> impl Strategy<Value = LedgerReading> {
    let seconds = prop_oneof![Just(0.0), 0.0..10.0, Just(f64::NAN), Just(f64::MAX)];
    let share = prop_oneof![Just(0.0), 0.0..1.0, Just(f64::NEG_INFINITY)];
    let counts = (any::<u64>(), any::<u64>(), any::<bool>());
    (
        seconds.clone(),
        seconds,
        share.clone(),
        proptest::option::of(share),
        counts,
    )
        .prop_map(
            |(elapsed_s, processor_s, steal_share, clock_change, (faults, migrations, stepped))| {
                LedgerReading {
                    elapsed_s,
                    processor_s,
                    steal_share,
                    clock_change,
                    clock_stepped: stepped,
                    major_faults: faults,
                    minor_faults: faults,
                    migrations,
                    ..LedgerReading::default()
                }
            },
        )
}

fn durations() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 1_000_000_u64..5_000_000,
        2 => Just(3_000_000),
        1 => 0_u64..10,
        1 => any::<u64>().prop_map(|wide| wide >> 20),
        1 => Just(u64::MAX),
    ]
}

/// Any length, 0 among them; mostly in order of time.
fn batches() -> impl Strategy<Value = Vec<TimedBatch>> {
    let orderly = 1_000_000_u64..5_000_000;
    let odd = (
        durations(),
        0_u64..40_000_000,
        prop_oneof![20 => 1_u32..100, 1 => Just(0), 1 => Just(u32::MAX)],
    );
    let plain = (orderly, 0_u64..40_000_000, 1_u32..100);
    let in_order = |all: Vec<(u64, u64, u32)>| {
        let mut now = 0_u64;
        let timed = all.into_iter().map(|(duration_ps, pause, loads)| {
            let batch = TimedBatch {
                at_ps: now,
                duration_ps,
                loads,
            };
            now = now.saturating_add(duration_ps).saturating_add(pause);
            batch
        });
        timed.collect::<Vec<_>>()
    };
    prop_oneof![
        proptest::collection::vec(plain, 0..400).prop_map(in_order),
        proptest::collection::vec(odd, 0..200).prop_map(in_order),
        proptest::collection::vec(
            (any::<u64>(), durations(), 0_u32..9).prop_map(|(at_ps, duration_ps, loads)| {
                TimedBatch {
                    at_ps,
                    duration_ps,
                    loads,
                }
            }),
            0..100
        ),
    ]
}

proptest! {
    #[test]
    fn figures_keep_their_order(batches in batches(), timer in timers(), ledger in ledgers()) {
        if let Ok(found) = latency(&batches, &timer, &ledger) {
            let quantiles = [found.p5_ps, found.p25_ps, found.median_ps, found.p75_ps, found.p99_ps];
            prop_assert!(quantiles.is_sorted(), "{found:?}");
            let interval = [found.low_ps, found.median_ps, found.high_ps];
            prop_assert!(interval.is_sorted() && found.low_ps >= 0.0, "{found:?}");
            let figures = quantiles.iter().chain(&interval).chain([&found.mean_ps]);
            prop_assert!(figures.into_iter().all(|figure| figure.is_finite()), "{found:?}");
            prop_assert!((0.0..=1.0).contains(&(found.hit_share + found.cold_share)));
            prop_assert!(found.batches >= LEAST_KEPT && found.batches <= batches.len());
            prop_assert_eq!(found.grade, Grade::of(&found.reasons));
            prop_assert!(found.reasons.iter().all(|reason| reason.grade() > Grade::A));
            prop_assert!(found.reasons.iter().all(|reason| !reason.to_string().contains("NaN")));
        }
    }

    #[test]
    fn rates_keep_their_order(batches in batches(), timer in timers(), ledger in ledgers()) {
        let windows: Vec<TimedWindow> = batches
            .iter()
            .map(|batch| TimedWindow {
                at_ps: batch.at_ps,
                duration_ps: batch.duration_ps,
                bytes: u64::from(batch.loads) << 16,
            })
            .collect();
        if let Ok(found) = bandwidth(&windows, &windows, &timer, &ledger) {
            let quantiles = [found.p10, found.p50, found.p90];
            prop_assert!(quantiles.is_sorted(), "{found:?}");
            let interval = [found.low, found.p50, found.high];
            prop_assert!(interval.is_sorted(), "{found:?}");
            let figures = quantiles.iter().chain(&interval).chain([&found.mean]).chain(&found.best_pass);
            prop_assert!(figures.into_iter().all(|figure| figure.is_finite() && *figure > 0.0), "{found:?}");
        }
        if let Ok(found) = aggregate(&[windows.clone(), windows], &[], &timer, &ledger) {
            let figures = [found.low, found.p50, found.high];
            prop_assert!(figures.is_sorted() && figures.iter().all(|figure| figure.is_finite()), "{found:?}");
            let figures = [found.p10, found.p50, found.p90];
            prop_assert!(figures.is_sorted() && figures.iter().all(|figure| figure.is_finite()), "{found:?}");
        }
    }

    /// A machine twice as slow gives figures twice as high, and the same shares.
    #[test]
    fn figures_scale(seed in 0_u64..1000) {
        let run = PlantedRun { batches: 300, ..PlantedRun::new(planted::PlantedLatency::Still { scale_ns: 3.0 }) };
        let (batches, ledger) = run.draw(seed);
        let twice: Vec<TimedBatch> = batches
            .iter()
            .map(|batch| TimedBatch { at_ps: batch.at_ps * 2, duration_ps: batch.duration_ps * 2, ..*batch })
            .collect();
        let slow = TimerCost { cost_ps: run.timer.cost_ps * 2.0, quantum_ps: run.timer.quantum_ps * 2.0 };
        let (one, two) = (latency(&batches, &run.timer, &ledger).expect("an estimate"), latency(&twice, &slow, &ledger).expect("an estimate"));
        for (one, two) in [(one.median_ps, two.median_ps), (one.low_ps, two.low_ps), (one.p99_ps, two.p99_ps)] {
            prop_assert!((two / one - 2.0).abs() < 1e-9);
        }
        prop_assert_eq!(one.reasons.len(), two.reasons.len());
    }
}

fn still(count: usize) -> Vec<TimedBatch> {
    (0..count as u64)
        .map(|batch| TimedBatch {
            at_ps: batch * 3_000_000,
            duration_ps: 2_500_000,
            loads: 25,
        })
        .collect()
}

#[test]
fn bad_input_is_named() {
    let (timer, quiet) = (TimerCost::default(), LedgerReading::default());
    let error = |batches: &[TimedBatch]| latency(batches, &timer, &quiet).expect_err("no estimate");
    for count in [0, 1, LEAST_KEPT - 1] {
        let too_few = EstimateError::TooFew {
            timed: count,
            kept: count,
            least: LEAST_KEPT,
        };
        assert_eq!(error(&still(count)), too_few);
    }
    let changed = |change: fn(&mut TimedBatch)| {
        let mut batches = still(100);
        change(&mut batches[70]);
        error(&batches)
    };
    assert_eq!(
        changed(|batch| batch.loads = 0),
        EstimateError::Empty { index: 70 }
    );
    let too_long = changed(|batch| batch.duration_ps = u64::MAX);
    assert!(matches!(too_long, EstimateError::TooLong { index: 70, .. }));
    let back = changed(|batch| batch.at_ps = 0);
    assert!(matches!(back, EstimateError::OutOfOrder { index: 70, .. }));

    let costly = TimerCost {
        cost_ps: 2_500_000.0,
        quantum_ps: 0.0,
    };
    let below = latency(&still(100), &costly, &quiet).expect_err("no estimate");
    assert!(matches!(below, EstimateError::BelowTimer { .. }), "{below}");
    let odd = LedgerReading {
        steal_share: f64::NAN,
        ..LedgerReading::default()
    };
    let implausible = latency(&still(100), &timer, &odd)
        .expect_err("no estimate")
        .to_string();
    assert_eq!(
        implausible,
        "the ledger's steal_share is NaN (0 to 2e0 allowed)"
    );
    assert_eq!(
        aggregate(&[], &[], &timer, &quiet),
        Err(EstimateError::NoThreads)
    );
}

/// A run of equal batches is as certain as the clock; without a ledger it is of grade B.
#[test]
fn equal_batches() {
    let found = latency(
        &still(2000),
        &TimerCost::default(),
        &LedgerReading::default(),
    )
    .expect("an estimate");
    assert_eq!(
        (found.low_ps, found.median_ps, found.high_ps),
        (100e3, 100e3, 100e3)
    );
    assert_eq!(
        (found.grade, found.reasons),
        (Grade::B, vec![GradeReason::NoLedger])
    );
}

/// Every reason of the table at each of its limits.
#[test]
fn limits_decide_the_grade() {
    use Grade::{A, B, C, Refused};
    let cold = |share, corrected, is_bound| GradeReason::Cold {
        share,
        corrected,
        is_bound,
    };
    let limits = [
        (GradeReason::FewBatches { kept: 1024 }, A),
        (GradeReason::FewBatches { kept: 1023 }, B),
        (GradeReason::FewBatches { kept: 255 }, C),
        (GradeReason::WideInterval { share: 0.049 }, A),
        (GradeReason::WideInterval { share: 0.05 }, B),
        (GradeReason::WideInterval { share: 0.2 }, C),
        (GradeReason::WideInterval { share: 0.5 }, Refused),
        (GradeReason::CoarseTimer { share: 0.1 }, C),
        (GradeReason::CostlyTimer { share: 0.1 }, B),
        (GradeReason::Interrupted { share: 0.1 }, C),
        (GradeReason::Interrupted { share: 0.5 }, Refused),
        (cold(0.1, 0.0, false), B),
        (cold(0.5, 0.0, false), C),
        (cold(0.0, 0.001, false), B),
        (cold(0.0, 0.1, false), C),
        (cold(0.0, 0.0, true), C),
        (
            GradeReason::UnexplainedSpread {
                rise: 0.3,
                spread: 0.2,
            },
            C,
        ),
        (GradeReason::CoreContention { share: 0.99 }, C),
        (GradeReason::Stolen { share: 0.01 }, B),
        (
            GradeReason::UnexplainedLoss {
                lost: 0.9,
                found: 0.4,
            },
            Refused,
        ),
        (
            GradeReason::UnexplainedLoss {
                lost: 0.9,
                found: 0.5,
            },
            A,
        ),
        (
            GradeReason::UnexplainedLoss {
                lost: 0.1,
                found: 0.0,
            },
            A,
        ),
        (
            GradeReason::MemoryContention {
                rise: -0.1,
                spread: 0.3,
                others_at_work: false,
            },
            C,
        ),
        (
            GradeReason::MemoryContention {
                rise: 1.0,
                spread: 0.3,
                others_at_work: true,
            },
            Refused,
        ),
        (GradeReason::Drift { change: -0.1 }, C),
        (GradeReason::ClockChange { change: 0.02 }, B),
        (GradeReason::ClockStepped, C),
        (GradeReason::Migrated { times: 1 }, B),
        (
            GradeReason::Faults {
                major: 1,
                minor_share: 0.0,
            },
            C,
        ),
        (
            GradeReason::Faults {
                major: 0,
                minor_share: 0.01,
            },
            B,
        ),
        (
            GradeReason::Apart {
                overlap: 0.89,
                bounds: 1.0,
            },
            B,
        ),
        (
            GradeReason::Apart {
                overlap: 0.49,
                bounds: 1.0,
            },
            C,
        ),
        (
            GradeReason::Apart {
                overlap: 0.0,
                bounds: 2.0,
            },
            Refused,
        ),
        (GradeReason::NoLedger, B),
    ];
    for (reason, grade) in limits {
        assert_eq!(reason.grade(), grade, "{reason}");
        assert!(!reason.advice().is_empty() && !reason.name().contains(' '));
    }
    assert_eq!(
        Grade::of(&[GradeReason::NoLedger, GradeReason::ClockStepped]),
        C
    );
    assert_eq!(Grade::of(&[]), A);
}
