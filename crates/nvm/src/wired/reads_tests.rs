use proptest::prelude::*;
use wordline_core::quantity::{Quantity, Time};
use wordline_memory::{ByteMemory as _, Clock as _, Flash as _};

use crate::board::HostPower;
use crate::cost::Cause;
use crate::device::{Accounts, Device as _, FlashDevice as _};
use crate::fixture::{TYPICAL, board, board_with, connect, nor, sheet, wired};
use crate::power::PowerState;
use crate::{Board, Nor, Nvram, RawFlash, Wired};

/// Clocks of the invented board and NOR flash in picoseconds: 8 of opcode, 6 of address on four lines and
/// 10 dummies; two a byte.
const CLOCK: u64 = 10_000;
const COMMAND: u64 = (8 + 6 + 10) * CLOCK;
const LINE: u64 = 64 * CLOCK;

fn mapped_nor() -> Wired<Nor> {
    let mut device = nor(TYPICAL);
    assert!(device.map_reads());
    device
}

fn mapped_mram() -> Wired<Nvram> {
    let mut device = wired(TYPICAL);
    assert!(device.map_reads());
    device
}

/// Reads and returns what that took.
fn fetch(device: &mut Wired<Nor>, at: u64, bytes: usize) -> u64 {
    let before = device.clock().now_ps();
    let mut out = vec![0; bytes];
    device.read_through(at, &mut out).expect("inside");
    let taken = device.clock().now_ps() - before;
    assert_eq!(device.last_cost().total().ps(), taken);
    assert_eq!(device.last_cost().of(Cause::Driver), Time::ZERO);
    taken
}

/// A line costs command, address, dummies and data, and no driver.
#[test]
fn a_line_costs_its_bus_clocks_alone() {
    let mut device = mapped_nor();
    device.clock().advance(Time::from_ps(1_000_000));
    assert_eq!(fetch(&mut device, 64, 32), COMMAND + LINE);
    let cost = *device.last_cost();
    assert_eq!(cost.of(Cause::BusCommand).ps(), COMMAND);
    assert_eq!(cost.of(Cause::BusData).ps(), LINE);
    assert_eq!(cost.of(Cause::Recovery), Time::ZERO);
}

/// A part of a line costs the line, and one that straddles two costs both.
#[test]
fn lines_are_fetched_whole() {
    let mut device = mapped_nor();
    device
        .chip_mut()
        .preload(62, &[1, 2, 3, 4])
        .expect("inside");
    let away = |device: &mut Wired<Nor>| {
        fetch(device, 4096, 32);
        device.clock().advance(Time::from_ps(1_000_000));
    };
    away(&mut device);
    assert_eq!(fetch(&mut device, 70, 4), COMMAND + LINE);
    away(&mut device);
    assert_eq!(fetch(&mut device, 62, 4), COMMAND + 2 * LINE);
    let mut out = [0; 4];
    device.read_through(62, &mut out).expect("inside");
    assert_eq!(out, [1, 2, 3, 4]);
}

/// An image that is fetched in order takes one command, and its data: `(24 + 2 n) / clock`, however long its pieces are.
#[test]
fn a_boot_takes_one_command_and_the_data_of_the_image() {
    const IMAGE: u64 = 16 << 10;
    for piece in [32, 512, 4096] {
        let mut device = mapped_nor();
        device.clock().advance(Time::from_ps(1_000_000));
        let pieces = (0..IMAGE).step_by(piece);
        let taken: u64 = pieces.map(|at| fetch(&mut device, at, piece)).sum();
        assert_eq!(taken, COMMAND + 2 * IMAGE * CLOCK, "{piece} B");
    }
}

