//! A NOR flash: the same oxide under other commands.

use wordline_core::quantity::Period;
use wordline_memory::{FlashError as _, FlashErrorKind};

use super::*;
use crate::ageing::cycle_block;
use crate::fixture::nor_of;
use crate::model::ChipModel as _;
use crate::{Nor, NorSheet};

fn sheet() -> NorSheet {
    sheet_with(&[], "")
}

/// The sheet, after replacing each `from` by its `to`, with more figures of the table aging.
fn sheet_with(changes: &[(&str, &str)], more: &str) -> NorSheet {
    let text = include_str!("../../../tests/data/nor.toml");
    let aging = include_str!("../../../tests/data/nand_aging.toml");
    let aging = aging
        .replace(
            "erase_stress = { value = 0.5",
            "erase_stress = { value = 1.0",
        )
        .replace(
            "program_pulses = { value = 16",
            "program_pulses = { value = 1",
        )
        .replace("early = { value = 4", "early = { value = 0")
        .replace("late = { value = 5", "late = { value = 0");
    let mut text = text.to_owned() + &aging + more;
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let sheet: NorSheet = toml::from_str(&text).expect("a well-formed sheet");
    assert!(sheet.problems().is_empty(), "{:?}", sheet.problems());
    sheet
}

fn nor(timing: Timing, seed: u64) -> Wired<Nor> {
    ageing_nor(&sheet(), timing, seed)
}

fn ageing_nor(sheet: &NorSheet, timing: Timing, seed: u64) -> Wired<Nor> {
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed,
    };
    let mut nor = nor_of(sheet, conditions);
    nor.start_ageing(Environment::default())
        .expect("it has the figures");
    nor
}

const BLOCK: u32 = 2;

fn cycle(pages: u32) -> Cycle<'static> {
    Cycle {
        block: BLOCK,
        pages,
        data: &ZEROS[..256],
    }
}

fn step(nor: &mut Wired<Nor>, cycle: &Cycle<'_>, cycles: u64) -> (u64, bool) {
    for done in 0..cycles {
        if cycle.step(nor).is_err() {
            return (done + 1, true);
        }
    }
    (cycles, false)
}

fn state(nor: &Wired<Nor>) -> String {
    let at = u64::from(BLOCK) * nor.geometry().block_bytes();
    let units: Vec<_> = (at >> 12..(at >> 12) + 16)
        .map(|unit| nor.chip().worn(unit))
        .collect();
    let (now, residence) = (nor.clock().now(), nor.residence());
    format!(
        "{units:?} {now:?} {residence:?} {:?} {:?}",
        nor.wear(),
        nor.chip().failed()
    )
}

#[test]
fn skipping_is_stepping() {
    for (seed, pages, cycles) in [(1, 1, 700), (2, 0, 3000), (3, 2, 1200), (4, 1, 5000)] {
        for timing in [Timing::Typ, Timing::Max] {
            let mut skipped = nor(timing, seed);
            let mut stepped = skipped.fork();
            let cycle = cycle(pages);
            let by_skipping = cycle_block(&mut skipped, &cycle, cycles).expect("it fails at most");
            assert_eq!(step(&mut stepped, &cycle, cycles), by_skipping);
            assert_eq!(state(&skipped), state(&stepped), "{seed}, {timing}");
        }
    }
}

#[test]
fn erases_slow_down_and_fail_at_last_and_programs_keep_their_time() {
    let mut nor = nor(Timing::Typ, 7);
    let mut course = Vec::new();
    let failure = loop {
        let page = BLOCK * nor.geometry().pages_per_block;
        nor.program(page, 0, &ZEROS[..256])
            .expect("its sector is sound");
        let program = nor.last_cost().of(Cause::Program);
        match nor.erase(BLOCK) {
            Ok(()) => course.push((program, nor.last_cost().of(Cause::Erase))),
            Err(error) => break error,
        }
    };
    assert_eq!(failure, NvmError::EraseFailed { block: BLOCK });
    assert!(
        course
            .windows(2)
            .all(|two| two[0].0 == two[1].0 && two[0].1 <= two[1].1)
    );
    let (first, last) = (course[0].1, course[course.len() - 1].1);
    assert!(seconds(last) > 3.0 * seconds(first), "{first}, {last}");
    // What failed goes on failing; a block beside it does not.
    let again = nor.erase(BLOCK).expect_err("it is worn out");
    assert_eq!(again.kind(), FlashErrorKind::EraseFailed);
    assert_eq!(nor.erase(BLOCK + 1), Ok(()));
    let mut back = [0xff; 4];
    let page = BLOCK * nor.geometry().pages_per_block;
    nor.read(page, 0, &mut back).expect("reads go on");
    assert_eq!(back, [0; 4], "the failed erase left what was programmed");
}

