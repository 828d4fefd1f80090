use proptest::prelude::*;
use wordline_memory::Clock as _;

use super::*;
use crate::Conditions;
use crate::cost::Cause;
use crate::device::Accounts;
use crate::fixture::{TYPICAL, board, board_with, connect, sheet, sheet_with, wired};
use crate::power::PowerState;
use wordline_core::Timing;
use wordline_core::quantity::Time;

#[test]
fn an_access_is_driver_then_command_then_data() {
    let mut device = wired(TYPICAL);
    let before = device.clock().now();
    device.write(0, &[1; 100]).expect("inside");
    let cost = device.last_cost();
    assert_eq!(cost.of(Cause::Driver), Time::from_ps(10_000_000));
    assert_eq!(cost.of(Cause::BusCommand), Time::from_ps(14 * 10_000));
    assert_eq!(cost.of(Cause::BusData), Time::from_ps(200 * 10_000));
    assert_eq!(cost.of(Cause::ArrayRead), Time::ZERO);
    assert_eq!(device.clock().now().since(before), cost.total());
}

/// A driver that is faster than the chip's recovery waits for it, and the wait counts as recovery.
#[test]
fn a_fast_driver_waits_for_chip_select() {
    let board = board_with(
        "dma_setup = { typ = \"1000 cycles\"",
        "dma_setup = { typ = \"1 cycles\"",
    );
    let mut device = connect(&sheet(), &board, TYPICAL).expect("fits");
    device.write(0, &[1]).expect("inside");
    device.write(0, &[1]).expect("inside");
    // Recovery takes 60 ns, of which the driver's one cycle covers 10 ns.
    assert_eq!(
        device.last_cost().of(Cause::Recovery),
        Time::from_ps(50_000)
    );
}

#[test]
fn bring_up_waits_for_power_and_permits_writes() {
    let device = wired(TYPICAL);
    // 350 us of power-up outlast 2 us of driver; write-enable is 8 clocks.
    assert_eq!(device.clock().now_ps(), 350_000_000 + 80_000);
    assert!(device.chip().write_enabled());
}

#[test]
fn refused_and_empty_accesses_take_no_time() {
    let mut device = wired(TYPICAL);
    let before = device.clock().now();
    assert!(device.write(1 << 16, &[1]).is_err());
    assert!(device.read(u64::MAX, &mut [0; 2]).is_err());
    device.write(1 << 16, &[]).expect("nothing, at the end");
    assert_eq!(device.clock().now(), before);
}

#[test]
fn a_fork_goes_its_own_way() {
    let mut device = wired(TYPICAL);
    device.write(0, &[1]).expect("inside");
    let mut fork = device.fork();
    fork.write(0, &[2]).expect("inside");
    let mut out = [0];
    device.read(0, &mut out).expect("inside");
    assert_eq!(out, [1]);
    assert_eq!(device.wear().most, 1);
    assert_eq!(fork.wear().most, 2);
}

/// 2 KiB at 20 ns a byte and 60 mA, the driver's 10 us at 0.3 mA, all at 1.8 V.
#[test]
fn energy_follows_the_states() {
    let mut device = wired(TYPICAL);
    let before = device.residence();
    device.write(0, &[1; 2048]).expect("inside");
    let spent = device.residence().since(&before);
    assert_eq!(
        spent.of(PowerState::Write),
        Time::from_ps((14 + 4096) * 10_000)
    );
    let energy = spent.energy_j(device.power_draw());
    let by_hand = 1.8 * (41.10e-6 * 0.060 + 10e-6 * 0.0003);
    assert!(energy.is_some_and(|energy| (energy - by_hand).abs() < 1e-15));
}

#[test]
fn what_was_read_and_what_was_missing_is_noted() {
    let notes = |timing| wired(Conditions { timing, ..TYPICAL }).notes().clone();
    let typical = notes(Timing::Typ);
    assert_eq!(typical.board.fallbacks, []);
    let read = |figures: &[String], name: &str| figures.iter().any(|figure| figure == name);
    assert!(read(&typical.part.figures, "opcode[0x38 1S-4S-4S].clock"));
    assert!(read(
        &typical.part.figures,
        "active[write str 133 MHz].current"
    ));
    assert!(!read(
        &typical.part.figures,
        "active[write str 200 MHz].current"
    ));
    assert!(!read(&typical.part.figures, "deselect_octal"));
    assert!(read(&typical.board.figures, "rail[VDD_MEM].voltage"));
    assert!(!read(&typical.board.figures, "rail[VDD].voltage"));
    let missing: Vec<_> = notes(Timing::Max).board.fallbacks;
    let missing: Vec<_> = missing.iter().map(|one| one.figure.as_str()).collect();
    assert_eq!(missing, ["driver.dma_setup", "driver.command"]);
}

/// The invented part with opcodes that move pairs of bytes, as octal double rate does.
fn pairs() -> Wired<Nvram> {
    let sheet = sheet_with("dummy_cycles = 0\n", "dummy_cycles = 0\ngranule = 2\n");
    let mut sheet = sheet;
    for opcode in &mut sheet.opcode {
        opcode.granule = if opcode.action.moves_data() { 2 } else { 1 };
    }
    connect(&sheet, &board(), TYPICAL).expect("fits")
}

/// An odd write reads the pair at each odd end and writes whole pairs back.
#[test]
fn odd_accesses_on_pairs_cost_their_reads_and_keep_the_neighbours() {
    let mut device = pairs();
    device.write(0, &[1, 2, 3, 4, 5, 6]).expect("even");
    let plain = device.last_cost().of(Cause::Driver);
    device.write(1, &[9, 9]).expect("odd ends");
    assert_eq!(device.last_cost().of(Cause::Driver).ps(), 3 * plain.ps());
    device.write(4, &[8]).expect("odd end");
    assert_eq!(device.last_cost().of(Cause::Driver).ps(), 2 * plain.ps());
    let mut out = [0; 5];
    device.read(1, &mut out).expect("odd");
    assert_eq!(out, [9, 9, 4, 8, 6]);
    assert_eq!(
        device.last_cost().of(Cause::BusData),
        device.bus(Action::Read, 0, 6).expect("fits").data
    );
}

proptest! {
    #[test]
    fn odd_accesses_agree_with_a_plain_array(steps in prop::collection::vec((0u64..60, 0usize..9, any::<u8>()), 1..30)) {
        let mut device = pairs();
        let mut plain = [0u8; 80];
        for (at, length, value) in steps {
            device.write(at, &vec![value; length]).expect("inside");
            plain[at as usize..at as usize + length].fill(value);
            let mut out = vec![0; length + 3];
            device.read(at, &mut out).expect("inside");
            prop_assert_eq!(&out[..], &plain[at as usize..at as usize + length + 3]);
        }
    }
}
