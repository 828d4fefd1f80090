//! Flash images against a plain reference, and against what the contract promises.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use wordline_memory::{
    EraseMode, Flash, FlashError, FlashErrorKind, FlashMisuse, Geometry, RamFlash,
};

use super::{
    EccStrength, FlashContent, FlashImage, FlashOperation, FlashTear, FlashTearing, ImageId, Mode,
    Recorder, Recording, Weakness,
};
use crate::fixture::{TYPICAL, nand};
use wordline_nvm::{Misuse, NvmError};

const PAGES: u32 = 4;
const BLOCKS: u32 = 3;

const NOR: Geometry = Geometry {
    page_bytes: 16,
    spare_bytes: 0,
    pages_per_block: PAGES,
    blocks: BLOCKS,
    program_bytes: 1,
    programs_per_page: None,
    once_bytes: None,
    in_order: false,
};

const NAND: Geometry = Geometry {
    page_bytes: 12,
    spare_bytes: 4,
    program_bytes: 4,
    programs_per_page: Some(2),
    once_bytes: Some(4),
    in_order: true,
    ..NOR
};

/// A unit of the main area that takes one program, and granules of the spare area that take one each.
const SECTORS: Geometry = Geometry {
    page_bytes: 8,
    spare_bytes: 8,
    once_bytes: Some(8),
    ..NAND
};

/// Weak enough that most tears of the small pages are beyond it: four codewords of 4 + 1 or 2 bytes.
const STRENGTH: EccStrength = EccStrength {
    sector_bytes: 4,
    bits: 2,
    refresh_from: 2,
};

type Ram = RamFlash<16, { PAGES as usize }, { BLOCKS as usize }>;

