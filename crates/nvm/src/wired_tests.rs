use wordline_memory::Clock as _;

use super::*;
use crate::fixture::{TYPICAL, board_with, sheet, wired};
use crate::power::PowerState;

#[test]
fn an_access_is_driver_then_command_then_data() {
    let mut device = wired(TYPICAL);
    let before = device.clock().now();
    device.write(0, &[1; 100]).expect("inside");
    let cost = device.last_cost();
    assert_eq!(cost.of(Cause::Driver), Time::from_ps(10_000_000));
    assert_eq!(cost.of(Cause::BusCommand), Time::from_ps(14 * 10_000));
    assert_eq!(cost.of(Cause::BusData), Time::from_ps(200 * 10_000));
    assert_eq!(cost.of(Cause::Array), Time::ZERO);
    assert_eq!(device.clock().now().since(before), cost.total());
}

/// A driver that is faster than the chip's recovery waits for it, and the wait counts as array.
#[test]
fn a_fast_driver_waits_for_chip_select() {
    let board = board_with(
        "dma_setup = { typ = \"1000 cycles\"",
        "dma_setup = { typ = \"1 cycles\"",
    );
    let mut device = Wired::connect(&sheet(), &board, TYPICAL).expect("fits");
    device.write(0, &[1]).expect("inside");
    device.write(0, &[1]).expect("inside");
    // Recovery takes 60 ns, of which the driver's one cycle covers 10 ns.
    assert_eq!(device.last_cost().of(Cause::Array), Time::from_ps(50_000));
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
    assert_eq!(device.chip().wear().most, 1);
    assert_eq!(fork.chip().wear().most, 2);
}

/// 2 KiB at 20 ns a byte and 60 mA, the driver's 10 us at 0.3 mA, all at 1.8 V.
#[test]
fn energy_follows_the_states() {
    let mut device = wired(TYPICAL);
    let before = device.chip().residence(device.clock().now());
    device.write(0, &[1; 2048]).expect("inside");
    let spent = device.chip().residence(device.clock().now()).since(&before);
    assert_eq!(
        spent.of(PowerState::Write),
        Time::from_ps((14 + 4096) * 10_000)
    );
    let draw = device.chip().power_draw().expect("all currents are stated");
    let by_hand = 1.8 * (41.10e-6 * 0.060 + 10e-6 * 0.0003);
    assert!((spent.energy_j(draw) - by_hand).abs() < 1e-15);
}

#[test]
fn columns_that_a_sheet_lacks_are_remembered() {
    let named = |timing| -> Vec<String> {
        let device = wired(Conditions { timing, ..TYPICAL });
        let fallbacks = device.fallbacks().iter();
        fallbacks.map(|one| one.figure.clone()).collect()
    };
    assert_eq!(named(Timing::Typ), Vec::<String>::new());
    assert_eq!(named(Timing::Max), ["driver.dma_setup", "driver.command"]);
}
