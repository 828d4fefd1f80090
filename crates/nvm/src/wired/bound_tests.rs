//! What the bounds are made of, held to what the driver does.

use proptest::prelude::*;
use wordline_core::Timing;
use wordline_memory::{ByteMemory, Flash};

use super::*;
use crate::cost::Cause;
use crate::device::{Accounts, Device, FlashDevice, Pipeline};
use crate::fixture::{TYPICAL, board_with, connect, nand, nor, sheet_with};
use crate::raw_flash::RawFlash;
use crate::wired::Conditions;

const AT_MAX: Conditions = Conditions {
    timing: Timing::Max,
    ..TYPICAL
};

proptest! {
    /// Whatever the phase of the questions, one more is enough, and without it the bound is exceeded
    /// whenever the chip is not done just as a question ends.
    #[test]
    fn one_question_more_bounds_any_wait(busy in 0u64..3_000_000_000, pause in 0u64..30) {
        let mut nor = nor(TYPICAL);
        nor.driver.poll_interval = Time::from_ps(pause * 1_000_000);
        let polls = nor.polls(nor.chip.rest()).expect("it has a status");
        let busy = Time::from_ps(busy);
        let start = nor.clock.now();
        nor.begin();
        nor.wait(start.plus(busy), Cause::Program).expect("it ends");
        let taken = TimeSpan::from(nor.last.total());
        prop_assert!(taken <= polls.after(busy.into()));
        prop_assert!(taken + polls.period() > polls.after(busy.into()));
        let forgetful = polls.first.max(busy.into());
        prop_assert!(taken >= forgetful);
        prop_assert_eq!(taken > forgetful, taken > busy.into() && taken != polls.first);
    }
}

/// The longest write of a block, and what was simulated.
fn block_write<F: FlashDevice>(flash: F) -> (RawFlash<F>, TimeSpan, TimeSpan) {
    let mut raw = RawFlash::new(flash).expect("it answers");
    let bytes = raw.overwrite_bytes();
    let bound = raw.write_bound(bytes, bytes).expect("inside");
    raw.write(bytes, &vec![0; bytes as usize]).expect("inside");
    let taken = raw.last_cost().total();
    (raw, bound.into(), taken.into())
}

/// Bounds without the erase, without a page or without the last questions.
#[test]
fn a_bound_that_forgets_a_part_is_exceeded() {
    let (raw, bound, taken) = block_write(nor(AT_MAX));
    assert!(taken <= bound);
    let flash = raw.flash();
    let erase = TimeSpan::from(flash.erase_bound(1).expect("a time"));
    let page = flash.geometry().page_bytes;
    let program = flash.program_bound(0, u64::from(page), 1);
    let program = TimeSpan::from(program.expect("a time"));
    let questions = flash.polls(flash.chip.rest()).expect("it has a status");
    let pages = u64::from(flash.geometry().pages_per_block);
    for part in [erase, program, questions.period() * (pages + 1)] {
        assert!(taken + part > bound, "{part:?}");
    }
    let (raw, bound, taken) = block_write(nand(AT_MAX));
    assert!(taken <= bound);
    let flash = raw.flash();
    let questions = flash.polls(flash.chip.rest()).expect("it has a status");
    let pages = u64::from(flash.geometry().pages_per_block);
    let erase = TimeSpan::from(flash.erase_bound(1).expect("a time"));
    for part in [erase, questions.period() * (pages + 1)] {
        assert!(taken + part > bound, "{part:?}");
    }
}

/// Pipelines change the bounds with the accesses, and faster ways have lower bounds.
#[test]
fn each_way_of_working_has_a_bound_of_its_own() {
    let mut raw = RawFlash::new(nand(TYPICAL)).expect("it answers");
    let bytes = raw.overwrite_bytes();
    let plain = raw.read_bound(0, bytes).expect("inside");
    assert!(raw.use_pipeline(Pipeline::CacheRead));
    let cached = raw.read_bound(0, bytes).expect("inside");
    assert!(cached < plain);
    let mut out = vec![0; bytes as usize];
    raw.read(0, &mut out).expect("inside");
    let taken = raw.last_cost().total();
    assert!(taken <= cached && TimeSpan::from(taken) * 105 > TimeSpan::from(cached) * 100);
}

#[test]
fn bounds_of_nothing_are_zero_and_ranges_are_checked() {
    let mut raw = RawFlash::new(nor(TYPICAL)).expect("it answers");
    let memory: &mut dyn Device = &mut raw;
    let len = memory.len();
    for at in [0, 7, len] {
        assert_eq!(memory.write_bound(at, 0), Ok(Time::ZERO));
        assert_eq!(memory.read_bound(at, 0), Ok(Time::ZERO));
    }
    assert!(matches!(
        memory.read_bound(len, 1),
        Err(NvmError::OutOfRange(_))
    ));
    assert!(matches!(
        memory.write_bound(u64::MAX, 2),
        Err(NvmError::OutOfRange(_))
    ));
    assert_eq!(memory.persist_bound(), Ok(Time::ZERO));
}

/// A pause that is longer than the driver's work is what a transaction waits for.
#[test]
fn long_pauses_of_chip_select_are_counted() {
    let sheet = sheet_with(
        "deselect_after_read = { min = \"",
        "deselect_after_read = { min = \"1",
    );
    let board = board_with("1000 cycles", "1 cycles");
    let mut wired = connect(&sheet, &board, TYPICAL).expect("it fits");
    let mut out = [0; 16];
    for _ in 0..2 {
        wired.read(0, &mut out).expect("inside");
    }
    let bound = wired.read_bound(0, 16).expect("inside");
    assert_eq!(wired.last_cost().total(), bound);
    assert!(wired.last_cost().of(Cause::Recovery) > Time::ZERO);
}
