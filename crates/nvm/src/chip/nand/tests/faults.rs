//! Wrong bits, the ECC that corrects them, and blocks that fail.

use super::*;

#[test]
fn the_ecc_counts_wrong_bits_in_each_sector() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[0x33; 512]).expect("ready");
    let mut verdicts = Vec::new();
    for bit in 0..10 {
        verdicts.push(bench.read(0, 0, 512).1);
        let good = verdicts.last() != Some(&EccVerdict::Lost);
        assert_eq!(
            bench.read(0, 0, 512).0 == [0x33; 512],
            good,
            "{bit} wrong bits"
        );
        bench.chip.flip_bit(0, 128 + 8 * bit, 3).expect("inside");
    }
    let corrected = |bits, refresh| EccVerdict::Good(Ecc::Corrected { bits, refresh });
    let expected = [
        EccVerdict::Good(Ecc::Clean),
        corrected(3, false),
        corrected(3, false),
        corrected(3, false),
        corrected(6, false),
        corrected(6, false),
        corrected(6, false),
        corrected(8, true),
        corrected(8, true),
        EccVerdict::Lost,
    ];
    assert_eq!(verdicts, expected);
    // The other sectors read well; the lost one as its cells are.
    let (bytes, _) = bench.read(0, 0, 512);
    assert_eq!(bytes.iter().filter(|byte| **byte != 0x33).count(), 10);
    // A bit that is flipped again is mended, and an erase mends all.
    for bit in 0..10 {
        bench.chip.flip_bit(0, 128 + 8 * bit, 3).expect("inside");
    }
    assert_eq!(bench.read(0, 0, 512).1, EccVerdict::Good(Ecc::Clean));
    bench.chip.flip_bit(0, 5, 5).expect("inside");
    bench.erase(0).expect("ready");
    assert_eq!(
        bench.read(0, 0, 512),
        (vec![0xff; 512], EccVerdict::Good(Ecc::Clean))
    );
}

/// A codeword is its sector, its protected spare bytes and its parity; what lies outside is read as it
/// is, unreported.
#[test]
fn each_byte_counts_for_its_codeword() {
    let verdict = |places: &[(u32, u8)]| {
        let mut bench = Bench::new();
        for (column, bit) in places {
            bench.chip.flip_bit(0, *column, *bit).expect("inside");
        }
        bench.read(0, 0, 576)
    };
    let sector_0: Vec<_> = [0, 127, 528, 531, 544, 551]
        .into_iter()
        .flat_map(|column| [(column, 0), (column, 7)])
        .collect();
    assert_eq!(verdict(&sector_0[..9]).1, EccVerdict::Lost);
    let spread: Vec<_> = [0, 128, 256, 384, 528, 532, 536, 540]
        .into_iter()
        .map(|column| (column, 1))
        .collect();
    let told = Ecc::Corrected {
        bits: 3,
        refresh: false,
    };
    assert_eq!(verdict(&spread), (vec![0xff; 576], EccVerdict::Good(told)));
    let (bytes, clean) = verdict(&[(520, 0), (521, 1)]);
    assert_eq!(clean, EccVerdict::Good(Ecc::Clean));
    assert_eq!(bytes[520..522], [0xfe, 0xfd]);
}

#[test]
fn without_ecc_the_cells_are_read_as_they_are() {
    let mut bench = Bench::new();
    bench.chip.flip_bit(0, 9, 4).expect("inside");
    bench.chip.set_ecc(false);
    let (bytes, verdict) = bench.read(0, 0, 512);
    assert_eq!(bytes[9], 0xef);
    assert_eq!(verdict, EccVerdict::Good(Ecc::Clean));
}

#[test]
fn factory_bad_blocks_are_marked_and_stay() {
    let sheet = nand_sheet_with("", "");
    let bad = |seed, timing| {
        let conditions = Conditions {
            seed,
            timing,
            ..TYPICAL
        };
        let chip = connect_nand(&sheet, &board(), conditions).chip().clone();
        let bad: Vec<_> = (0..16).filter(|block| chip.is_marked(*block)).collect();
        bad
    };
    let mut counts = [0; 5];
    for seed in 0..200 {
        let found = bad(seed, Timing::Typ);
        assert!(found.iter().all(|block| *block >= 2));
        assert_eq!(found, bad(seed, Timing::Max));
        counts[found.len()] += 1;
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

#[test]
fn a_block_that_fails_goes_on_failing_and_keeps_its_other_pages() {
    let mut bench = Bench::new();
    bench.program(0, 0, &[1; 512]).expect("ready");
    bench.chip.fail_block(0).expect("inside");
    bench
        .program(1, 0, &[2; 512])
        .expect("the failure shows in the status");
    assert!(bench.chip.failed());
    assert_eq!(bench.read(1, 0, 512).1, EccVerdict::Lost);
    assert_eq!(
        bench.read(0, 0, 512),
        (vec![1; 512], EccVerdict::Good(Ecc::Clean))
    );
    bench.erase(0).expect("the failure shows in the status");
    assert!(bench.chip.failed());
    assert_eq!(bench.chip.cycles_of(0), Some(1), "a failed erase wears");
    assert_eq!(bench.read(0, 0, 512).1, EccVerdict::Lost);
    bench.program(8, 0, &[3; 512]).expect("ready");
    assert!(!bench.chip.failed());
}

#[test]
fn failures_come_at_their_rate_and_differ_from_cycle_to_cycle() {
    let mut bench = Bench::new();
    let half = Faults {
        erase_failure: 0.5,
        ..Faults::default()
    };
    bench.chip.set_faults(half);
    let twin = bench.chip.clone();
    let failed = |bench: &mut Bench| {
        let mut first = Vec::new();
        for block in 0..16 {
            let erases = (0..64).position(|_| {
                bench.erase(block).expect("ready");
                bench.chip.failed()
            });
            first.push(erases.expect("one of 64 fails"));
        }
        first
    };
    let found = failed(&mut bench);
    assert!(found.contains(&0) && found.iter().any(|erases| *erases > 0));
    bench.chip = twin;
    assert_eq!(failed(&mut bench), found, "a fork sees the same failures");
}

#[test]
fn bit_errors_come_at_their_rate() {
    let mut bench = Bench::new();
    bench.chip.set_faults(Faults {
        bit_errors: 1e-3,
        ..Faults::default()
    });
    let mut corrected = 0;
    for page in 0..128 {
        bench.program(page, 0, &[0; 512]).expect("ready");
        let (bytes, verdict) = bench.read(page, 0, 512);
        assert_eq!(bytes, [0; 512]);
        corrected += u32::from(verdict != EccVerdict::Good(Ecc::Clean));
    }
    // 4096 bits at 1e-3 leave a page clean with probability 0.017.
    assert!((115..=128).contains(&corrected), "{corrected}");
}
