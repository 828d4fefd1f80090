//! What a sheet says, and what contradicts itself in one.

use super::*;
use crate::model::ChipModel as _;

/// 20 us for the first byte and 1 us for each further one, up to the 100 us of a page, and the same
/// shares of the 1 ms that a page takes at most.
#[test]
fn part_of_a_page_takes_its_share_of_the_time() {
    for (timing, page) in [(Timing::Typ, 100), (Timing::Max, 1000)] {
        for (bytes, share) in [(1, 20), (11, 30), (81, 100), (256, 100)] {
            let conditions = Conditions { timing, ..TYPICAL };
            let chip = nor(conditions).chip().clone();
            let time = chip.spec.program_time(0, bytes, || 0);
            assert_eq!(time, us(page * share / 100), "{bytes} bytes");
        }
    }
    let mut sheet = nor_sheet_with("", "");
    (sheet.byte_program_first, sheet.byte_program_next) = (None, None);
    assert_eq!(sheet.problems(), []);
    let chip = nor_of(&sheet, TYPICAL).chip().clone();
    assert_eq!(chip.spec.program_time(0, 1, || 0), us(100));
}

#[test]
fn sampled_times_differ_by_seed_place_and_cycle_within_their_bounds() {
    let chip = |seed| {
        let timing = Timing::Sampled;
        let conditions = Conditions {
            timing,
            seed,
            age: 0.0,
        };
        nor(conditions).chip().clone()
    };
    let one = chip(1);
    let erase = |chip: &Nor, at, cycle| {
        let size = chip.spec.erase_size(65536).expect("the part has it");
        size.time(at, cycle)
    };
    assert_ne!(erase(&one, 0, 0), erase(&chip(2), 0, 0));
    assert_ne!(erase(&one, 0, 0), erase(&one, 65536, 0));
    assert_ne!(erase(&one, 0, 0), erase(&one, 0, 1));
    assert_eq!(erase(&one, 0, 0), erase(&chip(1), 0, 0));
    for cycle in 0..500 {
        let time = erase(&one, 65536, cycle);
        assert!(time <= us(1_000_000) && time >= us(22_500), "{time}");
        let time = one.spec.program_time(256 * cycle, 256, || 3);
        assert!(time <= us(1000) && time >= us(10), "{time}");
    }
    let page = |chip: &Nor, at| chip.spec.program_time(at, 256, || 0);
    assert_ne!(page(&one, 0), page(&one, 256));
    assert_ne!(page(&one, 0), page(&chip(2), 0));
    let typ = nor(TYPICAL).chip().clone();
    assert_eq!(erase(&typ, 0, 0), us(150_000));
}

#[test]
fn gaps_in_the_currents_are_noted() {
    let gaps = |sheet: &NorSheet| nor_of(sheet, TYPICAL).notes_currents();
    let mut sheet = nor_sheet_with("", "");
    assert_eq!(gaps(&sheet), []);
    (sheet.program_current, sheet.erase_current) = (None, None);
    sheet.active.clear();
    assert_eq!(sheet.problems(), []);
    let unknown = |action| CurrentGap::Unknown { action };
    let expected = ["write", "erase", "read"].map(unknown);
    assert_eq!(gaps(&sheet), expected);
    let mut sheet = nor_sheet_with("", "");
    sheet.active[0].clock = Frequency::from_hz(50_000_000);
    let faster = CurrentGap::Faster {
        figure: "active[read str 50 MHz].current".into(),
        clock: "100 MHz".into(),
    };
    assert_eq!(gaps(&sheet), [faster]);
}

impl crate::Wired<Nor> {
    fn notes_currents(&self) -> Vec<CurrentGap> {
        use crate::device::Accounts;
        self.notes().currents.clone()
    }
}

#[test]
fn age_is_wear_that_every_sector_brings() {
    let aged = nor(Conditions {
        age: 0.25,
        ..TYPICAL
    });
    assert_eq!(aged.chip().cycles_at(0), Some(250));
    assert_eq!(aged.chip().wear().before, 250);
}

#[test]
fn the_block_is_the_largest_erase_that_is_not_the_chip() {
    let bench = Bench::new();
    let geometry = bench.chip.geometry();
    assert!(geometry.is_valid());
    assert_eq!((geometry.pages_per_block, geometry.blocks), (256, 4));
    let sizes: Vec<_> = bench.chip.erase_sizes().collect();
    assert_eq!(sizes, [(4096, 0x20), (65536, 0xd8), (1 << 18, 0xc7)]);
}

