//! How long blocks live, against closed formulas.

use proptest::prelude::*;
use wordline_core::quantity::Period;
use wordline_memory::{FlashError as _, FlashErrorKind};

use super::*;
use crate::ageing::{AgeingError, cycle_block};
use crate::model::ChipModel as _;

/// Lives of the blocks of many chips.
fn all_lives(changes: &[(&str, &str)], environment: Environment, pages: u32) -> Vec<u64> {
    let sheet = sheet(changes);
    let chip = |seed| {
        let mut nand = connect(&sheet, Timing::Typ, seed);
        nand.start_ageing(environment).expect("it has the figures");
        lives(&mut nand, pages)
    };
    (0..60).flat_map(chip).collect()
}

fn at(celsius: f64) -> Environment {
    Environment {
        celsius,
        ..Environment::default()
    }
}

/// P(life > t) is exp(−ln 2 · (t / median)^k) where nothing but the pages differ.
#[test]
fn lives_are_weibull_with_the_median_of_the_sheet() {
    let lives = all_lives(&NO_SPREAD[..3], at(25.0), 1);
    for part in [0.5, 0.8, 1.0, 1.2, 1.5] {
        let expected = f64::exp2(-f64::powi(part, 4));
        let alive = lives.iter().filter(|life| **life as f64 > part * 3000.0);
        let share = alive.count() as f64 / lives.len() as f64;
        // Three standard deviations of 960 blocks are 0.05.
        assert!(
            (share - expected).abs() < 0.05,
            "{part}: {share}, not {expected}"
        );
    }
}

#[test]
fn programming_whole_blocks_costs_up_to_twice_and_erases_alone_nearly_nothing() {
    let changes = &NO_SPREAD[..3];
    let median_of = |pages| median(all_lives(changes, at(25.0), pages));
    let (none, one, all) = (median_of(0), median_of(1), median_of(8));
    // 8 pages, shape 4, half of the stress by erases: closed forms of AGEING.md.
    let whole = (8.0_f64 / (1.0 + 7.0 / 16.0)).powf(0.25);
    let alone = ((1.0_f64 + 7.0 / 16.0) / (8.0 / 16.0)).powf(0.25);
    assert!(
        (one / all / whole - 1.0).abs() < 0.06,
        "{one} / {all}, not {whole}"
    );
    assert!(
        (none / one / alone - 1.0).abs() < 0.06,
        "{none} / {one}, not {alone}"
    );
    assert!(one / all <= 2.0);
}

#[test]
fn cold_halves_lives_and_heat_changes_none() {
    let lives = |celsius| all_lives(&[], at(celsius), 1);
    let (cold, room, hot) = (lives(5.0), lives(25.0), lives(80.0));
    assert_eq!(room, hot);
    for (cold, room) in cold.iter().zip(&room) {
        assert!(cold.abs_diff(room / 2) <= 1, "{cold}, {room}");
    }
}

#[test]
fn a_tenfold_dwell_lengthens_lives_by_its_relief() {
    let lives = |dwell| {
        let dwell = Period::from_si(dwell);
        let environment = Environment {
            dwell,
            ..Environment::default()
        };
        all_lives(&[], environment, 1)
    };
    assert_eq!(lives(0.0), lives(1.0));
    for (short, long) in lives(1.0).iter().zip(&lives(100.0)) {
        assert!(
            (*long as f64 - *short as f64 * 1.2).abs() <= 2.0,
            "{short}, {long}"
        );
    }
}

#[test]
fn chips_and_blocks_spread_and_few_are_weak() {
    let logs = |changes: &[(&str, &str)]| {
        let lives = all_lives(changes, at(25.0), 1);
        lives
            .iter()
            .map(|life| (*life as f64).ln())
            .collect::<Vec<_>>()
    };
    let deviation = |logs: &[f64]| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let squares = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        (squares / logs.len() as f64).sqrt()
    };
    let steady = ("page_shape = { value = 4.0", "page_shape = { value = 50.0");
    let both = deviation(&logs(&[NO_SPREAD[2], steady]));
    let blocks = deviation(&logs(&[NO_SPREAD[0], NO_SPREAD[2], steady]));
    assert!((both - 0.5).abs() < 0.08, "{both}");
    assert!((blocks - 0.3).abs() < 0.04, "{blocks}");
    let weak = all_lives(&[NO_SPREAD[0], NO_SPREAD[1], steady], at(25.0), 1);
    let weak = weak.iter().filter(|life| **life < 100).count();
    // 960 blocks of which one in a hundred is weak.
    assert!((2..22).contains(&weak), "{weak}");
}

#[test]
fn a_block_fails_with_its_status_and_stays_failed() {
    for seed in 0..30 {
        let mut nand = ageing(&sheet(&[]), Timing::Typ, seed);
        let cycle = Cycle {
            block: 3,
            pages: 8,
            data: &ZEROS,
        };
        let stands = nand
            .fork()
            .chip_mut()
            .wear_block(3, 8, u64::MAX)
            .expect("it is there");
        let ended = cycle_block(&mut nand, &cycle, u64::MAX).expect("it fails at most");
        assert_eq!(ended, (stands + 1, true));
        let page = 3 * nand.geometry().pages_per_block;
        let again = nand.erase(3).expect_err("it is worn out");
        assert_eq!(again.kind(), FlashErrorKind::EraseFailed);
        let again = nand.program(page, 0, &ZEROS);
        let again = again.expect_err("it is worn out").kind();
        assert!(matches!(
            again,
            FlashErrorKind::ProgramFailed | FlashErrorKind::Misuse
        ));
        assert_eq!(nand.erase(2), Ok(()), "blocks share nothing");
    }
}

