//! Speed of a device: one access, and a fork of a chip whose every byte was written.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use wordline_core::Timing;
use wordline_memory::ByteMemory;
use wordline_nvm::{Board, Conditions, Mram, MramSheet, Named, Wired};

fn device(capacity: &str) -> Wired<Mram> {
    let sheet = include_str!("../tests/data/mram.toml").replace("64 KiB", capacity);
    let sheet = sheet.replace("address_bytes = 3", "address_bytes = 4");
    let sheet: MramSheet = toml::from_str(&sheet).expect("a well-formed sheet");
    let board: Board =
        toml::from_str(include_str!("../tests/data/board.toml")).expect("a well-formed board");
    let part = Named {
        id: "part",
        sheet: &sheet,
    };
    let board = Named {
        id: "board",
        sheet: &board,
    };
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    Wired::connect(part, board, conditions).expect("the invented part fits")
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

criterion_group!(benches, accesses, fork);
criterion_main!(benches);
