//! Beside rivals for the core: what they displace comes back load by load.

use super::coverage::has;
use super::*;
use crate::memory::estimate::planted::{PlantedLatency, Preemption, ten_rivals};
use crate::memory::estimate::{DriverPause, Grade, latency_of};
use crate::memory::ledger::LedgerReading;

const ALL: Defences = Defences::ALL;

/// 800,000 loads, of which each turn has some 25,000.
pub(super) fn beside(rivals: Preemption, latency: PlantedLatency) -> PlantedRun {
    PlantedRun {
        preemption: Some(rivals),
        loads: 100,
        batches: 8000,
        ..PlantedRun::new(latency)
    }
}

pub(super) fn still(lines: f64) -> PlantedRun {
    beside(ten_rivals(lines), PlantedLatency::Still { scale_ns: 3.0 })
}

/// What so many seeds give where `expected` lines are expected.
#[derive(Debug, Default)]
struct RefillFigures {
    covered: f64,
    width: f64,
    corrected: f64,
    /// Greatest median as a share of the truth, among figures that are not refused.
    most: f64,
    least: f64,
    refused: f64,
    contended: f64,
    grades: [usize; 4],
}

fn figures(run: &PlantedRun, expected: f64, seeds: u64) -> RefillFigures {
    // `make nightly` runs all of them.
    let all = std::env::var_os("WORDLINE_ALL_SEEDS").is_some();
    let seeds = if all { seeds } else { seeds / 4 };
    let truth = run.latency.median_ns() * 1e3;
    let mut all = RefillFigures {
        least: f64::INFINITY,
        ..RefillFigures::default()
    };
    let part = 1.0 / seeds as f64;
    for seed in 0..seeds {
        let found = expecting(run, seed, Some(expected), &ALL).expect("an estimate");
        let inside = (found.low_ps..=found.high_ps).contains(&truth);
        all.covered += part * f64::from(inside);
        all.width += part * (found.high_ps - found.low_ps) / found.median_ps;
        all.corrected += part * found.corrected_share;
        all.contended += part * f64::from(has(&found, "memory_contention"));
        all.refused += part * f64::from(found.grade == Grade::Refused);
        all.grades[found.grade as usize] += 1;
        if found.grade < Grade::Refused {
            all.most = all.most.max(found.median_ps / truth);
            all.least = all.least.min(found.median_ps / truth);
        }
    }
    all
}

/// Tables of 64 MiB, 512 MiB and 2 GiB: batches old enough, batches to be corrected, bounds.
#[test]
fn the_truth_is_found_beside_ten_rivals() {
    for lines in [2e3, 16e3, 64e3] {
        let run = still(lines);
        let found = figures(&run, lines, 1000);
        println!("{lines} lines: {found:?}");
        assert!(found.covered >= 0.93, "{lines}: {found:?}");
        assert!(found.most <= 1.10, "{lines}: {found:?}");
        assert_eq!(found.contended, 0.0, "{lines}: {found:?}");
    }
}

/// What is expected need not be right: the episodes themselves say how fast lines come back.
#[test]
fn what_is_expected_may_be_wrong() {
    for (lines, expected) in [(2e3, 1.2e3), (2e3, 5e3), (16e3, 10e3), (16e3, 27e3)] {
        let found = figures(&still(lines), expected, 300);
        println!("{lines} lines, {expected} expected: {found:?}");
        assert!(found.covered >= 0.93, "{lines}, {expected}: {found:?}");
        assert!(found.most <= 1.10, "{lines}, {expected}: {found:?}");
    }
}

/// Rivals for core and memory at once: both are told apart, and neither hides the other.
#[test]
fn contention_for_memory_shows_beside_rivals_for_the_core() {
    for lines in [2e3, 16e3] {
        let run = beside(
            ten_rivals(lines),
            PlantedLatency::Contended { queue_ns: 70.0 },
        );
        for seed in 0..50 {
            let found = estimate(&run, seed, &ALL).expect("an estimate");
            assert!(
                has(&found, "memory_contention"),
                "{lines}: {:?}",
                found.reasons
            );
            assert!(found.grade >= Grade::C, "{lines}: {:?}", found.reasons);
            assert!(found.p5_ps < 125e3, "{lines}: {}", found.p5_ps);
        }
    }
}