/// Each fault in a sheet, and the path and words that name it.
#[test]
fn contradictions_in_a_sheet_are_named() {
    let cases = [
        (
            "typ = \"256 KiB\"",
            "typ = \"0 B\"",
            "capacity",
            "above zero",
        ),
        (
            "typ = \"256 KiB\"",
            "typ = \"2 TiB\"",
            "capacity",
            "exceeds",
        ),
        (
            "typ = \"256 KiB\"",
            "typ = \"1000 B\"",
            "page_bytes",
            "no multiple",
        ),
        (
            "typ = \"256 B\"",
            "typ = \"200 B\"",
            "page_bytes",
            "power of two",
        ),
        ("typ = \"256 B\"", "typ = \"8 KiB\"", "page_bytes", "4 KiB"),
        (
            "typ = \"4 KiB\"",
            "typ = \"100 B\"",
            "erase.0.bytes",
            "multiple of the page",
        ),
        (
            "typ = \"4 KiB\"",
            "typ = \"64 KiB\"",
            "erase.1.bytes",
            "comes twice",
        ),
        ("\"64K\"", "\"4K\"", "erase.1.name", "comes twice"),
        (
            "typ = \"150 ms\"",
            "typ = \"0 ms\"",
            "erase.1.duration",
            "above zero",
        ),
        (
            "typ = \"150 ms\"",
            "typ = \"2 s\"",
            "erase.1.duration",
            "is above max",
        ),
        (
            "code = 0x20\nbytes",
            "code = 0x21\nbytes",
            "erase.0.code",
            "no opcode 0x21",
        ),
        (
            "code = 0x20\nbytes",
            "code = 0x21\nbytes",
            "opcode.6.code",
            "no entry",
        ),
        (
            "typ = \"100 us\"",
            "typ = \"0 us\"",
            "page_program",
            "above zero",
        ),
        (
            "typ = \"20 us\", source",
            "typ = \"200 us\", source",
            "byte_program_first",
            "longer",
        ),
        (
            "byte_program_next = { typ = \"1 us\", source = \"invented\" }\n",
            "",
            "byte_program_first",
            "belong together",
        ),
        (
            "typ = \"15 us\", max",
            "typ = \"45 us\", max",
            "suspend.program_latency",
            "is above max",
        ),
        (
            "min = \"1000 cycles\"",
            "min = \"0 cycles\"",
            "endurance",
            "above zero",
        ),
        (
            "typ = \"20 mA\"",
            "typ = \"0 mA\"",
            "program_current",
            "above zero",
        ),
        (
            "action = \"read\"\nrate",
            "action = \"write\"\nrate",
            "active.0.action",
            "allowed: read",
        ),
        (
            "action = \"suspend\"",
            "action = \"resume\"",
            "opcode",
            "no opcode with action suspend",
        ),
        (
            "action = \"status\"",
            "action = \"resume\"",
            "opcode",
            "no opcode with action status",
        ),
        (
            "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 0",
            "action = \"suspend\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 3",
            "opcode.9.address_bytes",
            "allowed: 0",
        ),
        (
            "\"Erase 4K\"\naction = \"erase\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 3",
            "\"Erase 4K\"\naction = \"erase\"\nprotocol = \"extended-spi\"\nmode = \"1S-1S-1S\"\naddress_bytes = 0",
            "opcode.6.address_bytes",
            "1 to 8",
        ),
        (
            "address_bytes = 3\ndummy_cycles = 10",
            "address_bytes = 2\ndummy_cycles = 10",
            "opcode.1.address_bytes",
            "do not reach",
        ),
    ];
    for (from, to, path, words) in cases {
        let problems = nor_sheet_with(from, to).problems();
        let found = problems
            .iter()
            .any(|p| p.path == path && p.message.contains(words));
        assert!(found, "{to}: {problems:?}");
    }
    let mut sheet = with_granule();
    assert_eq!(sheet.problems(), []);
    sheet.program_granule = Some(sheet.capacity.clone());
    let problems = sheet.problems();
    assert_eq!(problems[0].path, "program_granule", "{problems:?}");
    assert_eq!(nor_sheet_with("", "").problems(), []);
}
