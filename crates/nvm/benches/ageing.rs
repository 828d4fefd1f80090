//! Speed of ageing: one stepped cycle, and many skipped ones, of a block of which one page is programmed.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use wordline_core::Timing;
use wordline_nvm::ageing::{Cycle, Environment, cycle_block};
use wordline_nvm::{Board, Conditions, CycledFlash as _, Named, Nand, NandSheet, Wired};

const ZEROS: [u8; 512] = [0; 512];

const CYCLE: Cycle<'static> = Cycle {
    block: 3,
    pages: 1,
    data: &ZEROS,
};

/// The invented NAND, whose blocks live for some ten million cycles.
fn ageing() -> Wired<Nand> {
    let text = concat!(
        include_str!("../tests/data/nand.toml"),
        include_str!("../tests/data/nand_aging.toml")
    );
    let text = text
        .replace(
            "bad_blocks_max = { value = 4",
            "bad_blocks_max = { value = 0",
        )
        .replace("3000 cycles", "30000000 cycles");
    let sheet: NandSheet = toml::from_str(&text).expect("a well-formed sheet");
    let board: Board =
        toml::from_str(include_str!("../tests/data/board.toml")).expect("a well-formed board");
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 1,
    };
    let part = Named {
        id: "part",
        sheet: &sheet,
    };
    let board = Named {
        id: "board",
        sheet: &board,
    };
    let mut nand: Wired<Nand> = Wired::connect(part, board, conditions).expect("it fits");
    nand.start_ageing(Environment::default())
        .expect("it has the figures");
    nand
}

fn cycles(criterion: &mut Criterion) {
    let fresh = ageing();
    let mut nand = fresh.fork();
    let mut group = criterion.benchmark_group("ageing");
    group.bench_function("one stepped cycle", |bencher| {
        bencher.iter(|| CYCLE.step(black_box(&mut nand)).expect("it is young"));
    });
    for (name, count) in [("100k", 100_000), ("10M", 10_000_000)] {
        group.bench_function(format!("{name} skipped cycles"), |bencher| {
            bencher.iter_batched(
                || fresh.fork(),
                |mut nand| {
                    let ended = cycle_block(&mut nand, &CYCLE, count);
                    assert_eq!(ended, Ok((count, false)));
                    nand
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("{name} cycles of the cells alone"), |bencher| {
            bencher.iter_batched(
                || fresh.fork(),
                |mut nand| {
                    let done = nand.chip_mut().wear_block(3, 1, count);
                    assert_eq!(done, Ok(count));
                    nand
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, cycles);
criterion_main!(benches);