#[test]
fn a_worn_out_sector_takes_no_program() {
    let mut nor = nor(Timing::Typ, 7);
    step(&mut nor, &cycle(0), u64::MAX);
    let geometry = nor.geometry();
    let pages = BLOCK * geometry.pages_per_block..(BLOCK + 1) * geometry.pages_per_block;
    let failed: Vec<_> = pages
        .filter(|page| nor.program(*page, 0, &[0]).is_err())
        .collect();
    // One sector of 4 KiB has 16 pages.
    assert_eq!(failed.len() % 16, 0);
    assert!(!failed.is_empty() && failed.len() < 256, "{}", failed.len());
}

#[test]
fn erase_time_keeps_to_the_sheet_within_the_rated_cycles() {
    for timing in Timing::ALL {
        let mut nor = nor(timing, 3);
        cycle_block(&mut nor, &cycle(0), 995).expect("it fails at most");
        let bound = {
            use crate::FlashDevice as _;
            nor.erase_bound(1).expect("it is inside")
        };
        for _ in 0..4 {
            if nor.erase(BLOCK).is_ok() {
                assert!(nor.last_cost().of(Cause::Erase) <= Time::from_ps(1_000_000_000_000));
                assert!(nor.last_cost().total() <= bound);
            }
        }
    }
}

#[test]
fn what_is_not_told_to_age_does_as_without_the_figures() {
    let plain = crate::fixture::nor_sheet_with("", "");
    for timing in Timing::ALL {
        let conditions = Conditions {
            timing,
            age: 0.5,
            seed: 9,
        };
        let mut with = nor_of(&sheet(), conditions);
        let mut without = nor_of(&plain, conditions);
        for nor in [&mut with, &mut without] {
            assert_eq!(step(nor, &cycle(3), 20), (20, false));
        }
        assert_eq!(with.clock().now(), without.clock().now());
        assert_eq!(with.residence(), without.residence());
        assert_eq!(with.notes(), without.notes());
    }
}

#[test]
fn cycles_that_are_set_wear_as_if_they_had_been_stepped() {
    let mut set = nor(Timing::Typ, 5);
    let mut stepped = set.fork();
    step(&mut stepped, &cycle(0), 600);
    let bytes = set.geometry().block_bytes();
    let at = u64::from(BLOCK) * bytes;
    set.chip_mut()
        .set_cycles(at, bytes, 600)
        .expect("it is inside");
    for nor in [&mut set, &mut stepped] {
        nor.erase(BLOCK).expect("it is young");
    }
    assert_eq!(
        set.last_cost().of(Cause::Erase),
        stepped.last_cost().of(Cause::Erase)
    );
}

/// Sectors that are all the median one, of 100 loops when fresh.
const ALIKE: [(&str, &str); 6] = [
    ("chip_spread = { value = 0.4", "chip_spread = { value = 0.0"),
    (
        "block_spread = { value = 0.3",
        "block_spread = { value = 0.0",
    ),
    ("weak_share = { value = 0.01", "weak_share = { value = 0.0"),
    ("page_shape = { value = 4.0", "page_shape = { value = 50.0"),
    ("erase_loops = { value = 4", "erase_loops = { value = 100"),
    (
        "erase_loops_last = { value = 20",
        "erase_loops_last = { value = 900",
    ),
];

#[test]
fn erases_grow_by_the_power_of_the_cycles_that_the_sheet_states() {
    for exponent in [0.3, 0.62, 1.0] {
        let law = format!(
            "erase_doubling = {{ value = 800.0, source = \"invented\" }}\n\
             erase_exponent = {{ value = {exponent:?}, source = \"invented\" }}\n"
        );
        let sheet = sheet_with(&ALIKE, &law);
        let erase_after = |cycles| {
            let mut nor = ageing_nor(&sheet, Timing::Typ, 1);
            // Beyond the rated cycles, so that the column `max` cuts nothing off.
            cycle_block(&mut nor, &cycle(0), cycles).expect("it fails at most");
            nor.erase(BLOCK).expect("it is young");
            seconds(nor.last_cost().of(Cause::Erase))
        };
        let first = erase_after(0);
        for cycles in [20_u64, 200, 800, 2000] {
            let grown = erase_after(cycles) / first - 1.0;
            let wanted = (cycles as f64 / 800.0).powf(exponent);
            // Half a loop of 100, and sectors of a block that differ by the narrowest shape that a sheet may state.
            assert!(
                (grown - wanted).abs() < 0.01 + 0.12 * wanted,
                "{exponent}, {cycles} cycles: {grown}, not {wanted}"
            );
        }
    }
}

