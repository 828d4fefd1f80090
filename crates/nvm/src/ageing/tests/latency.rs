//! How long operations take over life.

use super::*;
use crate::ageing::cycle_block;

/// Latencies of every cycle of a block's life.
fn course(nand: &mut Wired<Nand>, block: u32) -> Vec<(Time, Time)> {
    std::iter::from_fn(|| one_cycle(nand, block).ok()).collect()
}

fn mean(times: impl Iterator<Item = Time> + Clone) -> f64 {
    let count = times.clone().count();
    times.map(seconds).sum::<f64>() / count as f64
}

#[test]
fn programs_fall_and_erases_rise_to_thrice_and_more() {
    for seed in 0..5 {
        let mut nand = ageing(&sheet(&[]), Timing::Typ, seed);
        let course = course(&mut nand, 1);
        assert!(
            course
                .windows(2)
                .all(|two| two[1].0 <= two[0].0 && two[1].1 >= two[0].1)
        );
        let (first, last) = (course[0], course[course.len() - 1]);
        assert!(seconds(last.1) > 3.0 * mean(course.iter().map(|one| one.1)).min(seconds(first.1)));
        // Most of the early part is over within a few times the early cycles.
        let early = seconds(first.0) - seconds(course[60].0);
        let late = seconds(course[60].0) - seconds(last.0);
        assert!(early > 0.5 * late && late > 0.0, "{early}, {late}");
    }
}

#[test]
fn a_typical_figure_is_the_mean_of_the_first_cycles_of_the_median_block() {
    // 10 000 cycles are within the life of a block that stands a million.
    let long = [("3000 cycles", "1000000 cycles")];
    let changes: Vec<_> = long.into_iter().chain(NO_SPREAD).collect();
    let mut nand = ageing(&sheet(&changes), Timing::Typ, 0);
    let first: Vec<_> = (0..10_000)
        .map(|_| one_cycle(&mut nand, 0).expect("it is young"))
        .collect();
    let program = mean(first.iter().map(|one| one.0));
    let erase = mean(first.iter().map(|one| one.1));
    assert!((program / 220e-6 - 1.0).abs() < 0.12, "{program}");
    assert!((erase / 2e-3 - 1.0).abs() < 0.01, "{erase}");
}

#[test]
fn nothing_exceeds_the_sheet_within_the_rated_cycles() {
    for timing in Timing::ALL {
        for seed in 0..5 {
            let mut nand = ageing(&sheet(&[]), timing, seed);
            let chip = nand.chip_mut();
            // The weakest block at the end of its rated life.
            chip.wear_block(0, 8, 990).expect("it is there");
            for _ in 0..5 {
                let Ok((program, erase)) = one_cycle(&mut nand, 0) else {
                    break;
                };
                assert!(
                    program <= Time::from_ps(600_000_000) && erase <= Time::from_ps(10_000_000_000)
                );
            }
            let program = one_cycle(&mut nand, 1).expect("it is fresh").0;
            assert!(program <= Time::from_ps(600_000_000));
            if timing == Timing::Max {
                assert_eq!(
                    program,
                    Time::from_ps(600_000_000),
                    "a fresh page takes the longest"
                );
            }
        }
    }
}

#[test]
fn bounds_hold_over_life() {
    use crate::FlashDevice as _;
    for timing in Timing::ALL {
        let mut nand = ageing(&sheet(&[]), timing, 3);
        loop {
            let (page, erase) = (nand.program_bound(0, 512, 1), nand.erase_bound(1));
            let page = page.expect("it is inside");
            let erase = erase.expect("it is inside");
            if nand.program(0, 0, &ZEROS).is_err() {
                break;
            }
            assert!(nand.last_cost().total() <= page);
            if nand.erase(0).is_err() {
                break;
            }
            assert!(nand.last_cost().total() <= erase);
            let cycle = Cycle {
                block: 0,
                pages: 1,
                data: &ZEROS,
            };
            cycle_block(&mut nand, &cycle, 40).expect("it fails at most");
        }
    }
}

#[test]
fn reads_do_not_age() {
    let mut nand = ageing(&sheet(&[]), Timing::Typ, 0);
    let read = |nand: &mut Wired<Nand>| {
        nand.program(0, 0, &ZEROS).expect("it is erased");
        let mut bytes = [0; 512];
        nand.read(0, 0, &mut bytes).expect("it was programmed");
        let took = array_time(nand, Cause::ArrayRead);
        nand.erase(0).expect("it is young");
        took
    };
    let fresh = read(&mut nand);
    let stands = nand
        .fork()
        .chip_mut()
        .wear_block(0, 1, u64::MAX)
        .expect("it is there");
    nand.chip_mut()
        .wear_block(0, 1, stands - 2)
        .expect("it is there");
    assert_eq!(read(&mut nand), fresh);
    assert_eq!(fresh, Time::from_ps(50_000_000));
}

#[test]
fn what_is_not_told_to_age_does_as_without_the_figures() {
    let plain = crate::fixture::nand_sheet_with(
        "bad_blocks_max = { value = 4",
        "bad_blocks_max = { value = 0",
    );
    for timing in Timing::ALL {
        let mut with = connect(&sheet(&[]), timing, 5);
        let mut without = connect(&plain, timing, 5);
        for _ in 0..50 {
            assert_eq!(one_cycle(&mut with, 2), one_cycle(&mut without, 2));
        }
        assert_eq!(with.clock().now(), without.clock().now());
        assert_eq!(with.residence(), without.residence());
        assert_eq!(with.notes(), without.notes());
    }
}

#[test]
fn an_old_chip_works_as_one_that_was_cycled_there() {
    let sheet = sheet(&[]);
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.8,
        seed: 4,
    };
    let mut old = connect_nand(&sheet, &board(), conditions);
    old.start_ageing(Environment::default())
        .expect("it has the figures");
    let mut cycled = ageing(&sheet, Timing::Typ, 4);
    cycled
        .chip_mut()
        .wear_block(0, 8, 800)
        .expect("it is there");
    let one = one_cycle(&mut cycled, 0);
    assert_eq!(one_cycle(&mut old, 0), one);
    let mut set = ageing(&sheet, Timing::Typ, 4);
    set.chip_mut().set_cycles(0, 800).expect("it is there");
    assert_eq!(one_cycle(&mut set, 0), one);
}
