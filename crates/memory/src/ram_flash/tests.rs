//! The rules one by one, then all of them against a model that keeps a log instead of bytes.

use super::*;
use crate::xorshift::Xorshift;

const NAND: Geometry = Geometry {
    page_bytes: 16,
    spare_bytes: 4,
    pages_per_block: 4,
    blocks: 3,
    program_bytes: 2,
    programs_per_page: Some(2),
    once_bytes: Some(8),
    in_order: true,
};

fn nand() -> RamFlash<20, 4, 3> {
    RamFlash::new(NAND).expect("the sizes agree")
}

fn nor() -> RamFlash<20, 4, 3> {
    RamFlash::nor().expect("the sizes fit")
}

fn byte(flash: &mut impl Flash<Error = RamFlashError>, page: u32, column: u32) -> u8 {
    let mut out = [0];
    assert_eq!(flash.read(page, column, &mut out), Ok(Ecc::Clean));
    out[0]
}

#[test]
fn the_geometry_has_the_sizes_of_the_type() {
    assert!(RamFlash::<20, 4, 2>::new(NAND).is_none());
    assert!(RamFlash::<20, 8, 3>::new(NAND).is_none());
    assert!(RamFlash::<16, 4, 3>::new(NAND).is_none());
    assert!(RamFlash::<0, 4, 3>::nor().is_none());
    assert_eq!(nand().geometry(), NAND);
}

#[test]
fn programs_clear_bits_and_only_an_erase_sets_them() {
    let mut flash = nor();
    flash.program(5, 2, &[0b1100]).expect("erased");
    flash.program(5, 2, &[0b1010]).expect("again");
    assert_eq!(byte(&mut flash, 5, 2), 0b1000);
    assert_eq!(byte(&mut flash, 5, 3), 0xFF);
    flash.erase(0).expect("another block");
    assert_eq!(byte(&mut flash, 5, 2), 0b1000);
    flash.erase(1).expect("its block");
    assert_eq!(byte(&mut flash, 5, 2), 0xFF);
}

#[test]
fn pages_of_a_block_go_in_order_and_may_be_left_out() {
    let mut flash = nand();
    flash.program(6, 0, &[0; 2]).expect("left two out");
    let misuse = FlashMisuse::OutOfOrder { page: 4, later: 6 };
    assert_eq!(flash.program(4, 0, &[0; 2]), Err(misuse.into()));
    flash.program(3, 0, &[0; 2]).expect("another block");
    flash.program(6, 8, &[0; 2]).expect("the same page");
    flash.erase(1).expect("good");
    flash.program(4, 0, &[0; 2]).expect("erased");
}

#[test]
fn a_page_takes_as_many_programs_as_its_geometry_says() {
    let mut flash = nand();
    flash.program(0, 0, &[]).expect("does not count");
    flash.program(0, 0, &[0; 2]).expect("first");
    flash
        .program(0, 16, &[0; 4])
        .expect("second, the spare area");
    let misuse = FlashMisuse::TooManyPrograms {
        page: 0,
        allowed: 2,
    };
    assert_eq!(flash.program(0, 4, &[0; 2]), Err(misuse.into()));
    assert_eq!(byte(&mut flash, 0, 4), 0xFF);
}

#[test]
fn a_unit_under_ecc_takes_one_program_even_of_ones() {
    let mut flash = nand();
    flash.program(0, 4, &[0xFF; 4]).expect("erased");
    for (column, bytes, refused) in [(2, 4, 2), (0, 2, 0), (6, 4, 6), (0, 20, 0)] {
        let misuse = FlashMisuse::Reprogram {
            page: 0,
            column: refused,
        };
        let again = flash.program(0, column, &vec![0; bytes]);
        assert_eq!(again, Err(misuse.into()));
    }
    assert_eq!(byte(&mut flash, 0, 2), 0xFF);
    flash.program(0, 8, &[0; 10]).expect("the next unit");
    flash.program(1, 16, &[0; 2]).expect("spare area");
    let misuse = FlashMisuse::Reprogram {
        page: 1,
        column: 16,
    };
    assert_eq!(flash.program(1, 14, &[0; 4]), Err(misuse.into()));
    flash.program(1, 18, &[0; 2]).expect("the next granule");
}

