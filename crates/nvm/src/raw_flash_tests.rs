//! What a raw flash memory does in the background, and what it makes of that.

use super::*;
use crate::bus::Action;
use crate::cost::Cause;
use crate::device::Accounts;
use crate::error::Misuse;
use crate::fixture::{TYPICAL, nand, nor, nor_of, nor_sheet_with};
use crate::power::PowerState;

const ERASE: BackgroundWork = BackgroundWork::Erase;

fn stored(memory: &mut dyn Background, at: u64) -> Vec<u8> {
    memory.preload(at, &[1, 2, 3, 4]).expect("inside");
    vec![1, 2, 3, 4]
}

/// An erase of block 2 that is read from after a while, and then waited for.
#[test]
fn a_read_waits_for_the_end_or_suspends() {
    let mut flash = RawFlash::new(nor(TYPICAL)).expect("connects");
    let memory = flash.background().expect("it is busy by itself");
    let expected = stored(memory, 64);
    let block = memory.unit_bytes(ERASE);
    memory.check_suspend(ERASE).expect("it has a suspend");
    memory.start_erase(2 * block).expect("idle");
    let mut out = [0; 4];
    let refused = memory.read(64, &mut out);
    assert!(matches!(
        refused,
        Err(NvmError::Misuse(Misuse::Busy { .. }))
    ));
    let read = memory.read_suspending(64, &mut out).expect("apart");
    assert!(read.suspended);
    assert_eq!(out[..], expected);
    assert!(read.latency.total() < memory.last_cost().total());
    let left = memory.busy_until().since(memory.clock().now());
    out.fill(0);
    memory.read_after(64, &mut out).expect("it ends");
    assert_eq!(out[..], expected);
    assert_eq!(memory.last_cost().of(Cause::Erase), left);
    memory
        .read_after(64, &mut out)
        .expect("nothing to wait for");
    assert_eq!(memory.last_cost().of(Cause::Erase), Time::ZERO);
}

#[test]
fn a_busy_nand_is_waited_for() {
    let mut flash = RawFlash::new(nand(TYPICAL)).expect("connects");
    let memory = flash.background().expect("it is busy by itself");
    let expected = stored(memory, 64);
    assert_eq!(memory.check_suspend(ERASE), Err(NoSuspend::Chip));
    let mut out = [0; 4];
    let page = memory.unit_bytes(BackgroundWork::Program) as usize;
    let at = 2 * memory.unit_bytes(ERASE);
    memory.start_program(at, &vec![7; page]).expect("idle");
    let refused = memory.read_suspending(64, &mut out);
    assert_eq!(refused, Err(NvmError::Unsupported(Action::Suspend)));
    memory.read_after(64, &mut out).expect("it ends");
    assert_eq!(out[..], expected);
    assert!(memory.last_cost().of(Cause::Program) > Time::ZERO);
    memory.read(at, &mut out).expect("idle");
    assert_eq!(out, [7; 4]);
}

#[test]
fn a_suspend_that_the_board_does_not_drive_is_named() {
    let action = "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"";
    let sheet = nor_sheet_with(action, &action.replace("1S-1S-1S", "8D-8D-8D"));
    let flash = RawFlash::new(nor_of(&sheet, TYPICAL)).expect("connects");
    let reason = flash.check_suspend(ERASE);
    assert_eq!(reason, Err(NoSuspend::Board(Action::Suspend)));
}

/// What a write of the first page of block 2 spent on an erase.
fn begin_block(flash: &mut dyn Device) -> Time {
    let at = 2 * flash.overwrite_bytes();
    flash.write(at, &[7; 512]).expect("inside");
    let mut out = [0; 512];
    let cost = *flash.last_cost();
    flash.read(at, &mut out).expect("inside");
    assert_eq!(out, [7; 512]);
    cost.of(Cause::Erase)
}

/// A chip whose block 2 is erased in the background, and waited for.
fn erased<F: FlashDevice>(flash: F) -> RawFlash<F> {
    let mut flash = RawFlash::new(flash).expect("connects");
    let at = 2 * flash.overwrite_bytes();
    flash.write(at, &[1; 512]).expect("inside");
    flash.start_erase(at).expect("idle");
    assert!(!flash.is_erased(at), "nobody has waited for it");
    flash.finish().expect("it ends");
    assert!(flash.is_erased(at));
    assert!(!flash.is_erased(0) && !flash.is_erased(u64::MAX));
    flash
}

