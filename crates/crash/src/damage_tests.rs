//! What the ECC makes of damage, and what paired pages do to each other.

use std::collections::HashSet;

use proptest::prelude::*;
use wordline_memory::{Ecc, Flash, FlashError, FlashErrorKind, Geometry};

use super::{
    EccStrength, FlashContent, FlashImage, FlashTear, FlashTearing, Mode, Recorder, Recording,
};
use crate::fixture::nand_sheet_with;
use wordline_nvm::{NandSheet, Pairing};

const NAND: Geometry = Geometry {
    page_bytes: 128,
    spare_bytes: 16,
    pages_per_block: 8,
    blocks: 2,
    program_bytes: 1,
    programs_per_page: Some(4),
    once_bytes: Some(64),
    in_order: true,
};

const STRENGTH: EccStrength = EccStrength {
    sector_bytes: 64,
    bits: 3,
    refresh_from: 2,
};

const COLUMNS: usize = 144;

fn tearing() -> FlashTearing {
    FlashTearing::with_ecc(STRENGTH)
}

/// What a page of random bytes holds.
fn data(page: u32) -> Vec<u8> {
    let byte = |column: u32| {
        (page * 1000 + column)
            .wrapping_mul(0x9E37_79B1)
            .to_be_bytes()[0]
    };
    (0..COLUMNS as u32).map(byte).collect()
}

/// A memory whose first pages are programmed one after the other.
fn programmed(tearing: FlashTearing, pages: u32) -> Recording<FlashTearing> {
    let blank = Recording::new(FlashContent::erased(NAND), tearing);
    let image = blank.images(Mode::Linear, 0).next().expect("the start");
    let mut recorder = image.record(tearing);
    for page in 0..pages {
        recorder.program(page, 0, &data(page)).expect("erased");
    }
    recorder.finish().1
}

fn last(recording: &Recording<FlashTearing>) -> FlashImage {
    let images = recording.images(Mode::Linear, 0);
    images.last().expect("a cut after everything")
}

type Found = Result<(Vec<u8>, Ecc), FlashErrorKind>;

fn read(flash: &mut impl Flash, page: u32) -> Found {
    let mut bytes = vec![0; COLUMNS];
    match flash.read(page, 0, &mut bytes) {
        Ok(verdict) => Ok((bytes, verdict)),
        Err(error) => Err(error.kind()),
    }
}

/// What many reads of a page find.
fn reads(image: &mut FlashImage, page: u32) -> Vec<Found> {
    (0..60).map(|_| read(image, page)).collect()
}

const GIVEN_UP: Found = Err(FlashErrorKind::Uncorrectable);

/// The places of bits that all lie in the second codeword, the first of its spare bytes among them.
fn flip(image: &mut FlashImage, page: u32, flips: u32) {
    for number in 0..flips {
        let column = if number == 1 { 136 } else { 64 + 3 * number };
        image.flip(page, column, number as u8 % 8).expect("inside");
    }
}

#[test]
fn a_sheet_says_what_a_power_cut_does() {
    let text = include_str!("../../nvm/tests/data/parallel_nand.toml");
    let sheet: NandSheet = toml::from_str(text).expect("well-formed");
    let tearing = FlashTearing::of(&sheet);
    assert_eq!(tearing.pairing, Some(Pairing::Distance6));
    assert_eq!(tearing.ecc, None);
}

#[test]
fn flipped_bits_are_corrected_up_to_the_strength_of_a_codeword() {
    let mut image = last(&programmed(tearing(), 2));
    let sound = image.hash();
    for flips in 1..=STRENGTH.bits {
        flip(&mut image, 1, flips);
        let corrected = Ecc::Corrected {
            bits: flips as u8,
            refresh: flips >= STRENGTH.refresh_from,
        };
        assert_eq!(read(&mut image, 1), Ok((data(1), corrected)));
        assert_ne!(image.hash(), sound);
        flip(&mut image, 1, flips);
        assert_eq!(image.hash(), sound, "flipped back");
    }
    flip(&mut image, 1, STRENGTH.bits);
    image.flip(1, 0, 0).expect("the first codeword");
    assert!(read(&mut image, 1).is_ok(), "each codeword counts apart");
    image.flip(1, 127, 7).expect("the second codeword");
    assert_eq!(read(&mut image, 1), GIVEN_UP);
    let mut inside = [0; 4];
    let verdict = image.read(1, 0, &mut inside).map_err(|error| error.kind());
    assert_eq!(
        verdict,
        Err(FlashErrorKind::Uncorrectable),
        "of the whole page"
    );
    assert_eq!(read(&mut image, 0), Ok((data(0), Ecc::Clean)));
    image.erase(0).expect("sound");
    assert_eq!(read(&mut image, 1), Ok((vec![0xFF; COLUMNS], Ecc::Clean)));
}

