//! What the front end costs, by hand.

use wordline_memory::ByteMemory;

use super::*;
use crate::bus::Action;
use crate::cost::Cause;
use crate::device::Device;
use crate::link::LinkError;
use crate::model::ChipModel as _;

/// 10 us of driver and 1 us for the command that stops, then two commands and eight blocks at 20 ns a clock;
/// 100 us of firmware run beside the data. The page of 8 KiB is new: 102.4 us on the channel, 800 us.
#[test]
fn a_write_of_4_kib_adds_up() {
    let mut card = card_with(&[]);
    // The first write of all waits for the erase of the block that it opens.
    card.write(1 << 20, &[1; 8192]).expect("inside");
    assert_eq!(card.last_cost().of(Cause::Erase), ms(3));
    card.write(0, &[1; 4096]).expect("inside");
    let cost = *card.last_cost();
    let clocks = |clocks: u64| Time::from_ps(clocks * 20_000);
    assert_eq!(cost.of(Cause::Driver), us(11));
    assert_eq!(cost.of(Cause::BusCommand), clocks(114 + 112));
    assert_eq!(cost.of(Cause::BusData), clocks(8 * 1049));
    assert_eq!(cost.of(Cause::Program), Time::from_ps(902_400_000));
    assert_eq!(cost.of(Cause::Firmware), Time::ZERO);
    let sum = us(11)
        .plus(clocks(226 + 8 * 1049))
        .plus(Time::from_ps(902_400_000));
    assert_eq!(cost.total(), sum);
}

/// The other half of a page that exists is read first: 50 us and 51.2 us.
#[test]
fn part_of_a_page_is_read_modified_and_written() {
    let mut card = card_with(&[]);
    card.write(0, &[1; 8192]).expect("inside");
    card.write(4096, &[2; 4096]).expect("inside");
    let cost = *card.last_cost();
    assert_eq!(cost.of(Cause::ArrayRead), Time::from_ps(101_200_000));
    assert_eq!(cost.of(Cause::Program), Time::from_ps(902_400_000));
}

/// A read waits for the firmware and the array before its first block: 100 us, 50 us, 51.2 us.
#[test]
fn a_read_waits_for_firmware_and_array() {
    let mut card = card_with(&[]);
    card.write(0, &[1; 8192]).expect("inside");
    card.read(0, &mut [0; 4096]).expect("inside");
    let cost = *card.last_cost();
    let [firmware, read] = [Cause::Firmware, Cause::ArrayRead].map(|cause| cost.of(cause));
    assert_eq!((firmware, read), (us(100), Time::from_ps(101_200_000)));
    assert_eq!(cost.of(Cause::Mapping), Time::ZERO);
    // Nothing is fetched of what was never written.
    card.read(1 << 20, &mut [0; 4096]).expect("inside");
    assert_eq!(card.last_cost().of(Cause::ArrayRead), Time::ZERO);
}

/// Long accesses run at the rate of the slower side: of the bus, or of two dies that each take a page of
/// 8 KiB in 102.4 us and 800 us.
#[test]
fn long_accesses_stream() {
    let rate = |changes: &[(&str, &str)], write: bool| {
        let mut card = card_with(changes);
        let mut data = vec![3; 4 << 20];
        card.write(0, &data).expect("inside");
        if !write {
            card.read(0, &mut data).expect("inside");
        }
        data.len() as f64 / took(&card).ps() as f64 * 1e12
    };
    let bus = 512.0 / (1049.0 * 20e-9);
    let dies = 2.0 * 8192.0 / (902.4e-6);
    // Erases of 3 ms a block of 32 pages come on top.
    let erased = 32.0 * 8192.0 / (32.0 * 8192.0 / dies + 3e-3);
    let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.03;
    let slow = rate(&[], true);
    assert!(close(slow, erased), "{slow} {erased}");
    let fast = rate(
        &[
            ("page_program", "typ = '100 us'"),
            ("block_erase", "typ = '1 us'"),
        ],
        true,
    );
    assert!(close(fast, bus), "{fast} {bus}");
    let read = rate(&[], false);
    assert!(close(read, 512.0 / (1044.0 * 20e-9)), "{read}");
}

/// The sectors at odd ends are read first, each with a command of its own.
#[test]
fn odd_ends_cost_reads() {
    let mut card = card_with(&[]);
    card.write(0, &[1; 8192]).expect("inside");
    let mut whole = card.fork();
    whole.write(512, &[2; 1024]).expect("inside");
    card.write(513, &[2; 1022]).expect("inside");
    assert_eq!(whole.last_cost().of(Cause::Driver), us(11));
    assert_eq!(card.last_cost().of(Cause::Driver), us(11 + 10 + 10));
    assert!(took(&card) <= card.write_bound(513, 1022).expect("inside"));
    // One sector in the middle is read once.
    card.write(1000, &[2; 3]).expect("inside");
    assert_eq!(card.last_cost().of(Cause::Driver), us(10 + 10));
}