#[test]
fn a_block_that_was_erased_in_the_background_is_not_erased_again() {
    let mut nor = erased(nor(TYPICAL));
    let wear = nor.wear();
    let mut fork = nor.fork_device();
    assert_eq!(begin_block(&mut nor), Time::ZERO);
    assert_eq!(nor.wear(), wear);
    assert!(!nor.is_erased(2 * nor.overwrite_bytes()));
    assert!(begin_block(&mut nor) > Time::ZERO, "it was programmed");
    assert_eq!(begin_block(&mut *fork), Time::ZERO, "a fork knows it too");
    let mut nand = erased(nand(TYPICAL));
    assert_eq!(begin_block(&mut nand), Time::ZERO);
    assert!(begin_block(&mut nand) > Time::ZERO, "it was programmed");
}

#[test]
fn a_block_that_was_programmed_since_is_erased_again() {
    type Program = fn(&mut RawFlash<crate::Wired<crate::Nand>>, u64);
    let ways: [Program; 4] = [
        |flash, at| {
            flash.start_program(at, &[1; 512]).expect("idle");
            flash.finish().expect("it ends");
        },
        |flash, at| flash.preload(at, &[1; 512]).expect("inside"),
        |flash, at| flash.write(at + 512, &[1; 512]).expect("inside"),
        |flash, at| {
            // Once more, and programmed before any operation waits for it.
            flash.start_erase(at).expect("idle");
            flash.preload(at, &[1; 512]).expect("inside");
            flash.finish().expect("it ends");
        },
    ];
    for program in ways {
        let mut flash = erased(nand(TYPICAL));
        let at = 2 * flash.overwrite_bytes();
        program(&mut flash, at);
        assert!(!flash.is_erased(at));
        assert!(begin_block(&mut flash) > Time::ZERO);
    }
}

#[test]
fn an_erase_whose_end_nobody_saw_does_not_count() {
    let mut flash = RawFlash::new(nand(TYPICAL)).expect("connects");
    let block = flash.overwrite_bytes();
    flash.start_erase(2 * block).expect("idle");
    flash
        .clock()
        .advance_to(FlashDevice::busy_until(flash.flash()));
    flash.start_erase(3 * block).expect("it has ended");
    flash.finish().expect("it ends");
    assert!(flash.is_erased(3 * block) && !flash.is_erased(2 * block));
    assert!(begin_block(&mut flash) > Time::ZERO);
}

#[test]
fn an_erase_that_failed_does_not_count() {
    let mut chip = nand(TYPICAL);
    chip.chip_mut().fail_block(2).expect("inside");
    let mut flash = RawFlash::new(chip).expect("connects");
    let at = 2 * flash.overwrite_bytes();
    flash.start_erase(at).expect("idle");
    assert_eq!(flash.finish(), Err(NvmError::EraseFailed { block: 2 }));
    assert!(!flash.is_erased(at));
}

#[test]
fn what_is_refused_costs_nothing() {
    let mut flash = RawFlash::new(nand(TYPICAL)).expect("connects");
    flash.write(0, &[1; 512]).expect("inside");
    flash.write(0, &[1; 512]).expect("inside");
    let before = flash.clock().now();
    let taken = flash.write(512 - 128, &[1; 256]);
    assert!(matches!(taken, Err(NvmError::Misuse(_))));
    assert_eq!(flash.last_cost().total(), flash.clock().now().since(before));
}

/// The bounds of start and wait are those of an erase within a write.
#[test]
fn the_parts_of_an_erase_have_bounds() {
    fn check<F: FlashDevice>(flash: F) {
        let mut flash = RawFlash::new(flash).expect("connects");
        let bounds = flash.bounds(BackgroundWork::Erase).expect("times");
        let (start, finish) = (bounds.begin, bounds.finish);
        let whole = flash.flash().erase_bound(1).expect("a time");
        assert_eq!(start.plus(finish), whole);
        flash.start_erase(0).expect("idle");
        assert!(flash.last_cost().total() <= start);
        flash.finish().expect("it ends");
        assert!(flash.last_cost().total() <= finish);
    }
    check(nand(TYPICAL));
    check(nor(TYPICAL));
}

/// While an erase runs, the energy is that of what has passed of it.
#[test]
fn residence_is_of_what_has_passed() {
    fn check<F: FlashDevice>(flash: F) {
        let mut flash = RawFlash::new(flash).expect("connects");
        flash.start_erase(0).expect("idle");
        let ends = Background::busy_until(&flash);
        let begun = flash.clock().now();
        for instant in [begun, begun.plus(Time::from_ps(1_000_000_000)), ends] {
            flash.clock().advance_to(instant);
            let residence = flash.residence();
            assert_eq!(residence.of(PowerState::Erase), instant.since(begun));
            let states = PowerState::ALL.iter().map(|state| residence.of(*state));
            assert_eq!(states.fold(Time::ZERO, Time::plus), instant);
        }
    }
    check(nand(TYPICAL));
    check(nor(TYPICAL));
}