/// A fetch from elsewhere raises chip select, for as long as the chip asks, and sends its command anew.
#[test]
fn a_fetch_from_elsewhere_begins_anew() {
    let mut device = mapped_mram();
    let mut out = [0; 32];
    let mut fetch = |at| {
        device.read(at, &mut out).expect("inside");
        let cost = *device.last_cost();
        [
            Cause::Driver,
            Cause::Recovery,
            Cause::BusCommand,
            Cause::BusData,
        ]
        .map(|cause| cost.of(cause).ps())
    };
    let [_, _, command, data] = fetch(0);
    assert!(command > 0);
    assert_eq!(fetch(32), [0, 0, 0, data]);
    // The same line again, as of a cache that has given it up. The part asks for 50 ns of chip select high.
    assert_eq!(fetch(32), [0, 50_000, command, data]);
    assert_eq!(fetch(1024), [0, 50_000, command, data]);
    assert_eq!(fetch(1056), [0, 0, 0, data]);
}

/// What the controller fetches in a pause is there at once: as much as its buffer holds.
#[test]
fn a_pause_is_used_to_fetch_ahead() {
    for (pause, line, three) in [
        (0, LINE, 3 * LINE),
        (LINE / 4, LINE - LINE / 4, 3 * LINE - LINE / 4),
        (LINE, 0, 2 * LINE),
        (100 * LINE, 0, 2 * LINE),
    ] {
        for (bytes, expected) in [(32, line), (96, three)] {
            let mut device = mapped_nor();
            fetch(&mut device, 0, 32);
            let read = |device: &Wired<Nor>| device.residence().of(PowerState::Read).ps();
            let before = read(&device);
            device.clock().advance(Time::from_ps(pause));
            assert_eq!(
                fetch(&mut device, 32, bytes),
                expected,
                "{pause} ps, {bytes} B"
            );
            // The chip moved the same bytes all the same.
            assert_eq!(read(&device) - before, bytes as u64 / 32 * LINE);
        }
    }
}

/// Between a command of the driver and the next fetch chip select is high.
#[test]
fn a_command_of_the_driver_ends_the_read() {
    let mut device = mapped_nor();
    fetch(&mut device, 0, 32);
    assert_eq!(fetch(&mut device, 32, 32), LINE);
    device.erase(3).expect("inside");
    device.clock().advance(Time::from_ps(1_000_000));
    assert_eq!(fetch(&mut device, 64, 32), COMMAND + LINE);
}

/// While the chip erases it does not answer: the driver suspends it, and the fetch pays its commands.
#[test]
fn a_fetch_during_an_erase_is_the_drivers_to_make_possible() {
    let mut mapped = RawFlash::new(mapped_nor()).expect("it answers");
    let mut plain = RawFlash::new(nor(TYPICAL)).expect("it answers");
    let [by_line, by_driver] = [&mut mapped, &mut plain].map(|flash| {
        let memory = flash.background().expect("a flash");
        memory.start_erase(1 << 17).expect("idle");
        memory.clock().advance(Time::from_ps(1_000_000));
        let read = memory
            .read_suspending(0, &mut [0; 512])
            .expect("it has suspend");
        assert!(read.suspended);
        read.latency
    });
    let [driver, recovery] = [Cause::Driver, Cause::Recovery].map(|cause| {
        let (by_driver, by_line) = (by_driver.of(cause).ps(), by_line.of(cause).ps());
        i128::from(by_driver) - i128::from(by_line)
    });
    // The set-up of the DMA, behind which the 20 ns of chip select high between status and read are hidden.
    assert_eq!((driver, recovery), (10_000_000, -20_000));
    for cause in [Cause::BusCommand, Cause::BusData, Cause::Poll, Cause::Erase] {
        assert_eq!(by_line.of(cause), by_driver.of(cause), "{cause:?}");
    }
}

/// Writes stay with the driver, and a board that maps nothing stays as it is.
#[test]
fn what_is_not_mapped_stays_with_the_driver() {
    let mut device = mapped_mram();
    device.write(0, &[1; 32]).expect("inside");
    assert_eq!(device.last_cost().of(Cause::Driver).ps(), 10_000_000);
    let mut unmapped: Board = board();
    unmapped.serial.as_mut().expect("it has one").memory_mapped = None;
    let mut device = connect(&sheet(), &unmapped, TYPICAL).expect("fits");
    assert!(!device.map_reads());
    device.read(0, &mut [0; 32]).expect("inside");
    assert_eq!(device.last_cost().of(Cause::Driver).ps(), 10_000_000);
}