#[test]
fn wires_follow_from_both_sheets() {
    let mode = |sheet: &CardSheet, board: &Board| {
        let link = sheet.link(board)?;
        let command = link.command(Action::Write).expect("it writes");
        Ok::<_, LinkError>(format!("{} at {}", command.mode(), command.clock()))
    };
    let sd = sheet_with(&[]);
    let emmc = sheet_with(&[("interface", "value = 'emmc'"), ("spi", "value = false")]);
    let wide = board_with(&[("width_bits", "value = 8"), ("clock", "max = '52 MHz'")]);
    let narrow = board_with(&[("width_bits", "value = 1"), ("clock", "max = '25 MHz'")]);
    assert_eq!(mode(&sd, &board_with(&[])), Ok("x4 at 50 MHz".to_owned()));
    assert_eq!(mode(&sd, &wide), Ok("x4 at 50 MHz".to_owned()));
    assert_eq!(mode(&sd, &narrow), Ok("x1 at 25 MHz".to_owned()));
    assert_eq!(mode(&emmc, &wide), Ok("x8 at 50 MHz".to_owned()));
    let mut spi = board_with(&[]);
    spi.sd = None;
    assert!(matches!(
        mode(&sd, &spi),
        Err(LinkError::NoBus {
            needs: "SD or single-line serial",
            ..
        })
    ));
    spi.serial = Some(
        toml::from_str(
            "kernel_clock = { typ = '170 MHz', source = 't' }\nclock_str = { max = '25 MHz', source = 't' }\n\
             modes = { value = ['1S-4S-4S', '1S-1S-1S'], source = 't' }",
        )
        .expect("well-formed"),
    );
    assert_eq!(mode(&sd, &spi), Ok("SPI at 24.285714 MHz".to_owned()));
    assert!(matches!(
        mode(&emmc, &spi),
        Err(LinkError::NoBus {
            needs: "SD or MMC",
            ..
        })
    ));
    let low = board_with(&[("voltage", "typ = '1.8 V'")]);
    assert!(matches!(mode(&sd, &low), Err(LinkError::NoRail { .. })));

    let mut card = connect(&sd, &spi, Timing::Typ, 0);
    card.write(0, &[1; 4096]).expect("inside");
    assert!(took(&card) <= card.write_bound(0, 4096).expect("inside"));
    // Eight blocks of 516 bytes on one line.
    let data = Time::from_ps(8 * 169_976_473);
    assert_eq!(card.last_cost().of(Cause::BusData), data);
}

/// A driver without the commands for several blocks pays for each block what one of its own costs, and finds the same
/// bytes.
#[test]
fn a_driver_may_move_one_block_at_a_time() {
    let slow = [("write_time", "typ = '1 ms'"), ("open_pages", "value = 4")];
    let sheet = sheet_with(&slow);
    let limited = |most: u32| -> Board {
        let key = format!("[sd]\nblocks_per_command = {{ value = {most}, source = 'test' }}");
        toml::from_str(&BOARD.replace("[sd]", &key)).expect("well-formed")
    };
    let board = limited(1);
    let mut single = connect(&sheet, &board, Timing::Typ, 0);
    let mut several = connect(&sheet, &board_with(&[]), Timing::Typ, 0);
    let data: Vec<u8> = (0..4096u32).map(|byte| byte as u8).collect();
    single.write(512, &data).expect("inside");
    several.write(512, &data).expect("inside");
    let firmware = |card: &Card| card.last_cost().of(Cause::Firmware);
    assert!(firmware(&several) >= ms(1) && firmware(&several) < ms(2));
    assert!(firmware(&single) >= ms(8) && firmware(&single) < ms(9));
    for (at, bytes) in [(512, 4096), (700, 4000), (5, 3), (1000, 600)] {
        let bound = single.write_bound(at, bytes).expect("inside");
        single.write(at, &data[..bytes as usize]).expect("inside");
        several.write(at, &data[..bytes as usize]).expect("inside");
        assert!(took(&single) <= bound);
        let mut out = [vec![0; 6000], vec![0; 6000]];
        let bound = single.read_bound(1, 6000).expect("inside");
        single.read(1, &mut out[0]).expect("inside");
        assert!(took(&single) <= bound);
        several.read(1, &mut out[1]).expect("inside");
        assert_eq!(out[0], out[1]);
    }
    let bound = single.write_bound(0, 4096).expect("inside").ps() as f64 / 1e12;
    assert!(
        (2.0..2.002).contains(&bound),
        "{bound}: no command stops a block"
    );
    assert!(
        limited(0)
            .problems()
            .iter()
            .any(|one| one.path == "sd.blocks_per_command")
    );
}
