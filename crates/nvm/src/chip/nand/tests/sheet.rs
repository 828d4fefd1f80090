//! What a sheet says, and what contradicts itself in one.

use super::*;
use crate::model::ChipModel as _;

#[test]
fn sampled_times_lie_between_the_bounds_and_differ() {
    let mut bench = Bench::of(&nand(Conditions {
        timing: Timing::Sampled,
        seed: 5,
        ..TYPICAL
    }));
    let mut programs = Vec::new();
    for page in 0..128 {
        let end = bench.program(page, 0, &[0; 512]).expect("ready");
        programs.push(bench.chip.busy_until().since(end));
    }
    let bounds = Time::from_ps(200 * US / 3)..=us(600);
    assert!(programs.iter().all(|time| bounds.contains(time)));
    let below = programs.iter().filter(|time| **time < us(200)).count();
    assert!(
        (45..=83).contains(&below),
        "{below} of 128 below the median"
    );
    let erase = |bench: &mut Bench| {
        let end = bench.erase(0).expect("ready");
        bench.chip.busy_until().since(end)
    };
    let (first, second) = (erase(&mut bench), erase(&mut bench));
    assert_ne!(first, second, "each cycle has its own time");
    assert!((us(400)..=us(10_000)).contains(&first));
}

#[test]
fn wear_counts_erases_beyond_the_age() {
    let mut bench = Bench::of(&nand(Conditions {
        age: 0.5,
        ..TYPICAL
    }));
    bench.erase(1).expect("ready");
    bench.erase(1).expect("ready");
    bench.erase(2).expect("ready");
    let wear = bench.chip.wear();
    assert_eq!((wear.endurance, wear.before), (1000, 500));
    assert_eq!(wear.most, 2);
    assert!((wear.mean - 1.5).abs() < 1e-12);
    assert_eq!(bench.chip.cycles_of(1), Some(502));
}

#[test]
fn a_current_that_the_sheet_lacks_is_a_gap() {
    let sheet = nand_sheet_with(
        "erase_current = { typ = \"15 mA\", max = \"25 mA\", source = \"invented\" }",
        "",
    );
    let device = connect_nand(&sheet, &board(), TYPICAL);
    assert_eq!(
        device.notes().currents,
        [CurrentGap::Unknown { action: "erase" }]
    );
}

#[test]
fn a_sheet_that_contradicts_itself_is_refused() {
    let cases = [
        (
            "page_bytes = { typ = \"512 B\"",
            "page_bytes = { typ = \"500 B\"",
            "ecc.sector_bytes",
        ),
        ("blocks = { value = 16", "blocks = { value = 0", "blocks"),
        (
            "blocks = { value = 16",
            "blocks = { value = 4000000000",
            "blocks",
        ),
        (
            "pages_per_block = { value = 8",
            "pages_per_block = { value = 0",
            "pages_per_block",
        ),
        (
            "programs_per_page = { value = 4",
            "programs_per_page = { value = 0",
            "programs_per_page",
        ),
        (
            "page_read = { typ = \"50 us\"",
            "page_read = { typ = \"101 us\"",
            "page_read",
        ),
        (
            "cache_busy = { typ = \"5 us\"",
            "cache_busy = { typ = \"0 us\"",
            "cache_busy",
        ),
        ("bits = { value = 8", "bits = { value = 300", "ecc.bits"),
        (
            "refresh_from = { value = 7",
            "refresh_from = { value = 9",
            "ecc.refresh_from",
        ),
        ("\"4-6\"", "\"5-6\"", "ecc.reported"),
        (", \"7-8\"]", "]", "ecc.reported"),
        ("\"28..32\"]", "\"28..36\"]", "ecc.parity"),
        ("\"16..20\"", "\"0..4\"", "ecc.protected"),
        (", \"28..32\"]", "]", "ecc.protected"),
        ("\"56..64\"]", "\"56..65\"]", "ecc.parity"),
        (
            "refresh_from = { value = 7",
            "refresh_from = { value = 5",
            "ecc.refresh_from",
        ),
        (
            "bad_blocks_max = { value = 4",
            "bad_blocks_max = { value = 15",
            "bad_blocks_max",
        ),
        (
            "action = \"page-read-last\"",
            "action = \"power-down\"",
            "opcode",
        ),
        ("action = \"execute\"", "action = \"erase\"", "opcode"),
        (
            "address_bytes = 2",
            "address_bytes = 1",
            "opcode.1.address_bytes",
        ),
        (
            "address_bytes = 3",
            "address_bytes = 0",
            "opcode.0.address_bytes",
        ),
    ];
    assert_eq!(nand_sheet_with("", "").problems(), []);
    for (from, to, path) in cases {
        let problems = nand_sheet_with(from, to).problems();
        let found: Vec<_> = problems.iter().map(|one| one.path.as_str()).collect();
        assert!(found.contains(&path), "{to}: {problems:?}");
    }
}

#[test]
fn ranges_are_read_and_printed() {
    for text in ["4-6", "7-7"] {
        assert_eq!(text.parse::<BitRange>().expect(text).to_string(), text);
    }
    assert_eq!("3".parse(), Ok(BitRange { from: 3, to: 3 }));
    for text in ["", "6-4", "a-b", "1-2-3", "-1"] {
        assert!(text.parse::<BitRange>().is_err(), "{text}");
    }
    let range: SpareRange = "32..40".parse().expect("a range");
    assert_eq!(range.to_string(), "32..40");
    for text in ["", "32", "40..32", "4..4", "a..b", "1..2..3", "-1..2"] {
        assert!(text.parse::<SpareRange>().is_err(), "{text}");
    }
}