#[test]
fn the_median_of_blocks_that_differ_keeps_to_the_law() {
    let law = "erase_doubling = { value = 400.0, source = \"invented\" }\n\
               erase_exponent = { value = 0.8, source = \"invented\" }\n";
    let changes = [ALIKE[0], ALIKE[2], ALIKE[4], ALIKE[5]];
    let sheet = sheet_with(&changes, law);
    // Sixteen sectors that differ are erased together: the neediest one counts.
    let mut grown: Vec<f64> = (0..61)
        .map(|seed| {
            let mut nor = ageing_nor(&sheet, Timing::Typ, seed);
            nor.erase(BLOCK).expect("it is young");
            let first = seconds(nor.last_cost().of(Cause::Erase));
            cycle_block(&mut nor, &cycle(0), 399).expect("it fails at most");
            nor.erase(BLOCK).expect("it is young");
            seconds(nor.last_cost().of(Cause::Erase)) / first
        })
        .collect();
    grown.sort_by(f64::total_cmp);
    // The median of 61 has a standard error of about 2 %.
    assert!((grown[30] - 2.0).abs() < 0.12, "{grown:?}");
}

#[test]
fn half_a_law_is_refused_and_so_is_one_out_of_range() {
    for (more, path) in [
        ("erase_doubling = { value = 800.0", "aging.erase_doubling"),
        ("erase_exponent = { value = 0.5", "aging.erase_exponent"),
        (
            "retention_exponent = { value = 9.0",
            "aging.retention_exponent",
        ),
    ] {
        let text = format!(
            "{}{}{more}, source = \"invented\" }}\n",
            include_str!("../../../tests/data/nor.toml"),
            include_str!("../../../tests/data/nand_aging.toml")
        );
        let sheet: NorSheet = toml::from_str(&text).expect("a well-formed sheet");
        let problems = sheet.problems();
        assert!(problems.iter().any(|one| one.path == path), "{problems:?}");
    }
}

/// Bits of a block of zeros that have gone wrong after a year at 55 °C, `cycles` cycles and `reads` reads.
fn wrong_bits(sheet: &NorSheet, cycles: u64) -> usize {
    let mut nor = ageing_nor(sheet, Timing::Typ, 1);
    cycle_block(&mut nor, &cycle(0), cycles).expect("it fails at most");
    let pages = nor.geometry().pages_per_block;
    for page in BLOCK * pages..(BLOCK + 1) * pages {
        nor.program(page, 0, &ZEROS[..256]).expect("it is erased");
    }
    let year = Period::from_si(365.25 * 86_400.0);
    nor.chip_mut().store(year, 55.0).expect("a chip stands it");
    let mut wrong = 0;
    for page in BLOCK * pages..(BLOCK + 1) * pages {
        let mut bytes = [0; 256];
        nor.read(page, 0, &mut bytes).expect("no code refuses it");
        wrong += bytes
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum::<usize>();
    }
    wrong
}

#[test]
fn bits_go_wrong_late_in_life_where_the_sheet_says_how() {
    let plain = sheet_with(&ALIKE, "");
    assert_eq!(
        wrong_bits(&plain, 1500),
        0,
        "sheets without the figure promise none"
    );
    let cubic = "retention_exponent = { value = 3.0, source = \"invented\" }\n";
    let changes = [
        ALIKE.as_slice(),
        &[
            (
                "read_disturb = { value = 1000.0",
                "read_disturb = { value = 1e18",
            ),
            (
                "program_disturb = { value = 0.01",
                "program_disturb = { value = 0.0",
            ),
        ],
    ]
    .concat();
    let sheet = sheet_with(&changes, cubic);
    let [young, rated, late] = [100, 1000, 2000].map(|cycles| wrong_bits(&sheet, cycles));
    // A thousandth of 524,288 bits at the rated 1000 cycles; a thousandth of that at a tenth of them, eightfold at twice.
    assert!(young <= 3, "{young}");
    assert!((420..640).contains(&rated), "{rated}");
    assert!((3700..4700).contains(&late), "{late}");
}

#[test]
fn the_outlook_of_kept_bits_is_that_of_the_mechanism() {
    use crate::ageing::Keeping;
    use crate::model::FlashModel as _;
    let keeping = Keeping {
        kept_s: 365.25 * 86_400.0,
        celsius: 55.0,
        reads: 0.0,
        programs: 0,
    };
    let outlook = |sheet: &NorSheet| {
        let outlook = sheet.outlook().expect("it ages");
        let kept = outlook.kept(&Environment::default(), &keeping)?;
        Some([500.0, 1000.0].map(|cycles| kept.expected(cycles)))
    };
    assert_eq!(outlook(&sheet()), None);
    let square = "retention_exponent = { value = 2.0, source = \"invented\" }\n";
    let [half, rated] = outlook(&sheet_with(&[], square)).expect("bits go wrong");
    assert!((rated - 32.768).abs() < 1e-9, "{rated}");
    assert!((4.0 * half - rated).abs() < 1e-9, "{half}, {rated}");
}
