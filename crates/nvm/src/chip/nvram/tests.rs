use proptest::prelude::*;
use wordline_core::Timing;
use wordline_core::quantity::Frequency;
use wordline_memory::ByteMemory;

use super::*;
use crate::bus::{Action, BusCommand};
use crate::device::Accounts;
use crate::fixture::{TYPICAL, board, board_with, connect, sheet, sheet_with, wired};
use crate::link::Link;
use crate::model::ChipModel as _;
use crate::wired::Chip;

/// A chip that is awake, write-enabled and ready, with the link that it was made for.
fn chip() -> (Nvram, Link) {
    let device = wired(TYPICAL);
    (device.chip().clone(), device.link().clone())
}

/// A chip that was just supplied with power.
fn fresh(link: &Link) -> Nvram {
    let mut resolver = Resolver::new(Timing::Typ, 0, "part");
    Nvram::new(&sheet(), link, &mut resolver, 0.0).0
}

fn command(link: &Link, action: Action) -> &BusCommand {
    link.command(action).expect("the invented part has it")
}

#[test]
fn a_write_before_write_enable_is_refused_and_changes_nothing() {
    let (_, link) = chip();
    let mut fresh = fresh(&link);
    let bus = command(&link, Action::Write).transaction(0, 1);
    let refused = fresh.write(fresh.ready(), &bus, 0, &[1]);
    assert_eq!(refused, Err(Misuse::WriteNotEnabled.into()));
    let mut out = [9];
    fresh
        .read(fresh.ready(), &bus, 0, &mut out)
        .expect("reads are free");
    assert_eq!(out, [0]);
}

#[test]
fn a_command_before_the_chip_is_ready_is_refused() {
    let (_, link) = chip();
    let mut fresh = fresh(&link);
    assert_eq!(fresh.ready(), "350 us".parse().expect("a time"));
    let bus = command(&link, Action::Read).transaction(0, 1);
    let early = Time::from_ps(349_999_999);
    let refused = fresh.read(early, &bus, 0, &mut [0]);
    let misuse = Misuse::NotReady {
        start: early,
        ready: fresh.ready(),
    };
    assert_eq!(refused, Err(misuse.into()));
    assert!(fresh.read(fresh.ready(), &bus, 0, &mut [0]).is_ok());
}

/// The next transaction must leave chip select high for 50 ns after a read, 60 ns after a write.
#[test]
fn chip_select_stays_high_between_transactions() {
    let (mut chip, link) = chip();
    let bus = command(&link, Action::Read).transaction(0, 4);
    let start = chip.ready();
    let end = chip.read(start, &bus, 0, &mut [0; 4]).expect("ready");
    assert_eq!(end, start.plus(bus.total()));
    assert_eq!(chip.ready(), end.plus(Time::from_ps(50_000)));
    let end = chip.write(chip.ready(), &bus, 0, &[1; 4]).expect("ready");
    assert_eq!(chip.ready(), end.plus(Time::from_ps(60_000)));
}

#[test]
fn deep_power_down_takes_time_and_keeps_content() {
    let mut device = wired(TYPICAL);
    device.write(10, &[5, 6]).expect("ready");
    device.sleep().expect("the part has an opcode for it");
    let refused = device.read(10, &mut [0; 2]);
    assert_eq!(refused, Err(Misuse::Asleep.into()));
    let second = Time::from_ps(1_000_000_000_000);
    device.clock().advance(second);
    let before = device.residence();
    device.wake().expect("the part has an opcode for it");
    let mut out = [0; 2];
    device.read(10, &mut out).expect("awake");
    assert_eq!(out, [5, 6]);
    // The driver's 10 us run while the chip wakes up for 350 us.
    let recovery = device.last_cost().of(crate::Cause::Recovery);
    assert_eq!(recovery, Time::from_ps(340_000_000));
    // The chip sleeps from 3 us after its command to the end of the wake-up command, 2 us later.
    let asleep = before.of(PowerState::DeepPowerDown);
    assert_eq!(asleep, second.since(Time::from_ps(3_000_000)));
    assert_eq!(device.sleep(), Ok(()));
    assert_eq!(device.sleep(), Err(Misuse::Asleep.into()));
}

