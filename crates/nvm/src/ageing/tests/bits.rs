//! Bits that go wrong, and what scrubbing does about it.

use wordline_core::quantity::Period;
use wordline_memory::Ecc;

use super::*;
use crate::model::ChipModel as _;

/// Wrong bits that the cells of a page show, without the ECC.
fn wrong_bits(nand: &mut Wired<Nand>, page: u32) -> Vec<usize> {
    nand.chip_mut().set_ecc(false);
    let mut bytes = [0; 512];
    nand.read(page, 0, &mut bytes)
        .expect("nothing is corrected");
    nand.chip_mut().set_ecc(true);
    let bits = (0..512 * 8).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1);
    bits.collect()
}

/// A chip with a page of zeros in each of some blocks.
fn stored(blocks: u32, cycles: u64) -> Wired<Nand> {
    let mut nand = ageing(&sheet(&NO_SPREAD), Timing::Typ, 11);
    for block in 0..blocks {
        nand.chip_mut()
            .wear_block(block, 8, cycles)
            .expect("it is there");
        nand.program(block * 8, 0, &ZEROS).expect("it is erased");
    }
    nand
}

fn total(nand: &mut Wired<Nand>, blocks: u32) -> usize {
    (0..blocks)
        .map(|block| wrong_bits(nand, block * 8).len())
        .sum()
}

#[test]
fn reads_disturb_without_bound_and_only_ever_more() {
    let mut nand = stored(16, 0);
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); 16];
    for _ in 0..5 {
        for block in 0..16 {
            nand.chip_mut().disturb(block, 10_000).expect("it is there");
            let now = wrong_bits(&mut nand, block * 8);
            let old = &before[block as usize];
            assert!(old.iter().all(|bit| now.contains(bit)));
            before[block as usize] = now;
        }
    }
    // 50 000 reads of 16 blocks at one bit for each thousand: 800, with a standard deviation of 28.
    let sum: usize = before.iter().map(Vec::len).sum();
    assert!((700..900).contains(&sum), "{sum}");
    nand.erase(0).expect("it is young");
    assert!(
        wrong_bits(&mut nand, 0).len() == 512 * 8,
        "erased bits are ones"
    );
    nand.program(0, 0, &ZEROS).expect("it is erased");
    assert!(wrong_bits(&mut nand, 0).is_empty());
}

#[test]
fn programs_disturb_what_was_programmed_before_and_are_bounded() {
    let more = [(
        "program_disturb = { value = 0.01",
        "program_disturb = { value = 1.0",
    )];
    let sheet = sheet(&more);
    let (mut first, mut last) = (0, 0);
    for seed in 0..40 {
        let mut nand = ageing(&sheet, Timing::Typ, seed);
        for page in 0..8 {
            nand.program(page, 0, &ZEROS).expect("it is erased");
        }
        first += wrong_bits(&mut nand, 0).len();
        last += wrong_bits(&mut nand, 7).len();
    }
    // Seven programs come after page 0 in each of 40 blocks, none after page 7.
    assert!((220..340).contains(&first), "{first}");
    assert!(last <= 2, "{last}");
}

#[test]
fn charge_leaks_with_time_heat_and_wear() {
    let keep = |cycles, years: f64, celsius| {
        let mut nand = stored(16, cycles);
        let period = Period::from_si(years * 365.25 * 86_400.0);
        nand.chip_mut()
            .store(period, celsius)
            .expect("a chip stands it");
        total(&mut nand, 16)
    };
    // A thousandth of 16 pages of 4096 bits at the rated cycles after a year at 55 °C: 66.
    let year = keep(1000, 1.0, 55.0);
    assert!((40..95).contains(&year), "{year}");
    assert!(keep(1000, 4.0, 55.0) > 2 * year);
    assert!(keep(250, 1.0, 55.0) < year);
    assert!(keep(1000, 1.0, 25.0) < year / 4);
    assert!(keep(1000, 1.0, 85.0) > 4 * year);
    assert!(keep(0, 10.0, 55.0) < year / 4);
}

