//! Speed of the raw workload in simulated payload: 64 MiB in 2 KiB accesses, every byte stored, reads
//! compared, memory read back after writes; latencies, causes, wear and energy on.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_catalog::Catalog;
use wordline_core::{Experiment, Operation, RawWorkload, Timing, Workload};
use wordline_lab::{Control, run};

const TOTAL_BYTES: u64 = 64 << 20;

fn raw(criterion: &mut Criterion) {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut group = criterion.benchmark_group("raw");
    group.throughput(Throughput::Bytes(TOTAL_BYTES));
    group.sample_size(20);
    for operation in [Operation::Write, Operation::Read] {
        let experiment = Experiment {
            targets: vec!["em064lx@stm32h755-qspi".into()],
            workload: Workload::Raw(RawWorkload {
                operations: vec![operation],
                access_bytes: vec![2048],
                total_bytes: TOTAL_BYTES,
                ..RawWorkload::default()
            }),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        group.bench_function(format!("{}-2KiB", operation.name()), |bencher| {
            bencher.iter(|| run(&catalog, black_box(&experiment), &Control::default()));
        });
    }
    // The limit: the same bytes copied once, with nothing simulated.
    let source = vec![1u8; 2048];
    let mut memory = vec![0u8; 8 << 20];
    group.bench_function("memcpy-2KiB", |bencher| {
        bencher.iter(|| {
            for index in 0..TOTAL_BYTES as usize / source.len() {
                let at = index * source.len() % memory.len();
                memory[at..at + source.len()].copy_from_slice(black_box(&source));
            }
            black_box(&memory);
        });
    });
    group.finish();
}

criterion_group!(benches, raw);
criterion_main!(benches);