#[derive(Clone, Debug)]
enum Step {
    Program(u32, u32, Vec<u8>),
    Erase(u32),
    Mark(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let data = prop::collection::vec(any::<[u8; 4]>(), 1..4);
    let program = (0..PAGES * BLOCKS, 0u32..3, data).prop_map(|(page, column, data)| {
        Step::Program(page, column * 4, data.as_flattened().to_vec())
    });
    let step = prop_oneof![
        8 => program,
        3 => (0..BLOCKS).prop_map(Step::Erase),
        1 => (0..BLOCKS).prop_map(Step::Mark),
    ];
    prop::collection::vec(step, 0..16)
}

fn apply<F: Flash>(flash: &mut F, step: &Step) -> Result<(), FlashErrorKind> {
    match step {
        Step::Program(page, column, data) => flash.program(*page, *column, data),
        Step::Erase(block) => flash.erase(*block),
        Step::Mark(block) => flash.mark_bad(*block),
    }
    .map_err(|error| error.kind())
}

/// Runs steps on plain RAM, recorded, and keeps a whole copy of the memory for each cut.
fn record(
    geometry: Geometry,
    steps: &[Step],
    tearing: FlashTearing,
) -> (Recording<FlashTearing>, Vec<Ram>) {
    let flash = Ram::new(geometry).expect("the sizes fit");
    let mut recorder = Recorder::flash(flash, tearing).expect("plain RAM");
    let mut copies = vec![recorder.device().clone()];
    for step in steps {
        let before = recorder.operations();
        let _ = apply(&mut recorder, step);
        if recorder.operations() > before {
            copies.push(recorder.device().clone());
        }
    }
    (recorder.finish().1, copies)
}

fn page<F: Flash>(flash: &mut F, page: u32) -> Result<[u8; 16], FlashErrorKind> {
    let mut bytes = [0; 16];
    let read = flash.read(page, 0, &mut bytes);
    read.map(|_| bytes).map_err(|error| error.kind())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A cut between two operations leaves what whole copies hold, and takes further operations as
    /// they do, refusals included.
    #[test]
    fn linear_images_are_whole_copies(
        geometry in prop::sample::select(vec![NOR, NAND, SECTORS]), first in steps(), second in steps(),
    ) {
        let (recording, copies) = record(geometry, &first, FlashTearing::raw());
        let images = recording.images(Mode::Linear, 0);
        prop_assert_eq!(images.clone().count(), copies.len());
        for (mut image, mut copy) in images.zip(copies) {
            for step in &second {
                prop_assert_eq!(apply(&mut image, step), apply(&mut copy, step));
            }
            for number in 0..PAGES * BLOCKS {
                prop_assert_eq!(page(&mut image, number), page(&mut copy, number));
            }
            for block in 0..BLOCKS {
                prop_assert_eq!(image.is_bad(block).ok(), copy.is_bad(block).ok());
            }
        }
    }

    /// An image of a chip with an ECC on the die refuses the programs of the main area that the chip
    /// refuses, for the same reason: above all a second one of a sector.
    #[test]
    fn an_image_refuses_what_the_chip_refuses(
        first in chip_programs(), second in chip_programs(),
    ) {
        let run = |flash: &mut dyn Flash<Error = NvmError>, programs: &[(u32, u32, usize)]| {
            let program = |(page, column, bytes): &(u32, u32, usize)| {
                let refusal = flash.program(*page, *column, &vec![0x5A; *bytes]).err()?;
                Some(match refusal {
                    // Any of the later pages may be named.
                    NvmError::Misuse(Misuse::Flash(FlashMisuse::OutOfOrder { page, .. })) => {
                        FlashMisuse::OutOfOrder { page, later: 0 }.into()
                    }
                    refusal => refusal,
                })
            };
            programs.iter().map(program).collect::<Vec<_>>()
        };
        let mut chip = Recorder::flash(nand(TYPICAL), FlashTearing::raw()).expect("sound");
        run(&mut chip, &first);
        let (mut chip, recording) = chip.finish();
        let mut image = recording.images(Mode::Linear, 0).last().expect("there is one");
        let (image, chip) = (run(&mut image, &second), run(&mut chip, &second));
        prop_assert_eq!(image, chip);
    }

    /// What the contract promises of every image: a program tears its page alone, an erase its block
    /// alone, and each bit only as far as it may.
    #[test]
    fn torn_images_keep_the_promise_of_the_contract(
        nand in any::<bool>(), ecc in any::<bool>(), steps in steps(), seed in any::<u64>(),
    ) {
        let geometry = if nand { NAND } else { NOR };
        let tearing = if ecc { FlashTearing::with_ecc(STRENGTH) } else { FlashTearing::raw() };
        let (recording, mut copies) = record(geometry, &steps, tearing);
        for mut image in recording.images(Mode::Exhaustive, seed) {
            let operation = image.id().operation;
            let before = &mut copies[operation].clone();
            let torn = recording.operations().get(operation).map(|timed| &timed.operation);
            for number in 0..PAGES * BLOCKS {
                let old = page(before, number).expect("plain RAM");
                for _ in 0..3 {
                    let found = page(&mut image, number);
                    match torn {
                        Some(FlashOperation::Program { page, column, data, .. }) if *page == number => {
prop_assert!(found.is_ok() || ecc);
                            prop_assert!(found.is_err() || image.tear() != FlashTear::Lost);
                            let Ok(found) = found else { continue };
                            check_program(geometry, &old, &found, *column as usize, data)?;
                            if !ecc {
                                check_exact(&old, &found, *column as usize, data, image.tear())?;
                            }
                        }
                        Some(FlashOperation::Erase { block, .. }) if geometry.block_of(number) == *block => {
                            prop_assert!(found.is_ok() || ecc);
                            for (old, found) in old.iter().zip(found.iter().flatten()) {
                                prop_assert_eq!(old & !found, 0, "a bit was cleared");
                            }
                            if matches!(image.tear(), FlashTear::LooksErased(_)) {
                                prop_assert_eq!(found, Ok([0xFF; 16]));
                            }
                        }
                        _ => prop_assert_eq!(found, Ok(old)),
                    }
                }
            }
            for block in 0..BLOCKS {
                prop_assert_eq!(image.is_bad(block).ok(), before.is_bad(block).ok());
            }
        }
        // And the last copy is what a cut after everything leaves.
        let last = copies.last_mut().expect("there is one");
        let mut image = recording.images(Mode::Linear, 0).last().expect("there is one");
        for number in 0..PAGES * BLOCKS {
            prop_assert_eq!(page(&mut image, number).ok(), page(last, number).ok());
        }
    }

    /// An id gives its image again, and images that differ in bytes differ in their hash.
    #[test]
    fn hashes_and_ids_name_images(nand in any::<bool>(), steps in steps(), seed in any::<u64>()) {
        let geometry = if nand { NAND } else { NOR };
        let (recording, _) = record(geometry, &steps, FlashTearing::with_ecc(STRENGTH));
        let mut seen = HashMap::new();
        let images: Vec<FlashImage> = recording.images(Mode::Exhaustive, seed).collect();
        let sample = recording.images(Mode::Sample(20), seed);
        for mut image in images.into_iter().chain(sample) {
            let mut again = recording.image(image.id()).expect("it was derived");
            prop_assert_eq!(again.hash(), image.hash());
            let stored: Vec<_> = (0..PAGES * BLOCKS).map(|page| image.content().page_bytes(page)).collect();
            for number in 0..PAGES * BLOCKS {
                prop_assert_eq!(page(&mut again, number), page(&mut image, number));
            }
            prop_assert_eq!(seen.entry(image.hash()).or_insert_with(|| stored.clone()), &stored);
        }
    }

    /// A block that was torn is as good as new once it has been erased to the end.
    #[test]
    fn erasing_again_mends_a_block(steps in steps(), seed in any::<u64>()) {
        let (recording, _) = record(NAND, &steps, FlashTearing::with_ecc(STRENGTH));
        for mut image in recording.images(Mode::Exhaustive, seed) {
            for block in 0..BLOCKS {
                if image.is_bad(block) == Ok(true) {
                    continue;
                }
                match image.erase(block) {
                    Ok(()) => {}
                    Err(error) => {
                        prop_assert_eq!(error.kind(), FlashErrorKind::EraseFailed);
                        prop_assert_eq!(image.tear(), FlashTear::LooksErased(Weakness::FailsErases));
                        continue;
                    }
                }
                for number in NAND.pages_of(block) {
                    prop_assert_eq!(image.program(number, 0, &[0x3C; 16]), Ok(()));
                    prop_assert_eq!(page(&mut image, number), Ok([0x3C; 16]));
                }
            }
        }
    }
}

/// Programs of whole and part sectors in the first block of the invented chip: page, column, bytes.
fn chip_programs() -> impl Strategy<Value = Vec<(u32, u32, usize)>> {
    let program = (
        0u32..3,
        0u32..8,
        prop_oneof![Just(1usize), Just(64), Just(128), Just(200)],
    );
    let program = program.prop_map(|(page, half, bytes)| {
        let column = half * 64;
        (page, column, bytes.min(512 - column as usize))
    });
    prop::collection::vec(program, 1..8)
}

/// A torn program: each bit that it was to clear may be old or new, and no other differs, but beside
/// it where the geometry limits programs.
fn check_program(
    geometry: Geometry,
    old: &[u8; 16],
    found: &[u8; 16],
    column: usize,
    data: &[u8],
) -> Result<(), TestCaseError> {
    for place in 0..16usize {
        let new = place
            .checked_sub(column)
            .and_then(|inside| data.get(inside));
        let may_differ = match new {
            Some(new) => old[place] & !new,
            None if geometry.programs_per_page.is_some() && old[place] != 0xFF => 0xFF,
            None => 0,
        };
        prop_assert_eq!(
            (old[place] ^ found[place]) & !may_differ,
            0,
            "column {}",
            place
        );
    }
    Ok(())
}

/// The tears whose bytes are known.
fn check_exact(
    old: &[u8; 16],
    found: &[u8; 16],
    column: usize,
    data: &[u8],
    tear: FlashTear,
) -> Result<(), TestCaseError> {
    let landed = match tear {
        FlashTear::Nothing | FlashTear::Attempted => 0,
        FlashTear::Prefix(bytes) => bytes,
        _ => return Ok(()),
    };
    let mut expected = *old;
    for (byte, new) in expected[column..].iter_mut().zip(&data[..landed]) {
        *byte &= new;
    }
    prop_assert_eq!(*found, expected);
    Ok(())
}

/// A program of a whole page of zeros, and then an erase of its block.
fn one_page() -> Recording<FlashTearing> {
    let steps = [Step::Program(1, 0, vec![0; 16]), Step::Erase(0)];
    record(NOR, &steps, FlashTearing::raw()).0
}

#[test]
fn unstable_bits_read_differently_and_replay() {
    let recording = one_page();
    let mut flickered = HashSet::new();
    for mut image in recording.images(Mode::Exhaustive, 3) {
        let mut again = recording.image(image.id()).expect("it was derived");
        let reads: Vec<_> = (0..20).map(|_| page(&mut image, 1)).collect();
        let replayed: Vec<_> = (0..20).map(|_| page(&mut again, 1)).collect();
        assert_eq!(reads, replayed);
        if reads.iter().any(|read| *read != reads[0]) {
            flickered.insert(match image.tear() {
                FlashTear::Bits { flickers: true, .. } => "bits",
                FlashTear::Flickering => "whole program",
                FlashTear::PartErased { flickers: true, .. } => "erase",
                tear => panic!("{tear:?} should read the same every time"),
            });
        }
    }
    assert_eq!(flickered.len(), 3, "{flickered:?}");
}

#[test]
fn a_block_that_looks_erased_betrays_who_trusts_it() {
    let recording = one_page();
    let mut seen = 0;
    for mut image in recording.images(Mode::Exhaustive, 3) {
        let FlashTear::LooksErased(weakness) = image.tear() else {
            continue;
        };
        seen += 1;
        assert_eq!(page(&mut image, 1), Ok([0xFF; 16]));
        let programmed = image.program(1, 0, &[0; 16]).map_err(|error| error.kind());
        if weakness == Weakness::Drifts {
            assert_eq!(programmed, Ok(()));
            let reads: Vec<_> = (0..20).map(|_| page(&mut image, 1)).collect();
            assert!(reads.iter().any(|read| *read != Ok([0; 16])));
        } else {
            assert_eq!(programmed, Err(FlashErrorKind::ProgramFailed));
            let erased = image.erase(0).map_err(|error| error.kind());
            assert_eq!(erased, Err(FlashErrorKind::EraseFailed));
            image.mark_bad(0).expect("the block exists");
            let refused = image.program(1, 0, &[0]).map_err(|error| error.kind());
            assert_eq!(refused, Err(FlashErrorKind::BadBlock));
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn shares_of_bits_are_what_they_say() {
    for eighths in 0..=8u8 {
        let ones: u32 = (0..2000)
            .map(|place| super::flash_content::bits(7, place, eighths).count_ones())
            .sum();
        let share = f64::from(ones) / (2000.0 * 64.0);
        assert!(
            (share - f64::from(eighths) / 8.0).abs() < 0.01,
            "{eighths}/8: {share}"
        );
    }
}

/// The second cut interrupts the erase that recovery repeats on a block that is half erased already.
#[test]
fn an_erase_can_be_torn_twice() {
    let recording = one_page();
    let image = recording
        .images(Mode::Exhaustive, 3)
        .find(|image| {
            matches!(
                image.tear(),
                FlashTear::PartErased {
                    eighths: 4,
                    flickers: false
                }
            )
        })
        .expect("there is one");
    let once = image.content().page_bytes(1);
    let mut recovery = image.record(FlashTearing::raw());
    recovery.erase(0).expect("it is sound");
    recovery.program(1, 0, &[0; 16]).expect("it is erased");
    let (_, second) = recovery.finish();
    let mut torn = 0;
    for image in second.images(Mode::Exhaustive, 4) {
        let FlashTear::PartErased { eighths, .. } = image.tear() else {
            continue;
        };
        let twice = image.content().page_bytes(1);
        assert!(
            once.iter()
                .zip(&twice)
                .all(|(once, twice)| once & !twice == 0)
        );
        torn += usize::from(eighths > 1 && once != twice);
        let again = second.image(image.id()).expect("it was derived");
        assert_eq!(again.content().page_bytes(1), twice);
    }
    assert!(torn > 5, "{torn}");
}

/// What a device that reports failures leaves is unspecified, and its block is never trusted again.
#[test]
fn reported_failures_are_recorded() {
    let recording = one_page();
    let weak = recording
        .images(Mode::Exhaustive, 3)
        .find(|image| image.tear() == FlashTear::LooksErased(Weakness::FailsPrograms))
        .expect("there is one");
    let mut recorder = weak.record(FlashTearing::raw());
    assert!(recorder.program(2, 0, &[0; 4]).is_err());
    assert!(recorder.erase(0).is_err());
    assert!(recorder.program(2, 0, &[]).is_ok());
    assert!(recorder.program(2, 15, &[0; 4]).is_err(), "leaves the page");
    assert_eq!(recorder.operations(), 2);
    let (device, recording) = recorder.finish();
    let last = recording
        .images(Mode::Linear, 0)
        .last()
        .expect("there is one");
    assert_eq!(last.hash(), device.hash());
}

#[test]
fn a_flipped_bit_is_one_bit() {
    let mut image = one_page()
        .images(Mode::Linear, 0)
        .nth(1)
        .expect("after the program");
    let before = image.hash();
    image.flip(1, 3, 5).expect("inside");
    let mut expected = [0; 16];
    expected[3] = 1 << 5;
    assert_eq!(page(&mut image, 1), Ok(expected));
    assert_ne!(image.hash(), before);
    image.flip(1, 3, 5).expect("inside");
    assert_eq!(image.hash(), before);
    assert!(image.flip(1, 16, 0).is_err());
    assert_eq!(
        image.id(),
        ImageId {
            operation: 1,
            variant: 0,
            seed: 0
        }
    );
}

/// The attempt counts as a program, whatever it left.
#[test]
fn a_torn_program_uses_up_its_granules_and_its_turn() {
    let steps = [Step::Program(1, 4, vec![0; 8])];
    let (recording, _) = record(NAND, &steps, FlashTearing::with_ecc(STRENGTH));
    let mut torn = 0;
    for mut image in recording.images(Mode::Exhaustive, 3) {
        if image.id().operation > 0 || image.tear() == FlashTear::Nothing {
            continue;
        }
        torn += 1;
        let mut refused = |page, column| {
            let result = image.program(page, column, &[0; 4]);
            result.map_err(|error| error.kind()) == Err(FlashErrorKind::Misuse)
        };
        assert!(refused(1, 4) && refused(1, 8), "granules that were tried");
        assert!(refused(0, 0), "a page below");
        assert!(!refused(1, 0), "the second program");
        assert!(refused(1, 12), "the third program");
    }
    assert_eq!(torn, 1 + 7 + 14 + 4);
}

/// A block that is half erased must be erased again, too.
#[test]
fn a_half_erased_block_drifts() {
    for mut image in one_page().images(Mode::Exhaustive, 3) {
        if !matches!(image.tear(), FlashTear::PartErased { .. }) {
            continue;
        }
        image.program(3, 0, &[0; 16]).expect("no rule forbids it");
        let reads: Vec<_> = (0..20).map(|_| page(&mut image, 3)).collect();
        assert!(reads.iter().any(|read| *read != Ok([0; 16])));
    }
}

#[test]
fn another_seed_draws_other_tears() {
    let recording = one_page();
    let hashes = |seed| -> Vec<u64> {
        let images = recording.images(Mode::Exhaustive, seed);
        images.map(|image| image.hash()).collect()
    };
    assert_eq!(hashes(1), hashes(1));
    let same = hashes(1)
        .iter()
        .zip(hashes(2))
        .filter(|(one, other)| **one == *other)
        .count();
    assert!(same < hashes(1).len() - 20, "{same} of {}", hashes(1).len());
}

/// A cut within a program finds an erase that was left running half-done, too; once it has ended, it is whole.
#[test]
fn a_cut_interrupts_an_erase_that_was_left_running_as_well() {
    let blank = Recording::new(FlashContent::erased(NOR), FlashTearing::raw());
    let image = blank.images(Mode::Linear, 0).next().expect("one");
    let mut flash = image.with_erases(EraseMode::Suspends);
    for page in 0..2 * PAGES {
        flash.program(page, 0, &[0; 16]).expect("an erased page");
    }
    let mut flash = Recorder::flash(flash, FlashTearing::raw()).expect("it can be read");
    flash.begin_erase(0).expect("a block");
    assert_eq!(flash.advance_erase(1, 2), Ok(false));
    flash.program(2 * PAGES, 0, &[0; 16]).expect("elsewhere");
    assert!(flash.program(1, 0, &[0]).is_err());
    assert_eq!(flash.advance_erase(1, 2), Ok(true));
    flash.program(0, 0, &[0x5A; 16]).expect("it is erased");
    let (_, recording) = flash.finish();
    let is_old = |image: &FlashImage, page| image.content().page_bytes(page) == [0; 16];
    let (mut torn_alone, mut both, mut neither) = (0, 0, 0);
    for image in recording.images(Mode::Exhaustive, 0) {
        // The program elsewhere is the second operation, the end of the erase the third.
        match image.id().operation {
            1 => {
                let whole = image.tear() == FlashTear::Nothing;
                match ((0..PAGES).all(|page| is_old(&image, page)), whole) {
                    (true, _) => torn_alone += 1,
                    (false, false) => both += 1,
                    (false, true) => neither += 1,
                }
                assert!((PAGES..2 * PAGES).all(|page| is_old(&image, page)));
            }
            3.. => assert!((1..PAGES).all(|page| image.content().page_bytes(page) == [0xFF; 16])),
            _ => {}
        }
    }
    assert!(both > 10, "{torn_alone} {both} {neither}");
}