/// Two modes in turn are the memory's own, whoever has the core in between.
#[test]
fn modes_are_kept_beside_ten_rivals() {
    let run = beside(ten_rivals(2e3), PlantedLatency::TwoModes { burst: 1.0 });
    let found = figures(&run, 2e3, 300);
    println!("70/30: {found:?}");
    assert!(found.covered >= 0.93 && found.contended == 0.0, "{found:?}");
}

/// What the driver does between batches is no interruption, and takes nothing from the run.
#[test]
fn pauses_of_the_driver_are_none_of_the_machine() {
    let run = PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 });
    let (mut batches, ledger) = run.draw(3);
    let (mut shift, mut pauses) = (0, Vec::new());
    for (place, batch) in batches.iter_mut().enumerate() {
        if place % 500 == 250 {
            let at_ps = batch.at_ps + shift - 1;
            shift += 2_000_000_000;
            pauses.push(DriverPause {
                at_ps,
                end_ps: at_ps + 2_000_000_000,
            });
        }
        batch.at_ps += shift;
    }
    let found = |pauses: &[DriverPause]| {
        let timed = TimedRun {
            batches: &batches,
            pauses,
            refill_loads: None,
            ledger: &ledger,
        };
        let checked = super::super::input::CheckedTimings {
            timed: super::super::input::checked(
                batches
                    .iter()
                    .map(|batch| (batch.at_ps, batch.duration_ps, u64::from(batch.loads))),
                &run.timer,
                &ALL,
            )
            .expect("sound batches"),
            own: pauses.to_vec(),
            refill_units: None,
        };
        let lost = super::super::interruption::screen(&checked, &ledger, &ALL).lost_share;
        (
            latency_of_with(&[timed], &run.timer, &ledger, &ALL).expect("an estimate"),
            lost,
        )
    };
    let ((with, lost), (_, unknown)) = (found(&pauses), found(&[]));
    assert_eq!(
        (with.hit_share, with.grade, with.episodes),
        (0.0, Grade::A, 5),
        "{:?}",
        with.reasons
    );
    assert!(lost < 1e-9 && unknown > 0.5, "{lost} {unknown}");
}

/// Threads are screened one by one: where one has its core and the other has not, neither's batches spoil the other's.
#[test]
fn several_probes_are_screened_alone() {
    let quiet = PlantedRun {
        loads: 100,
        ..PlantedRun::new(PlantedLatency::Still { scale_ns: 3.0 })
    };
    let (busy_batches, busy_ledger) = still(2e3).draw(1);
    let (quiet_batches, quiet_ledger) = quiet.draw(2);
    let ledger = LedgerReading::joined(&[busy_ledger.clone(), quiet_ledger.clone()]);
    let ledger = LedgerReading {
        processor_s: ledger.processor_s / 2.0,
        ..ledger
    };
    let run = |batches, ledger| TimedRun {
        batches,
        pauses: &[],
        refill_loads: Some(2e3),
        ledger,
    };
    let runs = [
        run(&busy_batches, &busy_ledger),
        run(&quiet_batches, &quiet_ledger),
    ];
    let found = latency_of(&runs, &quiet.timer, &ledger).expect("an estimate");
    assert!(
        (found.median_ps / 100e3 - 1.0).abs() < 0.01,
        "{}",
        found.median_ps
    );
    let of_quiet = found
        .kept
        .iter()
        .filter(|kept| kept.place >= busy_batches.len());
    assert_eq!(of_quiet.count(), quiet_batches.len());
    assert!(
        found.cold_share > 0.1 && found.hit_share > 0.0,
        "{:?}",
        found.reasons
    );
}