/// A flipped bit of an erased page does not count as a program of it.
#[test]
fn flips_of_an_erased_page_are_corrected_and_forbid_nothing() {
    let mut image = last(&programmed(tearing(), 1));
    flip(&mut image, 5, 2);
    let corrected = Ecc::Corrected {
        bits: 2,
        refresh: true,
    };
    assert_eq!(read(&mut image, 5), Ok((vec![0xFF; COLUMNS], corrected)));
    image.program(1, 0, &data(1)).expect("a page below");
    image.program(5, 0, &data(5)).expect("the page itself");
    let (bytes, _) = read(&mut image, 5).expect("in reach");
    assert_eq!(bytes, data(5));
}

/// Without an ECC a read gives the cells, also of an image that had one.
#[test]
fn without_an_ecc_the_cells_are_read() {
    for first in [FlashTearing::raw(), tearing()] {
        let mut image = last(&programmed(first, 1));
        image.flip(0, 3, 0).expect("inside");
        let recording = image.record(FlashTearing::raw()).finish().1;
        let mut expected = data(0);
        expected[3] ^= 1;
        assert_eq!(read(&mut last(&recording), 0), Ok((expected, Ecc::Clean)));
    }
}

/// Every read of a torn page gives, codeword by codeword, what was there before or what was to be
/// there, or is given up. Both and neither are seen.
#[test]
fn a_torn_page_is_old_or_new_or_given_up() {
    let recording = programmed(tearing(), 2);
    let mut given_up = HashSet::new();
    for mut image in recording.images(Mode::Exhaustive, 5) {
        if image.id().operation != 1 {
            continue;
        }
        for found in reads(&mut image, 1) {
            let Ok((bytes, verdict)) = found else {
                given_up.insert(format!("{:?}", image.tear()));
                continue;
            };
            for codeword in [(0..64).chain(128..136), (64..128).chain(136..144)] {
                let of = |bytes: &[u8]| codeword.clone().map(|at| bytes[at]).collect::<Vec<_>>();
                assert!(
                    [data(1), vec![0xFF; COLUMNS]]
                        .map(|page| of(&page))
                        .contains(&of(&bytes))
                );
            }
            match image.tear() {
                FlashTear::Nothing | FlashTear::Attempted => {
                    assert_eq!((bytes, verdict), (vec![0xFF; COLUMNS], Ecc::Clean));
                }
                FlashTear::Marginal | FlashTear::Beside => {}
                tear => panic!("{tear:?} of random bytes is out of reach"),
            }
        }
        assert_eq!(read(&mut image, 0), Ok((data(0), Ecc::Clean)));
    }
    assert!(given_up.contains("Lost") && given_up.contains("Marginal"));
    assert!(given_up.len() > 20, "{given_up:?}");
}

/// A program that had few bits to clear is within reach of what was there before.
#[test]
fn a_small_program_that_is_torn_is_corrected() {
    let blank = Recording::new(FlashContent::erased(NAND), tearing());
    let image = blank.images(Mode::Linear, 0).next().expect("the start");
    let mut recorder = image.record(tearing());
    recorder.program(0, 0, &[0x0F, 0xFE]).expect("erased");
    let recording = recorder.finish().1;
    let prefix = |image: &FlashImage| image.tear() == FlashTear::Prefix(1);
    let mut image = recording
        .images(Mode::Exhaustive, 1)
        .find(prefix)
        .expect("one");
    let (bytes, verdict) = read(&mut image, 0).expect("one bit is missing");
    assert_eq!(bytes[..3], [0x0F, 0xFE, 0xFF]);
    let corrected = Ecc::Corrected {
        bits: 1,
        refresh: false,
    };
    assert_eq!(verdict, corrected);
}

/// A page on the edge is corrected in one read and given up in another.
#[test]
fn a_marginal_page_reads_well_once() {
    let paired = tearing().with_pairing(Pairing::Distance3);
    let recording = programmed(paired, 3);
    let mut seen = 0;
    for mut image in recording.images(Mode::Exhaustive, 5) {
        let page = match image.tear() {
            FlashTear::Marginal => image.id().operation as u32,
            FlashTear::LowerMarginal => 0,
            _ => continue,
        };
        seen += 1;
        let found = reads(&mut image, page);
        assert!(found.contains(&GIVEN_UP), "{:?}", image.id());
        let well = found.iter().flatten();
        assert!(well.clone().count() > 0, "{:?}", image.id());
        well.for_each(|(bytes, _)| assert_eq!(*bytes, data(page)));
    }
    assert_eq!(seen, 3 + 1);
}

