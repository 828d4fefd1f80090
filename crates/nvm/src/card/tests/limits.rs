//! A card answers at its limit at the latest, and owes the rest.

use wordline_memory::ByteMemory;

use super::*;
use crate::cost::Cause;
use crate::device::Device;

/// Eight blocks of 4 KiB with 250 ms each, and as much behind the command that stops them. One block is not stopped:
/// 2 KB/s need no buffer.
#[test]
fn four_kib_take_nine_times_the_limit_at_the_worst() {
    let card = card_with(&[]);
    let bound = card.write_bound(0, 4096).expect("inside").ps() as f64 / 1e12;
    assert!((2.25..2.251).contains(&bound), "{bound}");
    let one = card.write_bound(0, 512).expect("inside").ps() as f64 / 1e12;
    assert!((0.25..0.2501).contains(&one), "{one}");
}

/// With a limit that is far too short for whole blocks to be cleaned at once, accesses end at it, the next is held
/// up block by block for what is left, no longer in one piece than the limit, and the sum of all is what the same
/// card takes without it.
#[test]
fn work_beyond_the_limit_is_owed() {
    // All work is the host's own: journal and firmware apart, which the bus may hide in part.
    let changes = [
        ("steps_per_write", "value = 400"),
        ("journal_changes", "value = 100000"),
    ];
    let short = [&changes[..], &[("write_busy", "max = '3 ms'")]].concat();
    let run = |changes: &[(&str, &str)]| {
        let mut card = card_with(changes);
        card.preload(0, &vec![0; 16 << 20]).expect("inside");
        let bound = card.write_bound(0, 4096).expect("inside");
        let mut held_up = 0;
        for step in 0..4000u64 {
            let place = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
            card.write(place * 4096, &[1; 4096]).expect("inside");
            assert!(took(&card) <= bound);
            // More than one busy time of the short limit can be.
            held_up += u32::from(took(&card) > ms(5));
        }
        (card.clock().now(), held_up, card.longest_busy())
    };
    let ((free, _, in_one), (limited, some, longest)) = (run(&changes), run(&short));
    assert!(in_one > ms(20), "{in_one} in one piece without the limit");
    assert_eq!(longest, ms(3));
    assert!(
        some > 10,
        "{some} accesses were held up for more than one block"
    );
    let ratio = limited.ps() as f64 / free.ps() as f64;
    assert!((0.98..1.001).contains(&ratio), "{ratio}");
}

#[test]
fn a_read_behind_owed_work_waits_no_longer_than_its_limit() {
    let mut card = card_with(&[
        ("steps_per_write", "value = 1000"),
        ("clean_until", "value = 12"),
        ("write_busy", "max = '3 ms'"),
        ("read_wait", "max = '2 ms'"),
    ]);
    card.preload(0, &vec![0; 16 << 20]).expect("inside");
    let mut waited = 0;
    for step in 0..3000u64 {
        let place = (step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) * 4096;
        card.write(place, &[1; 512]).expect("inside");
        let bound = card.read_bound(place, 512).expect("inside");
        card.read(place, &mut [0; 512]).expect("inside");
        assert!(took(&card) <= bound);
        waited += u32::from(card.last_cost().of(Cause::Cleaning) > ms(1));
    }
    assert!(waited > 0, "no read met owed work");
}

/// The same in SPI mode, where the host finds out late.
#[test]
fn bounds_hold_in_every_timing() {
    for timing in Timing::ALL {
        for limit in ["max = '2 ms'", "max = '250 ms'"] {
            let sheet = sheet_with(&[
                ("write_busy", limit),
                ("clean_until", "value = 9"),
                ("write_time", "typ = '1 ms', max = '2 ms'"),
                ("housekeeping", "typ = '2 ms', max = '400 ms'"),
                ("housekeeping_every", "value = 50"),
            ]);
            let mut card = connect(&sheet, &board_with(&[]), timing, 5);
            for step in 0..6000u64 {
                let draw = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let bytes = [512, 4096, 300, 9000][(draw >> 8) as usize % 4];
                let place = (draw >> 20) % ((16 << 20) - bytes);
                let bound = card.write_bound(place, bytes).expect("inside");
                card.write(place, &vec![1; bytes as usize]).expect("inside");
                assert!(took(&card) <= bound, "{timing} {step}");
            }
        }
    }
}
