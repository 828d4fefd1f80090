//! Ideal memories keep the contract, and take the time that was stated.

use wordline_core::quantity::Time;
use wordline_memory::FlashError as _;
use wordline_memory::{ByteMemory as _, Flash as _, FlashErrorKind, Geometry};

use super::{IdealBytes, IdealBytesSpec, IdealFlash, IdealFlashSpec, IdealTimes};
use crate::device::{Accounts as _, Device as _, Wear};
use crate::error::{Misuse, NvmError};
use crate::flash_control::{ErasePhase, FlashControl as _};
use crate::memory::FlashMemory as _;

const TIMES: IdealTimes = IdealTimes {
    read: Time::from_ps(10),
    read_byte: Time::from_ps(1),
    program: Time::from_ps(100),
    program_byte: Time::from_ps(2),
    erase: Time::from_ps(10_000),
};

fn nand(banks: u32) -> IdealFlash {
    IdealFlash::new(IdealFlashSpec {
        geometry: Geometry {
            page_bytes: 64,
            spare_bytes: 8,
            pages_per_block: 4,
            blocks: 8,
            program_bytes: 8,
            programs_per_page: Some(1),
            once_bytes: None,
            in_order: true,
        },
        marks: true,
        moves: true,
        banks,
        endurance: Wear::UNLIMITED,
        times: TIMES,
    })
}

#[test]
fn rules_and_times_are_those_that_were_stated() {
    let mut flash = nand(1);
    flash.program(2, 0, &[0xA5; 64]).expect("erased");
    assert_eq!(flash.clock().now(), Time::from_ps(100 + 128));
    let mut back = [0; 64];
    flash.read(2, 0, &mut back).expect("inside");
    assert_eq!(back, [0xA5; 64]);
    assert_eq!(flash.last_cost().total(), Time::from_ps(10 + 64));
    let again = flash.program(2, 0, &[0; 8]).map_err(|error| error.kind());
    assert_eq!(again, Err(FlashErrorKind::Misuse), "one program a page");
    let below = flash.program(1, 0, &[0; 8]).map_err(|error| error.kind());
    assert_eq!(below, Err(FlashErrorKind::Misuse), "pages in order");
    flash.erase(0).expect("good");
    assert_eq!(flash.last_cost().total(), Time::from_ps(10_000));
    assert_eq!(flash.cycles(0), Ok(1));
    flash.program(1, 0, &[0; 8]).expect("erased again");
    flash.mark_bad(3).expect("it keeps marks");
    assert_eq!(flash.is_bad(3), Ok(true));
    assert_eq!(flash.erase(3), Err(NvmError::BadBlock { block: 3 }));
    let mut fork = flash.fork_memory();
    fork.erase(0).expect("good");
    assert_eq!((flash.cycles(0), fork.cycles(0)), (Ok(1), Ok(2)));
}

#[test]
fn a_move_takes_spare_area_and_changed_bytes_along() {
    let mut flash = nand(1);
    flash.program(0, 0, &[7; 72]).expect("erased");
    assert_eq!(flash.move_page(0, 9, 8, &[3; 8]), Ok(true));
    let mut back = [0; 72];
    flash.read(9, 0, &mut back).expect("inside");
    let mut expected = [7; 72];
    expected[8..16].fill(3);
    assert_eq!(back, expected);
}

/// What runs keeps its own bank busy; suspended, it leaves all but its block free.
#[test]
fn an_erase_in_the_background_keeps_a_bank_busy() {
    let mut flash = nand(2);
    let mut byte = [0];
    flash.start_erase(256, 256).expect("nothing runs");
    assert_eq!(flash.clock().now(), Time::ZERO);
    flash.read(7 * 4, 0, &mut byte).expect("the other bank");
    let until = Time::from_ps(10_000);
    let busy = Err(NvmError::Misuse(Misuse::Busy { until }));
    assert_eq!(flash.read(0, 0, &mut byte), busy, "its own bank");
    assert_eq!(
        flash.program(7 * 4, 0, &[0; 8]).map(|()| true),
        busy.map(|_| true)
    );
    flash.suspend_erase().expect("it runs");
    assert_eq!(flash.erase_phase(), Some(ErasePhase::Suspended));
    flash.read(0, 0, &mut byte).expect("it stands still");
    assert!(flash.read(4, 0, &mut byte).is_err(), "the block in erase");
    flash.program(0, 0, &[0; 8]).expect("another block");
    assert!(flash.suspend_erase().is_err(), "suspended already");
    let before = flash.clock().now();
    flash.finish_erase().expect("it goes well");
    // It had run for the time of one read.
    let left = Time::from_ps(10_000 - 11);
    assert_eq!(flash.clock().now(), before.plus(left));
    assert_eq!(flash.erase_phase(), None);
    flash.finish_erase().expect("nothing is to be waited for");
    assert!(flash.resume_erase().is_err());
}

#[test]
fn bytes_are_overwritten_and_counted() {
    let mut memory = IdealBytes::new(IdealBytesSpec {
        bytes: 10_000,
        atom_bytes: 4,
        wear_unit_bytes: 16,
        endurance: 1000,
        times: TIMES,
    });
    memory.write(4090, &[9; 20]).expect("inside");
    let mut back = [0; 30];
    memory.read(4085, &mut back).expect("inside");
    assert_eq!(back[..5], [0; 5]);
    assert_eq!(back[5..25], [9; 20]);
    assert_eq!(memory.clock().now(), Time::from_ps(100 + 40 + 10 + 30));
    assert_eq!(memory.cycles_at(4095), Some(1));
    assert_eq!(memory.cycles_at(4112), Some(0));
    assert!(memory.write(9_999, &[0; 2]).is_err());
    assert!(memory.write(u64::MAX, &[0; 2]).is_err());
}