#[test]
fn one_access_wears_each_unit_that_it_touches_once() {
    let (mut chip, link) = chip();
    let bus = command(&link, Action::Write).transaction(0, 34);
    // Bytes 31 to 64 touch the units at 0, 32 and 64.
    chip.write(chip.ready(), &bus, 31, &[1; 34]).expect("ready");
    chip.write(chip.ready(), &bus, 40, &[1]).expect("ready");
    let cycles: Vec<_> = [0, 31, 32, 64, 96].map(|at| chip.cycles_at(at)).into();
    assert_eq!(cycles, [Some(1), Some(1), Some(2), Some(1), Some(0)]);
    assert_eq!(chip.cycles_at(1 << 16), None);
    let wear = chip.wear();
    assert_eq!((wear.most, wear.endurance, wear.before), (2, 1000, 0));
    assert!((wear.mean - 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn age_is_wear_that_every_unit_brings() {
    let aged = wired(crate::Conditions {
        age: 0.25,
        ..TYPICAL
    });
    assert_eq!(aged.chip().cycles_at(0), Some(250));
    assert_eq!(aged.chip().wear().before, 250);
}

#[test]
fn the_current_is_the_one_stated_for_the_clock_at_or_above() {
    let sheet = sheet();
    let (_, link) = chip();
    let mut write = command(&link, Action::Write).clone();
    let mut at = |mhz: u64| {
        let BusCommand::Serial(serial) = &mut write else {
            panic!("a serial part");
        };
        serial.clock = Frequency::from_hz(mhz * 1_000_000);
        ActiveCurrent::for_command(&sheet.active, &write).map(ActiveCurrent::label)
    };
    assert_eq!(
        at(100).as_deref(),
        Some("active[write str 133 MHz].current")
    );
    assert_eq!(
        at(150).as_deref(),
        Some("active[write str 200 MHz].current")
    );
    assert_eq!(
        at(300).as_deref(),
        Some("active[write str 200 MHz].current")
    );
}

#[test]
fn gaps_in_the_currents_are_noted() {
    let board = board();
    let gaps = |from: &str, to: &str| {
        let device = connect(&sheet_with(from, to), &board, TYPICAL).expect("fits");
        device.notes().currents.clone()
    };
    assert_eq!(gaps("", ""), []);
    let unknown = CurrentGap::Unknown { action: "read" };
    let read = "action = \"read\"\nrate = \"str\"";
    assert_eq!(gaps(read, &read.replace("str", "dtr")), [unknown]);
    let faster = CurrentGap::Faster {
        figure: "active[read str 50 MHz].current".into(),
        clock: "100 MHz".into(),
    };
    let stated = "rate = \"str\"\nclock = \"133 MHz\"\ncurrent = { typ = \"50 mA\"";
    assert_eq!(gaps(stated, &stated.replace("133", "50")), [faster]);
}

#[test]
fn the_fastest_opcode_with_the_shortest_command_is_used() {
    let (_, link) = chip();
    assert_eq!(command(&link, Action::Read).code(), Some(0xeb));
    let write = command(&link, Action::Write);
    assert_eq!(write.code(), Some(0x38), "a shorter address beats 3Eh");
    assert_eq!(link.voltage.to_string(), "1.8 V");
    let slow = board_with("\"1S-1S-1S\", \"1S-4S-4S\"", "\"1S-1S-1S\"");
    let refused = connect(&sheet(), &slow, TYPICAL).expect_err("no single-line write");
    let message = refused.to_string();
    assert_eq!(
        message,
        "no bus mode fits: for write the chip knows 1S-4S-4S, the board drives 1S-1S-1S"
    );
}

#[test]
fn a_rail_outside_the_supply_range_is_refused() {
    let board = board_with("1.8 V", "1.2 V");
    let refused = connect(&sheet(), &board, TYPICAL).expect_err("no rail");
    assert_eq!(
        refused.to_string(),
        "no rail fits: the chip needs 1.65 V to 2 V, the board has 3.3 V (VDD), 1.2 V (VDD_MEM)"
    );
}

/// Each fault in a sheet, and the path and words that name it.
#[test]
fn contradictions_in_a_sheet_are_named() {
    let cases = [
        (
            r#"{ typ = "64 KiB""#,
            r#"{ typ = "0 B""#,
            "capacity",
            "above zero",
        ),
        (
            r#"{ typ = "64 KiB""#,
            r#"{ typ = "2 TiB""#,
            "capacity",
            "exceeds",
        ),
        (
            r#"{ typ = "64 KiB""#,
            r#"{ typ = "100 B""#,
            "wear_unit",
            "no multiple",
        ),
        (
            r#"wear_unit = { typ = "32 B""#,
            r#"wear_unit = { typ = "33 B""#,
            "wear_unit",
            "power of two",
        ),
        (
            r#"typ = "50 mA", max = "64 mA""#,
            r#"typ = "70 mA", max = "64 mA""#,
            "active.0.current",
            "typ 70 mA is above max 64 mA",
        ),
        (
            r#"{ max = "66 MHz""#,
            r#"{ max = "0 Hz""#,
            "opcode.0.clock",
            "above zero",
        ),
        (
            "address_bytes = 4",
            "address_bytes = 9",
            "opcode.2.address_bytes",
            "1 to 8",
        ),
        (
            "address_bytes = 4",
            "address_bytes = 1",
            "opcode.2.address_bytes",
            "do not reach",
        ),
        (
            "action = \"write-enable\"",
            "action = \"read\"",
            "opcode.4.address_bytes",
            "allowed",
        ),
        (
            "action = \"write-enable\"",
            "action = \"read\"",
            "opcode",
            "no opcode with action write-enable",
        ),
    ];
    for (from, to, path, words) in cases {
        let problems = sheet_with(from, to).problems();
        let found = problems
            .iter()
            .any(|p| p.path == path && p.message.contains(words));
        assert!(found, "{to}: {problems:?}");
    }
    assert_eq!(sheet().problems(), []);
    assert_eq!(board().problems(), []);
}

#[test]
fn time_that_runs_out_is_an_error() {
    let mut device = connect(
        &sheet(),
        &board_with(
            "kernel_clock = { typ = \"100 MHz\"",
            "kernel_clock = { typ = \"1 Hz\"",
        ),
        TYPICAL,
    )
    .expect("a slow bus is a bus");
    let mut outcome = Ok(());
    for _ in 0..1000 {
        outcome = device.write(0, &[0; 1 << 16]);
        if outcome.is_err() {
            break;
        }
    }
    assert_eq!(outcome, Err(NvmError::TimeExhausted));
}

#[derive(Clone, Debug)]
enum Step {
    Write { at: u64, data: Vec<u8> },
    Read { at: u64, bytes: usize },
    Fork,
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0u64..(1 << 16) + 10;
    prop_oneof![
        4 => (at.clone(), prop::collection::vec(any::<u8>(), 0..9000))
            .prop_map(|(at, data)| Step::Write { at, data }),
        4 => (at, 0usize..9000).prop_map(|(at, bytes)| Step::Read { at, bytes }),
        1 => Just(Step::Fork),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The plain reference: one array of bytes, one array of counters, and durations by hand.
    #[test]
    fn it_agrees_with_a_plain_array(steps in prop::collection::vec(step(), 1..40)) {
        const SIZE: usize = 1 << 16;
        let mut device = wired(TYPICAL);
        let mut bytes = vec![0u8; SIZE];
        let mut writes = vec![0u64; SIZE / 32];
        let mut now = device.clock().now().ps();
        for step in steps {
            match step {
                Step::Write { at, data } => {
                    let end = at as usize + data.len();
                    prop_assert_eq!(device.write(at, &data).is_ok(), end <= SIZE);
                    if end <= SIZE && !data.is_empty() {
                        bytes[at as usize..end].copy_from_slice(&data);
                        (at as usize / 32..=(end - 1) / 32).for_each(|unit| writes[unit] += 1);
                        // 10 us of driver, 8 + 6 clocks of command, 2 clocks a byte, 10 ns each.
                        now += 10_000_000 + (14 + 2 * data.len() as u64) * 10_000;
                    }
                }
                Step::Read { at, bytes: length } => {
                    let mut out = vec![0xa5; length];
                    let inside = at as usize + length <= SIZE;
                    prop_assert_eq!(device.read(at, &mut out).is_ok(), inside);
                    if inside && length > 0 {
                        prop_assert_eq!(&out[..], &bytes[at as usize..at as usize + length]);
                        now += 10_000_000 + (30 + 2 * length as u64) * 10_000;
                    }
                }
                Step::Fork => {
                    let fork = device.fork();
                    device.write(0, &[0xff; 64]).expect("inside");
                    device = fork;
                }
            }
            prop_assert_eq!(device.clock().now().ps(), now);
        }
        for (unit, count) in writes.iter().enumerate() {
            prop_assert_eq!(device.chip().cycles_at(unit as u64 * 32), Some(*count));
        }
        prop_assert_eq!(device.chip().wear().most, writes.iter().copied().max().unwrap_or(0));
    }
}
