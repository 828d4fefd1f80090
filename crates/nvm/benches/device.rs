//! Speed of a device: one access, and a fork of a chip whose every byte was written.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use wordline_core::Timing;
use wordline_memory::{ByteMemory, Flash};
use wordline_nvm::{
    Board, ChipSheet, Conditions, FlashDevice, Named, Nand, NandSheet, Nvram, NvramSheet, PagePart,
    Wired,
};

/// A part on the invented board.
fn connect<S: ChipSheet>(sheet: &S) -> Wired<S::Chip> {
    let board: Board =
        toml::from_str(include_str!("../tests/data/board.toml")).expect("a well-formed board");
    let part = Named { id: "part", sheet };
    let board = Named {
        id: "board",
        sheet: &board,
    };
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    Wired::connect(part, board, conditions).expect("the part fits")
}

fn device(capacity: &str) -> Wired<Nvram> {
    let sheet = include_str!("../tests/data/mram.toml").replace("64 KiB", capacity);
    let sheet = sheet.replace("address_bytes = 3", "address_bytes = 4");
    let sheet: NvramSheet = toml::from_str(&sheet).expect("a well-formed sheet");
    connect(&sheet)
}

fn accesses(criterion: &mut Criterion) {
    let mut memory = device("8 MiB");
    let data = vec![7; 2048];
    let mut out = vec![0; 2048];
    let mut at = 0;
    criterion.bench_function("nvm/write-2KiB", |bencher| {
        bencher.iter(|| {
            at = (at + 2048) % (8 << 20);
            memory.write(at, black_box(&data))
        });
    });
    criterion.bench_function("nvm/read-2KiB", |bencher| {
        bencher.iter(|| {
            at = (at + 2048) % (8 << 20);
            memory.read(at, black_box(&mut out))
        });
    });
}

/// 1 Gbit, every byte written: fork, write one byte, drop.
fn fork(criterion: &mut Criterion) {
    let mut memory = device("128 MiB");
    let chunk = vec![7; 1 << 20];
    for at in (0..128 << 20).step_by(chunk.len()) {
        memory.write(at, &chunk).expect("inside");
    }
    criterion.bench_function("nvm/fork-1Gbit-write-drop", |bencher| {
        bencher.iter(|| {
            let mut fork = memory.fork();
            fork.write(black_box(12_345), &[1]).expect("inside");
            fork
        });
    });
}

fn nand() -> Wired<Nand> {
    let part = include_str!("../../catalog/parts/nand/mt29f1g01.toml");
    let mut part: toml::Table = part.parse().expect("a well-formed sheet");
    let sheet = part.remove("nand").expect("a NAND").try_into();
    let sheet: NandSheet = sheet.expect("a sound sheet");
    connect(&sheet)
}

/// A NAND of 1 Gbit, every good page written: fork, erase a block, program a page, drop. And a block
/// written and read page by page.
fn nand_flash(criterion: &mut Criterion) {
    let mut flash = nand();
    let page = vec![7; 2048];
    for block in 0..1024 {
        if flash.is_bad(block).expect("inside") {
            continue;
        }
        for index in 0..64 {
            let programmed = flash.program(block * 64 + index, 0, &page);
            programmed.expect("erased");
        }
    }
    criterion.bench_function("nvm/nand-fork-1Gbit-erase-program-drop", |bencher| {
        bencher.iter(|| {
            let mut fork = flash.fork();
            fork.erase(black_box(5)).expect("good");
            fork.program(5 * 64, 0, black_box(&page)).expect("erased");
            fork
        });
    });
    criterion.bench_function("nvm/nand-write-block-128KiB", |bencher| {
        bencher.iter(|| {
            flash.erase(black_box(5)).expect("good");
            for index in 0..64 {
                let programmed = flash.program(5 * 64 + index, 0, black_box(&page));
                programmed.expect("erased");
            }
        });
    });
    let mut out = vec![0; 64 << 10];
    let parts: Vec<_> = (0..32)
        .map(|page| PagePart {
            page,
            column: 0,
            range: page as usize * 2048..(page as usize + 1) * 2048,
        })
        .collect();
    criterion.bench_function("nvm/nand-read-64KiB", |bencher| {
        bencher.iter(|| flash.read_parts(black_box(&parts), &mut out));
    });
}

criterion_group!(benches, accesses, fork, nand_flash);
criterion_main!(benches);