/// A half erased page is near neither what it held nor an erased one; a page that held nothing is.
#[test]
fn a_half_erased_block_is_given_up_where_it_held_anything() {
    let mut recorder = last(&programmed(tearing(), 2)).record(tearing());
    recorder.erase(0).expect("sound");
    let recording = recorder.finish().1;
    let mut seen = 0;
    for mut image in recording.images(Mode::Exhaustive, 3) {
        let FlashTear::PartErased { eighths, .. } = image.tear() else {
            continue;
        };
        seen += 1;
        assert_eq!(read(&mut image, 1), GIVEN_UP, "{eighths}/8");
        assert_eq!(read(&mut image, 2), Ok((vec![0xFF; COLUMNS], Ecc::Clean)));
        // What is programmed without another erase lies over the rest of what was there.
        image.program(1, 0, &data(7)).expect("no rule forbids it");
        if eighths < 6 {
            assert_eq!(read(&mut image, 1), GIVEN_UP, "{eighths}/8");
        }
    }
    assert_eq!(seen, 14);
}

/// A program that came to its end has check bits of its own: what the page held before a torn erase is
/// no longer what they fit, however near the cells are.
#[test]
fn a_program_over_a_half_erased_page_never_reads_as_what_was_erased() {
    let blank = Recording::new(FlashContent::erased(NAND), tearing());
    let image = blank.images(Mode::Linear, 0).next().expect("the start");
    let mut recorder = image.record(tearing());
    recorder.program(0, 0, &[0]).expect("erased");
    recorder.erase(0).expect("sound");
    let recording = recorder.finish().1;
    let nearly_old = |image: &FlashImage| {
        let steady = FlashTear::PartErased {
            eighths: 1,
            flickers: false,
        };
        image.tear() == steady && image.content().page_bytes(0)[0].count_ones() == 1
    };
    let images = (0..100).flat_map(|seed| recording.images(Mode::Exhaustive, seed));
    let mut image = images.into_iter().find(nearly_old).expect("one of many");
    assert!(read(&mut image, 0).is_ok(), "near what was erased");
    image
        .program(0, 0, &[0xFF, 0xFC])
        .expect("no rule forbids it");
    // The block drifts, so that a read may also find fewer wrong bits, but never the erased ones.
    for found in reads(&mut image, 0) {
        assert!(found == GIVEN_UP || found.is_ok_and(|(bytes, _)| bytes[..2] == [0xFF, 0xFC]));
    }
}

/// The lower page of the pair (1, 4) is harmed while page 4 is programmed, and no other.
#[test]
fn an_upper_page_that_is_torn_harms_its_lower_page_alone() {
    for base in [FlashTearing::raw(), tearing()] {
        let recording = programmed(base.with_pairing(Pairing::Distance3), 5);
        let mut seen = HashSet::new();
        for image in recording.images(Mode::Exhaustive, 9) {
            let (id, tear) = (image.id(), image.tear());
            let harms = matches!(
                tear,
                FlashTear::LowerBits { .. } | FlashTear::LowerLost | FlashTear::LowerMarginal
            );
            // Of pages 0 to 4, pages 2 and 4 are upper ones.
            let lower = [None, None, Some(0), None, Some(1), None][id.operation].filter(|_| harms);
            assert_eq!(lower.is_some(), harms, "{tear:?} of page {}", id.operation);
            for page in 0..id.operation as u32 {
                let mut image = image.clone();
                let found = reads(&mut image, page);
                if Some(page) != lower {
                    assert!(
                        found
                            .iter()
                            .all(|found| *found == Ok((data(page), Ecc::Clean)))
                    );
                    continue;
                }
                seen.insert(format!("{tear:?}"));
                let cells = image.content().page_bytes(page);
                match tear {
                    FlashTear::LowerMarginal => {}
                    FlashTear::LowerLost => assert!(found.iter().all(|found| *found == GIVEN_UP)),
                    _ if base.ecc.is_some() => assert!(found.contains(&GIVEN_UP), "{tear:?}"),
                    _ => assert_ne!(cells, data(page), "{tear:?}"),
                }
                if let (FlashTear::LowerBits { flickers, .. }, None) = (tear, base.ecc) {
                    let differ = found.iter().any(|read| *read != found[0]);
                    assert_eq!(differ, flickers, "{tear:?}");
                    let wrong = |(cell, meant): (&u8, &u8)| (cell ^ meant).count_ones();
                    let wrong: u32 = cells.iter().zip(&data(page)).map(wrong).sum();
                    assert!(
                        wrong * 16 < COLUMNS as u32 * 8 * 9,
                        "half of all bits at most"
                    );
                }
            }
            if harms {
                let upper = image.content().page_bytes(id.operation as u32);
                assert_ne!(upper, data(id.operation as u32), "it came half-way");
                let again = recording.image(id).expect("it was derived");
                assert_eq!(again.hash(), image.hash());
            }
        }
        assert_eq!(seen.len(), if base.ecc.is_some() { 16 } else { 14 });
    }
}

