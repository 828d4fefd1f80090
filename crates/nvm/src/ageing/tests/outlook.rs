//! Closed forms of what survives and what keeps, against chips that are worn and kept.

use wordline_core::quantity::Period;

use super::*;
use crate::ageing::Keeping;
use crate::model::FlashModel as _;

/// Chips of a test: three standard deviations of a share of them are 0.05.
const CHIPS: u64 = 1000;
const TOLERANCE: f64 = 0.05;

/// More weak blocks than sheets state, so that they decide.
const WEAK: [(&str, &str); 2] = [
    ("weak_share = { value = 0.01", "weak_share = { value = 0.1"),
    (
        "weak_strength = { value = 0.02",
        "weak_strength = { value = 0.3",
    ),
];

/// Lives of the blocks of many chips in whole-block cycles, the shortest of a chip first.
fn chips(sheet: &NandSheet, environment: Environment) -> Vec<Vec<u64>> {
    let chip = |seed| {
        let mut nand = connect(sheet, Timing::Typ, seed);
        nand.start_ageing(environment).expect("it has the figures");
        let mut lives = lives(&mut nand, 8);
        lives.sort_unstable();
        lives
    };
    (0..CHIPS).map(chip).collect()
}

/// The share of the chips that something holds of.
fn share(chips: &[Vec<u64>], holds: impl Fn(&[u64]) -> bool) -> f64 {
    let hold = chips.iter().filter(|lives| holds(lives));
    hold.count() as f64 / chips.len() as f64
}

#[track_caller]
fn near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < TOLERANCE,
        "{what}: {found} by the formula, {expected} of the chips"
    );
}

#[test]
fn survival_is_that_of_chips_that_are_worn() {
    let cold = Environment {
        celsius: 5.0,
        ..Environment::default()
    };
    for (changes, environment) in [
        (&[][..], Environment::default()),
        (&WEAK[..], Environment::default()),
        (&NO_SPREAD[..3], Environment::default()),
        (&[][..], cold),
    ] {
        let sheet = sheet(changes);
        let chips = chips(&sheet, environment);
        let outlook = sheet.outlook().expect("it has the figures");
        let survival = outlook.survival(&environment);
        for cycles in [50, 300, 700, 1000, 1500, 2500, 4000] {
            let at = cycles as f64;
            let alive = |lives: &[u64], most: usize| lives[most] >= cycles;
            // 16 blocks: 14 and two spare ones, or all.
            let what = format!("{changes:?}, {cycles} cycles");
            let all = share(&chips, |lives| alive(lives, 0));
            near(survival.chip(at, 16, 0..=0), all, &format!("all, {what}"));
            let most = share(&chips, |lives| alive(lives, 2));
            near(survival.chip(at, 14, 2..=2), most, &format!("14, {what}"));
            let lives = chips.iter().flatten();
            let blocks = lives.filter(|life| **life >= cycles).count() as f64;
            near(survival.block(at), blocks / (16.0 * CHIPS as f64), &what);
        }
        let mean = |range: [u32; 3]| {
            let each = range.map(|spare| survival.chip(1000.0, 14, spare..=spare));
            each.iter().sum::<f64>() / 3.0
        };
        let between = survival.chip(1000.0, 14, 0..=2);
        assert!((between - mean([0, 1, 2])).abs() < 1e-3, "{between}");
    }
}

#[test]
fn survival_begins_with_one_falls_and_ends_with_none() {
    for changes in [&[][..], &NO_SPREAD[..], &WEAK[..]] {
        let sheet = sheet(changes);
        let outlook = sheet.outlook().expect("it has the figures");
        let survival = outlook.survival(&Environment::default());
        let all = |cycles: f64| {
            [
                survival.block(cycles),
                survival.chip(cycles, 1 << 20, 0..=0),
                survival.chip(cycles, 3000, 100..=140),
            ]
        };
        assert_eq!(all(0.0), [1.0; 3]);
        assert!(all(1e12).iter().all(|left| *left < 1e-12));
        let mut before = [1.0; 3];
        for step in 0..60 {
            let now = all(libm::pow(10.0, f64::from(step) / 10.0));
            let falls = now
                .iter()
                .zip(before)
                .all(|(now, before)| *now <= before + 1e-12);
            assert!(falls, "{now:?} after {before:?}");
            before = now;
        }
    }
}

/// The share of pages that a chip cannot give back after a keeping, and what the formula says of it.
#[test]
fn lost_pages_are_those_of_chips_that_were_kept() {
    let sheet = sheet(&NO_SPREAD);
    let outlook = sheet.outlook().expect("it has the figures");
    for (cycles, years, celsius, reads) in [
        (1000, 6.0, 55.0, 0),
        (300, 20.0, 55.0, 0),
        (1000, 300.0, 25.0, 0),
        (800, 0.5, 55.0, 12_000),
        (0, 10.0, 85.0, 24_000),
    ] {
        let period = Period::from_si(years * 365.25 * 86_400.0);
        let (mut lost, mut pages) = (0, 0);
        for seed in 0..60 {
            let mut nand = ageing(&sheet, Timing::Typ, seed);
            let chip = nand.chip_mut();
            for block in 0..16 {
                chip.wear_block(block, 8, cycles).expect("it is there");
            }
            for block in 0..16 {
                // The first page alone: no other one is programmed after it.
                nand.program(block * 8, 0, &ZEROS).expect("it is erased");
                nand.chip_mut().disturb(block, reads).expect("it is there");
            }
            nand.chip_mut().store(period, celsius).expect("it stands");
            for block in 0..16 {
                let mut bytes = [0; 512];
                lost += u32::from(nand.read(block * 8, 0, &mut bytes).is_err());
                pages += 1;
            }
        }
        let keeping = Keeping {
            kept_s: period.si(),
            celsius,
            reads: reads as f64,
            programs: 0,
        };
        let kept = outlook.kept(&Environment::default(), &keeping);
        let kept = kept.expect("bits go wrong");
        let (found, expected) = (
            kept.page_loss(cycles as f64),
            f64::from(lost) / f64::from(pages),
        );
        assert!((0.2..0.8).contains(&expected), "{expected} tells little");
        // Three standard deviations of 960 pages are 0.05.
        assert!(
            (found - expected).abs() < 0.05,
            "{cycles}, {years}, {celsius}, {reads}: {found} by the formula, {expected} of the pages"
        );
    }
}

#[test]
fn cycles_that_keep_are_found_for_any_share_of_lost_pages() {
    let sheet = sheet(&[]);
    let outlook = sheet.outlook().expect("it has the figures");
    let kept = |kept_s, programs| {
        let keeping = Keeping {
            kept_s,
            celsius: 25.0,
            reads: 0.0,
            programs,
        };
        outlook.kept(&Environment::default(), &keeping)
    };
    let year = kept(31_557_600.0, 7).expect("bits go wrong");
    for loss in [1e-12, 1e-9, 1e-5, 0.1, 0.9] {
        if let Some(cycles) = year.cycles(loss).filter(|cycles| *cycles > 0.0) {
            assert!((year.page_loss(cycles) / loss - 1.0).abs() < 1e-3, "{loss}");
        }
    }
    // Nothing leaks in no time; what neighbours disturb alone loses a page or does not.
    let at_once = kept(0.0, 7).expect("bits go wrong");
    assert_eq!(at_once.cycles(0.5), None);
    assert_eq!(at_once.cycles(1e-300), Some(0.0));
}
