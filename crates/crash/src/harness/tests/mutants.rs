//! The store of `pairs` and what is left of it without one part.

use super::super::{Harness, Verdict};
use super::pairs::{GEOMETRY, Mutant, PairsTest};
use crate::{EccStrength, FlashContent, FlashTearing, Mode, Weakness};

fn harness() -> Harness<FlashTearing> {
    let mut harness = Harness::new(FlashContent::erased(GEOMETRY), FlashTearing::raw());
    harness.seed = 3;
    harness
}

/// Enough for the third move.
fn workload() -> Vec<(u32, u32)> {
    let word = |number: u32| number.wrapping_mul(0x9E37_79B1);
    (1..=16)
        .map(|number| (word(number) % 3, word(number) | 1))
        .collect()
}

fn first_failure(mutant: Mutant, harness: Harness<FlashTearing>) -> Verdict {
    let harness = Harness {
        failures_max: 1,
        ..harness
    };
    harness.check(&PairsTest(mutant), &workload())
}

/// Cells as they are, and with an ECC, whose verdict on a torn page may change from read to read.
fn tearings() -> [FlashTearing; 2] {
    let strength = EccStrength {
        sector_bytes: 16,
        bits: 2,
        refresh_from: 1,
    };
    [FlashTearing::raw(), FlashTearing::with_ecc(strength)]
}

#[test]
fn the_store_survives_every_cut_and_every_cut_of_its_recovery() {
    for tearing in tearings() {
        let harness = Harness {
            tearing,
            ..harness()
        };
        let verdict = harness.check(&PairsTest(Mutant::None), &workload());
        assert_eq!(verdict.first, None, "{verdict:?}");
        assert!(verdict.images > 700, "{verdict:?}");
        assert!(verdict.images_again > 100_000, "{verdict:?}");
        assert!(verdict.distinct > 20_000, "{verdict:?}");
    }
}

#[test]
fn every_part_is_needed() {
    const WRONG: &str = "the store holds neither the old nor the new state";
    const SHUT: &str = "the store cannot be opened";
    let mutants = [
        (Mutant::NoChecksum, WRONG),
        (Mutant::NoHeaderChecksum, WRONG),
        (Mutant::HeaderFirst, WRONG),
        (Mutant::KeepsOneBlock, SHUT),
        (Mutant::TrustsErased, WRONG),
        (Mutant::StaysAfterOpening, WRONG),
        (Mutant::PromisesEarly, WRONG),
        (Mutant::OldestWins, WRONG),
    ];
    for (mutant, headline) in mutants {
        let caught = tearings()
            .into_iter()
            .flat_map(|tearing| (0..8).map(move |seed| (tearing, seed)));
        let mut caught = caught.filter_map(|(tearing, seed)| {
            let harness = Harness {
                tearing,
                seed,
                ..harness()
            };
            first_failure(mutant, harness).first
        });
        let failure = caught
            .next()
            .unwrap_or_else(|| panic!("{mutant:?} survives"));
        println!("{mutant:?}: {} {}", failure.case, failure.violation);
        assert_eq!(
            failure.violation.headline(),
            headline,
            "{mutant:?}: {failure:?}"
        );
    }
}

/// A block that is left too early is missed only where the power fails twice.
#[test]
fn a_second_cut_shows_what_one_does_not() {
    let [_, tearing] = tearings();
    let twice = Harness {
        tearing,
        ..harness()
    };
    let once = Harness {
        again: None,
        ..twice.clone()
    };
    assert_eq!(first_failure(Mutant::KeepsOneBlock, once).first, None);
    let twice = first_failure(Mutant::KeepsOneBlock, twice);
    assert_eq!(twice.first.expect("caught").case.cuts.len(), 2);
}

#[test]
fn blocks_that_are_bad_or_go_bad_are_part_of_the_workload() {
    let worn = || {
        let content = FlashContent::erased(GEOMETRY)
            .with_bad_block(2)
            .with_weak_block(3, Weakness::FailsErases);
        let mut geometry = harness();
        geometry.start = content;
        geometry.again = None;
        geometry
    };
    let kept = worn().check(&PairsTest(Mutant::None), &workload());
    // Of five blocks two fail and two are kept: where a cut leaves the fifth one weak, there is no way on.
    let told = kept
        .kinds
        .keys()
        .all(|kind| kind == "the store cannot be opened");
    assert!(told && kept.failures * 20 < kept.images, "{kept:?}");
    let broken = worn().check(&PairsTest(Mutant::IgnoresFailures), &workload());
    let wrong = "the store holds neither the old nor the new state";
    assert!(broken.kinds.contains_key(wrong), "{broken:?}");
}

#[test]
fn a_flipped_bit_is_mended_by_the_ecc_below_or_told() {
    let flipping = |tearing| Harness {
        mode: Mode::Linear,
        again: None,
        flips: 2_000,
        tearing,
        ..harness()
    };
    let [raw, ecc] = tearings();
    let mended = flipping(ecc).check(&PairsTest(Mutant::None), &workload());
    assert_eq!((mended.flips, mended.failures), (2_000, 0), "{mended:?}");
    let raw = flipping(raw);
    let lost = raw.check(&PairsTest(Mutant::None), &workload());
    let failure = lost.first.expect("a record is lost without a word");
    assert!(failure.case.flip.is_some());
    let again = raw.replay(&PairsTest(Mutant::None), &workload(), &failure.case);
    assert_eq!(again, Ok(Some(failure)));
}

#[test]
fn a_check_is_a_function_of_its_inputs() {
    let sampled = |seed| {
        let harness = Harness {
            mode: Mode::Sample(300),
            seed,
            ..harness()
        };
        harness.check(&PairsTest(Mutant::StaysAfterOpening), &workload())
    };
    assert_eq!(sampled(1), sampled(1));
    assert_ne!(sampled(1), sampled(2));
}

#[test]
fn a_failure_shrinks_to_what_shows_it_and_reads_well() {
    let harness = Harness {
        again: None,
        ..harness()
    };
    let subject = PairsTest(Mutant::NoChecksum);
    let verdict = first_failure(Mutant::NoChecksum, harness.clone());
    let failure = verdict.first.expect("caught");
    let (calls, failure) = harness.shrink(&subject, &workload(), failure);
    assert_eq!(calls.len(), 1, "{calls:?}");
    let again = harness.replay(&subject, &calls, &failure.case);
    assert_eq!(again, Ok(Some(failure.clone())));
    let report = harness.report(&subject, &calls, &failure).to_string();
    println!("{report}");
    let begins = |line: &str| report.lines().any(|of| of.starts_with(line));
    for line in [
        "the store holds neither",
        "case ",
        "opened ",
        "call 1 ",
        "cut ",
        "found ",
        "allowed ",
    ] {
        assert!(begins(line), "{line}:\n{report}");
    }
}

#[test]
fn a_case_of_another_workload_is_refused() {
    let case = "9999.0@3".parse().expect("a case");
    let refused = harness().replay(&PairsTest(Mutant::None), &workload(), &case);
    assert!(
        refused
            .expect_err("no such image")
            .to_string()
            .contains("9999.0@3")
    );
    for text in ["", "x", "1.2", "1.2@3!", "1.2@3/", "1.2@3!x"] {
        assert!(text.parse::<super::super::Case>().is_err(), "{text}");
    }
}
