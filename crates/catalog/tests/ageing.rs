//! Every NAND that says how it wears ages by the laws of the model, and every other one is refused by name.

use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::Timing;
use wordline_core::quantity::Time;
use wordline_memory::Flash as _;
use wordline_nvm::ageing::{AgeingError, Cycle, Environment, cycle_block};
use wordline_nvm::{
    Accounts as _, Cause, Conditions, CycledFlash as _, Named, Nand, NandSheet, Wired,
};

/// The eight chips of `nand-characterisation`, table 1.
const TABLE_1: [&str; 8] = [
    "nand128w3a2bn",
    "hy27us08121a",
    "mt29f2g08aad",
    "mt29f4g08aac",
    "nand08gw3b2c",
    "mt29f8g08maawc",
    "i29f16g08canc1",
    "mt29f32g08qaa",
];

/// Blocks at the start of a chip that are good, in all of these parts.
const BLOCK: u32 = 0;

fn connect(target: &PartOnBoard<'_>, sheet: &NandSheet, timing: Timing, seed: u64) -> Wired<Nand> {
    let part = Named {
        id: &target.part.header.id,
        sheet,
    };
    let board = Named {
        id: &target.board.header.id,
        sheet: &target.board.board,
    };
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed,
    };
    Wired::connect(part, board, conditions).expect("it fits")
}

/// Programs one page with zeros and erases its block; how long the array took for each.
fn one_cycle(nand: &mut Wired<Nand>, zeros: &[u8]) -> (Time, Time) {
    let page = BLOCK * nand.geometry().pages_per_block;
    nand.program(page, 0, zeros).expect("it is erased");
    let program = nand.last_cost().of(Cause::Program);
    nand.erase(BLOCK).expect("it is not worn out");
    (program, nand.last_cost().of(Cause::Erase))
}

#[test]
fn the_eight_chips_age_and_others_are_refused() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut ageing = Vec::new();
    for part in catalog.parts() {
        let Some(sheet) = part.model.sheet() else {
            continue;
        };
        let target = catalog
            .part_on_board(&part.header.id)
            .expect("it names a board");
        let mut nand = connect(&target, sheet, Timing::Typ, 0);
        match nand.start_ageing(Environment::default()) {
            Ok(()) => ageing.push(part.header.id.as_str()),
            Err(refused) => assert_eq!(refused, AgeingError::NoFigures),
        }
    }
    let mut chips = TABLE_1;
    chips.sort_unstable();
    assert_eq!(ageing, chips);
}

#[test]
fn every_chip_keeps_to_its_sheet_up_to_the_rated_cycles_and_ages_beyond_them() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    for id in TABLE_1 {
        let target = catalog.part_on_board(id).expect("it names a board");
        let Some(sheet) = target.part.model.sheet::<NandSheet>() else {
            unreachable!("it is a NAND");
        };
        let (program_max, erase_max) = (sheet.page_program.max(), sheet.block_erase.max());
        let rated = sheet.endurance.least().count();
        for timing in Timing::ALL {
            let mut nand = connect(&target, sheet, timing, 5);
            nand.start_ageing(Environment::default())
                .expect("it has the figures");
            let zeros = vec![0; nand.geometry().page_bytes as usize];
            let cycle = Cycle {
                block: BLOCK,
                pages: 1,
                data: &zeros,
            };
            let fresh = one_cycle(&mut nand, &zeros);
            for share in [100, 10, 2] {
                let so_far = nand.chip().cycles_of(BLOCK).expect("it is there");
                let ended = cycle_block(&mut nand, &cycle, rated / share - so_far - 1);
                assert!(matches!(ended, Ok((_, false))), "{id}: {ended:?}");
                let (program, erase) = one_cycle(&mut nand, &zeros);
                assert!(Some(program) <= program_max, "{id}: {program}");
                assert!(Some(erase) <= erase_max, "{id}: {erase}");
            }
            if timing == Timing::Sampled {
                continue;
            }
            let mut stands = nand.fork();
            let life = stands.chip_mut().wear_block(BLOCK, 1, u64::MAX);
            let life = life.expect("it is there");
            nand.chip_mut()
                .wear_block(BLOCK, 1, life - 2)
                .expect("it is there");
            let last = one_cycle(&mut nand, &zeros);
            assert!(last.0.ps() * 10 < fresh.0.ps() * 7, "{id}: {last:?}");
            assert!(last.1.ps() > fresh.1.ps() * 3, "{id}: {last:?}");
        }
    }
}