#[test]
fn scrubbing_keeps_what_neglect_loses() {
    let read = |nand: &mut Wired<Nand>| {
        let mut bytes = [0; 512];
        nand.read(0, 0, &mut bytes).map(|ecc| (ecc, bytes == ZEROS))
    };
    let mut neglected = stored(1, 0);
    let mut scrubbed = stored(1, 0);
    let mut refreshed = 0;
    for _ in 0..1000 {
        for nand in [&mut neglected, &mut scrubbed] {
            nand.chip_mut().disturb(0, 100).expect("it is there");
        }
        if let Ok((Ecc::Corrected { refresh: true, .. }, right)) = read(&mut scrubbed) {
            assert!(right, "the ECC corrected it");
            scrubbed.erase(0).expect("it is young");
            scrubbed.program(0, 0, &ZEROS).expect("it is erased");
            refreshed += 1;
        }
    }
    assert!(refreshed > 0);
    assert!(matches!(read(&mut scrubbed), Ok((_, true))));
    assert_eq!(
        read(&mut neglected),
        Err(NvmError::Uncorrectable { page: 0 })
    );
}

#[test]
fn what_the_sheet_asks_of_the_host_is_corrected_and_no_more() {
    let text = include_str!("../../../tests/data/nand.toml");
    let ecc = &text
        [text.find("[ecc]").expect("there is one")..text.find("[[opcode]]").expect("there is one")];
    let more = &text[text.find("[[opcode]]\ncode = 0x84").expect("there is one")..];
    let more = &more[..more[1..]
        .find("[[opcode]]")
        .map_or(more.len(), |end| end + 1)];
    let changes = [
        (ecc, ""),
        // What the host corrects has to pass it.
        (more, ""),
        (
            "internal_move = { value = true, source = \"invented\" }",
            "",
        ),
        (
            "endurance = { min",
            "host_ecc_bits = { value = 4, source = \"invented\" }\nendurance = { min",
        ),
    ];
    let sheet = sheet(&changes);
    assert!(sheet.problems().is_empty(), "{:?}", sheet.problems());
    let mut seen = Vec::new();
    let mut nand = ageing(&sheet, Timing::Typ, 2);
    nand.program(0, 0, &ZEROS).expect("it is erased");
    let lost = loop {
        let mut bytes = [0; 512];
        match nand.read(0, 0, &mut bytes) {
            Ok(Ecc::Corrected { bits, .. }) => {
                assert_eq!(bytes, ZEROS);
                seen.push(bits);
            }
            Ok(Ecc::Clean) => assert_eq!(bytes, ZEROS),
            Err(error) => break error,
        }
        nand.chip_mut().disturb(0, 100).expect("it is there");
    };
    assert_eq!(lost, NvmError::Uncorrectable { page: 0 });
    assert!(
        seen.is_sorted() && seen.last() <= Some(&4) && !seen.is_empty(),
        "{seen:?}"
    );
    // Who brings a code of his own gets the bits as they are, also beyond what that one corrects.
    assert!(nand.chip_mut().use_host_ecc(false), "the sheet asks for it");
    let mut bytes = [0; 512];
    assert_eq!(nand.read(0, 0, &mut bytes), Ok(Ecc::Clean));
    let wrong: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    assert!(wrong > 4, "{wrong}");
    nand.chip_mut().use_host_ecc(true);
    assert_eq!(nand.read(0, 0, &mut bytes), Err(lost));
    // A chip with an ECC of its own asks the host for none, and has its parity in the spare area.
    let mut own = ageing(&self::sheet(&[]), Timing::Typ, 2);
    assert!(!own.chip_mut().use_host_ecc(true) && !own.chip().parity().is_empty());
    assert!(nand.chip().parity().is_empty());
}