#[test]
fn a_bad_block_can_be_read_only() {
    let mut flash = nand();
    flash.program(4, 0, &[7; 2]).expect("good");
    assert_eq!(flash.is_bad(1), Ok(false));
    flash.mark_bad(1).expect("inside");
    flash.mark_bad(1).expect("again");
    assert_eq!(flash.is_bad(1), Ok(true));
    let refused = Err(RamFlashError::BadBlock { block: 1 });
    assert_eq!(flash.program(5, 0, &[0; 2]), refused);
    assert_eq!(flash.program(5, 0, &[]), refused);
    assert_eq!(flash.erase(1), refused);
    assert_eq!(byte(&mut flash, 4, 0), 7);
    flash.erase(2).expect("another block");
}

#[test]
fn every_call_outside_the_memory_is_misuse() {
    let mut flash = nand();
    let refusals = [
        flash.read(12, 0, &mut [0]).map(|_| ()),
        flash.read(0, 20, &mut [0]).map(|_| ()),
        flash.program(12, 0, &[0; 2]),
        flash.program(0, 20, &[0; 2]),
        flash.program(0, 1, &[0; 2]),
        flash.erase(3),
        flash.is_bad(3).map(|_| ()),
        flash.mark_bad(3),
    ];
    for refusal in refusals {
        let error = refusal.expect_err("outside");
        assert_eq!(error.kind(), FlashErrorKind::Misuse, "{error}");
    }
}

/// The model: what was programmed since the last erase, and nothing else.
struct Log {
    geometry: Geometry,
    programs: Vec<(u32, u32, Vec<u8>)>,
    bad: Vec<u32>,
}

impl Log {
    fn read(&self, page: u32) -> Vec<u8> {
        let mut bytes = vec![0xFF; self.geometry.columns() as usize];
        for (_, column, data) in self.programs.iter().filter(|(p, ..)| *p == page) {
            for (i, new) in data.iter().enumerate() {
                bytes[*column as usize + i] &= new;
            }
        }
        bytes
    }

    /// The kind of the refusal, and a number that distinguishes the refusals.
    fn refusal(&self, page: u32, column: u32, bytes: usize) -> Option<(FlashErrorKind, usize)> {
        let g = self.geometry;
        let misuse = |rule| Some((FlashErrorKind::Misuse, rule));
        let end = column as usize + bytes;
        if page >= g.pages_per_block * g.blocks || end > (g.page_bytes + g.spare_bytes) as usize {
            return misuse(0);
        }
        if !(column as usize).is_multiple_of(g.program_bytes as usize)
            || !bytes.is_multiple_of(g.program_bytes as usize)
        {
            return misuse(1);
        }
        let block = page / g.pages_per_block;
        if self.bad.contains(&block) {
            return Some((FlashErrorKind::BadBlock, 2));
        }
        if bytes == 0 {
            return None;
        }
        let same_block = |p: u32| p / g.pages_per_block == block;
        if g.in_order
            && self
                .programs
                .iter()
                .any(|(p, ..)| same_block(*p) && *p > page)
        {
            return misuse(3);
        }
        let mut earlier = self.programs.iter().filter(|(p, ..)| *p == page);
        let count = earlier.clone().count() as u32;
        if g.programs_per_page.is_some_and(|limit| count >= limit) {
            return misuse(4);
        }
        // Byte by byte, apart from the arithmetic of `Geometry`.
        let unit = |at: usize, bytes: usize| match at < g.page_bytes as usize {
            true => (0, at / bytes),
            false => (1, at / g.program_bytes as usize),
        };
        let touched = |from: usize, length: usize, bytes| -> Vec<(u8, usize)> {
            (from..from + length).map(|at| unit(at, bytes)).collect()
        };
        if let Some(bytes) = g.once_bytes.map(|bytes| bytes as usize) {
            let now = touched(column as usize, end - column as usize, bytes);
            let taken = |(_, from, data): &(u32, u32, Vec<u8>)| {
                let then = touched(*from as usize, data.len(), bytes);
                then.iter().any(|unit| now.contains(unit))
            };
            if earlier.any(taken) {
                return misuse(5);
            }
        }
        None
    }
}