#[test]
fn pattern_and_order_change_nothing() {
    let sheet = sheet(&[]);
    let run = |data: &[u8], blocks: &[u32]| {
        let mut nand = ageing(&sheet, Timing::Typ, 7);
        let mut lives = vec![0u64; 16];
        for cycle in 0.. {
            let mut alive = false;
            for &block in blocks {
                let block = if cycle % 2 == 0 { block } else { 15 - block };
                let page = block * 8;
                let one = nand.program(page, 0, data).and_then(|()| nand.erase(block));
                lives[block as usize] += u64::from(one.is_ok());
                alive |= one.is_ok();
            }
            if !alive {
                break;
            }
        }
        lives
    };
    let straight: Vec<u32> = (0..16).collect();
    let mixed = [5, 0, 12, 3, 9, 15, 1, 8, 14, 2, 11, 6, 4, 13, 7, 10];
    let expected = run(&ZEROS, &straight);
    assert_eq!(run(&ZEROS, &mixed), expected);
    assert_eq!(run(&[0xa5; 512], &straight), expected);
    assert_eq!(lives(&mut ageing(&sheet, Timing::Typ, 7), 1), expected);
}

proptest! {
    /// Whatever is done to a block, its stress is what was done, added up.
    #[test]
    fn worse_treatment_never_lengthens_a_life(
        seed in 0u64..1000,
        pages in 0u32..8,
        celsius in -40.0f64..125.0,
        used in 0u64..2000,
    ) {
        let sheet = sheet(&[]);
        let life = |pages, celsius, used| {
            let mut nand = connect(&sheet, Timing::Typ, seed);
            nand.start_ageing(at(celsius)).expect("it has the figures");
            let chip = nand.chip_mut();
            let before = chip.wear_block(0, pages, used).expect("it is there");
            before + chip.wear_block(0, pages, u64::MAX).expect("it is there")
        };
        let one = life(pages, celsius, used);
        prop_assert_eq!(one, life(pages, celsius, 0), "a pause changes nothing");
        prop_assert!(life(pages + 1, celsius, 0) <= one);
        prop_assert!(life(pages, celsius - 10.0 * f64::from(celsius >= -30.0), 0) <= one);
    }
}

#[test]
fn what_cannot_age_is_refused() {
    let plain = crate::fixture::nand_sheet_with("", "");
    let mut nand = connect(&plain, Timing::Typ, 0);
    let refused = nand.start_ageing(Environment::default());
    assert_eq!(refused, Err(AgeingError::NoFigures));
    let message = AgeingError::NoFigures.to_string();
    assert!(
        message.contains("aging") && message.contains("erase_loops_last"),
        "{message}"
    );
    let mut nand = connect(&sheet(&[]), Timing::Typ, 0);
    for celsius in [-41.0, 126.0, f64::NAN, f64::INFINITY] {
        let refused = nand.start_ageing(at(celsius));
        assert!(
            matches!(refused, Err(AgeingError::Temperature(_))),
            "{celsius}"
        );
    }
    assert!(nand.chip_mut().wear_block(16, 0, 1).is_err());
    assert!(nand.chip_mut().wear_block(15, 9, 1).is_err());
}

#[test]
fn a_sheet_that_contradicts_itself_is_told_where() {
    for (from, to, path) in [
        ("3000 cycles", "0 cycles", "aging.endurance"),
        ("3000 cycles", "9000000000000 cycles", "aging.endurance"),
        (
            "chip_spread = { value = 0.4",
            "chip_spread = { value = -0.4",
            "aging.chip_spread",
        ),
        (
            "page_shape = { value = 4.0",
            "page_shape = { value = nan",
            "aging.page_shape",
        ),
        (
            "erase_stress = { value = 0.5",
            "erase_stress = { value = 1.5",
            "aging.erase_stress",
        ),
        (
            "late = { value = 5",
            "late = { value = 12",
            "aging.program_pulses_late",
        ),
        (
            "program_pulses = { value = 16",
            "program_pulses = { value = 0",
            "aging.program_pulses",
        ),
        (
            "erase_loops = { value = 4",
            "erase_loops = { value = 0",
            "aging.erase_loops",
        ),
        (
            "last = { value = 20",
            "last = { value = 3",
            "aging.erase_loops_last",
        ),
        (
            "read_disturb = { value = 1000.0",
            "read_disturb = { value = 0.0",
            "aging.read_disturb",
        ),
    ] {
        let problems = sheet(&[(from, to)]).problems();
        assert!(
            problems.iter().any(|one| one.path == path),
            "{path}: {problems:?}"
        );
    }
    assert!(sheet(&[]).problems().is_empty());
}