/// A processor that waits for its code does not sleep.
#[test]
fn a_processor_that_fetches_is_awake() {
    let host = "[host]\nsupply = { typ = '3 V', source = 's' }\nrun_current = { typ = '50 mA', source = 's' }\n\
                sleep_current = { typ = '5 mA', source = 's' }\nsleeps_in_transfers = { value = true, source = 's' }\n\
                [driver]";
    let board = board_with("[driver]", host);
    let energy = |mapped: bool| {
        let mut device = connect(&sheet(), &board, TYPICAL).expect("fits");
        assert!(!mapped || device.map_reads());
        device.read(0, &mut [0; 3200]).expect("inside");
        let host: HostPower = device.notes().host.expect("stated");
        let data = device.last_cost().of(Cause::BusData).si();
        let rest = device.last_cost().total().si() - data;
        (host.energy_j(device.last_cost()), rest, data)
    };
    for (mapped, current) in [(false, 0.005), (true, 0.05)] {
        let (energy, rest, data) = energy(mapped);
        let by_hand = 3.0 * (0.05 * rest + current * data);
        assert!((energy - by_hand).abs() < 1e-12, "{energy} {by_hand}");
    }
    let mut device = connect(&sheet(), &board, TYPICAL).expect("fits");
    device.map_reads();
    let figures = &device.notes().board.figures;
    for name in ["fetch", "prefetch"] {
        let path = format!("serial.memory_mapped.{name}");
        assert!(figures.contains(&path), "{figures:?}");
    }
}

#[test]
fn a_line_that_is_no_power_of_two_is_a_fault_of_the_sheet() {
    let faults = |size: &str| {
        let sheet = board_with(
            "fetch = { typ = \"32 B\"",
            &format!("fetch = {{ typ = \"{size}\""),
        );
        sheet
            .problems()
            .into_iter()
            .map(|one| one.path)
            .collect::<Vec<_>>()
    };
    assert!(faults("32 B").is_empty());
    for size in ["0 B", "2 B", "48 B", "8 KiB"] {
        assert_eq!(faults(size), ["serial.memory_mapped.fetch"], "{size}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the order and the pauses: the bytes are those that are stored, each fetch keeps its bound, time is what it
    /// costs, and energy's account never runs ahead of the clock.
    #[test]
    fn mapped_reads_agree_with_a_plain_array(
        steps in prop::collection::vec((0u64..2000, 1usize..200, 0u64..3_000_000, any::<bool>()), 1..40),
    ) {
        let mut device = mapped_mram();
        let plain: Vec<u8> = (0..4096u32).map(|at| (at * 7 % 251) as u8).collect();
        device.preload(0, &plain).expect("inside");
        let mut next = 0;
        for (at, length, pause, follows) in steps {
            let at = if follows { next } else { at }.min(4000 - length as u64);
            device.clock().advance(Time::from_ps(pause));
            let before = device.clock().now();
            let bound = device.read_bound(at, length as u64).expect("inside");
            let mut out = vec![0; length];
            device.read(at, &mut out).expect("inside");
            prop_assert_eq!(&out[..], &plain[at as usize..at as usize + length]);
            let taken = device.clock().now().since(before);
            prop_assert_eq!(device.last_cost().total(), taken);
            prop_assert!(taken <= bound, "{} of {}", taken, bound);
            let spent = device.residence();
            let all = PowerState::ALL.iter().map(|state| spent.of(*state).ps()).sum::<u64>();
            prop_assert_eq!(all, device.clock().now_ps());
            next = (at + length as u64).next_multiple_of(32);
        }
    }
}