/// Runs random calls on both, and returns how often each refusal was met.
fn compare(mut flash: RamFlash<20, 4, 3>, seed: u64) -> [u32; 6] {
    let geometry = flash.geometry();
    let mut log = Log {
        geometry,
        programs: Vec::new(),
        bad: Vec::new(),
    };
    let mut random = Xorshift::new(seed);
    let mut met = [0; 6];
    for step in 0..400 {
        let block = random.below(3) as u32;
        match random.below(200) {
            0 => {
                flash.mark_bad(block).expect("inside");
                log.bad.push(block);
            }
            1..=15 => {
                let erased = flash.erase(block).map_err(|e| e.kind());
                if log.bad.contains(&block) {
                    assert_eq!(erased, Err(FlashErrorKind::BadBlock));
                } else {
                    assert_eq!(erased, Ok(()));
                    log.programs.retain(|(p, ..)| p / 4 != block);
                }
            }
            _ => {
                let (page, column) = (random.below(13) as u32, random.below(21) as u32);
                let data: Vec<u8> = (0..random.below(7)).map(|_| random.next() as u8).collect();
                let done = flash.program(page, column, &data).map_err(|e| e.kind());
                let refusal = log.refusal(page, column, data.len());
                assert_eq!(
                    done.err(),
                    refusal.map(|(kind, _)| kind),
                    "seed {seed}, step {step}"
                );
                match refusal {
                    Some((_, rule)) => met[rule] += 1,
                    None if data.is_empty() => {}
                    None => log.programs.push((page, column, data)),
                }
            }
        }
        for page in 0..12 {
            let mut out = [0; 20];
            assert_eq!(flash.read(page, 0, &mut out), Ok(Ecc::Clean));
            assert_eq!(
                out[..],
                log.read(page),
                "seed {seed}, step {step}, page {page}"
            );
        }
        for block in 0..3 {
            assert_eq!(flash.is_bad(block), Ok(log.bad.contains(&block)));
        }
    }
    met
}

#[test]
fn random_calls_agree_with_a_log_of_programs() {
    let once = Geometry {
        programs_per_page: Some(1),
        ..NAND
    };
    let nor_with_ecc = Geometry {
        program_bytes: 4,
        once_bytes: Some(4),
        programs_per_page: None,
        in_order: false,
        ..NAND
    };
    // Which refusals each geometry must meet, in the order of the numbers in `Log::refusal`.
    let cases = [
        (NAND, [true, true, true, true, true, true]),
        (once, [true, true, true, true, true, false]),
        (nor_with_ecc, [true, true, true, false, false, true]),
        (nor().geometry(), [true, false, true, false, false, false]),
    ];
    for (geometry, expected) in cases {
        let mut met = [0; 6];
        for seed in 1..=20 {
            let flash = RamFlash::new(geometry).expect("the sizes agree");
            let more = compare(flash, seed);
            met.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
        }
        assert_eq!(met.map(|n| n > 0), expected, "{met:?} in {geometry:?}");
    }
}

#[test]
fn an_erase_that_was_begun_keeps_its_block_to_its_end() {
    let nor = RamFlash::<4, 4, 4>::nor().expect("the sizes fit");
    let mut flash = nor.with_erases(EraseMode::Suspends);
    flash.program(4, 0, &[0]).expect("an erased page");
    flash.begin_erase(1).expect("a block");
    let refused = Err(FlashMisuse::InErase { block: 1 }.into());
    assert_eq!(flash.begin_erase(2), refused);
    assert_eq!(flash.program(5, 0, &[0]), refused);
    assert_eq!(flash.erase(1), refused);
    assert!(flash.read(4, 0, &mut [0]).is_err());
    assert_eq!(flash.program(8, 0, &[0]), Ok(()));
    let parts = [1, 1, 1].map(|parts| flash.advance_erase(parts, 3));
    assert_eq!(parts, [Ok(false), Ok(false), Ok(true)]);
    let mut byte = [0];
    flash.read(4, 0, &mut byte).expect("a read");
    assert_eq!(byte, [0xFF]);
    assert_eq!(flash.advance_erase(1, 3), Ok(true));
}