/// What was left out cannot be harmed.
#[test]
fn a_lower_page_that_holds_nothing_is_not_harmed() {
    let raw = FlashTearing::raw().with_pairing(Pairing::Distance3);
    let blank = Recording::new(FlashContent::erased(NAND), raw);
    let image = blank.images(Mode::Linear, 0).next().expect("the start");
    let mut recorder = image.record(raw);
    recorder
        .program(2, 0, &data(2))
        .expect("pages may be left out");
    recorder.program(8 + 4, 0, &data(4)).expect("another block");
    let recording = recorder.finish().1;
    for image in recording.images(Mode::Exhaustive, 9) {
        assert!(!matches!(image.tear(), FlashTear::LowerBits { .. }));
        for page in [0, 1, 8, 9] {
            assert_eq!(image.content().page_bytes(page), [0xFF; COLUMNS]);
        }
    }
}

/// Pairs lie within a block, whichever it is.
#[test]
fn pairs_are_counted_from_the_start_of_the_block() {
    let raw = FlashTearing::raw().with_pairing(Pairing::Distance6);
    let recording = programmed(raw, 16);
    let mut harmed = HashSet::new();
    for image in recording.images(Mode::Exhaustive, 2) {
        if let FlashTear::LowerBits { .. } = image.tear() {
            let operation = image.id().operation as u32;
            let changed = |page: &u32| image.content().page_bytes(*page) != data(*page);
            harmed.extend(
                (0..operation)
                    .filter(changed)
                    .map(|lower| (lower, operation)),
            );
        }
    }
    let block = [(0, 4), (1, 5), (2, 6), (3, 7)];
    let expected = [0, 8].map(|first| block.map(|(lower, upper)| (lower + first, upper + first)));
    assert_eq!(harmed, expected.as_flattened().iter().copied().collect());
}

/// Recovery from a page that was harmed can be cut again, on the same device.
#[test]
fn harm_survives_being_recorded() {
    let paired = tearing().with_pairing(Pairing::Distance3);
    let recording = programmed(paired, 3);
    let lost = |image: &FlashImage| image.tear() == FlashTear::LowerLost;
    let image = recording
        .images(Mode::Exhaustive, 4)
        .find(lost)
        .expect("one");
    let mut recovery: Recorder<FlashImage, FlashTearing> = image.record(paired);
    recovery.program(8, 0, &data(1)).expect("another block");
    recovery.erase(0).expect("sound");
    let second = recovery.finish().1;
    for mut image in second.images(Mode::Linear, 0) {
        let erased = image.id().operation == 2;
        assert_eq!(read(&mut image, 0) == GIVEN_UP, !erased);
    }
}

#[test]
fn a_sheet_states_the_strength() {
    let sheet = nand_sheet_with("value = 16", "value = 16");
    let expected = EccStrength {
        sector_bytes: 128,
        bits: 8,
        refresh_from: 7,
    };
    assert_eq!(sheet.ecc.as_ref().map(EccStrength::from), Some(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The verdict is a matter of counting: any flips, anywhere.
    #[test]
    fn the_verdict_counts_the_wrong_bits_of_each_codeword(
        flips in prop::collection::hash_set((0..COLUMNS as u32, 0u8..8), 0..8),
    ) {
        let mut image = last(&programmed(tearing(), 1));
        let mut wrong = [0u32; 2];
        for (column, bit) in flips {
            image.flip(0, column, bit).expect("inside");
            let second = matches!(column, 64..128 | 136..);
            wrong[usize::from(second)] += 1;
        }
        let worst = wrong[0].max(wrong[1]);
        let found = read(&mut image, 0);
        if worst > STRENGTH.bits {
            prop_assert_eq!(found, GIVEN_UP);
        } else if worst == 0 {
            prop_assert_eq!(found, Ok((data(0), Ecc::Clean)));
        } else {
            let refresh = worst >= STRENGTH.refresh_from;
            let corrected = Ecc::Corrected { bits: worst as u8, refresh };
            prop_assert_eq!(found, Ok((data(0), corrected)));
        }
    }
}
